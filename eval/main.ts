/** `npm run eval`: docs/evaluation.md says how to run it and how to read it. */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '../src/core/json.ts';
import { evaluate } from './evaluate.ts';
import { anthropic } from './model/anthropic.ts';
import { openAi } from './model/openai.ts';
import { ModelError, type Wire } from './model/post.ts';
import { questions } from './questions/questions.ts';
import { channels, startServer } from './server.ts';
import { readSettings, SettingsError } from './settings.ts';
import { type Run, table } from './table.ts';

/** What a run needs of the world; `asked` are the ids of questions, none for all. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  asked: readonly string[];
  /** The built program. */
  program: string;
  /** The file of the last run. */
  kept: string;
  print(line: string): void;
}

const wire: Wire = { fetch, sleep: (ms) => sleep(ms) };

/** Asks, judges, prints, and keeps what a whole run found. Returns the exit code. */
export async function main(surroundings: Surroundings): Promise<number> {
  const { env, asked, program, kept, print } = surroundings;
  try {
    const settings = readSettings(env);
    const chosen = questions.filter(({ id }) => asked.length === 0 || asked.includes(id));
    const unknown = asked.filter((id) => !questions.some((question) => question.id === id));
    if (unknown.length > 0) {
      print(`There is no question ${unknown.join(', ')}. The questions are:`);
      print(questions.map(({ id }) => id).join(' '));
      return 2;
    }
    const last = await lastRun(kept);
    const model = (settings.api === 'openai' ? openAi : anthropic)(settings, wire);
    const results = await evaluate({
      model,
      questions: chosen,
      openServer: () => startServer(program),
      report: ({ id, channel, right, missing }) => {
        print(`${right ? 'right' : 'WRONG'}  ${id} (${channel})`);
        for (const row of missing) print(`       not told: ${row}`);
      },
    });
    const run: Run = { date: new Date().toISOString(), model: settings.name, results };
    print('');
    for (const line of table(run, last)) print(line);
    if (asked.length === 0) await writeFile(kept, `${JSON.stringify(run, null, 2)}\n`);
    return 0;
  } catch (error) {
    if (error instanceof SettingsError) {
      print('npm run eval asks a model; it needs in its environment:');
      for (const line of error.message.split('\n')) print(`  ${line}`);
      print('docs/evaluation.md says more.');
      return 2;
    }
    if (!(error instanceof ModelError)) throw error;
    print(error.message);
    return 1;
  }
}

/** The run that was kept last, if any. */
async function lastRun(file: string): Promise<Run | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : keptRun.parse(parseJson(text));
}

const keptRun = z.object({
  date: z.string(),
  model: z.string(),
  results: z.array(
    z.object({
      id: z.string(),
      channel: z.enum(channels),
      right: z.boolean(),
      missing: z.array(z.string()),
      calls: z.number(),
      tokens: z.object({ read: z.number(), written: z.number() }),
    }),
  ),
});
