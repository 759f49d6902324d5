import { readFileSync } from 'node:fs';

const swc = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'es6' },
};

// The share of the random tests that runs; CI runs more (`KEELSON_RUNS=1`).
process.env.KEELSON_RUNS ??= '0.1';

// `npm test` without a path or a pattern leaves out the files that take half of the processor time of all.
const isWhole = process.argv.slice(2).some((argument) => !argument.startsWith('-'));
const longTests = readFileSync(new URL('.ci/jest/long-tests.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((path) => `<rootDir>/${path.replaceAll('.', String.raw`\.`)}$`);

/** @type {import('jest').Config} */
export default {
  roots: ['<rootDir>/packages', '<rootDir>/examples', '<rootDir>/e2e'],
  // `npm run test:processes` runs the others, which start processes, compilers or tests of their own.
  testMatch: ['**/*.test.ts', '!**/*.process.test.ts'],
  // Tests of templates run in node:test, in a project.
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    '/create-keelson/templates/',
    ...(isWhole ? [] : longTests),
  ],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  globalSetup: '<rootDir>/.ci/jest/bundle-sources.mjs',
  transform: { '\\.ts$': ['<rootDir>/.ci/jest/source-transformer.mjs', swc] },
  moduleNameMapper: process.env.KEELSON_SEED
    ? { '^fast-check$': '<rootDir>/.ci/jest/seeded-fast-check.mjs' }
    : {},
  testSequencer: '<rootDir>/.ci/jest/slow-first.mjs',
  testEnvironment: '<rootDir>/.ci/jest/environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['@keelson/source', 'node', 'node-addons'] },
  maxWorkers: 2,
  // Ends a test that hangs. Tests count steps: how long one takes on a busy machine says nothing about the code.
  testTimeout: 600_000,
};
