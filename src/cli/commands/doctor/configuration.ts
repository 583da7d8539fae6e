import { type Config, listSettings } from '../../../config.ts';
import { nearest } from '../../../core/nearest.ts';
import { toolsets as all } from '../../../endpoints/define.ts';
import { tokenVariable } from '../connect/clients.ts';
import type { Finding } from './report.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The finding about a configuration that can be used. */
export function judgeConfiguration(
  { baseUrl, authUrl, clientId, clientSecret, toolsets }: Config,
  { env, isSandbox }: { env: Environment; isSandbox: boolean },
): Finding {
  const account = isSandbox
    ? 'the embedded sandbox; settings of a real account are set aside'
    : `API ${baseUrl}, authorization ${authUrl}, key ${maskId(clientId)}, secret given`;
  const doubts = [
    ...(isSandbox ? [] : doubtfulValue('COMMERCE_CLIENT_ID', clientId)),
    ...(isSandbox ? [] : doubtfulValue('COMMERCE_CLIENT_SECRET', clientSecret)),
    ...unknownVariables(env),
  ];
  return {
    verdict: doubts.length > 0 ? 'warning' : 'ok',
    detail: `${account}; ${toolsets.length === all.length ? 'all toolsets' : `toolsets ${toolsets.join(', ')}`}`,
    remedy: doubts.join(' ') || undefined,
  };
}

/** What often goes wrong when a value is pasted. The value itself is not shown. */
export function doubtfulValue(variable: string, value: string): string[] {
  if (/^(["']).*\1$/.test(value))
    return [`${variable} is in quotation marks, which count as part of it: remove them.`];
  if (/^(<.*>|\$\{.*\}|your\b.*|xxx+)$/i.test(value))
    return [`${variable} looks like a placeholder: put the real value there.`];
  if (/\s/.test(value))
    return [`${variable} has a space or line break in it: was it copied whole, and alone?`];
  return [];
}

/** Variables that begin like settings and are none: a typing error would otherwise pass unseen. */
export function unknownVariables(env: Environment): string[] {
  const known = listSettings().flatMap(({ setting: { variable, fromFile } }): string[] => [
    variable,
    ...(fromFile ? [`${variable}_FILE`] : []),
  ]);
  return Object.keys(env)
    .filter((name) => name.startsWith('COMMERCE_') && ![...known, tokenVariable].includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return `There is no setting ${name}${meant ? `: did you mean ${meant}?` : '.'}`;
    });
}

/**
 * A client id that can be recognised and not copied: up to the beginning of the key's own id
 * (docs/platform.md#api-keys). A value of another form, perhaps a secret, shows less.
 */
export function maskId(clientId: string): string {
  const dot = clientId.indexOf('.');
  const shown = dot < 0 ? Math.min(2, Math.floor(clientId.length / 4)) : dot + 3;
  return `${clientId.slice(0, shown)}…`;
}
