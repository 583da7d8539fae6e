/** What looks at the account found, by name: looked for once, kept for a day, shared by the replicas on the key. */
import { z } from 'zod';
import type { SharedValues } from '../../client/request/get.ts';
import { CommerceError, hasCode, whereItFailed } from '../../core/errors.ts';
import type { Log, Message } from '../../core/message.ts';

declare module '../../core/message.ts' {
  interface Messages {
    cannot_be_read: object;
  }
}

/** What a look found, undefined where it did not tell; or why it failed. */
interface CacheEntry<Finding> {
  value?: Finding | undefined;
  failed?: Message;
  untilMs: number;
}

interface CacheSource {
  shared?: SharedValues | undefined;
  now(): number;
  log: Pick<Log, 'error'>;
}

/** How long findings are cached, and a refusal. */
const [findingsMs, refusedMs] = [24 * 3_600_000, 600_000];

export class FindingsCache<Finding> {
  readonly #entries = new Map<string, CacheEntry<Finding>>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #about: string;
  readonly #schema: z.ZodType<Finding>;
  readonly #source: CacheSource;
  readonly #failedMs: number;

  /**
   * @param schema of a finding, as another replica may have cached it
   * @param failedMs how long it is cached that a look failed, but for a refusal
   */
  constructor(about: string, schema: z.ZodType<Finding>, source: CacheSource, failedMs: number) {
    this.#about = about;
    this.#schema = schema;
    this.#source = source;
    this.#failedMs = failedMs;
  }

  get(name: string): CacheEntry<Finding> | undefined {
    const entry = this.#entries.get(name);
    return entry && entry.untilMs > this.#source.now() ? entry : undefined;
  }

  /** Looks once, however many callers wait for it, unless another replica has. Never fails. */
  async find(name: string, look: () => Promise<Finding | undefined>): Promise<void> {
    if (this.get(name)) return;
    const looking = this.#underWay.get(name) ?? this.#look(name, look);
    this.#underWay.set(name, looking);
    await looking;
    this.#underWay.delete(name);
  }

  async #look(name: string, look: () => Promise<Finding | undefined>): Promise<void> {
    const { shared, now, log } = this.#source;
    const key = `survey:2:${this.#about}:${name}`;
    const kept = z.object({ value: this.#schema.nullable(), untilMs: z.number().min(now()) });
    try {
      const known = await shared?.get(key, (it) => kept.safeParse(it).data);
      const value = known ? (known.value ?? undefined) : await look();
      const untilMs = known?.untilMs ?? now() + findingsMs;
      this.#entries.set(name, { value, untilMs });
      if (!known) void shared?.put(key, { value: value ?? null, untilMs }, findingsMs);
    } catch (error) {
      if (hasCode(error, 'cancelled')) return;
      const isExpected = error instanceof CommerceError;
      if (!isExpected) log.error(whereItFailed(error), 'a look at the account failed');
      const failed: Message = isExpected ? error.reason : { code: 'cannot_be_read' };
      const isRefused = hasCode(error, 'forbidden') || hasCode(error, 'not_found');
      this.#entries.set(name, {
        failed,
        untilMs: now() + (isRefused ? refusedMs : this.#failedMs),
      });
    }
  }
}
