import { type FillOptions, type FillProgress, fill } from '../../analysis/lines/fill.ts';
import { settingError } from '../../config/config.ts';
import { settingMessages } from '../../config/messages.ts';
import { reasonIn } from '../../core/errors.ts';
import { assertWritable } from '../../core/files.ts';
import type { Message } from '../../core/message.ts';
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
  try {
    const { keepDir: folder, keepMb } = config;
    const { orderLines: lines, client, now } = app.services;
    const folderError = (problem: Message) => settingError('COMMERCE_KEEP_DIR', problem);
    if (folder === undefined || lines === undefined) {
      const about = 'the folder that keeps order lines';
      throw folderError(settingMessages.missing_setting({ about }));
    }
    if (flags.clear) {
      const cleared = countNoun(await clearLines(folder), 'order');
      say(`Lines of ${cleared} were removed from ${folder}.`);
      return 0;
    }
    await assertWritable(folder).catch((error: unknown) => {
      const { text: reason } = reasonIn(error);
      throw folderError(settingMessages.unusable_path({ reason }));
    });
    client.shareInBackground(Number(flags.share ?? 50) / 100);
    const signal = stopSignal();
    const dropped = await showFill({ client, lines, period, now, signal });
    say(`Kept in ${folder}: lines of ${await lines.summary()}.`);
    if (dropped !== undefined)
      say(`COMMERCE_KEEP_MB (${keepMb}) has no room for ${dropped} and earlier days.`);
    if (signal.aborted) say('Stopped. The same command goes on from here.');
    return 0;
  } finally {
    await close();
  }
}

/** Fills lines, and shows how far it is, also while a day waits for budget. */
async function showFill(settings: Omit<FillOptions, 'onProgress' | 'onTrouble'>) {
  const status = openStatusLine();
  const startedMs = performance.now();
  let lastProgress: FillProgress | undefined;
  const show = () => {
    if (lastProgress === undefined) return;
    const { waiting, inFlight } = settings.client.load();
    const ms = performance.now() - startedMs;
    status.show(sayProgress(lastProgress, ms, waiting > 0 && inFlight === 0));
  };
  const showing = setInterval(show, 500);
  try {
    return await fill({
      ...settings,
      onProgress(progress) {
        lastProgress = progress;
        show();
      },
      onTrouble(reason) {
        status.clear();
        say(`${reason.text} Waits, and tries again.`);
      },
    });
  } finally {
    clearInterval(showing);
    status.clear();
  }
}

/** `7 of 30 days, 10,512 orders, 3,120 read, 150 a minute, about 1 h 20 min to go` */
export function sayProgress(
  { daysDone, days, orders, read }: FillProgress,
  ms: number,
  isWaiting: boolean,
): string {
  const minutes = ms / 60_000;
  const minutesLeft = Math.ceil((minutes / daysDone) * (days - daysDone));
  const hours = Math.floor(minutesLeft / 60);
  const time = hours > 0 ? `${hours} h ${minutesLeft % 60} min` : `${minutesLeft} min`;
  return [
    `${daysDone} of ${days} days, ${countNoun(orders, 'order')}, ${sayCount(read)} read`,
    ...(read > 0 && minutes > 0 ? [`${sayCount(Math.round(read / minutes))} a minute`] : []),
    ...(daysDone > 0 && daysDone < days && read > 0 ? [`about ${time} to go`] : []),
    ...(isWaiting ? ['waits for its share of the budget'] : []),
  ].join(', ');
}
