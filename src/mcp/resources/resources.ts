import { ProtocolError, ProtocolErrorCode, UriTemplate } from '@modelcontextprotocol/server';
import type { CallOptions } from '../../analysis/answer.ts';
import { readBrief } from '../../analysis/briefs/brief.ts';
import { explain } from '../../analysis/errors/explain.ts';
import { CommerceError, InputError } from '../../core/errors.ts';
import { quote } from '../../core/text.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { engineProblem } from '../../query/installation.ts';
import { modelReader } from '../answers/catalogue/catalogue.ts';
import type { App } from '../app/app.ts';
import { outcomeOf } from '../telemetry/call-tracking.ts';
import { type Failure, failureOf } from '../telemetry/failure.ts';
import { type Content, type ResourceDefinition, resourceDefinitions } from './definitions.ts';
import { isViewAddress, listedView, readView } from './figure-page.ts';

/** The resources with a fixed address, for the toolsets on offer, and each brief; the page that shows figures last. */
export async function listResources({ toolsets, briefs }: App) {
  const fixed = offered(toolsets).filter(({ uri }) => !UriTemplate.isTemplate(uri));
  return [
    ...fixed.map((it) => ({ uri: it.uri, ...described(it) })),
    ...listedBriefs(toolsets, briefs()),
    ...(await listedView(toolsets)),
  ];
}

/** The families of resources, for the toolsets on offer. */
export function listResourceTemplates(toolsets: readonly Toolset[]) {
  return offered(toolsets)
    .filter(({ uri }) => UriTemplate.isTemplate(uri))
    .map((it) => ({ uriTemplate: it.uri, ...described(it) }));
}

/** Each brief by its own address; what is broken is left out: `doctor` says how. */
function listedBriefs(toolsets: readonly Toolset[], folders: ReturnType<App['briefs']>) {
  if (!toolsets.includes('analysis')) return [];
  return [...folders.keys()].flatMap((name) => {
    try {
      const { title, description } = readBrief(folders, name);
      const uri = `commerce://briefs/${encodeURIComponent(name)}`;
      return [{ uri, name, title, description, mimeType: 'text/markdown' }];
    } catch {
      return [];
    }
  });
}

function described({ name, title, description, mimeType }: ResourceDefinition) {
  return { name, title, description, mimeType };
}

/**
 * Reads a resource.
 *
 * @throws {ProtocolError} for an address that nothing lives under, and with a text that says what to do next when the
 * platform refuses or fails; its data is what a program has to know.
 */
export async function readResource(
  app: App,
  uri: string,
  options: CallOptions,
): Promise<{ contents: Required<Content>[] }> {
  const { services, toolsets, activity, caller, origin } = app;
  if (isViewAddress(uri, toolsets))
    return activity.track({ tool: 'ui://figure', caller, origin }, async () => ({
      contents: [await readView(uri)],
    }));
  const found = find(toolsets, uri);
  if (found === undefined) throw notFound(quote(uri, 200), { code: 'not_found' });
  const { definition, variable } = found;
  const call = { ...options, nowMs: services.now() };
  return activity.track({ tool: definition.uri, caller, origin }, async (report) => {
    try {
      const contents = await definition.read(services, variable, call, app);
      const bytes = contents.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      report({ bytes, ...(await definition.source?.(services, variable)) });
      return { contents: contents.map((content) => ({ uri, ...content })) };
    } catch (error) {
      report({ outcome: outcomeOf(error, call.signal) });
      if (!(error instanceof CommerceError)) throw error;
      const reader = modelReader(services.hasTool);
      const failure = failureOf(error);
      if (error.code === 'not_found') throw notFound(uri, failure, reader.say(error.reason));
      const { InvalidParams, InternalError } = ProtocolErrorCode;
      const code = error instanceof InputError ? InvalidParams : InternalError;
      throw new ProtocolError(code, reader.say(await explain(services, error)), failure);
    }
  });
}

function notFound(uri: string, failure: Failure, text = `Resource not found: ${uri}`) {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text, { uri, ...failure });
}

/** Values for the variable of a family of resources, where the toolsets on offer have such a family. */
export async function completeVariable(
  app: App,
  variable: string,
  typed: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { services, toolsets } = app;
  const family = offered(toolsets).find(({ uri }) => uri.includes(`{${variable}}`));
  const call = { signal, nowMs: services.now() };
  return (await family?.complete?.(services, typed, call, app)) ?? [];
}

function offered(toolsets: readonly Toolset[]): readonly ResourceDefinition[] {
  return resourceDefinitions.filter(
    ({ toolset, needsEngine }) =>
      (toolset === undefined || toolsets.includes(toolset)) &&
      (!needsEngine || engineProblem() === undefined),
  );
}

const maxUri = 1000;

function find(toolsets: readonly Toolset[], uri: string) {
  if (uri.length > maxUri) return undefined;
  for (const definition of offered(toolsets)) {
    if (definition.uri === uri) return { definition, variable: '' };
    if (!UriTemplate.isTemplate(definition.uri)) continue;
    const matched = new UriTemplate(definition.uri).match(uri);
    const [variable] = Object.values(matched ?? {}).flat();
    if (variable) return { definition, variable: decoded(variable) };
  }
  return undefined;
}

/** What is no percent-encoding means itself, and is refused as the value that it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
