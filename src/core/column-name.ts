/**
 * What the name of a column or a field says of its values. Most names are not documented
 * (docs/platform.md#what-is-not-documented): these are claims by the usual words, dotted names included.
 */
import { neutralise } from './text.ts';

/**
 * Whether a name can be shown and typed: no character in it acts or hides, and it has 200 at most. Others are left
 * out of what is said of tables.
 */
export function isTypeableName(name: string): boolean {
  const isShort = name.length <= 200 && name.trim() !== '';
  return isShort && isSqlName(name) && neutralise(name) === name;
}

/** Whether SQL can write a name: there it ends at a NUL, and none is empty, nor a step of a dotted one (`.x`). */
export function isSqlName(name: string): boolean {
  return !name.includes('\u0000') && !name.split('.').includes('');
}

/** With more steps, a dotted name is a column's own. */
const maxSteps = 10;

/** Tells which dotted names are fields of an object: those whose object is no column itself, case ignored. */
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

/** Columns whose names have dots as the objects that SQL reaches by these names. No column takes another's place. */
export function nest<Value>(
  columns: Readonly<Record<string, Value>>,
  isNested = nestedNames(Object.keys(columns)),
): Nested<Value> {
  // Whatever name a platform gives, `__proto__` too, is a name and nothing else.
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
    // An object may be null beside its fields.
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

/** Values name something, whatever they look like: `00123`, `12.50` and `2026-11-02` are no numbers and no days there. */
export const isCodeName = matcher(
  // As the last word: the number of something, or the date of a reference, is none; `reference` alone is what a figure
  // is compared with.
  /(^|[._])(sku|ean|gtin|isbn|barcode|codes?|numbers?|nr|no|phone|telephone|mobile|fax|zip|zipcode|postcode|postal|iban|ref|ledger)$|[._]reference$/i,
);

/** Figures of parts that are no part of the whole's: averages and percentages. */
export const isOfParts = matcher(/average|percent/i);

/** Addresses of pages, and checksums. */
export const isLinkName = matcher(ending('url|uri|link|href|hash|checksum|uuid'));

/** Percentages, by the one word for them that the platform documents: no sum of them means anything. */
export const isPercentage = matcher(/percent/i);

/** Numbers of things: `order_count`, `quantity`. */
export const isCountName = matcher(ending('counts?|quantity'));

/** Turnover, as a column or the title of a figure names it, in English and Dutch. */
export const isTurnoverName = matcher(/(^|[\s._])(turnover|omzet|revenue|sales|umsatz)/i);

/** Quantities, in English and Dutch. */
export const isQuantityName = matcher(ending('quantity|qty|units?|pieces|aantal|weight|amount'));

/** Amounts that say their side of VAT (docs/platform.md#money). */
export const isAmountName = matcher(/_(wt|ex)$/);

/** What each row comes to: incl. VAT, and as it is named on the other side; none where no column is clearly that. */
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

/** Numbers that are no amounts of money, however many decimals they have: ids, counts, shares, lengths of time. */
export function isNoAmount(column: string): boolean {
  return [isIdentifier, isCountName, isOtherUnit, isShare].some((it) => it(column));
}

/** Numbers in a report that describe it and are no figures of the business: ids, days, shares. */
export function isNoFigure(column: string): boolean {
  return isIdentifier(column) || moment.test(column) || isShare(column);
}

/** What changes with the state of an order: its stamp, status and amounts. */
export const isOfState = matcher(/(^|_)(updated|status|paid|totals?|discount|amount|wt|ex)(_|$)/i);

/** The name of what a row or an object is about. */
export const isNameColumn = matcher(/^(.+_)?(name|title|label)$/);

/** Texts for people, be there none in any row that was seen. */
export function isTextName(column: string): boolean {
  return isNameColumn(fieldOf(column)) || isCodeName(column) || text.test(column);
}

/**
 * About a customer: who is meant, how they are reached and what tells who they are, in English and Dutch.
 * What might be is taken to be; ids stay with the row that carries them.
 *
 * @param isOfCustomer each row is of one customer, so that a plain `name` in it may be theirs
 */
export function isAboutCustomers(column: string, isOfCustomer = false): boolean {
  const words = column
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '_');
  // A customer's segment is what the toolset is about, be it an id.
  if (segment.test(words)) return true;
  // Counts and amounts are figures of the business, and so is the address of a shop.
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
