import type { CommandLine } from '../../command-line.ts';
import { openWaitingLine } from '../../terminal/waiting-line.ts';
import { type Check, checkJson } from './check.ts';
import { examine } from './examine.ts';
import { renderCheck, summary } from './report.ts';

/** Checks everything that has to be right before a question can be answered; 1 if anything is not. */
export async function doctor({ values, switches, env, queryEngine }: CommandLine): Promise<0 | 1> {
  const isJson = switches.has('json');
  const checks: Check[] = [];
  const settings = { env, flags: values, sandbox: switches.has('sandbox'), queryEngine };
  const waiting = openWaitingLine();
  for await (const check of examine(settings)) {
    waiting.clear();
    checks.push(check);
    if (!isJson) console.log(renderCheck(check, process.stdout.columns));
    waiting.show(`${check.name} is done; the next check runs ...`);
  }
  waiting.clear();
  console.log(isJson ? JSON.stringify(checks.map(checkJson)) : `\n${summary(checks)}`);
  return checks.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
}
