/** A client that keeps its tokens, and a browser without a screen, for a person who signs in. */
import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** An OAuth client of the SDKs, with its tokens in `kept`. */
export type KeepingClient = ReturnType<typeof keepingClient>;

/** The address that a client is led back to; nobody listens there. */
export const callback = 'http://127.0.0.1:33418/callback';

/** @param extra of its metadata */
export function keepingClient(extra: Record<string, unknown> = {}) {
  const kept: {
    information?: OAuthClientInformationMixed | undefined;
    tokens?: StoredOAuthTokens;
    verifier: string;
    authorization?: URL;
    discovery?: OAuthDiscoveryState;
  } = { verifier: '' };
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'A client under test',
      redirect_uris: [callback],
      ...extra,
    },
    clientInformation: () => kept.information,
    saveClientInformation: (information) => {
      kept.information = information;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      kept.authorization = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (discovery) => {
      kept.discovery = discovery;
    },
    discoveryState: () => kept.discovery,
    state: () => 'a-state-of-the-client',
  };
  return Object.assign(provider, { kept });
}

/** A browser as far as forms and cookies go; each has its own cookies, kept by their paths. */
export function openBrowser(headers: Record<string, string> = {}) {
  const cookies = new Map<string, { value: string; path: string }>();
  const ask = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(url);
    const mine = [...cookies].filter(([, { path }]) => pathname.startsWith(path));
    const cookie = mine.map(([name, { value }]) => `${name.split(' ')[0]}=${value}`).join('; ');
    const accept = { accept: 'text/html,application/xhtml+xml', ...headers, cookie };
    const reply = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...accept, ...init.headers },
    });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const [, path = '/'] = /path=([^;]+)/i.exec(line) ?? [];
      cookies.set(`${name} ${path}`, { value, path });
    }
    return reply;
  };
  return {
    ask,
    /** Opens an authorization, and gives the address of the page that it leads to. */
    async open(authorization: string | URL): Promise<string> {
      const reply = await ask(authorization);
      const location = reply.headers.get('location');
      if (location === null) throw new Error(`no page: ${reply.status} ${await reply.text()}`);
      return new URL(location, authorization).href;
    },
    send: (page: string, fields: Record<string, string>, init: RequestInit = {}) =>
      ask(page, {
        method: 'POST',
        body: new URLSearchParams({ answer: 'sign-in', ...fields }),
        ...init,
      }),
    /** Signs in, and gives the address that leads back to the client. */
    async signIn(authorization: string | URL, token: string): Promise<URL> {
      const page = await this.open(authorization);
      const sent = await this.send(page, { token });
      const returning = await ask(new URL(locationOf(sent), page));
      return new URL(locationOf(returning));
    },
  };
}

export function locationOf(reply: Response): string {
  return reply.headers.get('location') ?? `nowhere: ${reply.status}`;
}
