import type { CompleteRequest } from '@modelcontextprotocol/server';
import { foldName, referenceKinds } from '../../analysis/reference/reference.ts';
import { periodWords } from '../../core/periods.ts';
import type { App } from '../app/app.ts';
import { maxCompletions } from '../resources/definitions.ts';
import { completeVariable } from '../resources/resources.ts';

type Target = CompleteRequest['params']['ref'];

/**
 * Values for an argument of a prompt or a variable of a resource template, from live data, those that
 * begin with what was typed first. Nothing is suggested where the platform cannot be asked.
 */
export async function complete(
  app: App,
  target: Target,
  argument: { name: string; value: string },
  signal: AbortSignal,
): Promise<{ values: string[]; total: number; hasMore: boolean }> {
  if (argument.value.length > maxTyped) return { values: [], total: 0, hasMore: false };
  const values = await candidates(app, target, argument, signal).catch(() => []);
  const typed = foldName(argument.value);
  const begins = (value: string) => Number(foldName(value).startsWith(typed));
  const ranked = [...new Set(values)]
    .filter((value) => foldName(value).includes(typed))
    .sort((a, b) => begins(b) - begins(a));
  return {
    values: ranked.slice(0, maxCompletions),
    total: ranked.length,
    hasMore: ranked.length > maxCompletions,
  };
}

const maxTyped = 200;

async function candidates(
  app: App,
  target: Target,
  { name, value }: { name: string; value: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (target.type === 'ref/resource') return completeVariable(app, name, value, signal);
  const prompt = (await app.prompts()).find((it) => it.name === target.name);
  const source = prompt?.arguments.find((it) => it.name === name)?.complete;
  if (source === undefined) return [];
  if (typeof source !== 'string') return source;
  if (source === 'period') return periodWords;
  const kind = referenceKinds.find((known) => known === source);
  // Throws for a caller without the toolset of the list, who is then offered nothing.
  const entries = kind && (await app.services.reference.listForDisplay(kind, signal));
  return entries?.map((entry) => entry.name) ?? [];
}
