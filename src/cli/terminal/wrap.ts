import stringWidth from 'string-width';

/** Lines of at most `width` cells, broken at spaces; one line without a width. A longer word stays whole. */
export function wrap(text: string, width = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
