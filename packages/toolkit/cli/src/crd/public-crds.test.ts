import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CustomResourceDefinition } from '@keelson/schema';
import { readProjects } from '../types/code/public-definitions.test-support.ts';
import { parseDocuments } from '../types/sources/parse-documents.ts';
import { compareDefinitions } from './diff/compare-definitions.ts';
import { checkDefinitionSize } from './diff/definition-size.ts';
import { crdFile } from './generate/crd-file.ts';

describe('103 public definitions', () => {
  let definitions: readonly CustomResourceDefinition[];

  beforeAll(async () => {
    const projects = await readProjects();
    definitions = projects.flatMap(([, own]) => own) as readonly CustomResourceDefinition[];
  });

  test('are the same after they were written as YAML', async () => {
    for (const definition of definitions) {
      const { path, text } = await crdFile(definition);
      expect(path).toBe(`${definition.metadata?.name}.yaml`);
      expect(await parseDocuments(text, path)).toEqual([definition]);
    }
  });

  test('have no breaking change compared with themselves', () => {
    const byName = new Map(definitions.map((crd) => [crd.metadata?.name ?? '', crd]));
    for (const [name, crd] of byName) checkDefinitionSize(crd, name);
    const { compared, added, changes } = compareDefinitions(byName, structuredClone(byName));
    expect({ compared: compared.length, added, changes }).toEqual({
      compared: byName.size,
      added: [],
      changes: [],
    });
  });
});
