import { ownCommand, programPath } from '../../program.ts';

/** The shells that completion is written for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/** Whether a word names one of them. */
export function isShell(word: string): word is Shell {
  return shells.some((shell) => shell === word);
}

/** What a shell reads once, such as from its profile. From a clone it gives the program its name too. */
export function script(shell: Shell): string {
  const program = `${quoted(process.execPath)} ${quoted(programPath())}`;
  const isInstalled = ownCommand() === 'commerce-mcp';
  return [...(isInstalled ? [] : [named(shell, program)]), writers[shell](program)].join('\n');
}

const writers: Record<Shell, (program: string) => string> = {
  // "=" parts no words here: what is completed is key=value as a whole.
  bash: (program) => `# source <(commerce-mcp completion bash)
_commerce_mcp() {
  local IFS=$'\\n' word
  COMPREPLY=()
  while read -r word; do
    [[ $word == *= ]] && compopt -o nospace
    COMPREPLY+=("$(printf %q "$word")")
  done < <(${program} completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
COMP_WORDBREAKS=\${COMP_WORDBREAKS//=/}
complete -F _commerce_mcp commerce-mcp`,
  zsh: (program) => `# source <(commerce-mcp completion zsh)
_commerce_mcp() {
  local -a found
  found=("\${(@f)$(${program} completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found[1]" ]] && compadd -S '' -- $found
}
compdef _commerce_mcp commerce-mcp`,
  fish: (program) => `# commerce-mcp completion fish | source
complete -c commerce-mcp -f -a '(${program.replaceAll("'", '"')} completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

function named(shell: Shell, program: string): string {
  return shell === 'fish'
    ? `function commerce-mcp; ${program} $argv; end`
    : `commerce-mcp() { ${program} "$@"; }`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}
