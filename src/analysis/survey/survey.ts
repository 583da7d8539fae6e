/**
 * What this key's account looks like, found by looking: once, when a statement, `tables` or the guide needs it,
 * and kept for a day. Its requests give way to all others, and nothing fails because of it.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SharedValues } from '../../client/request/get.ts';
import { type FieldTypes, mergeColumns, withoutFields } from '../../core/column-type.ts';
import { unlessAborted, withDeadline } from '../../core/deadline.ts';
import { logDefect } from '../../core/defect.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import type { Log } from '../../core/message.ts';
import { documentedColumns, type Endpoint, givesRows } from '../../endpoints/define.ts';
import { pathKey, responseColumns } from '../../endpoints/openapi.ts';
import { type Fence, isWithheld } from '../fence.ts';
import type { Survey, ToolColumns } from '../services.ts';
import {
  type BehaviourFinding,
  type BehaviourName,
  behaviourFinding,
  behaviours,
  type FindingOf,
  type KnownBehaviour,
} from './behaviour.ts';
import { sayFinding, sayOpen } from './behaviour-texts.ts';
import { type ColumnFindings, columnFindings, findColumns, type LookAt } from './found.ts';
import { type LookSource, readSample } from './look.ts';

interface SurveySource extends LookSource {
  /** openapi.json, once it is there. */
  openapi: () => unknown;
  /** What the replicas on the key share. */
  shared?: SharedValues | undefined;
  /** Gets what fails unexpectedly. */
  log: Pick<Log, 'error' | 'debug'>;
}

export class AccountSurvey {
  readonly #source: SurveySource;
  readonly #columns: Findings<ColumnFindings>;
  readonly #behaviours: Findings<BehaviourFinding>;
  #described: { openapi: unknown; columns: ReadonlyMap<string, FieldTypes> } | undefined;

  constructor(source: SurveySource) {
    this.#source = source;
    // Statements need columns, while answers can do without behaviour.
    this.#columns = findings('columns', columnFindings, source, 10_000);
    this.#behaviours = findings('behaviour', behaviourFinding, source, 600_000);
  }

  forCaller(fence: Fence): Survey {
    const isOut = (name: BehaviourName) => !behaviours[name].toolsets.every((it) => fence.has(it));
    return {
      columnsOf: (tool) => this.#columnsOf(tool, fence),
      look: async (tools, signal = new AbortController().signal) => {
        const looks = tools.map((tool) => this.#exploreColumns(tool));
        await unlessAborted(Promise.all(looks), signal).catch(() => {});
      },
      behaviour: async (name, signal) => {
        if (isOut(name)) return { text: sayOpen(name, 'left out') };
        const exploring = this.#exploreBehaviour(name);
        await withDeadline({ ms: 5000, signal }, () => exploring).catch(() => {});
        return this.#behaviour(name) ?? { text: sayOpen(name, 'not known yet') };
      },
      known: (name) => (isOut(name) ? undefined : this.#behaviour(name)),
    };
  }

  #columnsOf(tool: string, fence: Fence): ToolColumns {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined) return { ...nothingFound, documented: {}, isOpen: false };
    const { value = nothingFound, failed } = this.#columns.get(tool) ?? {};
    const described = this.#describedColumns().get(pathKey(endpoint.path));
    const documented = mergeColumns(documentedColumns(endpoint.output), described ?? {});
    const isOut = (path: string) => isWithheld(fence, endpoint, path);
    const seen = Object.entries(value.seen).filter(([path]) => !isOut(path));
    return {
      ...value,
      columns: withoutFields(mergeColumns(documented, value.columns), isOut),
      documented: withoutFields(documented, isOut),
      isOpen: described === undefined,
      seen: Object.fromEntries(seen),
      failed,
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
    const context = async () => findColumns(await readSample(this.#source, endpoint), isReport);
    await this.#columns.fetch(tool, { context });
  }

  #behaviour<Name extends BehaviourName>(name: Name): KnownBehaviour<Name> | undefined {
    const entry = this.#behaviours.get(name);
    if (entry === undefined) return undefined;
    const { value: finding, failed } = entry;
    if (!isAbout(name, finding)) return { text: sayOpen(name, 'open', failed) };
    return { ...finding, text: sayFinding(finding) };
  }

  async #exploreBehaviour(name: BehaviourName): Promise<void> {
    const look: LookAt = async (tool, input) => {
      const endpoint = this.#endpoint(tool);
      return endpoint ? await readSample(this.#source, endpoint, input) : { payload: {} };
    };
    const context = async () => behaviours[name].find(look);
    await this.#behaviours.fetch(name, { context });
  }
}

const nothingFound: ColumnFindings = { columns: {}, seen: {}, measures: [], looked: 0 };

function isAbout<Name extends BehaviourName>(
  name: Name,
  finding: BehaviourFinding | undefined,
): finding is FindingOf<Name> {
  return finding?.code === name;
}

/** By name, looked for once however many wait for it; undefined where a look did not tell, or why it failed. */
type Findings<Finding> = LRUCache<
  string,
  { value?: Finding | undefined; failed?: string },
  () => Promise<Finding | undefined>
>;

const findingsMs = 24 * 3_600_000;
const refusedMs = 600_000;

/**
 * What looks find, shared by the replicas on the key; `fetch` never fails.
 * @param schema of a finding, as another replica may have cached it
 * @param failedMs how long it is cached that a look failed, but for a refusal
 */
function findings<Finding>(
  about: string,
  schema: z.ZodType<Finding>,
  { shared, now, log }: SurveySource,
  failedMs: number,
): Findings<Finding> {
  return new LRUCache({
    max: 1000,
    ttl: findingsMs,
    ttlResolution: 0,
    perf: { now },
    async fetchMethod(name, _, { context: look, options }) {
      const key = `survey:2:${about}:${name}`;
      const kept = z.object({ value: schema.nullable(), untilMs: z.number().gt(now()) });
      try {
        const known = await shared?.get(key, (it) => kept.safeParse(it).data);
        if (known) {
          // Nothing is kept for ever, which is what none would mean.
          options.ttl = Math.max(1, known.untilMs - now());
          return { value: known.value ?? undefined };
        }
        const value = await look();
        void shared?.put(key, { value: value ?? null, untilMs: now() + findingsMs }, findingsMs);
        return { value };
      } catch (error) {
        if (hasCode(error, 'cancelled')) return undefined;
        const isExpected = error instanceof CommerceError;
        if (!isExpected) logDefect(log, error, 'a look at the account failed');
        const isRefused = hasCode(error, 'forbidden') || hasCode(error, 'not_found');
        // An entry lives for a millisecond more than its time.
        options.ttl = (isRefused ? refusedMs : failedMs) - 1;
        return { failed: isExpected ? error.reason.text : 'it cannot be read' };
      }
    },
  });
}
