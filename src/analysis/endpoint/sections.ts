import type { JsonObject } from '../../core/json.ts';
import type { Endpoint } from '../../endpoints/define.ts';

/** The parts of a report that were asked for, and the names of those that were not. */
export function chooseSections(
  { sections = [] }: Pick<Endpoint, 'sections'>,
  { sections: wanted }: JsonObject,
  payload: JsonObject,
): { payload: JsonObject; more: string[] } {
  if (!Array.isArray(wanted) || wanted.length === 0) return { payload, more: [] };
  const isLeftOut = (name: string) => sections.includes(name) && !wanted.includes(name);
  const kept = Object.entries(payload).filter(([name]) => !isLeftOut(name));
  return {
    payload: Object.fromEntries(kept),
    more: Object.keys(payload).filter(isLeftOut),
  };
}
