import type { AllResults } from '../../analysis/results/store.ts';
import type { Services } from '../../analysis/services.ts';
import type { AccountSurvey } from '../../analysis/survey/survey.ts';
import { createStatements } from '../../analysis/tables/run-statements.ts';
import type { Fleet } from '../../client/fleet/fleet.ts';
import type { Endpoint, Toolset } from '../../endpoints/define.ts';
import type { Prompt } from '../prompts/prompts.ts';
import type { Activity } from '../telemetry/call-tracking.ts';
import type { Log } from '../telemetry/log.ts';
import { Catalogue } from '../tools/catalogue.ts';
import type { SqlRuntime } from './sql-runtime.ts';

/** What the callers of an account share: made once, so that a server per request costs nothing. */
export interface SharedApp {
  /** The account's name, where the server has several. */
  readonly account?: string;
  /** What callers use alike, before it is decided what they may have of it. */
  readonly shared: Omit<Services, 'statements' | 'results' | 'fence' | 'hasTool' | 'survey'>;
  readonly survey: AccountSurvey;
  readonly results: AllResults;
  readonly statements: SqlRuntime;
  /** As the platform's own description completes them. */
  readonly endpoints: readonly Endpoint[];
  /** Those on offer; a caller may have fewer. */
  readonly toolsets: readonly Toolset[];
  /** Read when first asked for; a file that cannot be understood is left out and logged. */
  readonly prompts: () => Promise<readonly Prompt[]>;
  /** What is going on, for the audit log and the metrics. */
  readonly activity: Activity;
  /** What this process shares with others on the key. */
  readonly fleet?: Fleet;
  readonly log: Log;
  readonly version: string;
  /** Reads the definitions before the first statement needs them, and logs what is wrong with them. */
  readAhead(): void;
  close(): Promise<void>;
}

/** The application as one caller sees it, or the client that the process itself serves. */
export interface App extends SharedApp {
  readonly services: Services;
  readonly catalogue: Catalogue;
  /** Who calls, where callers are distinguished. */
  readonly caller?: string;
}

/** An authenticated caller. */
export interface Caller {
  /** Identifies the caller, however they authenticated. */
  id: string;
  /** What logs and metrics call them. */
  name?: string | undefined;
  /** What they may use, of the toolsets on offer. */
  toolsets: readonly Toolset[];
  /** Whose figures they see, where there are several accounts. */
  account?: string | undefined;
}

/**
 * The application as a caller may see it: tools and resources of their toolsets, and the results
 * that they kept themselves. Nothing is built again: schemas and listings are shared.
 */
export function scopeTo(app: SharedApp): (caller: Caller) => App {
  const catalogues = new Map<string, Catalogue>();

  return ({ id, name, toolsets: allowed }) => {
    const toolsets = app.toolsets.filter((toolset) => allowed.includes(toolset));
    const fence = new Set(toolsets);
    const key = toolsets.join();
    const catalogue = catalogues.get(key) ?? new Catalogue(toolsets, app.endpoints);
    catalogues.set(key, catalogue);
    const parts = {
      ...app.shared,
      ...(name !== undefined && { client: app.shared.client.as(id) }),
      fence,
      hasTool: (tool: string) => catalogue.find(tool) !== undefined,
      reference: app.shared.reference.within(fence),
      results: app.results.of({ owner: id, toolsets }),
      survey: app.survey.within(fence),
    };
    // What statements hold for a caller is not for the same one with other toolsets.
    const holder = JSON.stringify([id, toolsets]);
    const statements = createStatements(app.statements, parts, catalogue.list(), holder);
    const services = { ...parts, statements };
    return { ...app, ...(name !== undefined && { caller: name }), toolsets, catalogue, services };
  };
}
