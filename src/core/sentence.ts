/** A sentence for a reader. One that sends to a tool names it in `needs`: callers without that tool do not get it. */
export type Sentence = string | { readonly needs: string; readonly text: string };

/** A text: as it is, or as sentences of which some need a tool. */
export type Sentences = string | readonly Sentence[];

/** One text of the sentences that a caller gets: a space between them unless one begins with a line break. */
export function sentencesFor(sentences: Sentences, hasTool: (name: string) => boolean): string {
  if (typeof sentences === 'string') return sentences;
  const sayable = sentences.flatMap((it) => {
    if (typeof it === 'string') return [it];
    return hasTool(it.needs) ? [it.text] : [];
  });
  return sayable.join(' ').replaceAll(' \n', '\n').trim();
}
