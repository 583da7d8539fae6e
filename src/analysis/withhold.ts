import { isRecord, type JsonObject } from '../core/json.ts';
import type { Toolset } from '../endpoints/define.ts';
import type { Fence } from './fence.ts';
import type { Row } from './rows/rows.ts';

/** What is left of an answer for a caller, and what was left out of it. */
export interface Withheld {
  payload: JsonObject;
  rows?: readonly Row[];
  /** Columns by their dotted names, with the toolset that each belongs to. */
  leftOut: ReadonlyMap<string, Toolset>;
}

/** Leaves out what belongs to toolsets that the caller lacks, in rows and in single objects alike. */
export function withhold(
  fence: Fence,
  source: RowSource,
  { payload, rows }: { payload: JsonObject; rows?: readonly Row[] },
): Withheld {
  const verdicts = new Map<string, Toolset | undefined>();
  const leftOut = new Map<string, Toolset>();

  /** The toolset that a column needs and the caller lacks. */
  function missing(path: string): Toolset | undefined {
    if (!verdicts.has(path)) verdicts.set(path, missingToolset(fence, source, path));
    return verdicts.get(path);
  }

  function without(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item) => without(item, path));
    return isRecord(value) ? within(value, path) : value;
  }

  function within(record: JsonObject, prefix: string): JsonObject {
    const left: [string, unknown][] = [];
    for (const [name, value] of Object.entries(record)) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      const toolset = missing(path);
      if (toolset === undefined) left.push([name, without(value, path)]);
      else leftOut.set(path, toolset);
    }
    return Object.fromEntries(left);
  }

  const open = { payload, ...(rows && { rows }), leftOut };
  if (mayHaveAll(fence, source)) return open;
  return {
    payload: within(payload, ''),
    ...(rows && { rows: rows.map((row) => within(row, '')) }),
    leftOut,
  };
}

/** The toolset without which a caller does not see a column; undefined where they see it. */
export function missingToolset(fence: Fence, source: RowSource, path: string): Toolset | undefined {
  const toolset = toolsetOfColumn(path.replace(/^data\./, ''), source);
  // The rows' own toolset was decided when the tool was found.
  return toolset === source.toolset || fence.has(toolset) ? undefined : toolset;
}

/** What an answer says about what it lacks: nothing where it lacks nothing. */
export function sayLeftOut(leftOut: Withheld['leftOut']): string[] {
  if (leftOut.size === 0) return [];
  const names = [...leftOut.keys()];
  const shown = names.slice(0, maxNamed).join(', ');
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const toolsets = [...new Set(leftOut.values())].join(', ');
  return [
    `Left out, as they belong to the toolset ${toolsets}, which is not open here: ${shown}${more}.`,
  ];
}

const maxNamed = 12;

/** Most callers have everything: then no row is copied. */
function mayHaveAll(fence: Fence, { toolset }: RowSource): boolean {
  return fence.has('customers') || toolset === 'customers' || toolset === 'reference';
}

/** Where a row comes from: an endpoint, or a tool of ours. */
export interface RowSource {
  toolset: Toolset;
  /** Each row is of one customer, so that a plain `name` in it may be theirs. */
  isOfCustomer?: boolean | undefined;
}

/**
 * Which toolset the columns of an answer belong to: in this one place. Most field names are not
 * documented (docs/platform.md#what-is-not-documented), so a column is judged by the words of its name, wherever it stands, and what might be
 * about a customer is taken to be. Ids stay with the row that carries them: they say nobody's name.
 */
function toolsetOfColumn(path: string, { toolset, isOfCustomer = false }: RowSource): Toolset {
  if (toolset === 'customers' || toolset === 'reference') return toolset;
  const steps = path.split('.').map(wordsOf);
  const last = steps.at(-1) ?? [];
  // A customer's segment is what the toolset is about, be it an id.
  if (steps.some((words) => words.some((word) => segments.has(word)))) return 'customers';
  if (isFigure(last) || last.at(-1) === 'id' || last.at(-1) === 'ids') return toolset;
  // The address of a shop is the business's own.
  if (steps.some((words) => words.some((word) => places.has(word)))) return toolset;
  const isPersonal =
    steps.some((words) => words.some((word) => subjects.has(word) || contact.has(word))) ||
    steps.some((words) => pairs.has(words.slice(-2).join(' '))) ||
    (isOfCustomer && last.at(-1) === 'name');
  return isPersonal ? 'customers' : toolset;
}

const segments = new Set(['segment', 'segments']);

const places = new Set(['shop', 'location', 'branch', 'store', 'warehouse', 'account']);

/** Who is meant. */
const subjects = new Set([
  ...[
    'customer',
    'customers',
    'client',
    'relation',
    'buyer',
    'guest',
    'debtor',
    'member',
    'person',
  ],
  ...['recipient', 'addressee', 'consignee', 'contact', 'company', 'organisation', 'organization'],
  ...['klant', 'relatie', 'ontvanger', 'bedrijf', 'contactpersoon'],
]);

/** How they are reached, and what tells who they are. */
const contact = new Set([
  ...['address', 'addresses', 'street', 'housenumber', 'zip', 'zipcode', 'postcode', 'postal'],
  ...['city', 'town', 'phone', 'telephone', 'mobile', 'fax', 'email', 'mail', 'iban', 'birthday'],
  ...['birthdate', 'birth', 'gender', 'salutation', 'initials', 'firstname', 'lastname', 'surname'],
  ...['fullname', 'adres', 'straat', 'huisnummer', 'plaats', 'telefoon', 'voornaam', 'achternaam'],
]);

const pairs = new Set([
  ...['first name', 'last name', 'middle name', 'family name', 'given name', 'full name'],
  ...['house number', 'e mail', 'vat number', 'coc number', 'billing name', 'shipping name'],
  ...['delivery name', 'invoice name', 'order name'],
]);

/** Counts and amounts are figures of the business, also where they count customers. */
function isFigure(words: readonly string[]): boolean {
  return figures.has(words.at(-1) ?? '');
}

const figures = new Set(['count', 'counts', 'total', 'wt', 'ex', 'quantity', 'amount', 'percent']);

/** `billing_address`, `billingAddress` and `Billing address` are the same two words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
