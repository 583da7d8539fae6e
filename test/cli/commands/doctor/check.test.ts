import { expect, test } from 'vitest';
import { type Check, settingAtFault } from '../../../../src/cli/commands/doctor/check.ts';

const well: Check = { name: 'clock skew', verdict: 'ok', detail: '' };

/** A failure of this machine, which is no setting's fault. */
const noEngine: Check = { name: 'query engine', verdict: 'FAILED', detail: '' };

test.each<[string, code: Check['code'], key: string | undefined]>([
  ['exchange', 'key_refused', 'clientSecret'],
  ['exchange', 'exchange_failed', 'authUrl'],
  ['discovery', 'unreachable', 'authUrl'],
  ['discovery', undefined, 'authUrl'],
  ['role and capabilities', 'unreachable', 'baseUrl'],
  ['role and capabilities', 'redirected', 'baseUrl'],
  ['role and capabilities', 'forbidden', undefined],
  ['clock skew', undefined, undefined],
])('a failure of %s by %s is the fault of %s, beside other failures', (name, code, key) => {
  const failure: Check = { name, code, verdict: 'FAILED', detail: '' };
  expect(settingAtFault([well, noEngine, failure])?.key).toBe(key);
  expect(settingAtFault([well, noEngine, { ...failure, verdict: 'note' }])).toBeUndefined();
});
