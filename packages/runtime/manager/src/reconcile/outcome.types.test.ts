import { expect, test } from '@jest/globals';
import { decide, type Decision, type Outcome } from './outcome.ts';

function next({ kind }: Decision): string {
  switch (kind) {
    case 'success':
      return 'forget';
    case 'requeue':
      return 'back off';
    case 'requeue_after':
      return 'wait';
  }
}

// @ts-expect-error A case is left out, so the function may return nothing.
function unfinished({ kind }: Decision): string {
  switch (kind) {
    case 'success':
      return 'forget';
    case 'requeue':
      return 'back off';
  }
}

// @ts-expect-error A result has no other members.
export const misspelt: Outcome = { requeueIn: '5s' };

test('R0-12 code that leaves out a case of the results does not compile', () => {
  const results = [undefined, { retry: true }, { requeueAfter: '5s' }] as const;
  expect(results.map((result) => next(decide(result)))).toEqual(['forget', 'back off', 'wait']);
  expect(unfinished(decide({ requeueAfter: '5s' }))).toBeUndefined();
});
