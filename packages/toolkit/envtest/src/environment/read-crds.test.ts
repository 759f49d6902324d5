import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment } from '../index.ts';
import { readCrds } from './read-crds.ts';

function definition(plural: string): string {
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: ${plural}, kind: ${plural} }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
`;
}

describe('readCrds', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-crds-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  const names = async (path: string): Promise<unknown[]> =>
    (await readCrds(path)).map(({ metadata }) => metadata?.name);

  test('reads the CustomResourceDefinitions of a file and ignores other kinds', async () => {
    const others = '---\n# empty\n---\napiVersion: v1\nkind: Namespace\nmetadata: { name: x }\n---';
    await write('crds.yaml', `${definition('apples')}${others}${definition('pears')}`);
    expect(await names(join(folder, 'crds.yaml'))).toEqual([
      'apples.example.com',
      'pears.example.com',
    ]);
  });

  test('reads every .yaml, .yml and .json file of a folder in the order of their names', async () => {
    await write('b.yml', definition('b'));
    await write('a.yaml', definition('a'));
    const json = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'c' },
    };
    await write('c.json', JSON.stringify(json));
    await write('README.md', '# {{ not YAML');
    expect(await names(folder)).toEqual(['a.example.com', 'b.example.com', 'c']);
  });

  test.each([
    ['a path that does not exist', 'missing', 'ENOENT'],
    ['a file with invalid YAML', 'template.yaml', 'template.yaml'],
  ])('throws CRDS_NOT_FOUND with its cause for %s', async (_, name, cause) => {
    await write('template.yaml', 'metadata: { name: {{ .Values.name }} }');
    const path = join(folder, name);
    await expect(readCrds(path)).rejects.toMatchObject({
      code: 'CRDS_NOT_FOUND',
      facts: { path },
      cause: { message: expect.stringContaining(cause) },
    });
  });

  test('throws CRDS_NOT_FOUND for a folder without a definition', async () => {
    await write('namespace.yaml', 'kind: Namespace');
    const found = readCrds(folder);
    await expect(found).rejects.toMatchObject({ code: 'CRDS_NOT_FOUND', facts: { path: folder } });
  });

  test('an environment installs paths and objects in one call', async () => {
    await write('apples.yaml', definition('apples'));
    await using environment = await createTestEnvironment({ use: 'memory' });
    await environment.installCrds([folder, ...(await readCrds(folder))]);
    await using client = createClient({ cluster: environment.admin.cluster });
    const { items } = await client.list(builtin.CustomResourceDefinition);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['apples.example.com']);
  });
});
