/**
 * Finds the account's own names for the columns that most questions need, by the document's naming rule, types and usual
 * words. Our texts have a role in angle brackets in place of such a name.
 */
import {
  isCodeName,
  isIdentifier,
  isLinkName,
  isNameColumn,
  isQuantityName,
  totalsOfRow,
} from '../../core/column-name.ts';
import type { FieldTypes } from '../../core/column-type.ts';
import { documentedColumns } from '../../endpoints/define.ts';
import { listOrderItems, listOrders } from '../../endpoints/orders.ts';
import { getProductSales } from '../../endpoints/reports.ts';

type FindName = (columns: FieldTypes) => string | undefined;

/** By role: a role that no column or several columns have is not replaced. */
const roles: Readonly<Record<string, readonly [tool: string, find: FindName]>> = {
  'order total with VAT': [listOrders.tool, totalWithVat],
  'order moment': [listOrders.tool, momentMade],
  'order columns': [listOrders.tool, mainColumns],
  'line title': [listOrderItems.tool, titleOf],
  'line quantity': [listOrderItems.tool, quantityOf],
  'line total with VAT': [listOrderItems.tool, totalWithVat],
  'product quantity': [getProductSales.tool, quantityOf],
  'product turnover with VAT': [getProductSales.tool, totalWithVat],
};

/** Replaces roles in a text by names of the account. */
export type Speak = (text: string) => string;

/**
 * Replaces `<order total with VAT>` by the account's name, where it has one; `<order total with VAT|discount_value_wt>`
 * otherwise becomes the text after the bar.
 * @param columnsOf the columns of a tool that the reader may know
 */
export function speakFor(columnsOf: (tool: string) => FieldTypes): Speak {
  const entries = Object.entries(roles).map(([role, [tool, find]]) => {
    const columns = Object.entries(columnsOf(tool)).filter(([name]) => plainName.test(name));
    return [role, find(Object.fromEntries(columns))] as const;
  });
  const names = new Map(entries);
  return (text) =>
    text.replace(/<([\w ]+)(?:\|([^<>]*))?>/g, (whole, role: string, otherwise?: string) =>
      names.has(role) ? (names.get(role) ?? otherwise ?? whole) : whole,
    );
}

/** Names that SQL takes without quotes; others of the platform's never enter our texts. */
const plainName = /^(?!(asc|column|desc|end|group|limit|order|table|to)$)[a-z_]\w{0,39}$/i;

function totalWithVat(columns: FieldTypes): string | undefined {
  return totalsOfRow(Object.keys(columns))[0];
}

/** The moment at which the order was made. */
function momentMade(columns: FieldTypes): string | undefined {
  const moments = namesOf(columns, ['timestamp', 'day']).filter((name) => name !== 'date_updated');
  return onlyOne(moments) ?? onlyOne(moments.filter((name) => /creat|plac|made|order/i.test(name)));
}

function quantityOf(columns: FieldTypes): string | undefined {
  const hasNoSide = (name: string) => isQuantityName(name) && !isExcludingVat(name, columns);
  return onlyOne(namesOf(columns, ['integer', 'decimal']).filter(hasNoSide));
}

function titleOf(columns: FieldTypes): string | undefined {
  const titles = namesOf(columns, ['text']).filter((name) => name !== 'kind' && isForPeople(name));
  return onlyOne(titles) ?? onlyOne(titles.filter(isNameColumn));
}

/** Eight columns to show orders by; columns that the document does not name come before others. */
function mainColumns(columns: FieldTypes): string | undefined {
  const documented = documentedColumns(listOrders.output);
  const isOwn = (name: string) => !(name in documented || isExcludingVat(name, columns));
  const own = namesOf(columns, [
    'timestamp',
    'day',
    'integer',
    'decimal',
    'text',
    'boolean',
  ]).filter((name) => isOwn(name) && isForPeople(name) && !isIdentifier(name));
  const first = [momentMade(columns), totalWithVat(columns)].flatMap((name) => name ?? []);
  const names = new Set(['order_number', 'shop_id', ...first, ...own, 'relation_data_id']);
  return own.length > 0 ? [...names].slice(0, 8).join(', ') : undefined;
}

function namesOf(columns: FieldTypes, words: readonly string[]): string[] {
  const entries = Object.entries(columns);
  return entries.flatMap(([name, type]) => (words.includes(String(type)) ? name : []));
}

function isForPeople(name: string): boolean {
  return !isCodeName(name) && !isLinkName(name);
}

/** docs/platform.md#money: `total_ex`, or `total` where `total_wt` exists. */
function isExcludingVat(name: string, columns: FieldTypes): boolean {
  return name.endsWith('_ex') || `${name}_wt` in columns;
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}
