import { World } from '../src/sandbox/world/world.ts';
import { askModel, type Told } from './ask-model.ts';
import { judge } from './judge/judge.ts';
import type { Model } from './model/model.ts';
import { ModelError } from './model/post.ts';
import type { Question } from './questions/question.ts';
import { type Channel, channels, type EvaluatedServer } from './server.ts';

/** How one question went over one channel. */
export interface Result extends Omit<Told, 'answer'> {
  id: string;
  channel: Channel;
  right: boolean;
  /** What it did not tell, and what it said instead; nothing where it was right. */
  missing: readonly string[];
  answer?: string;
}

/** Who is asked, and by what the answers are judged. */
export interface Evaluation {
  model: Model;
  questions: readonly Question[];
  /** A server for one question: nothing of an earlier one is left in it. */
  openServer(): Promise<EvaluatedServer>;
  /** The clock of the server's sandbox. @default Date.now */
  now?: () => number;
  /** Told of each result as it comes. */
  report?(result: Result): void;
}

/**
 * Asks every question over both channels, one after the other.
 *
 * @throws ModelError when the model cannot be asked at all; later on it is the question that failed.
 */
export async function evaluate({
  model,
  questions,
  openServer,
  now = Date.now,
  report = () => {},
}: Evaluation): Promise<Result[]> {
  const results: Result[] = [];
  for (const question of questions)
    for (const channel of channels) {
      const server = await openServer();
      try {
        // The sandbox that the server embeds: as its own defaults have it.
        const world = new World({ seed: 1, ordersPerDay: 60 }, now);
        const asked = typeof question.ask === 'string' ? question.ask : question.ask(world);
        const truth = question.truth(world);
        const told = await askModel(asked, server, model, channel);
        // Orders go on arriving: what was true when it was asked, or when it was answered.
        const before = judge(told.answer, truth);
        const verdict = before.right ? before : judge(told.answer, question.truth(world));
        const { answer, ...rest } = told;
        const wrong = verdict.right ? {} : { answer };
        results.push({ id: question.id, channel, ...rest, ...verdict, ...wrong });
      } catch (error) {
        if (!(error instanceof ModelError) || results.length === 0) throw error;
        const none = { calls: 0, tokens: { read: 0, written: 0 }, right: false };
        results.push({ id: question.id, channel, ...none, missing: [error.message] });
      } finally {
        await server.close();
      }
      const last = results.at(-1);
      if (last) report(last);
    }
  return results;
}
