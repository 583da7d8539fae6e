import { isMap, isScalar, type Pair, parseDocument, stringify } from 'yaml';
import { isRecord } from '../../../../core/json.ts';
import { BrokenFileError, type Format, lineEndOf, type Step } from './format.ts';

/** YAML: an entry of a block is its lines; other forms are written anew with their comments. */
export const yaml: Format = {
  parse(text) {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error)
      throw new BrokenFileError(
        `line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n', 1)[0]}`,
      );
    const content: unknown = document.toJS() ?? {};
    if (!isRecord(content)) throw new BrokenFileError('it holds no map');
    return content;
  },
  edit(text, step) {
    return editBlock(text, step) ?? rewrite(text, step);
  },
};

/** The text with one entry of a block map put in, replaced or taken out; undefined where it is no block. */
function editBlock(text: string, { path, value }: Step): string | undefined {
  const [group, name, ...deeper] = path;
  const document = parseDocument(text);
  if (typeof group !== 'string' || typeof name !== 'string' || deeper.length > 0) return undefined;
  const eol = lineEndOf(text);
  if (document.contents === null || (isMap(document.contents) && !document.has(group)))
    return value === undefined ? undefined : append(text, { [group]: { [name]: value } }, eol);
  const block = document.get(group);
  if (!isMap(block) || block.flow || block.items.length === 0) return undefined;
  const [first] = block.items;
  const margin = first && marginOf(text, first);
  const known = block.items.find((pair) => keyOf(pair) === name);
  if (margin === undefined || (value === undefined && block.items.length === 1)) return undefined;
  const last = known ?? block.items.at(-1);
  const from = known ? lineStart(text, startOf(known)) : endOf(text, last);
  const to = endOf(text, last);
  const entry = value === undefined ? '' : indented(stringify({ [name]: value }), margin, eol);
  const gap = from > 0 && text[from - 1] !== '\n' ? eol : '';
  return `${text.slice(0, from)}${gap}${entry}${text.slice(to)}`;
}

function rewrite(text: string, { path, value }: Step): string {
  const document = parseDocument(text);
  const [group, name = ''] = path;
  if (value === undefined) document.deleteIn(path);
  else if (isMap(document.get(group))) document.setIn(path, document.createNode(value));
  else document.set(group, document.createNode({ [name]: value }));
  return document.toString({ lineWidth: 0 }).replaceAll('\n', lineEndOf(text));
}

function append(text: string, value: unknown, eol: string): string {
  const gap = text === '' || text.endsWith('\n') ? '' : eol;
  return `${text}${gap}${indented(stringify(value), '', eol)}`;
}

function indented(text: string, margin: string, eol: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `${line === '' ? '' : margin}${line}${eol}`)
    .join('');
}

function keyOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : undefined;
}

function startOf({ key }: Pair): number {
  return isScalar(key) ? (key.range?.[0] ?? 0) : 0;
}

/** Where the line after an entry begins; a remark behind its last value belongs to it. */
function endOf(text: string, pair: Pair | undefined): number {
  const node = pair?.value ?? pair?.key;
  const end = isRange(node) ? node.range[1] : text.length;
  if (text[end - 1] === '\n') return end;
  const next = text.indexOf('\n', end);
  return next < 0 ? text.length : next + 1;
}

function isRange(node: unknown): node is { range: [number, number, number] } {
  return isRecord(node) && Array.isArray(node.range);
}

function marginOf(text: string, pair: Pair): string | undefined {
  const start = startOf(pair);
  const margin = text.slice(lineStart(text, start), start);
  return /^[ \t]+$/.test(margin) ? margin : undefined;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}
