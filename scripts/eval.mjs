// `npm run eval`: docs/evaluation.md. Names after it ask some of the questions and keep nothing.
import { importTypeScript } from './import-typescript.mjs';

const { main } = await importTypeScript('eval/main.ts');
process.exitCode = await main({
  env: process.env,
  asked: process.argv.slice(2),
  program: 'dist/cli.js',
  kept: 'bench/evaluation.json',
  print: (line) => console.log(line),
});
