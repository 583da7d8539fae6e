import { join } from 'node:path';
import { ProtocolError, ProtocolErrorCode, UriTemplate } from '@modelcontextprotocol/server';
import type { CallOptions } from '../../analysis/answer.ts';
import { explain } from '../../analysis/errors/explain.ts';
import { logDefect } from '../../core/defect.ts';
import { CommerceError, hasCode, InputError } from '../../core/errors.ts';
import { quote } from '../../core/text.ts';
import type { Toolset } from '../../endpoints/define.ts';
import { engineProblem } from '../../query/installation.ts';
import type { App } from '../app/app.ts';
import { type Failure, failureOf, outcomeOf } from '../telemetry/call-tracking.ts';
import { isViewAddress, listView, readView } from '../tools/figure-page.ts';
import { type ResourceDefinition, resourceDefinitions } from './definitions.ts';

/** Resources with a fixed address for the toolsets of the caller, briefs, and last the page of figures. */
export async function listResources(app: App) {
  const { toolsets, figureView } = app;
  const fixed = offeredResources(toolsets).filter(({ uri }) => !UriTemplate.isTemplate(uri));
  return [
    ...fixed.map((resource) => ({ uri: resource.uri, ...describe(resource) })),
    ...(toolsets.includes('analysis') ? listBriefs(app) : []),
    ...listView(toolsets, await figureView()),
  ];
}

export function listResourceTemplates(toolsets: readonly Toolset[]) {
  return offeredResources(toolsets)
    .filter(({ uri }) => UriTemplate.isTemplate(uri))
    .map((resource) => ({ uriTemplate: resource.uri, ...describe(resource) }));
}

/** Each brief by its own address. A broken one is left out, and `doctor` says why. */
function listBriefs({ briefs, briefHead }: Pick<App, 'briefs' | 'briefHead'>) {
  return [...briefs()].flatMap(([name, folder]) => {
    try {
      const { title, description } = briefHead(join(folder, `${name}.md`));
      const uri = `commerce://briefs/${encodeURIComponent(name)}`;
      return [{ uri, name, title, description, mimeType: 'text/markdown' }];
    } catch {
      return [];
    }
  });
}

function describe({ name, title, description, mimeType }: ResourceDefinition) {
  return { name, title, description, mimeType };
}

/**
 * Reads a resource.
 * @throws {ProtocolError} for an unknown address, and where the platform refuses or fails: its text says what to do
 * next, its data is for programs
 */
export async function readResource(app: App, uri: string, options: CallOptions) {
  const { services, toolsets, log } = app;
  if (isViewAddress(uri, toolsets))
    return app.track('ui://figure', async () => ({ contents: [await readView(uri)] }));
  const match = findResource(toolsets, uri);
  if (match === undefined) throw notFound(quote(uri, 200), { code: 'not_found' });
  const { definition, variable } = match;
  const call = { ...options, nowMs: services.now() };
  return app.track(definition.uri, async (report) => {
    try {
      const { source, ...content } = await definition.read(app, variable, call);
      report({ bytes: Buffer.byteLength(content.text), ...source });
      return { contents: [{ uri, mimeType: definition.mimeType, ...content }] };
    } catch (error) {
      report({ outcome: outcomeOf(error, call.signal) });
      const failure = failureOf(error);
      if (!(error instanceof CommerceError))
        logDefect(log, error, 'a resource failed', { resource: definition.uri });
      else if (error.code === 'not_found') throw notFound(uri, failure, error.reason.text);
      const { InvalidParams, InternalError } = ProtocolErrorCode;
      // All input stands in the address, so a wrong input is a wrong address.
      const isOfAddress = error instanceof InputError || hasCode(error, 'bad_request');
      const code = isOfAddress ? InvalidParams : InternalError;
      throw new ProtocolError(code, await explain(services, error), failure);
    }
  });
}

function notFound(uri: string, failure: Failure, text = `Resource not found: ${uri}`) {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text, { uri, ...failure });
}

/** Completes the variable of a family of resources, if the caller's toolsets have that family. */
export async function completeVariable(
  app: App,
  variable: string,
  typed: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const family = offeredResources(app.toolsets).find(({ uri }) => uri.includes(`{${variable}}`));
  const call = { signal, nowMs: app.services.now() };
  return (await family?.complete?.(app, typed, call)) ?? [];
}

function offeredResources(toolsets: readonly Toolset[]): readonly ResourceDefinition[] {
  return resourceDefinitions.filter(
    ({ toolset, needsEngine }) =>
      (toolset === undefined || toolsets.includes(toolset)) &&
      (!needsEngine || engineProblem() === undefined),
  );
}

const maxUri = 1000;

function findResource(toolsets: readonly Toolset[], uri: string) {
  if (uri.length > maxUri) return undefined;
  for (const definition of offeredResources(toolsets)) {
    if (definition.uri === uri) return { definition, variable: '' };
    if (!UriTemplate.isTemplate(definition.uri)) continue;
    const variables = new UriTemplate(definition.uri).match(uri);
    const [variable] = Object.values(variables ?? {}).flat();
    if (variable) return { definition, variable: decode(variable) };
  }
  return undefined;
}

/** A text that is not percent-encoded is taken as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
