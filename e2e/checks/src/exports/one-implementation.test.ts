import { expect, test } from '@jest/globals';
import { root } from '../sources/source-file.ts';
import { readPackages } from '../sources/workspace.ts';

const packages = readPackages();

async function valuesOf(folder: string): Promise<[string, unknown][]> {
  return Object.entries((await import(`${root}/${folder}/src/index.ts`)) as object);
}

test('R0-37 a name that several packages export is one value, and one queue and one cache exist', async () => {
  const all = await Promise.all(packages.map(({ folder }) => valuesOf(folder)));
  const values = new Map<string, Set<unknown>>();
  for (const [name, value] of all.flat()) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  const names = [...values.keys()];
  expect(names.filter((name) => values.get(name)?.size !== 1)).toEqual([]);
  expect(names.filter((name) => /queue(?!.*errors?$)/i.test(name))).toEqual(['WorkQueue']);
  expect(names.filter((name) => /(?:informer|cache)(?!.*errors?$)/i.test(name))).toEqual([
    'createInformerCache',
  ]);
});
