/** Everything that a person at a terminal is told alone, by its code; what answers say is the catalogue of all readers. */
import type { Message, PersonMessage } from '../../../core/message.ts';
import { readerOf } from '../../../mcp/answers/catalogue/catalogue.ts';
import type { Dialect } from '../../../mcp/answers/catalogue/reader.ts';
import { ownCommand, shellWord } from '../../program.ts';
import { checkTexts } from './checks.ts';
import { connectTexts } from './connect.ts';
import type { OwnTexts, PersonReader, PersonTexts } from './reader.ts';
import { settingTexts } from './settings.ts';
import { usageTexts } from './usage.ts';

const ownTexts = { ...usageTexts, ...checkTexts, ...connectTexts };

type ParametersOf<Write> = Write extends (parameters: infer Parameters, ...rest: never) => string
  ? unknown extends Parameters
    ? object
    : Parameters
  : never;

type OwnMessage = {
  [Code in keyof typeof ownTexts]: { readonly code: Code } & ParametersOf<(typeof ownTexts)[Code]>;
}[keyof typeof ownTexts];

/** Anything that a person can be told. */
export type Said = Message | PersonMessage | OwnMessage;

/** The texts that only a person reads. */
export const personTexts: PersonTexts & OwnTexts = { ...settingTexts, ...ownTexts };

/**
 * A person at a terminal: arguments as they are typed, Amsterdam times to the minute.
 * @param flags to repeat in a command, such as `--sandbox`
 */
export function personReader(
  hasTool: Dialect['hasTool'] = () => true,
  flags: readonly string[] = [],
): PersonReader<Said> {
  const argument = (name: string, value: unknown) =>
    `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  const reader = readerOf({
    argument,
    moment: shortTimes,
    passOn: '',
    hasTool,
    keepsRows: false,
    // A command that can be copied into a POSIX shell; kept rows are had as CSV.
    next: ({ tool, arguments: args }) => {
      if ('result_id' in args) return 'Every row that was read: add --csv';
      const pairs = Object.entries(args).map(([name, value]) => shellWord(argument(name, value)));
      return `The next: ${[ownCommand(), 'call', tool, ...pairs, ...flags].join(' ')}`;
    },
  });
  const whole: PersonReader<Said> = {
    ...reader,
    say(message) {
      if (typeof message === 'string') return message;
      const write: OwnTexts[string] | undefined = personTexts[message.code];
      return write ? write(message as never, whole) : reader.say(message as Message);
    },
  };
  return whole;
}

/** A person who can call every tool and has no flag to repeat. */
export const person = personReader();

/** Amsterdam times to the minute; another offset stays, for it says whose time it is. */
export function shortTimes(text: string): string {
  return text.replaceAll(
    /(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(\+0[12]:00|(?![-+Z.:\d]))/g,
    '$1 $2',
  );
}
