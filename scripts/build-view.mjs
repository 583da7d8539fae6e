import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'rolldown';

const folder = 'src/views/figure';
const styles = ['base.css', 'table.css', 'print.css'];

/**
 * Builds the page that draws figures into one file with script and style, since it must load nothing. It is not
 * bundled with the program, which reads it on demand.
 * @returns the files that it was made of
 */
export async function buildView(outfile) {
  const [page, { output }, ...sheets] = await Promise.all([
    readFile(`${folder}/page.html`, 'utf8'),
    build({
      input: `${folder}/main.ts`,
      platform: 'browser',
      transform: { target: 'es2023' },
      output: { format: 'iife', minify: true, comments: { legal: false } },
      write: false,
    }),
    ...styles.map((sheet) => readFile(`${folder}/${sheet}`, 'utf8')),
  ]);
  const [{ code, moduleIds }] = output;
  // Functions, so that no `$&` of a script is taken for a pattern of String.replace.
  const html = page
    .replace('/* style */', () => sheets.join(''))
    .replace('/* script */', () => code.trim().replaceAll('</script', '<\\/script'));
  await writeFile(outfile, html);
  return moduleIds;
}
