import { expect, test } from 'vitest';
import { judge } from '../../eval/judge/judge.ts';
import { questions } from '../../eval/questions/questions.ts';
import { runSql, sharedServer } from '../server-over.ts';

const server = sharedServer({ ordersPerDay: 60 });
test('the questions have ids of their own', () => {
  expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
});

test.each(questions)(
  'the question $id can be answered, and its answer is judged',
  async (question) => {
    const { world } = server().sandbox;
    const sql = typeof question.sql === 'string' ? question.sql : question.sql(world);
    const { rows } = await runSql(server(), sql, 5000);
    const lines = rows.map((row) => Object.values(row).join(' | '));
    const truth = question.truth(world);
    expect(truth.length).toBeGreaterThan(0);
    expect(judge(lines.join('\n'), truth)).toEqual({ right: true, missing: [] });
    // Every row counts: without any one of them the answer is wrong.
    for (const [index] of lines.entries())
      expect(judge(lines.toSpliced(index, 1).join('\n'), truth).right).toBe(false);
  },
);
