import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FillProgress, fill, keepFilled } from '../../analysis/lines/fill.ts';
import { type OrderLines, sayFilled } from '../../analysis/lines/order-lines.ts';
import { ConfigError } from '../../config.ts';
import { InputError } from '../../core/errors.ts';
import { resolvePeriod } from '../../core/periods.ts';
import { countNoun } from '../../core/text.ts';
import { clearLines } from '../../lines/kept-lines.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { untilAsked } from '../process.ts';
import { openStatusLine } from '../terminal/status-line.ts';
import { say } from '../terminal/text.ts';

/** Reads the order lines of a period ahead of the questions about them, or takes away what is kept. */
export async function runFill(line: CommandLine): Promise<0> {
  const { operands, switches, values } = line;
  const [period = 'last_30_days', ...more] = operands;
  if (more.length > 0) throw new UsageError('fill takes one period, such as last_30_days');
  checkPeriod(period);
  const { app, config, close } = await openApp({ ...line, values: { ...values, fill: period } });
  try {
    const { keepDir: folder = '' } = config;
    const { orderLines: lines, client, now } = app.services;
    if (lines === undefined) throw new TypeError('A folder was named.');
    if (switches.has('clear')) {
      say(
        `Lines of ${countNoun(await clearLines(folder), 'order')} were taken away from ${folder}.`,
      );
      return 0;
    }
    await checkFolder(folder);
    client.shareInBackground(Number(values.share ?? 50) / 100);
    const stopping = new AbortController();
    const { signal } = stopping;
    untilAsked().then(() => stopping.abort());
    const status = openStatusLine();
    const startedMs = now();
    const options = {
      ...{ client, lines, period, now, signal },
      onProgress: (progress: FillProgress) => status.show(sayProgress(progress, now(), startedMs)),
      onTrouble(message: string) {
        status.clear();
        say(`${message} Waits, and tries again.`, 'yellow');
      },
    };
    const tell = async () => {
      status.clear();
      await sayKept(lines, folder);
    };
    try {
      if (switches.has('watch')) await keepFilled({ ...options, onDone: () => void tell() });
      else {
        const dropped = await fill(options);
        await tell();
        if (dropped !== undefined)
          say(
            `COMMERCE_KEEP_MB (${config.keepMb}) has no room for ${dropped} and earlier days.`,
            'yellow',
          );
      }
    } finally {
      status.clear();
    }
    if (signal.aborted) say('Stopped. The same command goes on from here.');
    return 0;
  } finally {
    await close();
  }
}

function checkPeriod(period: string): void {
  try {
    resolvePeriod({ period }, Date.now(), { period: 'PERIOD', from: 'PERIOD' });
  } catch (error) {
    throw error instanceof InputError ? new UsageError(error.message) : error;
  }
}

/** @throws {ConfigError} for a folder that cannot be made, or not be written */
async function checkFolder(folder: string): Promise<void> {
  const trial = join(folder, `${process.pid}.unfinished`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(trial, '');
    await rm(trial);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    // A full disk may have room again; it is told when something is to be kept.
    if (code === 'ENOSPC') return;
    const problem = `(${folder}) cannot be written: ${code}`;
    throw new ConfigError([{ name: 'COMMERCE_KEEP_DIR', problem }]);
  }
}

const barWidth = 20;

/** `[=====---------------] 7 of 30 days, 10,512 orders, 3,120 read, 290 a minute, done about 14:32`. */
function sayProgress(progress: FillProgress, nowMs: number, startedMs: number): string {
  const { daysDone, days, orders, read } = progress;
  const share = daysDone / days;
  const full = Math.round(share * barWidth);
  const spentMs = Math.max(1, nowMs - startedMs);
  const end = new Date(nowMs + (spentMs * (1 - share)) / share);
  return [
    `[${'='.repeat(full)}${'-'.repeat(barWidth - full)}] ${Math.floor(daysDone)} of ${days} days`,
    `${count(orders)} orders`,
    `${count(read)} read`,
    `${count(Math.round((read * 60_000) / spentMs))} a minute`,
    ...(share > 0 ? [`done about ${end.toTimeString().slice(0, 5)}`] : []),
  ].join(', ');
}

async function sayKept(lines: OrderLines, folder: string): Promise<void> {
  const { orders, bytes, filled } = await (await lines.open()).summary();
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  say(`Kept in ${folder}: lines of ${countNoun(orders, 'order')}, ${sayFilled(filled)}, ${size}.`);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
