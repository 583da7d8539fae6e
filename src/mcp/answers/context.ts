/** The facts of an answer as clients receive them, its warnings gathered. */
import type { AnswerContext, FinishedContext, TextsByName } from '../../analysis/answer.ts';
import { gatherZeros } from '../../analysis/endpoint/messages.ts';
import type { Labels } from '../../analysis/reference/reference.ts';
import { groupBy } from '../../core/json.ts';
import {
  distinctWarnings,
  messagesOf,
  type Warning,
  type WarningCode,
} from '../../core/message.ts';

declare module '../../core/message.ts' {
  interface Rooms {
    warnings: typeof warningMessages;
  }
}

export const warningMessages = messagesOf({
  more_warnings: ({ count }: { count: number }) =>
    `${count} more warnings of other kinds are not shown: ask for fewer days, or for one location or shop, to see them.`,
  not_kept: ({ why }: { why: string }) => `The rows could not be kept: ${why}`,
});

/** A warning as both channels have it: its text says what it is about, and how many are like it. */
function finishWarning(warning: Warning): Warning {
  const { about, alike, text } = warning;
  const more = alike === undefined ? '' : ` (${alike} more are like this one.)`;
  return { ...warning, text: `${about === undefined ? '' : `${about}: `}${text}${more}` };
}

/**
 * The facts of an answer for clients: warnings gathered, and nothing that is empty.
 * @param named the names of its ids, and what is to be said of ids without one
 */
export function finishContext(
  context: AnswerContext,
  named: { labels?: Labels; warnings?: readonly Warning[] } = {},
): FinishedContext {
  const { resolved = {}, summary = [], definitions, tables, warnings = [], ...facts } = context;
  const allWarnings = [...warnings, ...(named.warnings ?? [])];
  return {
    ...facts,
    left_open: withoutEmpty(facts.left_open),
    resolved: unlessEmpty(resolved),
    summary: unlessEmpty(summary),
    definitions: withoutEmpty(definitions),
    tables: tables?.map((use) => ({ ...use, left_open: withoutEmpty(use.left_open) })),
    labels: unlessEmpty(named.labels ?? {}),
    warnings: unlessEmpty(gatherWarnings(allWarnings).map(finishWarning)),
  };
}

/** Without texts that say nothing where a tool is closed. */
function withoutEmpty(texts: TextsByName = {}): TextsByName | undefined {
  const said = Object.entries(texts).filter(([, text]) => text !== '');
  return unlessEmpty(Object.fromEntries(said));
}

function unlessEmpty<Facts extends object>(facts: Facts): Facts | undefined {
  return Object.keys(facts).length > 0 ? facts : undefined;
}

const maxWarnings = 6;
const maxAlike = 2;

/** What each of the many calls of a statement or a trend may say: many of one code are alike. */
const perCall: ReadonlySet<WarningCode> = new Set([
  'in_future',
  'balance_differs',
  'product_ids',
  'not_whole',
  'row_limit',
  'moved_while_reading',
  'repeated_rows',
]);

/** Warnings as an answer bears them: each once, many alike as the first with their number, six at most. */
export function gatherWarnings(warnings: readonly Warning[]): Warning[] {
  const alike = groupBy(distinctWarnings(warnings), (it) => {
    if (it.code === 'all_zero') return `${it.code} ${it.about}`;
    return perCall.has(it.code) ? it.code : JSON.stringify(it);
  });
  const gathered = [...alike.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first.code === 'all_zero') return gatherZeros(group);
    return group.length <= maxAlike ? group : [{ ...first, alike: others.length }];
  });
  if (gathered.length <= maxWarnings) return gathered;
  const shown = gathered.slice(0, maxWarnings - 1);
  return [...shown, warningMessages.more_warnings({ count: gathered.length - shown.length })];
}
