import { parse, stringify, TomlError } from 'smol-toml';
import { BrokenFileError, type Format, lineEndOf, type Step } from './format.ts';

/**
 * TOML: a table is its lines from its header to the next one, so that it is put in, put in the place of
 * another and taken out without a word elsewhere being written anew.
 */
export const toml: Format = {
  parse(text) {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new BrokenFileError(`line ${error.line}: ${error.message.split('\n', 1)[0]}`);
    }
  },
  edit(text, { path, value }) {
    const eol = lineEndOf(text);
    const lines = text.split(eol);
    const owned = joinedRanges(lines, linesOf(lines, path));
    const begin = owned[0]?.from ?? lines.length;
    const kept = lines.filter((_, at) => !owned.some(({ from, to }) => at >= from && at < to));
    if (value === undefined) return closeGap(kept, begin).join(eol);
    const table = render(path, value);
    if (owned.length > 0)
      return [...kept.slice(0, begin), ...table, ...kept.slice(begin)].join(eol);
    while (kept.at(-1)?.trim() === '') kept.pop();
    return [...kept, ...(kept.length > 0 ? [''] : []), ...table, ''].join(eol);
  },
};

interface Range {
  from: number;
  to: number;
}

/** The lines of a table and the tables within it; what is remarked before the next header is the next one's. */
function linesOf(lines: readonly string[], path: Step['path']): Range[] {
  const isQuoted = quotedLines(lines);
  const headers = lines.flatMap((line, at) => {
    const keys = isQuoted[at] ? undefined : headerKeys(line);
    return keys === undefined ? [] : [{ at, keys }];
  });
  return headers.flatMap(({ at, keys }, index) => {
    if (!path.every((key, depth) => keys[depth] === key)) return [];
    let to = headers[index + 1]?.at ?? lines.length;
    while (to > at + 1 && /^\s*(#.*)?$/.test(lines[to - 1] ?? '')) to -= 1;
    return [{ from: at, to }];
  });
}

/** Ranges with nothing but empty lines between them as one. */
function joinedRanges(lines: readonly string[], ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    const between = last && lines.slice(last.to, range.from);
    if (last && between?.every((line) => line.trim() === '')) last.to = range.to;
    else joined.push({ ...range });
  }
  return joined;
}

/** Which lines begin within a text of several lines, where nothing is a header. */
function quotedLines(lines: readonly string[]): boolean[] {
  let open: string | undefined;
  return lines.map((line) => {
    const isWithin = open !== undefined;
    for (const [mark] of line.matchAll(/"""|'''/g)) {
      if (open === undefined) open = mark;
      else if (open === mark) open = undefined;
    }
    return isWithin;
  });
}

/** The keys of a header such as `[mcp_servers."a.b"]`; undefined for any other line. */
function headerKeys(line: string): string[] | undefined {
  if (!/^\s*\[[^[].*\]\s*(#.*)?$/.test(line)) return undefined;
  try {
    const keys: string[] = [];
    let table: unknown = parse(line);
    while (typeof table === 'object' && table !== null) {
      const [entry] = Object.entries(table);
      if (entry === undefined) break;
      keys.push(entry[0]);
      table = entry[1];
    }
    return keys;
  } catch {
    return undefined;
  }
}

function render(path: Step['path'], value: unknown): string[] {
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return stringify(nested).trim().split('\n');
}

/** Where a table was taken out between two others one empty line is enough. */
function closeGap(lines: readonly string[], at: number): string[] {
  const isDouble = lines[at]?.trim() === '' && (at === 0 || lines[at - 1]?.trim() === '');
  return isDouble ? lines.filter((_, index) => index !== at) : [...lines];
}
