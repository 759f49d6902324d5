import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';
import { beginLine, endLine, snapshotLine, snapshotText } from './snapshot-line.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const maps = '/api/v1/namespaces/default/configmaps';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const gadgets = '/apis/example.com/v1/namespaces/default/gadgets';

function version(name: string, storage: boolean, properties: Json = {}): Json {
  const spec = { type: 'object', properties: { size: { type: 'integer' }, ...properties } };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const selectableFields = [{ jsonPath: '.spec.size' }];
  return { name, served: true, storage, schema: { openAPIV3Schema }, selectableFields };
}

function gadgetDefinition(versions: Json[] = [version('v1', true)]): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget', listKind: 'GadgetList' },
      versions,
    },
  };
}

function gadget(name: string, size: number): Json {
  return { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name }, spec: { size } };
}

const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
const advertised = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/apiserver-keelson';

/** A restored server replaces its Endpoints, its EndpointSlice and its Lease. */
const ADDRESS_WRITES = 3;

/** The lines of a snapshot without the kinds that name the address of the server, and without its last revision. */
function withoutAddress(saved: Uint8Array): string[] {
  const lines = Buffer.from(saved).toString().trimEnd().split('\n').slice(0, -1);
  return lines.filter((line) => !/"kind":"(Endpoints|EndpointSlice|Lease)"/.test(line));
}

/** A list without its own version, since a restored server is ahead by the writes of its address. */
async function listOf(server: ApiServer, path: string): Promise<string> {
  const { text } = await new RawClient(server).get(path);
  return text.replace(/("metadata":\{(?:"continue":"",)?"resourceVersion":)"\d+"/, '$1""');
}

/** The events of a watch from a revision to the newest one, or the code of the ERROR event. */
async function eventsFrom(server: ApiServer, path: string, revision: string): Promise<Json> {
  const query = `watch=1&resourceVersion=${revision}&timeoutSeconds=1`;
  await using watch = await new RawClient(server).watch(`${path}?${query}`);
  const events: Json[] = [];
  const marker = {
    metadata: { name: 'zz-marker' },
    ...(path === gadgets && gadget('zz-marker', 0)),
  };
  // The last event, so that the test needs no time limit.
  await new RawClient(server).post(path, marker);
  for (;;) {
    const event = await watch.next();
    if (event === undefined || event.object.metadata?.name === 'zz-marker') break;
    if (event.type === 'ERROR') return event.object.code;
    events.push(event);
  }
  await new RawClient(server).delete(`${path}/zz-marker`);
  return events;
}

describe('a snapshot', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-snapshot-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('restores lists, continue tokens and watches of random sessions', async () => {
    const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
    const step = fc.record({
      act: fc.constantFrom('create', 'update', 'update', 'delete', 'compact', 'apply'),
      path: fc.constantFrom(maps, gadgets),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      label: names,
      size: fc.oneof(fc.nat(), fc.constant('9007199254740993')),
    });
    const session = fc.record({
      steps: fc.array(step, { maxLength: 25 }),
      historyLimit: fc.constantFrom(3, 10_000),
    });
    await fc.assert(
      fc.asyncProperty(session, async ({ steps, historyLimit }) => {
        await using server = await createApiServer({ historyLimit });
        const client = new RawClient(server);
        await client.post(definitions, gadgetDefinition());
        await server.idle();
        const revisions = [server.resourceVersion];
        for (const { act, path, name, label, size } of steps) {
          // The text keeps the members that a literal would set as the prototype, and integers beyond 2^53.
          const labels = `{${JSON.stringify(label)}:"x"}`;
          const metadata = `{"name":"${name}","namespace":"default","labels":${labels}}`;
          const head = `"apiVersion":"${path === maps ? 'v1' : 'example.com/v1'}","kind":"${path === maps ? 'ConfigMap' : 'Gadget'}"`;
          const content = path === maps ? `"data":{"size":"${size}"}` : `"spec":{"size":${size}}`;
          const body = `{${head},"metadata":${metadata},${content}}`;
          if (act === 'create') await client.post(path, body);
          else if (act === 'update') await client.put(`${path}/${name}`, body);
          else if (act === 'delete') await client.delete(`${path}/${name}`);
          else if (act === 'compact') server.compact();
          else await client.patch(`${path}/${name}?fieldManager=${label}`, 'apply', body);
          revisions.push(server.resourceVersion);
        }
        const page = (await client.get(`${maps}?limit=1`)).body;
        const saved = await server.save();
        await using restored = await createApiServer({ historyLimit, restore: saved });
        expect(withoutAddress(await restored.save())).toEqual(withoutAddress(saved));
        expect(Number(restored.resourceVersion)).toBe(
          Number(server.resourceVersion) + ADDRESS_WRITES,
        );
        const { continue: token } = page.metadata;
        const rest = `${maps}?limit=2&continue=${token}`;
        const field = `${gadgets}?fieldSelector=spec.size%3D9007199254740993`;
        for (const path of [maps, gadgets, field, ...(token === undefined ? [] : [rest])]) {
          expect(await listOf(restored, path)).toBe(await listOf(server, path));
        }
        // An edited file is checked completely, and gives the same server.
        const edited = Buffer.from(saved)
          .toString()
          .replace(/"crc32":\d+/, '"crc32":0');
        await using checked = await createApiServer({ historyLimit, restore: Buffer.from(edited) });
        expect(withoutAddress(await checked.save())).toEqual(withoutAddress(saved));
        const old = revisions[Math.floor(revisions.length / 2)] ?? '';
        for (const path of [maps, gadgets]) {
          const before = await eventsFrom(server, path, old);
          expect(await eventsFrom(restored, path, old)).toEqual(before);
        }
      }),
      { numRuns: Math.ceil(30 * multiple) },
    );
  });

  test('is a file of lines, which replaces an earlier one and only its owner can read', async () => {
    await using server = await createApiServer();
    const file = join(folder, 'state.jsonl');
    await writeFile(file, 'earlier', { mode: 0o644 });
    await server.save(file);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ snapshot: 'keelson.dev/snapshot/v1' });
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      end: { revision: server.resourceVersion },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['state.jsonl']);
    await using restored = await createApiServer({ restore: file });
    expect(Number(restored.resourceVersion)).toBe(Number(server.resourceVersion) + ADDRESS_WRITES);
    await expect(server.save(join(folder, 'missing', 'x'))).rejects.toMatchObject({
      code: 'SNAPSHOT_NOT_WRITTEN',
    });
    await expect(createApiServer({ restore: join(folder, 'none') })).rejects.toMatchObject({
      code: 'SNAPSHOT_UNREADABLE',
    });
  });

  test('keeps owners of all kinds: nothing is collected while objects are restored', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(definitions, gadgetDefinition());
    await server.idle();
    const { body: owner } = await client.post(gadgets, gadget('owner', 1));
    const { uid } = owner.metadata;
    const reference = { apiVersion: 'example.com/v1', kind: 'Gadget', name: 'owner', uid };
    await client.post(maps, { metadata: { name: 'owned', ownerReferences: [reference] } });
    await using restored = await createApiServer({ restore: await server.save() });
    await restored.idle();
    const again = new RawClient(restored);
    expect((await again.get(`${maps}/owned`)).code).toBe(200);
    await again.delete(`${gadgets}/owner`);
    await restored.idle();
    expect((await again.get(`${maps}/owned`)).code).toBe(404);
  });

  test('continues a deletion of a namespace, and of a definition, that waits for a finalizer', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(definitions, gadgetDefinition());
    await client.post('/api/v1/namespaces', { metadata: { name: 'gone' } });
    await server.idle();
    const held = {
      ...gadget('held', 1),
      metadata: { name: 'held', finalizers: ['example.com/hold'] },
    };
    await client.post(gadgets.replace('default', 'gone'), held);
    await client.delete('/api/v1/namespaces/gone');
    await client.delete(`${definitions}/gadgets.example.com`);
    await server.idle();
    await using restored = await createApiServer({ restore: await server.save() });
    await restored.idle();
    const again = new RawClient(restored);
    expect((await again.get('/api/v1/namespaces/gone')).body.status.phase).toBe('Terminating');
    const path = `${gadgets.replace('default', 'gone')}/held`;
    await again.patch(path, 'merge', { metadata: { finalizers: null } });
    await restored.idle();
    expect((await again.get('/api/v1/namespaces/gone')).code).toBe(404);
    expect((await again.get(`${definitions}/gadgets.example.com`)).code).toBe(404);
  });

  test('reads objects of an earlier storage version and schema as the saved server does', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(definitions, gadgetDefinition());
    await server.idle();
    await client.post(gadgets, gadget('old', 1));
    const later = { colour: { type: 'string', default: 'red' } };
    const versions = [version('v1', false), version('v2', true, later)];
    await client.patch(`${definitions}/gadgets.example.com`, 'merge', { spec: { versions } });
    await server.idle();
    await client.post(gadgets, gadget('new', 2));
    await using restored = await createApiServer({ restore: await server.save() });
    for (const path of [gadgets, gadgets.replace('v1', 'v2')]) {
      expect(await listOf(restored, path)).toBe(await listOf(server, path));
    }
  });

  test('restores a server that advertises its own address, in one write of each object', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    // A lease of the saved server, and its endpoints with a member of another writer.
    await client.patch(endpoints, 'merge', { metadata: { annotations: { mine: 'x' } } });
    await using restored = await createApiServer({ restore: await server.save() });
    const again = new RawClient(restored);
    const { port } = restored;
    const ports = [{ name: 'https', port, protocol: 'TCP' }];
    expect((await again.get(endpoints)).body).toMatchObject({
      metadata: { annotations: { mine: 'x' } },
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports }],
    });
    expect((await again.get(slice)).body).toMatchObject({
      endpoints: [{ addresses: ['127.0.0.1'] }],
      ports,
    });
    const { body: lease } = await again.get(advertised);
    expect(lease).toMatchObject({
      metadata: { annotations: { 'kubernetes.io/peer-advertise-address': `127.0.0.1:${port}` } },
    });
    const { body: before } = await client.get(advertised);
    expect(lease.metadata.uid).toBe(before.metadata.uid);
    expect(lease.spec.holderIdentity).not.toBe(before.spec.holderIdentity);
    expect(Number(restored.resourceVersion)).toBe(Number(server.resourceVersion) + ADDRESS_WRITES);
  });

  test('replaces endpoints that are invalid, because no update can mend them', async () => {
    await using server = await createApiServer();
    const saved = String(Buffer.from(await server.save()));
    const changed = saved.replace(/("kind":"Endpoints".*?"creationTimestamp":")[^"]*/, '$1never');
    expect(changed).not.toBe(saved);
    await using restored = await createApiServer({ restore: Buffer.from(changed) });
    const { body } = await new RawClient(restored).get(endpoints);
    expect(body.subsets[0].ports[0].port).toBe(restored.port);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-/);
  });

  test('gives the Services of another server the IPAddresses that it lacks', async () => {
    const service = (name: string, clusterIPs: string[]): Json => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta(name, 5, 'default'),
      spec: { clusterIP: clusterIPs[0], clusterIPs, ports: [{ port: 80, protocol: 'TCP' }] },
    });
    const lines = [
      snapshotLine({ apiVersion: 'v1', kind: 'Namespace', metadata: meta('default', 4) }),
      snapshotLine(service('web', ['10.96.0.9'])),
      snapshotLine(service('headless', ['None', 'invalid'])),
    ];
    const text = [...snapshotText({ kubernetes: 'v1.36.0', lines, revision: '9' })].join('');
    await using server = await createApiServer({ restore: Buffer.from(text) });
    const { body } = await new RawClient(server).get(
      '/apis/networking.k8s.io/v1/ipaddresses?limit=10',
    );
    const parents = body.items.map((each: Json) => [each.metadata.name, each.spec.parentRef.name]);
    expect(parents.toSorted()).toEqual([
      ['10.96.0.1', 'kubernetes'],
      ['10.96.0.9', 'web'],
    ]);
  });

  test('of another server may have objects alone, in any served version and with any layout', async () => {
    const lines = [
      // Objects before their definition and their namespace, and an alias of another version.
      snapshotLine({ ...gadget('g', 3), metadata: meta('g', 7, 'shop') }),
      `{ "kind": "ConfigMap",  "metadata": ${JSON.stringify(meta('m', 8, 'shop'))}, "apiVersion": "v1", "data": {"__proto__": "x"} }\n`,
      snapshotLine({
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: meta('h', 9, 'shop'),
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a' } },
      } as Json),
      snapshotLine({ ...gadgetDefinition(), metadata: meta('gadgets.example.com', 5) }),
      snapshotLine({ apiVersion: 'v1', kind: 'Namespace', metadata: meta('shop', 4) }),
    ];
    const text = [...snapshotText({ kubernetes: 'v1.36.0', lines, revision: '4711' })].join('');
    await using server = await createApiServer({ restore: Buffer.from(text) });
    const client = new RawClient(server);
    const shop = (path: string): string => path.replace('default', 'shop');
    expect((await client.get(`${shop(gadgets)}/g`)).body.metadata.resourceVersion).toBe('7');
    const settings = await client.get(`${shop(maps)}/m`);
    expect(settings.body).toMatchObject({ kind: 'ConfigMap', metadata: { uid: 'uid-m' } });
    expect(settings.text).toContain('"data":{"__proto__":"x"}');
    const scalers = shop('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers');
    expect((await client.get(`${scalers}/h`)).body.spec.maxReplicas).toBe(3);
    // The list of the other cluster had the revision 4711: a watch from there continues, one from before cannot.
    expect(await eventsFrom(server, shop(maps), '4711')).toEqual([]);
    expect(await eventsFrom(server, shop(maps), '4710')).toBe(410);
    expect((await client.get('/api/v1/namespaces/default')).code).toBe(200);
  });

  test.each<[string, string[], object]>([
    ['an empty file', [], { line: 1, reason: 'the file is empty' }],
    ['another file', ['{"kind":"List"}'], { line: 1, reason: 'the format is unknown' }],
    [
      'a file that is cut off',
      [begin(), '{"apiVersion":"v1","ki'],
      { line: 2, reason: 'the line is not JSON' },
    ],
    ['a file without its end', [begin(), map({})], { line: 2, reason: 'the file is incomplete' }],
    [
      'lines behind the end',
      [begin(), end(), map({})],
      { line: 3, reason: 'the line follows the end' },
    ],
    [
      'an object without kind',
      [begin(), '{"apiVersion":"v1"}'],
      { line: 2, reason: 'apiVersion and kind must be strings' },
    ],
    [
      'an object cut in its middle',
      [begin(), map({}).slice(0, -3), end()],
      { line: 2, reason: 'the line is not JSON' },
    ],
    ['a list', [begin(), '[]', end()], { line: 2 }],
    [
      'an unknown event',
      [begin(), `{"type":"GONE","object":${map({})}}`, end()],
      { line: 2, reason: 'type is unknown' },
    ],
    [
      'no name',
      [begin(), map({ name: '' }), end()],
      { line: 2, reason: 'metadata.name must be a name' },
    ],
    [
      'a path as a name',
      [begin(), map({ name: '../a' }), end()],
      { line: 2, reason: 'metadata.name must be a name' },
    ],
    [
      'no namespace',
      [begin(), map({ namespace: undefined }), end()],
      { line: 2, reason: 'metadata.namespace is missing' },
    ],
    [
      'labels of another type',
      [begin(), map({ labels: { a: 1 } }), end()],
      { line: 2, reason: 'metadata.labels must be an object of strings' },
    ],
    [
      'an owner without uid',
      [begin(), map({ ownerReferences: [{ kind: 'A' }] }), end()],
      { line: 2, reason: 'metadata.ownerReferences must be a list of owner references' },
    ],
    [
      'a version that is no number',
      [begin(), map({ resourceVersion: 'x' }), end()],
      { line: 2, reason: 'metadata.resourceVersion must be a resourceVersion' },
    ],
    [
      'a version beyond 2^53',
      [begin(), map({ resourceVersion: '9007199254740993' }), end()],
      { line: 2, reason: 'metadata.resourceVersion must be a resourceVersion' },
    ],
    [
      'a last version after which none is exact',
      [begin(), endLine('9007199254740991', 0).trimEnd()],
      { line: 2, reason: 'revision must be a resourceVersion' },
    ],
    [
      'a compaction of the future',
      [begin(), '{"resource":{"apiVersion":"v1","kind":"ConfigMap"},"compacted":"101"}', end()],
      { line: 3, reason: 'the revision is older than a compaction' },
    ],
    [
      'a version of the future',
      [begin(), map({ resourceVersion: '101' }), end()],
      { line: 2, reason: 'the resourceVersion is out of order' },
    ],
    [
      'the same object twice',
      [begin(), map({}), map({}), end()],
      { line: 3, reason: 'the object contradicts an earlier line' },
    ],
    [
      'a change of no object',
      [begin(), resource(), change('MODIFIED', 60), end()],
      { line: 3, reason: 'the object contradicts an earlier line' },
    ],
    [
      'changes out of order',
      [begin(), resource(), change('ADDED', 60), change('MODIFIED', 60), end()],
      { line: 4, reason: 'the resourceVersion is out of order' },
    ],
    [
      'an invalid definition',
      [begin(), JSON.stringify({ ...gadgetDefinition(), spec: {}, metadata: meta('a', 1) }), end()],
      { line: 2 },
    ],
    [
      'a change beyond the end',
      [begin(), resource(), change('ADDED', 101), end()],
      { line: 3, reason: 'the resourceVersion is newer than the snapshot' },
    ],
  ])('%s is refused with its line', async (_name, lines, facts) => {
    const restore = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    // A server that starts in spite of its snapshot is closed: it would keep the process of the test.
    const start = async (): Promise<void> => (await createApiServer({ restore })).close();
    await expect(start()).rejects.toMatchObject({ code: 'SNAPSHOT_INVALID', facts });
  });

  test('that was edited is restored as JSON, whatever its spaces and repeated members are', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' }, data: { a: 'b' } });
    const saved = Buffer.from(await server.save()).toString();
    const repeated = '"metadata":{"name":"b","namespace":"default","resourceVersion":"$1"}';
    const edits: [text: string, name: string][] = [
      [saved.replaceAll('\n', '\r\n'), 'a'],
      [saved.replaceAll('}}\n', '} }\t\n'), 'a'],
      [
        saved.replace(
          /("resourceVersion":"(\d+)".*"data":\{"a":"b"\})/,
          `$1,${repeated.replace('$1', '$2')}`,
        ),
        'b',
      ],
    ];
    for (const [text, name] of edits) {
      expect(text).not.toBe(saved);
      await using restored = await createApiServer({ restore: Buffer.from(text) });
      const raw = new RawClient(restored);
      const { body } = await raw.get(maps);
      expect(body.items).toMatchObject([{ metadata: { name }, data: { a: 'b' } }]);
      const changed = await raw.patch(`${maps}/${name}`, 'merge', { data: { a: 'c' } });
      expect(changed).toMatchObject({ code: 200, body: { data: { a: 'c' } } });
    }
  });

  test('is not written to an invalid path', async () => {
    await using server = await createApiServer();
    for (const file of [null, 5, new URL('file:///tmp')]) {
      await expect(server.save(file as never)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        facts: { option: 'save.file', reason: 'must be a path' },
      });
    }
  });

  test('with an unknown kind is refused with the kind', async () => {
    const thing = JSON.stringify({ apiVersion: 'x.io/v1', kind: 'Thing', metadata: meta('a', 1) });
    const restore = Buffer.from(`${begin()}\n${thing}\n${end()}\n`);
    await expect(createApiServer({ restore })).rejects.toMatchObject({
      code: 'SNAPSHOT_KIND_UNKNOWN',
      facts: { apiVersion: 'x.io/v1', kind: 'Thing', line: 2 },
    });
  });

  test('with any changed byte restores or is refused with a code', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(definitions, gadgetDefinition());
    await server.idle();
    await client.post(gadgets, gadget('a', 1));
    await client.post(maps, { metadata: { name: 'a' }, data: { a: 'b' } });
    await client.delete(`${maps}/a`);
    const saved = Buffer.from(await server.save());
    await fc.assert(
      fc.asyncProperty(fc.nat(saved.length - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(saved);
        changed[at] = byte;
        try {
          await using restored = await createApiServer({ restore: changed });
          await restored.idle();
          expect(restored.stats.backgroundFailures()).toEqual([]);
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^SNAPSHOT_/) });
        }
      }),
      { numRuns: Math.ceil(100 * multiple) },
    );
  });
});

function meta(name: string, resourceVersion: number, namespace?: string): Json {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    uid: `uid-${name}`,
    resourceVersion: String(resourceVersion),
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
}

function begin(): string {
  return beginLine('v1.36.3').trimEnd();
}

function end(): string {
  return endLine('100', 0).trimEnd();
}

function map(metadata: Json): string {
  const all = { name: 'a', namespace: 'default', resourceVersion: '5', ...metadata };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: all });
}

function resource(): string {
  return '{"resource":{"apiVersion":"v1","kind":"ConfigMap"},"compacted":"50"}';
}

function change(type: string, revision: number): string {
  return `{"type":"${type}","object":${map({ resourceVersion: String(revision) })}}`;
}
