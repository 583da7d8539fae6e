#!/usr/bin/env node
import nodeModule from 'node:module';
import { runCommandLine } from './run-command-line.ts';

// Node 22.1 and later keeps compiled code between starts.
const enableCompileCache: unknown = Reflect.get(nodeModule, 'enableCompileCache');
if (typeof enableCompileCache === 'function') enableCompileCache();
// A failure to write to stderr stops nothing: the answer still arrives, and others are still served.
process.stderr.on('error', () => {});
process.exitCode = await runCommandLine(process.argv.slice(2));
