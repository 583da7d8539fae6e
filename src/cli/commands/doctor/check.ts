import { connectionAdvice } from '../../../analysis/errors/advice.ts';
import type { Client, ExchangeCheck } from '../../../client/client.ts';
import { clientMessages } from '../../../client/messages.ts';
import { type Config, type Setting, settings } from '../../../config/config.ts';
import { CommerceError, type ErrorCode, reasonIn } from '../../../core/errors.ts';
import { isMessageOf } from '../../../core/message.ts';
import type { AccountDirectory } from '../../../mcp/app/accounts.ts';
import type { App } from '../../../mcp/app/app.ts';

export interface Check {
  name: string;
  /** A `note` leaves everything working. */
  verdict: 'ok' | 'note' | 'FAILED';
  detail: string;
  remedy?: string | undefined;
  code?: ErrorCode | undefined;
}

export interface CheckedAccount {
  config: Config;
  app: App;
  client: Client;
  /** Set by the check of the token exchange. */
  exchanged?: ExchangeCheck;
  /** Undefined without a file of accounts. */
  directory: Pick<AccountDirectory, 'list'> | undefined;
}

export type Finding = Omit<Check, 'name' | 'code'>;

/** A check. It fails if `run` throws. */
export interface CheckDefinition {
  /** Advice if neither the finding nor the error gives any. */
  remedy?: string;
  /** Whether later checks need it: none runs after its failure. */
  isEssential?: true;
  run(subject: CheckedAccount): Promise<Finding> | Finding;
}

export function ok(detail: string): Finding {
  return { verdict: 'ok', detail };
}

export function note(detail: string, ...remedies: readonly string[]): Finding {
  return { verdict: 'note', detail, ...(remedies.length > 0 && { remedy: remedies.join(' ') }) };
}

export function failed(detail: string): Finding {
  return { verdict: 'FAILED', detail };
}

const reach =
  'Check the address (COMMERCE_BASE_URL, COMMERCE_AUTH_URL): spelling, port, https or http; and that this machine reaches it in COMMERCE_TIMEOUT_SECONDS: network, VPN, firewall. If a proxy is needed, name it in HTTPS_PROXY.';

const remedies: Partial<Record<ErrorCode, string>> = {
  key_refused:
    'Check COMMERCE_CLIENT_ID and COMMERCE_CLIENT_SECRET: copied whole, without quotation marks or spaces, belonging together, of the account that COMMERCE_AUTH_URL names. If they are right the key was revoked or rolled: ask an account administrator for a new API key.',
  unauthorized:
    'The token was minted and yet refused: the key may just have been revoked, or COMMERCE_BASE_URL and COMMERCE_AUTH_URL name different accounts or environments.',
  forbidden: 'Ask an account administrator what the role of this API key may see.',
  rate_limited:
    'Wait as long as the detail says, and run doctor again. Does another integration use this key? One key serves one integration.',
  unreachable: reach,
  timeout: reach,
  redirected: 'If the address that it redirects to is right, configure that one.',
  upstream_failed: 'The platform has trouble: run this again in a few minutes.',
};

export async function runCheck(
  name: string,
  { remedy, run }: CheckDefinition,
  subject: CheckedAccount,
): Promise<Check> {
  try {
    const finding = await run(subject);
    return { name, ...(finding.verdict !== 'ok' && { remedy }), ...finding };
  } catch (error) {
    const code = error instanceof CommerceError ? error.code : undefined;
    const advice = adviceOn(error) ?? (code && remedies[code]) ?? remedy;
    return { name, ...failed(reasonIn(error).text), remedy: advice, code };
  }
}

/** Advice on a connection that fails until somebody changes something. */
function adviceOn(error: unknown): string | undefined {
  const reason = reasonIn(error);
  const isKnown = isMessageOf(clientMessages, reason) && reason.code === 'not_connected';
  const fault = isKnown ? reason.fault : undefined;
  if (fault !== 'certificate' && fault !== 'proxy') return undefined;
  return connectionAdvice[fault];
}

/** The setting that a failed check blames, if any. */
export function settingAtFault(checks: readonly Check[]): Setting | undefined {
  const keys = checks.map((check) => (check.verdict === 'FAILED' ? keyAtFault(check) : undefined));
  return settings.find(({ key }) => keys.some((each) => each === key));
}

function keyAtFault({ name, code }: Check): keyof Config | undefined {
  if (code === 'key_refused') return 'clientSecret';
  if (name === 'discovery' || name === 'exchange') return 'authUrl';
  const isOfAddress = /^(unreachable|not_found|malformed_answer|redirected)$/.test(code ?? '');
  return name === 'role and capabilities' && isOfAddress ? 'baseUrl' : undefined;
}
