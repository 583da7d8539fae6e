import { isRecord, type JsonObject } from '../core/json.ts';
import { listFirst } from '../core/text.ts';
import type { Warning } from '../core/warning.ts';
import type { Toolset } from '../endpoints/define.ts';
import type { Row } from './rows/rows.ts';

/** What a caller may have. A toolset is a fence: whatever is not in here is refused. */
export type Fence = ReadonlySet<Toolset>;

/** Where a row comes from: an endpoint, or an analysis. */
export interface RowSource {
  toolset: Toolset;
  /** Each row is of one customer, so that a plain `name` in it may be theirs. */
  isOfCustomer?: boolean | undefined;
}

/** Leaves out what belongs to toolsets that the caller lacks; `leftOut` is what an answer says about that. */
export function withhold(
  fence: Fence,
  source: RowSource,
  { payload, rows }: { payload: JsonObject; rows?: readonly Row[] },
): { payload: JsonObject; rows?: readonly Row[]; leftOut: readonly Warning[] } {
  if (seesAll(fence, source)) return { payload, ...(rows && { rows }), leftOut: [] };
  const withheld = new Map<string, boolean>();
  const isOut = (path: string) => {
    const known = withheld.get(path) ?? isWithheld(fence, source, path);
    withheld.set(path, known);
    return known;
  };
  const open = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => open(item, path));
    return isRecord(value) ? openFields(value, `${path}.`) : value;
  };
  const openFields = (record: JsonObject, prefix = ''): JsonObject => {
    const left = Object.entries(record).filter(([name]) => !isOut(prefix + name));
    return Object.fromEntries(left.map(([name, value]) => [name, open(value, prefix + name)]));
  };
  const seen = openFields(payload);
  const left = rows?.map((row) => openFields(row));
  const names = [...withheld.keys()].filter(isOut);
  const text = `Left out, as they belong to the toolset customers, which is not open here: ${listFirst(names, 12)}.`;
  return {
    payload: seen,
    ...(left && { rows: left }),
    leftOut: names.length > 0 ? [{ code: 'not_open', text }] : [],
  };
}

/** Whether a caller does not see a column: what is about customers belongs to their toolset. */
export function isWithheld(fence: Fence, source: RowSource, path: string): boolean {
  return !seesAll(fence, source) && isAboutCustomers(path.replace(/^data\./, ''), source);
}

/** Whether nothing is withheld: the rows' own toolset was decided when the tool was found. */
function seesAll(fence: Fence, { toolset }: RowSource): boolean {
  return fence.has('customers') || toolset === 'customers' || toolset === 'reference';
}

/**
 * Whether a column is about a customer. Most field names are not documented
 * (docs/platform.md#what-is-not-documented), so it is judged by the words of its dotted name, and what
 * might be about a customer is taken to be. Ids stay with the row that carries them.
 */
function isAboutCustomers(path: string, { isOfCustomer = false }: RowSource): boolean {
  const words = path
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '_');
  // A customer's segment is what the toolset is about, be it an id.
  if (segments.test(words)) return true;
  // Counts and amounts are figures of the business, and so is the address of a shop.
  if (figureOrId.test(words) || places.test(words)) return false;
  return personal.test(words) || (isOfCustomer && /(^|[._])name$/.test(words));
}

const segments = anyOf('segments?');
const places = anyOf('shop|location|branch|store|warehouse|account');
const figureOrId = /(^|[._])(counts?|total|wt|ex|quantity|amount|percent|ids?)_?$/;

/** Who is meant, how they are reached and what tells who they are, in English and Dutch. */
const personal = anyOf(
  'customers?|client|relation|buyer|guest|debtor|member|person|recipient|addressee|consignee',
  'contact|company|organi[sz]ation|klant|relatie|ontvanger|bedrijf|contactpersoon',
  'address(es)?|street|housenumber|zip|zipcode|postcode|postal|city|town|phone|telephone|mobile',
  'fax|e?mail|e_mail|iban|birthday|birthdate|birth|gender|salutation|initials|firstname|lastname',
  'surname|fullname|adres|straat|huisnummer|plaats|telefoon|voornaam|achternaam',
  '(first|last|middle|family|given|full|billing|shipping|delivery|invoice|order)_name',
  'house_number|vat_number|coc_number',
);

/** Finds any of the words in a dotted name whose words are parted by `_`. */
function anyOf(...words: string[]): RegExp {
  return new RegExp(`(^|[._])(${words.join('|')})($|[._])`);
}
