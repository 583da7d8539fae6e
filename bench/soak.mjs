// `npm run soak [-- MINUTES [faults|attackers]]`: how servers bear a platform that fails and callers
// that mean harm, one soak after the other unless one is named.
import { availableParallelism } from 'node:os';
import { amongAttackers } from './soak/among-attackers.mjs';
import { amongFaults } from './soak/among-faults.mjs';

const soaks = { faults: amongFaults, attackers: amongAttackers };
const [given = '10', ...names] = process.argv.slice(2);
const minutes = Number(given);
if (!(minutes > 0) || !names.every((name) => Object.hasOwn(soaks, name))) {
  console.error('npm run soak -- MINUTES [faults|attackers]: a number above 0, 10 when left out');
  process.exit(2);
}

console.log(`${process.version}, ${availableParallelism()} cores, ${minutes} minutes each`);
for (const name of names.length > 0 ? names : Object.keys(soaks)) {
  const failures = await soaks[name](minutes);
  if (failures.length > 0) process.exitCode = 1;
}
