import { ownResults } from '../../analysis/results/own-results.ts';
import type { Toolset } from '../../endpoints/define.ts';
import type { Catalogue } from '../tools/catalogue.ts';
import type { App } from './app.ts';

/** Somebody who has shown who they are. */
export interface Caller {
  /** Tells callers apart, whichever way they came in. */
  id: string;
  /** What logs and metrics call them. */
  name: string;
  /** What they may use, of the toolsets on offer. */
  toolsets: readonly Toolset[];
}

/**
 * The application as a caller may see it: tools and resources of their toolsets, and the results
 * that they kept themselves. Nothing is built again: schemas and listings are shared.
 */
export function scopeTo(app: App): (caller: Caller) => App {
  const catalogues = new Map<string, Catalogue>();

  return ({ id, name, toolsets: allowed }) => {
    const toolsets = app.toolsets.filter((toolset) => allowed.includes(toolset));
    const key = toolsets.join();
    const catalogue = catalogues.get(key) ?? limitCatalogue(app.catalogue, toolsets);
    catalogues.set(key, catalogue);
    const mayUse = (tool: string) => catalogue.find(tool) !== undefined;
    const results = ownResults(app.services.results, id, mayUse);
    const own = { ...app.services, results };
    const services = { ...own, statements: app.statementsOf(own, catalogue, id) };
    return { ...app, caller: name, toolsets, catalogue, services };
  };
}

/** The part of a catalogue that belongs to some toolsets; it follows the changes of the whole. */
export function limitCatalogue(whole: Catalogue, toolsets: readonly Toolset[]): Catalogue {
  let known = whole.list();
  let listed = known.filter(({ toolset }) => toolsets.includes(toolset));
  return {
    ...whole,
    list() {
      if (whole.list() !== known) {
        known = whole.list();
        listed = known.filter(({ toolset }) => toolsets.includes(toolset));
      }
      return listed;
    },
    find(name) {
      const tool = whole.find(name);
      return tool && toolsets.includes(tool.toolset) ? tool : undefined;
    },
  };
}
