// Writes the licences of all packages whose code is in the build.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licences that allow code in a program of another licence, with their notice. */
const allowed = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  '0BSD',
  'BlueOak-1.0.0',
]);

/** Names of files with a licence. */
const licenceFile = /^(licen[cs]e|copying|notice)([-.].*)?$/i;

/**
 * @param {Iterable<string>} inputs paths of every file that went into the build
 * @throws where a package has a licence that is not allowed, or none
 */
export function writeLicences(inputs, outfile) {
  const folders = [...new Set([...inputs].flatMap((path) => folderOf(path) ?? []))].sort();
  const packages = folders.map(readPackage);
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  if (refused.length > 0)
    throw new Error(
      `not on the list of allowed licences: ${refused.map(({ name, licence }) => `${name} (${licence})`).join(', ')}`,
    );
  const parts = packages.map(
    ({ name, version, licence, text }) => `${name} ${version} (${licence})\n\n${text}`,
  );
  const head = 'commerce-mcp holds code of the packages below, each under the licence beside it.';
  writeFileSync(outfile, `${[head, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
  return packages.map(({ name }) => name);
}

/** The folder of the package that a file belongs to; undefined for files of ours. */
export function folderOf(path) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

/** An OR is allowed if one side is. */
export function isAllowed(licence) {
  return licence
    .replace(/[()]/g, '')
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((one) => allowed.has(one)));
}

function readPackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => licenceFile.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const licence = typeof license === 'string' ? license : 'none';
  return { name, version, licence, text: texts.join('\n\n') || `Licensed as ${licence}.` };
}
