import { once } from 'node:events';
import { ConfigError, settings } from '../../config/config.ts';
import type { CommandLine, UsageError } from '../command-line.ts';
import { usageMessages } from '../messages.ts';
import { openApp } from '../open-app.ts';
import { programPath, stopSignal } from '../program.ts';

export async function stdio(line: CommandLine): Promise<0> {
  // Loads the protocol while the platform is asked for its description.
  const [{ app, close }, { serveOverStdio }] = await Promise.all([
    openApp(line),
    import('../../mcp/stdio/serve.ts'),
  ]);
  await closeAtEnd(serveOverStdio(app));
  await close();
  return 0;
}

/** Serves a client although settings are unusable: each call is answered with their problems. */
export async function refuseOverStdio(error: ConfigError | UsageError): Promise<void> {
  const [{ serveFrames }, { createRefusingServer }] = await Promise.all([
    import('../../mcp/stdio/serve.ts'),
    import('../../mcp/server/refusing-server.ts'),
  ]);
  const problems = error instanceof ConfigError ? formProblems(error) : [error.reason.text];
  const { text } = usageMessages.not_set_up({ problems, program: programPath() });
  await closeAtEnd(
    serveFrames(
      () => createRefusingServer(text),
      () => {},
    ),
  );
}

async function closeAtEnd({ ended, close }: { ended: Promise<void>; close(): Promise<void> }) {
  await Promise.race([ended, once(stopSignal(), 'abort')]);
  await close();
}

/** Problems of settings. Begins with the title that a form of a client shows for a setting of an account. */
function formProblems({ problems }: ConfigError): string[] {
  return problems.map(({ name, problem: { code, text } }) => {
    const field = settings.find(
      ({ group, variable, fileVariable, flag }) =>
        group === 'account' && [variable, fileVariable, `--${flag}`].includes(name),
    );
    const subject = field === undefined ? name : `${field.about} (${name})`;
    return `${subject} ${code === 'missing_setting' ? 'is empty' : text}.`;
  });
}
