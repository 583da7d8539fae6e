/**
 * The account of a key as its answers show it: every answer teaches. A tool that none has shown is looked at once, when
 * a statement, `tables` or the guide needs it. Its requests give way to all others, and nothing fails because of it.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SharedValues } from '../../client/request/get.ts';
import { amsterdamDay, type Day } from '../../core/calendar.ts';
import { type FieldTypes, mergeColumns, withoutFields } from '../../core/column-type.ts';
import { unlessAborted, withDeadline } from '../../core/deadline.ts';
import { logDefect } from '../../core/defect.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Log } from '../../core/message.ts';
import { documentedColumns, type Endpoint, givesRows } from '../../endpoints/define.ts';
import { pathKey, responseColumns } from '../../endpoints/openapi.ts';
import { type Fence, isWithheld } from '../fence.ts';
import type { KnownBehaviour, Services, Survey, ToolColumns } from '../services.ts';
import {
  type BehaviourFinding,
  type BehaviourName,
  behaviourFinding,
  behaviours,
  sayOpen,
} from './behaviour.ts';
import { type LookSource, readSample } from './look.ts';
import {
  type ColumnFindings,
  emptyShape,
  findingsOf,
  joinShapes,
  type LookAt,
  learnReport,
  learnRows,
  nothingFound,
  readShape,
  type Shape,
  withoutForgotten,
  writtenShape,
} from './shape.ts';

interface SurveySource extends Omit<LookSource, 'learn'> {
  /** openapi.json, once it is there. */
  openapi: () => unknown;
  /** Values that the replicas on the key share, or that this machine remembers. */
  shared?: Pick<SharedValues, 'get' | 'put'> | undefined;
  /** Gets what fails unexpectedly. */
  log: Pick<Log, 'error' | 'debug'>;
}

const shapeName = 'shape:1';
const shapeMs = 30 * 24 * 3_600_000;

export class AccountSurvey {
  readonly #source: LookSource & SurveySource;
  /** Looks that were made, by their tools. */
  readonly #looks: Findings<null>;
  readonly #behaviours: Findings<BehaviourFinding>;
  #shape: Shape = new Map();
  /** The day on which what is too old was last forgotten. */
  #day = '';
  readonly #columns = new Map<string, ColumnFindings>();
  /** By tool, how many answers showed nothing new since the last that did, and how many were passed over since. */
  readonly #repeats = new Map<string, { unchanged: number; skipped: number }>();
  #described: { openapi: unknown; columns: ReadonlyMap<string, FieldTypes> } | undefined;
  #saving: Promise<void> | undefined;
  #isUnsaved = false;

  constructor(source: SurveySource) {
    this.#source = { ...source, learn: (...answer) => this.learn(...answer) };
    const { shared: _, ...own } = source;
    // Statements need columns, while answers can do without behaviour.
    this.#looks = findings('looks', z.null(), own, 10_000);
    this.#behaviours = findings('behaviour', behaviourFinding, source, 600_000);
  }

  /** Widens what is known by an answer, unless many showed nothing new, and remembers what is new of it. */
  learn: Services['learn'] = (endpoint, { payload, rows }) => {
    const { tool } = endpoint;
    const { shape: all, today } = this.#known();
    const known = this.#repeats.get(tool) ?? { unchanged: 0, skipped: 0 };
    if (known.skipped < answersToSkip(known.unchanged)) {
      this.#repeats.set(tool, { ...known, skipped: known.skipped + 1 });
      return;
    }
    const shape = all.get(tool) ?? emptyShape();
    const records = () => rows ?? [isRecord(payload.data) ? payload.data : payload];
    const isChanged = isReport(endpoint)
      ? learnReport(shape, payload, today)
      : learnRows(shape, records(), today);
    this.#repeats.set(tool, { unchanged: isChanged ? 0 : known.unchanged + 1, skipped: 0 });
    if (!isChanged) return;
    all.set(tool, shape);
    this.#columns.delete(tool);
    this.#isUnsaved = true;
    this.#save();
  };

  /** Adds what is remembered of the account to what is known. */
  async recall(): Promise<void> {
    const { today } = this.#known();
    const read = (value: unknown) => readShape(value, today);
    const remembered = await this.#source.shared?.get(shapeName, read).catch(() => undefined);
    if (remembered === undefined) return;
    this.#shape = withoutForgotten(joinShapes(remembered, this.#shape), today);
    this.#columns.clear();
  }

  /** Waits until what was learnt is remembered. */
  async close(): Promise<void> {
    await this.#saving;
  }

  #known(): { shape: Shape; today: Day } {
    const today = amsterdamDay(this.#source.now());
    if (this.#day !== today) {
      this.#shape = withoutForgotten(this.#shape, today);
      this.#columns.clear();
      this.#day = today;
    }
    return { shape: this.#shape, today };
  }

  #save(): void {
    const { shared } = this.#source;
    if (shared === undefined) return;
    this.#saving ??= (async () => {
      while (this.#isUnsaved) {
        await this.recall();
        this.#isUnsaved = false;
        await shared.put(shapeName, writtenShape(this.#shape), shapeMs).catch(() => {});
      }
      this.#saving = undefined;
    })();
  }

  forCaller(fence: Fence): Survey {
    const isOut = (name: BehaviourName) => !behaviours[name].toolsets.every((it) => fence.has(it));
    return {
      columnsOf: (tool) => this.#columnsOf(tool, fence),
      look: async (tools, signal = new AbortController().signal) => {
        await unlessAborted(this.#look(tools), signal).catch(() => {});
      },
      behaviour: async (name, signal) => {
        if (isOut(name)) return undefined;
        const exploring = this.#exploreBehaviour(name);
        await withDeadline({ ms: 5000, signal }, () => exploring).catch(() => {});
        return this.#behaviour(name) ?? { text: sayOpen(name, 'not known yet') };
      },
      known: (name) => (isOut(name) ? undefined : this.#behaviour(name)),
    };
  }

  #columnsOf(tool: string, fence: Fence): ToolColumns {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined)
      return { ...nothingFound, documented: {}, isOpen: false, isUnseen: false };
    const value = this.#findings(endpoint);
    const look = value.looked === 0 ? this.#looks.get(tool) : undefined;
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
      isUnseen: look !== undefined,
      failed: look?.failed,
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

  #findings(endpoint: Endpoint): ColumnFindings {
    const { tool } = endpoint;
    const shape = this.#known().shape.get(tool);
    if (shape === undefined) return nothingFound;
    const known = this.#columns.get(tool) ?? findingsOf(shape, isReport(endpoint));
    this.#columns.set(tool, known);
    return known;
  }

  async #look(tools: readonly string[]): Promise<void> {
    const unknown = () => tools.filter((tool) => !this.#known().shape.has(tool));
    if (unknown().length > 0) await this.recall();
    const looks = unknown().map(async (tool) => {
      const endpoint = this.#endpoint(tool);
      if (endpoint === undefined) return;
      const context = async () => {
        await readSample(this.#source, endpoint);
        return null;
      };
      await this.#looks.fetch(tool, { context });
    });
    await Promise.all(looks);
  }

  #behaviour(name: BehaviourName): KnownBehaviour | undefined {
    const entry = this.#behaviours.get(name);
    if (entry === undefined) return undefined;
    return entry.value ?? { text: sayOpen(name, 'open', entry.failed) };
  }

  async #exploreBehaviour(name: BehaviourName): Promise<void> {
    const look: LookAt = async (tool, input) => {
      const endpoint = this.#endpoint(tool);
      return endpoint ? readSample(this.#source, endpoint, input) : { payload: {} };
    };
    const context = () => behaviours[name].find(look);
    await this.#behaviours.fetch(name, { context });
  }
}

/** Answers to pass over, so that what always shows the same costs next to nothing: none at first, 64 at most. */
function answersToSkip(unchanged: number): number {
  return unchanged < 4 ? 0 : Math.min(64, 2 ** (unchanged - 4));
}

function isReport(endpoint: Endpoint): boolean {
  return endpoint.toolset === 'reports' && !givesRows(endpoint);
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
      const key = `survey:3:${about}:${name}`;
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
