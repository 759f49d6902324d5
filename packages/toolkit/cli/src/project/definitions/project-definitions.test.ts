import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { definitionWith, versionWith } from '../../types/code/definition.test-support.ts';
import { projectDefinitions } from './project-definitions.ts';

const crd = (name: string): object => definitionWith([versionWith({ type: 'object' }, { name })]);

// The process of the test does not have the condition, since Jest resolves its imports itself.
const options = `${process.env['NODE_OPTIONS'] ?? ''} --conditions=@keelson/source`;
const env = { ...process.env, NODE_OPTIONS: options };

describe('projectDefinitions', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-definitions-'));
    const keelson = { kinds: ['kind.mjs'] };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'operator', keelson }));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const read = (signal?: AbortSignal): Promise<unknown> =>
    projectDefinitions({ folder, kinds: ['kind.mjs'], crds: 'crds' }, { env, signal });

  async function writeKind(code: string): Promise<void> {
    await writeFile(join(folder, 'kind.mjs'), code);
  }

  test('imports the kind modules in their current state', async () => {
    for (const name of ['v1', 'v2']) {
      await writeKind(`export const kind = { crd: ${JSON.stringify(crd(name))} };`);
      expect(await read()).toEqual([crd(name)]);
    }
  });

  test('reports a module that cannot be imported, after Node.js printed its error', async () => {
    await writeKind('export const kind = ;');
    await expect(read()).rejects.toMatchObject({
      code: 'DEFINITIONS_FAILED',
      facts: { reason: 'the process ended with code 1' },
    });
  });

  test('reports a module that exports no kind', async () => {
    await writeKind('export const kind = {};');
    await expect(read()).rejects.toThrow(/reason=the module exports no kind/);
  });

  test('reports a module that ends the process', async () => {
    await writeKind('process.exit(4);');
    await expect(read()).rejects.toThrow(/the process ended with code 4/);
  });

  test('kills the process when it is aborted', async () => {
    await writeKind('for (;;);');
    const abort = new AbortController();
    const reading = read(abort.signal);
    abort.abort();
    await expect(reading).rejects.toThrow();
  });

  test('reads the folder of CRD files without kind modules; a missing folder is empty', async () => {
    const project = { folder, kinds: [], crds: 'crds' };
    expect(await projectDefinitions(project)).toEqual([]);
    await mkdir(join(folder, 'crds'));
    await writeFile(join(folder, 'crds/a.json'), JSON.stringify(crd('v1')));
    expect(await projectDefinitions(project)).toEqual([crd('v1')]);
  });
});
