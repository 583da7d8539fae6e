import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { untilAsked } from '../process.ts';

/** Serves one client over stdio until it closes its end, or the process is asked to stop. */
export async function stdio(line: CommandLine): Promise<0> {
  // The protocol is loaded while the platform is asked for its description.
  const [{ app, close }, { serveOverStdio }] = await Promise.all([
    openApp(line),
    import('../../mcp/stdio/serve.ts'),
  ]);
  const serving = serveOverStdio(app);
  await Promise.race([serving.ended, untilAsked()]);
  await serving.close();
  await close();
  return 0;
}
