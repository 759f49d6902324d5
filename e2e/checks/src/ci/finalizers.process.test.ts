import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Ends while its registries wait for their finalizers: V8 serves one of them in each turn of the event loop. */
const ends = `test('registers', async () => {
  globalThis.registries = Array.from({ length: 2000 }, () => new FinalizationRegistry(() => {}));
  for (const registry of registries) registry.register({}, undefined);
  await new Promise((resolve) => setImmediate(resolve));
  global.gc();
});`;

const waits = `test('waits for finalizers', async () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  // Here the registries of the files before are collected, and V8 finds none to serve.
  for (let n = 0; n < 3; n++) {
    global.gc();
    await turn();
  }
  const held = [];
  const registry = new FinalizationRegistry((value) => held.push(value));
  const token = {};
  registry.register({}, 'forgotten', token);
  registry.register({}, 'also forgotten', token);
  registry.register({}, 'found');
  expect(registry.unregister(token)).toBe(true);
  expect(registry.unregister(token)).toBe(false);
  for (let n = 0; n < 20 && held.length === 0; n++) {
    await turn();
    global.gc();
    await turn();
  }
  expect(held).toEqual(['found']);
});`;

/** Runs files in one process of Jest, and returns how many tests passed and failed. */
async function run(files: Record<string, string>): Promise<{ passed: number; failed: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-finalizers-'));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const config = {
      testEnvironment: join(root, '.ci/jest/environment.mjs'),
      testSequencer: join(folder, 'sequencer.cjs'),
      transform: {},
      haste: { forceNodeFilesystemAPI: true },
    };
    await writeFile(join(folder, 'jest.config.json'), JSON.stringify(config));
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const report = join(folder, 'report.json');
    const words = [
      '--expose-gc',
      '--no-compilation-cache',
      '--experimental-vm-modules',
      jest,
      '--rootDir',
      folder,
      '--config',
      join(folder, 'jest.config.json'),
      '--runInBand',
      '--json',
      '--outputFile',
      report,
    ];
    await promisify(execFile)(process.execPath, words).catch(() => undefined);
    const { default: result } = await import(report, { with: { type: 'json' } });
    return { passed: result.numPassedTests, failed: result.numFailedTests };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const byName = `module.exports = class extends require(${JSON.stringify(join(root, 'node_modules/@jest/test-sequencer'))}).default {
  sort = (tests) => tests.toSorted((a, b) => (a.path < b.path ? -1 : 1));
};`;

test('run although the test files before ended with finalizers that waited', async () => {
  const before = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`${n}.test.js`, ends]));
  expect(await run({ ...before, 'last.test.js': waits, 'sequencer.cjs': byName })).toEqual({
    passed: 7,
    failed: 0,
  });
}, 60_000);
