/** How cells of a column begin and end alike: what they share is worth saying once. */
export interface CommonAffixes {
  /** `2026-11-` or `https://office.example.com/order/`; may be empty. */
  before: string;
  /** `+01:00`; may be empty. */
  after: string;
  /** The cells without it; what was empty still is. */
  cells: string[];
}

/**
 * What the cells of a column of links or timestamps share at their ends, where at least three hold
 * something. A cut falls between the parts of an address or a time, so that what is left reads well,
 * and never leaves a cell empty. Undefined where nothing is shared, and for anything else.
 */
export function commonAffixes(cells: readonly string[]): CommonAffixes | undefined {
  const filled = cells.filter((cell) => cell !== '');
  if (filled.length < minFilled) return undefined;
  const { before, after } = endsOfLinks(filled) ?? endsOfTimes(filled) ?? nothing;
  if (before === '' && after === '') return undefined;
  return {
    before,
    after,
    cells: cells.map((cell) =>
      cell === '' ? '' : cell.slice(before.length, cell.length - after.length),
    ),
  };
}

type Ends = Omit<CommonAffixes, 'cells'>;

const nothing: Ends = { before: '', after: '' };
const minFilled = 3;
/** Shortest beginning of an address worth saying once. */
const minAddress = 12;

/** The address up to the last `/` that all have in common. */
function endsOfLinks(cells: readonly string[]): Ends | undefined {
  const [first = ''] = cells;
  if (!first.includes('://')) return undefined;
  let length = first.length;
  for (const cell of cells)
    while (length > 0 && !cell.startsWith(first.slice(0, length))) length -= 1;
  const before = first.slice(0, first.slice(0, length).lastIndexOf('/') + 1);
  const isWorthIt = before.length >= minAddress && !cells.includes(before);
  return isWorthIt ? { before, after: '' } : undefined;
}

const timestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;
/** Where a timestamp may be cut: after its day, its month or its year. */
const cuts = [11, 8, 5];

/** The day, month or year that all have in common, and the offset. */
function endsOfTimes(cells: readonly string[]): Ends | undefined {
  const [first = ''] = cells;
  if (!cells.every((cell) => timestamp.test(cell))) return undefined;
  const beginning = (cut: number) => first.slice(0, cut);
  const shared = cuts.find((cut) => cells.every((cell) => cell.startsWith(beginning(cut))));
  const [, offset = ''] = timestamp.exec(first) ?? [];
  return {
    before: beginning(shared ?? 0),
    after: cells.every((cell) => cell.endsWith(offset)) ? offset : '',
  };
}
