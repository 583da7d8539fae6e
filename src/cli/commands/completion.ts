import { referenceSpaces } from '../../analysis/reference/reference.ts';
import { periodWords } from '../../core/periods.ts';
import { neutralise } from '../../core/text.ts';
import { Catalogue } from '../../mcp/tools/catalogue.ts';
import { namesAccount } from '../account.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { ownCommand, programPath, shellWord } from '../program.ts';
import { clients } from './connect/clients.ts';

/** Prints what a shell sources to complete commands, or with `words` what the last of them may become. */
export async function completion(line: CommandLine, commands: readonly string[]): Promise<0> {
  const [shell = '', ...words] = line.operands;
  const script = scripts[shell];
  if (script) console.log(script([process.execPath, programPath()].map(shellWord).join(' ')));
  else if (shell !== 'words')
    throw new UsageError(`completion is for ${Object.keys(scripts).join(', ')}, such as bash`);
  const typed = words.at(-1)?.toLowerCase() ?? '';
  for (const word of script ? [] : await candidates(words, commands, line))
    if (word.toLowerCase().startsWith(typed)) console.log(neutralise(word));
  return 0;
}

/** What a shell reads once, such as from its profile. From a clone it gives the program its name too. */
const scripts: Readonly<Record<string, (program: string) => string>> = {
  // "=" parts no words here: what is completed is key=value as a whole.
  bash: (program) => `${shellFunction(`commerce-mcp() { ${program} "$@"; }`)}_commerce_mcp() {
  local IFS=$'\\n' word
  COMPREPLY=()
  while read -r word; do
    [[ $word == *= ]] && compopt -o nospace
    COMPREPLY+=("$(printf %q "$word")")
  done < <(${program} completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
COMP_WORDBREAKS=\${COMP_WORDBREAKS//=/}
complete -F _commerce_mcp commerce-mcp`,
  zsh: (program) => `${shellFunction(`commerce-mcp() { ${program} "$@"; }`)}_commerce_mcp() {
  local -a found
  found=("\${(@f)$(${program} completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found[1]" ]] && compadd -S '' -- $found
}
compdef _commerce_mcp commerce-mcp`,
  fish: (program) => `${shellFunction(`function commerce-mcp; ${program} $argv; end`)}complete \\
  -c commerce-mcp -f -a '(${program.replaceAll("'", '"')} completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

function shellFunction(definition: string): string {
  return ownCommand() === 'commerce-mcp' ? '' : `${definition}\n`;
}

/** What the last of `words` may become, whatever of it is typed already. */
async function candidates(
  words: readonly string[],
  commands: readonly string[],
  line: CommandLine,
): Promise<readonly string[]> {
  if (words.length < 2) return commands;
  const [command = '', operand = '-'] = words.slice(0, -1);
  const catalogue = new Catalogue();
  if (operand.startsWith('-')) {
    if (command === 'call' || command === 'tools') return catalogue.list().map(({ tool }) => tool);
    return /^(connect|disconnect|doctor)$/.test(command) ? clients.map(({ id }) => id) : [];
  }
  if (command !== 'call') return [];
  const tool = catalogue.listing().find(({ name }) => name === operand);
  const properties = tool?.inputSchema.properties ?? {};
  const [, name] = /^(\w+)=/.exec(words.at(-1) ?? '') ?? [];
  if (name === undefined) return Object.keys(properties).map((key) => `${key}=`);
  if (!Object.hasOwn(properties, name)) return [];
  const { items, enum: listed = items?.enum } = properties[name] ?? {};
  const values = listed ?? (name === 'period' ? periodWords : await namesFor(name, words, line));
  return values.map((value) => `${name}=${value}`);
}

/** The names that an argument takes, of the sandbox or the account; none where neither can be asked. */
async function namesFor(name: string, words: readonly string[], line: CommandLine) {
  const space = referenceSpaces.find(({ idField }) => idField === name);
  const switches = new Set(words.includes('--sandbox') ? ['sandbox'] : []);
  if (space === undefined || !namesAccount({ ...line, switches })) return [];
  const values = { ...line.values, 'log-level': 'silent' };
  // What goes wrong here is said by the command itself.
  const opened = await openApp({ ...line, values, switches }).catch(() => undefined);
  // A key was pressed: the answer must not take longer.
  const signal = AbortSignal.timeout(3000);
  const entries = await opened?.app.services.reference
    .listForDisplay(space.kind, signal)
    .catch(() => []);
  await opened?.close();
  return (entries ?? []).map((entry) => entry.name);
}
