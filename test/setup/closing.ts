import { onTestFinished, TestRunner } from 'vitest';

const open = new Set<() => Promise<unknown>>();

/**
 * Closes what a test opened when that test is over, and what a hook opened, or a test beside others, when
 * its file is (test/setup/each-file.ts). What it gives back closes it before.
 */
export function closeAfterwards(close: () => Promise<unknown>): () => Promise<void> {
  const once = async () => {
    if (open.delete(once)) await close();
  };
  open.add(once);
  // Of tests that run side by side none is known to be the one that asks.
  const test = TestRunner.getCurrentTest();
  if (test && !test.concurrent) onTestFinished(once);
  return once;
}

/** Closes what is still open, the last first. */
export async function closeAll(): Promise<void> {
  for (const close of [...open].reverse()) await close();
}
