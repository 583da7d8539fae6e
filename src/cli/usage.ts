import { flagOf, type Setting } from '../config.ts';
import { commonFlags, settingsOf } from './arguments.ts';
import { type Command, commands, type FlagDefinition } from './commands.ts';
import { ownCommand } from './program.ts';

/** What `--help` prints: all commands, or one with its flags. */
export function usage(command?: Command): string {
  return command === undefined ? overview() : commandUsage(command);
}

function overview(): string {
  return [
    'commerce-mcp: a read-only MCP server over a retail and hospitality platform',
    '',
    'Usage: commerce-mcp [COMMAND] [flags]',
    '',
    ...columns(
      Object.entries(commands).map(([name, { usage: operands, about }]) => [
        `${name} ${operands}`.trim(),
        about,
      ]),
    ),
    '',
    'Every command takes:',
    ...flagLines(commonFlags),
    '',
    `No credentials yet? Try: ${ownCommand()} demo`,
    `${ownCommand()} COMMAND --help shows the flags of a command.`,
  ].join('\n');
}

function commandUsage(command: Command): string {
  const { usage: operands, about, flags } = commands[command];
  const settings = settingsOf(command);
  return [
    `commerce-mcp ${command} ${operands}`.trim(),
    about,
    '',
    'Flags:',
    ...flagLines({ ...commonFlags, ...flags }),
    ...(settings.length > 0
      ? ['', 'Settings, from the environment; a flag wins over its variable, secrets have none:']
      : []),
    ...columns(settings.map(settingLine)),
  ].join('\n');
}

/** Both names of a setting, what it means and what stands in for it. */
function settingLine(setting: Setting): [string, string] {
  const { variable, about, standard } = setting;
  const flag = flagOf(setting);
  const names = flag === undefined ? variable : `${variable}, --${flag} VALUE`;
  const text = about.replaceAll('`', '');
  return [names, standard === undefined ? text : `${text} (default ${standard})`];
}

function flagLines(flags: Readonly<Record<string, FlagDefinition>>): string[] {
  return columns(
    Object.entries(flags).map(([name, { type, short, about }]) => [
      `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ' VALUE' : ''}`,
      about,
    ]),
  );
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
