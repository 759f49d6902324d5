import { fileURLToPath } from 'node:url';
import type { PartialStrykerOptions } from '@stryker-mutator/api/core';
import type { Sample } from './sample.ts';

/** A run: one package, a sample of its changes. */
export interface MutationRun extends Sample {
  /** Folder below `packages/runtime`. */
  readonly name: string;
  /** Paths below `src` of that package; empty = all. */
  readonly files: readonly string[];
}

/**
 * Slow tests are left out: what only they notice is found late, so it counts as not noticed. They are the random
 * ones, and the promises of the informer, which take a minute for a hundred thousand objects.
 */
const slowTests = ['storm', 'informer/src/promises'];

/** Tests that measure the heap, to which the code that Stryker inserts adds. */
const heapTests = ['workqueue/src/queue/work-queue.memory'];

/** The options of a run. Stryker works on a copy of the checkout; the checkout itself is never changed. */
export function strykerOptions({ name, files, ...sample }: MutationRun): PartialStrykerOptions {
  const source = `packages/runtime/${name}/src`;
  const chosen =
    files.length === 0 ? [`${source}/**/*.ts`] : files.map((file) => `${source}/${file}`);
  return {
    mutate: [...chosen, '!**/*.test.ts', '!**/*.test-*.ts', '!**/index.ts'],
    // The wording of messages is free, and codes are compared with the documentation elsewhere.
    mutator: { excludedMutations: ['StringLiteral'] },
    plugins: [
      '@stryker-mutator/jest-runner',
      fileURLToPath(new URL('sample-checker.ts', import.meta.url)),
      fileURLToPath(new URL('survivor-reporter.ts', import.meta.url)),
    ],
    checkers: ['sample'],
    sample,
    warnings: {
      unknownOptions: false,
      preprocessorErrors: true,
      unserializableOptions: true,
      slow: false,
    },
    testRunner: 'jest',
    testRunnerNodeArgs: [
      '--no-compilation-cache',
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
    ],
    jest: {
      projectType: 'custom',
      configFile: 'jest.config.js',
      config: {
        roots: [`<rootDir>/packages/runtime/${name}`],
        testEnvironment: fileURLToPath(new URL('bail-environment.ts', import.meta.url)),
        testPathIgnorePatterns: ['/node_modules/', '/dist/', ...slowTests, ...heapTests],
      },
    },
    // Stryker would rewrite it with TypeScript's JavaScript API, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    coverageAnalysis: 'perTest',
    concurrency: 2,
    timeoutMS: 10_000,
    // The first run measures every test, slowly where other work shares the machine.
    dryRunTimeoutMinutes: 30,
    reporters: ['progress-append-only', 'survivors'],
    ignorePatterns: ['**/dist', 'docs', 'e2e', 'examples'],
    allowConsoleColors: false,
  };
}
