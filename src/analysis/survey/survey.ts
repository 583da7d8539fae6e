/**
 * Learns the account of a key from every answer. A tool without an answer gets one look, when a statement, `tables`
 * or the guide needs its columns. Looks have the lowest priority, and their failures have no effect.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { SharedValues } from '../../client/request/get.ts';
import { amsterdamDay, type Day } from '../../core/calendar.ts';
import { type FieldTypes, mergeColumns, removeFields } from '../../core/column-type.ts';
import { unlessAborted, withDeadline } from '../../core/deadline.ts';
import { logDefect } from '../../core/defect.ts';
import { CommerceError, hasCode } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Log } from '../../core/message.ts';
import { documentedColumns, type Endpoint, isReport } from '../../endpoints/define.ts';
import { pathKey, responseColumns } from '../../endpoints/openapi.ts';
import { type Fence, isWithheld } from '../fence.ts';
import type {
  BehaviourFinding,
  BehaviourName,
  KnownBehaviour,
  Services,
  Survey,
  ToolColumns,
} from '../services.ts';
import {
  type ColumnFindings,
  emptyFindings,
  emptyShape,
  findingsOf,
  joinShapes,
  learnReport,
  learnRows,
  readShape,
  type Shape,
  writtenShape,
} from '../shape/shape.ts';
import { behaviourFinding, behaviours, sayOpen } from './behaviour.ts';
import { type LookAt, type LookSource, readSample } from './look.ts';

interface SurveySource extends Omit<LookSource, 'learn'> {
  /** Undefined until openapi.json is read. */
  openapi: () => unknown;
  /** Values that replicas on the key share, or that this machine remembers. */
  shared?: Pick<SharedValues, 'get' | 'put'> | undefined;
  /** Gets unexpected failures. */
  log: Pick<Log, 'error' | 'debug'>;
}

const shapeName = 'shape:1';
const dayMs = 24 * 3_600_000;
const failureTtlMs = 60_000;
const refusalTtlMs = 600_000;

export class AccountSurvey {
  readonly #source: LookSource & SurveySource;
  /** By tool or behaviour. */
  readonly #looks: Looks;
  #shape: Shape = new Map();
  readonly #columns = new Map<string, ColumnFindings>();
  /** By tool, how many learnt answers in a row showed nothing new, and how many answers were skipped since. */
  readonly #repeats = new Map<string, { unchanged: number; skipped: number }>();
  #described: { openapi: unknown; columns: ReadonlyMap<string, FieldTypes> } | undefined;
  #saving: Promise<void> | undefined;
  #isUnsaved = false;

  constructor(source: SurveySource) {
    this.#source = { ...source, learn: (...answer) => this.learn(...answer) };
    this.#looks = openLooks(source);
  }

  /** Widens the shape by an answer, and saves it. After many answers without news, most are skipped. */
  learn: Services['learn'] = (endpoint, { payload, rows }) => {
    const { tool } = endpoint;
    const today = this.#today();
    const repeats = this.#repeats.get(tool) ?? { unchanged: 0, skipped: 0 };
    if (repeats.skipped < answersToSkip(repeats.unchanged)) {
      this.#repeats.set(tool, { ...repeats, skipped: repeats.skipped + 1 });
      return;
    }
    const shape = this.#shape.get(tool) ?? emptyShape();
    const records = () => rows ?? [isRecord(payload.data) ? payload.data : payload];
    const isChanged = isReport(endpoint)
      ? learnReport(shape, payload, today)
      : learnRows(shape, records(), today);
    this.#repeats.set(tool, { unchanged: isChanged ? 0 : repeats.unchanged + 1, skipped: 0 });
    if (!isChanged) return;
    this.#shape.set(tool, shape);
    this.#columns.delete(tool);
    this.#isUnsaved = true;
    this.#save();
  };

  /** Joins the remembered shape of the account, and forgets old words of both. */
  async recall(): Promise<void> {
    const today = this.#today();
    const read = (value: unknown) => readShape(value, today);
    const remembered = await this.#source.shared?.get(shapeName, read).catch(() => undefined);
    this.#shape = joinShapes(today, remembered ?? new Map(), this.#shape);
    this.#columns.clear();
  }

  /** Waits until the shape is saved. */
  async close(): Promise<void> {
    await this.#saving;
  }

  #today(): Day {
    return amsterdamDay(this.#source.now());
  }

  #save(): void {
    const { shared } = this.#source;
    this.#saving ??= (async () => {
      while (this.#isUnsaved) {
        await this.recall();
        this.#isUnsaved = false;
        await shared?.put(shapeName, writtenShape(this.#shape), 30 * dayMs).catch(() => {});
      }
      this.#saving = undefined;
    })();
  }

  forCaller(fence: Fence): Survey {
    const isHidden = (name: BehaviourName) =>
      behaviours[name].toolsets.some((toolset) => !fence.has(toolset));
    return {
      columnsOf: (tool) => this.#columnsOf(tool, fence),
      look: async (tools, signal = new AbortController().signal) => {
        await unlessAborted(this.#look(tools), signal).catch(() => {});
      },
      behaviour: async (name, signal) => {
        if (isHidden(name)) return undefined;
        const exploring = this.#exploreBehaviour(name);
        await withDeadline({ ms: 5000, signal }, () => exploring).catch(() => {});
        return this.#behaviour(name) ?? { text: sayOpen(name, 'not known yet') };
      },
      known: (name) => (isHidden(name) ? undefined : this.#behaviour(name)),
    };
  }

  #columnsOf(tool: string, fence: Fence): ToolColumns {
    const endpoint = this.#endpoint(tool);
    if (endpoint === undefined)
      return { ...emptyFindings, documented: {}, isOpen: false, isUnseen: false };
    const findings = this.#findings(endpoint);
    const look = findings.rowCount === 0 ? this.#looks.get(tool) : undefined;
    const described = this.#describedColumns().get(pathKey(endpoint.path));
    const documented = mergeColumns(documentedColumns(endpoint.output), described ?? {});
    const isHidden = (path: string) => isWithheld(fence, endpoint, path);
    const seen = Object.entries(findings.seen).filter(([path]) => !isHidden(path));
    return {
      ...findings,
      columns: removeFields(mergeColumns(documented, findings.columns), isHidden),
      documented: removeFields(documented, isHidden),
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
    return this.#source.endpoints.find((endpoint) => endpoint.tool === tool);
  }

  #findings(endpoint: Endpoint): ColumnFindings {
    const { tool } = endpoint;
    const shape = this.#shape.get(tool);
    if (shape === undefined) return emptyFindings;
    const findings = this.#columns.get(tool) ?? findingsOf(shape, isReport(endpoint));
    this.#columns.set(tool, findings);
    return findings;
  }

  async #look(tools: readonly string[]): Promise<void> {
    await this.recall();
    const unknown = tools.filter((tool) => !this.#shape.has(tool));
    const looks = unknown.map(async (tool) => {
      const endpoint = this.#endpoint(tool);
      if (endpoint === undefined) return;
      const context = async () => void (await readSample(this.#source, endpoint));
      await this.#looks.fetch(tool, { context });
    });
    await Promise.all(looks);
  }

  #behaviour(name: BehaviourName): KnownBehaviour | undefined {
    const look = this.#looks.get(name);
    return look && (look.finding ?? { text: sayOpen(name, 'open', look.failed) });
  }

  /** Makes the looks that decide a behaviour, unless a process on this key did so within a day. */
  async #exploreBehaviour(name: BehaviourName): Promise<void> {
    const { shared } = this.#source;
    const key = `behaviour:1:${name}`;
    const look: LookAt = async (tool, input) => {
      const endpoint = this.#endpoint(tool);
      return endpoint ? readSample(this.#source, endpoint, input) : { payload: {} };
    };
    const context = async () => {
      const stored = await shared?.get(key, (value) => sharedFinding.safeParse(value).data);
      if (stored) return stored.finding;
      const finding = await behaviours[name].find(look);
      void shared?.put(key, { finding }, dayMs);
      return finding;
    };
    await this.#looks.fetch(name, { context });
  }
}

const sharedFinding = z.object({ finding: behaviourFinding.optional() });

/** How many answers to skip after so many without news: none at first, 64 at most. */
function answersToSkip(unchanged: number): number {
  return unchanged < 4 ? 0 : Math.min(64, 2 ** (unchanged - 4));
}

/** By tool or behaviour: the finding, or why the look failed. Callers at the same time share one look. */
type Looks = LRUCache<
  string,
  { finding?: BehaviourFinding | undefined; failed?: string },
  () => Promise<BehaviourFinding | undefined>
>;

/** Holds looks for a day; `fetch` never rejects. */
function openLooks({ now, log }: SurveySource): Looks {
  return new LRUCache({
    max: 100,
    ttl: dayMs,
    ttlResolution: 0,
    perf: { now },
    async fetchMethod(_, __, { context: look, options }) {
      try {
        return { finding: await look() };
      } catch (error) {
        if (hasCode(error, 'cancelled')) return undefined;
        const isExpected = error instanceof CommerceError;
        if (!isExpected) logDefect(log, error, 'a look at the account failed');
        const isRefused = hasCode(error, 'forbidden') || hasCode(error, 'not_found');
        options.ttl = isRefused ? refusalTtlMs : failureTtlMs;
        return { failed: isExpected ? error.reason.text : 'it cannot be read' };
      }
    },
  });
}
