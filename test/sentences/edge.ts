import { briefMessages } from '../../src/analysis/briefs/brief.ts';
import { accountMessages } from '../../src/mcp/app/accounts.ts';
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
];
