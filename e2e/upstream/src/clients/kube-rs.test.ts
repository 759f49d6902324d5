import { describe, expect, test } from '@jest/globals';
import { resultOf } from './kube-rs.ts';

const passing = `
running 1 test
test events::test::cache ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 95 filtered out; finished in 0.23s
`;

const failing = `
running 2 tests
test test::logs ... FAILED
test test::discovery ... ok

failures:

---- test::logs stdout ----
Error: Api(Status { code: 404 })


failures:
    test::logs

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 79 filtered out; finished in 33.07s
`;

describe('resultOf', () => {
  test('adds the passed tests of the crates and quotes the output of failed ones', () => {
    expect(resultOf(passing + failing + passing, '')).toEqual({
      passed: 3,
      failed: ['test::logs: Error: Api(Status { code: 404 })\n\n\n'],
    });
  });

  test('throws the errors of cargo if a crate does not compile', () => {
    expect(() => resultOf(passing, 'error[E0425]: cannot find value')).toThrow('E0425');
  });
});
