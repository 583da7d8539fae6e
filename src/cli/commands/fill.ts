import { type FillProgress, fill } from '../../analysis/lines/fill.ts';
import { refuseSetting } from '../../config/config.ts';
import { settingMessages } from '../../config/messages.ts';
import { reasonIn } from '../../core/errors.ts';
import { assertWritable } from '../../core/files.ts';
import { sentenceOf } from '../../core/message.ts';
import { clearLines } from '../../lines/kept-lines.ts';
import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../program.ts';
import { openStatusLine, say } from '../terminal/text.ts';

/** Reads the order lines of a period ahead of the questions about them, or takes away what is kept. */
export async function runFill(line: CommandLine): Promise<0> {
  const { operands, flags } = line;
  const [period = 'last_30_days'] = operands;
  const { app, config, close } = await openApp({ ...line, flags: { ...flags, fill: period } });
  const status = openStatusLine();
  let showing: NodeJS.Timeout | undefined;
  try {
    const { keepDir: folder = '' } = config;
    const { orderLines: lines, client, now } = app.services;
    if (lines === undefined) throw new TypeError('A folder was named.');
    if (flags.clear) {
      say({ code: 'lines_cleared', orders: await clearLines(folder), folder });
      return 0;
    }
    await assertWritable(folder).catch((error: unknown) => {
      const reason = reasonIn(error);
      throw refuseSetting(
        'COMMERCE_KEEP_DIR',
        settingMessages.unusable_path({ reason: sentenceOf(reason) }),
      );
    });
    client.shareInBackground(Number(flags.share ?? 50) / 100);
    const signal = stopSignal();
    let reached: FillProgress | undefined;
    const startedMs = performance.now();
    const show = () => {
      if (reached === undefined) return;
      const { waiting, inFlight } = client.load();
      const isWaiting = waiting > 0 && inFlight === 0;
      const ms = performance.now() - startedMs;
      status.show({ code: 'fill_progress', progress: reached, ms, isWaiting });
    };
    // Between two days it says that it waits.
    showing = setInterval(show, 500);
    const dropped = await fill({
      client,
      lines,
      period,
      now,
      signal,
      onProgress(progress) {
        reached = progress;
        show();
      },
      onTrouble(reason) {
        status.clear();
        say({ code: 'fill_waits', reason }, 'yellow');
      },
    });
    status.clear();
    say({ code: 'lines_kept', folder, kept: await lines.summary() });
    if (dropped !== undefined)
      say({ code: 'no_room_for_days', mb: config.keepMb, day: dropped }, 'yellow');
    if (signal.aborted) say({ code: 'fill_stopped' });
    return 0;
  } finally {
    clearInterval(showing);
    status.clear();
    await close();
  }
}
