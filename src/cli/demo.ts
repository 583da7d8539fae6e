import type { CommandLine } from './arguments.ts';
export async function demo(_: CommandLine): Promise<0> { return 0; }
