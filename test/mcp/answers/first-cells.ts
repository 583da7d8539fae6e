import type { ToolAnswer } from '../../clients.ts';

/** The numbers that the lines of an answer's text begin with: the first column of its table. */
export function firstCells({ text }: ToolAnswer): number[] {
  return text
    .split('\n')
    .flatMap((line) => (/^\d+(\||$)/.test(line) ? [Number.parseInt(line, 10)] : []));
}
