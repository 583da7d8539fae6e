import { messageOf, reasonIn } from '../core/errors.ts';
import type { Log } from '../core/message.ts';
import { ConfigError, readNamedFile } from './config.ts';

interface FollowedFileSettings<Value> {
  path: string;
  setting: string;
  noun: string;
  log: Pick<Log, 'info' | 'error'>;
  /**
   * @param previous undefined the first time
   * @throws {Error} that says what is wrong with the text
   */
  parse(text: string, previous?: Value): Value;
  count(value: Value): number;
}

/** The value of a file, parsed again after each change. While the file cannot be used, its previous value stays. */
export class FollowedFile<Value> {
  value: Value;
  readonly #settings: FollowedFileSettings<Value>;
  /** The text that was last parsed or refused; undefined if it could not be read. */
  #text: string | undefined;
  #reason: string | undefined;

  /** @throws {Error} that says why the file cannot be used */
  constructor(settings: FollowedFileSettings<Value>) {
    this.#settings = settings;
    this.#text = readNamedFile(settings.setting, settings.path);
    this.value = settings.parse(this.#text);
  }

  /** @param isOutdated whether files that the text refers to have changed */
  current(isOutdated: () => boolean = () => false): Value {
    const { path, setting, noun, log, parse, count } = this.#settings;
    try {
      const previousText = this.#text;
      this.#text = undefined;
      this.#text = readNamedFile(setting, path);
      if (this.#text === previousText && !isOutdated()) return this.value;
      this.value = parse(this.#text, this.value);
      this.#reason = undefined;
      log.info({ [noun]: count(this.value) }, `the ${noun} file was read again`);
    } catch (error) {
      const problem = messageOf(error);
      const reason = error instanceof ConfigError ? error : reasonIn(error);
      if (problem !== this.#reason) log.error({ reason }, this.#unusable);
      this.#reason = problem;
    }
    return this.value;
  }

  /** Undefined while the file can be used. */
  get problem(): string | undefined {
    return this.#reason === undefined ? undefined : this.#unusable;
  }

  get #unusable(): string {
    const { noun } = this.#settings;
    return `the ${noun} file cannot be used; the ${noun} stay as they were`;
  }
}
