import { readFileSync } from 'node:fs';

/** A fenced block of a document. */
export type Fenced = ReturnType<typeof fencedBlocks>[number];

/**
 * The fenced blocks of a Markdown file, in order, each with the words behind its fence (its language, and
 * what follows that) and its line from 1.
 */
export function fencedBlocks(file: string) {
  const page = readFileSync(file, 'utf8');
  return [...page.matchAll(/^(```+)(\w*)([^\n`]*)\n(.*?)\n?^\1[^\S\n]*$/gms)].map(
    ({ 2: language = '', 3: about = '', 4: text = '', index }) => {
      const line = page.slice(0, index).split('\n').length;
      return { file, language, about: about.trim(), line, text };
    },
  );
}
