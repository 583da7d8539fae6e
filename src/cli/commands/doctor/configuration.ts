import { type Config, type ConfigError, listSettings } from '../../../config.ts';
import { nearest } from '../../../core/nearest.ts';
import { toolsets as all } from '../../../endpoints/define.ts';
import { ownCommand } from '../../program.ts';
import type { Finding } from './check.ts';
import { maskId } from './mask.ts';

/** What the configuration was read from. */
export interface DoctorSurroundings {
  env: Record<string, string | undefined>;
  /** Whether the embedded platform stands in for an account. */
  isSandbox: boolean;
}

/** The finding about a configuration that can be used. */
export function judgeConfiguration(
  config: Config,
  { env, isSandbox }: DoctorSurroundings,
): Finding {
  const { baseUrl, authUrl, clientId, clientSecret, toolsets } = config;
  const account = isSandbox
    ? 'the embedded sandbox; settings of a real account are set aside'
    : `API ${baseUrl}, authorization ${authUrl}, key ${maskId(clientId)}, secret given`;
  const doubts = [
    ...(isSandbox ? [] : doubtfulValue('COMMERCE_CLIENT_ID', clientId)),
    ...(isSandbox ? [] : doubtfulValue('COMMERCE_CLIENT_SECRET', clientSecret)),
    ...unknownVariables(Object.keys(env)),
  ];
  return {
    verdict: doubts.length > 0 ? 'warning' : 'ok',
    detail: `${account}; ${toolsets.length === all.length ? 'all toolsets' : `toolsets ${toolsets.join(', ')}`}`,
    ...(doubts.length > 0 && { remedy: doubts.join(' ') }),
  };
}

/** The finding about a configuration that cannot be used; it names settings, never their values. */
export function judgeMisconfiguration(
  error: ConfigError,
  { env }: Pick<DoctorSurroundings, 'env'>,
): Finding {
  const isMissing = error.problems.some(({ missing }) => missing);
  const advice = [
    'Set them in the environment, or under "env" in the configuration of the MCP client.',
    ...(isMissing ? [`No account yet? Try ${ownCommand()} demo, or add --sandbox.`] : []),
    ...unknownVariables(Object.keys(env)),
  ];
  return {
    verdict: 'failed',
    detail: error.problems.map(({ name, problem }) => `${name} ${problem}`).join('; '),
    remedy: advice.join(' '),
  };
}

/** What often goes wrong when a value is pasted. The value itself is not shown. */
function doubtfulValue(variable: string, value: string): string[] {
  if (/^(["']).*\1$/.test(value))
    return [`${variable} stands in quotation marks, which count as part of it: remove them.`];
  if (/^(<.*>|\$\{.*\}|your\b.*|xxx+)$/i.test(value))
    return [`${variable} looks like a placeholder: put the real value there.`];
  if (/\s/.test(value))
    return [`${variable} has a space or line break in it: was it copied whole, and alone?`];
  return [];
}

/** Variables that begin as ours and are none of ours: a typing error would otherwise pass unseen. */
function unknownVariables(names: readonly string[]): string[] {
  const known = listSettings().flatMap(({ setting: { variable, fromFile } }) => [
    variable,
    ...(fromFile ? [`${variable}_FILE`] : []),
  ]);
  return names
    .filter((name) => name.startsWith('COMMERCE_') && !known.some((it) => it === name))
    .map((name) => {
      const meant = nearest(name, known);
      return `There is no setting ${name}${meant ? `: did you mean ${meant}?` : '.'}`;
    });
}
