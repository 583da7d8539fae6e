// Ways to ask a server many times: `ask(index)` is one call, another one for each index.

/** Milliseconds of each of so many calls, one after the other. */
export async function inTurn(calls, ask) {
  const times = [];
  for (let index = 0; index < calls; index++) {
    const startedMs = performance.now();
    await ask(index);
    times.push(performance.now() - startedMs);
  }
  return times;
}

/** Calls in a second, with `inFlight` of them at any time. */
export async function atOnce(calls, inFlight, ask) {
  const startedMs = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < calls) await ask(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (1000 * calls) / (performance.now() - startedMs);
}

/** Checks that each call asked the platform, since a cached answer is no baseline. */
export async function reaching(platform, calls, run) {
  const before = (await platform.stats()).requests;
  const result = await run();
  const reached = (await platform.stats()).requests - before;
  if (reached < calls) throw new Error(`only ${reached} of ${calls} calls got there`);
  return result;
}
