/**
 * The engine's process. It runs one statement after the other, each on a database of its own. It holds
 * no secret, and ends with the server or when it takes too much memory.
 */
import {
  type EngineCommand,
  type EngineReply,
  outOfMemoryExit,
  type SentStatement,
} from '../messages.ts';
import { explainFailure } from './advice.ts';
import { StatementRun } from './run.ts';

/** The engine counts most of what it takes, not all: the rest is seen from outside, this often. */
const memoryLookMs = 20;

const mostMemoryBytes = Number(process.argv[2]) * 1024 * 1024;

/** An interrupt between two steps of a statement has no effect: it is repeated until one has. */
const interruptEveryMs = 10;

let run: StatementRun | undefined;
let interruptions: NodeJS.Timeout | undefined;

process.on('message', (command: EngineCommand) => {
  if (command.op === 'interrupt')
    interruptions ??= setInterval(() => run?.interrupt(), interruptEveryMs);
  else void answer(command);
});
process.on('disconnect', () => process.exit(0));

setInterval(() => {
  if (process.memoryUsage.rss() > mostMemoryBytes) process.exit(outOfMemoryExit);
}, memoryLookMs).unref();

void send({ kind: 'ready' });

function send(reply: EngineReply): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(reply, () => resolve());
  });
}

async function answer(statement: SentStatement): Promise<void> {
  // One that came too late must not end this statement.
  endInterruption();
  try {
    run = await StatementRun.open(statement);
    const outcome = await run.run((text) => {
      if (interruptions !== undefined) throw new Error('Interrupted.');
      return send({ kind: 'rows', text });
    });
    await send(outcome);
  } catch (error) {
    const used = (await run?.usedColumns().catch(() => [])) ?? [];
    const { code, message } = explainFailure(statement.sql, error, used, statement.tables);
    await send({ kind: 'failed', code, message });
  } finally {
    endInterruption();
    run?.close();
    run = undefined;
  }
}

function endInterruption(): void {
  clearInterval(interruptions);
  interruptions = undefined;
}
