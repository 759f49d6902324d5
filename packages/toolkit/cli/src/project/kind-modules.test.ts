import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { definitionWith, versionWith } from '../types/code/definition.test-support.ts';
import { definitionsIn } from '../types/sources/source-file.ts';
import { joinModules, loadModules } from './kind-modules.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-kinds-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

function crd(...versions: readonly string[]): unknown {
  return definitionWith(versions.map((name) => versionWith({ type: 'object' }, { name })));
}

const exported = (name: string, definition: unknown): string =>
  `export const ${name}: object = { crd: ${JSON.stringify(definition)} };\n`;

async function loadDefinitions(modules: readonly string[]): Promise<readonly unknown[]> {
  return definitionsIn(joinModules(await loadModules(modules)));
}

describe('kind modules', () => {
  test('returns the definitions of modules, in the order of their names', async () => {
    const gadgets = { ...(crd('v1') as object), metadata: { name: 'gadgets.shop.example' } };
    await write('widget.ts', `${exported('widget', crd('v1'))}export const other = 1;\n`);
    await write('gadget.ts', exported('gadget', gadgets));
    const files = ['widget.ts', 'gadget.ts'].map((name) => join(folder, name));
    expect(await loadDefinitions(files)).toEqual([gadgets, crd('v1')]);
  });

  test('returns the versions of a kind rather than one of them, whatever their order', async () => {
    const all = exported('all', crd('v1', 'v2'));
    const one = exported('one', crd('v1'));
    for (const [name, text] of Object.entries({
      'a.ts': all + one,
      'b.ts': one + all + all.replace('all', 'same'),
    })) {
      expect(await loadDefinitions([await write(name, text)])).toEqual([crd('v1', 'v2')]);
    }
  });

  test('refuses two definitions of a name of which neither has all versions', async () => {
    const file = await write('a.ts', exported('a', crd('v1')) + exported('b', crd('v2')));
    await expect(loadDefinitions([file])).rejects.toMatchObject({
      code: 'DEFINITION_CONFLICT',
      facts: { definition: 'widgets.shop.example', file },
    });
  });

  test('refuses a module that exports no kind', async () => {
    const file = await write('a.ts', 'export const a = null, b = { crd: null };\n');
    await expect(loadDefinitions([file])).rejects.toMatchObject({
      code: 'KINDS_NOT_FOUND',
      facts: { file },
    });
  });

  test.each([
    ['a.ts', 'throw new Error("broken");'],
    ['b.ts', 'throw "broken";'],
    ['c.ts', 'export const broken = ;'],
    ['d.ts', 'import "./missing.ts";'],
  ])('reports that %s fails: %s', async (name, text) => {
    const file = await write(name, text);
    await expect(loadDefinitions([file])).rejects.toMatchObject({
      code: 'MODULE_FAILED',
      facts: { file, reason: expect.stringMatching(/broken|missing|expected/i) },
      cause: expect.anything(),
    });
  });

  test('reports a missing module', async () => {
    const file = join(folder, 'missing.ts');
    await expect(loadDefinitions([file])).rejects.toMatchObject({ code: 'MODULE_FAILED' });
  });

  test('of which one fails do not stop the others', async () => {
    const broken = await write('broken.ts', 'throw new Error("broken");\n');
    const empty = await write('empty.ts', 'export const a = 1;\n');
    const file = await write('a.ts', exported('a', crd('v1')));
    const [found, ...failed] = joinModules(await loadModules([broken, file, empty]));
    expect(found).toEqual({ source: file, definitions: [crd('v1')] });
    expect(failed).toMatchObject([
      { source: broken, error: { code: 'MODULE_FAILED', facts: { file: broken } } },
      { source: empty, error: { code: 'KINDS_NOT_FOUND', facts: { file: empty } } },
    ]);
  });
});
