/** The lines that go (`-`) and come (`+`) between two texts; those around them are nobody's matter here. */
export function changedLines(before: string, after: string): string[] {
  const [old, fresh] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const gone = old.slice(head, old.length - tail);
  const come = fresh.slice(head, fresh.length - tail);
  // The last line of a text is empty, and says nothing.
  return [
    ...gone.filter((line) => before.trim() !== '' || line !== '').map((line) => `- ${line}`),
    ...come.map((line) => `+ ${line}`),
  ].map(coverSecrets);
}

const secretWords = 'secret|token|password|passwd|api_?key|authorization|credential';

/** A line on which values of keys that speak of secrets are covered; references and paths to files stay. */
function coverSecrets(line: string): string {
  const pair = new RegExp(
    `((?:"[^"]*(?:${secretWords})[^"]*"|[\\w.-]*(?:${secretWords})[\\w.-]*)\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^\\s,"'{\\[]+)`,
    'gi',
  );
  return line.replace(pair, (whole, key: string, value: string) =>
    /_FILE"?\s*[:=]/i.test(key) || /^["']?\$/.test(value) ? whole : `${key}"…"`,
  );
}
