import { expect, test } from 'vitest';
import { readLink, signLink } from '../../../src/mcp/http/links.ts';
import { now } from '../../server-over.ts';

const file = {
  id: 'r_0123456789',
  name: 'omzet-café-2026-10.xlsx',
  caller: 'token:alice@utrecht',
  account: 'utrecht',
  toolsets: ['orders', 'analysis'] as const,
  expiresAtMs: now + 60_000,
};
const secrets: Record<string, string> = { utrecht: 'secret-of-utrecht', haarlem: 'of-haarlem' };
const secretOf = (account = 'haarlem') => secrets[account];

/** The two parts of a signed link, the name as a router decodes it. */
function partsOf(signed: typeof file | (Omit<typeof file, 'account'> & { account: undefined })) {
  const [token = '', name = ''] = signLink(signed, secretOf(signed.account)).split('/');
  return [token, decodeURIComponent(name)] as const;
}

const read = ([token, name]: readonly [string, string], nowMs = now) =>
  readLink(token, name, secretOf, nowMs);

test('a link opens what was signed, to the letter, until it ends', () => {
  expect(read(partsOf(file))).toEqual(file);
  expect(read(partsOf(file), file.expiresAtMs)).toBeUndefined();
});

test('a link of a caller without an account names none', () => {
  const own = { ...file, account: undefined };
  expect(read(partsOf(own))).toEqual(own);
});

test('a link opens nothing with another name, content, signature or secret, nor for a missing account', () => {
  const [token, name] = partsOf(file);
  const [content = '', signature = ''] = token.split('.');
  const forge = (from: string, to: string) =>
    Buffer.from(Buffer.from(content, 'base64url').toString().replace(from, to)).toString(
      'base64url',
    );
  const wrong: [string, string][] = [
    [token, 'omzet-café-2026-10.csv'],
    [`${forge('alice', 'bobby')}.${signature}`, name],
    [`${forge('utrecht"', 'haarlem"')}.${signature}`, name],
    [`${content}.${signature.slice(1)}`, name],
    [`${content}.`, name],
    [content, name],
    ['', ''],
    ['.', name],
  ];
  for (const parts of wrong) expect(read(parts)).toBeUndefined();
  expect(readLink(token, name, () => 'another-secret', now)).toBeUndefined();
  expect(readLink(token, name, () => undefined, now)).toBeUndefined();
});
