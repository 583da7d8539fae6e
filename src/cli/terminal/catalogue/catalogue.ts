/** Everything that a person at a terminal is told alone, by its code; what answers say is the catalogue of all readers. */
import type { Finished, Message } from '../../../core/message.ts';
import { modelReader } from '../../../mcp/answers/catalogue/catalogue.ts';
import { checkTexts, type PersonReader } from './checks.ts';

type ParametersOf<Write> = Write extends (parameters: infer Parameters, ...rest: never) => string
  ? unknown extends Parameters
    ? object
    : Parameters
  : never;

type OwnMessage = {
  [Code in keyof typeof checkTexts]: { readonly code: Code } & ParametersOf<
    (typeof checkTexts)[Code]
  >;
}[keyof typeof checkTexts];

/** Anything that a person can be told. */
export type Said = Message | OwnMessage | Finished;

const model = modelReader(() => true);

/** A person at a terminal: all but the checks of `doctor` is said as it is said to a model. */
export const person = {
  say(message: Said | string): string {
    if (typeof message === 'string') return message;
    const write: Write | undefined = (checkTexts as Readonly<Record<string, Write>>)[message.code];
    return write ? write(message as never, person) : model.say(message as Message);
  },
};

type Write = (parameters: never, reader: PersonReader) => string;
