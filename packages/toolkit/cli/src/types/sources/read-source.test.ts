import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { definitionWith, objectSchema, versionWith } from '../code/definition.test-support.ts';
import { readSource as readFiles } from './read-source.ts';
import { definitionsIn } from './source-file.ts';

async function readSource(source: string, options: object): Promise<readonly unknown[]> {
  return definitionsIn(await readFiles(source, options));
}

function widget(plural: string): object {
  return definitionWith([versionWith(objectSchema({ spec: objectSchema({}) }))], { plural });
}

function namesOf(definitions: readonly unknown[]): unknown[] {
  return definitions.map((one) => (one as { metadata: { name: string } }).metadata.name);
}

async function namesIn(source: string, options: object = {}): Promise<unknown[]> {
  return namesOf(await readSource(source, options));
}

function failure(code: string, facts: object): Error {
  return expect.objectContaining({
    code,
    facts: expect.objectContaining(facts),
  }) as unknown as Error;
}

describe('a file or a folder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-sources-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  test('may have several YAML documents, and those of other kinds are ignored', async () => {
    const documents = [widget('a'), { kind: 'Pod' }, null, 'text', widget('b')];
    const text = documents.map((document) => JSON.stringify(document)).join('\n---\n');
    const path = await write('all.yaml', `# comment\n${text}`);
    expect(await namesIn(path)).toEqual(['a.shop.example', 'b.shop.example']);
  });

  test.each(['List', 'CustomResourceDefinitionList'])('may be a %s in JSON', async (kind) => {
    const path = await write('all.json', JSON.stringify({ kind, items: [widget('a')] }));
    expect(await namesIn(path)).toEqual(['a.shop.example']);
  });

  test('is read with its subfolders, in the order of the names', async () => {
    await write('b/two.yml', JSON.stringify(widget('b')));
    await write('a.json', JSON.stringify(widget('a')));
    await write('c.yaml', JSON.stringify(widget('c')));
    await write('b/notes.txt', JSON.stringify(widget('d')));
    await write('.hidden/x.yaml', JSON.stringify(widget('e')));
    await write('node_modules/x.yaml', JSON.stringify(widget('f')));
    await write('template.yaml', '{{ if .Values.crds }}\n');
    expect(await namesIn(folder)).toEqual(['a.shop.example', 'b.shop.example', 'c.shop.example']);
  });

  test('keeps the property __proto__ of YAML and JSON', async () => {
    const text = `kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\n__proto__: {a: 1}\n`;
    const json =
      '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","__proto__":{}}';
    for (const path of [await write('a.yaml', text), await write('a.json', json)]) {
      const [definition] = await readSource(path, {});
      expect(Object.keys(definition as object)).toContain('__proto__');
    }
  });

  test.each([
    ['invalid YAML', 'kind: CustomResourceDefinition\n  a: ['],
    ['invalid JSON', '{"kind": "CustomResourceDefinition",}}'],
    ['invalid YAML without a kind', 'a: [1\nb: }'],
    ['a template', '{{ if .Values.crds }}\nkind: X\n{{ end }}'],
    ['invalid JSON without a kind', '{"spec": {"group": }'],
    ['a tab in the indentation', 'spec:\n\tgroup: a'],
    ['YAML that is too deep', `# CustomResourceDefinition\n${'['.repeat(100_000)}`],
    ['a duplicate key', 'kind: CustomResourceDefinition\nkind: CustomResourceDefinition'],
  ])('is refused with its name: %s', async (_what, text) => {
    const source = await write('a.yaml', text);
    await expect(readSource(source, {})).rejects.toThrow(failure('SOURCE_INVALID', { source }));
  });

  test('of a folder that is invalid does not stop the others', async () => {
    await write('a.yaml', JSON.stringify(widget('a')));
    const invalid = await write('b.yaml', 'kind: CustomResourceDefinition\n  a: [');
    await write('c.yaml', JSON.stringify(widget('c')));
    const [one, failed, other] = await readFiles(folder, {});
    expect([one, other].map((file) => file && namesOf(definitionsIn([file])))).toEqual([
      ['a.shop.example'],
      ['c.shop.example'],
    ]);
    expect(failed).toMatchObject({
      source: invalid,
      error: { code: 'SOURCE_INVALID', facts: { source: invalid } },
    });
  });

  test('is refused without a definition', async () => {
    const source = await write('a.yaml', 'kind: Pod');
    const expected = failure('DEFINITIONS_NOT_FOUND', { source });
    await expect(readSource(source, {})).rejects.toThrow(expected);
  });

  test('is refused if it does not exist', async () => {
    const source = join(folder, 'missing.yaml');
    const expected = failure('SOURCE_UNREADABLE', { source });
    await expect(readSource(source, {})).rejects.toThrow(expected);
  });

  test('is refused if it has no end', async () => {
    const expected = failure('SOURCE_UNREADABLE', { reason: 'larger than 33554432 bytes' });
    await expect(readSource('/dev/zero', {})).rejects.toThrow(expected);
  });

  test('is refused if it is larger than 32 MiB', async () => {
    const source = await write('a.yaml', ' '.repeat(32 * 1024 * 1024 + 1));
    const expected = failure('SOURCE_UNREADABLE', { reason: 'larger than 33554432 bytes' });
    await expect(readSource(source, {})).rejects.toThrow(expected);
  });
});

describe('a URL', () => {
  const responses: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    '/crds.yaml': (response) => response.end(JSON.stringify(widget('a'))),
    '/broken': (response) => response.end('a: [1\nb: }'),
    '/moved': (response) => response.writeHead(302, { location: '/crds.yaml' }).end(),
    '/endless': (response) => {
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    },
    '/cut': (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('a');
      response.socket?.end();
    },
  };
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const respond = responses[request.url?.split('?')[0] ?? ''];
      if (respond === undefined) response.writeHead(404).end('CustomResourceDefinition');
      else respond(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  test.each(['/crds.yaml', '/moved'])('is downloaded, also after a redirect: %s', async (path) => {
    expect(await namesIn(`${url}${path}`)).toEqual(['a.shop.example']);
  });

  test.each([
    ['/missing?token=secret', '/missing', 'HTTP status 404'],
    ['/endless', '/endless', 'larger than 33554432 bytes'],
    ['/cut', '/cut', expect.any(String)],
  ])('is refused with the reason and without its query: %s', async (path, shown, reason) => {
    const expected = failure('SOURCE_UNREADABLE', { source: `${url}${shown}`, reason });
    await expect(readSource(`${url}${path}`, {})).rejects.toThrow(expected);
  });

  test('is refused if its text is neither YAML nor JSON', async () => {
    const source = `${url}/broken`;
    await expect(readSource(source, {})).rejects.toThrow(failure('SOURCE_INVALID', { source }));
  });

  test('is refused if it is not valid', async () => {
    const expected = failure('SOURCE_UNREADABLE', { reason: 'not a valid URL' });
    await expect(readSource('https://', {})).rejects.toThrow(expected);
  });
});

describe('a cluster', () => {
  let server: ApiServer;
  let folder: string;
  let kubeconfig: string;

  beforeAll(async () => {
    server = await createApiServer();
    const other = JSON.stringify(widget('c')).replaceAll('shop.example', 'other.example');
    server.seed([widget('a'), widget('b'), JSON.parse(other)] as Parameters<typeof server.seed>[0]);
    folder = await mkdtemp(join(tmpdir(), 'keelson-kubeconfig-'));
    kubeconfig = join(folder, 'config');
    await writeFile(kubeconfig, server.kubeconfig());
  });

  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  test.each([
    ['cluster:', ['a.shop.example', 'b.shop.example', 'c.other.example']],
    ['cluster:shop.example', ['a.shop.example', 'b.shop.example']],
    ['cluster:b.shop.example', ['b.shop.example']],
  ])('gives its definitions, those of a group, or one by name: %s', async (source, names) => {
    const found = await namesIn(source, { kubeconfig });
    expect(new Set(found)).toEqual(new Set(names));
  });

  test('without the definition is refused', async () => {
    const expected = failure('DEFINITIONS_NOT_FOUND', { source: 'cluster:c.shop.example' });
    await expect(readSource('cluster:c.shop.example', { kubeconfig })).rejects.toThrow(expected);
  });

  test('is refused with the reason of the client', async () => {
    const expected = failure('SOURCE_UNREADABLE', {
      source: 'cluster:',
      reason: expect.stringContaining('absent'),
    });
    const options = { kubeconfig, context: 'absent' };
    await expect(readSource('cluster:', options)).rejects.toThrow(expected);
  });
});
