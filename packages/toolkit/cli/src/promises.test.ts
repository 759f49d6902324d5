import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { loadAll, YAML11_SCHEMA } from 'js-yaml';
import { MemoryCluster } from './dev/cluster/memory-cluster.ts';
import { CheckRunner, type CheckResult } from './doctor/runner/check-runner.ts';
import { generateTypes } from './index.ts';
import { chartObjects, comparable } from './manifests/chart-objects.test-support.ts';
import { generateManifests } from './manifests/generate-manifests.ts';
import {
  applyTo,
  foreignDefinitions,
  kustomizeObjects,
  objectOf,
  projectWith,
  sourcesWith,
  webhookProject,
} from './manifests/manifests.test-support.ts';
import { runProgram } from './program/program.ts';
import { recordingTerminal } from './terminal/recording-terminal.test-support.ts';
import { compile } from './types/code/compile.test-support.ts';
import { definitionOf, definitionWith, versionWith } from './types/code/definition.test-support.ts';
import { readSource } from './types/sources/read-source.ts';
import { definitionsIn } from './types/sources/source-file.ts';
import { useSourcesInProcesses } from './project/definitions/source-condition.test-support.ts';

useSourcesInProcesses();

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

  test('The code is the same for equal definitions, from a file or from a cluster.', async () => {
    await using server = await createApiServer();
    server.seed([definition] as Parameters<typeof server.seed>[0]);
    const kubeconfig = await write('config', server.kubeconfig());
    const fromCluster = definitionsIn(await readSource('cluster:shop.example', { kubeconfig }));
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

  test('A file that fails is named, does not stop the others, and makes the exit code 1.', async () => {
    const { terminal, err } = recordingTerminal();
    const invalid = await write('a.yaml', JSON.stringify(definitionWith([], { group: '' })));
    await write('b.yaml', JSON.stringify(definitionOf({})));
    const output = join(folder, 'types');
    expect(await runProgram(['types', folder, '-o', output], terminal, '0.0.0')).toBe(1);
    expect(err()).toContain(`(source=${invalid}, `);
    expect(await readdir(join(output, 'shop.example/v1'))).toEqual(['widgets.ts']);
  });

  test('The file of a kind has its definition, for YAML 1.1 and 1.2.', async () => {
    const colours = ['yes', '0644', '0o17', '1e3', '2020-01-01', '~'];
    const crd = definitionOf({ colour: { type: 'string', enum: colours } });
    const module = await write('kind.mjs', `export const kind = { crd: ${JSON.stringify(crd)} };`);
    const { terminal, out } = recordingTerminal();
    expect(await runProgram(['crd', 'generate', module], terminal, '0.0.0')).toBe(0);
    expect(loadAll(out())).toEqual([crd]);
    expect(loadAll(out(), { schema: YAML11_SCHEMA })).toEqual([crd]);
  });

  test('Definitions are compared by name, and the exit code is 1 if a change breaks stored objects or clients.', async () => {
    const old = await write(
      'old.json',
      JSON.stringify(definitionOf({ size: { type: 'integer' } })),
    );
    const less = await write('less.json', JSON.stringify(definitionOf({})));
    const { terminal, out } = recordingTerminal();
    expect(await runProgram(['crd', 'diff', old, less], terminal, '0.0.0')).toBe(1);
    expect(out()).toContain('widgets.shop.example v1 spec.size: the field is removed');
    expect(await runProgram(['crd', 'diff', less, old], terminal, '0.0.0')).toBe(0);
  });

  test('A value of package.json is checked before any file is written.', async () => {
    const members = { kinds: ['kind.mjs'], crds: '../crds' };
    await write('package.json', JSON.stringify({ name: 'shop', keelson: members }));
    await write('kind.mjs', `export const kind = { crd: ${JSON.stringify(definition)} };`);
    const { terminal, err } = recordingTerminal();
    expect(await runProgram(['crd', 'generate', '--project', folder], terminal, '0.0.0')).toBe(1);
    expect(err()).toContain('member=keelson.crds');
    expect(await readdir(folder)).toEqual(['kind.mjs', 'package.json']);
  });

  test('With --check no file is written, and the exit code is 1 unless all files are up to date.', async () => {
    const source = await write('crd.json', JSON.stringify(definition));
    const out = join(folder, 'out');
    expect(await runTypes(source, '-o', out, '--check')).toBe(1);
    expect(await readdir(folder)).toEqual(['crd.json']);
    expect(await runTypes(source, '-o', out)).toBe(0);
    expect(await runTypes(source, '-o', out, '--check')).toBe(0);
  });

  test('The Kustomize files and the chart of an operator have the same objects.', () => {
    const files = generateManifests(webhookProject, sourcesWith());
    const production = kustomizeObjects(files, 'overlays/production').filter(({ kind }) => {
      return kind !== 'Namespace' && kind !== 'CustomResourceDefinition';
    });
    expect(production.map(({ kind }) => kind)).toContain('PodDisruptionBudget');
    expect(comparable(chartObjects(files))).toEqual(comparable(production));
  });

  test('The text of package.json and of roles can neither change the structure of a manifest nor become an action of Helm.', () => {
    const text = '{{ fail "x" }}\n---\nkind: Secret # {{- end }}';
    const rules = [{ apiGroups: [text], resources: [text], verbs: [text] }];
    const hostile = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules };
    const sources = sourcesWith({ clusterRoles: [{ ...hostile, metadata: { name: text } }] });
    const files = generateManifests(projectWith({ name: 'on', image: 'null:1_000' }), sources);
    const objects = chartObjects(files);
    expect(objectOf(objects, 'ClusterRole', text)).toMatchObject({ rules });
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
    expect(comparable(objects)).toMatchObject({
      size: comparable(kustomizeObjects(files, 'overlays/production')).size - 2,
    });
  });

  test('The Pods of the manifests are accepted in a namespace of the Pod Security level restricted.', async () => {
    await using server = await createApiServer();
    const objects = kustomizeObjects(generateManifests(webhookProject, sourcesWith()));
    await applyTo(server, [...foreignDefinitions, ...objects]);
    await using client = createClient({ cluster: server.cluster });
    const { spec } = objectOf(objects, 'Deployment') as ObjectOf<typeof builtin.Deployment>;
    const namespace = await client.get(builtin.Namespace, { name: 'websites' });
    expect(Object.values(namespace.metadata.labels ?? {})).toContain('restricted');
    const metadata = { name: 'pod', namespace: 'websites' };
    const pod = { metadata, spec: spec?.template.spec ?? { containers: [] } };
    expect(await client.create(builtin.Pod, pod)).toMatchObject({ metadata });
  });

  test('The server in memory of keelson dev refuses requests without the token of the kubeconfig, and those of web pages.', async () => {
    await using cluster = await MemoryCluster.start({ folder, port: 0, namespace: 'operator' });
    const { clusters, users } = JSON.parse(await readFile(cluster.kubeconfig, 'utf8')) as {
      readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
      readonly users: readonly { readonly user: { readonly token: string } }[];
    };
    const authorization = `Bearer ${users[0]?.user.token}`;
    const url = `${clusters[0]?.cluster.server}/api/v1/secrets`;
    const statusOf = async (headers: Readonly<Record<string, string>>): Promise<unknown> => {
      const sent = request(url, { headers, rejectUnauthorized: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    };
    expect(await statusOf({ authorization })).toBe(200);
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ authorization, origin: 'https://evil.example' })).toBe(403);
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

/** A program that prints whether its predecessor runs, and its own start. It runs until it gets a signal. */
