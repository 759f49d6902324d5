// Prints "N passed, N failed" over the Jest reports in a folder; fails when one is missing or red.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const reports = readdirSync(folder).map((name) =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')),
);
const sum = (member) => reports.reduce((total, report) => total + report[member], 0);

// A file that does not load has no tests to count: it counts as one that failed.
const passed = sum('numPassedTests');
const failed = sum('numFailedTests') + sum('numRuntimeErrorTestSuites');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = passed === 0 || failed > 0 ? 1 : 0;
