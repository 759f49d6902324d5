import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** What matters here of Jest's JSON. */
interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  /** Files that did not load: their tests are not among the failed ones. */
  readonly numRuntimeErrorTestSuites: number;
}

/** Several runs in one. */
export interface SuiteSummary {
  /** One a run, for people. */
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}

/** Adds the reports of several runs; one that was never written is a failure. */
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
