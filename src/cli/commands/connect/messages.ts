/** Texts while a client is connected to this server, or no longer: refusals, questions, and what is written. */
import type { SettingProblem } from '../../../config/values.ts';
import { messagesOf } from '../../../core/message.ts';
import { ownCommand } from '../../program.ts';

const list = new Intl.ListFormat('en');

/** Such as `commerce in Cursor and Codex`. */
export function titleOf({ names, titles }: EntryNames): string {
  return `${list.format(names)} in ${list.format(titles)}`;
}

declare module '../../../core/message.ts' {
  interface Rooms {
    connect: typeof connectMessages;
  }
}

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
    const what = repeated === undefined ? wrong : `"${repeated}" stands in it twice`;
    return `${path} was left as it is: ${what}. Put it right, or add the entry that --print shows by hand.`;
  },
  several_entries: (entries: EntryNames) =>
    `there are several entries: ${titleOf(entries)}. Name one with --name.`,
  several_accounts: (entries: EntryNames) =>
    `Several accounts are connected: ${titleOf(entries)}. Set the variables of the one that is meant, COMMERCE_BASE_URL and so on.`,
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

/** Questions and notes: they have no code. */
export const connectTexts = {
  with_account: (entries: EntryNames) => `With the account of ${titleOf(entries)}.`,
  how_to_connect: () =>
    `Connect one:      ${ownCommand()} connect cursor
Only look at it:  ${ownCommand()} connect cursor --sandbox --print`,
  connector_steps: ({ title, url }: { title: string; url: string }) =>
    `${title} takes a server over HTTP as a connector of your account. In ${title}:
  1. Open Settings, Connectors, Add custom connector.
  2. Name it Commerce, and give this address:
       ${url}
  3. Choose Add, then Connect, and sign in.
It is reached from the internet: the address has to be public, and the server has to
use OAuth (docs/http.md). Nothing was written.`,
  four_values: () =>
    "The four values belong to an API key, which an administrator of your account creates in the platform's app: the key has a client id and a client secret, and the administrator knows the address of the API and that of the account's own authorization server.",
  ask_for_value: ({ about, offered, sample }: ValueQuestion) =>
    sample === undefined
      ? `${about}, which stays hidden here${offered && ' [Enter: as it is]'}: `
      : `${about}, such as ${sample}${offered && ` [${offered}]`}: `,
  ask_for_token: () => 'Token of that server, which stays hidden here (Enter: it takes none): ',
  ask_for_secret: () => 'Client secret once more (Enter stops): ',
  ask_to_write: () => 'Write this? [y/N] ',
  value_needed: () => '  A value is needed here; Ctrl+C stops.',
  not_copied_alone: () =>
    '  It has quotation marks, brackets or spaces, which count as part of it: was it copied whole, and alone?',
  wrong_value: ({ value, problem }: { value: string; problem: SettingProblem }) =>
    `  ${value} ${problem.text}.`,
  value_taken: ({ value }: { value: string }) => `  ${value}`,
  gets: ({ path }: { path: string }) => `${path} gets:`,
  loses: ({ path }: { path: string }) => `${path} loses:`,
  nothing_written: () => 'Nothing was written.',
  as_it_was: ({ path }: { path: string }) => `As it was: ${path}`,
  entry_belongs: ({ path, ...place }: { path: string } & Place) =>
    `This belongs into ${path}.${sayPlace(place)}`,
  entry_to_add: ({ path, ...place }: { path: string } & Place) =>
    `Nothing was written to ${path}: put these lines into it.${sayPlace(place)}`,
  entry_present: ({ title, name }: { title: string; name: string }) =>
    `${title} has this entry already: ${name}.`,
  entry_written: ({ title, name, ...place }: { title: string; name: string } & Place) =>
    `${title} knows ${name} now.${sayPlace(place)}\n`,
  next_step: ({ hasPassed, next }: { hasPassed: boolean; next: string }) =>
    `${hasPassed ? 'Next' : 'Put right what failed, then'}: ${next}`,
  then_ask: () => `Then ask, in your own words:
  What was yesterday's turnover, per shop, against a week earlier?
  Which orders of the last seven days are not paid yet?`,
  no_entry: ({ title, name }: { title: string; name: string }) => `${title} has no entry ${name}.`,
  entry_to_remove: ({ path, key }: { path: string; key: string }) =>
    `Nothing was written: take ${key} out of ${path} by hand.`,
  entry_removed: ({ title, name }: { title: string; name: string }) =>
    `${title} no longer knows ${name}.`,
  secret_removed: ({ path }: { path: string }) => `Its secret is gone too: ${path}`,
  entry_left: ({ name, id }: { name: string; id: string }) =>
    `${name} is still there: ${ownCommand()} disconnect ${id} --name ${name}`,
};

/** The names of entries, and the titles of their clients. */
export interface EntryNames {
  names: readonly string[];
  titles: readonly string[];
}

interface UnknownClient {
  name: string;
  nearest: string | undefined;
  names: readonly string[];
}

/** What is wrong with a configuration: its text, the key that holds no entries, or one that stands twice. */
export interface WrongEntries {
  line?: number;
  fault?: string;
  key?: string;
  repeated?: string;
}

type UnreadableEntries = WrongEntries & { path: string };

interface ValueQuestion {
  about: string;
  offered: string;
  sample: string | undefined;
}

/** Where the secret of an entry is kept, or from which variable its token is taken. */
interface Place {
  secretFile: string | undefined;
  tokenVariable: string | undefined;
}

function sayPlace({ secretFile, tokenVariable }: Place): string {
  if (secretFile) return ` The secret's file is ${secretFile}, for your eyes only.`;
  return tokenVariable ? ` The token is taken from the variable ${tokenVariable}.` : '';
}
