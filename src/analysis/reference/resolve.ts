import { CommerceError, InputError } from '../../core/errors.ts';
import type { ResolvedName } from '../answer.ts';
import { resolveName } from './names.ts';
import type { Reference, ReferenceEntry, ReferenceSpace } from './reference.ts';

/**
 * The id that an argument means: an id is taken as it is and costs no request, a name is looked up
 * in the cached list.
 *
 * @throws {InputError} with the candidates when no entry or several are meant.
 * @throws {CommerceError} when the list cannot be read.
 */
export async function resolveReference(
  reference: Reference,
  tool: string,
  space: ReferenceSpace,
  given: string,
  signal: AbortSignal | undefined,
): Promise<{ id: number; resolved?: ResolvedName }> {
  const { idField } = space;
  if (/^\s*\d+\s*$/.test(given)) {
    const id = Number(given);
    if (id >= 1 && Number.isSafeInteger(id)) return { id };
    throw new InputError(`${tool}: ${idField} must be an id of 1 or more, or a name.`, idField);
  }
  const entry = resolveName(tool, space, given, await entriesFor(reference, tool, space, signal));
  return { id: entry.id, resolved: { given, id: entry.id, name: entry.name } };
}

async function entriesFor(
  reference: Reference,
  tool: string,
  { kind, noun, idField }: ReferenceSpace,
  signal: AbortSignal | undefined,
): Promise<readonly ReferenceEntry[]> {
  try {
    return await reference.list(kind, signal);
  } catch (cause) {
    if (!(cause instanceof CommerceError) || cause.code === 'cancelled') throw cause;
    throw new CommerceError(
      cause.code,
      `${tool}: the name of the ${noun} could not be looked up (${cause.message}) Give its id as ${idField} instead.`,
      { cause },
    );
  }
}
