import { beforeAll, describe, expect, test } from '@jest/globals';
import { compile } from './compile.test-support.ts';
import { generateTypes, type GeneratedModule } from './generate-types.ts';
import { readProjects } from './public-definitions.test-support.ts';
import { refusedObjects, validObjects } from './public-objects.test-support.ts';

describe('the types of public definitions', () => {
  let projects: Awaited<ReturnType<typeof readProjects>>;
  let modules: readonly GeneratedModule[];
  let errors: readonly string[];

  beforeAll(async () => {
    projects = await readProjects();
    modules = generateTypes(projects.flatMap(([, definitions]) => definitions));
    const files = new Map(modules.map(({ path, code }) => [path, code]));
    files.set('valid.ts', validObjects);
    files.set('refused.ts', refusedObjects);
    const output = await compile(files, 'manager');
    errors = output.split('\n').filter((line) => line !== '');
  });

  test('are 144 modules for the 103 definitions of 12 projects', () => {
    expect(projects.map(([name]) => name)).toHaveLength(12);
    expect(projects.flatMap(([, definitions]) => definitions)).toHaveLength(103);
    expect(modules).toHaveLength(144);
  });

  test('compile under strict options, and accept the objects of the documentation', () => {
    expect(errors).toEqual([]);
  });

  test('are the same for definitions whose members are in another order', () => {
    const reversed = projects.flatMap(([, definitions]) => definitions.map(reverse)).toReversed();
    expect(generateTypes(reversed)).toEqual(modules);
  });
});

/** A copy of a JSON value with the members of each object in the reverse order. */
function reverse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverse);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([name, member]) => [name, reverse(member)]));
}
