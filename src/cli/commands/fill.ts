import { type FillProgress, fill } from '../../analysis/lines/fill.ts';
import { refuseSetting } from '../../config/config.ts';
import { settingMessages } from '../../config/messages.ts';
import { reasonIn } from '../../core/errors.ts';
import { assertWritable } from '../../core/files.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { countNoun, sayCount } from '../../core/text.ts';
import { clearLines } from '../../lines/kept-lines.ts';
import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { openStatusLine, say } from '../terminal/text.ts';

/** Reads the order lines of a period ahead of questions, or removes kept lines. */
export async function runFill(line: CommandLine): Promise<0> {
  const { operands, flags } = line;
  const [period = 'last_30_days'] = operands;
  resolvePeriod({ period }, Date.now());
  const { app, config, close } = await openApp(line);
  const status = openStatusLine();
  let showing: NodeJS.Timeout | undefined;
  try {
    const { keepDir: folder = '' } = config;
    const { orderLines: lines, client, now } = app.services;
    if (lines === undefined)
      throw refuseSetting(
        'COMMERCE_KEEP_DIR',
        settingMessages.missing_setting({ about: 'the folder that keeps order lines' }),
      );
    if (flags.clear) {
      const cleared = countNoun(await clearLines(folder), 'order');
      say(`Lines of ${cleared} were taken away from ${folder}.`);
      return 0;
    }
    await assertWritable(folder).catch((error: unknown) => {
      const reason = reasonIn(error);
      throw refuseSetting(
        'COMMERCE_KEEP_DIR',
        settingMessages.unusable_path({ reason: reason.text }),
      );
    });
    client.shareInBackground(Number(flags.share ?? 50) / 100);
    const signal = stopSignal();
    let lastProgress: FillProgress | undefined;
    const startedMs = performance.now();
    const show = () => {
      if (lastProgress === undefined) return;
      const { waiting, inFlight } = client.load();
      const isWaiting = waiting > 0 && inFlight === 0;
      const ms = performance.now() - startedMs;
      status.show(sayProgress(lastProgress, ms, isWaiting));
    };
    // Shows progress also while a day waits for budget.
    showing = setInterval(show, 500);
    const dropped = await fill({
      client,
      lines,
      period,
      now,
      signal,
      onProgress(progress) {
        lastProgress = progress;
        show();
      },
      onTrouble(reason) {
        status.clear();
        say(`${reason.text} Waits, and tries again.`);
      },
    });
    status.clear();
    say(`Kept in ${folder}: lines of ${await lines.summary()}.`);
    if (dropped !== undefined)
      say(`COMMERCE_KEEP_MB (${config.keepMb}) has no room for ${dropped} and earlier days.`);
    if (signal.aborted) say('Stopped. The same command goes on from here.');
    return 0;
  } finally {
    clearInterval(showing);
    status.clear();
    await close();
  }
}

/** `7 of 30 days, 10,512 orders, 3,120 read, 150 a minute, about 1 h 20 min to go` */
export function sayProgress(
  { daysDone, days, orders, read }: FillProgress,
  ms: number,
  isWaiting: boolean,
): string {
  const minutes = ms / 60_000;
  const toGo = Math.ceil((minutes / daysDone) * (days - daysDone));
  const hours = Math.floor(toGo / 60);
  const time = hours > 0 ? `${hours} h ${toGo % 60} min` : `${toGo} min`;
  return [
    `${daysDone} of ${days} days, ${countNoun(orders, 'order')}, ${sayCount(read)} read`,
    ...(read > 0 && minutes > 0 ? [`${sayCount(Math.round(read / minutes))} a minute`] : []),
    ...(daysDone > 0 && daysDone < days && read > 0 ? [`about ${time} to go`] : []),
    ...(isWaiting ? ['waits for its share of the budget'] : []),
  ].join(', ');
}
