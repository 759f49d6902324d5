import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { runProgram } from '../../program/program.ts';
import { recordingTerminal } from '../../terminal/recording-terminal.test-support.ts';
import {
  definitionWith,
  objectSchema,
  versionWith,
} from '../../types/code/definition.test-support.ts';
import { useSourcesInProcesses } from '../../project/definitions/source-condition.test-support.ts';

useSourcesInProcesses();

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-diff-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function writeYaml(name: string, ...definitions: readonly object[]): Promise<string> {
  return write(name, definitions.map((definition) => JSON.stringify(definition)).join('\n---\n'));
}

async function run(
  ...words: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = recordingTerminal();
  const code = await runProgram(['crd', 'diff', ...words], terminal, '1.2.3');
  return { code, out: out(), err: err() };
}

function widgets(spec: object, more: object = {}): object {
  return definitionWith([versionWith(objectSchema({ spec: objectSchema(spec) }), more)]);
}

function gadgets(): object {
  const text = JSON.stringify(widgets({})).replaceAll('widgets', 'gadgets');
  return JSON.parse(text.replaceAll('Widget', 'Gadget')) as object;
}

const size = { type: 'integer' };
const status = { subresources: { status: {} } };

describe('keelson crd diff', () => {
  test('exits with 0 if no change breaks', async () => {
    const old = await writeYaml('old.yaml', widgets({ size }));
    const next = await writeYaml(
      'new.yaml',
      widgets({ size, colour: { type: 'string' } }),
      gadgets(),
    );
    expect(await run(old, next)).toEqual({
      code: 0,
      out: 'new: gadgets.shop.example\ncompared: 1, new: 1, breaking changes: 0\n',
      err: '',
    });
  });

  test('groups the changes by what they break, with path, reason and cure, and exits with 1', async () => {
    const old = await writeYaml('old.yaml', widgets({ size }, status), gadgets());
    const next = await writeYaml('new.yaml', widgets({}));
    const { code, out, err } = await run(old, next);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out.split('\n')).toEqual([
      'breaks objects and clients:',
      expect.stringMatching(/^ {2}gadgets\.shop\.example metadata\.name: removed/),
      expect.stringMatching(/^ {4}cure: keep the definition/),
      expect.stringMatching(/^ {2}widgets\.shop\.example v1 spec\.size: the field is removed/),
      expect.stringMatching(/^ {4}cure: keep the field/),
      'breaks clients:',
      expect.stringMatching(/^ {2}widgets\.shop\.example v1 subresources\.status: removed/),
      expect.stringMatching(/^ {4}cure: update the clients first/),
      'compared: 1, new: 0, breaking changes: 3',
      '',
    ]);
  });

  test('--json prints the result as JSON', async () => {
    const old = await writeYaml('old.yaml', widgets({ size }));
    const next = await writeYaml('new.yaml', widgets({}), gadgets());
    const { code, out } = await run(old, next, '--json');
    expect({ code, result: JSON.parse(out) }).toEqual({
      code: 1,
      result: {
        compared: ['widgets.shop.example'],
        added: ['gadgets.shop.example'],
        changes: [
          {
            definition: 'widgets.shop.example',
            version: 'v1',
            path: 'spec.size',
            reason: expect.any(String),
            breaks: ['objects', 'clients'],
            cure: expect.any(String),
          },
        ],
      },
    });
  });

  test('compares the definitions of a cluster with a kind module', async () => {
    await using server = await createApiServer();
    server.seed([widgets({ size })] as Parameters<typeof server.seed>[0]);
    const kubeconfig = await write('config', server.kubeconfig());
    const same = await write(
      'same.ts',
      `export const a = { crd: ${JSON.stringify(widgets({ size }))} };`,
    );
    const less = await write(
      'less.ts',
      `export const a = { crd: ${JSON.stringify(widgets({}))} };`,
    );
    const cluster = ['--kubeconfig', kubeconfig];
    expect(await run('cluster:shop.example', same, ...cluster)).toMatchObject({ code: 0, err: '' });
    expect(await run('cluster:shop.example', less, ...cluster)).toMatchObject({ code: 1, err: '' });
  });

  test('refuses two different definitions of one name in a source', async () => {
    const old = await writeYaml('old.yaml', widgets({ size }), widgets({}));
    const { code, err } = await run(old, old);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('DEFINITION_CONFLICT') });
    const twice = await writeYaml('twice.yaml', widgets({ size }), widgets({ size }));
    expect(await run(twice, twice)).toMatchObject({ code: 0 });
  });

  test.each([
    ['in a cycle', 'items: &a { type: array, items: *a }'],
    ['that multiply', aliases()],
  ])('refuses a definition with YAML aliases %s', async (_, spec) => {
    const text = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.shop.example }
spec:
  group: shop.example
  scope: Cluster
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          ${spec}
`;
    const file = await write('bomb.yaml', text);
    const { code, err } = await run(file, file);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('SCHEMA_TOO_LARGE') });
  });

  test('names the file of each invalid definition, and compares nothing', async () => {
    const old = await writeYaml('old.yaml', widgets({ size }));
    const one = await writeYaml('new/one.yaml', { ...widgets({}), spec: {} });
    const two = await write('new/two.yaml', 'kind: CustomResourceDefinition\n  a: [');
    const { code, out, err } = await run(old, dirname(one));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`(source=${one}, `);
    expect(err).toContain(`(source=${two}, `);
  });

  test('refuses a definition that no API server accepts', async () => {
    const file = await writeYaml('a.yaml', { ...widgets({}), spec: {} });
    const { code, err } = await run(file, file);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('DEFINITION_INVALID') });
  });

  test.each([
    { items: null },
    { required: 5, properties: {} },
    { properties: { a: null } },
    { enum: 'a', type: 'string' },
    { 'x-kubernetes-validations': 5 },
  ])('refuses the schema %j, or compares it with itself', async (schema) => {
    const file = await writeYaml('a.yaml', definitionWith([versionWith(schema)]));
    const { code, err } = await run(file, file);
    if (code === 1) expect(err).toMatch(/^error: DEFINITION_INVALID: .*definition=widgets/);
    else expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  test.each<[string, readonly string[]]>([
    ["missing required argument 'new'", ['a']],
    ['too many arguments', ['a', 'b', 'c']],
  ])('exits with 2: %s', async (message, words) => {
    const { code, out, err } = await run(...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('--help shows the sources, examples and exit codes', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const part of ['Usage: keelson crd diff', 'cluster:', 'Examples:', 'Exit codes:']) {
      expect(out).toContain(part);
    }
  });
});

/** Each level of properties repeats the previous one ten times. */
function aliases(): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const previous = level === 0 ? 'x' : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: 10 }, () => previous).join(', ')}]`;
  });
  return levels.join('\n          ');
}
