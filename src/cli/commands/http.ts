import { once } from 'node:events';
import { keepFilled } from '../../analysis/lines/fill.ts';
import type { App } from '../../mcp/app/app.ts';
import { serveOverHttp } from '../../mcp/http/serve.ts';
import type { CommandLine } from '../command-line.ts';
import { openApp } from '../open-app.ts';
import { stopSignal } from '../process.ts';

/** Serves many clients over HTTP until the process is asked to stop. */
export async function http(line: CommandLine): Promise<0> {
  const { app, config, close } = await openApp(line);
  try {
    const { url, isGuarded, byAddressOnly, close: stop } = await serveOverHttp(app, config);
    const access = isGuarded
      ? 'with authentication'
      : 'without authentication, on this machine only';
    // A reader of this line may already ask it to stop.
    const asked = stopSignal();
    const filling = fillBeside(app, config.fill, asked);
    const reach = byAddressOnly
      ? '; others reach it by its IP address: for a name, add --allowed-hosts NAME'
      : '';
    console.error(`commerce-mcp serves ${url} (source: ${app.services.source}, ${access}${reach})`);
    await once(asked, 'abort');
    console.error('commerce-mcp finishes what runs, within 10 seconds');
    await Promise.all([stop(), filling]);
  } finally {
    await close();
  }
  return 0;
}

/** Keeps the lines of COMMERCE_FILL read. */
async function fillBeside({ services, log }: App, period: string | undefined, signal: AbortSignal) {
  const { orderLines: lines, client, now } = services;
  if (period === undefined || lines === undefined) return;
  await keepFilled({
    ...{ client, lines, period, now, signal },
    onTrouble: (reason) => log.warn({ reason }, 'order lines could not be read; tries again'),
    onDone: () => log.info({ period }, 'all order lines of the period are kept'),
  });
}
