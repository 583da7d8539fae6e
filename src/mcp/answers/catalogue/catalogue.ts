/** Everything that is said to whoever reads an answer, by its code: a file a subject, each read from top to bottom. */
import type {
  AnswerContext,
  DayNote,
  FinishedContext,
  MessagesByName,
  TableUse,
  WrittenTableUse,
} from '../../../analysis/answer.ts';
import { groupBy } from '../../../core/json.ts';
import type { Message } from '../../../core/message.ts';
import {
  distinctWarnings,
  type Finished,
  type Warning,
  type WarningCode,
  type WrittenWarning,
} from '../../../core/message.ts';
import { neutralise } from '../../../core/text.ts';
import { profileLines } from '../table.ts';
import { answerTexts } from './answers.ts';
import { argumentTexts } from './arguments.ts';
import { failureTexts } from './failures.ts';
import { platformTexts } from './platform.ts';
import type { Reader, Texts } from './reader.ts';
import { statementTexts } from './statements.ts';

declare module '../../../core/message.ts' {
  interface Messages {
    more_warnings: { count: number };
    /** What the answer is, of which days and how fresh; of rows how many. */
    headline: {
      tool: string;
      rows?: { shown: number; total: number; noun: string } | undefined;
      context: FinishedContext;
    };
    name_meant: {
      argument: string;
      given: string;
      id: number;
      name: string;
      note?: string | undefined;
    };
    since_meant: { given: string; instant: string };
    day_notes: { notes: readonly DayNote[] };
    tables_read: { tables: readonly WrittenTableUse[] };
    rows_kept: { id: string; rows: number; until: string };
    more_there: { argument: string; values: readonly string[] };
  }
}

export const texts: Texts = {
  ...answerTexts,
  ...argumentTexts,
  ...failureTexts,
  ...platformTexts,
  ...statementTexts,
};

/** A model, or whoever else reads its texts, by which tools it can call. */
export function modelReader(hasTool: Reader['hasTool']): Reader {
  const reader: Reader = {
    hasTool,
    say(message) {
      if (typeof message === 'string') return message;
      if (!(message.code in texts)) return (message as Finished).text;
      // The type of a table of functions does not tell that each code has its own parameters.
      const text = texts[message.code as keyof typeof texts] as
        | string
        | ((it: Message, reader: Reader) => string);
      return typeof text === 'string' ? text : text(message, reader);
    },
  };
  return reader;
}

/** Whoever is not let in: told of no tool. */
export const outsideReader = modelReader(() => false);

/**
 * A warning with its text, for both channels; its parameters stay for programs.
 * @param isForPerson its text stands in a picture or a file
 */
export function writeWarning(warning: Warning, reader: Reader, isForPerson?: true): WrittenWarning {
  const { about, alike } = warning;
  const text = reader.say({ ...warning, ...(isForPerson && { isForPerson }) });
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

/** What the facts of an answer say in words, by what they are about; each text is a line. */
export function sayFacts(context: FinishedContext, { say }: Reader) {
  const { summary = [], notes = [], resolved = {}, since, left_open, definitions } = context;
  const { empty_days: empty, tables = [], result, labels, more = {}, warnings = [] } = context;
  const sayKept = ({ id, rows, expires_at: until }: NonNullable<typeof result>) =>
    say({ code: 'rows_kept', id, rows, until });
  const meant: Message[] = Object.entries(resolved).map(([argument, it]) => {
    return { code: 'name_meant', argument, ...it };
  });
  if (since && since.given !== since.instant) meant.push({ code: 'since_meant', ...since });
  return {
    summary: [
      ...summary.map(neutralise),
      ...(notes.length > 0 ? [say({ code: 'day_notes', notes })] : []),
    ],
    /** What the arguments meant, those that were left out too, and the figures. */
    meant: [
      ...meant.map(say),
      ...entryLines({ ...left_open, ...definitions }),
      ...(empty ? [empty.text] : []),
    ],
    /** What a statement read. */
    tables: tables.length > 0 ? [say({ code: 'tables_read', tables })] : [],
    /** The rows that are kept, and their profile, whose lines begin as no row and no other line does. */
    kept: result
      ? [sayKept(result), ...profileLines(result.columns, labels).map((it) => `- ${it}`)]
      : [],
    /** What the platform also gives, by the argument that asks for it. */
    more: Object.entries(more).map(([argument, values]) =>
      say({ code: 'more_there', argument, values }),
    ),
    warnings: warnings.map(({ text }) => `Warning: ${neutralise(text)}`),
  };
}

export function entryLines(texts: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(texts).map(([name, text]) => `${name} ${text}`);
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
  return [...shown, { code: 'more_warnings', count: gathered.length - shown.length }];
}
