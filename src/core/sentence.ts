/** A sentence for a reader. One that sends to a tool names it in `needs`: callers without that tool do not get it. */
export type Sentence = string | { readonly needs: string; readonly text: string };

/** A text: as it is, or as sentences of which some need a tool. */
export type Sentences = string | readonly Sentence[];

/** The sentences that a caller gets, given which tools they have. */
export function sayable(
  sentences: readonly Sentence[],
  hasTool: (name: string) => boolean,
): string[] {
  return sentences.flatMap((sentence) => {
    if (typeof sentence === 'string') return [sentence];
    return hasTool(sentence.needs) ? [sentence.text] : [];
  });
}

/** One text of the sentences that a caller gets: a space between them unless one begins with a line break. */
export function sentencesFor(sentences: Sentences, hasTool: (name: string) => boolean): string {
  if (typeof sentences === 'string') return sentences;
  return sayable(sentences, hasTool).join(' ').replaceAll(' \n', '\n').trim();
}
