/** Everything that a person at a terminal is told alone, by its code; what answers say is the catalogue of all readers. */
import type { Finished, Message } from '../../../core/message.ts';
import { modelReader } from '../../../mcp/answers/catalogue/catalogue.ts';
import { checkTexts } from './checks.ts';
import type { OwnTexts, PersonReader } from './reader.ts';

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

/** The texts that only a person reads. */
const personTexts: OwnTexts = checkTexts;

const model = modelReader(() => true);

/** A person at a terminal: what rooms tell everybody is said in the words of the model's catalogue. */
export const person: PersonReader<Said> = {
  say(message) {
    if (typeof message === 'string') return message;
    const write: OwnTexts[string] | undefined = personTexts[message.code];
    return write ? write(message as never, person) : model.say(message as Message);
  },
};
