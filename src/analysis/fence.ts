import { isRecord, type JsonObject } from '../core/json.ts';
import type { Toolset } from '../endpoints/define.ts';
import type { Row } from './rows/rows.ts';

/** What a caller may have. A toolset is a fence: whatever is not in here is refused. */
export type Fence = ReadonlySet<Toolset>;

/** What is left of an answer for a caller, and what was left out of it. */
export interface Withheld {
  payload: JsonObject;
  rows?: readonly Row[];
  /** What the answer says about it; nothing where it lacks nothing. */
  leftOut: readonly string[];
}

/** Leaves out what belongs to toolsets that the caller lacks, in rows and in single objects alike. */
export function withhold(
  fence: Fence,
  source: RowSource,
  { payload, rows }: { payload: JsonObject; rows?: readonly Row[] },
): Withheld {
  const leftOut = new Map<string, Toolset>();
  const verdicts = new Map<string, Toolset | undefined>();

  function without(value: unknown, path: string): unknown {
    if (Array.isArray(value)) return value.map((item) => without(item, path));
    return isRecord(value) ? within(value, path) : value;
  }

  function within(record: JsonObject, prefix: string): JsonObject {
    const left: [string, unknown][] = [];
    for (const [name, value] of Object.entries(record)) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      if (!verdicts.has(path)) verdicts.set(path, missingToolset(fence, source, path));
      const missing = verdicts.get(path);
      if (missing === undefined) left.push([name, without(value, path)]);
      else leftOut.set(path, missing);
    }
    return Object.fromEntries(left);
  }

  const seen = rows?.map((row) => within(row, ''));
  return {
    payload: within(payload, ''),
    ...(seen && { rows: seen }),
    leftOut: sayLeftOut(leftOut),
  };
}

/** The toolset without which a caller does not see a column; undefined where they see it. */
export function missingToolset(fence: Fence, source: RowSource, path: string): Toolset | undefined {
  const toolset = toolsetOfColumn(path.replace(/^data\./, ''), source);
  // The rows' own toolset was decided when the tool was found.
  return toolset === source.toolset || fence.has(toolset) ? undefined : toolset;
}

function sayLeftOut(leftOut: ReadonlyMap<string, Toolset>): string[] {
  if (leftOut.size === 0) return [];
  const names = [...leftOut.keys()];
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const toolsets = [...new Set(leftOut.values())].join(', ');
  return [
    `Left out, as they belong to the toolset ${toolsets}, which is not open here: ${names.slice(0, maxNamed).join(', ')}${more}.`,
  ];
}

const maxNamed = 12;

/** Where a row comes from: an endpoint, or an analysis. */
export interface RowSource {
  toolset: Toolset;
  /** Each row is of one customer, so that a plain `name` in it may be theirs. */
  isOfCustomer?: boolean | undefined;
}

/**
 * Which toolset a column belongs to. Most field names are not documented
 * (docs/platform.md#what-is-not-documented), so a column is judged by the words of its dotted name, and
 * what might be about a customer is taken to be. Ids stay with the row that carries them.
 */
function toolsetOfColumn(path: string, { toolset, isOfCustomer = false }: RowSource): Toolset {
  if (toolset === 'customers' || toolset === 'reference') return toolset;
  const steps = path.split('.').map(wordsOf);
  const last = steps.at(-1)?.at(-1) ?? '';
  const names = (words: ReadonlySet<string>) =>
    steps.some((step) => step.some((it) => words.has(it)));
  // A customer's segment is what the toolset is about, be it an id.
  if (names(segments)) return 'customers';
  // Counts and amounts are figures of the business, and so is the address of a shop.
  if (figuresAndIds.has(last) || names(places)) return toolset;
  const isPersonal =
    names(subjects) ||
    names(contact) ||
    steps.some((step) => pairs.has(step.slice(-2).join(' '))) ||
    (isOfCustomer && last === 'name');
  return isPersonal ? 'customers' : toolset;
}

const segments = wordSet('segment segments');
const places = wordSet('shop location branch store warehouse account');
const figuresAndIds = wordSet('count counts total wt ex quantity amount percent id ids');

/** Who is meant, in English and Dutch. */
const subjects = wordSet(
  'customer customers client relation buyer guest debtor member person recipient addressee consignee',
  'contact company organisation organization klant relatie ontvanger bedrijf contactpersoon',
);

/** How they are reached, and what tells who they are. */
const contact = wordSet(
  'address addresses street housenumber zip zipcode postcode postal city town phone telephone mobile',
  'fax email mail iban birthday birthdate birth gender salutation initials firstname lastname surname',
  'fullname adres straat huisnummer plaats telefoon voornaam achternaam',
);

const pairs: ReadonlySet<string> = new Set([
  ...['first name', 'last name', 'middle name', 'family name', 'given name', 'full name'],
  ...['house number', 'e mail', 'vat number', 'coc number', 'billing name', 'shipping name'],
  ...['delivery name', 'invoice name', 'order name'],
]);

function wordSet(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}

/** `billing_address`, `billingAddress` and `Billing address` are the same two words. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
