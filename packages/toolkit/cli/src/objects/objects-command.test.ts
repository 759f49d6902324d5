import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { sessionKubeconfig } from '../dev/cluster/kubeconfig-file.ts';
import { definitionOf } from '../manifests/manifests.test-support.ts';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const configMap = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

describe('keelson apply, get and delete', () => {
  let folder: string;
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-objects-'));
    server = await createApiServer();
    client = createClient({ cluster: server.cluster, fieldManager: 'test' });
    const name = 'dev';
    const { token } = server.cluster;
    await write(
      sessionKubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name, cluster: { server: server.url } }],
        users: [{ name, user: { token } }],
        contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
        'current-context': name,
      }),
    );
  });

  afterEach(async () => {
    await client.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function write(path: string, text: string): Promise<string> {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  }

  async function run(...words: readonly string[]): Promise<Outcome> {
    const { terminal, out, err } = recordingTerminal();
    const code = await runProgram([...words, '--project', folder], terminal, '0.0.0');
    return { code, out: out(), err: err() };
  }

  test('applies the documents of a file in their order, also of a kind that the file defines', async () => {
    const definition = definitionOf('websites', 'web.example.com', 'Website');
    const website = 'apiVersion: web.example.com/v1\nkind: Website\nmetadata: { name: a }\n';
    const list = `apiVersion: v1\nkind: List\nitems: [{ ${website.trim().replaceAll('\n', ', ')} }]\n`;
    const documents = [JSON.stringify(definition), website, configMap('b'), list];
    const file = await write('all.yaml', documents.join('\n---\n'));
    expect(await run('apply', file)).toEqual({
      code: 0,
      out: [
        'customresourcedefinition.apiextensions.k8s.io/websites.web.example.com applied',
        'website.web.example.com/a applied',
        'configmap/b applied',
        'website.web.example.com/a applied',
        '',
      ].join('\n'),
      err: '',
    });
    expect((await run('get', 'websites')).out).toMatch(/^NAME +AGE\na +\d+s\n$/);
  });

  test('continues after an object that the server refuses, and exits with 1', async () => {
    const file = await write('two.yaml', `${configMap('A')}---\n${configMap('b')}`);
    const { code, out, err } = await run('apply', file);
    expect({ code, out }).toEqual({ code: 1, out: 'configmap/b applied\n' });
    expect(err).toMatch(/^error: /);
  });

  test('stores nothing in a dry run', async () => {
    const file = await write('a.yaml', configMap('a'));
    expect((await run('apply', file, '--dry-run')).out).toBe('configmap/a applied (dry run)\n');
    expect(await run('get', 'configmap', 'a')).toMatchObject({ code: 1, out: '' });
  });

  test.each([
    ['[1]', 'OBJECT_INVALID', 'path=apiVersion'],
    [configMap('""'), 'OBJECT_INVALID', 'path=metadata.name'],
    ['', 'OBJECTS_NOT_FOUND', 'a.yaml'],
    ['# none\n---\n', 'OBJECTS_NOT_FOUND', 'a.yaml'],
    ['{ apiVersion: v1, kind: List, items: [] }', 'OBJECTS_NOT_FOUND', 'a.yaml'],
    [`${configMap('a')}---\n[1]`, 'OBJECT_INVALID', 'a.yaml (document 2)'],
    [
      `${configMap('a')}---\n{ kind: List, items: [{ kind: A, apiVersion: v1 }] }`,
      'OBJECT_INVALID',
      'a.yaml (document 2, item 1)',
    ],
    ['a: [', 'SOURCE_INVALID', 'reason='],
    ['apiVersion: a/v1\nkind: B\nmetadata: { name: c }', 'RESOURCE_NOT_FOUND', 'kind=B'],
    [configMap('a', '  namespace: other\n'), 'OBJECT_INVALID', '--namespace is default'],
  ])('refuses the document %j with %s', async (text, code, fact) => {
    const file = await write('a.yaml', text);
    const outcome = await run('apply', file, '-n', 'default');
    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.err).toContain(code);
    expect(outcome.err).toContain(fact);
  });

  test('prints objects as a table, as YAML, as JSON and by their names', async () => {
    await client.create(builtin.Namespace, { metadata: { name: 'shop' } });
    const data = { first: '1', second: '2' };
    await client.create(builtin.ConfigMap, {
      metadata: { namespace: 'default', name: 'a', labels: { app: 'x' } },
      data,
    });
    await client.create(builtin.ConfigMap, { metadata: { namespace: 'shop', name: 'bb' } });
    expect((await run('get', 'cm', '-l', 'app=x')).out).toMatch(/^NAME +DATA +AGE\na +2 +\d+s\n$/);
    expect((await run('get', 'ConfigMap', '-n', 'shop', '-o', 'name')).out).toBe('configmap/bb\n');
    expect((await run('get', 'configmaps', '-A')).out).toMatch(
      /^NAMESPACE +NAME +DATA +AGE\n(?:.*\n)*default +a +2 +\d+s\n(?:.*\n)*shop +bb +0 +\d+s\n$/,
    );
    const yaml = (await run('get', 'cm/a', '-o', 'yaml')).out;
    expect(yaml).toContain("data:\n  first: '1'\n  second: '2'\n");
    expect(yaml).not.toContain('managedFields');
    const json = JSON.parse((await run('get', 'cm', '-l', 'app=x', '-o', 'json')).out) as object;
    expect(json).toMatchObject({ kind: 'List', items: [{ kind: 'ConfigMap', data }] });
  });

  test('reports that there are no objects, and which names are missing', async () => {
    const none = await run('get', 'pods');
    expect(none).toEqual({
      code: 0,
      out: '',
      err: 'No resources found in default namespace.\n',
    });
    await client.create(builtin.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    const { code, out, err } = await run('get', 'cm', 'a', 'b');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('"b" not found') });
    expect(out).toMatch(/\na +0 /);
    expect((await run('get', 'ghosts')).err).toContain('RESOURCE_NOT_FOUND');
  });

  test('deletes by names and by the objects of a file, and names those with finalizers', async () => {
    const metadata = { namespace: 'default', finalizers: ['shop.example/held'] };
    await client.create(builtin.ConfigMap, { metadata: { ...metadata, name: 'held' } });
    const file = await write('two.yaml', `${configMap('a')}---\n${configMap('b')}`);
    await run('apply', file);
    expect((await run('delete', 'cm/a')).out).toBe('configmap/a deleted\n');
    const second = await run('delete', '-f', file);
    expect(second).toMatchObject({ code: 1, out: 'configmap/b deleted\n' });
    const held = await run('delete', 'cm', 'held');
    expect(held.out).toBe('configmap/held deleted (it has finalizers)\n');
  });

  test('deletes nothing if an argument does not name an object', async () => {
    await run('apply', await write('a.yaml', configMap('a')));
    for (const words of [['cm/a/status'], ['cm/', 'a'], ['cm', 'a', '']]) {
      expect(await run('delete', ...words)).toMatchObject({ code: 2, out: '' });
    }
    expect((await run('get', 'cm/a', '-o', 'name')).out).toBe('configmap/a\n');
  });

  test('deletes no object of a file in another namespace than the given one', async () => {
    await client.create(builtin.Namespace, { metadata: { name: 'shop' } });
    const file = await write(
      'two.yaml',
      `${configMap('own', '  namespace: default\n')}---\n${configMap('free')}`,
    );
    await run('apply', file);
    await client.create(builtin.ConfigMap, { metadata: { namespace: 'shop', name: 'free' } });
    const { code, out, err } = await run('delete', '-f', file, '-n', 'shop');
    expect({ code, out }).toEqual({ code: 1, out: 'configmap/free deleted\n' });
    expect(err).toContain('OBJECT_INVALID');
    expect(err).toContain('is default, and --namespace is shop');
    const { items } = await client.list(builtin.ConfigMap, { namespace: 'default' });
    const names = items.map(({ metadata }) => metadata?.name);
    expect(names).toEqual(expect.arrayContaining(['own', 'free']));
  });

  test('deletes the other objects of a file with a kind that the server does not serve', async () => {
    const ghost = 'apiVersion: a.example/v1\nkind: Ghost\nmetadata: { name: c }\n';
    await run('apply', await write('one.yaml', configMap('a')));
    const file = await write('two.yaml', `${configMap('a')}---\n${ghost}`);
    const { code, out, err } = await run('delete', '-f', file);
    expect({ code, out }).toEqual({ code: 1, out: 'configmap/a deleted\n' });
    expect(err).toContain('RESOURCE_NOT_FOUND');
  });

  test.each([
    [['delete', 'cm']],
    [['delete']],
    [['delete', 'cm', 'a', '-f', 'file']],
    [['get', 'cm', '-o', 'table']],
    [['get', 'cm', 'a', '-A']],
    [['get', 'cm/a', '-l', 'a=b']],
    [['get', 'cm', '..']],
    [['get', 'cm/a/status']],
    [['apply']],
  ])('exits with 2 for the command line %j', async (words) => {
    expect((await run(...words)).code).toBe(2);
  });

  test('needs a running session, or the choice of a cluster', async () => {
    const file = join(folder, sessionKubeconfig);
    const other = await write('other', '{}');
    await rm(file);
    expect(await run('get', 'cm')).toMatchObject({
      code: 1,
      err: expect.stringContaining('DEV_NOT_RUNNING'),
    });
    expect((await run('get', 'cm', '--kubeconfig', other)).err).not.toContain('DEV_NOT_RUNNING');
  });
});
