import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { beginMark, endMark } from './running-tests.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Prints the start and end of each test. Jest itself prints nothing until the file has ended. */
export function printProgress(): void {
  let began = 0;
  beforeEach(() => {
    began = performance.now();
    process.stdout.write(`${beginMark}${titleOfTest()}\n`);
  });
  afterEach(() => {
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`${endMark}${titleOfTest()} (${seconds} s)\n`);
  });
}

function titleOfTest(): string {
  const { testPath = '', currentTestName = '' } = expect.getState();
  return `${relative(here, testPath)}: ${currentTestName}`;
}
