#!/usr/bin/env node
import { ConfigError } from '../config.ts';
import { type CommandLine, readCommandLine, UsageError } from './arguments.ts';

/** Section "Command line" of the README: 0 done, 1 failed, 2 wrong usage or configuration. */
type ExitCode = 0 | 1 | 2;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    const line = readCommandLine(argv);
    if (line.switches.has('version')) {
      const { version } = await import('./open-app.ts');
      console.log(version);
      return 0;
    }
    if (line.switches.has('help')) {
      const { usage } = await import('./usage.ts');
      console.log(usage(argv[0]?.startsWith('-') ? undefined : line.command));
      return 0;
    }
    return await run(line);
  } catch (error) {
    return report(error);
  }
}

/** Each command is loaded when it is asked for: start-up pays for one. */
async function run(line: CommandLine): Promise<ExitCode> {
  switch (line.command) {
    case 'stdio':
      return (await import('./commands/stdio.ts')).stdio(line);
    case 'http':
      return (await import('./commands/http.ts')).http(line);
    case 'call':
      return (await import('./commands/call.ts')).call(line);
    case 'tools':
      return (await import('./commands/tools.ts')).tools(line);
    case 'sandbox':
      return (await import('./commands/sandbox.ts')).sandbox(line);
    case 'doctor':
      return (await import('./commands/doctor/doctor.ts')).doctor(line);
    case 'demo':
      return (await import('./commands/demo/demo.ts')).demo(line);
  }
}

async function report(error: unknown): Promise<ExitCode> {
  if (error instanceof UsageError) {
    console.error(`commerce-mcp: ${error.message}\ncommerce-mcp --help shows how it is used.`);
    return 2;
  }
  if (error instanceof ConfigError) {
    const { explainConfig } = await import('./open-app.ts');
    console.error(explainConfig(error));
    return 2;
  }
  console.error(`commerce-mcp: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
}
