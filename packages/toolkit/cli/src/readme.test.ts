import { expect, test } from '@jest/globals';
import { definitionWith, versionWith } from './types/code/definition.test-support.ts';

test('the snippet of the README has the results of its comments', () => {
  const definition = definitionWith([versionWith({ type: 'object' })]);
  expect(run(definition)).toEqual(['shop.example/v1/widgets.ts']);
});

// #region readme
import { generateTypes } from '@keelson/cli';

function run(definition: unknown): string[] {
  const modules = generateTypes([definition]);
  return modules.map(({ path }) => path); // ['shop.example/v1/widgets.ts']; `code` has the text
}
// #endregion
