import stringWidth from 'string-width';

/**
 * Lines of at most `width` cells, broken at spaces and at the text's own line ends; without a width only
 * at the latter. The indentation of a line is that of its continuations, and a longer word stays whole.
 */
export function wrap(text: string, width = Number.POSITIVE_INFINITY): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    return wrapLine(line.trim(), width - indent.length).map((it) => indent + it);
  });
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
