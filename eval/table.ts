import type { Result } from './evaluate.ts';
import { type Channel, channels } from './server.ts';

/** A run as it is kept. */
export interface Run {
  date: string;
  model: string;
  results: readonly Result[];
}

/**
 * A line a question: over each channel whether it was right, in how many calls and tokens (read and written
 * together), and what it was in the last run where that differs. Totals below.
 */
export function table(run: Run, last?: Run): string[] {
  const ids = [...new Set(run.results.map(({ id }) => id))];
  const head = ['question', ...channels.flatMap((channel) => [channel, 'calls', 'tokens'])];
  const rows = ids.map((id) => [
    id,
    ...channels.flatMap((channel) => cells(find(run, id, channel))),
    changed(id, run, last),
  ]);
  const total = ['total', ...channels.flatMap((channel) => totals(run.results, channel)), ''];
  return [
    ...columns([[...head, last === undefined ? '' : 'last run'], ...rows, total]),
    '',
    sentence(run),
    ...(last === undefined ? [] : [`Last run: ${sentence(last)}`]),
  ];
}

function find({ results }: Run, id: string, channel: Channel): Result | undefined {
  return results.find((result) => result.id === id && result.channel === channel);
}

function cells(result: Result | undefined): string[] {
  if (result === undefined) return ['', '', ''];
  return [result.right ? 'right' : 'WRONG', String(result.calls), number(tokensOf([result]))];
}

function totals(results: readonly Result[], channel: Channel): string[] {
  const own = results.filter((result) => result.channel === channel);
  const calls = own.reduce((sum, result) => sum + result.calls, 0);
  return [`${rightOf(own)} of ${own.length}`, String(calls), number(tokensOf(own))];
}

/** Over which channels the verdict is another one than in the last run. */
function changed(id: string, run: Run, last: Run | undefined): string {
  if (last === undefined) return '';
  return channels
    .flatMap((channel) => {
      const [now, then] = [find(run, id, channel), find(last, id, channel)];
      if (now === undefined || then?.right === now.right) return [];
      const was = then === undefined ? 'not asked' : then.right ? 'right' : 'wrong';
      return [`${channel}: ${was}`];
    })
    .join(', ');
}

function sentence({ model, date, results }: Run): string {
  const calls = results.reduce((sum, result) => sum + result.calls, 0);
  const parts = [
    `${rightOf(results)} of ${results.length} right`,
    `${number(calls)} calls`,
    `${number(tokensOf(results))} tokens`,
  ];
  return `${model}, ${date.slice(0, 10)}: ${parts.join(', ')}`;
}

function rightOf(results: readonly Result[]): number {
  return results.filter(({ right }) => right).length;
}

function tokensOf(results: readonly Result[]): number {
  return results.reduce((sum, { tokens: { read, written } }) => sum + read + written, 0);
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** The first column and verdicts to the left, numbers to the right. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        return /^[\d,]+$|^(calls|tokens)$/.test(cell) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
