/**
 * The metrics of a server as they are now; reading them begins a new measurement of the event loop.
 * @param {string} url of the protocol's endpoint
 * @param {string} token
 */
export async function readMetrics(url, token) {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(new URL('/metrics', url), { headers });
  if (!reply.ok) throw new Error(`/metrics: ${reply.status}`);
  const lines = (await reply.text()).split('\n');
  return {
    /** The values of a metric together, of those lines alone that carry a label. */
    sum: (name, label = '') =>
      lines
        .filter((line) => line.startsWith(`commerce_mcp_${name}`) && line.includes(label))
        .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0),
  };
}
