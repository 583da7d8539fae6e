import type { Finished } from '../../src/core/message.ts';

type Makers = Readonly<Record<string, (parameters: never) => Finished | string>>;

/** Parameters by code, for sentences that need more than a text for each. */
type Samples<Room extends Makers> = {
  readonly [Code in keyof Room]?: readonly Parameters<Room[Code]>[0][];
};

/** Each parameter is its own name: `{table}`. */
const standIn = new Proxy({}, { get: (_, name) => `{${String(name)}}` }) as never;

/** The sentences of a room, a line each: `code: sentence`; of a note without a code, `name: sentence`. */
export function sentencesOf<Room extends Makers>(
  room: string,
  makers: Room,
  samples: Samples<Room> = {},
): string[] {
  const lines = Object.entries(makers).flatMap(([code, make]) => {
    const given: readonly unknown[] = samples[code] ?? [standIn];
    return given.map((parameters) => {
      const made = make(parameters as never);
      return `${code}: ${typeof made === 'string' ? made : made.text}`;
    });
  });
  return ['', room, ...lines];
}
