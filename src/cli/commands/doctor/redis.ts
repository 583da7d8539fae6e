import { quote } from '../../../core/text.ts';
import type { Finding } from './check.ts';

/** The finding about the Redis of a fleet: `answer` is what went wrong when it was asked, if anything. */
export function judgeRedis(url: string | undefined, answer: unknown): Finding {
  if (url === undefined)
    return { verdict: 'ok', detail: 'none is configured: this process has the budget to itself' };
  const { host, protocol } = new URL(url);
  const place = `COMMERCE_REDIS_URL (${protocol}//${host})`;
  if (!(answer instanceof Error))
    return { verdict: 'ok', detail: `${host} answers: replicas on this key share one budget` };
  const code = 'code' in answer && typeof answer.code === 'string' ? answer.code : '';
  const said = `${code} ${answer.message}`.trim();
  const [detail, remedy] = explain(said, { place, isEncrypted: protocol === 'rediss:' });
  return {
    verdict: 'failed',
    detail: `${host}: ${detail} (${quote(said, 120)})`,
    remedy: `${remedy} Until then each replica goes on with a share of the budget.`,
  };
}

/** The password within an address, which no finding may show. */
export function passwordOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : decodeURIComponent(new URL(url).password) || undefined;
}

function explain(
  said: string,
  { place, isEncrypted }: { place: string; isEncrypted: boolean },
): [detail: string, remedy: string] {
  if (/NOAUTH|WRONGPASS|AUTH|NOPERM/.test(said))
    return ['it asks for another password', `Check user and password in ${place}.`];
  if (/WRONG_VERSION|wrong version|EPROTO|packet length/i.test(said))
    return [
      'it does not speak TLS on this port',
      `Check ${place}: redis:// without TLS, or its TLS port.`,
    ];
  if (/CERT|SELF_SIGNED|UNABLE_TO|altnames/i.test(said))
    return ['its certificate is not trusted here', 'Name its authority in NODE_EXTRA_CA_CERTS.'];
  if (/Protocol error|RESP type/i.test(said))
    return ['what answers is no Redis', `Check host and port in ${place}.`];
  if (/ENOTFOUND|EAI_AGAIN/.test(said))
    return ['the name cannot be resolved', `Check ${place} for typing errors.`];
  if (/ECONNREFUSED/.test(said))
    return ['nothing answers', `Start it, or check host and port in ${place}.`];
  if (/LOADING|MASTERDOWN|READONLY|CLUSTERDOWN/.test(said))
    return [
      'it does not take commands just now',
      'Wait until it is ready; a replica cannot be written to.',
    ];
  const hint = isEncrypted ? '' : ' If it speaks TLS there, write rediss://.';
  return ['it closes the connection or says nothing', `Check ${place} and the firewall.${hint}`];
}
