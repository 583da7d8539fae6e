import { readdirSync, readFileSync } from 'node:fs';
import { quantile } from '../measure.mjs';

/** Resident megabytes and open handles of a process, from /proc; undefined where there is none. */
export function readProcess({ name, pid }) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    return { name, megabytes, handles: readdirSync(`/proc/${pid}/fd`).length };
  } catch {
    return { name, megabytes: Number.NaN, handles: Number.NaN };
  }
}

/** The samples as a table of ten lines. */
export function timeline(samples) {
  const names = samples[0].servers.map(({ name }) => name);
  const step = Math.max(1, Math.floor(samples.length / 10));
  const shown = samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
  const head = ['minute', 'calls', ...names.map((name) => `${name}: MB, handles`)];
  const rows = shown.map(({ atMs, calls, servers }) => [
    (atMs / 60_000).toFixed(1),
    String(calls),
    ...servers.map(({ megabytes, handles }) => `${megabytes.toFixed(0)}, ${handles}`),
  ]);
  const widths = head.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at].length)),
  );
  return [head, ...rows]
    .map((row) => row.map((cell, at) => cell.padStart(widths[at])).join('  '))
    .join('\n');
}

/**
 * The verdict. Memory and handles are compared between the second and the last quarter of the run:
 * in the first, caches and kept results are still filling up to their bounds.
 */
export function findings({ samples, counts, left }) {
  const failures = [];
  const claim = (isTrue, text) => {
    if (!isTrue) failures.push(text);
  };
  const running = samples.slice(0, -1);
  const quarter = Math.max(1, Math.floor(running.length / 4));
  const early = running.slice(quarter, 2 * quarter);
  const late = running.slice(-quarter);
  const lines = samples[0].servers.map(({ name }, at) => {
    const middle = (part, what) =>
      quantile(
        part.map(({ servers }) => servers[at][what]),
        0.5,
      );
    const growth = middle(late, 'megabytes') / middle(early, 'megabytes');
    const handles = samples.at(-1).servers[at].handles - running[0].servers[at].handles;
    claim(growth <= 1.25, `${name} grew by ${Math.round((growth - 1) * 100)}%`);
    claim(handles <= 10, `${name} kept ${handles} more handles open`);
    claim(Number.isFinite(handles), `${name} has ended`);
    return `${name}: memory x ${growth.toFixed(2)} from the second to the last quarter, ${handles >= 0 ? '+' : ''}${handles} handles`;
  });
  claim(counts.forbidden() === 0, `${counts.forbidden()} outcomes that must not happen`);
  claim(left.wrong === 0, `${left.wrong} clients without the right answer when all was quiet`);
  claim(left.requests === 0, `${left.requests} requests of nobody under way`);
  const verdict =
    failures.length === 0 ? 'No leak, no wrong answer.' : `FAILED: ${failures.join('; ')}.`;
  return { failures, verdict: [...lines, verdict].join('\n') };
}
