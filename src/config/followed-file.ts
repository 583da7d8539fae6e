import { messageOf } from '../core/errors.ts';

/** How a file is read again, and who hears of it. */
export interface FollowedFileSettings<Value> {
  /** @throws {Error} that says what is wrong with the file */
  load(): Promise<Value>;
  onRead(value: Value): void;
  /** Called once for each thing that is wrong. */
  onProblem(reason: string): void;
}

/** What a file says: read again when it has changed, and while it cannot be used what it said before. */
export class FollowedFile<Value> {
  value: Value;
  /** Why it cannot be used now. */
  reason: string | undefined;
  readonly #settings: FollowedFileSettings<Value>;
  #loading: Promise<Value> | undefined;

  /** @param value what was read to begin with */
  constructor(value: Value, settings: FollowedFileSettings<Value>) {
    this.value = value;
    this.#settings = settings;
  }

  /** What it says now. @param hasChanged may throw for what cannot be read */
  async look(hasChanged: () => Promise<boolean>): Promise<Value> {
    const { load, onRead, onProblem } = this.#settings;
    try {
      if (this.reason === undefined && !(await hasChanged())) return this.value;
      // Those that look at the same time read it together.
      this.#loading ??= load().finally(() => {
        this.#loading = undefined;
      });
      const loaded = await this.#loading;
      if (this.value !== loaded) onRead(loaded);
      this.value = loaded;
      this.reason = undefined;
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== this.reason) onProblem(reason);
      this.reason = reason;
    }
    return this.value;
  }
}
