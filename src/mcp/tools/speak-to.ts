import { analysisTools } from '../../analysis/tools.ts';
import { endpoints } from '../../endpoints/index.ts';
import type { Catalogue } from './catalogue.ts';

const allNames: readonly string[] = [...endpoints, ...analysisTools].map(({ tool }) => tool);

/**
 * Texts for a reader who has some of the tools: sentences that send to a tool which the reader lacks
 * are left out. Lines stay lines.
 */
export function speakTo(catalogue: Pick<Catalogue, 'find'>): (text: string) => string {
  const lacking = allNames.filter((name) => catalogue.find(name) === undefined);
  if (lacking.length === 0) return (text) => text;
  const named = new RegExp(`\\b(?:${lacking.join('|')})\\b`);
  return (text) =>
    text
      .split('\n')
      .map((line) => (named.test(line) ? withoutSentences(line, named) : line))
      .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
      .join('\n');
}

/** Whether a text names a tool that the reader lacks. */
export function namesLacking(catalogue: Pick<Catalogue, 'find'>, text: string): boolean {
  return allNames.some(
    (name) => catalogue.find(name) === undefined && new RegExp(`\\b${name}\\b`).test(text),
  );
}

/** Parts end at a full stop, a semicolon or a colon that is followed by a space. */
function withoutSentences(line: string, named: RegExp): string {
  const kept = line.split(/(?<=[.;?!])\s+/).filter((sentence) => !named.test(sentence));
  return kept.join(' ').replace(/;$/, '.');
}
