import { quoted } from '../../core/text.ts';

/** Most characters of the engine's own words. */
export const mostWords = 400;

/** What the engine says, as its words: they may hold the text of a row. */
export function engineWords(message: string): string {
  const words = plainWords(message);
  return words === tooDeep ? words : `The engine refuses it: ${quoted(words, mostWords)}`;
}

/** What the engine says, without its advice on settings, extensions and its own catalogue. */
export function plainWords(message: string): string {
  if (message.startsWith('Max expression depth')) return tooDeep;
  const kept = message
    .split(/\n|(?<=[.;!])\s/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && !advice.test(sentence))
    .slice(0, 4)
    .join(' ');
  const text = kept === '' ? 'The engine refused the statement' : kept;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const advice =
  /\b(SET|PRAGMA|RESET|INSTALL|LOAD)\b|memory_limit|temp_directory|https?:|extension|setting|max_\w+|^Candidate|^LINE \d|^Possible solutions|^\*|^\^|^Did you mean/;

/** A statement that is nested more deeply than it can be read. */
export const tooDeep =
  'The statement is nested too deeply. Use IN (...) for long lists of conditions, and WITH for its steps.';
