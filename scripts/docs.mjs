// Writes the generated parts of README.md, docs/, manifest.json and server.json from the definitions in src/.
// `--check` writes nothing and fails when they are out of step. `--published` turns every command and entry
// to the form that fetches the package, and says so in package.json (`--unpublished` back again):
// docs/publishing.md says when.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

// The picture of an exchange is text, also where this runs in a terminal.
process.env.NO_COLOR = '1';
// Within the project, so that Node finds the libraries from there.
const folder = await mkdtemp(join('node_modules', '.commerce-mcp-docs-'));
await build({
  stdin: {
    contents: `
      export { endpoints } from './src/endpoints/index.ts';
      export { Catalogue } from './src/mcp/tools/catalogue.ts';
      export { endpointName, toolsets } from './src/endpoints/define.ts';
      export { listSettings, flagOf, httpSettings } from './src/config.ts';
      export { resourceDefinitions } from './src/mcp/resources/definitions.ts';
      export { parsePrompt } from './src/mcp/prompts/prompt-files.ts';
      export const pictures = () => import('./scripts/picture.ts');
      export { clientSections } from './scripts/client-sections.ts';
    `,
    resolveDir: process.cwd(),
    loader: 'ts',
  },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // What asks a server is loaded where something is asked.
  splitting: true,
  // The libraries are taken as they are installed: bundled into one file, theirs would be reordered.
  packages: 'external',
  format: 'esm',
  platform: 'node',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
const {
  endpoints,
  Catalogue,
  endpointName,
  toolsets,
  listSettings,
  flagOf,
  httpSettings,
  resourceDefinitions,
  parsePrompt,
  pictures,
  clientSections,
} = await import(pathToFileURL(join(folder, 'stdin.mjs')));
// Turned are commands and entries; what a server answers stays as it is.
const isTurned = ['--published', '--unpublished'].some((flag) => process.argv.includes(flag));
const exchanges = isTurned ? {} : await drawExchanges();
await rm(folder, { recursive: true });

const asks = new Map(endpoints.map((endpoint) => [endpoint.tool, endpointName(endpoint)]));
const tools = new Catalogue(toolsets)
  .list()
  .map((tool) => ({ ...tool, asks: asks.get(tool.tool) }));
const promptFiles = (await readdir('prompts')).filter((file) => file.endsWith('.md')).sort();
const prompts = await Promise.all(
  promptFiles.map(async (file) => parsePrompt(file, await readFile(join('prompts', file), 'utf8'))),
);

const packageJson = JSON.parse(await readFile('package.json', 'utf8'));
if (process.argv.includes('--published')) packageJson.published = true;
if (process.argv.includes('--unpublished')) packageJson.published = false;
const isPublished = packageJson.published;

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
  settings: [
    '| variable | flag | default | meaning |',
    '|---|---|---|---|',
    ...listSettings().map(({ setting }) => {
      const flag = flagOf(setting);
      const absent = setting.optional ? 'none' : 'required';
      const standard = setting.standard === undefined ? absent : `\`${setting.standard}\``;
      return `| \`${setting.variable}\` | ${flag ? `\`--${flag}\`` : 'none'} | ${standard} | ${cell(setting.about)} |`;
    }),
  ],
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
const documents = (await readdir('docs')).map((file) => join('docs', file));

const stale = [
  await update('package.json', () => `${JSON.stringify(packageJson, null, 2)}\n`),
  ...(await Promise.all(['README.md', ...documents].map((file) => update(file, fillDocument)))),
  await update('manifest.json', fillManifest),
  await update('server.json', fillServer),
].filter((file) => file !== undefined);
if (stale.length > 0 && process.argv.includes('--check')) {
  console.error(`${stale.join(', ')} out of step with src/: run npm run docs`);
  process.exitCode = 1;
}

if (process.argv.length === 2) await import('./screenshot.mjs');

/** Two exchanges with a server, as they come out. */
async function drawExchanges() {
  const { glance, picture, questions } = await pictures();
  return {
    picture: ['```text', ...(await picture(glance)), '```'],
    questions: ['```text', ...(await picture(questions)), '```'],
  };
}

async function update(file, change) {
  const before = await readFile(file, 'utf8');
  const after = change(before);
  if (after === before) return undefined;
  if (!process.argv.includes('--check')) await writeFile(file, after);
  return file;
}

function fillDocument(text) {
  const { clone, fetched } = commands;
  const [from, to] = isPublished ? [clone, fetched] : [fetched, clone];
  return fillSections(text).replace(/^```sh\n[\s\S]*?^```$/gm, (block) =>
    block.replaceAll(from, to),
  );
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
  const toolsets = listSettings().find(({ key }) => key === 'toolsets');
  manifest.user_config.toolsets.default = toolsets.setting.standard;
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
      environmentVariables: listSettings()
        .filter(({ key }) => !(key in httpSettings))
        .map(({ setting: { variable, about, standard, optional, secret = false } }) => ({
          name: variable,
          description: about.replaceAll('`', ''),
          isRequired: standard === undefined && !optional,
          isSecret: secret,
          ...(standard !== undefined && { default: standard }),
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

/** What a tool is; the paragraphs after it say how to write its arguments. */
function paragraph(text) {
  return text.split('\n')[0];
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
