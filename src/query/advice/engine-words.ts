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
  [
    /clause cannot contain|calls cannot (be nested|contain)|the expression has a subquery|QUALIFY with GROUP BY/,
    'Conditions on aggregates stand in HAVING, on window functions in QUALIFY; what is computed from the other is a further step, WITH or a subquery in FROM.',
  ],
  [
    /^(invalid|date|timestamp).*field (format|value)/,
    "Days are written '2026-11-02', moments '2026-11-02 10:15:00'. Words such as yesterday stand in arguments of tables only.",
  ],
  [
    /^No function matches|^Could not (choose a best candidate|convert|parse)|^Cannot (compare|mix)|^Unimplemented type for cast/,
    'Cast what is of another type: CAST(x AS DECIMAL(18,2)), CAST(x AS DATE), CAST(x AS VARCHAR); TRY_CAST gives NULL for what cannot be. Days and moments move by intervals, x - INTERVAL 1 DAY; texts are joined with ||.',
  ],
  [/^More than one row returned/, 'Aggregate it, such as max(x), or compare with IN (SELECT ...).'],
  [
    /^Non-inner join on correlated columns|^The combining JOIN type must be INNER or LEFT/,
    'An argument that is a column of another table goes with JOIN and LEFT JOIN only, and with ON: FROM list_orders(...) o JOIN list_order_items(order_id := o.id) i ON true LEFT JOIN ..., with JOIN in place of a comma. In place of SEMI and ANTI JOIN write WHERE EXISTS or NOT EXISTS (SELECT 1 FROM ...).',
  ],
];

function adviceOn(message: string): string {
  const found = advice.find(([form]) => form.test(message))?.[1];
  return found === undefined ? '' : ` ${found}`;
}
