/** What a terminal, a file and a workbook say of an answer beside what the answer says itself. */
import { countNoun, sayCount } from '../../../core/text.ts';
import type { OwnTexts } from './reader.ts';

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
  one_scale: () => 'All lines share one scale.',
  signs_outside: () => '▲ above, ▼ below what is between low and high.',
  signs_band: () => '░ from low to high, ▓ where the bar reaches into it.',
} satisfies OwnTexts;

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
