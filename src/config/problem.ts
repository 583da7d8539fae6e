/** What is wrong with a setting, for the person who sets it. */
import { reasonIn } from '../core/errors.ts';
import { logText, type Message, type PersonMessage } from '../core/message.ts';

declare module '../core/message.ts' {
  interface PersonMessages {
    missing_setting: { about: string };
    /** An account of the file says it for itself. */
    setting_of_one_account: object;
    unreadable_file: { reason: Message };
    names_empty_file: { file: string };
  }
}

/** One setting that cannot be used; `name` is the variable or the flag it came from. */
export interface ConfigProblem {
  name: string;
  problem: Message | PersonMessage;
}

/** A text that a setting cannot have. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
  readonly problem: Message | PersonMessage;

  constructor(problem: Message | PersonMessage) {
    super(logText(problem));
    this.problem = problem;
  }
}

/** What is wrong with a text that could not be read as a setting. */
export function problemIn(error: unknown): ConfigProblem['problem'] {
  return error instanceof SettingError ? error.problem : reasonIn(error);
}

/** The configuration cannot be used. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ name, problem }) => `${name} ${logText(problem)}`).join('\n'));
    this.problems = problems;
  }
}
