import { describe, expect, test } from 'vitest';
import {
  judgeConfiguration,
  judgeMisconfiguration,
} from '../../../../src/cli/commands/doctor/configuration.ts';
import { ConfigError, readConfig } from '../../../../src/config.ts';

const env = {
  COMMERCE_BASE_URL: 'https://api.example.com',
  COMMERCE_AUTH_URL: 'https://auth.example.com',
  COMMERCE_CLIENT_ID: 'ck_winkel.4f9a8b',
  COMMERCE_CLIENT_SECRET: 'hush-hush-hush',
};

function judge(changes: Record<string, string>, isSandbox = false) {
  const given = { ...env, ...changes };
  return judgeConfiguration(readConfig({ env: given }), { env: given, isSandbox });
}

describe('judgeConfiguration', () => {
  test('says which account, without the secret and with half the key', () => {
    expect(judge({})).toEqual({
      verdict: 'ok',
      detail:
        'API https://api.example.com, authorization https://auth.example.com, key ck_winkel.4f…, secret given; all toolsets',
    });
  });

  test('says which tools are on offer', () => {
    expect(judge({ COMMERCE_TOOLSETS: 'orders,reports' }).detail).toContain(
      'toolsets reports, orders',
    );
  });

  test.each([
    [{ COMMERCE_CLIENT_SECRET: '"hush-hush"' }, 'COMMERCE_CLIENT_SECRET stands in quotation marks'],
    [{ COMMERCE_CLIENT_ID: 'ck_winkel.4f 9a' }, 'COMMERCE_CLIENT_ID has a space'],
    [{ COMMERCE_CLIENT_ID: '<client id>' }, 'COMMERCE_CLIENT_ID looks like a placeholder'],
    [{ COMMERCE_CLIENT_SECRET: 'your-secret' }, 'COMMERCE_CLIENT_SECRET looks like a placeholder'],
    [
      { COMMERCE_TOOLSET: 'orders' },
      'no setting COMMERCE_TOOLSET: did you mean COMMERCE_TOOLSETS?',
    ],
    [{ COMMERCE_FROBNICATION_LEVEL: '1' }, 'There is no setting COMMERCE_FROBNICATION_LEVEL.'],
  ])('doubts %j', (changes, remedy) => {
    const { verdict, remedy: advice } = judge(changes);
    expect(verdict).toBe('warning');
    expect(advice).toContain(remedy);
    expect(advice).not.toMatch(/hush|4f/);
  });

  test('knows the files that secrets may come from', () => {
    expect(judge({ COMMERCE_CLIENT_SECRET_FILE: '/run/secrets/commerce' }).verdict).toBe('ok');
  });

  test('has no doubts about an account that is set aside', () => {
    const { verdict, detail } = judge({ COMMERCE_CLIENT_ID: 'your id' }, true);
    expect([verdict, detail]).toEqual(['ok', expect.stringContaining('embedded sandbox')]);
  });
});

describe('judgeMisconfiguration', () => {
  test('names each setting and its problem, and a misspelt one', () => {
    const given = { COMMERCE_BASE_URL: 'http://api.example.com', COMMERCE_CLIENT_SECRE: 'hush' };
    const finding = judgeMisconfiguration(misconfiguration(given), { env: given });
    expect(finding.verdict).toBe('failed');
    expect(finding.detail).toMatch(/COMMERCE_BASE_URL must be https.*COMMERCE_AUTH_URL is missing/);
    expect(finding.remedy).toContain('did you mean COMMERCE_CLIENT_SECRET?');
    expect(finding.remedy).not.toContain('hush');
  });
});

function misconfiguration(given: Record<string, string>): ConfigError {
  try {
    readConfig({ env: given });
  } catch (error) {
    if (error instanceof ConfigError) return error;
  }
  return expect.unreachable('the configuration was accepted');
}
