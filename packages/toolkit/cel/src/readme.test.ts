import { expect, test } from '@jest/globals';

test('the snippet of the README has the results of its comments', () => {
  expect(run()).toEqual({
    valid: true,
    refused: 'EXPRESSION_INVALID',
    expensive: 'COST_LIMIT_EXCEEDED',
  });
});

// #region readme
import { CelEnvironment, CelError } from './index.ts';

function run(): object {
  const environment = new CelEnvironment({
    variables: { self: 'dyn', limits: 'map(string, int)' },
  });

  const rule = environment.compile('self.spec.replicas <= limits.replicas', { type: 'bool' });
  const self = { spec: { replicas: 3 } };
  const { value } = rule.evaluate({ self, limits: { replicas: 5 } }); // true

  const refused = codeOf(() => environment.compile('limits.replicas', { type: 'bool' }));

  const search = environment.compile('self.items.exists(a, self.items.exists(b, a + b == 7))');
  const items = Array.from({ length: 1000 }, () => 1);
  const expensive = codeOf(() => search.evaluate({ self: { items } }, { costLimit: 10_000 }));

  return { valid: value === true, refused, expensive };
}

function codeOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return error.code;
    throw error;
  }
}
// #endregion
