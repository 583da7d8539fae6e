/**
 * What the business sells. A line is an article: its title, its price in cents, its variants, each
 * of which is a product. Words are given in Dutch/English, or once where they are the same.
 */
import { GROUP, VAT } from './ledgers.ts';

/** A word in both languages. */
export type Words = readonly [nl: string, en: string];

/** The articles of one turnover group, with what they have in common. */
export interface Shelf {
  productGroupId: number;
  taxRateId: number;
  skuPrefix: string;
  /** Purchase cost as a share of the price excluding VAT. */
  costShare: number;
  articles: readonly { title: Words; priceWtCents: number; variants: readonly Words[] }[];
}

const COLOURS = 'rood/red, blauw/blue, groen/green, zwart/black, wit/white';
const PLACES = 'Utrecht, Amsterdam, Veluwe, Wadden, Haarlem';

/** All shelves, in the order in which products are numbered. */
export const SHELVES: readonly Shelf[] = [
  shelf(
    { productGroupId: GROUP.books.id, taxRateId: VAT.low, skuPrefix: 'BK', costShare: 0.58 },
    `
    Kookboek/Cookbook 2495: Brood/Bread, Soep/Soup, Kaas/Cheese, Vis/Fish, Koek/Cookies
    Wandelgids/Walking guide 1695: ${PLACES}
    Prentenboek/Picture book 1495: Otter, Vuurtoren/Lighthouse, Tram, Bever/Beaver
    Roman/Novel 2250: De Sluis/The Lock, Nevel/Mist, Getij/Tide, Polder, Stroom/Current
    Notitieboek/Notebook 995: ${COLOURS}
    Stadsplattegrond/City map 795: ${PLACES}`,
  ),
  shelf(
    { productGroupId: GROUP.home.id, taxRateId: VAT.high, skuPrefix: 'HM', costShare: 0.46 },
    `
    Mok/Mug 1295: ${COLOURS}
    Theepot/Teapot 3450: klein/small, groot/large
    Kaars/Candle 895: vijg/fig, ceder/cedar, linnen/linen
    Vaas/Vase 4250: ${COLOURS}
    Theedoek/Tea towel 1150: ${COLOURS}
    Dienblad/Tray 2795: eiken/oak, berken/birch
    Poster 1895: ${PLACES}`,
  ),
  shelf(
    { productGroupId: GROUP.toys.id, taxRateId: VAT.high, skuPrefix: 'TY', costShare: 0.5 },
    `
    Puzzel/Puzzle 1795: 100, 500, 1000, 2000
    Houten trein/Wooden train 2995: ${COLOURS}
    Knuffel/Soft toy 1695: otter, vos/fox, konijn/rabbit, beer/bear
    Bordspel/Board game 3495: ${PLACES}
    Bouwset/Building set 4995: brug/bridge, molen/windmill`,
  ),
  shelf(
    { productGroupId: GROUP.deli.id, taxRateId: VAT.low, skuPrefix: 'DL', costShare: 0.55 },
    `
    Stroopwafels/Syrup waffles 595: roomboter/butter, chocolade/chocolate
    Chocoladereep/Chocolate bar 425: puur/dark, melk/milk, zeezout/sea salt, wit/white
    Koffiebonen/Coffee beans 1395: mild, donker/dark, filter
    Losse thee/Loose tea 850: munt/mint, sencha, earl grey, rooibos
    Jam 545: aardbei/strawberry, abrikoos/apricot, bramen/blackberry, vijgen/fig
    Mosterd/Mustard 475: grof/coarse, dille/dill
    Olijfolie/Olive oil 1650: mild, pittig/peppery`,
  ),
  shelf(
    { productGroupId: GROUP.kitchen.id, taxRateId: VAT.low, skuPrefix: 'KT', costShare: 0.31 },
    `
    Broodje/Roll 725: oude kaas/old cheese, zalm/salmon, hummus, ei/egg, geitenkaas/goat cheese
    Soep/Soup 695: tomaat/tomato, erwten/pea, pompoen/pumpkin
    Taart/Cake 495: appel/apple, wortel/carrot, citroen/lemon
    Voorgerecht/Starter 1350: carpaccio, garnalen/shrimp
    Hoofdgerecht/Main course 2450: zeebaars/sea bass, risotto, steak, curry
    Dagschotel/Dish of the day 1895: vlees/meat, vis/fish, groen/greens
    Nagerecht/Dessert 895: sorbet, crème brûlée, taart/tart, kaas/cheese
    Bittergarnituur/Bitterballen 950: klein/small, groot/large`,
  ),
  shelf(
    { productGroupId: GROUP.softDrinks.id, taxRateId: VAT.low, skuPrefix: 'SD', costShare: 0.22 },
    `
    Koffie/Coffee 325: zwart/black, cappuccino, flat white
    Thee/Tea 310: munt/mint, gember/ginger, zwart/black
    Frisdrank/Soft drink 345: cola, tonic, bitter lemon
    Sap/Juice 425: sinaasappel/orange, appel/apple, tomaat/tomato
    Mineraalwater/Mineral water 295: plat/still, bruis/sparkling`,
  ),
  shelf(
    { productGroupId: GROUP.alcohol.id, taxRateId: VAT.high, skuPrefix: 'AL', costShare: 0.29 },
    `
    Bier/Beer 425: pils/lager, weizen/wheat, IPA, tripel, alcoholarm/low alcohol
    Glas wijn/Glass of wine 595: wit/white, rood/red, rosé
    Fles wijn/Bottle of wine 2895: wit/white, rood/red, bubbels/sparkling
    Jenever/Genever 475: jong/young, oud/old`,
  ),
  shelf(
    { productGroupId: GROUP.workshops.id, taxRateId: VAT.zero, skuPrefix: 'WS', costShare: 0.4 },
    `
    Workshop 6500: keramiek/pottery, brood bakken/baking, kalligrafie/calligraphy
    Rondleiding/Guided tour 1250: dag/day, avond/evening, kinderen/children`,
  ),
];

function shelf(common: Omit<Shelf, 'articles'>, table: string): Shelf {
  return { ...common, articles: table.trim().split('\n').map(readArticle) };
}

function readArticle(line: string) {
  const [head = '', variants = ''] = line.trim().split(': ');
  const [, title = '', price] = /^(.+) (\d+)$/.exec(head) ?? [];
  return {
    title: readWords(title),
    priceWtCents: Number(price),
    variants: variants.split(', ').map(readWords),
  };
}

function readWords(text: string): Words {
  const [nl = '', en = nl] = text.split('/');
  return [nl, en];
}
