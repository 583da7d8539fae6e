import type { Toolset } from './define.ts';

/** Where a row comes from: an endpoint, or a tool of ours. */
export interface RowSource {
  toolset: Toolset;
  /** Each row is of one customer, so that a plain `name` in it may be theirs. */
  isOfCustomer?: boolean | undefined;
}

/**
 * Which toolset the columns of an answer belong to: in this one place. Section 2 leaves most field
 * names open, so a column is judged by the words of its name, wherever it stands, and what might be
 * about a customer is taken to be. Ids stay with the row that carries them: they say nobody's name.
 */
export function toolsetOfColumn(
  path: string,
  { toolset, isOfCustomer = false }: RowSource,
): Toolset {
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
