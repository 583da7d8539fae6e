import {
  ProtocolErrorCode,
  type StandardSchemaV1Sync,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { quote } from '../../core/text.ts';

const requestSchemas = new Map<unknown, StandardSchemaV1Sync>([
  ['initialize', specTypeSchemas.InitializeRequest],
  ['tools/list', specTypeSchemas.ListToolsRequest],
  ['tools/call', specTypeSchemas.CallToolRequest],
  ['resources/list', specTypeSchemas.ListResourcesRequest],
  ['resources/templates/list', specTypeSchemas.ListResourceTemplatesRequest],
  ['resources/read', specTypeSchemas.ReadResourceRequest],
  ['prompts/list', specTypeSchemas.ListPromptsRequest],
  ['prompts/get', specTypeSchemas.GetPromptRequest],
  ['completion/complete', specTypeSchemas.CompleteRequest],
]);

/**
 * Reads a message, with `null` and `[]` as absent parameters. A request that the protocol does not allow comes with
 * the answer to it: the SDK would give none, or a dump of its schema.
 */
export function readMessage(value: unknown): {
  message: unknown;
  refusal?: ReturnType<typeof refuse>;
} {
  if (Array.isArray(value))
    return { message: value, refusal: refuse('send one message, not a batch') };
  if (!isRecord(value) || !('method' in value || 'id' in value)) return { message: value };
  const message = removeEmpty(value, ['params']);
  if (isRecord(message.params))
    message.params = removeEmpty(message.params, ['_meta', 'arguments']);
  const isAnswer = !('method' in value) && ('result' in value || 'error' in value);
  const issue = !('id' in value) || isAnswer ? undefined : findIssue(message);
  if (issue === undefined) return { message };
  const { path = [], message: problem } = issue;
  const place = path.length > 0 ? `${quote(path.map(String).join('.'), 100)}: ` : '';
  const isOfParameters = path[0] === 'params' && (path.length > 1 || message.params === undefined);
  const code = isOfParameters ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest;
  return { message, refusal: refuse(`${place}${quote(problem, 100)}`, value.id, code) };
}

/** The answer to a message that cannot be served. Its id is null unless the message has a valid one. */
function refuse(problem: string, id?: unknown, code: number = ProtocolErrorCode.InvalidRequest) {
  const isUsable = typeof id === 'string' || typeof id === 'number';
  const error = { code, message: `Invalid request: ${problem}` };
  return { jsonrpc: '2.0', id: isUsable ? id : null, error };
}

function removeEmpty(object: JsonObject, names: readonly string[]): JsonObject {
  const isEmpty = (value: unknown) =>
    value === null || (Array.isArray(value) && value.length === 0);
  const entries = Object.entries(object);
  return Object.fromEntries(
    entries.filter(([name, value]) => !(names.includes(name) && isEmpty(value))),
  );
}

function findIssue(request: JsonObject) {
  const schemas = [specTypeSchemas.JSONRPCRequest, requestSchemas.get(request.method)];
  return schemas.flatMap((schema) => schema?.['~standard'].validate(request).issues ?? [])[0];
}
