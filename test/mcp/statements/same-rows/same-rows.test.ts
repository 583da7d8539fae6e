/** `query` against the same statements over the same rows, loaded by other code. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AccountSurvey } from '../../../../src/analysis/survey/survey.ts';
import { inParallel } from '../../../../src/core/deadline.ts';
import { runs } from '../../../property-runs.ts';
import { accounts, sandboxAt, sharedServer } from '../../../server-over.ts';
import { folderWith } from '../../../setup/folder.ts';
import { kinds, views } from './statements.ts';
import { loadRows, overTools } from './tables.ts';

// Each statement is settled by its own rows.
const whole = AccountSurvey.prototype.forCaller;
const unseen = vi.spyOn(AccountSurvey.prototype, 'forCaller').mockImplementation(function (
  this: AccountSurvey,
  ...of
) {
  return { ...whole.apply(this, of), look: () => Promise.reject(new Error('No look is needed.')) };
});
afterAll(() => unseen.mockRestore());

const title = 'query, where openapi.json is $description and names are $dialect';

describe.each(accounts)(title, ({ description, dialect }) => {
  const files = Object.entries(views).map(([name, sql]) => {
    return [`views/${name}.sql`, overTools(sql, dialect)];
  });
  const settings = { COMMERCE_DEFINITIONS: folderWith(Object.fromEntries(files)) };
  const account = { description, dialect, ordersPerDay: 12 };
  const server = sharedServer({ ...account, settings });
  let rows: Awaited<ReturnType<typeof loadRows>>;
  beforeAll(async () => {
    rows = await loadRows(await sandboxAt(account), views, dialect);
  });
  afterAll(() => rows.close());

  test.each(Object.entries(kinds))(
    'gives for %s what they give over the rows themselves',
    async (_, all) => {
      const wrong: unknown[] = [];
      // Where columns are described, each second statement will do (PROPERTY_RUNS=2 takes them all).
      const isTaken = (at: number) => description === 'bare' || at % 2 === 0 || runs(1) > 1;
      const statements = all.filter((_, at) => isTaken(at));
      await inParallel(statements, 2, undefined, async (sql) => {
        const {
          isError,
          text,
          rows: found,
        } = await server.ask('query', { sql: overTools(sql, dialect) });
        const [told, truth] = [written(found), written(await rows.run(sql))];
        if (isError) wrong.push({ sql, text: text.slice(0, 200) });
        else if (told !== truth) wrong.push({ sql, told, truth });
      });
      expect(wrong, `${wrong.length} of ${statements.length}`).toEqual([]);
    },
  );
});

function written(rows: readonly unknown[]): string {
  return JSON.stringify(rows.map(normalise));
}

/** A value as both sides can write it: days and moments as instants, numbers without floating-point dust. */
function normalise(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint')
    return Number(Number(value).toPrecision(12));
  const isMoment = typeof value === 'string' && /^\d{4}-\d\d-\d\d(T.*[+-]\d\d:\d\d)?$/.test(value);
  if (isMoment || value instanceof Date) return new Date(value).toISOString();
  if (Array.isArray(value)) return value.map(normalise);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, normalise(it)]));
}
