import { type FillProgress, fill } from '../../analysis/lines/fill.ts';
import { ConfigError } from '../../config/config.ts';
import { messageOf } from '../../core/errors.ts';
import { assertWritable } from '../../core/files.ts';
import type { Message } from '../../core/message.ts';
import { countNoun, sayCount } from '../../core/text.ts';
import { clearLines } from '../../lines/kept-lines.ts';
import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { personReader } from '../terminal/catalogue/reader.ts';
import { openStatusLine } from '../terminal/status-line.ts';
import { say } from '../terminal/text.ts';

/** Reads the order lines of a period ahead of the questions about them, or takes away what is kept. */
export async function runFill(line: CommandLine): Promise<0> {
  const { operands, switches, values } = line;
  const [period = 'last_30_days'] = operands;
  const { app, config, close } = await openApp({ ...line, values: { ...values, fill: period } });
  const status = openStatusLine();
  let showing: NodeJS.Timeout | undefined;
  try {
    const { keepDir: folder = '' } = config;
    const { orderLines: lines, client, now } = app.services;
    if (lines === undefined) throw new TypeError('A folder was named.');
    if (switches.has('clear')) {
      const orders = countNoun(await clearLines(folder), 'order');
      say(`Lines of ${orders} were taken away from ${folder}.`);
      return 0;
    }
    await assertWritable(folder).catch((error: unknown) => {
      const problem = `cannot be used: ${messageOf(error)}`;
      throw new ConfigError([{ name: 'COMMERCE_KEEP_DIR', problem }]);
    });
    client.shareInBackground(Number(values.share ?? 50) / 100);
    const signal = stopSignal();
    let reached: FillProgress | undefined;
    const startedMs = performance.now();
    const sayNow = (progress: FillProgress) => {
      const { waiting, inFlight } = client.load();
      const ms = performance.now() - startedMs;
      return sayProgress(progress, { ms, isWaiting: waiting > 0 && inFlight === 0 });
    };
    // Between two days it says that it waits.
    showing = setInterval(() => {
      if (reached === undefined) return;
      const { daysDone: done, days: total } = reached;
      status.report({ done, total, message: sayNow(reached) });
    }, 500);
    const options = {
      client,
      lines,
      period,
      now,
      signal,
      onProgress(progress: FillProgress) {
        reached = progress;
        status.show(sayNow(progress));
      },
      onTrouble(reason: Message) {
        status.clear();
        say(`${personReader(() => true).say(reason)} Waits, and tries again.`, 'yellow');
      },
    };
    const dropped = await fill(options);
    status.clear();
    say(`Kept in ${folder}: lines of ${personReader(() => true).say(await lines.summary())}.`);
    const lacking = `COMMERCE_KEEP_MB (${config.keepMb}) has no room for ${dropped} and earlier days.`;
    if (dropped !== undefined) say(lacking, 'yellow');
    if (signal.aborted) say('Stopped. The same command goes on from here.');
    return 0;
  } finally {
    clearInterval(showing);
    status.clear();
    await close();
  }
}

/**
 * How far it is: `7 of 30 days, 10,512 orders, 3,120 read, 150 a minute, about 1 h 20 min to go`.
 * @param about how long it has run, and whether it waits for budget now
 */
export function sayProgress(
  { daysDone, days, orders, read }: FillProgress,
  { ms, isWaiting }: { ms: number; isWaiting: boolean },
): string {
  const minutes = ms / 60_000;
  const rate = sayCount(Math.round(read / minutes));
  const toGo = Math.ceil((minutes / daysDone) * (days - daysDone));
  const hours = Math.floor(toGo / 60);
  const time = hours > 0 ? `${hours} h ${toGo % 60} min` : `${toGo} min`;
  return [
    `${daysDone} of ${days} days, ${countNoun(orders, 'order')}, ${sayCount(read)} read`,
    ...(read > 0 && minutes > 0 ? [`${rate} a minute`] : []),
    ...(daysDone > 0 && daysDone < days && read > 0 ? [`about ${time} to go`] : []),
    ...(isWaiting ? ['waits for its share of the budget'] : []),
  ].join(', ');
}
