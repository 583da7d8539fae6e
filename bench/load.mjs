// `npm run load`: 200 clients at once, each with 20 calls, against the built server over HTTP. Every
// answer is held against what the platform itself says; memory is taken after garbage collection.
import { connect } from './load/clients.mjs';
import { startInspected } from './load/inspected-server.mjs';
import { readQuestions } from './load/questions.mjs';
import { readMetrics } from './load/read-metrics.mjs';
import { quantile } from './measure.mjs';
import { openPlatform } from './open-platform.mjs';
import { ours } from './servers.mjs';

const clients = 200;
/** Each client asks sixteen questions of one call, and two of two calls. */
const singles = 16;
const doubles = 2;
const callsEach = singles + 2 * doubles;
/** Most that memory may differ from what it was, as a share. */
const mayDiffer = 0.2;
const callers = ['ann', 'bob', 'cas', 'dot'];
const tokenOf = (caller) => `a-token-of-${caller}-for-this-run`;

const platform = await openPlatform({});
const server = await startInspected(ours, {
  ...platform.settings,
  COMMERCE_HTTP_TOKENS: callers.map((caller) => `${caller}:${tokenOf(caller)}`).join(';'),
});
try {
  const questions = await readQuestions(platform.account);
  const started = await server.memory();
  // The first round fills what is bounded: caches, kept results, compiled code.
  await round(questions);
  const before = await server.memory();
  const earlier = await readMetrics(server.url, tokenOf('ann'));
  const { times, wrong, tookMs } = await round(questions);
  const metrics = await readMetrics(server.url, tokenOf('ann'));
  const after = await server.memory();
  const answered =
    metrics.sum('calls_total', 'outcome="ok"') - earlier.sum('calls_total', 'outcome="ok"');
  const refused = metrics.sum('refused_total');
  const { requests, refused: limited } = await platform.stats();

  const rows = [
    [
      'calls',
      `${times.length} of ${clients * callsEach} by ${clients} clients in ${seconds(tookMs)}`,
    ],
    ['not right', wrong.length],
    ['answered, as the server counts', answered],
    ['refused by the server, by the platform', `${refused}, ${limited}`],
    [
      'answers kept, before / after',
      `${earlier.sum('kept_results')} / ${metrics.sum('kept_results')}`,
    ],
    ['requests to the platform, both rounds', requests],
    [
      'a call took, p50 / p99 / at most',
      [0.5, 0.99, 1].map((it) => seconds(quantile(times, it))).join(' / '),
    ],
    [
      'memory in use when started / before / after',
      [started, before, after].map((it) => megabytes(it.live)).join(' / '),
    ],
    [
      'resident memory, the same',
      [started, before, after].map((it) => megabytes(it.resident)).join(' / '),
    ],
    [
      'memory after against before',
      `${percent(after.live / before.live - 1)}, resident ${percent(after.resident / before.resident - 1)}`,
    ],
    [
      'event-loop delay, mean / p50 / p99 / at most',
      ['mean', 'p50', 'p99', 'max']
        .map((it) => seconds(1000 * metrics.sum(`nodejs_eventloop_lag_${it}_seconds`)))
        .join(' / '),
    ],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(46)}${value}`);
  for (const reason of wrong.slice(0, 10)) console.log(`not right: ${reason}`);
  const isFine =
    wrong.length === 0 &&
    times.length === clients * callsEach &&
    answered === times.length &&
    refused + limited === 0 &&
    Math.abs(after.live / before.live - 1) <= mayDiffer &&
    Math.abs(after.resident / before.resident - 1) <= mayDiffer;
  console.log(isFine ? 'as it should be' : 'NOT as it should be');
  process.exitCode = isFine ? 0 : 1;
} finally {
  await server.close();
  await platform.close();
}

/** All clients at once, from their first handshake to their last answer. */
async function round(questions) {
  const times = [];
  const wrong = [];
  const startedMs = performance.now();
  const one = (index) =>
    run(index, questions, { times, wrong }).catch((error) => wrong.push(error.message));
  await Promise.all(Array.from({ length: clients }, (_, index) => one(index)));
  return { times, wrong, tookMs: performance.now() - startedMs };
}

async function run(index, questions, { times, wrong }) {
  const client = await connect(index, server.url, tokenOf(callers[index % callers.length]));
  const call = async (tool, input) => {
    const startedMs = performance.now();
    const answer = await client.call(tool, input);
    times.push(performance.now() - startedMs);
    return answer;
  };
  for (const question of planOf(index, questions)) {
    const outcome = await question.isRight(call).catch((error) => error.message);
    if (outcome !== true)
      wrong.push(outcome || `${question.tool}: another answer than the platform's`);
  }
  await client.close();
}

/** What a client asks: something else than its neighbours at every step. */
function planOf(index, { single, double }) {
  const plan = Array.from({ length: singles }, (_, step) => at(single, index * 7 + step * 5));
  for (let step = 0; step < doubles; step++)
    plan.splice((index + step * 8) % singles, 0, at(double, index + step));
  return plan;
}

function at(list, place) {
  return list[place % list.length];
}

function seconds(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function megabytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function percent(share) {
  return `${share < 0 ? '' : '+'}${(100 * share).toFixed(1)}%`;
}
