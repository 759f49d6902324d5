// `count.mjs FOLDER FAILED_STEP…` prints what failed in the Jest reports of a folder, the steps that failed, and
// "N passed, N failed" as the last line. It fails when a step has failed, and when the reports have a failed test or none.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Failures that are printed: a record of the end of a run must have room for them. */
const MAX_FAILURES = 30;
const MAX_LINES = 6;

const [folder, ...failedSteps] = process.argv.slice(2);
const reports = readdirSync(folder).map((name) =>
  JSON.parse(readFileSync(join(folder, name), 'utf8')),
);
const sum = (member) => reports.reduce((total, report) => total + report[member], 0);

/** The failed tests of a file, each with its message; the file itself if it did not load. */
function failuresOf({ name, message, status, assertionResults }) {
  const failed = assertionResults.filter((result) => result.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [{ name, test: '', message }] : [];
  return failed.map(({ fullName, failureMessages }) => {
    return { name, test: fullName, message: failureMessages.join('\n') };
  });
}

const failures = reports.flatMap(({ testResults }) => testResults.flatMap(failuresOf));
for (const { name, test, message } of failures.slice(0, MAX_FAILURES)) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '');
  console.log(`FAILED: ${relative('.', name)}: ${test}`);
  for (const line of lines.slice(0, MAX_LINES)) console.log(`    ${line.trim()}`);
}
if (failures.length > MAX_FAILURES) {
  console.log(`FAILED: ${failures.length - MAX_FAILURES} more tests`);
}
for (const step of failedSteps) console.log(`FAILED STEP: ${step}`);

// A file that does not load has no tests to count: it counts as one that failed.
const passed = sum('numPassedTests');
const failed = sum('numFailedTests') + sum('numRuntimeErrorTestSuites');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = passed === 0 || failed > 0 || failedSteps.length > 0 ? 1 : 0;
