/** The numbers in a text that a person, or a model, has written. */

/** One way to read a number, without its sign, and the decimals that it was written with. */
export interface Reading {
  value: number;
  decimals: number;
}

const spaces = '[ \\u00a0\\u202f]';
const number = new RegExp(
  `\\d{1,3}(?:${spaces}\\d{3})+(?:[.,]\\d+)?(?!\\d)|\\d+(?:[.,'’]\\d+)*`,
  'g',
);
const isoDay = /\b\d{4}-\d\d-\d\d\b/g;

/**
 * Every number of a text, in each notation that it may be in: `1.234` is 1234 in Dutch and 1.234 in
 * English. Signs are left out: a loss of 5 is told as "-5" or as "5 less". Days such as 2026-11-03 are none.
 */
export function numbersIn(text: string): Reading[] {
  const written = text.replaceAll(isoDay, ' ').match(number) ?? [];
  return written.flatMap((token) => {
    const parts = token.split(new RegExp(spaces));
    // "65 200" is one number, or two that stand side by side.
    return parts.length > 1
      ? [...readings(parts.join('')), ...parts.flatMap(readings)]
      : readings(token);
  });
}

/** A number without spaces, in each way that it can be meant. */
function readings(token: string): Reading[] {
  const groups = token.split(/[.,'’]/);
  const marks = token.replaceAll(/\d/g, '');
  const isGrouped = groups.slice(1).every((group) => group.length === 3);
  const whole = { value: Number(groups.join('')), decimals: 0 };
  if (marks === '') return [whole];
  const last = groups.at(-1) ?? '';
  const decimal = {
    value: Number(`${groups.slice(0, -1).join('')}.${last}`),
    decimals: last.length,
  };
  // One mark may stand for either; of two different ones the last is the decimal mark.
  if (marks.length === 1) return isGrouped && marks !== "'" ? [whole, decimal] : [decimal];
  return new Set(marks).size === 1 ? [whole] : [decimal];
}
