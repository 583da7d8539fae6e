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

export const warningMessages = messagesOf({
  more_warnings: ({ count }: { count: number }) =>
    `${count} more warnings of other kinds are not shown: ask for fewer days, or for one location or shop, to see them.`,
  not_kept: ({ why }: { why: string }) => `The rows could not be kept: ${why}`,
});

/** Puts the subject of a warning and the count of similar ones into its text. */
function finishWarning(warning: Warning): Warning {
  const { about, alike, text } = warning;
  const more = alike === undefined ? '' : ` (${alike} more are like this one.)`;
  return { ...warning, text: `${about === undefined ? '' : `${about}: `}${text}${more}` };
}

/**
 * The facts of an answer for clients: warnings gathered, empty members left out.
 * @param labelling names of the ids, and warnings about ids without a name
 */
export function finishContext(
  context: AnswerContext,
  labelling: { labels?: Labels; warnings?: readonly Warning[] } = {},
): FinishedContext {
  const { resolved = {}, summary = [], definitions, tables, warnings = [], ...facts } = context;
  const allWarnings = [...warnings, ...(labelling.warnings ?? [])];
  return {
    ...facts,
    left_open: removeEmptyTexts(facts.left_open),
    resolved: unlessEmpty(resolved),
    summary: unlessEmpty(summary),
    definitions: removeEmptyTexts(definitions),
    tables: tables?.map((use) => ({ ...use, left_open: removeEmptyTexts(use.left_open) })),
    labels: unlessEmpty(labelling.labels ?? {}),
    warnings: unlessEmpty(gatherWarnings(allWarnings).map(finishWarning)),
  };
}

/** A text is empty if all its sentences need tools that the caller lacks. */
function removeEmptyTexts(texts: TextsByName = {}): TextsByName | undefined {
  const filled = Object.entries(texts).filter(([, text]) => text !== '');
  return unlessEmpty(Object.fromEntries(filled));
}

function unlessEmpty<Facts extends object>(facts: Facts): Facts | undefined {
  return Object.keys(facts).length > 0 ? facts : undefined;
}

const maxWarnings = 6;
const maxAlike = 2;

/**
 * Warnings that each call of a statement or a trend may repeat: more than two of a code become one with their count.
 */
const repeatedCodes: ReadonlySet<WarningCode> = new Set([
  'in_future',
  'balance_differs',
  'product_ids',
  'not_whole',
  'row_limit',
  'moved_while_reading',
  'repeated_rows',
]);

/** Distinct warnings, similar ones replaced by the first with their count; six at most. */
export function gatherWarnings(warnings: readonly Warning[]): Warning[] {
  const groups = groupBy(distinctWarnings(warnings), (warning) => {
    const { code, about } = warning;
    if (code === 'all_zero') return `${code} ${about}`;
    return repeatedCodes.has(code) ? code : JSON.stringify(warning);
  });
  const gathered = [...groups.values()].flatMap((group) => {
    const [first, ...others] = group;
    if (first.code === 'all_zero') return gatherZeros(group);
    return group.length <= maxAlike ? group : [{ ...first, alike: others.length }];
  });
  if (gathered.length <= maxWarnings) return gathered;
  const firsts = gathered.slice(0, maxWarnings - 1);
  return [...firsts, warningMessages.more_warnings({ count: gathered.length - firsts.length })];
}
