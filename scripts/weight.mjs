// Prints the lines of each room beside what it should weigh. Rooms are advice; as a part of `npm run check` it fails
// only when `src` as a whole is more than a tenth over its aim.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const rooms = [
  { room: 'core + config', folders: ['src/core/', 'src/config/'], aim: 1250 },
  { room: 'endpoints', folders: ['src/endpoints/'], aim: 1040 },
  { room: 'client', folders: ['src/client/'], aim: 2450 },
  { room: 'analysis', folders: ['src/analysis/'], aim: 5900 },
  { room: 'query', folders: ['src/query/'], aim: 2450 },
  { room: 'lines', folders: ['src/lines/'], aim: 600 },
  { room: 'mcp', folders: ['src/mcp/'], aim: 4250 },
  { room: 'cli', folders: ['src/cli/'], aim: 3100 },
  { room: 'views', folders: ['src/views/'], aim: 720 },
  { room: 'sandbox', folders: ['src/sandbox/'], aim: 3800 },
  { room: 'src', folders: ['src/'], aim: 27_500, atMost: 30_250 },
  { room: 'test', folders: ['test/'], aim: 23_000 },
];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'test'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, lines: linesOf(file) }))
  .filter(({ lines }) => lines !== undefined);

for (const { room, folders, aim, atMost = Infinity } of rooms) {
  const own = files.filter(({ file }) => folders.some((folder) => file.startsWith(folder)));
  const lines = own.reduce((sum, file) => sum + file.lines, 0);
  const isOver = lines > atMost;
  if (isOver) process.exitCode = 1;
  const [is, wanted] = [lines, aim].map((figure) => String(figure).padStart(6));
  console.log(
    `${room.padEnd(14)}${is} lines, aim ${wanted}; ${own.length} files${isOver ? `  OVER ${atMost}` : ''}`,
  );
}

/** Undefined for a file that is deleted and not committed yet. */
function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return undefined;
  }
}
