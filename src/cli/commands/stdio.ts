import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { untilAsked } from '../process.ts';

/** Serves one client over stdio until it closes its end, or the process is asked to stop. */
export async function stdio(line: CommandLine): Promise<0> {
  const opening = openApp(line);
  // The protocol is loaded while the platform is asked for its description.
  const { serveOverStdio } = await import('../../mcp/stdio/serve.ts');
  const { app, close } = await opening;
  const serving = serveOverStdio(app);
  await Promise.race([serving.ended, untilAsked()]);
  await serving.close();
  await close();
  return 0;
}
