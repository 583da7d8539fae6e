#!/usr/bin/env node
import nodeModule from 'node:module';
import { ConfigError } from '../config.ts';
import { readCommandLine } from './arguments.ts';
import { type ExitCode, UsageError } from './command-line.ts';
import { commands } from './commands.ts';
import { guardOutput, ignoreUnreadErrors } from './output.ts';

rememberCompiled();
ignoreUnreadErrors();
process.exitCode = await main(process.argv.slice(2));

/** Node 22.1 and later keeps compiled code between starts; where it cannot, nothing changes. */
function rememberCompiled(): void {
  const enable: unknown = Reflect.get(nodeModule, 'enableCompileCache');
  if (typeof enable === 'function') enable();
}

async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    const line = readCommandLine(argv);
    // The stdout of a server belongs to the protocol, which knows what the end of it means.
    const isAbout = line.switches.has('version') || line.switches.has('help');
    if (isAbout || (line.command !== 'stdio' && line.command !== 'http')) guardOutput();
    if (line.switches.has('version')) {
      const { version } = await import('./open-app.ts');
      console.log(version);
      return 0;
    }
    if (line.switches.has('help')) {
      const { usage } = await import('./usage.ts');
      console.log(usage(line.isNamed ? line.command : undefined));
      return 0;
    }
    return await commands[line.command].run(line);
  } catch (error) {
    return report(error);
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
