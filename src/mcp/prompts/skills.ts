/** Prompts as skills (SEP-2640), which a host finds and loads without a person picking them. */
import { type Skill, type SkillSource, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import type { Prompt } from './prompts.ts';

/** A skill of one file. The guide has no body: it is written when it is read. */
type SkillFile = Pick<Prompt, 'name' | 'description'> & { body?: string };

const guide: SkillFile = {
  name: 'commerce',
  description:
    'Read this before the first question about the business: its periods, money and ids, the defaults of this account, and the columns of its tables for SQL.',
};

/** The guide and the prompts as skills by address; the first of a name counts. */
export function skillFiles(prompts: readonly Prompt[]): ReadonlyMap<string, SkillFile> {
  const files = new Map<string, SkillFile>();
  for (const file of [guide, ...prompts.map(fileOf)]) {
    const uri = `skill://${file.name}/SKILL.md`;
    if (!files.has(uri)) files.set(uri, file);
  }
  return files;
}

export function skillSource(
  prompts: () => Promise<readonly Prompt[]>,
  writeGuide: (signal: AbortSignal) => Promise<string>,
) {
  const files = async () => skillFiles(await prompts());
  const list = async () => ({ skills: await Promise.all([...(await files())].map(entryOf)) });
  return {
    list,
    get: async (uri) => (await list()).skills.find((skill) => skill.uri === uri),
    async read(uri, { mcpReq }) {
      const file = (await files()).get(uri);
      if (file === undefined) return undefined;
      const body = file.body ?? (await writeGuide(mcpReq.signal));
      return { text: markdownOf(file, body), mimeType: 'text/markdown' };
    },
  } satisfies SkillSource;
}

async function entryOf([uri, file]: [string, SkillFile]): Promise<Skill> {
  const { name, description, body } = file;
  // The guide changes as more is known of the account, so it has no digest.
  if (body === undefined) return { uri, frontmatter: { name, description }, resources: 'dynamic' };
  return skillEntry(name, { 'SKILL.md': markdownOf(file, body) });
}

function markdownOf({ name, description }: SkillFile, body: string): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${body}\n`;
}

/** A prompt as a skill: the model itself fills in its arguments. */
function fileOf({ name, description, arguments: parameters, body }: Prompt): SkillFile {
  const questions = parameters.map((argument) => {
    const alternative = argument.required ? '' : `, else ${argument.default || 'leave it empty'}`;
    return `- {{${argument.name}}}: ${argument.description}; ask for it${alternative}\n`;
  });
  // SEP-2640 limits names to 64 characters and descriptions to 1024.
  const words = name
    .slice(0, 64)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['prompt'];
  const head = { name: words.join('-'), description: [...description].slice(0, 1024).join('') };
  const heading = questions.length > 0 ? 'Put these in where the question says them:\n' : '';
  return { ...head, body: [heading, ...questions, '\n', body].join('') };
}
