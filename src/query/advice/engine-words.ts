/** What the engine itself says of a statement, and the step that mends a frequent mistake. */
import { quoted } from '../../core/text.ts';

/** Most characters of the engine's own words. */
export const mostWords = 400;

/** A statement that is nested more deeply than it can be read. */
export const tooDeep =
  'The statement is nested too deeply. Use IN (...) for long lists of conditions, and WITH for its steps.';

/** The engine's words, in quotes for they may hold the text of a row, and what to write instead. */
export function engineWords(message: string): string {
  const words = plainWords(message);
  if (words === tooDeep) return words;
  return `The engine refuses it: ${quoted(words, mostWords)}${adviceOn(message)}`;
}

/** The engine's words without its advice on settings, extensions and its own catalogue. */
export function plainWords(message: string): string {
  if (message.startsWith('Max expression depth')) return tooDeep;
  const kept = message
    .split(/\n|(?<=[.;!])\s/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && !notForCallers.test(sentence))
    .slice(0, 4)
    .join(' ');
  const text = kept === '' ? 'The engine refused the statement' : kept;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const notForCallers =
  /\b(SET|PRAGMA|RESET|INSTALL|LOAD)\b|memory_limit|temp_directory|https?:|extension|setting|max_\w+|^Candidate|^LINE \d|^Possible solutions|^\*|^\^|^Did you mean/;

/** Where the engine says what is wrong and not what to do. The first that fits counts. */
const advice: readonly (readonly [RegExp, string])[] = [
  [/QUALIFY with GROUP BY ALL/, 'Name the grouped columns, or rank in a further step of WITH.'],
  [/^WHERE clause cannot contain aggregates/, 'A condition on an aggregate stands in HAVING.'],
  [/^WHERE clause cannot contain window/, 'A condition on a window function stands in QUALIFY.'],
  [
    /clause cannot contain|calls cannot (be nested|contain)|the expression has a subquery/,
    'Compute the inner one in a step before, WITH or a subquery in FROM.',
  ],
  [
    /^(invalid|date|timestamp).*field (format|value)/,
    "Days are written '2026-11-02', moments '2026-11-02 10:15:00'. Words such as yesterday stand in arguments of tables only.",
  ],
  [/^Could not (convert|parse) string/, 'TRY_CAST and try_strptime give NULL for such a value.'],
  [
    /^Cannot (compare|mix) values|^Unimplemented type for cast/,
    'What is compared, united or chosen between has one type: CAST(x AS VARCHAR) gives texts.',
  ],
  [
    /^No function matches|^Could not choose a best candidate/,
    'Cast the values, such as CAST(x AS DECIMAL(18,2)) or CAST(x AS DATE). Days and moments move by intervals: x - INTERVAL 1 DAY. Texts are joined with ||.',
  ],
  [
    /^extract specifier/,
    'The parts are year, quarter, month, week, day, isodow, dayofyear, hour, minute, second and epoch.',
  ],
  [/^More than one row returned/, 'Aggregate it, such as max(x), or compare with IN (SELECT ...).'],
  [
    /^Non-inner join on correlated columns/,
    'A LEFT, RIGHT or FULL JOIN cannot speak of a table before a comma: write JOIN ... ON in place of the comma, ON true where the argument says it all: FROM list_orders(...) o JOIN list_order_items(order_id := o.id) i ON true LEFT JOIN ...',
  ],
  [
    /^The combining JOIN type must be INNER or LEFT/,
    'An argument that is a column of another table goes with JOIN and LEFT JOIN only. In place of SEMI and ANTI JOIN write WHERE EXISTS or NOT EXISTS (SELECT 1 FROM ...). Join with ON.',
  ],
];

function adviceOn(message: string): string {
  const found = advice.find(([form]) => form.test(message))?.[1];
  return found === undefined ? '' : ` ${found}`;
}
