import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { DevProcess, OperatorProject } from './dev/operator-project.test-support.ts';
import { CheckRunner, type CheckResult } from './doctor/runner/check-runner.ts';
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

// Several processes start one after the other, also on a busy machine.
jest.setTimeout(120_000);

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

  test('A restart of the program in keelson dev keeps the objects of the server in memory.', async () => {
    await using project = await OperatorProject.create({ 'src/main.ts': printing('first') });
    await using dev = new DevProcess(project);
    const { client } = await dev.connect();
    await dev.line(/^first begins$/);
    const metadata = { namespace: 'default', name: 'a' };
    const { metadata: created } = await client.create(builtin.ConfigMap, { metadata });
    await project.write('src/main.ts', printing('second'));
    await dev.line(/^second begins$/);
    const { metadata: kept } = await client.get(builtin.ConfigMap, metadata);
    expect(kept.uid).toBe(created.uid);
    expect(await dev.end('SIGTERM')).toBe(0);
  });

  test('The program of keelson dev has ended when its next start begins, and it ends with the command, also if that is killed.', async () => {
    await using project = await OperatorProject.create({ 'src/main.ts': printing('first') });
    await using dev = new DevProcess(project);
    await dev.line(/^first begins$/);
    await project.write('src/main.ts', printing('second'));
    expect(await dev.line(/begins$|ends$/)).toBe('first ends');
    await dev.line(/^second begins$/);
    // Resolves when the output of the program is closed.
    expect(await dev.end('SIGKILL')).toBe('SIGKILL');
    await dev.line(/^second ends$/);
  });

  test('An existing cluster gets no write by keelson dev without --install-crds.', async () => {
    await using server = await createApiServer();
    const file = await write('config', server.kubeconfig());
    await using project = await OperatorProject.create({ 'src/main.ts': printing('first') });
    const before = server.resourceVersion;
    await using dev = new DevProcess(project, '--kubeconfig', file);
    await dev.line(/^first begins$/);
    expect(await dev.end('SIGINT')).toBe(0);
    expect(server.resourceVersion).toBe(before);
  });

  test('A check of keelson doctor that throws or exceeds its time limit is a failed check, and the exit code is then 1.', async () => {
    const { terminal, out } = recordingTerminal();
    const words = ['--project', folder, '--kubeconfig', join(folder, 'missing'), '--json'];
    expect(await runProgram(['doctor', ...words], terminal, '0.0.0')).toBe(1);
    expect(JSON.parse(out())).toMatchObject({
      checks: expect.arrayContaining([
        {
          name: 'kubeconfig',
          status: 'failed',
          detail: expect.anything(),
          cure: expect.anything(),
        },
      ]),
    });
    const results: CheckResult[] = [];
    const runner = new CheckRunner({ timeout: 1, onResult: (result) => results.push(result) });
    const run = (): Promise<never> => Promise.withResolvers<never>().promise;
    await runner.run({ name: 'server', cure: 'start it', run });
    expect(results).toMatchObject([{ status: 'failed', cure: 'start it' }]);
  });
});

/** A program that prints its start, and its end after SIGTERM. */
function printing(word: string): string {
  return `process.once('SIGTERM', () => {
  console.log('${word} ends');
  process.exit();
});
console.log('${word} begins');
setInterval(() => {}, 1000);
`;
}
