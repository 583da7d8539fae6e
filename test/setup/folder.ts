import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { closeAfterwards } from './closing.ts';

/** A folder with these files, which is gone after the test, or after the file of the hook. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'commerce-mcp-'));
  closeAfterwards(async () => rmSync(folder, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return folder;
}
