/** The facts of an answer as clients receive them, its warnings gathered. */
import type {
  AnswerContext,
  FinishedContext,
  MessagesByName,
  TableUse,
} from '../../analysis/answer.ts';
import { warningForPerson } from '../../analysis/endpoint/messages.ts';
import { groupBy } from '../../core/json.ts';
import {
  distinctWarnings,
  messagesOf,
  type Warning,
  type WarningCode,
  type WrittenWarning,
} from '../../core/message.ts';
import type { Reader } from './catalogue/reader.ts';

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

/**
 * A warning with its text, for both channels; its parameters stay for programs.
 * @param isForPerson its text stands in a picture or a file
 */
export function writeWarning(warning: Warning, reader: Reader, isForPerson?: true): WrittenWarning {
  const { about, alike } = warning;
  const text = reader.say(isForPerson ? warningForPerson(warning) : warning);
  const more = alike === undefined ? '' : ` (${alike} more are like this one.)`;
  return { ...warning, text: `${about === undefined ? '' : `${about}: `}${text}${more}` };
}

/** The facts of an answer with what they say in words. */
export function writeContext(
  context: AnswerContext,
  reader: Reader,
  labels: FinishedContext['labels'] = {},
): FinishedContext {
  const {
    resolved = {},
    usual,
    summary = [],
    definitions,
    tables,
    warnings = [],
    ...facts
  } = context;
  const names = Object.entries(resolved).map(([argument, { note, ...it }]) => {
    return [argument, { ...it, note: note && reader.say(note) }] as const;
  });
  return {
    ...facts,
    ...writeSaid(facts, reader),
    resolved: unlessEmpty(Object.fromEntries(names)),
    usual: usual && {
      ...usual,
      like: reader.say(usual.like),
      left_out: usual.left_out?.map((it) => ({ ...it, reason: reader.say(it.reason) })),
    },
    summary: unlessEmpty(summary.map(reader.say)),
    definitions: writeEach(definitions, reader),
    tables: tables?.map((use) => ({ ...use, ...writeSaid(use, reader) })),
    labels: unlessEmpty(labels),
    warnings: unlessEmpty(gatherWarnings(warnings).map((it) => writeWarning(it, reader))),
  };
}

function writeSaid({ left_open, empty_days: empty }: AnswerContext | TableUse, reader: Reader) {
  return {
    left_open: writeEach(left_open, reader),
    empty_days: empty && { ...empty, text: reader.say(empty.text) },
  };
}

/** Messages in words; without those that say nothing to this reader. */
function writeEach(messages: MessagesByName = {}, reader: Reader) {
  const said = Object.entries(messages).map(([name, it]) => [name, reader.say(it)] as const);
  return unlessEmpty(Object.fromEntries(said.filter(([, text]) => text !== '')));
}

function unlessEmpty<Facts extends object>(facts: Facts): Facts | undefined {
  return Object.keys(facts).length > 0 ? facts : undefined;
}

const maxWarnings = 6;
const maxAlike = 2;

/** What each of the many calls of a statement or a trend may say: many of one code are alike. */
const perCall: ReadonlySet<WarningCode> = new Set([
  'in_future',
  'all_zero',
  'balance_differs',
  'product_ids',
  'not_whole',
  'row_limit',
  'moved_while_reading',
  'repeated_rows',
]);

/** Warnings as an answer bears them: each once, many alike as the first with their number, six at most. */
export function gatherWarnings(warnings: readonly Warning[]): Warning[] {
  const alike = groupBy(distinctWarnings(warnings), (it) =>
    perCall.has(it.code) ? it.code : JSON.stringify(it),
  );
  const gathered = [...alike.values()].flatMap((group) => {
    const [first, ...others] = group;
    return group.length <= maxAlike ? group : [{ ...first, alike: others.length }];
  });
  if (gathered.length <= maxWarnings) return gathered;
  const shown = gathered.slice(0, maxWarnings - 1);
  return [...shown, warningMessages.more_warnings({ count: gathered.length - shown.length })];
}
