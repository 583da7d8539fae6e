/**
 * Query parameters as data: how each is read and how openapi.json describes it.
 * Section 7: an unreadable value is refused, never guessed; parameters nobody knows are ignored.
 */
import { DateTime } from 'luxon';
import { type DayNumber, parseDay } from '../world/business/calendar.ts';
import { STATUSES, type Status } from '../world/trade/order.ts';
import { badParameter } from './problem.ts';

/** The part of a JSON schema that a parameter needs. */
interface ParameterSchema {
  type: 'integer' | 'string' | 'boolean';
  format?: string;
  minimum?: number;
  maximum?: number;
  default?: number | string;
  pattern?: string;
}

/** One query parameter; `read` gets undefined when it is absent and throws a 400 for nonsense. */
export interface Parameter<T> {
  description: string;
  isRequired: boolean;
  schema: ParameterSchema;
  read(text: string | undefined, name: string): T;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What reading a set of parameters gives. */
export type ValuesOf<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};

/** Reads all parameters of a route. @throws ProblemError 400, naming the parameter */
export function readParameters<P extends Parameters>(
  parameters: P,
  query: URLSearchParams,
): ValuesOf<P> {
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const given = query.getAll(name);
    if (given.length > 1) throw badParameter(name, 'is given more than once.');
    return [name, parameter.read(given[0], name)] as const;
  });
  return Object.fromEntries(values) as ValuesOf<P>;
}

/** An id: a whole number from 1 up. */
export function id(description: string): Parameter<number | undefined> {
  return {
    description,
    isRequired: false,
    schema: { type: 'integer', minimum: 1 },
    read: (text, name) => (text === undefined ? undefined : wholeNumber(text, name, 1)),
  };
}

/** A whole number with a default. */
export function number(
  description: string,
  bounds: { minimum: number; maximum?: number; default: number },
): Parameter<number> {
  return {
    description,
    isRequired: false,
    schema: { type: 'integer', ...bounds },
    read: (text, name) =>
      text === undefined ? bounds.default : wholeNumber(text, name, bounds.minimum, bounds.maximum),
  };
}

/** Section 8.6: offset paging with the bounds of one endpoint. */
export function paging(defaultLimit: number, maximum: number) {
  return {
    start: number('Rows to skip.', { minimum: 0, default: 0 }),
    limit: number('Rows on a page.', { minimum: 1, maximum, default: defaultLimit }),
  };
}

/** Free text; an empty one counts as absent. */
export function text(description: string): Parameter<string | undefined> {
  return {
    description,
    isRequired: false,
    schema: { type: 'string' },
    read: (given) => (given === undefined || given.trim() === '' ? undefined : given.trim()),
  };
}

/** `1`, `0`, `true` or `false`. */
export function flag(description: string): Parameter<boolean | undefined> {
  return {
    description,
    isRequired: false,
    schema: { type: 'boolean' },
    read(given, name) {
      if (given === undefined) return undefined;
      if (given === '1' || given === 'true') return true;
      if (given === '0' || given === 'false') return false;
      throw badParameter(name, `"${given}" is not a boolean: give 1 or 0.`);
    },
  };
}

/** A day that must be given. */
export function requiredDay(description: string): Parameter<DayNumber> {
  return {
    description,
    isRequired: true,
    schema: { type: 'string', format: 'date' },
    read(given, name) {
      if (given === undefined) throw badParameter(name, 'is required, as YYYY-MM-DD.');
      return readDay(given, name);
    },
  };
}

/** A day that may be left out. */
export function optionalDay(description: string): Parameter<DayNumber | undefined> {
  return {
    description,
    isRequired: false,
    schema: { type: 'string', format: 'date' },
    read: (given, name) => (given === undefined ? undefined : readDay(given, name)),
  };
}

/** Order statuses, separated by commas. */
export const statusList: Parameter<readonly Status[] | undefined> = {
  description: `Comma-separated statuses (${STATUSES.join(', ')}); all when omitted.`,
  isRequired: false,
  schema: { type: 'string' },
  read(given, name) {
    if (given === undefined) return undefined;
    return given.split(',').map((word) => {
      const status = STATUSES.find((each) => each === word.trim());
      if (status === undefined) throw badParameter(name, `"${word}" is not a status.`);
      return status;
    });
  },
};

/** Section 4, rule 10: inner product ids, separated by commas; every entry must be one. */
export const productIds: Parameter<readonly number[] | undefined> = {
  description: 'Comma-separated inner product ids (not shop_product_id).',
  isRequired: false,
  schema: { type: 'string' },
  read: (given, name) => given?.split(',').map((entry) => wholeNumber(entry.trim(), name, 1)),
};

/** ISO 639-1, lower case. */
export const languageCode: Parameter<string> = {
  description: 'Language of titles, ISO 639-1 lower case.',
  isRequired: false,
  schema: { type: 'string', pattern: '^[a-z]{2}$', default: 'nl' },
  read(given, name) {
    if (given === undefined) return 'nl';
    if (/^[a-z]{2}$/.test(given)) return given;
    throw badParameter(name, `"${given}" is not an ISO 639-1 code in lower case, such as nl.`);
  },
};

/** ISO 3166-1 alpha-2, upper case. */
export const countryCode: Parameter<string | undefined> = {
  description: 'Rates of one country, ISO 3166-1 alpha-2; all countries when omitted.',
  isRequired: false,
  schema: { type: 'string', pattern: '^[A-Z]{2}$' },
  read(given, name) {
    if (given === undefined || /^[A-Z]{2}$/.test(given)) return given;
    throw badParameter(name, `"${given}" is not a country code of two capitals, such as NL.`);
  },
};

/** Section 4, rule 6: ISO 8601, or a day read as Amsterdam midnight; in epoch milliseconds. */
export const since: Parameter<number | undefined> = {
  description: 'Changes from this time on: ISO 8601, or YYYY-MM-DD read as Amsterdam midnight.',
  isRequired: false,
  schema: { type: 'string' },
  read(given, name) {
    if (given === undefined) return undefined;
    const looksRight = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;
    const moment = DateTime.fromISO(given, { zone: 'Europe/Amsterdam' });
    if (looksRight.test(given) && moment.isValid) return moment.toMillis();
    throw badParameter(name, `"${given}" is neither an ISO 8601 time nor YYYY-MM-DD.`);
  },
};

function wholeNumber(given: string, name: string, minimum: number, maximum = Infinity): number {
  const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  const bounds = maximum === Infinity ? `from ${minimum} up` : `from ${minimum} to ${maximum}`;
  throw badParameter(name, `"${given}" is not a whole number ${bounds}.`);
}

function readDay(given: string, name: string): DayNumber {
  const day = parseDay(given);
  if (day === undefined) throw badParameter(name, `"${given}" is not a day: write YYYY-MM-DD.`);
  return day;
}
