// `npm run check:arrows`: refuses each import in src, types included, that the arrows of docs/architecture.md do not
// allow, each folder that they do not name or that has more than 16 files, and arrows in a circle.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const page = 'docs/architecture.md';
const maxFiles = 16;

/**
 * Faults of the imports of `src`, as sentences.
 * @param {{ file: string, source: string }[]} files named as `query/engine.ts`
 * @param {string} text the page: docs/architecture.md#the-rooms explains its arrows
 */
export function findRefusals(files, text) {
  const lines = readArrows(text);
  const names = new Set(lines.flat(2));
  const folders = new Set(files.map(({ file }) => posix.dirname(file)));

  const refused = files.flatMap(({ file, source }) => {
    const specifiers = [...source.matchAll(/\b(?:from|import)\s*\(?\s*(['"])(.+?)\1/g)];
    const targets = new Set(specifiers.map(([, , specifier]) => targetOf(specifier, file)));
    return [...targets]
      .filter((target) => names.has(target) || folders.has(posix.dirname(target)))
      .filter((target) => !allows(lines, file, target))
      .map((target) => `${file} imports ${target}: no arrow of ${page} leads there`);
  });
  const unnamed = [...folders]
    .filter((folder) => ![...names].some((name) => `${name}/`.startsWith(`${folder}/`)))
    .map((folder) => `${folder} has no arrow in ${page}`);
  const circle = findCircle(lines, files);
  const circles =
    circle.length > 0 ? [`Arrows of ${page} run in a circle: ${circle.join(', ')}`] : [];
  const crowded = [...folders]
    .filter(
      (folder) => files.filter(({ file }) => posix.dirname(file) === folder).length > maxFiles,
    )
    .map(
      (folder) =>
        `${folder} has more than ${maxFiles} files: give it a folder for what belongs together`,
    );
  return [...refused, ...unnamed, ...crowded, ...circles];
}

/** Lines of the block of arrows, each as levels of names from left to right. */
function readArrows(text) {
  const [, block = ''] = /^```arrows\n(.*?)^```$/ms.exec(text) ?? [];
  const lines = block.split('\n').filter((line) => line.includes('->'));
  return lines.map((line) => {
    const [, room = '', chain] = /^(?:([\w/-]+):)?(.*)$/.exec(line);
    return chain.split('->').map((level) => {
      const names = level.split(/,(?![^{]*\})/).flatMap((name) => spread(name.trim()));
      return names.map((name) => posix.join(room, name));
    });
  });
}

/** `a/{b,c}` as `a/b` and `a/c`. */
function spread(name) {
  const [, start, names, end] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return names === undefined ? [name] : names.split(',').map((part) => start + part + end);
}

/** `node:fs` belongs to `node:`, `@duckdb/node-api` to `@duckdb`; `./rows.ts` is a file of `src`. */
function targetOf(specifier, file) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  return /^(?:node:|[^/]+)/.exec(specifier)[0];
}

function allows(lines, file, target) {
  const isNear = posix.dirname(file) === posix.dirname(target);
  return isNear
    ? !lines.some((line) => runsAlong(line, target, file))
    : lines.some((line) => runsAlong(line, file, target));
}

function runsAlong(line, from, to) {
  const level = levelOf(line, from);
  return level >= 0 && level < levelOf(line, to);
}

/** The level of a file or package in a line, by its longest name there; -1 for none. */
function levelOf(line, target) {
  const path = target.split('/');
  const folders = path.map((_, index) => path.slice(0, index + 1).join('/')).reverse();
  const own = `${posix.dirname(target)}/*.ts`;
  const name = [target, own, ...folders].find((name) => line.some((level) => level.includes(name)));
  return line.findIndex((level) => level.includes(name));
}

/**
 * Removes parts without an arrow to another part until all have one: the rest is in circles. Gives one file of each.
 */
function findCircle(lines, files) {
  const levels = files.map(({ file }) => [file, lines.map((line) => levelOf(line, file))]);
  let left = [...new Map(levels.map(([file, at]) => [at.join(), { file, at }])).values()];
  const leads = (from, to) => from.at.some((level, line) => level >= 0 && level < to.at[line]);
  for (let count = Infinity; left.length < count; ) {
    count = left.length;
    left = left.filter((from) => left.some((to) => leads(from, to)));
  }
  return left.map(({ file }) => file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = readdirSync('src', { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && file.includes('/'))
    .map((file) => ({ file, source: readFileSync(`src/${file}`, 'utf8') }));
  const refusals = findRefusals(files, readFileSync(page, 'utf8'));
  for (const refusal of refusals) console.error(refusal);
  if (refusals.length > 0) process.exitCode = 1;
}
