import { readFileSync } from 'node:fs';

/** A fenced block of a document. */
export interface Fenced {
  file: string;
  /** What stands behind the opening fence, such as `sh`. */
  language: string;
  /** Line of the opening fence, from 1. */
  line: number;
  text: string;
}

/** The fenced blocks of a Markdown file, in order. */
export function fencedBlocks(file: string): Fenced[] {
  const blocks: Fenced[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const fence = /^```(\w*)\s*$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { language: fence[1] ?? '', line: index + 1, lines: [] };
    else {
      const { language, line: start, lines } = open;
      blocks.push({ file, language, line: start, text: lines.join('\n') });
      open = undefined;
    }
  }
  if (open) throw new Error(`${file}:${open.line}: a fence that does not end`);
  return blocks;
}
