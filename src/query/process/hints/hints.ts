/** What is likely to mislead in a statement that was answered: at most three things, the worst first. */
import type { Warning } from '../../../core/warning.ts';
import type { SentStatement } from '../../messages.ts';
import { outputOf } from '../columns.ts';
import type { Database } from '../database.ts';
import type { Node } from '../tree.ts';
import { type LintContext, lintContextOf } from './lint-context.ts';
import { lints } from './lints.ts';

const most = 3;

/** Longest that it may take: the answer is right without. */
const maxMs = 2000;

/** Looks through a statement and the rows that are loaded, without changing either. */
export async function findHints(
  database: Database,
  query: Node,
  sent: SentStatement,
): Promise<Warning[]> {
  const contexts: LintContext[] = [];
  outputOf(query, {
    onSelect: (...select) => contexts.push(lintContextOf(database, sent, ...select)),
  });
  const said = new Map<string, Warning>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    database.connection.interrupt();
  }, maxMs);
  for (const [code, lint] of lints) {
    for (const context of contexts) {
      for (const node of context.nodes) {
        if (said.size === most || isLate) break;
        // What cannot be computed apart from the statement around it has no hint.
        const text = await lint(node, context).catch(() => undefined);
        if (text !== undefined) said.set(text, { code, text });
      }
    }
  }
  clearTimeout(timer);
  return [...said.values()];
}
