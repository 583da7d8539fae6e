import { messageOf } from '../core/errors.ts';

/** How a file is read and parsed, and who is told. */
export interface FollowedFileSettings<Value> {
  read(): Promise<string>;
  /**
   * @param before the previous value; undefined the first time
   * @throws {Error} that says what is wrong with the text
   */
  parse(text: string, before?: Value): Value;
  onRead(value: Value): void;
  /** Called once for each thing that is wrong. */
  onProblem(reason: string): void;
}

/** The value of a file: parsed again when it has changed; the previous value while the file cannot be used. */
export class FollowedFile<Value> {
  value: Value;
  /** Why it cannot be used now. */
  reason: string | undefined;
  readonly #settings: FollowedFileSettings<Value>;
  #text: string;

  private constructor(settings: FollowedFileSettings<Value>, text: string) {
    this.#settings = settings;
    this.#text = text;
    this.value = settings.parse(text);
  }

  /** @throws {Error} that says why it cannot be used to begin with */
  static async open<Value>(settings: FollowedFileSettings<Value>): Promise<FollowedFile<Value>> {
    return new FollowedFile(settings, await settings.read());
  }

  /** The value now. @param isStale whether what it refers to has changed although its text has not */
  async current(isStale: (value: Value) => boolean = () => false): Promise<Value> {
    const { read, parse, onRead, onProblem } = this.#settings;
    try {
      const text = await read();
      const isSame = text === this.#text && this.reason === undefined;
      if (isSame && !isStale(this.value)) return this.value;
      this.value = parse(text, this.value);
      this.#text = text;
      this.reason = undefined;
      onRead(this.value);
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== this.reason) onProblem(reason);
      this.reason = reason;
    }
    return this.value;
  }
}
