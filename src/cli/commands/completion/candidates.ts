import { periodWords } from '../../../core/period-words.ts';
import { toolsets } from '../../../endpoints/define.ts';
import { Catalogue } from '../../../mcp/tools/catalogue.ts';
import type { PropertySchema } from '../../../mcp/tools/json-schema.ts';
import { listClients } from '../connect/clients.ts';
import { namesFor } from './names.ts';
import { shells } from './scripts.ts';

/** What of a command can be completed. */
export interface Completed {
  flags: Readonly<Record<string, { type: string }>>;
}

/** What the words are completed from. */
export interface CompletionSources {
  commands: Readonly<Record<string, Completed>>;
  env: Readonly<Record<string, string | undefined>>;
}

/** The words that may stand where the last of `words` stands, of which a beginning may be typed already. */
export async function candidates(
  words: readonly string[],
  { commands, env }: CompletionSources,
): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const [command, first, ...rest] = before;
  const starting = (options: Iterable<string>) =>
    [...options].filter((option) => option.toLowerCase().startsWith(typed.toLowerCase()));
  if (command === undefined) return starting(Object.keys(commands));
  const known = commands[command];
  if (known === undefined) return [];
  if (typed.startsWith('-')) return starting(flagsOf(known).filter((it) => !before.includes(it)));
  const isFirst = first === undefined || first.startsWith('-');
  if (command === 'connect' || command === 'disconnect')
    return isFirst ? starting(listClients().map(({ id }) => id)) : [];
  if (command === 'completion') return isFirst ? starting(shells) : [];
  if (command !== 'call' && command !== 'tools') return [];
  const catalogue = new Catalogue({ toolsets });
  if (isFirst) return starting(catalogue.list().map(({ tool }) => tool));
  const properties = catalogue.find(first)?.inputSchema.properties ?? {};
  const [, name, value] = /^(\w+)=(.*)$/.exec(typed) ?? [];
  if (command === 'tools') return [];
  if (name === undefined)
    return starting(
      Object.keys(properties)
        .filter((key) => !rest.some((word) => word.startsWith(`${key}=`)))
        .map((key) => `${key}=`),
    );
  const isSandbox = words.includes('--sandbox');
  const values = await valuesOf(name, properties[name], { isSandbox, env });
  return values
    .filter((it) => it.toLowerCase().startsWith((value ?? '').toLowerCase()))
    .map((it) => `${name}=${it}`);
}

function flagsOf({ flags }: Completed): string[] {
  return [...Object.keys(flags), 'sandbox', 'help'].map((flag) => `--${flag}`);
}

async function valuesOf(
  name: string,
  schema: PropertySchema | undefined,
  asked: { isSandbox: boolean; env: CompletionSources['env'] },
): Promise<readonly string[]> {
  if (schema === undefined) return [];
  const words = schema.enum ?? schema.items?.enum;
  if (words) return words;
  if (schema.type === 'boolean') return ['true', 'false'];
  if (name === 'period') return periodWords;
  if (/^(date|from|to|since|against_from|against_to)$/.test(name)) return ['today', 'yesterday'];
  return namesFor(name, asked);
}
