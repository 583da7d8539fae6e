/** Remembers an account between starts in one small file that only its owner can read. */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SharedValues } from '../../client/request/get.ts';
import type { ClientSettings } from '../../client/transport/runtime.ts';
import { claimFolder, readPlainText } from '../../core/files.ts';
import type { Log } from '../../core/message.ts';

interface FileSettings
  extends Pick<ClientSettings, 'baseUrl' | 'authUrl' | 'clientId' | 'clientSecret'> {
  folder: string;
  now: () => number;
  log: Pick<Log, 'debug'>;
}

const maxBytes = 4_000_000;
/** A value that claims a longer life was written by a wrong clock. */
const maxAgeMs = 32 * 24 * 3_600_000;

const written = z.object({
  version: z.literal(1),
  values: z.record(z.string(), z.object({ untilMs: z.number(), value: z.unknown() })),
});

type Values = z.output<typeof written>['values'];

/**
 * Opens the file of this account and key. A file that is broken, open to others, or of another user or version is ignored
 * and replaced; a failure to write is ignored.
 */
export function openRememberedFile(settings: FileSettings): Pick<SharedValues, 'get' | 'put'> {
  const { folder, now, log } = settings;
  const path = join(folder, `shape-${ownerOf(settings)}.json`);
  let writing: Promise<void> = Promise.resolve();

  function readValues(): Values {
    try {
      const { mode, uid } = lstatSync(path);
      // Windows has no such modes and no ids of users.
      if (process.getuid && (uid !== process.getuid() || (mode & 0o077) !== 0)) return {};
      const { values } = written.parse(JSON.parse(readPlainText(path, maxBytes)));
      const young = Object.entries(values).filter(
        ([, { untilMs }]) => untilMs > now() && untilMs < now() + maxAgeMs,
      );
      return Object.fromEntries(young);
    } catch {
      return {};
    }
  }

  async function write(values: Values): Promise<void> {
    const draft = `${path}.${randomUUID()}.tmp`;
    try {
      await claimFolder(folder);
      const text = JSON.stringify({ version: 1, values } satisfies z.input<typeof written>);
      await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      log.debug({ error: String(error) }, 'the shape of the account is not remembered');
    }
  }

  return {
    async get(name, read) {
      return read(readValues()[name]?.value);
    },
    put(name, value, forMs) {
      writing = writing.then(() =>
        write({ ...readValues(), [name]: { untilMs: now() + forMs, value } }),
      );
      return writing;
    },
  };
}

/** Names the account and the key, and tells nothing of either. */
function ownerOf({ baseUrl, authUrl, clientId, clientSecret }: FileSettings): string {
  const key = createHmac('sha256', clientSecret).update('shape').digest('hex');
  const account = JSON.stringify([baseUrl, authUrl, clientId, key]);
  return createHash('sha256').update(account).digest('hex').slice(0, 32);
}
