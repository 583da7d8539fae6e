/** Signed links to kept results as files. The secret of the API key signs, so each replica can check them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../core/json.ts';
import { type Toolset, toolsets } from '../../endpoints/define.ts';

/** A result of a caller as a file. */
export interface LinkedFile {
  id: string;
  name: string;
  caller: string;
  account?: string | undefined;
  toolsets: readonly Toolset[];
  expiresAtMs: number;
}

/** Toolsets are bits of a number, since a model has to write the whole link. */
const content = z.tuple([z.string(), z.string(), z.string().nullable(), z.int(), z.number()]);

/** The path of a link below `/files`: its token and the name of the file. */
export function signLink(
  { id, name, caller, account, toolsets: granted, expiresAtMs }: LinkedFile,
  secret = '',
): string {
  const bits = granted.reduce((sum, toolset) => sum + 2 ** toolsets.indexOf(toolset), 0);
  const values = [id, caller, account ?? null, bits, expiresAtMs];
  const text = Buffer.from(JSON.stringify(values)).toString('base64url');
  const signed = signature(secret, text, name).toString('base64url');
  return `${text}.${signed}/${encodeURIComponent(name)}`;
}

/**
 * The result behind a link; undefined for a wrong, changed or expired link.
 * @param secretOf undefined for an account that is missing
 */
export function readLink(
  token: string,
  name: string,
  secretOf: (account: string | undefined) => string | undefined,
  nowMs: number,
): LinkedFile | undefined {
  const [text = '', code = ''] = token.split('.');
  const { data } = content.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (data === undefined) return undefined;
  const [id, caller, accountOrNull, bits, expiresAtMs] = data;
  const account = accountOrNull ?? undefined;
  const secret = secretOf(account);
  if (secret === undefined || expiresAtMs <= nowMs) return undefined;
  const expected = signature(secret, text, name);
  const actual = Buffer.from(code, 'base64url');
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined;
  const granted = toolsets.filter((_, at) => (bits & (2 ** at)) !== 0);
  return { id, name, caller, account, toolsets: granted, expiresAtMs };
}

/** 128 bits cannot be guessed, and are short enough for a model to write. The prefix keeps the secret to this use. */
function signature(secret: string, text: string, name: string): Buffer {
  const message = `commerce-mcp link: ${text}/${name}`;
  return createHmac('sha256', secret).update(message).digest().subarray(0, 16);
}
