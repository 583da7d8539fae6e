import { messageOf, reasonIn } from '../core/errors.ts';
import { readPlainText } from '../core/files.ts';
import type { Log, Message } from '../core/message.ts';
import { ConfigError } from './problem.ts';

interface FollowedFileSettings<Value> {
  path: string;
  /** The variable that names the file. */
  setting: string;
  /** What the file lists, such as `tokens`. */
  what: string;
  log: Pick<Log, 'info' | 'error'>;
  /**
   * @param before the previous value; undefined the first time
   * @throws {Error} that says what is wrong with the text
   */
  parse(text: string, before?: Value): Value;
  /** How many of them it lists. */
  count(value: Value): number;
}

/** The value of a file: parsed again when it has changed; the previous value while the file cannot be used. */
export class FollowedFile<Value> {
  value: Value;
  readonly #settings: FollowedFileSettings<Value>;
  #text: string;
  /** Why it cannot be used now. */
  #reason: string | undefined;
  /** The text that was refused: it is not read again until it changes, or what it refers to is mended. */
  #refused: string | undefined;

  private constructor(settings: FollowedFileSettings<Value>, text: string) {
    this.#settings = settings;
    this.#text = text;
    this.value = settings.parse(text);
  }

  /** @throws {Error} that says why it cannot be used to begin with */
  static async open<Value>(settings: FollowedFileSettings<Value>): Promise<FollowedFile<Value>> {
    return new FollowedFile(settings, await readNamedFile(settings));
  }

  /**
   * The value now.
   * @param isStale whether what it refers to has changed although its text has not
   * @param isMended whether what was wrong with the text that was refused is so no more, although it is the same
   */
  async current(
    isStale: (value: Value) => boolean = () => false,
    isMended: () => boolean = () => false,
  ): Promise<Value> {
    const { what, log, parse, count } = this.#settings;
    let text: string | undefined;
    try {
      text = await readNamedFile(this.#settings);
      if (text === this.#refused && !isMended()) return this.value;
      const isSame = text === this.#text && this.#reason === undefined;
      if (isSame && !isStale(this.value)) return this.value;
      this.value = parse(text, this.value);
      this.#text = text;
      this.#reason = undefined;
      this.#refused = undefined;
      log.info({ [what]: count(this.value) }, `the ${what} file was read again`);
    } catch (error) {
      const why = messageOf(error);
      const reason = error instanceof ConfigError ? error : reasonIn(error);
      if (why !== this.#reason) log.error({ reason }, sayUnusable(what));
      this.#reason = why;
      this.#refused = text;
    }
    return this.value;
  }

  /** That the file cannot be used, if it cannot. */
  get problem(): string | undefined {
    return this.#reason === undefined ? undefined : sayUnusable(this.#settings.what);
  }
}

function sayUnusable(what: string): string {
  return `the ${what} file cannot be used; the ${what} stay as they were`;
}

/** Far more than a list of accounts or tokens has. */
const mostBytes = 1_000_000;

/** The text of the file that a setting names. @throws {ConfigError} where it cannot be read */
export async function readNamedFile(file: { path: string; setting: string }): Promise<string> {
  try {
    return readPlainText(file.path, mostBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason: Message = code?.startsWith('E')
      ? { code: 'other_error', text: code }
      : reasonIn(error);
    const problem = { code: 'unreadable_file', reason } as const;
    throw new ConfigError([{ name: file.setting, problem }]);
  }
}
