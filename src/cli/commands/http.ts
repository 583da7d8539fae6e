import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepFilled } from '../../analysis/lines/fill.ts';
import {
  needsAuthentication,
  readServerConfig,
  type ServerConfig,
  settingError,
} from '../../config/config.ts';
import { settingMessages } from '../../config/messages.ts';
import { linkController } from '../../core/deadline.ts';
import { countNoun } from '../../core/text.ts';
import { Accounts, maxOpen, singleApp } from '../../mcp/app/accounts.ts';
import type { App } from '../../mcp/app/app.ts';
import { serveOverHttp } from '../../mcp/http/serve.ts';
import type { CommandLine } from '../command-line.ts';
import { accountsPath, openApp, openLog, sourceOf, userCacheFolder } from '../open-app.ts';
import { stopSignal } from '../program.ts';

export async function http(line: CommandLine): Promise<0> {
  const { apps, config: configured, about, start, close } = await openApps(line);
  const isInvented = configured.signIn === 'true' && line.flags.sandbox;
  const { config, howToSignIn = '' } = isInvented
    ? inventSignIn(configured)
    : { config: configured };
  try {
    const { url, isGuarded, byAddressOnly, close: stop } = await serveOverHttp(apps, config);
    const access = isGuarded
      ? 'with authentication'
      : 'without authentication, on this machine only';
    // Listens for signals before the line is printed: its reader may stop the process at once.
    const stopping = stopSignal();
    const filling: Promise<void>[] = [];
    apps.onOpen((app, { fill, closing }) => {
      if (fill === undefined) return;
      const { controller, unlink } = linkController(stopping, closing);
      filling.push(keepAppFilled(app, fill, controller.signal).finally(unlink));
    });
    start();
    const reach = '; others reach it by its IP address: for a name, add --allowed-hosts NAME';
    announce(
      `commerce-mcp serves ${url} (${about}, ${access}${byAddressOnly ? reach : ''})`,
      howToSignIn,
    );
    await once(stopping, 'abort');
    announce('commerce-mcp finishes what runs, within 10 seconds');
    await Promise.all([stop(), ...filling]);
  } finally {
    await close();
  }
  return 0;
}

/**
 * A line at any log level, plain at a terminal and JSON like the log elsewhere.
 * @param examples text that follows it
 */
function announce(msg: string, examples = ''): void {
  const line = process.stderr.isTTY ? msg : JSON.stringify({ level: 30, time: Date.now(), msg });
  console.error(`${line}${examples}`);
}

async function openApps(line: CommandLine) {
  const accountsFile = accountsPath(line);
  if (line.flags.sandbox || accountsFile === undefined) {
    const { app, config, close } = await openApp(line);
    const about = `source: ${app.services.origin.source}`;
    const apps = singleApp(app, config.fill);
    return { apps, config, about, start() {}, close };
  }
  const { followAccounts } = await import('../../config/accounts-file.ts');
  const config = readServerConfig(line);
  const log = openLog(line, config);
  const source = followAccounts(accountsFile, config, log);
  const all = [...source.list.accounts.values()];
  const count = all.filter(({ fill }) => fill).length;
  if (count >= maxOpen) {
    const tooMany = settingMessages.too_many_filled({ count, max: maxOpen - 1 });
    throw settingError('COMMERCE_ACCOUNTS_FILE', tooMany);
  }
  const { queryEngine, env } = line;
  const cacheFolder = userCacheFolder(env);
  const apps = new Accounts({ config, source, sourceOf, log, queryEngine, cacheFolder });
  const about = countNoun(all.length, 'account');
  return { apps, config, about, start: () => void apps.sweep(), close: () => apps.close() };
}

/** Invents missing settings for signing in to the sandbox. */
function inventSignIn(configured: ServerConfig) {
  const token = randomBytes(16).toString('hex');
  const { httpPort, httpTokens = `demo:${token}` } = configured;
  const { publicUrl = `http://127.0.0.1:${httpPort}` } = configured;
  const { redisUrl, signInRedisUrl = redisUrl } = configured;
  const signInDir =
    configured.signInDir ??
    (signInRedisUrl ? undefined : mkdtempSync(join(tmpdir(), 'commerce-mcp-')));
  const isNew = !needsAuthentication(configured);
  const howTo = `\nConnect a client to ${publicUrl}/mcp and sign in with the token ${token}\n`;
  const config = { ...configured, publicUrl, signInDir, ...(isNew && { httpTokens }) };
  return { config, howToSignIn: isNew ? howTo : '' };
}

async function keepAppFilled({ services, log }: App, period: string, signal: AbortSignal) {
  const { orderLines: lines, client, now } = services;
  if (lines === undefined) return;
  await keepFilled({
    client,
    lines,
    period,
    now,
    signal,
    onTrouble: (reason) => log.warn({ reason }, 'order lines could not be read; tries again'),
    onDone: () => log.info({ period }, 'all order lines of the period are kept'),
  });
}
