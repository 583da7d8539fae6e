import { type Config, type ConfigProblem, isLoopback } from '../../config.ts';

/** The settings that decide who may reach the server. */
export type AccessSettings = Pick<
  Config,
  'httpHost' | 'allowedHosts' | 'httpTokens' | 'httpTokensFile' | 'oauthIssuer' | 'oauthAudience'
>;

/** Whether callers have to show who they are. */
export function needsAuthentication(settings: AccessSettings): boolean {
  const { httpTokens, httpTokensFile, oauthIssuer } = settings;
  return [httpTokens, httpTokensFile, oauthIssuer].some((given) => given !== undefined);
}

/** Why these settings may not be served: none when they may. */
export function accessProblems(settings: AccessSettings): ConfigProblem[] {
  const { httpHost, oauthIssuer, oauthAudience } = settings;
  const problems: ConfigProblem[] = [];
  if (oauthIssuer !== undefined && oauthAudience === undefined)
    problems.push({
      name: 'COMMERCE_OAUTH_AUDIENCE',
      problem:
        'is missing: with COMMERCE_OAUTH_ISSUER alone, a token for any other service would open this one',
    });
  if (oauthAudience !== undefined && oauthIssuer === undefined)
    problems.push({
      name: 'COMMERCE_OAUTH_ISSUER',
      problem: 'is missing: COMMERCE_OAUTH_AUDIENCE says nothing without it',
    });
  if (!isLoopback(httpHost) && !needsAuthentication(settings))
    problems.push({
      name: 'COMMERCE_HTTP_HOST',
      problem: `(--host) is ${httpHost}, which other machines can reach, and nobody would have to show who they are: set COMMERCE_HTTP_TOKENS, COMMERCE_HTTP_TOKENS_FILE or COMMERCE_OAUTH_ISSUER, or listen on 127.0.0.1`,
    });
  const outside = (settings.allowedHosts ?? []).filter((host) => !isLoopback(host));
  if (isLoopback(httpHost) && outside.length > 0 && !needsAuthentication(settings))
    problems.push({
      name: 'COMMERCE_ALLOWED_HOSTS',
      problem: `has ${outside.join(', ')}, by which others reach this server through whatever stands in front, and nobody would have to show who they are: set COMMERCE_HTTP_TOKENS, COMMERCE_HTTP_TOKENS_FILE or COMMERCE_OAUTH_ISSUER`,
    });
  return problems;
}
