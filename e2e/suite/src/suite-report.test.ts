import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { summaryOf } from './suite-report.ts';

describe('the summary of several runs', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-summary-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test('adds their tests; a file that failed to load and a missing report count as failed', async () => {
    const report = {
      numPassedTests: 3,
      numFailedTests: 1,
      numPendingTests: 2,
      numRuntimeErrorTestSuites: 1,
    };
    await writeFile(join(folder, 'one.json'), JSON.stringify(report));
    const files = [join(folder, 'one.json'), join(folder, 'none.json')];
    expect(await summaryOf(files)).toEqual({
      lines: ['one: 3 passed, 2 failed, 2 skipped', 'none: 0 passed, 1 failed, 0 skipped'],
      passed: 3,
      failed: 3,
    });
  });
});
