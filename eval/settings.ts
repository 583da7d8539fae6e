/** What `npm run eval` is told by its environment. */
import type { ModelSettings } from './model/model.ts';

/** The kinds of address that are known, each with its usual place. */
export const apis = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
} as const;

export interface Settings extends ModelSettings {
  api: keyof typeof apis;
}

/** What is missing or wrong, a line each. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Names of its own, so that no key that lies about for something else is spent.
 *
 * @throws SettingsError
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const { EVAL_API: api, EVAL_URL: url, EVAL_KEY: key, EVAL_MODEL: name } = env;
  const problems: string[] = [];
  if (api !== 'openai' && api !== 'anthropic')
    problems.push('EVAL_API: openai or anthropic, the kind of address that the model is behind');
  if (!key) problems.push('EVAL_KEY: the key for it (any word for a model that asks for none)');
  if (!name) problems.push('EVAL_MODEL: the name of the model, as the address knows it');
  if (url && !URL.canParse(url)) problems.push(`EVAL_URL: "${url}" is no address`);
  if (problems.length > 0 || (api !== 'openai' && api !== 'anthropic') || !key || !name)
    throw new SettingsError(problems.join('\n'));
  return { api, url: (url || apis[api]).replace(/\/+$/, ''), key, name };
}
