import { connectMessages } from '../../src/cli/commands/connect/messages.ts';
import { usageMessages } from '../../src/cli/messages.ts';
import { sentencesOf } from './sentences-of.ts';

const two = { entries: 'a and b in Cursor and Codex' };

export const cliSentences = [
  ...sentencesOf('usage', usageMessages, {
    not_set_up: [{ problems: ['A is empty.', 'B is empty.'], program: '/a/dist/cli.js' }],
    not_key_value: [
      { given: 'x', names: ['from', 'to'] },
      { given: 'x', names: [] },
    ],
    unknown_account: [{ name: 'gouda', path: 'a.yaml', names: ['utrecht', 'zeist'] }],
  }),
  ...sentencesOf('connect', connectMessages, {
    unknown_client: [
      { name: 'curser', nearest: 'cursor', names: ['cursor', 'codex'] },
      { name: 'x', nearest: undefined, names: ['cursor', 'codex'] },
    ],
    several_entries: [two],
    several_accounts: [two],
  }),
];
