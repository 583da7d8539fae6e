/** What is said of failures and refusals: what happened, and what to do next by their kind. */
import { listNames } from '../../../analysis/reference/reference.ts';
import { sentences } from '../../../core/text.ts';
import { getMe } from '../../../endpoints/reference.ts';
import type { Reader, Texts } from './reader.ts';

export const failureTexts = {
  failed: ({ tool = '', reason, advice }, reader) => {
    // A reason that has a tool names it itself.
    const isNamed = tool === '' || 'tool' in reason;
    const what = reader.say(reason);
    return lines(isNamed ? what : `${tool}: ${what}`, ...advice.map(reader.say));
  },
  unexpected: ({ tool }) =>
    `${tool ? `${tool}: ` : ''}Something unexpected went wrong inside the server; nothing is known to be wrong with the question. Try once more; if it fails again, the server's log on stderr says why.`,
  correct_argument:
    'Correct the argument that the detail names; unchanged, it will be refused again.',
  known_values: ({ argument, values }) =>
    `Known values of ${argument}: ${values.join(', ')}; there may be more.`,
  key_revoked:
    'A fresh token was refused too: the API key was revoked or rolled. A person must issue a new key on the platform and put it in COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET; trying again will not help.',
  key_goes_into:
    'It goes into COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET. Trying again will not help.',
  no_token: (wait) =>
    `The account's authorization server did not give a token. ${sayWait(wait)} If it goes on, check COMMERCE_AUTH_URL; commerce-mcp doctor says what is wrong.`,
  not_found_here: ({ tool }) =>
    notFound[tool] ?? 'It does not exist on this account, or lies outside what this key may see.',
  budget_used_up: (wait) => `The rate budget of this key is used up for now. ${sayWait(wait)}`,
  try_again: sayWait,
  usually_passing: 'This is usually passing: try again in a little while, or for a shorter period.',
  wrong_address:
    'A typing error in the address (COMMERCE_BASE_URL, COMMERCE_AUTH_URL), or no network; commerce-mcp doctor says which.',
  untrusted_certificate:
    'This does not pass by itself. Where a company has a certificate authority of its own (a proxy that opens TLS has one too), NODE_EXTRA_CA_CERTS names the file with its certificate; a certificate that has expired, or is for another name, has to be renewed by whoever runs that address.',
  check_proxy:
    'HTTPS_PROXY (or HTTP_PROXY) names the proxy, NO_PROXY the names that are reached without it; whoever runs the proxy may have to let this address through.',
  answered_oddly: 'The platform, or something in front of it, answered oddly. Try once more.',
  ask_for_less: 'Ask for less at once: a shorter period, one shop or location, a smaller limit.',
  inner_id: ({ id, title, shopProductId }) =>
    `${id} is the inner id of "${title}": its shop_product_id is ${shopProductId}.`,
  lacks_capability: ({ lacking, sentence }, { hasTool }) =>
    sentences(
      lacking.length > 0
        ? `This key lacks ${lacking.join(', ')}.`
        : `It needs the capability ${sentence}.`,
      hasTool(getMe.tool) && 'get_me shows what it holds;',
      'an administrator can widen the role.',
    ),
  sees_nothing: ({ refusal }, { say }) =>
    `This key may see nothing here; an administrator gives it a role. (${say(refusal)})`,
  see_role: (_, reader) => sayRole(reader),
  name_location: ({ locations, count = 0 }, reader) => {
    if (locations === undefined)
      return lines(sayRole(reader), 'Name one location, as location_id.');
    if (locations.length === 0)
      return lines(sayRole(reader), 'This key may see no location at all.');
    return lines(
      `This key sees ${count} of the company's locations: no figure of the whole company can be had with it. Name one location: location_id may be ${listNames(locations, count)}.`,
      sayRole(reader),
    );
  },
} satisfies Partial<Texts>;

const noOrder =
  'It does not exist on this account, or lies outside the locations of this key. An order_number is not an order id: give it as order_number.';

const notFound: Readonly<Record<string, string>> = {
  get_order: noOrder,
  list_order_items: noOrder,
  get_customer: 'A customer id is the relation_data_id of orders; search_customers finds it.',
  get_product:
    'get_product takes the shop_product_id, not the inner id; search_products shows both.',
};

function sayWait({ retryAfterMs }: { retryAfterMs?: number | undefined }): string {
  if (retryAfterMs === undefined) return 'Try again in a minute.';
  return retryAfterMs > 600_000
    ? `Try again in ${Math.ceil(retryAfterMs / 60_000)} minutes.`
    : `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`;
}

function sayRole({ hasTool }: Reader): string {
  return hasTool(getMe.tool) ? 'get_me shows the role and the locations it is bound to.' : '';
}

function lines(...texts: readonly string[]): string {
  return texts.filter((line) => line !== '').join('\n');
}
