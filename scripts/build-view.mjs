import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'rolldown';

const folder = 'src/views/figure';
const styles = ['base.css', 'table.css', 'print.css'];

/**
 * Puts the page that draws figures into one file, its script and style inside: it runs where nothing
 * can be asked of any address. Not one of the program's chunks: it is read when somebody looks.
 *
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
