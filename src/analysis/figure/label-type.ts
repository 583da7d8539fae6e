/** What the values of a column are as labels: days, weeks, months or names. */
import { amsterdamDay } from '../../core/calendar.ts';
import { createTimestampReader } from '../../core/timestamps.ts';
import type { AxisType } from './figure.ts';

/** A column's values as labels; undefined where a row has none. */
export interface LabelColumn {
  type: AxisType;
  labels: readonly (string | undefined)[];
}

/**
 * Reads a column as labels. All of its values are days, weeks or months, or all of them are names;
 * a timestamp stands for its Amsterdam day. `names` are the names of ids.
 */
export function readLabels(
  values: readonly unknown[],
  names: Readonly<Record<string, string>> | undefined,
): LabelColumn {
  if (names) return { type: 'name', labels: nameIds(values, names) };
  const given = values.filter((value) => value !== null && value !== undefined);
  for (const { type, read } of timeForms) {
    if (given.length > 0 && given.every((value) => read(value) !== undefined))
      return { type, labels: values.map(read) };
  }
  return { type: 'name', labels: values.map(nameOf) };
}

const reader = createTimestampReader();

const timeForms: readonly { type: AxisType; read(value: unknown): string | undefined }[] = [
  { type: 'day', read: readDay },
  { type: 'week', read: (value) => matching(/^\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])$/, value) },
  { type: 'month', read: (value) => matching(/^\d{4}-(?:0[1-9]|1[0-2])$/, value) },
];

function readDay(value: unknown): string | undefined {
  const moment = reader.read(value);
  return moment && amsterdamDay(moment.ms);
}

function matching(form: RegExp, value: unknown): string | undefined {
  return typeof value === 'string' && form.test(value) ? value : undefined;
}

function nameOf(value: unknown): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Ids that share a name keep their number beside it: two tills named "Bar" are two bars. */
function nameIds(values: readonly unknown[], names: Readonly<Record<string, string>>) {
  const idsByName = new Map<string, Set<string>>();
  const nameBy = (id: string) => (Object.hasOwn(names, id) ? names[id] : undefined) ?? id;
  const ids = values.map(nameOf);
  for (const id of ids) {
    if (id === undefined) continue;
    const name = nameBy(id);
    idsByName.set(name, (idsByName.get(name) ?? new Set()).add(id));
  }
  return ids.map((id) => {
    if (id === undefined) return undefined;
    const name = nameBy(id);
    return (idsByName.get(name)?.size ?? 0) > 1 && name !== id ? `${name} (${id})` : name;
  });
}
