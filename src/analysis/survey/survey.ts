/**
 * What this key's account looks like, found by looking: once, when a statement, `tables` or the guide needs it,
 * and kept for a day. Its requests give way to all others, and nothing fails because of it.
 */
import type { SharedValues } from '../../client/request/get.ts';
import { type FieldTypes, mergeColumns, withoutFields } from '../../core/column-tree.ts';
import { unlessAborted, withDeadline } from '../../core/deadline.ts';
import type { Log } from '../../core/log.ts';
import { type Endpoint, givesRows } from '../../endpoints/define.ts';
import { pathKey, responseColumns } from '../../endpoints/openapi.ts';
import { documentedColumns } from '../../endpoints/shapes.ts';
import { type Fence, isWithheld } from '../fence.ts';
import type { Survey, ToolColumns } from '../services.ts';
import {
  type BehaviourFinding,
  type BehaviourName,
  behaviourFinding,
  behaviours,
  type FindingOf,
  type FoundOrOpen,
  type Look,
  type LookReading,
} from './behaviour.ts';
import { FindingsCache } from './findings-cache.ts';
import { type ColumnFindings, columnFindingsSchema, findColumns } from './found.ts';
import { type LookSource, lookAt } from './look.ts';

interface SurveySource extends LookSource {
  /** openapi.json, once it is there. */
  openapi: () => unknown;
  /** What the replicas on the key share. */
  shared?: SharedValues | undefined;
  /** Gets what fails unexpectedly. */
  log: Pick<Log, 'error'>;
}

export class AccountSurvey {
  readonly #source: SurveySource;
  readonly #columns: FindingsCache<ColumnFindings>;
  readonly #behaviours: FindingsCache<BehaviourFinding>;
  #described: { openapi: unknown; columns: ReadonlyMap<string, FieldTypes> } | undefined;

  constructor(source: SurveySource) {
    this.#source = source;
    // Statements need columns, while answers can do without behaviour.
    this.#columns = new FindingsCache('columns', columnFindingsSchema, source, 10_000);
    this.#behaviours = new FindingsCache('behaviour', behaviourFinding, source, 600_000);
  }

  /** What a caller may know of it. */
  forCaller(fence: Fence): Survey {
    const isOut = (name: BehaviourName) => !behaviours[name].toolsets.every((it) => fence.has(it));
    return {
      columnsOf: (tool) => this.#columnsOf(tool, fence),
      look: async (tools, signal = new AbortController().signal) => {
        const looks = tools.map((tool) => this.#exploreColumns(tool));
        await unlessAborted(Promise.all(looks), signal).catch(() => {});
      },
      behaviour: async (name, signal, withinMs = 5000) => {
        if (isOut(name)) return { code: 'behaviour_open', about: name, why: 'left_out' };
        const exploring = this.#exploreBehaviour(name);
        await withDeadline({ ms: withinMs, signal }, () => exploring).catch(() => {});
        return (
          this.#behaviour(name) ?? { code: 'behaviour_open', about: name, why: 'not_known_yet' }
        );
      },
      known: (name) => (isOut(name) ? undefined : this.#behaviour(name)),
    };
  }

  #columnsOf(tool: string, fence: Fence): ToolColumns {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined)
      return { columns: {}, isOpen: false, seen: {}, measures: [], looked: 0 };
    const { value: found, failed } = this.#columns.get(tool) ?? {};
    const described = this.#describedColumns().get(pathKey(endpoint.path));
    const known = [documentedColumns(endpoint.output), described ?? {}, found?.columns ?? {}];
    const seen = Object.entries(found?.seen ?? {});
    const isOut = (path: string) => isWithheld(fence, endpoint, path);
    return {
      columns: withoutFields(mergeColumns(...known), isOut),
      isOpen: described === undefined,
      seen: Object.fromEntries(seen.filter(([path]) => !isOut(path))),
      measures: found?.measures ?? [],
      looked: found?.looked ?? 0,
      ...(failed !== undefined && { failed }),
    };
  }

  #describedColumns(): ReadonlyMap<string, FieldTypes> {
    const openapi = this.#source.openapi();
    if (this.#described?.openapi !== openapi)
      this.#described = { openapi, columns: responseColumns(openapi) };
    return this.#described?.columns ?? new Map();
  }

  #endpoint(tool: string): Endpoint | undefined {
    return this.#source.endpoints.find((it) => it.tool === tool);
  }

  async #exploreColumns(tool: string): Promise<void> {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined) return;
    const isReport = endpoint.toolset === 'reports' && !givesRows(endpoint);
    await this.#columns.find(tool, async () =>
      findColumns(await lookAt(this.#source, endpoint), isReport),
    );
  }

  #behaviour<Name extends BehaviourName>(name: Name): FoundOrOpen<Name> | undefined {
    const entry = this.#behaviours.get(name);
    if (entry === undefined) return undefined;
    if (isAbout(name, entry.value)) return entry.value;
    return { code: 'behaviour_open', about: name, why: 'not_settled', reason: entry.failed };
  }

  #exploreBehaviour(name: BehaviourName): Promise<void> {
    const { looks, next, decide } = behaviours[name];
    const read = async ([tool, input]: Look): Promise<LookReading> => {
      const endpoint = this.#endpoint(tool);
      return endpoint ? lookAt(this.#source, endpoint, input) : { payload: {} };
    };
    return this.#behaviours.find(name, async () => {
      const readings = await Promise.all(looks.map(read));
      for (let look = next?.(readings); look; look = next?.(readings))
        readings.push(await read(look));
      return decide(readings);
    });
  }
}

function isAbout<Name extends BehaviourName>(
  name: Name,
  finding: BehaviourFinding | undefined,
): finding is FindingOf<Name> {
  return finding?.code === name;
}
