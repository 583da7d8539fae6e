/** The process that keeps order lines on disk. It runs no statements of callers, and reaches one folder alone. */
import { serveParent } from '../../core/child-process.ts';
import { messageOf } from '../../core/errors.ts';
import type { LinesCommand, LinesPart, LinesReply } from '../kept-lines.ts';
import { Parts } from './parts.ts';

// What it makes is for the owner alone.
process.umask(0o077);

const [folder = '', owner = '', mostBytes = ''] = process.argv.slice(2);
let opened: Parts | undefined;

serveParent<LinesCommand, LinesPart, LinesReply>(async ({ key, ...command }, give) => {
  try {
    const onLeftOut = (leftOut: string) => void give({ leftOut });
    opened ??= await Parts.open({ folder, owner, key, mostBytes: Number(mostBytes), onLeftOut });
    if (command.op === 'find') await opened.find(command, (found) => give({ found }));
    if (command.op === 'fold') await opened.fold();
    const droppedTo = command.op === 'keep' ? await opened.keep(command.orders) : undefined;
    return { droppedTo };
  } catch (error) {
    return { failure: messageOf(error) };
  }
});
