import { briefMessages } from '../../src/analysis/briefs/brief.ts';
import { accountMessages } from '../../src/mcp/app/accounts.ts';
import { accessMessages } from '../../src/mcp/http/access.ts';
import { tokenMessages } from '../../src/mcp/http/auth/tokens.ts';
import { refusalMessages } from '../../src/mcp/http/refusals.ts';
import { serverMessages } from '../../src/mcp/server/call-tool.ts';
import { sentencesOf } from './sentences-of.ts';

const place = { file: 'briefs/day.md', line: 3 };

export const edgeSentences = [
  ...sentencesOf('briefs', briefMessages, {
    brief_broken: [
      { ...place, problem: 'no_head', given: '' },
      { ...place, problem: 'unknown_head', given: 'titel: Day' },
      { ...place, problem: 'no_parameter', given: '{{week}}' },
      { ...place, problem: 'not_a_pair', given: 'list_orders' },
      { ...place, problem: 'not_closed', given: '' },
      { ...place, problem: 'too_many_blocks', given: '' },
    ],
  }),
  ...sentencesOf('server', serverMessages),
  ...sentencesOf('accounts', accountMessages),
  ...sentencesOf('http', refusalMessages),
  ...sentencesOf('access', accessMessages, {
    open_hosts: [{ hosts: ['mcp.example.com', 'b.example'] }],
  }),
  ...sentencesOf('tokens', tokenMessages, {
    token_entry: [
      { entry: 1, cause: '', problem: 'has a token with spaces or other characters' },
      { entry: 2, name: 'alice', cause: '', problem: 'repeats the token of another entry' },
    ],
    not_a_token_entry: [{ hasAccounts: false }, { hasAccounts: true }],
  }),
];
