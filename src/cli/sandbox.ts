import type { CommandLine } from './arguments.ts';
export async function sandbox(_: CommandLine): Promise<0> { return 0; }
