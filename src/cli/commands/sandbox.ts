import { once } from 'node:events';
import { nearest } from '../../core/nearest.ts';
import { endpoints } from '../../endpoints/index.ts';
import { type Fault, FaultSyntaxError, parseFaults, strikes } from '../../sandbox/http/fault.ts';
import { descriptions, startSandbox } from '../../sandbox/sandbox.ts';
import { type CommandLine, UsageError } from '../command-line.ts';
import { usageMessages } from '../messages.ts';
import { stopSignal } from '../program.ts';

/** Runs the embedded platform alone and prints how to reach it, until the process is asked to stop. */
export async function sandbox({ flags }: CommandLine): Promise<0> {
  const { port, 'orders-per-day': ordersPerDay, days, quota, faults } = flags;
  const numbers = Object.entries({ port, ordersPerDay, days, quota });
  const options = numbers.flatMap(([name, text]) => (text ? [[name, Number(text)]] : []));
  const started = await startSandbox({
    ...Object.fromEntries(options),
    ...(faults !== undefined && { faults: readFaults(faults) }),
    description: descriptions.find((it) => it === flags.description),
  });
  const { baseUrl, authUrl, clientId, clientSecret, keys } = started;
  // A reader of these lines may already ask it to stop.
  const stopping = stopSignal();
  const others = Object.entries(keys).map(
    ([role, key]) => `  ${role.padEnd(10)} ${key.clientId.padEnd(20)} ${key.clientSecret}`,
  );
  console.log(`The embedded platform is running, with invented data. Ctrl+C stops it.

COMMERCE_BASE_URL=${baseUrl}
COMMERCE_AUTH_URL=${authUrl}
COMMERCE_CLIENT_ID=${clientId}
COMMERCE_CLIENT_SECRET=${clientSecret}

This key sees everything. Others see less; each secret goes with its id:
${others.join('\n')}`);
  await once(stopping, 'abort');
  await started.close();
  return 0;
}

/** Every address that a fault may strike, with the id 1. */
const addresses = [
  '/.well-known/oauth-authorization-server',
  '/oauth/token',
  '/openapi.json',
  ...endpoints.map(({ path }) => path.replace(/\{\w+\}/, '1')),
];

function readFaults(text: string): Fault[] {
  try {
    const faults = parseFaults(text);
    if (faults.length === 0) throw new FaultSyntaxError('it names none, such as 502:every=5.');
    for (const { kind, value, path = '*', times, every } of faults) {
      const isNever = times === 0 || every === 0;
      if (!isNever && addresses.some((it) => strikes(path.replace(/\/\d+/, '/1'), it))) continue;
      const fault = kind === 'status' ? value : kind;
      const meant = nearest(path, addresses);
      throw new UsageError(
        usageMessages.fault_strikes_nothing({ fault: String(fault), path, meant }),
      );
    }
    return faults;
  } catch (error) {
    if (error instanceof FaultSyntaxError)
      throw new UsageError(usageMessages.bad_faults({ words: error.message }));
    throw error;
  }
}
