/** Why a text is no SELECT, and what to write instead. */
import type { JsonObject } from '../../core/json.ts';
import { quote } from '../../core/text.ts';
import { QueryError } from '../errors.ts';
import { mostWords, plainWords } from './engine-words.ts';

/** The error of a statement whose tree says that it has none. */
export function explainParse(sql: string, { error_message, position }: JsonObject): QueryError {
  const message = String(error_message ?? 'it could not be read');
  if (message.startsWith('Only SELECT')) return notSelect(sql);
  if (message.includes('NOT IMPLEMENTED')) {
    return new QueryError(
      'syntax',
      'A form of SQL that the engine does not know, such as LIMIT 5, 10: write LIMIT 10 OFFSET 5.',
    );
  }
  const at = Number(position ?? Number.NaN);
  const place = Number.isNaN(at) ? '' : ` ${placeIn(sql, at)}`;
  return new QueryError(
    'syntax',
    `${capital(quote(plainWords(message), mostWords))}${place}${hint(sql, at)}`.trim(),
  );
}

function notSelect(sql: string): QueryError {
  if (/\bpivot\b/i.test(sql)) {
    return new QueryError(
      'not_select',
      "PIVOT ... ON cannot be used here. Name the values: FROM t PIVOT (sum(x) FOR month IN ('2026-10', '2026-11') GROUP BY shop_id), or write a column for each: sum(x) FILTER (WHERE month = '2026-11') AS november.",
    );
  }
  const word = firstWord(sql).toUpperCase();
  const isSelect = word === 'SELECT' || word === 'WITH' || word === 'FROM';
  const what = isSelect || word === '' ? 'This holds more than a SELECT' : `${word} cannot be used`;
  return new QueryError(
    'not_select',
    `${what}: a statement is one SELECT (WITH, FROM-first, DESCRIBE and SUMMARIZE included), and nothing is ever written.`,
  );
}

/** The first word after spaces and comments. Each text is read in one way only: no time is lost on others. */
function firstWord(sql: string): string {
  return (
    /^(?:[\s;(]|--[^\n]*(?:\n|$)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*([a-z_]+)/i.exec(sql)?.[1] ?? ''
  );
}

/** `at line 2, column 7: GROUP BY >>> 1` */
function placeIn(sql: string, position: number): string {
  const before = textBefore(sql, position);
  const lines = before.split('\n');
  const column = (lines.at(-1) ?? '').length + 1;
  const start = before.slice(-30).replaceAll(/\s+/g, ' ');
  const rest = sql.slice(before.length, before.length + 30).replaceAll(/\s+/g, ' ');
  return `at line ${lines.length}, column ${column}: ${start} >>> ${rest || '(end)'}`;
}

/** The engine counts characters; a string counts UTF-16 units. */
function textBefore(sql: string, position: number): string {
  return Array.from(sql).slice(0, position).join('');
}

/** The place follows, so no full stop. */
function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1).replace(/\.$/, '');
}

/** Words that stand for arguments of tables and are words of SQL. */
const reservedArgument = /^(from|to|all|date|end|start|order|group|limit|user)\b/i;

function hint(sql: string, position: number): string {
  const at = textBefore(sql, position).length;
  const rest = sql.slice(at);
  const word = /^\w+/.exec(rest)?.[0] ?? '';
  const before = sql.slice(0, at).trimEnd();
  const argument = /[(,]\s*(\w+)$/.exec(before + word)?.[1] ?? '';
  if (/^\w*\s*(:=|=>|=)/.test(rest) && reservedArgument.test(argument)) {
    return `. "${argument}" is a word of SQL: as an argument it stands in double quotes, "${argument}" := ...; period := '2026-11-02..2026-11-08' needs none.`;
  }
  if (/\b(describe|summarize)\s+\w+$/i.test(before) && rest.startsWith('(')) {
    return '. DESCRIBE and SUMMARIZE take a query: SUMMARIZE SELECT * FROM table(...).';
  }
  // A word of SQL was taken for a name where it is read, or before.
  const name = [word, /\w+$/.exec(before)?.[0] ?? ''].find((found) => reservedName.test(found));
  return name === undefined ? '' : `. If ${name} is a name, write it in double quotes: "${name}".`;
}

/** Words of SQL that people take for names of columns and tables. */
const reservedName = /^(order|group|desc|asc|limit|table|column|user|end|all|at|check|default)$/i;
