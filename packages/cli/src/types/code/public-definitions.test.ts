import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parseDocuments } from '../sources/parse-documents.ts';
import { compile } from './compile.test-support.ts';
import { generateTypes, type GeneratedModule } from './generate-types.ts';
import { refusedObjects, validObjects } from './public-objects.test-support.ts';

const folder = new URL('../../../testdata/', import.meta.url);

/** The definitions of each project; the README of the folder names versions and licences. */
async function readProjects(): Promise<readonly (readonly [string, readonly unknown[]])[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml.br'));
  return Promise.all(
    files.map(async (file) => {
      const text = brotliDecompressSync(readFileSync(new URL(file, folder))).toString();
      return [file.replace('.yaml.br', ''), await parseDocuments(text, file)] as const;
    }),
  );
}

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
