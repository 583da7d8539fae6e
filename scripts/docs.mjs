// Writes the generated parts of README.md, docs/, manifest.json and server.json from the definitions in src/.
// `--check` writes nothing and fails when they are out of step. `--published` turns every command and entry
// to the form that fetches the package, and says so in package.json (`--unpublished` back again):
// docs/publishing.md says when.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importTypeScript } from './import-typescript.mjs';

// Exchanges are text, also where this runs in a terminal.
process.env.NO_COLOR = '1';
const {
  endpoints,
  Catalogue,
  endpointName,
  settings,
  resourceDefinitions,
  parsePrompt,
  pictures,
  clientSections,
} = await importTypeScript('scripts/docs-sources.ts');
// Turned are commands and entries; what a server answers stays as it is.
const isTurned = ['--published', '--unpublished'].some((flag) => process.argv.includes(flag));
const { conversation, ...exchanges } = isTurned ? {} : await (await pictures()).drawExchanges();

const asks = new Map(endpoints.map((endpoint) => [endpoint.tool, endpointName(endpoint)]));
const tools = new Catalogue().list().map((tool) => ({ ...tool, asks: asks.get(tool.tool) }));
const promptFiles = (await readdir('prompts')).filter((file) => file.endsWith('.md')).sort();
const prompts = await Promise.all(
  promptFiles.map(async (file) => parsePrompt(file, await readFile(join('prompts', file), 'utf8'))),
);

const packageJson = JSON.parse(await readFile('package.json', 'utf8'));
if (process.argv.includes('--published')) packageJson.published = true;
if (process.argv.includes('--unpublished')) packageJson.published = false;
const isPublished = packageJson.published;

const settingTable = (shown) => [
  '| variable | flag | default | meaning |',
  '|---|---|---|---|',
  ...shown.map(({ variable, flag, fileVariable, about, default: unset, optional }) => {
    const absent = optional ? 'none' : 'required';
    const value = unset === undefined ? absent : `\`${unset}\``;
    const file = fileVariable ? ` (or \`${fileVariable}\`, a file that holds it)` : '';
    return `| \`${variable}\` | ${flag ? `\`--${flag}\`` : 'none'} | ${value} | ${cell(about)}${file} |`;
  }),
];

/** Settings that the README shows. */
const mainSettings = ['toolsets', 'definitions', 'keepDir', 'filesDir'];

const sections = {
  ...exchanges,
  tools: [
    '| tool | toolset | what it answers |',
    '|---|---|---|',
    ...tools.map(
      ({ tool, toolset, asks, description }) =>
        `| \`${tool}\` | ${toolset} | ${asks ? `\`${asks}\`. ` : ''}${cell(paragraph(description))} |`,
    ),
  ],
  toolsets: [...new Set(tools.map(({ toolset }) => toolset))].flatMap((toolset) => {
    const members = tools.filter((tool) => tool.toolset === toolset);
    const own = members.filter(({ asks }) => !asks);
    if (own.length > 0)
      return [
        `- **${toolset}**, our own:`,
        ...own.map(({ tool, description }) => `  - \`${tool}\`: ${paragraph(description)}`),
      ];
    return [`- **${toolset}**: ${members.map(({ tool }) => `\`${tool}\``).join(', ')}`];
  }),
  settings: settingTable(settings),
  'main-settings': settingTable(
    settings.filter(({ key, group }) => group === 'account' || mainSettings.includes(key)),
  ),
  resources: [
    '| resource | toolset | what it holds |',
    '|---|---|---|',
    ...resourceDefinitions.map(
      ({ uri, toolset, description }) =>
        `| \`${uri}\` | ${toolset ?? 'any'} | ${cell(description)} |`,
    ),
  ],
  prompts: [
    '| prompt | what it does |',
    '|---|---|',
    ...prompts.map(({ name, description }) => `| \`${name}\` | ${cell(description)} |`),
  ],
  ...clientSections(isPublished ? packageJson.name : undefined),
};

/** How a command of ours begins: from a clone, and once the package is its owner's. */
const commands = { clone: 'node dist/cli.js', fetched: `npx -y ${packageJson.name}` };
const documents = (await readdir('docs'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => join('docs', file));

const stale = [
  await update('package.json', () => `${JSON.stringify(packageJson, null, 2)}\n`),
  ...(await Promise.all(['README.md', ...documents].map((file) => update(file, fillDocument)))),
  await update('manifest.json', fillManifest),
  await update('server.json', fillServer),
  conversation && (await update('docs/conversation.svg', () => conversation)),
].filter((file) => file !== undefined);
if (stale.length > 0 && process.argv.includes('--check')) {
  console.error(`${stale.join(', ')} out of step with src/: run npm run docs`);
  process.exitCode = 1;
}

async function update(file, change) {
  const before = await readFile(file, 'utf8').catch(() => '');
  const after = change(before);
  if (after === before) return undefined;
  if (!process.argv.includes('--check')) await writeFile(file, after);
  return file;
}

function fillDocument(text) {
  const { clone, fetched } = commands;
  const [from, to] = isPublished ? [clone, fetched] : [fetched, clone];
  const code = /^```sh\n[\s\S]*?^```$|`(?:node|npx) [^`\n]*`/gm;
  return fillSections(text).replace(code, (block) => block.replaceAll(from, to));
}

function fillSections(text) {
  return Object.entries(sections).reduce((filled, [name, lines]) => {
    const begin = `<!-- ${name}: generated by npm run docs -->`;
    const end = `<!-- /${name} -->`;
    if (!filled.includes(begin)) return filled;
    const [before, rest] = split(filled, begin);
    const [, after] = split(rest, end);
    return `${before}${begin}\n${lines.join('\n')}\n${end}${after}`;
  }, text);
}

function fillManifest(text) {
  const manifest = JSON.parse(text);
  manifest.version = packageJson.version;
  manifest.description = packageJson.description;
  const toolsets = settings.find(({ key }) => key === 'toolsets');
  manifest.user_config.toolsets.default = toolsets.default;
  for (const { group, variable, about } of settings)
    if (group === 'account')
      manifest.user_config[variable.replace('COMMERCE_', '').toLowerCase()].title = about;
  manifest.tools = tools.map(({ tool, description }) => ({ name: tool, description }));
  manifest.prompts = prompts.map(({ name, description, arguments: taken, body }) => ({
    name,
    description,
    arguments: taken.map((argument) => argument.name),
    text: body.replace(/\{\{\s*(\w+)\s*\}\}/g, `\${arguments.$1}`),
  }));
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The entry of the MCP Registry: once it is published, the npm package and the settings that stdio reads. */
function fillServer(text) {
  const { name, version, mcpName } = packageJson;
  const server = JSON.parse(text);
  server.name = mcpName;
  server.version = version;
  delete server.packages;
  if (!isPublished) return `${JSON.stringify(server, null, 2)}\n`;
  server.packages = [
    {
      registryType: 'npm',
      identifier: name,
      version,
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      environmentVariables: settings
        .filter(({ group }) => group !== 'http')
        .map(({ variable, flag, about, default: unset, optional }) => ({
          name: variable,
          description: about.replaceAll('`', ''),
          isRequired: unset === undefined && !optional,
          isSecret: flag === undefined,
          ...(unset !== undefined && { default: unset }),
        })),
    },
  ];
  return `${JSON.stringify(server, null, 2)}\n`;
}

function split(text, at) {
  const index = text.indexOf(at);
  if (index < 0) throw new Error(`${at} is missing`);
  return [text.slice(0, index), text.slice(index + at.length)];
}

/** The first paragraph of a description; later ones explain the arguments. */
function paragraph(text) {
  return text.split('\n')[0];
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
