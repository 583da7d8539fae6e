import type { SqlEngine } from '../../../query/engine.ts';
import type { Check } from '../doctor/check.ts';
import { examine } from '../doctor/examine.ts';
import { renderCheck, summary } from '../doctor/report.ts';
import type { AccountSettings } from './account.ts';
import { secretVariable } from './client.ts';

/** Checks as the doctor does that the account of an entry answers; prints each finding. @returns whether all is well */
export async function checkAccount(
  { env, secret }: AccountSettings,
  queryEngine?: SqlEngine,
): Promise<boolean> {
  const checks: Check[] = [];
  const variables = { ...env, [secretVariable]: secret };
  const settings = { env: variables, flags: {}, sandbox: false, queryEngine };
  console.log('');
  for await (const check of examine(settings)) {
    checks.push(check);
    console.log(renderCheck(check, process.stdout.columns));
  }
  console.log(`\n${summary(checks)}`);
  return !checks.some(({ verdict }) => verdict === 'failed');
}
