import { z } from 'zod';
import { setting } from './setting.ts';
import { bindAddress, exactAddress, hostList, originList, wholeNumber } from './values.ts';

/** The settings of `commerce-mcp http`, part of the whole configuration. */
export const httpSettings = {
  /** Where to listen: a host name or IP address without brackets. */
  httpHost: bindAddress.meta(
    setting({
      variable: 'COMMERCE_HTTP_HOST',
      about: 'Address that `http` listens on; any but this machine needs authentication',
      standard: '127.0.0.1',
    }),
  ),
  /** 0 takes any free port. */
  httpPort: wholeNumber(0, 65_535).meta(
    setting({
      variable: 'COMMERCE_HTTP_PORT',
      about: 'Port that `http` listens on; 0 takes any free one',
      standard: '8787',
    }),
  ),
  /** Entries separated by `;` or line ends, read in mcp/http/static-tokens.ts. */
  httpTokens: z
    .string()
    .optional()
    .meta(
      setting({
        variable: 'COMMERCE_HTTP_TOKENS',
        about:
          'Bearer tokens for `http`: `name:token` or `name:token:toolset,toolset`, separated by `;`',
        optional: true,
        secret: true,
      }),
    ),
  httpTokensFile: z
    .string()
    .optional()
    .meta(
      setting({
        variable: 'COMMERCE_HTTP_TOKENS_FILE',
        about: 'A file of such tokens, one a line; read again when it changes',
        optional: true,
      }),
    ),
  /** As the issuer writes it: tokens have to name it to the letter. */
  oauthIssuer: exactAddress.optional().meta(
    setting({
      variable: 'COMMERCE_OAUTH_ISSUER',
      about: 'Issuer whose JWTs `http` accepts, found through its metadata',
      optional: true,
    }),
  ),
  oauthAudience: z
    .string()
    .optional()
    .meta(
      setting({
        variable: 'COMMERCE_OAUTH_AUDIENCE',
        about: 'Audience that those JWTs must name, best the public address of `/mcp`',
        optional: true,
      }),
    ),
  /** Without ports; IPv6 in brackets. */
  allowedHosts: hostList.optional().meta(
    setting({
      variable: 'COMMERCE_ALLOWED_HOSTS',
      about: 'Comma list of host names that `http` is reached by, beside those of this machine',
      optional: true,
    }),
  ),
  allowedOrigins: originList.optional().meta(
    setting({
      variable: 'COMMERCE_ALLOWED_ORIGINS',
      about: 'Comma list of web origins whose pages may call `http`',
      optional: true,
    }),
  ),
};
