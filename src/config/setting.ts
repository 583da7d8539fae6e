import { z } from 'zod';
import { readOnce } from '../core/read-once.ts';

/** A setting: its variable, what it means and what stands in when it is not given. */
export interface Setting {
  variable: `COMMERCE_${string}`;
  about: string;
  /** As text, the way a user would write it. */
  standard?: string | undefined;
  /** May be left out although nothing stands in for it. */
  optional?: true | undefined;
  /** Secrets have no flag: a command line is visible to every process of the machine. */
  secret?: true | undefined;
  /** May also be given as a file that holds it, named by the variable with `_FILE` behind it. */
  fromFile?: true | undefined;
}

const settingMeta = z.object({
  variable: z.templateLiteral(['COMMERCE_', z.string()]),
  about: z.string(),
  standard: z.string().optional(),
  optional: z.literal(true).optional(),
  secret: z.literal(true).optional(),
  fromFile: z.literal(true).optional(),
});

/** What is written beside a schema to make it a setting: `schema.meta(setting({ ... }))`. */
export function setting(meta: Setting): { [key: string]: unknown } {
  return { ...meta };
}

/** The setting that a schema describes. */
export function settingOf(schema: z.ZodType): Setting {
  return settingMeta.parse(schema.meta(), readOnce);
}

/** The flag that wins over a variable: `COMMERCE_BASE_URL` -> `base-url`; none for secrets. */
export function flagOf({ variable, secret }: Setting): string | undefined {
  return secret ? undefined : variable.slice('COMMERCE_'.length).toLowerCase().replaceAll('_', '-');
}
