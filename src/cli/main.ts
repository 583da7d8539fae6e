#!/usr/bin/env node
import nodeModule from 'node:module';
import { ignoreUnreadErrors } from './process.ts';
import { runCommandLine } from './run-command-line.ts';

rememberCompiled();
ignoreUnreadErrors();
process.exitCode = await runCommandLine(process.argv.slice(2));

/** Node 22.1 and later keeps compiled code between starts; where it cannot, nothing changes. */
function rememberCompiled(): void {
  const enable: unknown = Reflect.get(nodeModule, 'enableCompileCache');
  if (typeof enable === 'function') enable();
}
