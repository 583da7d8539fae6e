import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { speakFor } from '../../src/analysis/shape/roles.ts';
import { analysisTools } from '../../src/analysis/tools.ts';
import { sentencesFor } from '../../src/core/text.ts';
import guide from '../../src/mcp/resources/guide.txt';
import { hinted } from '../query-engine.ts';
import { describedAs, sharedServer } from '../server-over.ts';

const files = ['README.md', ...readdirSync('docs').map((file) => `docs/${file}`)];
/** As an account reads it of which nothing is known. */
const speakInGeneral = speakFor(() => ({}));
const quoted = (description: string) => description.replace(/^(SELECT|FROM) .*$/gm, '`$&`');
const texts: [where: string, text: string][] = [
  ...files
    .filter((file) => file.endsWith('.md'))
    .map((file): [string, string] => [file, readFileSync(file, 'utf8')]),
  ['the guide', guide],
  ...analysisTools.map(({ tool, description }): [string, string] => [
    tool,
    quoted(speakInGeneral(sentencesFor(description, () => true))),
  ]),
];

/** The statements of a text: in quotes of a shell, in backticks, and as the demo prints its own. */
function statementsIn(text: string): string[] {
  const found = [
    ...text.matchAll(/"(?:sql=)?((?:SELECT|FROM|WITH) [^"]*)"/g),
    ...text.matchAll(/`((?:SELECT|WITH) [^`]* FROM [^`]*|FROM \w+\([^`]*)`/g),
    ...text.matchAll(/^ {2}calls query sql=(.*?)\n {2}query: /gms),
  ];
  // What stands for something else is no statement: `result('r_...')`, `name = '...'`.
  return found.map(([, sql = '']) => sql).filter((sql) => !/\.\.\.|<|…/.test(sql));
}

/** Each once, with the last text that has it. */
const statements = [
  ...new Map(texts.flatMap(([where, text]) => statementsIn(text).map((sql) => [sql, where]))),
];

test('statements are found in each kind of text', () => {
  const places = statements.map(([, where]) => where);
  expect(places).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/definitions.md',
      'the guide',
      'query',
      'show_figure',
    ]),
  );
});

describe.each(describedAs)(
  'the statements of the documentation, where openapi.json is %s,',
  (description) => {
    const { ask } = sharedServer({
      description,
      settings: { COMMERCE_DEFINITIONS: 'definitions' },
    });

    beforeEach(() => {
      hinted.length = 0;
    });

    test.each(statements)(
      'the statement runs, and misleads about nothing: %s (%s)',
      async (sql) => {
        const { isError, text } = await ask('query', { sql });
        expect(isError, text).toBe(false);
        expect(hinted).toEqual([]);
      },
    );
  },
);
