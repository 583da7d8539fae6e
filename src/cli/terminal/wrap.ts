import stringWidth from 'string-width';

/**
 * Lines of at most `width` cells, broken at spaces and where the text breaks itself; without a width
 * there alone. A longer word stays whole.
 */
export function wrap(text: string, width = Number.POSITIVE_INFINITY): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, width));
}

function wrapLine(text: string, width: number): string[] {
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
