import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

const { ConfigMap } = builtin;

interface Changed {
  readonly status?: number;
  readonly body: string;
}

/** Changes a response to a request for ConfigMaps, definitions or a namespace; `undefined` leaves it. */
type Change = (url: URL, body: () => Promise<string>) => Promise<Changed | undefined>;

interface List {
  metadata: { continue?: unknown; resourceVersion?: unknown };
  items: Record<string, unknown>[];
}

type Members = Record<string, unknown>;

describe('keelson snapshot behind a proxy that changes responses', () => {
  let folder: string;
  let file: string;
  let kubeconfig: string;
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-snapshot-'));
    [file, kubeconfig] = [join(folder, 'cluster.jsonl'), join(folder, 'kubeconfig')];
    server = await createApiServer();
    client = createClient({ cluster: server.cluster });
    const namespaces = ['shop', 'other'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    }));
    server.seed(namespaces);
    await server.idle();
    server.seed(['a', 'b', 'c'].map((name) => map(name)));
  });

  afterEach(async () => {
    await client.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const map = (name: string, namespace = 'shop') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
    data: { text: 'old' },
  });

  async function run(
    change: Change,
    words: readonly string[] = ['-n', 'shop', '--kinds', 'configmaps'],
  ): Promise<{ code: number; out: string; err: string }> {
    const proxy = createServer((request, response) => {
      const url = new URL(request.url ?? '/', server.url);
      const forward = async (): Promise<{ status: number; type: string; body: string }> => {
        const authorization = `Bearer ${server.cluster.token}`;
        const answer = await fetch(url, { headers: { authorization } });
        const type = answer.headers.get('content-type') ?? '';
        return { status: answer.status, type, body: await answer.text() };
      };
      const reply = async (): Promise<void> => {
        const isChanged = /\/(?:configmaps|customresourcedefinitions|namespaces\/\w+)$/.test(
          url.pathname,
        );
        const changed = isChanged
          ? await change(url, async () => (await forward()).body)
          : undefined;
        const { status, type, body } =
          changed === undefined
            ? await forward()
            : { status: 200, type: 'application/json', ...changed };
        response.writeHead(status, { 'content-type': type });
        response.end(body);
      };
      reply().catch((error: unknown) => response.destroy(error as Error));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const { port } = proxy.address() as AddressInfo;
      await writeFile(
        kubeconfig,
        server.kubeconfig().replace(server.url, `http://127.0.0.1:${port}`),
      );
      const { terminal, out, err } = recordingTerminal();
      const all = ['snapshot', '-o', file, '--kubeconfig', kubeconfig, ...words];
      const code = await runProgram(all, terminal, '1.0.0');
      return { code, out: out(), err: err() };
    } finally {
      proxy.closeAllConnections();
      proxy.close();
    }
  }

  /** Changes the list of ConfigMaps. */
  const changeList =
    (edit: (list: List) => unknown): Change =>
    async (url, body) => {
      if (!url.pathname.endsWith('/configmaps')) return undefined;
      // The server knows only its own continue tokens.
      if (url.searchParams.get('continue')?.startsWith('token-') === true)
        url.searchParams.delete('continue');
      const list = JSON.parse(await body()) as List;
      return { body: JSON.stringify(edit(list) ?? list) };
    };

  /** Changes the first item of the list of ConfigMaps. */
  const changeItem = (edit: (item: Members, metadata: Members) => unknown): Change =>
    changeList((list) => {
      const item = list.items[0] ?? {};
      list.items[0] = (edit(item, item['metadata'] as Members) ?? item) as Members;
    });

  /** The restored ConfigMaps of the file. */
  async function restoredMaps(): Promise<KubernetesObject[]> {
    await using restored = await createApiServer({ restore: file });
    await using other = createClient({ cluster: restored.cluster });
    return (await other.list(ConfigMap, { namespace: 'shop' })).items;
  }

  const namesOf = (objects: readonly KubernetesObject[]): string[] =>
    objects.map(({ metadata }) => metadata?.name ?? '');

  test('the list after a 410 replaces the pages before it', async () => {
    server.seed(Array.from({ length: 600 }, (_, index) => map(`m${index}`)));
    const old = await client.get(ConfigMap, { namespace: 'shop', name: 'm1' });
    const { code, out, err } = await run(async (url) => {
      if (!url.searchParams.has('continue')) return undefined;
      await client.delete(ConfigMap, { namespace: 'shop', name: 'm0' });
      await client.delete(ConfigMap, { namespace: 'shop', name: 'm1' });
      const data = { text: 'new' };
      await client.create(ConfigMap, { metadata: { namespace: 'shop', name: 'm1' }, data });
      const body = { data };
      await client.patch(ConfigMap, { namespace: 'shop', name: 'm2' }, { type: 'merge', body });
      server.compact();
      return undefined;
    });
    expect({ code, err }).toMatchObject({ code: 0 });
    const present = (await client.list(ConfigMap, { namespace: 'shop' })).items;
    const maps = await restoredMaps();
    expect(maps).toEqual(present);
    expect(namesOf(maps)).not.toContain('m0');
    expect(maps.find(({ metadata }) => metadata?.name === 'm1')?.metadata?.uid).not.toBe(
      old.metadata.uid,
    );
    expect(err).toContain(`configmaps: ${present.length}`);
    expect(out).toContain(`${present.length + 1} objects`);
  });

  test('the list of a namespace that is named twice is not saved twice', async () => {
    let lists = 0;
    const { code, err } = await run(
      async (url) => {
        if (!url.pathname.endsWith('/configmaps') || ++lists === 1) return undefined;
        await client.delete(ConfigMap, { namespace: 'shop', name: 'a' });
        await client.create(ConfigMap, { metadata: { namespace: 'shop', name: 'a' } });
        return undefined;
      },
      ['-n', 'shop,shop', '--kinds', 'configmaps'],
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    const present = (await client.list(ConfigMap, { namespace: 'shop' })).items;
    expect(await restoredMaps()).toEqual(present);
    expect(err).toContain(`configmaps: ${present.length}`);
  });

  test('pages without objects under new tokens end', async () => {
    let requests = 0;
    const { code, err } = await run(
      changeList((list) => {
        requests += 1;
        list.items = [];
        if (requests < 500) list.metadata.continue = `token-${requests}`;
      }),
    );
    expect([code, err]).toEqual([1, expect.stringContaining('SNAPSHOT_ENDLESS')]);
    expect(err).toContain('/api/v1/namespaces/shop/configmaps');
    expect(requests).toBeLessThanOrEqual(101);
  });

  test('some pages without objects are read', async () => {
    let requests = 0;
    const { code } = await run(
      changeList((list) => {
        requests += 1;
        if (requests > 50) return;
        list.items = [];
        list.metadata.continue = `token-${requests}`;
      }),
    );
    expect(code).toBe(0);
    expect(namesOf(await restoredMaps())).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test('objects without a uid are all saved', async () => {
    const { code, err } = await run(
      changeList(({ items }) => {
        for (const item of items) delete (item['metadata'] as Members)['uid'];
      }),
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(namesOf(await restoredMaps())).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test('members that are null are left out', async () => {
    const { code, err } = await run(
      changeItem((_item, metadata) => {
        Object.assign(metadata, { labels: null, annotations: null, finalizers: null });
        Object.assign(metadata, { ownerReferences: null, creationTimestamp: null, uid: null });
      }),
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(namesOf(await restoredMaps())).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  test('the items of an empty list may be null, as Go servers write them', async () => {
    const { code, err } = await run(changeList((list) => ({ ...list, items: null })));
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(await restoredMaps()).toEqual([]);
  });

  const longVersion = '9'.repeat(60);
  const setMetadata = (members: Members): Change =>
    changeItem((_item, metadata) => void Object.assign(metadata, members));

  const body =
    (text: string, status = 200): Change =>
    async (url) =>
      url.pathname.endsWith('/configmaps') ? { status, body: text } : undefined;

  test.each<[string, Change, string]>([
    ['an item that is a list', changeItem(() => []), 'items[0]: must be an object'],
    ['an item that is a text', changeItem(() => 'a'), 'items[0]: must be an object'],
    [
      'an item that is null',
      changeList((list) => ({ ...list, items: [null] })),
      'must be an object',
    ],
    [
      'an item without metadata',
      changeItem(({ metadata: _metadata, ...item }) => item),
      'metadata',
    ],
    ['metadata that is null', changeItem((item) => ({ ...item, metadata: null })), 'metadata'],
    ['metadata that is a list', changeItem((item) => ({ ...item, metadata: [] })), 'metadata'],
    ['no name', setMetadata({ name: undefined }), 'metadata.name'],
    ['an empty name', setMetadata({ name: '' }), 'metadata.name'],
    ['a name that is no part of a path', setMetadata({ name: 'a/b' }), 'metadata.name'],
    ['no namespace', setMetadata({ namespace: undefined }), 'metadata.namespace'],
    ['a namespace that is a number', setMetadata({ namespace: 1 }), 'metadata.namespace'],
    ['a long version', setMetadata({ resourceVersion: longVersion }), 'metadata.resourceVersion'],
    ['a version that is a number', setMetadata({ resourceVersion: 5 }), 'metadata.resourceVersion'],
    ['no version', setMetadata({ resourceVersion: undefined }), 'metadata.resourceVersion'],
    ['a version of zero', setMetadata({ resourceVersion: '0' }), 'metadata.resourceVersion'],
    ['a uid that is a number', setMetadata({ uid: 1 }), 'metadata.uid'],
    ['labels that are numbers', setMetadata({ labels: { a: 1 } }), 'metadata.labels'],
    ['annotations that are a list', setMetadata({ annotations: [] }), 'metadata.annotations'],
    ['finalizers that are a text', setMetadata({ finalizers: 'a' }), 'metadata.finalizers'],
    ['an owner without uid', setMetadata({ ownerReferences: [{}] }), 'metadata.ownerReferences'],
    ['owners of fields', setMetadata({ managedFields: [1] }), 'metadata.managedFields'],
    ['a generation that is a text', setMetadata({ generation: 'a' }), 'metadata.generation'],
    ['an item of another kind', changeItem((item) => ({ ...item, kind: 'Secret' })), 'kind'],
    [
      'an item of another version',
      changeItem((item) => ({ ...item, apiVersion: 'v2' })),
      'apiVersion',
    ],
    ['items that are a text', changeList((list) => ({ ...list, items: 'a' })), 'items'],
    ['items that are an object', changeList((list) => ({ ...list, items: {} })), 'items'],
    [
      'no items and no list kind',
      changeList((list) => ({ ...list, items: undefined, kind: 'Status' })),
      'items',
    ],
    [
      'metadata of the list that is null',
      changeList((list) => ({ ...list, metadata: null })),
      'metadata',
    ],
    [
      'a token that is null',
      changeList(({ metadata }) => void (metadata.continue = null)),
      'metadata.continue',
    ],
    [
      'a token that is a number',
      changeList(({ metadata }) => void (metadata.continue = 1)),
      'metadata.continue',
    ],
    [
      'a long version of the list',
      changeList(({ metadata }) => void (metadata.resourceVersion = longVersion)),
      'metadata.resourceVersion',
    ],
    [
      'a version of the list that is a number',
      changeList(({ metadata }) => void (metadata.resourceVersion = 7)),
      'metadata.resourceVersion',
    ],
    ['a body that is null', body('null'), 'must be an object'],
    ['a body that is a list', body('[]'), 'must be an object'],
    ['a page of HTML', body('<html>login</html>'), 'JSON'],
    ['no body', body('', 204), 'JSON'],
  ])('refuses a response with %s, by its path, and writes no file', async (_, change, reason) => {
    const { code, err } = await run(change);
    expect([code, err]).toEqual([1, expect.stringContaining('SNAPSHOT_RESPONSE_INVALID')]);
    expect(err).toContain('path=/api/v1/namespaces/shop/configmaps');
    expect(err).toContain(reason);
    expect(await readdir(folder)).toEqual(['kubeconfig']);
  });

  test('an error about an object names it', async () => {
    const { err } = await run(setMetadata({ name: 'a', resourceVersion: longVersion }));
    expect(err).toContain('object=shop/a');
  });

  test.each<[string, Members]>([
    ['without spec', {}],
    ['with versions that are an object', { spec: { versions: {} } }],
    ['with a version that is null', { spec: { versions: [null] } }],
    ['with a version without a name', { spec: { versions: [{}] } }],
  ])('refuses a definition %s, by its path', async (_, members) => {
    const { code, err } = await run(async (url) => {
      if (!url.pathname.endsWith('/customresourcedefinitions')) return undefined;
      const metadata = { name: 'orders.shop.example', resourceVersion: '1' };
      return { body: JSON.stringify({ metadata: {}, items: [{ metadata, ...members }] }) };
    });
    expect([code, err]).toEqual([1, expect.stringContaining('SNAPSHOT_RESPONSE_INVALID')]);
    expect(err).toContain('path=/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
    expect(err).toContain('object=orders.shop.example');
    expect(await readdir(folder)).toEqual(['kubeconfig']);
  });

  describe('a namespace of an object', () => {
    const changeNamespace =
      (name: string, changed: Changed): Change =>
      async (url) =>
        url.pathname === `/api/v1/namespaces/${name}` ? changed : undefined;
    const notFound = {
      status: 404,
      body: '{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"NotFound","code":404}',
    };

    test.each<[string, readonly string[]]>([
      ['of one kind', ['--kinds', 'configmaps']],
      ['of all kinds', []],
    ])('that has just been deleted is left out with its objects %s', async (_, words) => {
      server.seed([map('gone', 'other')]);
      const { code, err } = await run(changeNamespace('other', notFound), words);
      expect({ code, err }).toMatchObject({ code: 0 });
      expect(err).toMatch(/left out \d+ objects of the namespace other, which no longer exists/);
      const text = await readFile(file, 'utf8');
      expect(text).not.toContain('"namespace":"other"');
      expect(text).not.toContain('"name":"other"');
      expect(namesOf(await restoredMaps())).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    });

    test('is an error if the command names it and it has no objects', async () => {
      const { code, err } = await run(
        async () => undefined,
        ['-n', 'missing', '--kinds', 'configmaps'],
      );
      expect([code, err]).toEqual([1, expect.stringContaining('missing')]);
      expect(await readdir(folder)).toEqual(['kubeconfig']);
    });

    test.each<[string, string]>([
      ['null', 'null'],
      ['HTML', '<html>'],
      ['another object', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"shop"}}'],
    ])('whose response is %s is an error by its path', async (_, text) => {
      const { code, err } = await run(changeNamespace('shop', { body: text }));
      expect([code, err]).toEqual([1, expect.stringContaining('SNAPSHOT_RESPONSE_INVALID')]);
      expect(err).toContain('path=/api/v1/namespaces/shop,');
      expect(await readdir(folder)).toEqual(['kubeconfig']);
    });
  });
});
