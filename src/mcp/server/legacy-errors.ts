import type { Server, ServerContext } from '@modelcontextprotocol/server';

/** What revisions before 2026-07-28 call a resource that does not exist; the SDK writes -32602 to all of them. */
const resourceNotFound = -32002;

/**
 * Gives clients of older revisions the code that their revision has for a resource that does not exist.
 *
 * @returns notes that such a request asks for one; what is refused with its address is written so then
 */
export function writeLegacyCodes(server: Server): (context: ServerContext) => void {
  const ids = new Set<unknown>();
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const isAnswer = 'id' in message && !('method' in message);
      if (!isAnswer || !ids.delete(message.id) || !('error' in message))
        return send(message, options);
      const { error } = message;
      const isMissing = Object.keys(Object(error.data)).join() === 'uri';
      const code = isMissing ? resourceNotFound : error.code;
      return send({ ...message, error: { ...error, code } }, options);
    };
    await connect(transport);
  };
  return ({ mcpReq: { id, envelope, signal } }) => {
    // Since 2026-07-28 each request says its revision.
    if (envelope !== undefined) return;
    ids.add(id);
    // What is cancelled gets no answer.
    signal.addEventListener('abort', () => ids.delete(id), { once: true });
  };
}
