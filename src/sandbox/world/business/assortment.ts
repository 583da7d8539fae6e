/** What the business sells, in words: each article in a few variants, in Dutch and English. */
import { GROUP, VAT } from './ledgers.ts';

/** A word in both languages. */
export type Words = readonly [nl: string, en: string];

/** One article; each variant of it is a product. */
export interface Article {
  title: Words;
  priceWtCents: number;
  variants: readonly Words[];
}

/** The articles of one turnover group, with what they have in common. */
export interface Shelf {
  productGroupId: number;
  taxRateId: number;
  skuPrefix: string;
  /** Purchase cost as a share of the price excluding VAT. */
  costShare: number;
  articles: readonly Article[];
}

const COLOURS = words('rood/red', 'blauw/blue', 'groen/green', 'zwart/black', 'wit/white');
const PLACES = words(
  'Utrecht/Utrecht',
  'Amsterdam/Amsterdam',
  'Veluwe/Veluwe',
  'Wadden/Wadden',
  'Haarlem/Haarlem',
);

/** All shelves, in the order in which products are numbered. */
export const SHELVES: readonly Shelf[] = [
  {
    productGroupId: GROUP.books,
    taxRateId: VAT.low,
    skuPrefix: 'BK',
    costShare: 0.58,
    articles: [
      article(
        'Kookboek/Cookbook',
        2495,
        words('Brood/Bread', 'Soep/Soup', 'Kaas/Cheese', 'Vis/Fish', 'Koek/Cookies'),
      ),
      article('Wandelgids/Walking guide', 1695, PLACES),
      article(
        'Prentenboek/Picture book',
        1495,
        words('Otter/Otter', 'Vuurtoren/Lighthouse', 'Tram/Tram', 'Bever/Beaver'),
      ),
      article(
        'Roman/Novel',
        2250,
        words('De Sluis/The Lock', 'Nevel/Mist', 'Getij/Tide', 'Polder/Polder', 'Stroom/Current'),
      ),
      article('Notitieboek/Notebook', 995, COLOURS),
      article('Stadsplattegrond/City map', 795, PLACES),
    ],
  },
  {
    productGroupId: GROUP.home,
    taxRateId: VAT.high,
    skuPrefix: 'HM',
    costShare: 0.46,
    articles: [
      article('Mok/Mug', 1295, COLOURS),
      article('Theepot/Teapot', 3450, words('klein/small', 'groot/large')),
      article('Kaars/Candle', 895, words('vijg/fig', 'ceder/cedar', 'linnen/linen')),
      article('Vaas/Vase', 4250, COLOURS),
      article('Theedoek/Tea towel', 1150, COLOURS),
      article('Dienblad/Tray', 2795, words('eiken/oak', 'berken/birch')),
      article('Poster/Poster', 1895, PLACES),
    ],
  },
  {
    productGroupId: GROUP.toys,
    taxRateId: VAT.high,
    skuPrefix: 'TY',
    costShare: 0.5,
    articles: [
      article('Puzzel/Puzzle', 1795, words('100/100', '500/500', '1000/1000', '2000/2000')),
      article('Houten trein/Wooden train', 2995, COLOURS),
      article(
        'Knuffel/Soft toy',
        1695,
        words('otter/otter', 'vos/fox', 'konijn/rabbit', 'beer/bear'),
      ),
      article('Bordspel/Board game', 3495, PLACES),
      article('Bouwset/Building set', 4995, words('brug/bridge', 'molen/windmill')),
    ],
  },
  {
    productGroupId: GROUP.deli,
    taxRateId: VAT.low,
    skuPrefix: 'DL',
    costShare: 0.55,
    articles: [
      article('Stroopwafels/Syrup waffles', 595, words('roomboter/butter', 'chocolade/chocolate')),
      article(
        'Chocoladereep/Chocolate bar',
        425,
        words('puur/dark', 'melk/milk', 'zeezout/sea salt', 'wit/white'),
      ),
      article('Koffiebonen/Coffee beans', 1395, words('mild/mild', 'donker/dark', 'filter/filter')),
      article(
        'Losse thee/Loose tea',
        850,
        words('munt/mint', 'sencha/sencha', 'earl grey/earl grey', 'rooibos/rooibos'),
      ),
      article(
        'Jam/Jam',
        545,
        words('aardbei/strawberry', 'abrikoos/apricot', 'bramen/blackberry', 'vijgen/fig'),
      ),
      article('Mosterd/Mustard', 475, words('grof/coarse', 'dille/dill')),
      article('Olijfolie/Olive oil', 1650, words('mild/mild', 'pittig/peppery')),
    ],
  },
  {
    productGroupId: GROUP.kitchen,
    taxRateId: VAT.low,
    skuPrefix: 'KT',
    costShare: 0.31,
    articles: [
      article(
        'Broodje/Roll',
        725,
        words(
          'oude kaas/old cheese',
          'zalm/salmon',
          'hummus/hummus',
          'ei/egg',
          'geitenkaas/goat cheese',
        ),
      ),
      article('Soep/Soup', 695, words('tomaat/tomato', 'erwten/pea', 'pompoen/pumpkin')),
      article('Taart/Cake', 495, words('appel/apple', 'wortel/carrot', 'citroen/lemon')),
      article('Voorgerecht/Starter', 1350, words('carpaccio/carpaccio', 'garnalen/shrimp')),
      article(
        'Hoofdgerecht/Main course',
        2450,
        words('zeebaars/sea bass', 'risotto/risotto', 'steak/steak', 'curry/curry'),
      ),
      article('Dagschotel/Dish of the day', 1895, words('vlees/meat', 'vis/fish', 'groen/greens')),
      article(
        'Nagerecht/Dessert',
        895,
        words('sorbet/sorbet', 'crème brûlée/crème brûlée', 'taart/tart', 'kaas/cheese'),
      ),
      article('Bittergarnituur/Bitterballen', 950, words('klein/small', 'groot/large')),
    ],
  },
  {
    productGroupId: GROUP.softDrinks,
    taxRateId: VAT.low,
    skuPrefix: 'SD',
    costShare: 0.22,
    articles: [
      article(
        'Koffie/Coffee',
        325,
        words('zwart/black', 'cappuccino/cappuccino', 'flat white/flat white'),
      ),
      article('Thee/Tea', 310, words('munt/mint', 'gember/ginger', 'zwart/black')),
      article(
        'Frisdrank/Soft drink',
        345,
        words('cola/cola', 'tonic/tonic', 'bitter lemon/bitter lemon'),
      ),
      article('Sap/Juice', 425, words('sinaasappel/orange', 'appel/apple', 'tomaat/tomato')),
      article('Mineraalwater/Mineral water', 295, words('plat/still', 'bruis/sparkling')),
    ],
  },
  {
    productGroupId: GROUP.alcohol,
    taxRateId: VAT.high,
    skuPrefix: 'AL',
    costShare: 0.29,
    articles: [
      article(
        'Bier/Beer',
        425,
        words('pils/lager', 'weizen/wheat', 'IPA/IPA', 'tripel/tripel', 'alcoholarm/low alcohol'),
      ),
      article('Glas wijn/Glass of wine', 595, words('wit/white', 'rood/red', 'rosé/rosé')),
      article(
        'Fles wijn/Bottle of wine',
        2895,
        words('wit/white', 'rood/red', 'bubbels/sparkling'),
      ),
      article('Jenever/Genever', 475, words('jong/young', 'oud/old')),
    ],
  },
  {
    productGroupId: GROUP.workshops,
    taxRateId: VAT.zero,
    skuPrefix: 'WS',
    costShare: 0.4,
    articles: [
      article(
        'Workshop/Workshop',
        6500,
        words('keramiek/pottery', 'brood bakken/baking', 'kalligrafie/calligraphy'),
      ),
      article(
        'Rondleiding/Guided tour',
        1250,
        words('dag/day', 'avond/evening', 'kinderen/children'),
      ),
    ],
  },
];

function article(title: string, priceWtCents: number, variants: readonly Words[]): Article {
  return { title: bothLanguages(title), priceWtCents, variants };
}

function words(...pairs: string[]): Words[] {
  return pairs.map(bothLanguages);
}

function bothLanguages(pair: string): Words {
  const [nl = '', en = ''] = pair.split('/');
  return [nl, en];
}
