import { type CommandLine, UsageError } from '../../command-line.ts';
import { type Completed, candidates } from './candidates.ts';
import { isShell, script, shells } from './scripts.ts';

/** Prints what a shell sources to complete commands, or with `words` what may stand in the last of them. */
export async function completion(
  { operands, env }: CommandLine,
  commands: Readonly<Record<string, Completed>>,
): Promise<0> {
  const [shell = '', ...words] = operands;
  if (shell === 'words') {
    const found = await candidates(words, { commands, env });
    if (found.length > 0) console.log(found.join('\n'));
    return 0;
  }
  if (!isShell(shell))
    throw new UsageError(`completion is for ${shells.join(', ')}, such as: completion bash`);
  console.log(script(shell));
  return 0;
}
