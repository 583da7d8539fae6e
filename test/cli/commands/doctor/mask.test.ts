import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { concealer, maskId } from '../../../../src/cli/commands/doctor/mask.ts';

describe('concealer', () => {
  test('covers a secret wherever it stands, also as addresses carry it', () => {
    const conceal = concealer(['a b/c', undefined, '']);
    expect(conceal('got a b/c at ?key=a%20b%2Fc')).toBe('got [secret] at ?key=[secret]');
  });

  test('lets no secret through', () => {
    const secrets = fc.string({ minLength: 9 }).filter((it) => it.trim().length > 8);
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        expect(concealer([secret])(`${before}${secret}${after}`)).not.toContain(secret);
      }),
    );
  });
});

describe('maskId', () => {
  test.each([
    ['ck_winkel.4f9a8b', 'ck_winkel.4f…'],
    ['ck_winkel.', 'ck_winkel.…'],
    ['9d8f7e6c5b4a39281706', '9d…'],
    ['abc', '…'],
    ['', '…'],
  ])('shows of %j no more than %j', (clientId, shown) => {
    expect(maskId(clientId)).toBe(shown);
  });
});
