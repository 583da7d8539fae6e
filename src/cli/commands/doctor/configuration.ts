import { type Config, type ConfigError, listSettings } from '../../../config.ts';
import { nearest } from '../../../core/nearest.ts';
import { toolsets as all } from '../../../endpoints/define.ts';
import type { AccountLine } from '../../command-line.ts';
import { ownCommand } from '../../program.ts';
import { tokenVariable } from '../connect/clients.ts';
import type { Finding } from './report.ts';

/** The finding about a configuration that can be used. */
export function judgeConfiguration(
  { baseUrl, authUrl, clientId, clientSecret, toolsets }: Config,
  { env, switches }: AccountLine,
): Finding {
  const sandbox = switches.has('sandbox');
  const account = sandbox
    ? 'the embedded sandbox; settings of a real account are set aside'
    : `API ${baseUrl}, authorization ${authUrl}, key ${maskId(clientId)}, secret given`;
  const doubts = [
    ...(sandbox ? [] : doubtfulValue('COMMERCE_CLIENT_ID', clientId)),
    ...(sandbox ? [] : doubtfulValue('COMMERCE_CLIENT_SECRET', clientSecret)),
    ...unknownVariables(env),
  ];
  return {
    verdict: doubts.length > 0 ? 'warning' : 'ok',
    detail: `${account}; ${toolsets.length === all.length ? 'all toolsets' : `toolsets ${toolsets.join(', ')}`}`,
    remedy: doubts.join(' ') || undefined,
  };
}

/** The finding about a configuration that cannot be used; it names settings, never their values. */
export function judgeMisconfiguration({ problems }: ConfigError, env: AccountLine['env']): Finding {
  const isMissing = problems.some(({ missing }) => missing);
  const remedy = [
    `Set them in the environment; for a client, ${ownCommand()} connect asks for them and writes its entry.`,
    ...(isMissing ? [`No account yet? Try ${ownCommand()} demo, or add --sandbox.`] : []),
    ...unknownVariables(env),
  ].join(' ');
  const detail = problems.map(({ name, problem }) => `${name} ${problem}`).join('; ');
  return { verdict: 'failed', detail, remedy };
}

/** What often goes wrong when a value is pasted. The value itself is not shown. */
export function doubtfulValue(variable: string, value: string): string[] {
  if (/^(["']).*\1$/.test(value))
    return [`${variable} is in quotation marks, which count as part of it: remove them.`];
  if (/^(<.*>|\$\{.*\}|your\b.*|xxx+)$/i.test(value))
    return [`${variable} looks like a placeholder: put the real value there.`];
  if (!/\s/.test(value)) return [];
  return [`${variable} has a space or line break in it: was it copied whole, and alone?`];
}

/** Variables that begin like settings and are none: a typing error would otherwise pass unseen. */
function unknownVariables(env: AccountLine['env']): string[] {
  const known: string[] = listSettings().flatMap(({ setting: { variable, fromFile } }) =>
    fromFile ? [variable, `${variable}_FILE`] : [variable],
  );
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
function maskId(clientId: string): string {
  const dot = clientId.indexOf('.');
  const shown = dot < 0 ? Math.min(2, Math.floor(clientId.length / 4)) : dot + 3;
  return `${clientId.slice(0, shown)}…`;
}
