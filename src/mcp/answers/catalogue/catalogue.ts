/** Everything that is said to whoever reads an answer, by its code: a file a subject, each read from top to bottom. */
import type { Message } from '../../../core/message.ts';
import type { Warning, WrittenWarning } from '../../../core/warning.ts';
import { accessTexts } from './access.ts';
import { accountTexts } from './account.ts';
import { dayTexts } from './days.ts';
import { failureTexts } from './failures.ts';
import { figureTexts } from './figures.ts';
import { nameTexts } from './names.ts';
import { platformTexts } from './platform.ts';
import type { Dialect, Reader, Texts } from './reader.ts';
import { reportTexts } from './reports.ts';
import { rowTexts } from './rows.ts';
import { statementHints } from './statement-hints.ts';
import { statementTexts } from './statements.ts';
import { turnoverTexts } from './turnover.ts';

export const texts: Texts = {
  said: ({ text }) => text,
  ...accessTexts,
  ...failureTexts,
  ...dayTexts,
  ...accountTexts,
  ...rowTexts,
  ...figureTexts,
  ...nameTexts,
  ...platformTexts,
  ...reportTexts,
  ...statementTexts,
  ...turnoverTexts,
  ...statementHints,
};

/** Somebody who reads the texts of the catalogue in a dialect. */
export function readerOf(dialect: Dialect): Reader {
  const reader: Reader = {
    ...dialect,
    say(message) {
      // The type of a table of functions does not tell that each code has its own parameters.
      const write = texts[message.code] as (parameters: Message, reader: Reader) => string;
      return write(message, reader);
    },
  };
  return reader;
}

/** A model: arguments as JSON has them, moments to the second, warnings that are to be handed on. */
export function modelReader(hasTool: Dialect['hasTool']): Reader {
  return readerOf({
    argument: (name, value) => `${name}: ${JSON.stringify(value)}`,
    moment: (iso) => iso,
    passOn: ' Pass the figures on as given and say so.',
    hasTool,
  });
}

/** Whoever is not let in: told of no tool. */
export const outsideReader = modelReader(() => false);

/** A warning with its text, for both channels; its parameters stay for programs. */
export function writeWarning(warning: Warning, reader: Reader): WrittenWarning {
  const { about } = warning;
  const text = warning.text ?? reader.say(warning as Message);
  return { ...warning, text: about === undefined ? text : `${about}: ${text}` };
}
