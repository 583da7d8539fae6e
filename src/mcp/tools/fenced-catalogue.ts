import { z } from 'zod';
import type { Fence } from '../../analysis/fence.ts';
import { referenceSpaces } from '../../analysis/reference/reference.ts';
import { asTool, type Catalogue, type Tool } from './catalogue.ts';

/** The part of a catalogue that lies within a fence; it follows the changes of the whole. */
export function fenceCatalogue(whole: Catalogue, fence: Fence): Catalogue {
  const fenced = new WeakMap<Tool, { tool: Tool | undefined }>();

  function within(tool: Tool): Tool | undefined {
    const known = fenced.get(tool) ?? { tool: fenceTool(tool, fence) };
    fenced.set(tool, known);
    return known.tool;
  }

  let known = whole.list();
  let listed = known.flatMap((tool) => within(tool) ?? []);
  return {
    ...whole,
    list() {
      if (whole.list() !== known) {
        known = whole.list();
        listed = known.flatMap((tool) => within(tool) ?? []);
      }
      return listed;
    },
    find(name) {
      const tool = whole.find(name);
      return tool && within(tool);
    },
  };
}

/** A tool as it is within a fence: the same one where nothing of it lies outside. */
function fenceTool(tool: Tool, fence: Fence): Tool | undefined {
  if (!fence.has(tool.toolset)) return undefined;
  const allowed = tool.within === undefined ? tool : tool.within(fence);
  if (allowed === undefined) return undefined;
  const closed = referenceSpaces
    .filter(({ endpoint, idField }) => {
      // Names of the business are understood by everybody; customers' segments are not.
      const isOpen = endpoint.toolset === 'reference' || fence.has(endpoint.toolset);
      return !isOpen && idField in allowed.input.shape;
    })
    .map(({ idField }) => idField);
  if (allowed === tool && closed.length === 0) return tool;
  const open = Object.entries(allowed.input.shape).filter(([name]) => !closed.includes(name));
  const input = z.strictObject(Object.fromEntries(open));
  return asTool({ ...allowed, input });
}
