import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** The members of Jest's JSON report that are used here. */
interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  /** Files that failed to load; their tests do not count as failed in Jest's numbers. */
  readonly numRuntimeErrorTestSuites: number;
}

/** The sum of several runs. */
export interface SuiteSummary {
  /** One line for each run. */
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}

/** Adds the reports of several runs; a missing report counts as a failure. */
export async function summaryOf(files: readonly string[]): Promise<SuiteSummary> {
  const runs = await Promise.all(files.map(runOf));
  return {
    lines: runs.map(({ name, passed, failed, skipped }) => {
      return `${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`;
    }),
    passed: runs.reduce((sum, { passed }) => sum + passed, 0),
    failed: runs.reduce((sum, { failed }) => sum + failed, 0),
  };
}

async function runOf(
  file: string,
): Promise<{ name: string; passed: number; failed: number; skipped: number }> {
  const name = basename(file, '.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return { name, passed: 0, failed: 1, skipped: 0 };
  const report = JSON.parse(text) as JestReport;
  return {
    name,
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests,
  };
}
