// Prints the lines of each room against its bound and fails above one: a part of `npm run check`.
// A bound is a ratchet: it is lowered with each room that gets lighter, towards the aim, and raised only in the
// commit that says what the new weight is for.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const rooms = [
  { room: 'core + config', folders: ['src/core/', 'src/config'], bound: 1170, aim: 1150 },
  { room: 'endpoints', folders: ['src/endpoints/'], bound: 1000, aim: 1000 },
  { room: 'client', folders: ['src/client/'], bound: 2450, aim: 2500 },
  { room: 'analysis', folders: ['src/analysis/'], bound: 5320, aim: 4900 },
  { room: 'query', folders: ['src/query/'], bound: 2580, aim: 2000 },
  { room: 'lines', folders: ['src/lines/'], bound: 650, aim: 650 },
  { room: 'mcp', folders: ['src/mcp/'], bound: 3825, aim: 3900 },
  { room: 'cli', folders: ['src/cli/'], bound: 3015, aim: 2900 },
  { room: 'views', folders: ['src/views/'], bound: 700, aim: 750 },
  { room: 'sandbox', folders: ['src/sandbox/'], bound: 3740, aim: 3800 },
  { room: 'src', folders: ['src/'], bound: 24_400, aim: 22_900, files: 260 },
  { room: 'test', folders: ['test/'], bound: 21_700, aim: 20_500, files: 220 },
];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'test'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, lines: linesOf(file) }))
  .filter(({ lines }) => lines !== undefined);

let isOver = false;
for (const { room, folders, bound, aim, files: mostFiles = Infinity } of rooms) {
  const own = files.filter(({ file }) => folders.some((folder) => file.startsWith(folder)));
  const lines = own.reduce((sum, file) => sum + file.lines, 0);
  const tooHeavy = lines > bound || own.length > mostFiles;
  isOver ||= tooHeavy;
  const figures = [lines, bound, aim].map((figure) => String(figure).padStart(6));
  const [is, most, wanted] = figures;
  console.log(
    `${room.padEnd(14)}${is} lines, at most ${most}, aim ${wanted}; ${own.length} files${tooHeavy ? '  OVER' : ''}`,
  );
}
process.exitCode = isOver ? 1 : 0;

/** Undefined for a file that is deleted and not committed yet. */
function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return undefined;
  }
}
