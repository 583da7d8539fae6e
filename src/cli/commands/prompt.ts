import { toText } from '../../core/json.ts';
import { unknownName } from '../../core/nearest.ts';
import { fillPrompt, promptFolders, readPrompts } from '../../mcp/prompts/prompts.ts';
import { type CommandLine, readPairs, UsageError } from '../command-line.ts';
import { alignRows } from '../terminal/table.ts';
import { sayText } from '../terminal/text.ts';

/** Prints a prompt filled in, to paste into any assistant; without a name, those that there are. */
export async function prompt({ operands, flags, env }: CommandLine): Promise<0> {
  const [name, ...pairs] = operands;
  const own = flags.definitions ?? env.COMMERCE_DEFINITIONS;
  const prompts = await readPrompts(promptFolders(own), {
    warn: ({ reason }) => sayText(toText(reason), 'yellow'),
  });
  if (name === undefined) {
    const rows = prompts.map((it) => [
      it.name,
      it.arguments.map(({ name }) => name).join(),
      it.title,
    ]);
    console.log(alignRows(['prompt', 'takes', 'what it is'], rows).join('\n'));
    return 0;
  }
  const found = prompts.find((it) => it.name === name);
  const names = prompts.map((it) => it.name);
  if (found === undefined) throw new UsageError(unknownName('prompt', name, names));
  const known = found.arguments.map((it) => it.name);
  const args = Object.entries(readPairs(pairs, known)).map(([key, it]) => [key, toText(it)]);
  console.log(fillPrompt(found, Object.fromEntries(args)));
  return 0;
}
