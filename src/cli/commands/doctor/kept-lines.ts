import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OrderLines, sayKept } from '../../../analysis/lines/order-lines.ts';
import type { Client } from '../../../client/client.ts';
import type { Config } from '../../../config.ts';

/** What is kept of order lines, and where. @throws Error for a folder that cannot be written */
export async function findKeptLines(config: Config, client: Client): Promise<string> {
  const { keepDir, keepMb } = config;
  if (keepDir === undefined) return 'none are kept: COMMERCE_KEEP_DIR names no folder';
  if (!(await isWritable(keepDir))) return `${keepDir} is not there yet; what is read makes it`;
  const problems: string[] = [];
  const onProblem = (problem: string) => problems.push(problem);
  const lines = new OrderLines({ ...config, client, keepDir, onProblem });
  try {
    const kept = sayKept(await (await lines.open()).summary(), keepMb);
    if (problems.length > 0) throw new Error(problems.join('; '));
    return `lines of ${kept}, in ${keepDir}`;
  } finally {
    await lines.close();
  }
}

/** Whether the folder is there. @throws Error where it, or what it would be made in, cannot be written */
async function isWritable(folder: string): Promise<boolean> {
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  let place = folder;
  while (!(await isThere(place))) place = dirname(place);
  await access(place, constants.W_OK | constants.X_OK).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(`${folder} cannot be written: ${code} at ${place}`);
  });
  return place === folder;
}
