import { once } from 'node:events';
import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';

/** Serves one client over stdio until it closes its end, or the process is asked to stop. */
export async function stdio(line: CommandLine): Promise<0> {
  // Loads the protocol while the platform is asked for its description.
  const [{ app, close }, { serveOverStdio }] = await Promise.all([
    openApp(line),
    import('../../mcp/stdio/serve.ts'),
  ]);
  const serving = serveOverStdio(app);
  await Promise.race([serving.ended, once(stopSignal(), 'abort')]);
  await serving.close();
  await close();
  return 0;
}
