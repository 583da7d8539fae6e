/**
 * What there is to say, as data: a code and the parameters of its sentence. An edge writes it, once:
 * `mcp/answers/catalogue/` for whoever reads an answer, `cli/terminal/catalogue/` for what only a person is told.
 */

/**
 * The parameters of each code that an answer, a warning or a failure may have. A room declares its own where they
 * arise (`declare module '../core/message.ts'`). Parameters are JSON: they cross the borders of processes.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add to it
export interface Messages {}

/** The same for what a person at a terminal is told alone: settings, flags, checks. */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add to it
export interface PersonMessages {}

type MessageIn<Map> = {
  [Code in keyof Map]: { readonly code: Code } & Readonly<Map[Code]>;
}[keyof Map];

/** Something to say: `{ code: 'day_not_over', today: '2026-11-20', time: '14:05' }`. */
export type Message = MessageIn<Messages>;

export type PersonMessage = MessageIn<PersonMessages>;

/** The messages of some codes. */
export type MessageOf<Code extends keyof Messages> = MessageIn<Pick<Messages, Code>>;

/** A message as a log has it: `day_not_over {"today":"2026-11-20","time":"14:05"}`. */
export function logText({ code, ...parameters }: { readonly code: string }): string {
  return `${code} ${JSON.stringify(parameters)}`;
}
