import { expect, test } from 'vitest';
import { answerSentences } from './answers.ts';
import { argumentSentences } from './arguments.ts';
import { cliSentences } from './cli.ts';
import { clientSentences } from './client.ts';
import { coreSentences } from './core.ts';
import { edgeSentences } from './edge.ts';
import { endpointSentences } from './endpoint.ts';
import { referenceSentences } from './reference.ts';
import { settingSentences } from './settings.ts';
import { statementSentences } from './statements.ts';
import { turnoverSentences } from './turnover.ts';

const lines = [
  ...coreSentences,
  ...edgeSentences,
  ...cliSentences,
  ...settingSentences,
  ...statementSentences,
  ...turnoverSentences,
  ...clientSentences,
  ...answerSentences,
  ...argumentSentences,
  ...endpointSentences,
  ...referenceSentences,
];

test('every sentence with a code needs no sample, or has one', () => {
  expect(lines.filter((line) => /undefined|NaN|\[object/.test(line))).toEqual([]);
});

test('sentences.txt holds every sentence with a code, a line each', async () => {
  await expect(`${lines.join('\n').trim()}\n`).toMatchFileSnapshot('../sentences.txt');
});
