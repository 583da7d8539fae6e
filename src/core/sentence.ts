/** A sentence for a reader. One that sends to a tool names it in `needs`: callers without that tool do not get it. */
export type Sentence = string | { readonly needs: string; readonly text: string };

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
