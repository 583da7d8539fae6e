import { type Config, ConfigError, listSettings } from '../../../config.ts';
import { nearest } from '../../../core/nearest.ts';
import { toolsets as all } from '../../../endpoints/define.ts';
import type { AccountLine } from '../../command-line.ts';
import { ownCommand } from '../../program.ts';
import { tokenVariable } from '../connect/configuration.ts';
import type { Finding } from './report.ts';

/** The finding about a configuration, or about what is wrong with it; values of secrets are not named. */
export function judgeConfiguration(
  config: Config | ConfigError,
  { env, switches }: AccountLine,
): Finding {
  if (config instanceof ConfigError) {
    const { problems } = config;
    const detail = problems.map(({ name, problem }) => `${name} ${problem}`).join('; ');
    const isMissing = problems.some(({ missing }) => missing);
    const remedy = [
      `Set them in the environment; for a client, ${ownCommand()} connect asks for them and writes its entry.`,
      ...(isMissing ? [`No account yet? Try ${ownCommand()} demo, or add --sandbox.`] : []),
      ...unknownVariables(env),
    ].join(' ');
    return { verdict: 'failed', detail, remedy };
  }
  const { baseUrl, authUrl, clientId, clientSecret, toolsets } = config;
  const isSandbox = switches.has('sandbox');
  // Up to the beginning of the key's own id; a value of another form may be a secret.
  const shown = clientId.slice(0, clientId.includes('.') ? clientId.indexOf('.') + 3 : 2);
  const account = isSandbox
    ? 'the embedded sandbox; settings of a real account are set aside'
    : `API ${baseUrl}, authorization ${authUrl}, key ${shown}…, secret given`;
  const given = { COMMERCE_CLIENT_ID: clientId, COMMERCE_CLIENT_SECRET: clientSecret };
  const doubts = [
    ...(isSandbox ? [] : Object.entries(given).flatMap(([name, value]) => doubtAbout(name, value))),
    ...unknownVariables(env),
  ];
  return {
    verdict: doubts.length > 0 ? 'warning' : 'ok',
    detail: `${account}; ${toolsets.length === all.length ? 'all toolsets' : `toolsets ${toolsets.join(', ')}`}`,
    remedy: doubts.join(' ') || undefined,
  };
}

/** What often goes wrong when a value is pasted. The value itself is not shown. */
export function doubtAbout(variable: string, value: string): string[] {
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
