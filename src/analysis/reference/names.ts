import { InputError } from '../../core/errors.ts';
import { quote, quoted } from '../../core/text.ts';
import type { ReferenceEntry, ReferenceSpace } from './reference.ts';

/** How many candidates an error lists. */
const maxCandidates = 12;

/**
 * The entry that a name means: the exact name or alias (case, accents and surrounding space
 * ignored), else the only one that begins with it, else the only one with a word that begins with it.
 *
 * @param isListed whether a refusal may name the candidates
 * @throws {InputError} with the candidates when none or several are meant; it never guesses.
 */
export function resolveName(
  tool: string,
  space: ReferenceSpace,
  given: string,
  entries: readonly ReferenceEntry[],
  isListed = true,
): ReferenceEntry {
  for (const matches of [isCalled, beginsWith, hasWord]) {
    const found = entries.filter((entry) => matches(entry, foldName(given)));
    if (found.length === 1 && found[0] !== undefined) return found[0];
    if (found.length > 1) throw ambiguous(tool, space, given, found, isListed);
  }
  throw unknown(tool, space, given, isListed ? entries : undefined);
}

/** Text as names are compared: no case, no accents, single spaces. */
export function foldName(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** `Webshop (3)`, the way every text names an entry. */
export function nameWithId({ name, id }: Pick<ReferenceEntry, 'name' | 'id'>): string {
  return name === String(id) ? name : `${quote(name)} (${id})`;
}

/** The entries by name, as many as a sentence bears. */
export function listNames(entries: readonly ReferenceEntry[]): string {
  const shown = entries.slice(0, maxCandidates).map(nameWithId).join(', ');
  const more = entries.length - maxCandidates;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function namesOf(entry: ReferenceEntry): string[] {
  return [entry.name, ...entry.aliases].map(foldName);
}

function isCalled(entry: ReferenceEntry, name: string): boolean {
  return namesOf(entry).includes(name);
}

function beginsWith(entry: ReferenceEntry, name: string): boolean {
  return namesOf(entry).some((candidate) => candidate.startsWith(name));
}

function hasWord(entry: ReferenceEntry, name: string): boolean {
  return namesOf(entry).some((candidate) => candidate.includes(` ${name}`));
}

function ambiguous(
  tool: string,
  { idField, noun }: ReferenceSpace,
  given: string,
  found: readonly ReferenceEntry[],
  isListed: boolean,
): InputError {
  const which = isListed ? `: ${listNames(found)}. Give one of these ids` : '. Give the id';
  return new InputError(
    `${tool}: ${quoted(given)} names ${found.length} ${noun}s${which} as ${idField}.`,
    idField,
  );
}

function unknown(
  tool: string,
  { idField, noun }: ReferenceSpace,
  given: string,
  entries: readonly ReferenceEntry[] | undefined,
): InputError {
  const known =
    entries === undefined
      ? `Give the id as ${idField}.`
      : entries.length > 0
        ? `The ${noun}s are: ${listNames(entries)}.`
        : `There are no ${noun}s.`;
  return new InputError(
    `${tool}: no ${noun} that this key may see is called ${quoted(given)}. ${known}`,
    idField,
  );
}
