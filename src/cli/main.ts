import { runCommandLine } from './run-command-line.ts';

// A failure to write to stderr stops nothing: the answer still arrives, and others are still served.
process.stderr.on('error', () => {});
process.exitCode = await runCommandLine(process.argv.slice(2));
