import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import type { Toolset } from '../../../endpoints/define.ts';
import page from './page.html';

const [, style = ''] = /<style>(.*)<\/style>/s.exec(page) ?? [];
const styleHash = createHash('sha256').update(style).digest('base64');

const contents: Record<Toolset, string> = {
  reports: 'reports of turnover, VAT and payments',
  orders: 'orders',
  catalog: 'products, prices and stock',
  customers: 'customers with their contact data',
  reference: 'shops and other lists',
  analysis: 'comparisons and questions over all of these',
};

/** The client that asks: the name that it gives itself, its redirect address, and the toolsets that it wants. */
export interface AccessRequest {
  client: string;
  redirectUri: string;
  toolsets: readonly Toolset[];
}

/** Headers of every page. They allow its own style and form, and no frame. */
export function pageHeaders(redirectUri?: string): Record<string, string> {
  const { origin, protocol, hostname } = new URL(redirectUri ?? 'about:blank');
  // Chromium applies form-action to the redirect to the client; [::1] cannot be written there.
  const target = origin === 'null' || hostname.startsWith('[') ? protocol : origin;
  const formAction = redirectUri === undefined ? "'none'" : `'self' ${target}`;
  return {
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    // With no-referrer, browsers post `Origin: null`.
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  };
}

/** The page that asks for a token, or without `accessRequest` only tells the problem. */
export function signInPage(problem = '', accessRequest?: AccessRequest): string {
  const { client = '', redirectUri = '', toolsets = [] } = accessRequest ?? {};
  const reads = toolsets.map((name) => contents[name]).join('; ');
  const values: Record<string, string> = { problem, client, host: hostOf(redirectUri), reads };
  const text = accessRequest ? page : page.replace(/<form.*<\/form>/s, '');
  return text.replace(/\{\{(\w+)\}\}/g, (_, name) => html`${values[name]}`.toString());
}

/** The host of an address, or the scheme of a program. */
export function hostOf(address: string): string {
  const { host = '', protocol = '' } = URL.canParse(address) ? new URL(address) : {};
  return /^https?:$/.test(protocol) ? host : protocol;
}
