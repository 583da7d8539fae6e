import type { Toolset } from '../endpoints/define.ts';

/** What a caller may have. A toolset is a fence: whatever is not in here is refused. */
export interface Fence {
  readonly toolsets: readonly Toolset[];
  has(toolset: Toolset): boolean;
}

/** The fence around some toolsets. */
export function fenceOf(toolsets: readonly Toolset[]): Fence {
  return { toolsets, has: (toolset) => toolsets.includes(toolset) };
}
