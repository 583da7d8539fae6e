import type { Drift } from '../../../endpoints/drift.ts';
import type { Finding } from './check.ts';

/** More differences than this are counted instead of shown. */
const shownDifferences = 12;

/** The finding about the differences between the platform's own description and the catalogue. */
export function judgeDrift(differences: readonly Drift[], endpointCount: number): Finding {
  if (differences.length === 0)
    return {
      verdict: 'ok',
      detail: `openapi.json and the ${endpointCount} endpoints of the catalogue agree`,
    };
  const shown = differences
    .slice(0, shownDifferences)
    .map(({ endpoint, text }) => `${endpoint} ${text}`);
  const more = differences.length - shown.length;
  const isBroken = differences.some(({ breaks }) => breaks);
  return {
    verdict: isBroken ? 'failed' : 'warning',
    detail: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
    remedy: isBroken
      ? 'Look for a newer version of commerce-mcp; until then, do without the tools named here.'
      : 'Nothing breaks. A newer version of commerce-mcp may know more.',
  };
}
