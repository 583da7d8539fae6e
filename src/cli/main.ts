#!/usr/bin/env node
import { ignoreUnreadErrors } from './output.ts';
import { runCommandLine } from './run-command-line.ts';

ignoreUnreadErrors();
process.exitCode = await runCommandLine(process.argv.slice(2));
