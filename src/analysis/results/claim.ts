import type { Toolset } from '../../endpoints/define.ts';

/** Whose a kept result is, and what was open to them when it was made: it goes with the rows wherever they lie. */
export interface ResultClaim {
  owner: string;
  toolsets: readonly Toolset[];
}

/**
 * Whether a reader may know of a result: it is their own, and nothing was open when it was made that
 * has been closed since. Whatever is not said is refused: rows without an owner are nobody's.
 */
export function mayRead(reader: ResultClaim, { owner, toolsets }: ResultClaim): boolean {
  return (
    owner !== '' && owner === reader.owner && toolsets.every((it) => reader.toolsets.includes(it))
  );
}
