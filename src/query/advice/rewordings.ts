/** What the engine says of frequent mistakes, and what to write instead: the first that fits counts. */
import { nearest } from '../../core/nearest.ts';
import { quote, quoted } from '../../core/text.ts';
import { named, type QueryErrorCode } from '../errors.ts';

/** A failure in words of ours. */
export interface Reworded {
  text: string;
  /** Where it differs from what the engine's kind of failure tells. */
  code?: QueryErrorCode;
}

type Rewording = readonly [RegExp, (...found: string[]) => string, QueryErrorCode?];

/** The failure in our words; undefined where it is none of the frequent ones. */
export function reworded(message: string): Reworded | undefined {
  for (const [form, text, code] of rewordings) {
    const found = form.exec(message);
    if (found !== null) {
      const [, ...parts] = found;
      return {
        text: text(...parts.map((part = '') => quote(part, 120).replaceAll('"', "'"))),
        ...(code && { code }),
      };
    }
  }
  return undefined;
}

/** A type as a reader knows it: `INT64` and `INTEGER_LITERAL` are a number. */
export function sayType(type: string): string {
  if (type === 'STRING_LITERAL') return 'text';
  return type === 'INTEGER_LITERAL' || /^U?INT\d+$/.test(type) ? 'whole number' : namedType(type);
}

/** The types of objects hold names from outside. */
function namedType(type: string): string {
  return type.startsWith('STRUCT') ? quoted(type, 200) : type;
}

const oneType =
  'What is compared, united or chosen between (=, IN, UNION, COALESCE, CASE) has one type: cast one side, such as CAST(x AS VARCHAR).';

const rewordings: readonly Rewording[] = [
  [
    /QUALIFY with GROUP BY ALL/,
    () =>
      'QUALIFY does not go with GROUP BY ALL. Name the grouped columns, such as GROUP BY shop_id, or rank in a further step: WITH g AS (SELECT ... GROUP BY ALL) FROM g QUALIFY ...',
  ],
  [
    /^column "?(.+?)"? must appear in the GROUP BY/,
    (name) =>
      `"${name}" is neither grouped nor aggregated: add it to GROUP BY (or write GROUP BY ALL), or take any_value(${name}).`,
  ],
  [
    /^WHERE clause cannot contain aggregates/,
    () =>
      'WHERE is looked at before rows are grouped: a condition on an aggregate stands in HAVING.',
  ],
  [
    /^WHERE clause cannot contain window/,
    () =>
      'WHERE is looked at before windows are computed: a condition on a window function stands in QUALIFY.',
  ],
  [
    /^(HAVING|GROUP BY) clause cannot contain (aggregates|window)/,
    (clause, what) =>
      `${clause} takes no ${what === 'window' ? 'window functions' : what}: compute them in a step before, WITH or a subquery.`,
  ],
  [
    /^aggregate function calls cannot (?:be nested|contain window)/,
    () =>
      'An aggregate takes no aggregate and no window function: compute the inner one in a step before, WITH or a subquery.',
  ],
  [
    /^Could not convert string ['"](.*?)['"] to ([\w(),]+?)(?: when casting from source column (\S+?))?[.!]?$/s,
    (value, type, column) => notOfType(value, type, column),
  ],
  [
    /^(?:invalid|date|timestamp).*field (?:format|value out of range): "(.*?)"(?:.*from source column (\S+?)\.?$)?/s,
    (value, column) =>
      `"${value}"${ofColumn(column)} is no day or moment: they are written '2026-11-02' and '2026-11-02 10:15:00'. Words such as yesterday stand in arguments of tables only; TRY_CAST gives NULL for what is none.`,
  ],
  [
    /^Casting value "(.*?)" to type (.+?) failed: value is out of range!(?: when casting from source column (\S+?)\.?$)?/,
    (value, type, column) =>
      `"${value}"${ofColumn(column)} does not fit ${type}: take more digits, such as DECIMAL(18,2).`,
  ],
  [
    /^Unimplemented type for cast \((.+?) -> (.+?)\)/,
    (from, to) => `${withArticle(from)} cannot become ${withArticle(to, 'a')}. ${oneType}`,
    'bad_statement',
  ],
  [
    /^Cannot compare values of type (.+?) and type (.+?) -/,
    (one, other) => `${sayType(one)} and ${sayType(other)} cannot be compared. ${oneType}`,
  ],
  [
    /^Cannot mix values of type (.+?) and (.+?) in (.+?) (?:expression|operator)?/,
    (one, other, place) => `${place} mixes ${sayType(one)} and ${sayType(other)}. ${oneType}`,
  ],
  [
    /^Could not choose a best candidate function for the function call "(\S+?)\((.+?)\)"/,
    (name, types) =>
      `${name} of ${sayTypes(types)} may mean several things: say which with a cast, such as DATE '2026-11-02' - 1, day + INTERVAL 1 DAY or CAST(x AS INTEGER).`,
  ],
  [
    /^Set operations can only apply/,
    () => 'The sides of UNION, INTERSECT and EXCEPT give equally many columns; these do not.',
  ],
  [
    /^Ambiguous reference to column name "(.+?)" \(use: (.+?)\)/,
    (name, uses) =>
      `"${name}" stands in several tables here: write ${uses.replaceAll("'", '')}; a join by USING or NATURAL then needs ON.`,
  ],
  [
    /^Ambiguous reference to table "(.+?)"/,
    (name) =>
      `"${name}" stands for two tables of this FROM: give each a name of its own, ${name} AS a and ${name} AS b.`,
  ],
  [
    /^extract specifier "(.+?)" not recognized/,
    (given) =>
      `"${given}" is no part of a date${nearPart(given)} The parts: ${dateParts.join(', ')}.`,
  ],
  [
    /^Subquery returns (\d+) columns - expected (\d+)/,
    (given, wanted) =>
      `The subquery gives ${given} columns where ${wanted} is compared. Select that one.`,
  ],
  [
    /^table ".*?" has (\d+) columns available but (\d+) columns specified/,
    (has, named) => `The table has ${has} columns; its alias names ${named}.`,
  ],
  [
    /^Cannot extract field '(.+?)' from expression "(.+?)" because/,
    (field, from) =>
      `"${from}" is no object and has no field ${named(field)}; if it is a list, unnest(${from}) gives its values.`,
    'unknown_column',
  ],
  [
    /^Could not parse string "(.*?)" according to format specifier "(.*?)"/s,
    (value, form) => `"${value}" is not written as '${form}'. try_strptime gives NULL there.`,
  ],
  [
    /^Alias "(.+?)" referenced in a \w+ clause - but the expression has a subquery/,
    (name) =>
      `"${name}" is the value of a subquery and cannot be used again beside it: compute it in a step before, WITH or a subquery in FROM.`,
  ],
  [
    /^Non-inner join on correlated columns/,
    () =>
      'A LEFT, RIGHT or FULL JOIN cannot speak of a table before a comma: write JOIN ... ON in place of the comma, ON true where the argument says it all: FROM list_orders(...) o JOIN list_order_items(order_id := o.id) i ON true LEFT JOIN ...',
  ],
  [
    /^The combining JOIN type must be INNER or LEFT/,
    () =>
      'An argument that is a column of another table goes with JOIN and LEFT JOIN only. In place of SEMI and ANTI JOIN write WHERE EXISTS or NOT EXISTS (SELECT 1 FROM ...). Join with ON.',
  ],
  [
    /^More than one row returned by a subquery/,
    () =>
      'A subquery that stands for one value gives several rows. Aggregate it, such as max(x), or compare with IN (SELECT ...).',
    'bad_value',
  ],
  [
    /^Function "(.+?)" is a table function/,
    (name) => `${name}() makes no single value: it could stand in FROM only.`,
    'unknown_function',
  ],
];

const dateParts = 'year quarter month week day isodow dayofyear hour minute second epoch'.split(
  ' ',
);

function nearPart(given: string): string {
  const near = nearest(given, dateParts);
  return near === undefined ? '.' : `; did you mean ${near}?`;
}

function notOfType(value: string, type: string, column: string): string {
  const what = plainTypes.find(([form]) => form.test(type))?.[1] ?? withArticle(type, 'a').trim();
  return `"${value}"${ofColumn(column)} is no ${what}. ${oneType} TRY_CAST gives NULL for what cannot be cast.`;
}

const plainTypes: readonly (readonly [RegExp, string])[] = [
  [/^U?(?:INT\d+|BIGINT|HUGEINT|INTEGER)$/, 'whole number'],
  [/^(?:DECIMAL|DOUBLE|FLOAT)/, 'number'],
  [/^BOOL/, 'truth (true or false)'],
];

function ofColumn(column: string): string {
  return column === '' ? '' : ` (column ${named(column)})`;
}

function sayTypes(types: string): string {
  return types.split(', ').map(sayType).join(' and ');
}

function withArticle(type: string, article = 'A'): string {
  const word = sayType(type);
  return `${/^[AEIO]/.test(word) ? `${article}n` : article} ${word}`;
}
