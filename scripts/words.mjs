// `npm run check:words`: refuses comments in src, bench and scripts with a sentence that begins with a clause or pronoun
// instead of a subject, and names that two files of src export. The sandbox shares no code with the rest and has names of
// its own.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

const clause =
  /(?:^|[.!?] )((?:What|Of|Those|Whoever|Whose|That|Behind|Beside|Be it|Had|But for)\b.{0,60})/g;

/**
 * Sentences that name the comments and exports to rewrite.
 * @param {{ file: string, source: string }[]} files
 */
export function findRefusals(files) {
  const exporters = new Map();
  const comments = files.flatMap(({ file, source }) => {
    const { comments, module } = parseSync(file, source);
    for (const { exportName } of /^src\/(?!sandbox\/)/.test(file) ? exportsOf(module) : [])
      exporters.set(exportName.name, [...(exporters.get(exportName.name) ?? []), file]);
    return textsOf(comments, source).flatMap(({ text, line }) =>
      [...text.matchAll(clause)].map(
        ([, words]) =>
          `${file}:${line} "${words}": begin with the subject that a reader would search for`,
      ),
    );
  });
  const twice = [...exporters]
    .filter(([, places]) => places.length > 1)
    .map(
      ([name, places]) =>
        `${name} is exported by ${places.join(' and ')}: give each a name of its own`,
    );
  return [...comments, ...twice];
}

/** Names that a module declares itself, not those that it passes on. */
function exportsOf({ staticExports }) {
  const entries = staticExports.flatMap((statement) => statement.entries);
  return entries.filter(
    ({ exportName, moduleRequest }) => exportName.kind === 'Name' && !moduleRequest,
  );
}

/** Comments as one line each; line comments that follow one another are one comment. */
function textsOf(comments, source) {
  const texts = [];
  let end = -1;
  for (const comment of comments) {
    const text = comment.value
      .replace(/^[ \t]*\*?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const isNext =
      comment.type === 'Line' && end >= 0 && /^\s*$/.test(source.slice(end, comment.start));
    if (isNext) texts.at(-1).text += ` ${text}`;
    else texts.push({ text, line: source.slice(0, comment.start).split('\n').length });
    end = comment.type === 'Line' ? comment.end : -1;
  }
  return texts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = ['src', 'bench', 'scripts']
    .flatMap((root) => readdirSync(root, { recursive: true }).map((file) => `${root}/${file}`))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.m?[jt]s$/.test(file))
    .map((file) => ({ file, source: readFileSync(file, 'utf8') }));
  const refusals = findRefusals(files);
  for (const refusal of refusals) console.error(refusal);
  if (refusals.length > 0) process.exitCode = 1;
}
