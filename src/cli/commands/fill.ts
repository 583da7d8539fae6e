import { access, constants, mkdir } from 'node:fs/promises';
import { type FillProgress, fill, keepFilled } from '../../analysis/lines/fill.ts';
import { sayFilled } from '../../analysis/lines/order-lines.ts';
import { ConfigError } from '../../config.ts';
import { countNoun } from '../../core/text.ts';
import { clearLines } from '../../lines/kept-lines.ts';
import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../process.ts';
import { openStatusLine } from '../terminal/status-line.ts';
import { say } from '../terminal/text.ts';

/** Reads the order lines of a period ahead of the questions about them, or takes away what is kept. */
export async function runFill(line: CommandLine): Promise<0> {
  const { operands, switches, values } = line;
  const [period = 'last_30_days'] = operands;
  const { app, config, close } = await openApp({ ...line, values: { ...values, fill: period } });
  const status = openStatusLine();
  try {
    const { keepDir: folder = '' } = config;
    const { orderLines: lines, client, now } = app.services;
    if (lines === undefined) throw new TypeError('A folder was named.');
    if (switches.has('clear')) {
      const orders = countNoun(await clearLines(folder), 'order');
      say(`Lines of ${orders} were taken away from ${folder}.`);
      return 0;
    }
    await makeFolder(folder);
    client.shareInBackground(Number(values.share ?? 50) / 100);
    const signal = stopSignal();
    const sayKept = async () => {
      const { orders, bytes, filled } = await (await lines.open()).summary();
      const size = `${(bytes / 1e6).toFixed(1)} MB`;
      const kept = `${countNoun(orders, 'order')}, ${sayFilled(filled)}, ${size}`;
      status.clear();
      say(`Kept in ${folder}: lines of ${kept}.`);
    };
    const options = {
      ...{ client, lines, period, now, signal },
      onProgress: (progress: FillProgress) => status.show(sayProgress(progress)),
      onTrouble(message: string) {
        status.clear();
        say(`${message} Waits, and tries again.`, 'yellow');
      },
    };
    if (switches.has('watch')) await keepFilled({ ...options, onDone: () => void sayKept() });
    else {
      const dropped = await fill(options);
      await sayKept();
      const lacking = `COMMERCE_KEEP_MB (${config.keepMb}) has no room for ${dropped} and earlier days.`;
      if (dropped !== undefined) say(lacking, 'yellow');
    }
    if (signal.aborted) say('Stopped. The same command goes on from here.');
    return 0;
  } finally {
    status.clear();
    await close();
  }
}

/** @throws {ConfigError} for a folder that cannot be made, or not be written */
async function makeFolder(folder: string): Promise<void> {
  const made = mkdir(folder, { recursive: true, mode: 0o700 });
  const writable = made.then(() => access(folder, constants.W_OK | constants.X_OK));
  await writable.catch(({ code }: NodeJS.ErrnoException) => {
    const problem = `(${folder}) cannot be written: ${code}`;
    throw new ConfigError([{ name: 'COMMERCE_KEEP_DIR', problem }]);
  });
}

/** `7 of 30 days, 10,512 orders, 3,120 read`. */
function sayProgress({ daysDone, days, orders, read }: FillProgress): string {
  const counts = `${daysDone} of ${days} days, ${countNoun(orders, 'order')}`;
  return `${counts}, ${read.toLocaleString('en-US')} read`;
}
