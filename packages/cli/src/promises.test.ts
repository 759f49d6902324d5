import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { generateTypes } from './index.ts';
import { runProgram } from './program/program.ts';
import { recordingTerminal } from './terminal/recording-terminal.test-support.ts';
import { compile } from './types/code/compile.test-support.ts';
import { definitionOf, definitionWith, versionWith } from './types/code/definition.test-support.ts';
import { readSource } from './types/sources/read-source.ts';

const schema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      description: 'The desired state.',
      properties: {
        port: { 'x-kubernetes-int-or-string': true },
        names: { type: 'array', items: { type: 'string' } },
        colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
      },
    },
    status: {
      type: 'object',
      properties: { phase: { type: 'string', nullable: true } },
    },
  },
};
const definition = definitionWith([
  versionWith(schema),
  versionWith(schema, { name: 'v1beta1', storage: false, deprecated: true }),
]);

describe('the promises', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-cli-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }

  async function runTypes(...words: readonly string[]): Promise<number> {
    return runProgram(['types', ...words], recordingTerminal().terminal, '0.0.0');
  }

  test('Each served version of a definition gives one module that compiles under the strict options of TypeScript.', async () => {
    const modules = generateTypes([definition]);
    expect(modules).toHaveLength(2);
    expect(await compile(new Map(modules.map(({ path, code }) => [path, code])))).toBe('');
  });

  test('The code is the same for equal definitions, from a file or from a cluster.', async () => {
    await using server = await createApiServer();
    server.seed([definition] as Parameters<typeof server.seed>[0]);
    const kubeconfig = await write('config', server.kubeconfig());
    const fromCluster = await readSource('cluster:shop.example', { kubeconfig });
    expect(generateTypes(fromCluster)).toEqual(generateTypes([definition]));
  });

  test('Names are unique identifiers, whatever the names of the properties.', () => {
    const part = { type: 'object', properties: { x: { type: 'string' } } };
    const [module] = generateTypes([
      definitionOf({ 'a-b': part, a_b: part, 'ä"': part, '': part }),
    ]);
    const names = module?.code.matchAll(/^export interface (.*) \{$/gm) ?? [];
    expect([...names].map(([, name]) => name)).toEqual([
      'Widget extends KubernetesObject',
      'WidgetSpec',
      'WidgetSpecValue',
      'WidgetSpecAB',
      'WidgetSpecAB2',
      'WidgetSpecValue2',
    ]);
  });

  test('The text of a definition can neither end a comment nor become code.', async () => {
    const description = '*/ export const injected = 1; /*\n@ts-expect-error';
    const modules = generateTypes([definitionOf({ a: { type: 'string', description } })]);
    expect(modules[0]?.code).toContain(String.raw`   * *\/ export const injected = 1; /*`);
    expect(await compile(new Map(modules.map(({ path, code }) => [path, code])))).toBe('');
  });

  test('A definition that is invalid, too deep or too large is refused with a code.', () => {
    const cycle: Record<string, unknown> = { type: 'array' };
    cycle['items'] = cycle;
    expect(() => generateTypes([definitionOf({ a: cycle })])).toThrow(/schema exceeds a limit/);
    expect(() => generateTypes([{ ...definition, spec: {} }])).toThrow(/path=spec\.group/);
  });

  test('A file that was not generated is never overwritten.', async () => {
    const source = await write('crd.json', JSON.stringify(definition));
    await mkdir(join(folder, 'out/shop.example/v1'), { recursive: true });
    const file = await write('out/shop.example/v1/widgets.ts', 'export {};\n');
    expect(await runTypes(source, '-o', join(folder, 'out'))).toBe(1);
    expect(await readFile(file, 'utf8')).toBe('export {};\n');
  });

  test('With --check no file is written, and the exit code is 1 unless all files are up to date.', async () => {
    const source = await write('crd.json', JSON.stringify(definition));
    const out = join(folder, 'out');
    expect(await runTypes(source, '-o', out, '--check')).toBe(1);
    expect(await readdir(folder)).toEqual(['crd.json']);
    expect(await runTypes(source, '-o', out)).toBe(0);
    expect(await runTypes(source, '-o', out, '--check')).toBe(0);
  });
});
