// Prints the lines of each room and what a change adds to it: what is not committed, or all since a revision
// (`npm run weight -- HEAD~5`). There is one law, over `src` as a whole.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The lines that `src` has reached: something goes before more comes. */
const most = 36_420;

const [base = 'HEAD'] = process.argv.slice(2);
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' });

const added = new Map(
  git('diff', '--numstat', '--no-renames', base, '--', 'src', 'test')
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([more, less, file]) => [file, more - less]),
);
const untracked = new Set(git('ls-files', '-o', '--exclude-standard', 'src', 'test').split('\n'));

const files = git('ls-files', '-co', '--exclude-standard', 'src', 'test')
  .split('\n')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, lines: linesOf(file) }));

const rooms = files.flatMap(({ file }) => /^src\/\w+(?=\/)/.exec(file) ?? []);
for (const room of [...new Set(rooms), 'src', 'test']) {
  const own = files.filter(({ file }) => file.startsWith(`${room}/`));
  const there = own.filter(({ lines }) => lines > 0);
  const sum = there.reduce((total, { lines }) => total + lines, 0);
  const change = own.reduce((total, it) => total + changeOf(it), 0);
  const isOver = room === 'src' && sum > most;
  if (isOver) process.exitCode = 1;
  const law = room === 'src' ? `, at most ${most}${isOver ? ': OVER' : ''}` : '';
  const sign = change > 0 ? '+' : '';
  const changed = change === 0 ? '' : ` (${sign}${change})`;
  console.log(
    `${room.padEnd(16)}${String(sum).padStart(6)} lines${changed}, ${there.length} files${law}`,
  );
}

function changeOf({ file, lines }) {
  return untracked.has(file) ? lines : (added.get(file) ?? 0);
}

/** None for a file that is deleted and not committed yet. */
function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}
