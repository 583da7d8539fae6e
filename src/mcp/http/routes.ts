import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { cors } from 'hono/cors';
import { type RequestIdVariables, requestId } from 'hono/request-id';
import { type Config, needsAuthentication, type ServerConfig } from '../../config/config.ts';
import { logDefect } from '../../core/defect.ts';
import { quote } from '../../core/text.ts';
import { toolsets } from '../../endpoints/define.ts';
import type { AppProvider } from '../app/accounts.ts';
import type { Caller } from '../app/app.ts';
import type { RequestOrigin } from '../telemetry/call-tracking.ts';
import { checkReach, reachOf } from './access.ts';
import { forwardedAddress } from './address.ts';
import { callerInAccount, isOperator, openGate, resourceMetadata } from './auth/gate.ts';
import { openIssuer } from './auth/oauth.ts';
import type { TokenSource } from './auth/tokens.ts';
import { filesPath, openFiles } from './files.ts';
import { type EndpointBounds, openMcpEndpoint } from './mcp-endpoint.ts';
import { createMetrics } from './metrics.ts';
import { openReadiness } from './readiness.ts';
import { RefusalError, type RefusalLine, refusalMessages } from './refusals.ts';
import type { Internet } from './sign-in/documents.ts';
import type { Outcome } from './sign-in/provider.ts';

/** Settings of a server, with the secret of its account where it has one account. */
export type HttpConfig = ServerConfig & Partial<Pick<Config, 'clientSecret'>>;

export type RouteParts = Awaited<ReturnType<typeof openParts>>;

export async function openParts(
  apps: AppProvider,
  config: HttpConfig,
  tokens: TokenSource,
  bounds: EndpointBounds & { unreadMs: number; internet?: Internet | undefined },
) {
  const { directory, log } = apps;
  const { oauthIssuer, oauthAudience = '', oauthAccountClaim, operatorToken } = config;
  const claim = directory && oauthAccountClaim;
  const { openSignIn } = config.signIn === 'true' ? await import('./sign-in/sign-in.ts') : {};
  const count = (outcome: Outcome) => metrics.signIns.inc({ outcome });
  const signIn = await openSignIn?.(config, tokens, log, count, bounds.internet);
  const issuer =
    signIn?.issuer ??
    (oauthIssuer === undefined ? undefined : openIssuer(oauthIssuer, oauthAudience, log, claim));
  // Undefined where callers are not authenticated.
  const gate = needsAuthentication(config) ? openGate(tokens, issuer) : undefined;
  const endpoint = openMcpEndpoint(apps, gate, bounds);
  const files = openFiles(apps, gate, tokens, config);
  const watched = { apps, tokens, issuer, signIn };
  const readiness = openReadiness(watched);
  const metrics = createMetrics({ ...watched, ...readiness, places: endpoint.places });
  const noteRefusal = (line: RefusalLine) => {
    metrics.countRefusal(line);
    log.audit({ ...line }, 'refused');
  };
  return {
    apps,
    reach: reachOf(config),
    gate,
    issuer,
    endpoint,
    files,
    metrics,
    noteRefusal,
    readiness,
    signIn,
    operatorToken,
    unreadMs: bounds.unreadMs,
  };
}

type Environment = { Bindings: HttpBindings; Variables: RequestIdVariables & { caller?: Caller } };
type Exchange = Context<Environment>;

const jsonrpc = '2.0';

/** Connections with a longer answer are kept open for `unreadMs` only. */
const maxKeptAliveBytes = 200_000;

/** Every caller of a server without a gate, the same on all replicas. */
const openCaller: Caller = { id: 'anybody', toolsets };

/**
 * `/mcp`, `/healthz`, `/readyz`, `/metrics` and the metadata of OAuth. Every route checks host and origin; all but
 * health and metadata check the caller.
 */
export function createRoutes(parts: RouteParts): Hono<Environment> {
  const { reach, metrics, unreadMs } = parts;
  const routes = new Hono<Environment>();
  routes.use(requestId({ limitLength: 64 }), async (context, next) => {
    giveUpUnread(context.env, unreadMs);
    await next();
    context.header('x-request-id', context.get('requestId'));
    metrics.responses.inc({ status: context.res.status });
  });
  routes.use(({ req }, next) => {
    checkReach(req.raw, reach);
    return next();
  });
  const allowPages = cors({
    origin: (origin) => (reach.origins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST'],
    exposeHeaders: ['WWW-Authenticate', 'Retry-After', 'X-Request-Id'],
  });
  routes.use((context, next) => {
    const isAllowed = reach.origins.includes(context.req.header('origin') ?? '');
    return isAllowed ? allowPages(context, next) : next();
  });
  addOpenRoutes(routes, parts);
  addGuardedRoutes(routes, parts);
  routes.onError((error, context) => answerError(error, context, parts));
  return routes;
}

function addOpenRoutes(routes: Hono<Environment>, parts: RouteParts): void {
  const { apps, files, issuer, operatorToken, readiness, signIn } = parts;
  routes.get('/healthz', (context) => context.json({ status: 'alive' }));
  routes.get('/readyz', async (context) => {
    const answer = await readiness.answer(isOperator(context.req.raw, operatorToken));
    return context.json(answer, answer.status === 'ready' ? 200 : 503);
  });
  if (apps.directory !== undefined)
    routes.get('/metrics', (context) => {
      if (isOperator(context.req.raw, operatorToken)) return showMetrics(context, parts);
      const headers = { 'www-authenticate': 'Bearer realm="commerce-mcp"' };
      throw new RefusalError(refusalMessages.operator_only(), { headers });
    });
  routes.get(`${filesPath}:token/:name`, (context) => {
    const { token, name } = context.req.param();
    return files.serve(context.req.raw, { token, name }, originOf(context), closing(context));
  });
  if (issuer !== undefined)
    for (const path of ['', '/*'])
      routes.get(`/.well-known/oauth-protected-resource${path}`, (context) =>
        context.json(resourceMetadata(context.req.raw, issuer)),
      );
  if (signIn !== undefined)
    for (const path of signIn.paths)
      routes.all(path, (context) => signIn.answer(context.req.raw, context.env, originOf(context)));
}

function addGuardedRoutes(routes: Hono<Environment>, parts: RouteParts): void {
  const { apps, gate, endpoint, files, noteRefusal } = parts;
  routes.use(async (context, next) => {
    const caller = (await gate?.identifyCaller(context.req.raw)) ?? openCaller;
    // Until the account is checked it may be any text, so refusals do not log it.
    context.set('caller', { ...caller, account: undefined });
    const linkFile = files.linkFileFor(caller, context.req.raw);
    context.set('caller', { ...(await callerInAccount(caller, apps.directory)), linkFile });
    await next();
  });
  routes.on('ALL', ['/mcp', '/mcp/'], async (context) => {
    const { raw: request } = context.req;
    const caller = context.get('caller') ?? openCaller;
    const requester = { ...caller, origin: originOf(context) };
    const response = await endpoint.serve(request, requester, closing(context));
    const { status } = response;
    // 499: the client has gone. 405: a GET asks for the optional stream, which this server lacks.
    const isExpected = status === 499 || (status === 405 && context.req.method === 'GET');
    if (status >= 400 && !isExpected)
      noteRefusal({ reason: 'protocol', status, ...exchangeFacts(context) });
    return response;
  });
  routes.get('/metrics', (context) => showMetrics(context, parts));
  routes.all('*', ({ req }) => {
    if (!['/metrics', '/healthz', '/readyz'].includes(req.path))
      throw new RefusalError(refusalMessages.nothing_here());
    throw new RefusalError(refusalMessages.only_get(), { headers: { allow: 'GET' } });
  });
}

/** Settles when the response is sent or the client has gone. */
function closing({ env }: Exchange): Promise<unknown> {
  return new Promise((resolve) => env.outgoing.once('close', resolve));
}

async function showMetrics(context: Exchange, { metrics: { registry } }: RouteParts) {
  return context.body(await registry.metrics(), 200, { 'content-type': registry.contentType });
}

function answerError(error: Error, context: Exchange, parts: RouteParts): Response {
  const { noteRefusal, apps, signIn } = parts;
  if (error instanceof RefusalError) {
    const { reason, status, says, code } = error;
    const { headers = {}, ...facts } = error.parts;
    noteRefusal({ reason, status, ...facts, ...exchangeFacts(context) });
    const message = says.text;
    // A person reads the answer to a link.
    if (context.req.path.startsWith(filesPath)) return new Response(message, { status, headers });
    const isOfSignIn = signIn !== undefined && context.req.path.startsWith('/sign-in/');
    const body = isOfSignIn
      ? oauthError(status, message)
      : { jsonrpc, error: { code, message }, id: null };
    return Response.json(body, { status, headers });
  }
  // The client has gone.
  const hasGone = context.req.raw.signal.aborted || context.env.incoming.socket.destroyed;
  if (hasGone) return new Response(null, { status: 499 });
  logDefect(apps.log, error, 'a request failed inside the server');
  const internal = { code: -32_603, message: 'Internal error' };
  return Response.json({ jsonrpc, error: internal, id: null }, { status: 500 });
}

/** The body of a refusal by RFC 6749, section 5.2, and RFC 7591, section 3.2.2. */
function oauthError(status: number, error_description: string) {
  const isTemporary = status === 429 || status === 503;
  return { error: isTemporary ? 'temporarily_unavailable' : 'invalid_request', error_description };
}

function giveUpUnread({ incoming, outgoing }: HttpBindings, unreadMs: number): void {
  // Node calls back when nothing was sent in that time. The connection is closed only if its answer waits to be read,
  // not while the answer is being made.
  const { socket } = incoming;
  outgoing.setTimeout(unreadMs / 2, () => {
    if (socket.writableLength > 0) socket.destroy();
  });
  // The kernel may hold unread megabytes without telling, so such a connection is kept briefly.
  const writtenBefore = socket.bytesWritten;
  outgoing.once('finish', () => {
    if (socket.bytesWritten - writtenBefore > maxKeptAliveBytes) socket.setTimeout(unreadMs);
  });
}

function exchangeFacts(context: Exchange): Omit<RefusalLine, 'reason' | 'status'> {
  const { name, account } = context.get('caller') ?? {};
  const { method } = context.req;
  // A link opens rows, so it is not logged.
  const path = context.req.path.startsWith(filesPath) ? filesPath : quote(context.req.path, 100);
  return { method, path, ...originOf(context), caller: name, account };
}

function originOf({ req, env, get }: Exchange): RequestOrigin {
  const forwarded = forwardedAddress(req.header('x-forwarded-for'));
  const traceparent = req.header('traceparent') ?? '';
  return {
    request_id: get('requestId'),
    remote: env.incoming.socket.remoteAddress,
    ...(forwarded !== undefined && { forwarded_for: forwarded }),
    ...(/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent) && { traceparent }),
  };
}
