// Runs the MCP conformance suite on Node 22 against the built server over HTTP, with the sandbox behind
// it, in both eras of the protocol: each server scenario by name, with its verdict or why it does not
// apply. Needs the npm registry once.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { foreignChecks, foreignScenarios } from './conformance-scope.mjs';

/** Only prereleases know the 2026-07-28 revision so far. */
const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const revisions = ['2025-11-25', '2026-07-28'];

/** Applies to every message of a server, also in foreign scenarios. */
const alwaysApplies = 'wire-schema-valid';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const suiteScenarios = await scenarios();
const folder = await mkdtemp(join(tmpdir(), 'commerce-mcp-conformance-'));
const server = spawn(process.execPath, [program, 'http', '--sandbox', '--port', '0'], {
  stdio: ['ignore', 'ignore', 'pipe'],
  env: Object.fromEntries(
    Object.entries(process.env).filter(([it]) => !it.startsWith('COMMERCE_')),
  ),
});
let failed = 0;
try {
  const url = await addressOf(server);
  for (const revision of revisions) {
    console.log(`\n${revision}`);
    const output = join(folder, revision);
    await examine(url, revision, output);
    for (const { name } of await scenarios('--spec-version', revision))
      report(name, await checksOf(output, name));
  }
  console.log('\nextensions');
  for (const { name, tags } of suiteScenarios)
    if (tags === 'extension') print('n/a', name, 'an extension, which the server does not declare');
  for (const name of Object.keys(foreignScenarios))
    if (!suiteScenarios.some((scenario) => scenario.name === name))
      fail(name, 'is no scenario of the suite any more');
} finally {
  if (server.exitCode === null) {
    server.kill();
    await once(server, 'close');
  }
  await rm(folder, { recursive: true });
}
console.log(failed === 0 ? '\nall that applies passes' : `\n${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function report(name, checks) {
  const needed = foreignScenarios[name];
  const applies = ({ id }) =>
    needed === undefined ? !(id in foreignChecks) : id === alwaysApplies;
  const judged = checks.filter(applies);
  const passed = judged.filter(({ status }) => status === 'SUCCESS').length;
  // A broken SHOULD is a warning of the suite; here it fails.
  const wrong = judged.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (wrong.length > 0 || checks.length === 0)
    fail(name, `${passed} checks passed, these did not:`);
  else if (needed !== undefined) print('n/a', name, `needs ${needed}`);
  else if (passed === 0) fail(name, 'has checked nothing');
  else print('ok', name, `${passed} passed`);
  for (const { id, errorMessage } of wrong) print('', `  ${id}`, errorMessage);
  if (needed !== undefined) return;
  for (const { id, status, details } of checks)
    if (id in foreignChecks) print('n/a', `  ${id}`, `needs ${foreignChecks[id]}`);
    else if (status === 'SKIPPED' || status === 'INFO')
      print('n/a', `  ${id}`, details?.message ?? details?.note ?? '');
}

function fail(name, remark) {
  failed += 1;
  print('FAILED', name, remark);
}

function print(verdict, name, remark) {
  console.log(`${verdict.padEnd(7)}${name.padEnd(62)}${remark}`);
}

/** Runs every scenario of a revision. The verdict of the suite is ignored, since it counts foreign scenarios. */
async function examine(url, revision, output) {
  const options = ['--url', url, '--suite', 'all', '--spec-version', revision, '-o', output];
  await conformance('server', ...options).catch((error) => {
    if (error.code !== 1) throw error;
  });
}

/** Checks of a scenario; none where it did not run. */
async function checksOf(output, scenario) {
  const runs = await readdir(output);
  const folderName = runs.find(
    (run) => run.replace(/-\d{4}-\d\d-\d\dT.*$/, '') === `server-${scenario}`,
  );
  if (folderName === undefined) return [];
  return JSON.parse(await readFile(join(output, folderName, 'checks.json'), 'utf8'));
}

/** Server scenarios with the revisions that they belong to. */
async function scenarios(...options) {
  const listed = await conformance('list', '--server', ...options);
  const matches = [...listed.matchAll(/^ +- (\S+) \[(.+)\]$/gm)];
  if (matches.length === 0) throw new Error(`the suite lists no scenario: ${listed}`);
  return matches.map(([, name, tags]) => ({ name, tags }));
}

/** Runs a command of the suite and gives its output. */
async function conformance(...args) {
  const npx = ['-y', '-p', 'node@22', '-p', suite, 'conformance', ...args];
  return (await run('npx', npx, { maxBuffer: 64 * 2 ** 20 })).stdout;
}

/** Reads all output: a server stops at a full pipe. */
function addressOf(child) {
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      if (printed.length < 10_000) printed += chunk;
      const url = /serves (http:\S+)/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => reject(new Error(`the server ended: ${printed}`)));
  });
}
