import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const folder = 'src/views/figure';

/**
 * Puts the page that draws figures into one file, its script and style inside: it runs where nothing
 * can be asked of any address. Not one of the program's chunks: it is read when somebody looks.
 *
 * @returns the files that it was made of
 */
export async function buildView(outfile) {
  const [page, script, style] = await Promise.all([
    readFile(`${folder}/page.html`, 'utf8'),
    bundle(`${folder}/main.ts`),
    bundle(`${folder}/style.css`),
  ]);
  // Functions, so that no `$&` of a script is taken for a pattern of String.replace.
  const html = page
    .replace('/* style */', () => style.text)
    .replace('/* script */', () => script.text.replaceAll('</script', '<\\/script'));
  await writeFile(outfile, html);
  return [...script.inputs, ...style.inputs];
}

async function bundle(entry) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    metafile: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return { text: outputFiles[0].text.trim(), inputs: Object.keys(metafile.inputs) };
}
