import { beforeAll, expect, test } from 'vitest';
import { sandboxAt } from '../server-over.ts';
import { folderWith } from '../setup/folder.ts';
import { account, type Sandbox } from '../spawn.ts';
import { runHere } from './run-here.ts';

const head =
  '---\ntitle: Ours <b>{{day}}</b>\ndescription: Of our own\nparameter day = yesterday\n---\n';
const news = (rows: string) =>
  `${head}\`\`\`sql news title="News"\nSELECT 1 AS one ${rows}\n\`\`\`\n`;
const files = {
  quiet: news('WHERE false'),
  loud: news(''),
  half: `${head}# Text\n\`\`\`sql title="None"\nSELECT nope FROM shops\n\`\`\`\n\`\`\`sql title="Some"\nSELECT name FROM shops\n\`\`\`\n`,
  drawn: `${head}<script>alert(1)</script> <https://a.example>\n\n\`\`\`figure title="Drawn" unit=euro\nSELECT name, id * 10 AS euros FROM shops\n\`\`\`\n\`\`\`sql title="Some [odd]: name"\nSELECT '<i>=1+1</i> https://b.example' AS text\n\`\`\`\n`,
};

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  sandbox = await sandboxAt({ now: Date.now, ordersPerDay: 10 });
  const named = Object.entries(files).map(([name, text]) => [`briefs/${name}.md`, text]);
  folder = folderWith(Object.fromEntries(named));
});

const run = (...args: string[]) =>
  runHere(['brief', ...args], { ...account(sandbox), COMMERCE_DEFINITIONS: folder });

test('brief prints Markdown in which names are text, and a figure is a sentence and a table', async () => {
  const { code, stdout, stderr } = await run('drawn', 'day=today');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^# Ours <b>today<\/b>\n\nOf our own\n\n/);
  expect(stdout).toMatch(/### Drawn\n\n.*highest €80\.00.*\n\n\| name \| euros \|/);
  expect(stdout).toContain('### Some \\[odd\\]: name');
  expect(stdout).toContain('| \\<i\\>=1+1\\</i\\> https://b.example |');
});

test('brief without a name lists the briefs, those of the business among ours', async () => {
  const { code, stdout } = await run();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^brief +title\n/);
  expect(stdout).toMatch(/^morning +Morning: how yesterday went$/m);
  expect(stdout).toMatch(/^quiet +Ours <b>yesterday<\/b>$/m);
});

test.each([
  ['quiet', 3, /^$/],
  ['loud', 0, /News/],
  ['half', 1, /### None\n\n> query: There is no column "nope"[\s\S]*### Some\n\n\| name \|/],
])('the brief %s with --if-news ends with %d', async (name, code, says) => {
  expect(await run(name, '--if-news')).toMatchObject({
    code,
    stdout: expect.stringMatching(says),
  });
});

test('a brief without --if-news ends well, and leaves news without rows out', async () => {
  expect(await run('quiet')).toMatchObject({
    code: 0,
    stdout: '# Ours <b>yesterday</b>\n\nOf our own\n',
  });
});

test.each([
  [['evening'], 2, 'There is no brief "evening"'],
  [['quiet', 'dya=today'], 2, 'quiet has no argument "dya". It takes: day.'],
  [['quiet', 'today'], 2, 'today'],
])('brief refuses %j', async (args, code, says) => {
  const ended = await run(...args);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(says);
});

test('doctor answers the briefs of a business, and names blocks that fail by their line', async () => {
  const settings = { ...account(sandbox), COMMERCE_DEFINITIONS: folder };
  const { code, stdout } = await runHere(['doctor'], settings);
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAILED +definitions +\S+half\.md:7: query: There is no column "nope"/);
  expect(stdout).not.toContain('morning.md');
});
