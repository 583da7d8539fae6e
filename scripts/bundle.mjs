// Makes commerce-mcp.mcpb, which desktop clients install with a double click, from the built dist/.
// `--stage FOLDER` only lays its files out in FOLDER, as they come out of the bundle again;
// `--dist FOLDER` takes what was built into another folder.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** Fetched when a bundle is made and not before: it brings 55 packages. */
const packer = '@anthropic-ai/mcpb@2.1.2';
const bundle = 'commerce-mcp.mcpb';
const contents = ['prompts', 'manifest.json', 'icon.png', 'LICENSE', 'README.md'];

const { values } = parseArgs({
  options: { stage: { type: 'string' }, dist: { type: 'string', default: 'dist' } },
});
if (values.stage !== undefined) await stage(resolve(values.stage));
else await pack();

async function stage(folder) {
  await mkdir(folder, { recursive: true });
  await cp(values.dist, join(folder, 'dist'), { recursive: true });
  for (const path of contents) await cp(path, join(folder, path), { recursive: true });
  // What is needed of package.json: it says that the files of dist/ are modules.
  const { name, version, type } = JSON.parse(await readFile('package.json', 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name, version, type })}\n`);
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
