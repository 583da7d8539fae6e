import { flagOf } from '../config.ts';
import { commonFlags, settingsOf, type TakenSetting } from './arguments.ts';
import { type Command, type CommandDefinition, commands, type FlagDefinition } from './commands.ts';
import { ownCommand } from './program.ts';
import { wrap } from './terminal/wrap.ts';

/** What `--help` prints: all commands, or one with its flags; lines are broken to `width`, or not at all without one. */
export function usage(command?: Command, width?: number): string {
  return command === undefined ? overview(width) : commandUsage(command, width);
}

function overview(width?: number): string {
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
      width,
    ),
    '',
    'Every command takes:',
    ...columns(flagRows(commonFlags), width),
    '',
    `No credentials yet? Try: ${ownCommand()} demo`,
    ...wrap(`${ownCommand()} COMMAND --help shows the flags of a command.`, width),
  ].join('\n');
}

function commandUsage(command: Command, width?: number): string {
  const { usage: operands, about, flags, alsoReads = {} }: CommandDefinition = commands[command];
  const settings = settingsOf(command);
  const head = 'Settings, from the environment; a flag wins over its variable, secrets have none:';
  const section = (title: string, rows: readonly Row[]) =>
    rows.length > 0 ? ['', ...wrap(title, width), ...columns(rows, width)] : [];
  return [
    ...wrap(`commerce-mcp ${command} ${operands}`.trim(), width),
    ...wrap(about, width),
    ...section('Flags:', flagRows({ ...commonFlags, ...flags })),
    ...section(head, settings.map(settingRow)),
    ...section('Also from the environment:', Object.entries(alsoReads)),
  ].join('\n');
}

/** A name, and what it means. */
type Row = readonly [name: string, about: string];

/** The names by which a command takes a setting, what it means and what stands in for it. */
function settingRow({ setting, isRead, isFlag }: TakenSetting): Row {
  const { variable, about, standard } = setting;
  const names = [...(isRead ? [variable] : []), ...(isFlag ? [`--${flagOf(setting)} VALUE`] : [])];
  const text = about.replaceAll('`', '');
  return [names.join(', '), standard === undefined ? text : `${text} (default ${standard})`];
}

function flagRows(flags: Readonly<Record<string, FlagDefinition>>): Row[] {
  return Object.entries(flags).map(([name, { type, short, about }]) => [
    `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ' VALUE' : ''}`,
    about,
  ]);
}

/** The least that is left for what a name means; with less than that it stands below the name. */
const leastAbout = 40;

function columns(rows: readonly Row[], width = Number.POSITIVE_INFINITY): string[] {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const aboutWidth = width - nameWidth - 4;
  const longestWord = Math.max(
    ...rows.flatMap(([, about]) => about.split(' ').map((it) => it.length)),
  );
  if (aboutWidth < Math.max(leastAbout, longestWord))
    return rows.flatMap(([name, about]) => [
      ...wrap(name, width - 2).map((line) => `  ${line}`),
      ...wrap(about, width - 6).map((line) => `      ${line}`),
    ]);
  return rows.flatMap(([name, about]) =>
    wrap(about, aboutWidth).map(
      (line, index) => `  ${(index === 0 ? name : '').padEnd(nameWidth)}  ${line}`,
    ),
  );
}
