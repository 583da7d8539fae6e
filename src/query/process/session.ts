/** Carries out the server's commands, one after the other, each statement on a database of its own. */
import { explainFailure } from '../advice/explain.ts';
import { QueryError } from '../errors.ts';
import type { EngineCommand, EngineReply, OpenedStatement } from '../messages.ts';
import { failureOf } from './failure.ts';
import { StatementRun } from './run.ts';

/** Sends a message to the server; resolves when it takes more. */
export type Send = (reply: EngineReply) => Promise<void>;

/** An interrupt between two steps of a statement has no effect: it is repeated until one has. */
const interruptEveryMs = 10;

export class Session {
  readonly #send: Send;
  #opened: OpenedStatement | undefined;
  #run: StatementRun | undefined;
  /** Only `run` is answered: an error before it is thrown there. */
  #error: unknown;
  #isInterrupted = false;
  #interruptions: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(send: Send) {
    this.#send = send;
  }

  take(command: EngineCommand): void {
    if (command.op === 'interrupt') {
      this.#isInterrupted = true;
      this.#interruptions ??= setInterval(() => this.#run?.interrupt(), interruptEveryMs);
      return;
    }
    // An interrupt that came too late must not end the next statement.
    if (command.op === 'open') this.#endInterruption();
    this.#last = this.#last.then(async () => {
      try {
        if (command.op === 'open') await this.#open(command);
        else if (this.#error === undefined) await this.#carryOut(command);
      } catch (error) {
        this.#error = error;
      }
      if (command.op !== 'run') return;
      if (this.#error !== undefined) await this.#fail(this.#error);
      this.#endInterruption();
    });
  }

  async #open(opened: OpenedStatement): Promise<void> {
    this.#run?.close();
    this.#run = undefined;
    this.#error = undefined;
    this.#opened = opened;
    this.#run = await StatementRun.open(opened);
  }

  async #carryOut(command: Exclude<EngineCommand, { op: 'open' | 'interrupt' }>): Promise<void> {
    const run = this.#run;
    if (run === undefined || this.#isInterrupted) throw new Error('Interrupted.');
    if (command.op === 'table') return run.table(command.name, command.calls, command.columns);
    if (command.op === 'rows') return run.rows(command.text);
    const outcome = await run.run((text) => {
      if (this.#isInterrupted) throw new Error('Interrupted.');
      return this.#send({ kind: 'rows', text });
    });
    await this.#send(outcome);
  }

  async #fail(error: unknown): Promise<void> {
    const { sql = '', tables = new Map() } = this.#opened ?? {};
    const used = (await this.#run?.usedColumns().catch(() => [])) ?? [];
    const { code, message } =
      error instanceof QueryError ? error : explainFailure(sql, failureOf(error), used, tables);
    await this.#send({ kind: 'failed', code, message });
  }

  #endInterruption(): void {
    this.#isInterrupted = false;
    clearInterval(this.#interruptions);
    this.#interruptions = undefined;
  }
}
