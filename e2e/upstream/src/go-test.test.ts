import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { countSpecs } from './go-test.ts';

describe('the count of specs', () => {
  test('adds the suites of a package, without their colours', () => {
    const end = (passed: number, failed: number): string =>
      `\u001B[1mSUCCESS!\u001B[0m -- \u001B[1m${passed} Passed\u001B[0m | ${failed} Failed | 0 Pending | 0 Skipped\n`;
    expect(countSpecs(end(9, 0) + end(3, 1))).toEqual({ passed: 12, failed: 1 });
    expect(countSpecs('ok  \tpackage\t0.1s')).toEqual({ passed: 0, failed: 0 });
  });
});

test('the version of controller-runtime is that of e2e/control-plane', () => {
  const versions = ['../go.mod', '../../control-plane/go.mod'].map((path) => {
    const text = readFileSync(new URL(path, import.meta.url), 'utf8');
    return /sigs\.k8s\.io\/controller-runtime (v\S+)/.exec(text)?.[1];
  });
  expect(versions[0]).toMatch(/^v/);
  expect(versions[1]).toBe(versions[0]);
});
