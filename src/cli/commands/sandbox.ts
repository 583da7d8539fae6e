import { type CommandLine, UsageError } from '../command-line.ts';
import { untilAsked } from '../signals.ts';

/** Runs the embedded platform alone and prints how to reach it, until the process is asked to stop. */
export async function sandbox({ values }: CommandLine): Promise<0> {
  const { startSandbox } = await import('../../sandbox/sandbox.ts');
  const { FaultSyntaxError } = await import('../../sandbox/faults/fault.ts');
  const { port, 'orders-per-day': ordersPerDay, days, quota, faults } = values;
  const started = await startSandbox({
    ...(port !== undefined && { port: Number(port) }),
    ...(ordersPerDay !== undefined && { ordersPerDay: Number(ordersPerDay) }),
    ...(days !== undefined && { days: Number(days) }),
    ...(quota !== undefined && { quota: Number(quota) }),
    ...(faults !== undefined && { faults }),
  }).catch((error: unknown) => {
    if (error instanceof FaultSyntaxError) throw new UsageError(`--faults: ${error.message}`);
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      throw new UsageError(`--port ${port} is in use; leave it out for a free one`);
    throw error;
  });
  const { baseUrl, authUrl, clientId, clientSecret, keys } = started;
  // A reader of these lines may already ask it to stop.
  const asked = untilAsked();
  console.log(
    [
      'The embedded platform is running, with invented data. Ctrl+C stops it.',
      '',
      `COMMERCE_BASE_URL=${baseUrl}`,
      `COMMERCE_AUTH_URL=${authUrl}`,
      `COMMERCE_CLIENT_ID=${clientId}`,
      `COMMERCE_CLIENT_SECRET=${clientSecret}`,
      '',
      'This key sees everything. Others see less; each secret goes with its id:',
      ...Object.entries(keys).map(
        ([role, key]) => `  ${role.padEnd(10)} ${key.clientId.padEnd(20)} ${key.clientSecret}`,
      ),
    ].join('\n'),
  );
  await asked;
  await started.close();
  return 0;
}
