/** What a terminal, a file and a workbook say of an answer beside what the answer says itself. */
import type { ToolCall } from '../../../analysis/answer.ts';
import { countNoun, sayCount } from '../../../core/text.ts';
import { ownCommand, shellWord } from '../../program.ts';
import type { OwnTexts, PersonReader } from './reader.ts';

export const shownTexts = {
  invented: () => 'sandbox, invented figures',
  invented_figures: () => 'source: sandbox, invented figures',
  file_not_complete: ({ missing }: { missing: MissingRows }) =>
    `Not complete: ${sayMissing(missing)}`,
  file_is_complete: ({ noun }: { noun: string }) => `yes: all ${noun} that were asked for`,
  file_lacks: ({ missing }: { missing: MissingRows }) => `no: ${sayMissing(missing)}`,
  texts_cut: ({ texts, most }: { texts: number; most: number }) =>
    `${countNoun(texts, 'text')} cut after ${sayCount(most)} characters`,
  no_room_for: ({ columns }: { columns: readonly string[] }) =>
    `No room for (--csv has every column): ${columns.join(', ')}`,
  // What is kept goes with the process of a command: in place of `read_rows` there are the rows as CSV.
  rows_kept: ({ rows }: { rows: number }) => `Over all ${countNoun(rows, 'row')}:`,
  rows_not_shown: ({ shown, rows }: { shown: number; rows: number }) =>
    `Read whole; ${sayCount(shown)} of ${countNoun(rows, 'row')} shown.`,
  next_call: ({ tool, arguments: input }: ToolCall, { flags }: PersonReader) =>
    'result_id' in input
      ? 'Every row that was read: add --csv'
      : `The next: ${[ownCommand(), 'call', tool, ...typedPairs(input), ...flags].join(' ')}`,
  one_scale: () => 'All lines share one scale.',
  signs_outside: () => '▲ above, ▼ below what is between low and high.',
  signs_band: () => '░ from low to high, ▓ where the bar reaches into it.',
} satisfies OwnTexts;

/** Arguments as they are typed, quoted for a POSIX shell. */
function typedPairs(input: ToolCall['arguments']): string[] {
  return Object.entries(input).map(([key, value]) =>
    shellWord(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
  );
}

/** Rows of a list that are not in a file. */
export interface MissingRows {
  noun: string;
  rows: number;
  of: number | undefined;
  /** Whether `all` would read all of them. */
  isReadable: boolean;
}

function sayMissing({ noun, rows, of, isReadable }: MissingRows): string {
  const all = of === undefined ? '' : ` of ${sayCount(of)}`;
  return `these are ${sayCount(rows)}${all} ${noun}.${isReadable ? ' all=true reads all of them.' : ''}`;
}
