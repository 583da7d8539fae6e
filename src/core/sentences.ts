/** A sentence for a model; one that sends its reader to a tool is only for readers who have that tool. */
export type Sentence = string | { readonly needs: string; readonly text: string };

/** A text: as it is, or as sentences of which some need a tool. */
export type Sentences = string | readonly Sentence[];

/**
 * The text for a reader who has some of the tools: the sentences that remain, with a space between
 * them unless one begins with a line break.
 */
export function sentencesFor(sentences: Sentences, has: (tool: string) => boolean): string {
  if (typeof sentences === 'string') return sentences;
  return sentences
    .flatMap((it) => (typeof it === 'string' ? [it] : has(it.needs) ? [it.text] : []))
    .join(' ')
    .replaceAll(' \n', '\n')
    .trim();
}
