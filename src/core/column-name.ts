/**
 * Guesses about a column's values from the words of its name, dotted names included: most names are not documented
 * (docs/platform.md#what-is-not-documented).
 */
import { neutralise } from './text.ts';

/** Texts about tables leave out other names: those with invisible or control characters, and very long ones. */
export function isTypeableName(name: string): boolean {
  const isShort = name.length <= 200 && name.trim() !== '';
  return isShort && isSqlName(name) && neutralise(name) === name;
}

/** SQL cuts a name at a NUL, and has no empty name, nor an empty step of a dotted one (`.x`). */
export function isSqlName(name: string): boolean {
  return !name.includes('\u0000') && !name.split('.').includes('');
}

/** A dotted name with more steps is one plain column. */
const maxSteps = 10;

/** Tells which dotted names are fields of an object. `order.id` is not where a column `order` exists; case is ignored. */
export function nestedNames(columns: Iterable<string>): (name: string) => boolean {
  const taken = new Set(Array.from(columns, (name) => name.toLowerCase()));
  return (name) => {
    const steps = name.toLowerCase().split('.', maxSteps + 1);
    const objects = steps.slice(1).map((_, at) => steps.slice(0, at + 1).join('.'));
    const canNest = steps.length > 1 && steps.length <= maxSteps && isSqlName(name);
    return canNest && !objects.some((object) => taken.has(object));
  };
}

type Nested<Value> = { [name: string]: Value | Nested<Value> };

/** Makes objects of columns with dotted names, as SQL reaches them: `order.id` becomes `id` within `order`. */
export function nest<Value>(
  columns: Readonly<Record<string, Value>>,
  isNested = nestedNames(Object.keys(columns)),
): Nested<Value> {
  // Without a prototype, a column may be called `__proto__`.
  const root: Nested<Value> = Object.create(null);
  const objects = new Map([['', root]]);
  for (const [column, value] of Object.entries(columns)) {
    const steps = isNested(column) ? column.split('.') : [column];
    let path = '';
    let place = root;
    for (const step of steps.slice(0, -1)) {
      path += `${step}.`;
      const inner: Nested<Value> = objects.get(path) ?? Object.create(null);
      objects.set(path, inner);
      place[step] = inner;
      place = inner;
    }
    // A row may have `order: null` beside `order.id`.
    const name = steps.at(-1) ?? column;
    if (value !== null || !(name in place)) place[name] = value;
  }
  return root;
}

/** The field that a dotted name ends in: `shop_id` of `order.shop_id`. */
export function fieldOf(column: string): string {
  return column.slice(column.lastIndexOf('.') + 1);
}

/** Numbers that identify something (`id`, `shop_id`, `order_number`): there is nothing to add up. */
export const isIdentifier = matcher(/(^|[._])id$|_number$/);

/** Codes: even `00123`, `12.50` and `2026-11-02` are no numbers and no days in such a column. */
export const isCodeName = matcher(
  // Only as the last word (`reference_date` is a day). A column `reference` alone holds the figure compared with.
  /(^|[._])(sku|ean|gtin|isbn|barcode|codes?|numbers?|nr|no|phone|telephone|mobile|fax|zip|zipcode|postcode|postal|iban|ref|ledger)$|[._]reference$/i,
);

/** Averages and percentages: values of parts do not add up to the value of the whole. */
export const isOfParts = matcher(/average|percent/i);

/** Addresses of pages, and checksums. */
export const isLinkName = matcher(ending('url|uri|link|href|hash|checksum|uuid'));

/** Percentages, by the one word for them that the platform documents: no sum of them means anything. */
export const isPercentage = matcher(/percent/i);

/** Numbers of things: `order_count`, `quantity`. */
export const isCountName = matcher(ending('counts?|quantity'));

/** Also reads the titles of figures; in English and Dutch. */
export const isTurnoverName = matcher(/(^|[\s._])(turnover|omzet|revenue|sales|umsatz)/i);

/** Quantities, in English and Dutch. */
export const isQuantityName = matcher(ending('quantity|qty|units?|pieces|aantal|weight|amount'));

/** Amounts that say their side of VAT (docs/platform.md#money). */
export const isAmountName = matcher(/_(wt|ex)$/);

/** The column of a row's total with VAT, then possible names of the total without; none if several columns may be the total. */
export function totalsOfRow(columns: readonly string[]): string[] {
  const amounts = columns.filter((name) => name.endsWith('_wt') && !isPartOfTotal(name));
  const named = amounts.filter((name) => /total|amount/i.test(name));
  const [total, ...others] = amounts.length > 1 ? named : amounts;
  if (total === undefined || others.length > 0) return [];
  const name = total.slice(0, -3);
  return [total, name, `${name}_ex`];
}

const isPartOfTotal = matcher(/(^|_)(unit|price|discount|cost|margin|paid|open|vat|tax)(_|$)/i);

/** Amounts and quantities, which may have decimals (0.40) though every one that was seen is whole. */
export function isDecimalName(column: string): boolean {
  return isAmountName(column) || isQuantityName(column);
}

/** Ids, and lists of them, without the numbers that people read. */
export const isIdName = matcher(ending('ids?'));

/** Moments: `date_created`, `paid_at`. */
export const isMomentName = matcher(/^date_|_(date|at)$/);

/** Days, in English and Dutch. */
export const isDayName = matcher(ending('day|date|dag|datum'));

/** Numbers that are never money, however many decimals they have: ids, counts, shares, lengths of time. */
export function isNoAmount(column: string): boolean {
  return [isIdentifier, isCountName, isOtherUnit, isShare].some((matches) => matches(column));
}

/** Numbers in a report that describe it and are no figures of the business: ids, days, shares. */
export function isNoFigure(column: string): boolean {
  return isIdentifier(column) || moment.test(column) || isShare(column);
}

/** Columns that change while an order is handled: its stamp, status and amounts. */
export const isStateName = matcher(
  /(^|_)(updated|status|paid|totals?|discount|amount|wt|ex)(_|$)/i,
);

/** Columns that name their row or object. */
export const isNameColumn = matcher(/^(.+_)?(name|title|label)$/);

/** Columns of text, even where no row that was read has one. */
export function isTextName(column: string): boolean {
  return isNameColumn(fieldOf(column)) || isCodeName(column) || text.test(column);
}

/**
 * Names, addresses and other personal data of a customer, in English and Dutch. In doubt a column counts as personal;
 * ids do not.
 * @param isOfCustomer each row is of one customer, so that a plain `name` in it may be theirs
 */
export function isAboutCustomers(column: string, isOfCustomer = false): boolean {
  const words = column
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '_');
  // A customer's segment belongs to the toolset of customers, its id too.
  if (segment.test(words)) return true;
  // Counts, amounts and the address of a shop belong to the business.
  if (figureOrId.test(words) || place.test(words)) return false;
  return personal.test(words) || (isOfCustomer && /(^|[._])name$/.test(words));
}

const isOtherUnit = matcher(ending('stock|days|hours|year|start|limit'));
const isShare = matcher(/percent|(^|[._])((ratio|share)($|[._])|rate$)/i);
const moment = ending('from|to|date');

const text = ending(
  'firstname|lastname|description|text|notes?|remarks?|comments?|e?mail|street|city|country|salutation',
);
const segment = anyOf('segments?');
const place = anyOf('shop|location|branch|store|warehouse|account');
const figureOrId = /(^|[._])(counts?|total|wt|ex|quantity|amount|percent|ids?)_?$/;
const personal = anyOf(
  'customers?|client|relation|buyer|guest|debtor|member|person|recipient|addressee|consignee',
  'contact|company|organi[sz]ation|klant|relatie|ontvanger|bedrijf|contactpersoon',
  'address(es)?|street|housenumber|zip|zipcode|postcode|postal|city|town|phone|telephone|mobile',
  'fax|e?mail|e_mail|iban|birthday|birthdate|birth|gender|salutation|initials|firstname|lastname',
  'surname|fullname|adres|straat|huisnummer|plaats|telefoon|voornaam|achternaam',
  '(first|last|middle|family|given|full|billing|shipping|delivery|invoice|order)_name',
  'house_number|vat_number|coc_number',
);

function anyOf(...words: string[]): RegExp {
  return new RegExp(`(^|[._])(${words.join('|')})($|[._])`);
}

function ending(words: string): RegExp {
  return new RegExp(`(^|[._])(${words})$`, 'i');
}

function matcher(form: RegExp): (column: string) => boolean {
  return (column) => form.test(column);
}
