import { commonFlags, settingFlags } from './arguments.ts';
import { type Command, commands } from './commands.ts';
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
  return [
    `commerce-mcp ${command} ${operands}`.trim(),
    about,
    '',
    'Flags:',
    ...flagLines({ ...flags, ...commonFlags }),
    '',
    'Settings (each also as COMMERCE_… in the environment; the flag wins):',
    ...flagLines(settingFlags()),
    '',
    'Secrets have no flag: COMMERCE_CLIENT_SECRET (or COMMERCE_CLIENT_SECRET_FILE), COMMERCE_HTTP_TOKENS.',
  ].join('\n');
}

function flagLines(flags: Readonly<Record<string, { type: string; about: string }>>): string[] {
  return columns(
    Object.entries(flags).map(([name, { type, about }]) => [
      `--${name}${type === 'string' ? ' VALUE' : ''}`,
      about,
    ]),
  );
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
