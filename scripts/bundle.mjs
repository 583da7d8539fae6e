// Makes commerce-mcp-PLATFORM.mcpb, which desktop clients install with a double click, from the built dist/.
// It holds the query engine of the platform that it is made on: that of all platforms would be 500 MB.
// `--stage FOLDER` only lays its files out in FOLDER, as they come out of the bundle again;
// `--dist FOLDER` takes what was built into another folder.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Fetched only to make a bundle, because it brings 55 packages. */
const packer = '@anthropic-ai/mcpb@2.1.2';
const bundle = `commerce-mcp-${process.platform}-${process.arch}.mcpb`;
const contents = ['prompts', 'briefs', 'definitions', 'icon.png', 'LICENSE', 'README.md'];

/** Packages of the engine beside its native part. */
const engine = ['@duckdb/node-api', '@duckdb/node-bindings', 'detect-libc'];

const { values } = parseArgs({
  options: { stage: { type: 'string' }, dist: { type: 'string', default: 'dist' } },
});
if (values.stage !== undefined) await stage(resolve(values.stage));
else await pack();

async function stage(folder) {
  await mkdir(folder, { recursive: true });
  const filter = (path) => !path.endsWith('.map');
  await cp(values.dist, join(folder, 'dist'), { recursive: true, filter });
  for (const path of contents) await cp(path, join(folder, path), { recursive: true });
  const manifest = JSON.parse(await readFile('manifest.json', 'utf8'));
  manifest.compatibility.platforms = [process.platform];
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await stageEngine(folder);
  // package.json tells Node that the files of dist/ are modules.
  const { name, version, type } = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name, version, type })}\n`);
}

async function stageEngine(folder) {
  const native = (await readdir('node_modules/@duckdb')).filter((name) =>
    name.startsWith(`node-bindings-${process.platform}-${process.arch}`),
  );
  if (native.length === 0)
    throw new Error('the query engine is not installed: npm ci, with optional parts');
  // A bundle of every C library of Linux would hold the engine twice.
  for (const name of [...engine, `@duckdb/${native[0]}`])
    await cp(join('node_modules', name), join(folder, 'node_modules', name), {
      recursive: true,
      filter: (path) => !/\.(d\.ts|map)$/.test(path) && basename(path) !== 'README.md',
    });
}

async function pack() {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-bundle-'));
  try {
    const staged = join(folder, 'staged');
    const unpacked = join(folder, 'unpacked');
    await stage(staged);
    mcpb('validate', join(staged, 'manifest.json'));
    mcpb('pack', staged, bundle);
    mcpb('unpack', bundle, unpacked);
    const [before, after] = [await list(staged), await list(unpacked)];
    if (before.join('\n') !== after.join('\n'))
      throw new Error(`${bundle} does not hold what was put into it`);
    const { size } = await stat(bundle);
    console.log(`${bundle}: ${(size / 1e6).toFixed(1)} MB, for this platform alone

Open it with a double click (or in Claude Desktop: Settings, Extensions, Advanced settings, Install extension) and
fill in the four values of an API key; or switch on "Try it with invented data" and leave them empty.
Then ask: What was yesterday's turnover, per shop?`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function mcpb(...args) {
  const isWindows = process.platform === 'win32';
  execFileSync('npx', ['-y', packer, ...args], { stdio: 'inherit', shell: isWindows });
}

async function list(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .sort();
}
