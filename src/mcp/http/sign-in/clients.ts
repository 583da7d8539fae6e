import { type Configuration, errors } from 'oidc-provider';
import { quote } from '../../../core/text.ts';

/** Metadata of every client, in place of its own. */
const rules = {
  // Allows redirect addresses with https, of this machine, or with a scheme of the client's own.
  application_type: 'native',
  response_types: ['code'],
  scope: undefined,
  grant_types: ['authorization_code', 'refresh_token'],
};

/** Metadata that is read. Other metadata of RFC 7591, section 2, is ignored, right or wrong. */
const readMetadata = new Set([
  ...['client_id', 'client_id_issued_at', 'client_name', 'redirect_uris'],
  ...['token_endpoint_auth_method', 'jwks', 'jwks_uri'],
]);

/** Proxies cut off long addresses, and the address of the sign-in page has the id in it. */
const maxIdLength = 3000;

/** Applies the rules to each client. @throws {errors.InvalidClientMetadata} in the form of RFC 7591 */
export const clientRules: Configuration['extraClientMetadata'] = {
  properties: Object.keys(rules),
  validator(registration, _key, _value, metadata) {
    for (const [name, value] of Object.entries(metadata))
      if (!readMetadata.has(name) || value === null || value === '') metadata[name] = undefined;
    Object.assign(metadata, rules);
    checkRedirects(metadata.redirect_uris);
    if (registration === undefined) return;
    // Registered clients are public: they cannot keep a secret.
    const secretless = { token_endpoint_auth_method: 'none', client_secret: undefined };
    Object.assign(metadata, secretless, { jwks: undefined, jwks_uri: undefined });
    if (metadata.client_id.length > maxIdLength)
      throw new errors.InvalidClientMetadata('redirect_uris and client_name are too long');
  },
};

/** Schemes that browsers and systems interpret themselves. Schemes whose addresses have no path are refused anyway. */
const systemSchemes = new Set(
  'file ftp ftps sftp ssh telnet ldap ldaps smb nfs dav gopher git svn irc ircs rtsp ws wss content intent android-app app chrome resource res about filesystem'.split(
    ' ',
  ),
);

/** @throws {errors.InvalidClientMetadata} for an address that leads neither to the web nor to a program */
function checkRedirects(addresses: unknown): void {
  for (const address of Array.isArray(addresses) ? addresses : []) {
    if (!URL.canParse(address)) continue;
    // The library judges https and http. A path without a slash is that of `mailto:a@b` or `view-source:https://a`.
    const { protocol, pathname } = new URL(address);
    if (/^https?:$/.test(protocol)) continue;
    if (!systemSchemes.has(protocol.slice(0, -1)) && /^(\/|$)/.test(pathname)) continue;
    throw new errors.InvalidClientMetadata(
      `redirect_uris may lead to https, to this machine by http, or to a program by a scheme of its own: not to ${quote(protocol)}`,
    );
  }
}
