import { runCommandLine } from './run-command-line.ts';

// A failed write to stderr must not end the process.
process.stderr.on('error', () => {});
process.exitCode = await runCommandLine(process.argv.slice(2));
