/** Files of kept results, behind links that a person can click. */
import { keptAnswer } from '../../analysis/export-rows.ts';
import type { Config } from '../../config/config.ts';
import { hasCode, InputError } from '../../core/errors.ts';
import { FairQueue } from '../../core/fair-queue.ts';
import { quote } from '../../core/text.ts';
import type { Toolset } from '../../endpoints/define.ts';
import type { AppProvider } from '../app/accounts.ts';
import type { App, Caller, LinkFile } from '../app/app.ts';
import { fileBytes } from '../files/offer-file.ts';
import type { RequestOrigin } from '../telemetry/call-tracking.ts';
import { callerInAccount, type Gate, resourceUrl } from './auth/gate.ts';
import type { TokenSource } from './auth/tokens.ts';
import { type LinkedFile, readLink, signLink } from './links.ts';
import { RefusalError, refusalMessages, refuseBusy } from './refusals.ts';

/** Prefix of the path of each link. */
export const filesPath = '/files/';

/** Files that are made or sent at the same time, one for a caller: each lies in memory until it is sent. */
const bounds = { maxActive: 4, maxActivePerCaller: 1, maxWaiting: 64, maxWaitingPerCaller: 8 };

const types = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
};

/** @param gate undefined where callers are not authenticated */
export function openFiles(
  apps: AppProvider,
  gate: Gate | undefined,
  tokens: TokenSource,
  { clientSecret, publicUrl }: Partial<Pick<Config, 'clientSecret' | 'publicUrl'>>,
) {
  const places = new FairQueue(bounds);
  function secretOf(account: string | undefined): string | undefined {
    const { list } = apps.directory ?? {};
    return list ? list.accounts.get(account ?? list.default ?? '')?.clientSecret : clientSecret;
  }

  /** The caller of a link with their current rights: the token must still open the server, and the account exist. */
  async function currentCaller(request: Request, file: LinkedFile): Promise<Caller> {
    const { caller: id, account, toolsets } = file;
    const { tokens: entries } = await tokens();
    const matches = entries.filter(({ caller }) => caller.id === id && caller.account === account);
    if (id.startsWith('token:') && matches.length === 0) throw fileGone();
    // A caller who signs in has to be the owner of the file.
    if (gate && request.headers.has('authorization')) {
      const { id: requesterId } = await gate.identifyCaller(request);
      if (requesterId !== id) throw fileGone();
    }
    const isOpen = (toolset: Toolset) =>
      matches.length === 0 || matches.some(({ caller }) => caller.toolsets.includes(toolset));
    const name = matches[0]?.caller.name ?? (gate && quote(id, 64));
    const caller = { id, name, account, toolsets: toolsets.filter(isOpen) };
    return callerInAccount(caller, apps.directory).catch(() => {
      throw fileGone();
    });
  }

  return {
    /** Signs links for a caller, to the public address or else that of the request. */
    linkFileFor({ id: caller, account, toolsets }: Caller, request: Request): LinkFile {
      return (file) => {
        const path = signLink({ caller, account, toolsets, ...file }, secretOf(account));
        return new URL(filesPath + path, publicUrl ?? resourceUrl(request, '')).href;
      };
    },

    /**
     * Makes the file of a link and sends it.
     * @param closed settles when the response is sent or the client has gone
     * @throws {RefusalError} 404 for any link that opens nothing, before anything is done for it
     */
    async serve(
      request: Request,
      { token, name }: { token: string; name: string },
      origin: RequestOrigin,
      closed: Promise<unknown>,
    ): Promise<Response> {
      const file = readLink(token, name, secretOf, Date.now());
      if (file === undefined) throw fileGone();
      const caller = await currentCaller(request, file);
      const turn = { caller: caller.id, group: caller.account, signal: request.signal };
      const releasePlace = await places.enter(turn).catch(refuseBusy);
      void closed.then(releasePlace);
      const { callerApp, release } = await apps.acquire({ ...caller, origin }).catch(refuseBusy);
      void closed.then(release);
      return sendFile(callerApp, file, request.signal);
    },
  };
}

function sendFile({ services, track }: App, { id, name }: LinkedFile, signal: AbortSignal) {
  return track('file', async (report) => {
    const result = await services.results.get(id).catch((error: unknown) => {
      throw error instanceof InputError ? fileGone() : error;
    });
    const format = name.endsWith('.csv') ? 'csv' : 'xlsx';
    const bytes = await fileBytes({ services, signal }, keptAnswer(result), format).catch(
      (error: unknown) => {
        if (!hasCode(error, 'too_large')) throw error;
        throw new RefusalError(refusalMessages.file_not_made({ reason: error.reason.text }));
      },
    );
    report({ sourceTool: result.tool, rows: result.rows.length, bytes: bytes.length });
    const headers = {
      'content-type': types[format],
      'content-length': String(bytes.length),
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    };
    return new Response(new Uint8Array(bytes), { headers });
  });
}

function fileGone(): RefusalError {
  return new RefusalError(refusalMessages.file_gone());
}
