import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { root } from '../sources/source-file.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-side-by-side-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs each shell script as a step. */
function run(steps: Readonly<Record<string, string>>): SpawnSyncReturns<string> {
  const words = Object.entries(steps).flatMap(([title, script]) => [
    '::',
    title,
    'sh',
    '-c',
    script,
  ]);
  const program = join(root, '.ci/side-by-side.mjs');
  return spawnSync(process.execPath, [program, folder, ...words], { encoding: 'utf8' });
}

function written(name: string): string {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

describe('steps side by side', () => {
  test('run at the same time, and the output of each is printed whole', () => {
    const pipe = join(folder, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    // The first step can only end while the second one runs, and the second one ends after it has printed more.
    const { stdout, status } = run({
      writer: `echo one; echo x > ${pipe}; echo two >&2`,
      reader: `echo three; cat ${pipe}; echo four`,
    });
    expect(status).toBe(0);
    const plain = stdout.replaceAll(/=== (\w+): .*/g, '=== $1').replaceAll(/, \d+ s/g, '');
    expect(plain).toContain('\n=== writer\none\ntwo\n--- writer: ok\n');
    expect(plain).toContain('\n=== reader\nthree\nx\nfour\n--- reader: ok\n');
  });

  test('each run, and the failed ones are listed', () => {
    const { stdout, status } = run({ good: 'true', 'bad one': 'echo why; false', last: 'exit 3' });
    expect(status).toBe(1);
    expect(written('failed').split('\n').toSorted()).toEqual(['', 'bad one', 'last']);
    expect(stdout).toContain('why\n--- bad one: FAILED');
    expect(stdout).toContain('--- good: ok');
  });

  test('that report a fresh seed leave a note, and do not fail', () => {
    const { status } = run({ judge: 'echo "!!! FRESH SEED: replay it"; echo "!!! SKIPPED: b"' });
    expect(status).toBe(0);
    expect(written('notes')).toBe('!!! FRESH SEED: replay it\n');
    expect(written('failed')).toBe('');
  });
});
