import type { Config } from '../../../config.ts';
import type { SqlEngine } from '../../../query/engine.ts';
import { engineProblem } from '../../../query/pool/installation.ts';
import type { Finding } from './check.ts';

/**
 * Whether statements can run here: the engine's parts are there, and it answers one.
 *
 * @param lacks what of the installation is missing, where something is
 * @param entry the file of its process, where it is not the one beside this program
 * @param given the engine to ask, where it is not to start one
 */
export async function examineEngine(
  { queryMs, queryMemoryMb }: Pick<Config, 'queryMs' | 'queryMemoryMb'>,
  {
    lacks = engineProblem(),
    entry,
    given,
  }: { lacks?: string | undefined; entry?: string; given?: SqlEngine | undefined } = {},
): Promise<Finding> {
  if (lacks !== undefined)
    return {
      verdict: 'warning',
      detail: `${lacks} The tool query is not offered; everything else works.`,
      remedy: `For query, install again with optional parts (without --omit=optional), on a platform that DuckDB is built for.`,
    };
  const { QueryEngine } = await import('../../../query/engine.ts');
  const engine =
    given ??
    new QueryEngine({
      seconds: queryMs / 1000,
      memoryMb: queryMemoryMb,
      ...(entry !== undefined && { entry }),
    });
  try {
    const { rows } = await engine.run({
      sql: 'SELECT version() AS version',
      caller: 'doctor',
      provider: { tables: new Map(), nowMs: Date.now(), load: async () => [] },
      maxRows: 1,
      signal: new AbortController().signal,
    });
    return { verdict: 'ok', detail: `DuckDB ${rows[0]?.version} answers in a process of its own` };
  } catch (error) {
    return {
      verdict: 'failed',
      detail: error instanceof Error ? error.message : String(error),
      remedy:
        'Install the package again on this machine: its native part has to be of this system. Until then query fails and everything else works.',
    };
  } finally {
    if (given === undefined) await engine.close();
  }
}
