import { quote } from '../../core/text.ts';
import type { ReferenceEntry } from './reference.ts';

/** How many names one sentence lists. */
const maxListed = 12;

/** Text as names are compared: no case, no accents, single spaces. */
export function foldName(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** `Webshop (3)`, the way every text names an entry. */
export function nameWithId({ name, id }: Pick<ReferenceEntry, 'name' | 'id'>): string {
  return name === String(id) ? name : `${quote(name)} (${id})`;
}

/** The entries by name, as many as one sentence lists. */
export function listNames(entries: readonly ReferenceEntry[]): string {
  const shown = entries.slice(0, maxListed).map(nameWithId).join(', ');
  const more = entries.length - maxListed;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
