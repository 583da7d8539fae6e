/**
 * What the business sells, by assortment.txt: a line is a shelf, with its turnover group, VAT rate, prefix of article
 * numbers and purchase cost as a share of the price excluding VAT; or an article of it, with its title, its price in
 * cents and its variants, each of which is a product. Words are Dutch/English, or once where they are the same.
 */
import assortment from './assortment.txt';
import { GROUP, VAT } from './ledgers.ts';

/** A word in both languages. */
export type Words = readonly [nl: string, en: string];

/** The articles of one turnover group, with what they have in common. */
export type Shelf = ReturnType<typeof readShelf>;

/** All shelves, in the order in which products are numbered. */
export const SHELVES: readonly Shelf[] = assortment.split(/\n(?! |$)/).map(readShelf);

function readShelf(text: string) {
  const [common = '', ...articles] = text.trim().split('\n');
  const [group = '', vat = '', skuPrefix = '', costShare] = common.split(' ');
  return {
    productGroupId: Object.entries(GROUP).find(([name]) => name === group)?.[1].id ?? 0,
    taxRateId: Object.entries(VAT).find(([name]) => name === vat)?.[1] ?? 0,
    skuPrefix,
    costShare: Number(costShare),
    articles: articles.map(readArticle),
  };
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
