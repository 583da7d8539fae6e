import { settingMessages } from '../../src/config/messages.ts';
import { sentencesOf } from './sentences-of.ts';

export const settingSentences = sentencesOf('settings', settingMessages, {
  must_be_one_of: [{ words: ['debug', 'info'] }],
  must_name: [{ kind: 'toolset' }],
  not_of_kind: [
    { given: 'sales', kind: 'toolset' },
    { given: 'a/b', kind: 'host' },
    { given: 'x', kind: 'origin' },
  ],
  in_line: [
    { line: 3, keys: ['accounts', 'utrecht', 'base_url'], cause: '', problem: 'must be https' },
    { line: 1, keys: [], cause: '', problem: 'names no account' },
  ],
  broken_yaml: [{ words: 'Nested mappings are not allowed' }, { line: 4, words: 'A sequence' }],
  must_be: [{ kind: 'record' }],
  not_account_settings: [{ names: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }],
  toolsets_left_out: [{ toolsets: ['orders', 'catalog'] }],
});
