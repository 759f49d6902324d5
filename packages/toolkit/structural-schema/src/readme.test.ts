import { expect, test } from '@jest/globals';

test('the snippet of the README has the results of its comments', () => {
  expect(run()).toEqual({ value: { size: 3, colour: 'red' }, fields: ['spec.size'] });
});

// #region readme
import { defaultValues, PatternMatcher, validateValue } from '@keelson/structural-schema';
import type { JsonSchema } from '@keelson/structural-schema';

const schema: JsonSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer', maximum: 2 },
    colour: { type: 'string', default: 'red' },
  },
};

function run(): object {
  const value = { size: 3 };
  defaultValues(schema, value); // { size: 3, colour: 'red' }
  const causes = validateValue(schema, value, 'spec', new PatternMatcher());
  return { value, fields: causes.map(({ field }) => field) }; // spec.size
}
// #endregion
