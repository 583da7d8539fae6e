import { messagesOf } from '../../../core/message.ts';
import { ownCommand } from '../../program.ts';

export const connectMessages = messagesOf({
  unknown_client: ({ name, nearest, names }: UnknownClient) =>
    `There is no client ${name}.${nearest ? ` Did you mean ${nearest}?` : ` The clients are: ${names.join(', ')}.`}`,
  two_clients:
    'claude may be claude-desktop (the app) or claude-code (the command line): give one.',
  client_starts_nothing:
    'ChatGPT starts no programs on your machine: it takes a server that runs over HTTP with OAuth (docs/http.md). Add its public address, such as https://mcp.example.com/mcp, as a connector in ChatGPT. Codex does start programs: connect codex.',
  unreadable_entries: ({ path, line, fault = '', key, repeated }: UnreadableEntries) => {
    const where = line === undefined ? '' : `line ${line}: `;
    const wrong = key === undefined ? where + fault : `"${key}" holds no entries by name`;
    const problem = repeated === undefined ? wrong : `${repeated} occurs in it twice`;
    return `${path} was not changed: ${problem}. Correct it, or add the entry that --print shows by hand.`;
  },
  several_entries: ({ entries }: { entries: string }) =>
    `there are several entries: ${entries}. Name one with --name.`,
  several_accounts: ({ entries }: { entries: string }) =>
    `Several accounts are connected: ${entries}. Set the variables of the one that is meant, COMMERCE_BASE_URL and so on.`,
  client_not_found: ({ id, title, path }: { id: string; title: string; path: string }) =>
    `${title} was not found here: neither ${path} nor its folder exists. Start it once; or --print shows its entry: ${ownCommand()} connect ${id} --print`,
  stopped: 'stopped; nothing was written',
  nobody_for_token: ({ variable }: { variable: string }) =>
    `no person is here to ask for the token: set ${variable}`,
  nobody_to_agree: 'no person is here to agree: add --yes, or --print to only see the entry',
  broken_client: ({ title }: { title: string }) => `${title}: its configuration is broken.`,
  client_not_connected: ({ title, id }: { title: string; id: string }) =>
    `${title} does not start this server yet: ${ownCommand()} connect ${id}`,
  bad_url: ({ problem }: { problem: string }) => `--url ${problem}`,
  bad_entry_name: '--name takes up to 40 letters, digits, - and _, such as commerce-haarlem',
});

interface UnknownClient {
  name: string;
  nearest: string | undefined;
  names: readonly string[];
}

/** A fault of a configuration: its syntax, a key without entries, or a repeated key. */
export interface WrongEntries {
  line?: number;
  fault?: string;
  key?: string;
  repeated?: string;
}

type UnreadableEntries = WrongEntries & { path: string };
