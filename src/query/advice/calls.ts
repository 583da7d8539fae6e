/** Functions that are called otherwise here, or not at all. */
import { quote } from '../../core/text.ts';
import { named } from '../errors.ts';
import { sayType } from './rewordings.ts';

/** What to write for a function of another database, or a window function without its window. */
export function elsewhere(name: string): string | undefined {
  if (name.startsWith('`')) {
    return 'Backticks quote nothing here: names stand in double quotes, texts in single ones.';
  }
  if (windowFunctions.has(name)) {
    return `${name} is a window function: ${name}(...) OVER (PARTITION BY ... ORDER BY ...).`;
  }
  const instead = others.get(name);
  return instead === undefined ? undefined : `There is no function ${name}(): write ${instead}.`;
}

const windowFunctions: ReadonlySet<string> = new Set([
  'cume_dist',
  'dense_rank',
  'first_value',
  'lag',
  'last_value',
  'lead',
  'nth_value',
  'ntile',
  'percent_rank',
  'rank',
  'row_number',
]);

const others: ReadonlyMap<string, string> = new Map([
  ['charindex', 'strpos(text, part)'],
  ['convert', 'CAST(x AS type)'],
  ['date_format', "strftime(day, '%Y-%m')"],
  ['dateadd', 'day + INTERVAL 1 DAY'],
  ['getdate', 'now()'],
  ['iif', 'CASE WHEN ... THEN ... ELSE ... END'],
  ['isnull', 'coalesce(x, y), or x IS NULL'],
  ['nvl', 'coalesce(x, y)'],
  ['percentile', 'quantile_cont(x, 0.9)'],
  ['percentile_approx', 'quantile_cont(x, 0.9)'],
  ['safe_divide', 'x / nullif(y, 0)'],
  ['str_to_date', "strptime(text, '%Y-%m-%d')"],
  ['to_char', "strftime(day, '%Y-%m')"],
  ['to_date', 'CAST(x AS DATE)'],
  ['to_number', 'CAST(x AS DECIMAL(18,2))'],
]);

/** So many forms of a function say how it is called. */
const mostForms = 4;

/** `No function matches ... '+(INTEGER, VARCHAR)'.`, with the forms that there are. */
export function noSuchCall(message: string): string {
  const [, name = 'This', given = ''] = /'(\S+?)\((.*?)\)'/s.exec(message) ?? [];
  const types = given.split(/, (?![^(]*\))/).map((type) => sayType(quote(type)));
  if (/^\W+$/.test(name)) return aboutOperator(operators[name] ?? name, types);
  const call = `${named(name)}(${types.join(', ')})`;
  if (name === 'count') return `${call} is not there. Of several columns: count(DISTINCT (a, b)).`;
  const forms = [...message.matchAll(/^\s+(\w+\(.*\)) -> .+$/gm)].map(([, form = '']) =>
    form.replaceAll(numbers, 'NUMBER'),
  );
  const own = [...new Set(forms)].slice(0, mostForms);
  const said = own.length === 0 ? '' : ` It is called as ${own.join(', ')}.`;
  return `The types do not fit: ${call}.${said} Cast the values, such as CAST(x AS DECIMAL(18,2)).`;
}

/** The forms for each type of number are one to a reader. */
const numbers =
  /\b(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|UINTEGER|BIGNUM|FLOAT|DOUBLE|DECIMAL)\b/g;

const operators: Partial<Record<string, string>> = { '~~': 'LIKE', '!~~': 'NOT LIKE' };

function aboutOperator(operator: string, types: readonly string[]): string {
  const said = `${operator} does not take ${types.join(' and ')}.`;
  if (types.some((type) => type.startsWith('TIMESTAMP'))) {
    return `${said} A moment moves by an interval: x - INTERVAL 1 DAY; CAST(x AS DATE) is its day.`;
  }
  if (operator === '+' && types.includes('VARCHAR')) {
    return `${said} Texts are joined with ||; to add, CAST(x AS DECIMAL(18,2)).`;
  }
  return `${said} Cast the values, such as CAST(x AS DECIMAL(18,2)), CAST(x AS DATE) or CAST(x AS VARCHAR).`;
}
