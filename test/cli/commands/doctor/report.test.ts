import { describe, expect, test } from 'vitest';
import { type Check, checkJson } from '../../../../src/cli/commands/doctor/check.ts';
import { renderCheck, summary } from '../../../../src/cli/commands/doctor/report.ts';

const failed: Check = {
  name: 'exchange',
  verdict: 'failed',
  detail: 'The authorization server refused this API key: it was revoked or rolled.',
  remedy: 'Ask an account administrator for a new API key, and configure it here.',
};

describe('renderCheck', () => {
  test('is one line, and one for the remedy, where there is no terminal', () => {
    const lines = renderCheck(failed).split('\n');
    expect(lines).toEqual([
      `FAILED   exchange               ${failed.detail}`,
      `                                -> ${failed.remedy}`,
    ]);
  });

  test.each([60, 80, 120])('fits a terminal of %i columns', (width) => {
    const lines = renderCheck(failed, width).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(Math.max(width, 65));
  });
});

describe('summary', () => {
  const check = (verdict: Check['verdict']): Check => ({ ...failed, verdict });

  test.each<[Check['verdict'][], string]>([
    [['ok', 'ok'], 'All is well.'],
    [['ok', 'warning'], 'All works; 1 thing to note.'],
    [['warning', 'warning'], 'All works; 2 things to note.'],
    [
      ['failed', 'not run', 'ok'],
      '1 of 3 checks failed, 1 could not be run. Begin with the first.',
    ],
    [['failed', 'ok'], '1 of 2 checks failed. Begin with the first.'],
  ])('says of %j: %s', (verdicts, text) => {
    expect(summary(verdicts.map(check))).toBe(text);
  });
});

describe('checkJson', () => {
  test.each<[Check['verdict'], boolean, string]>([
    ['ok', true, 'as it is'],
    ['warning', true, 'as it is'],
    ['failed', false, 'as it is'],
    ['not run', false, 'not run: as it is'],
  ])('gives a check that is %s as ok: %s', (verdict, ok, detail) => {
    expect(checkJson({ name: 'drift', verdict, detail: 'as it is' })).toEqual({
      check: 'drift',
      ok,
      detail,
      remedy: null,
    });
  });
});
