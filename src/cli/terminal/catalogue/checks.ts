/** What `doctor` says: what each check found, and what to do about it. */
import { join } from 'node:path';
import { listNames, type NamedId } from '../../../analysis/reference/reference.ts';
import type { DefinitionProblem } from '../../../analysis/tables/definitions.ts';
import type { BudgetStatus } from '../../../client/client.ts';
import { type Config, type ConfigProblem, problemLines } from '../../../config/config.ts';
import type { Message } from '../../../core/message.ts';
import { countNoun, quote } from '../../../core/text.ts';
import { ownCommand } from '../../program.ts';

/** A person at a terminal, told of any message in words. */
export interface PersonReader {
  say(message: Message | string): string;
}

interface MarkedFile {
  path: string;
  title: string;
  client: string;
  entry: string;
}

export const checkTexts = {
  start_ok: ({ command, tools }: { command: string; tools: number }) =>
    `${command} answers with ${tools} tools`,
  start_failed: ({ command, text }: { command: readonly string[]; text: string }) =>
    `${command.join(' ')}: ${text}`,
  file_has_mark: ({ path, title, client, entry }: MarkedFile) =>
    `${path} begins with a byte-order mark: ${title} reads nothing of it, and may write it anew without your servers. ${ownCommand()} connect ${client} --name ${entry} writes it without the mark.`,
  connect_again: ({ client, entry }: { client: string; entry: string }) =>
    `Was this program moved or not built? ${ownCommand()} connect ${client} --name ${entry} writes the entry again.`,

  configuration_wrong: ({ problems }: { problems: readonly ConfigProblem[] }) =>
    problemLines(problems).join('; '),
  configuration_ok: ({ baseUrl, authUrl, clientId, toolsets, isSandbox }: AccountShown) =>
    `${
      isSandbox
        ? 'the embedded sandbox; settings of a real account are set aside'
        : `API ${baseUrl}, authorization ${authUrl}, key ${clientId}…, secret given`
    }; toolsets ${toolsets.join(', ')}`,

  unknown_variable: ({ variable, nearest }: { variable: string; nearest: string | undefined }) =>
    `${variable} names no setting${nearest === undefined ? '.' : `: is it ${nearest}?`}`,

  served_to_this_machine: () => 'is served to this machine alone, without authentication',
  served_to_nobody: () => 'no caller has a token: each account is for its own client, over stdio',
  served_with_authentication: () => 'who calls has to show who they are',
  tokens_ended: ({ ended }: { ended: readonly string[] }) =>
    `tokens whose last day is past: ${ended.join(', ')}`,
  secret_readable: ({ path }: { path: string }) =>
    `Every user of this machine can read the secret in ${path}: take that from them (chmod o-r).`,
  tokens_of_no_account: ({ accounts }: { accounts: readonly string[] }) =>
    `tokens are of accounts that the file does not have: ${accounts.join(', ')}`,

  no_redis: () => 'none is configured: this process has the budget to itself',
  redis_answers: ({ host }: { host: string }) =>
    `${host} answers: replicas on this key share one budget`,
  redis_refuses: ({ host, refusal }: { host: string; refusal: string }) =>
    `${host} ${redisRefusals[refusal]} (${refusal})`,
  redis_silent: ({ host, error, text }: { host: string; error: string; text: string }) =>
    `${host} does not answer as a Redis${error && ` (${error})`}: ${quote(text, 160)}`,

  engine_answers: ({ version }: { version: unknown }) =>
    `DuckDB ${version} answers in a process of its own`,

  speaks_tls: ({ origin }: { origin: string }) =>
    `${origin} speaks https, and is asked over plain http`,
  tokens_come_from: ({ url }: { url: string }) => `tokens come from ${url}`,
  key_gives_token: ({ seconds }: { seconds: number }) =>
    `the key gives a token for ${seconds} s; it is renewed in time`,

  role_of_key: ({ role, account, capabilities }: Role) =>
    `role ${quote(role)} of account ${quote(account)}; capabilities: ${quote(capabilities.join(', ') || 'none', 300)}`,
  role_lacks: ({ missing, tools }: { missing: string; tools: readonly string[] }) =>
    `It lacks ${missing}, which ${tools.join(', ')} may need: an administrator can widen the role.`,
  role_sees_no_location: () =>
    'It may see no location, and so no report: an administrator can bind it to some.',
  reports_need_location: ({ locations }: { locations: readonly NamedId[] | undefined }) =>
    `Reports need location_id, one of the locations that the key is bound to${locations ? `: ${listNames(locations)}` : ''}.`,

  no_lines_kept: () => 'none are kept: COMMERCE_KEEP_DIR names no folder',
  keep_dir_is_new: ({ folder }: { folder: string }) =>
    `${folder} is not there yet; what is read makes it`,
  lines_in: ({ folder, kept }: { folder: string; kept: string }) =>
    `lines of ${kept}, in ${folder}`,

  lines_broken: ({ problems }: { problems: readonly string[] }) => problems.join('; '),

  sign_ins_forgotten: ({ host, wrong }: { host: string; wrong: readonly string[] }) =>
    `${host} keeps who is signed in and forgets it: ${wrong.join(', ')}`,
  sign_ins_unknown: ({ host, wanted }: { host: string; wanted: readonly string[] }) =>
    `${host} keeps who is signed in and does not tell its settings: it needs ${wanted.join(', ')}`,
  sign_in_off: () => 'nobody signs in: COMMERCE_SIGN_IN is not on',
  leads_here: ({ publicUrl }: { publicUrl: string }) => `${publicUrl} leads to this server`,
  leads_elsewhere: ({ url }: { url: string }) => `${url} is not answered as this server would`,

  no_clock: () => 'not known: the platform did not answer, or does not tell the time',
  clock_in_step: () => 'in step with the platform, within a minute',
  clock_differs: ({ skewSeconds }: { skewSeconds: number }) =>
    `this machine's clock is ${countNoun(Math.round(Math.abs(skewSeconds) / 60), 'minute')} ${skewSeconds > 0 ? 'behind' : 'ahead of'} the platform's`,

  budget_unknown: () => 'not known: the platform did not answer',
  no_budget_told: () =>
    'the platform reported none, so requests are paced carefully until an answer does',
  budget_left: ({ limit, remaining, windowSeconds, resetsInSeconds }: BudgetStatus) =>
    `${remaining} of ${limit} requests left in this window of ${windowSeconds} s; the next begins in ${resetsInSeconds} s`,

  no_drift: ({ endpoints }: { endpoints: number }) =>
    `openapi.json lists all that ${endpoints} endpoints ask for`,
  drift: ({ gone }: { gone: readonly string[] }) => `not listed any more: ${gone.join(', ')}`,
  drift_unknown: ({ reason }: { reason: Message }, { say }) =>
    `openapi.json could not be read, so nothing was compared: ${say(reason)}`,

  no_definitions: () => 'none are configured',
  definitions_unread: ({ folder }: { folder: string }) =>
    `${folder} is not read without the query engine`,
  definitions_work: ({ folder, names }: { folder: string; names: readonly string[] }) =>
    names.length === 0
      ? `${folder} holds no view and no table`
      : `${names.join(', ')} of ${folder} work`,
  definitions_broken: ({ folder, problems }: BrokenDefinitions, { say }) =>
    problems
      .map(({ file, line, reason }) => {
        const place = file === undefined ? [] : [join(folder, file), ...(line ? [line] : [])];
        return [...place, ` ${say(reason)}`].join(':').trim();
      })
      .join('\n'),

  remedy: ({ name }: { name: Remedy }) => remedies[name],

  // How it went
  checks_verdict: ({ failed, well, count }: { failed: number; well: number; count: number }) =>
    [
      well === count
        ? `All is well, of ${countNoun(count, 'check')}.`
        : `${well} of ${count} checks are well.`,
      ...(failed > 0 ? [`${failed} failed: begin with the first.`] : []),
    ].join(' '),
  account_verdict: ({ isWell }: { isWell: boolean }) => (isWell ? 'well' : 'failed'),
  accounts_verdict: ({ failed, count }: { failed: readonly string[]; count: number }) =>
    `${failed.length === 0 ? 'All is well' : `Failed: ${failed.join(', ')}`}, of ${countNoun(count, 'account')}.`,
} satisfies Readonly<Record<string, (parameters: never, reader: PersonReader) => string>>;

/** `clientId`: its beginning. */
interface AccountShown extends Pick<Config, 'baseUrl' | 'authUrl' | 'clientId' | 'toolsets'> {
  isSandbox: boolean;
}

interface Role {
  role: string;
  account: string;
  capabilities: readonly string[];
}

interface BrokenDefinitions {
  folder: string;
  problems: readonly DefinitionProblem[];
}

const redisRefusals: Readonly<Record<string, string>> = {
  WRONGPASS: 'answers, and refuses the user or the password',
  NOAUTH: 'answers, and asks for a password, of which there is none in the address',
  NOPERM: 'answers, and this user may not do what a shared budget needs',
};

const reach =
  'Check the address (COMMERCE_BASE_URL, COMMERCE_AUTH_URL): spelling, port, https or http; and that this machine reaches it in COMMERCE_TIMEOUT_SECONDS: network, VPN, firewall. Where a proxy has to be passed, HTTPS_PROXY names it.';

const authorization =
  "Check COMMERCE_AUTH_URL: it has to be the account's own authorization server, which is not the address of the API.";

const api = 'Check COMMERCE_BASE_URL: it has to be the platform API.';

/** What to do about a check that failed: by the code of its error where that says it better, else by its name. */
export type Remedy = keyof typeof remedies;

export const remedies = {
  // By the error
  key_refused:
    'Check COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET: copied whole, without quotation marks or spaces, belonging together, of the account that COMMERCE_AUTH_URL names. If they are right the key was revoked or rolled: ask an account administrator for a new API key.',
  unauthorized:
    'The token was minted and yet refused: the key may just have been revoked, or COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts or environments.',
  forbidden: 'Ask an account administrator what the role of this API key may see.',
  rate_limited:
    'Wait as long as that and run it again. Does another integration use this key? One key serves one integration.',
  unreachable: reach,
  timeout: reach,
  redirected: 'Configure the address that it redirects to, if that is it.',
  upstream_failed: 'The platform has trouble: run this again in a few minutes.',

  // By the check
  configuration: `Set them in the environment; for a client, ${ownCommand()} connect asks for them and writes its entry. No account yet? Try ${ownCommand()} demo, or add --sandbox.`,
  http: 'http does not start with these settings; all other commands do. With a service, run this with its own settings (docs/deploy.md#as-a-service-systemd).',
  redis:
    'Check COMMERCE_REDIS_URL: host, port, user and password, and rediss:// where it speaks TLS. Until then each replica goes on with a share of the budget.',
  'query engine':
    'Install the package again on this machine, with its optional parts: its native part has to be of this system. Until then query fails and everything else works.',
  discovery: authorization,
  exchange: authorization,
  'role and capabilities': api,
  'order lines':
    'COMMERCE_KEEP_DIR has to be a folder of the user that runs this (mode 700). Until then no lines are kept, and everything else works.',
  'signing in':
    'Clients have to reach this server at COMMERCE_PUBLIC_URL (name, certificate, proxy), and it has to write to COMMERCE_SIGN_IN_DIR, or to a Redis with `appendonly yes` that evicts only what expires. Until then nobody can sign in or people sign in again, and everything else works.',
  'clock skew': 'today, yesterday and as_of follow this clock: set it from the network (NTP).',
  'rate budget': api,
  drift: 'Look for a newer version of commerce-mcp; until then, do without what is gone.',
  definitions: 'Mend what is named; all other definitions work.',

  // By what was found
  idle_tokens:
    'http starts all the same, and these tokens open nothing: add the account to its file, or write a new entry (commerce-mcp token new NAME).',
  drift_of_parameters: 'The platform may pass over what it does not list: check its figures.',
  drift_unknown: 'Nothing breaks: the documented parameters serve.',
  no_definitions: 'Views go to views/NAME.sql in it, tables to tables/NAME.csv.',
};
