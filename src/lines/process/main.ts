/**
 * The process that keeps order lines on disk. It runs no statements of callers, reaches one folder alone,
 * and ends with the process that started it.
 */
import { messageOf } from '../../core/errors.ts';
import type { LinesCommand, LinesFolder, LinesReply } from '../messages.ts';
import { Parts } from './parts.ts';

// What it makes is for the owner alone.
process.umask(0o077);

const [folder = '', owner = '', mostBytes = ''] = process.argv.slice(2);
let opened: Parts | undefined;

/** The key is no argument of a process: everybody on the machine can read those. */
type KeyedCommand = LinesCommand & Pick<LinesFolder, 'key'>;

function send(reply: LinesReply): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(reply, () => resolve());
  });
}

async function carryOut({ key, ...command }: KeyedCommand): Promise<void> {
  try {
    const onLeftOut = (file: string) => void send({ kind: 'left out', file });
    opened ??= await Parts.open({ folder, owner, key, mostBytes: Number(mostBytes), onLeftOut });
    if (command.op === 'find')
      await opened.find(command, (found) => send({ kind: 'found', found }));
    if (command.op === 'fold') await opened.fold();
    const droppedTo = command.op === 'keep' ? await opened.keep(command.orders) : undefined;
    await send({ kind: 'done', droppedTo });
  } catch (error) {
    await send({ kind: 'failed', message: messageOf(error) });
  }
}

let last: Promise<void> = Promise.resolve();
process.on('message', (command: KeyedCommand) => {
  last = last.then(() => carryOut(command));
});
process.on('disconnect', () => process.exit(0));
