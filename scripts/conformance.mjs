// `npm run conformance`: runs the MCP conformance suite against the built server over HTTP, with the sandbox behind it, in
// both eras of the protocol. conformance.yml excepts the checks that need a server made for the suite, or capabilities that
// this one does not declare. Needs the npm registry, for Node 22 too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Only prereleases know the 2026-07-28 revision so far. */
const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const examine = ['-y', '-p', 'node@22', '-p', suite, 'conformance', 'server', '--suite', 'all'];

const server = spawn(process.execPath, ['dist/cli.js', 'http', '--sandbox', '--port', '0'], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
for await (const line of createInterface(server.stderr)) {
  const [, url] = /serves (http:\S+)/.exec(line) ?? [];
  if (url === undefined) continue;
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const excepted = ['--expected-failures', 'scripts/conformance.yml'];
    const options = ['--url', url, '--spec-version', revision, ...excepted];
    const [code] = await once(
      spawn('npx', [...examine, ...options], { stdio: 'inherit' }),
      'close',
    );
    if (code !== 0) process.exitCode = 1;
  }
  server.kill();
}
