// Which parts of the program a call spends its time in, by a profile of its main thread.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The parts of the program in which a server was busy, the largest first: `client/request 18%`.
 * @param {(flags: string[]) => Promise<void>} run starts a server with these flags of node, asks it and closes it
 */
export async function stagesOf(run, count = 6) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-bench-'));
  try {
    await run(['--cpu-prof', `--cpu-prof-dir=${folder}`]);
    const [file] = await readdir(folder);
    return await readStages(join(folder, file), count);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads a profile by parts of the program, or where that is wished by functions of one part. */
export async function readStages(file, count) {
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(file, 'utf8'));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map();
  for (const [at, id] of samples.entries()) {
    const stage = await stageOf(frames.get(id));
    if (stage) times.set(stage, (times.get(stage) ?? 0) + timeDeltas[at]);
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([stage, time]) => `${stage} ${Math.round((100 * time) / all)}%`)
    .join(', ');
}

/** Neither of these is work of the server: a write lasts as long as its reader is slow. */
const noWork = ['(idle)', '(root)', '(program)', 'writeUtf8String', 'writeLatin1String'];
const maps = new Map();

async function stageOf({ functionName, url, lineNumber, columnNumber }) {
  if (noWork.includes(functionName)) return undefined;
  if (functionName === '(garbage collector)') return 'garbage';
  if (!url.startsWith('file:')) return 'node';
  if (!maps.has(url)) maps.set(url, readMap(fileURLToPath(url)));
  const map = await maps.get(url);
  const { originalSource = url } = map?.findEntry(lineNumber, columnNumber) ?? {};
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(originalSource) ?? [];
  return library ?? /src\/(.*)\/[^/]+$/.exec(originalSource)?.[1] ?? 'node';
}

async function readMap(file) {
  const text = await readFile(`${file}.map`, 'utf8').catch(() => undefined);
  return text && new SourceMap(JSON.parse(text));
}
