import { describe, expect, jest, test } from '@jest/globals';
import { builtin, resourceId, type ApiResource } from '@keelson/apimachinery';
import type { Client } from '../client.ts';
import { everyRead, everyWrite, succeed } from '../../testing/every-call.test-support.ts';
import { openClient } from '../../testing/open-client.test-support.ts';
import { json, rejection } from '../../testing/recording-server.test-support.ts';
import type { DeletedObject, WriteFacts, WriteObserver } from './write-observer.ts';

const { ConfigMap, Namespace, Pod } = builtin;
const name = { namespace: 'a', name: 'b' };
const stored = { ...name, uid: 'u', resourceVersion: '5' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: stored };
const terminating = { ...stored, deletionTimestamp: '2026-01-01T00:00:00Z' };
const confirmation = { kind: 'Status', status: 'Success', details: { name: 'b', uid: 'u' } };

/** Records the reports of writes as short texts. */
class Reports implements WriteObserver {
  readonly lines: string[] = [];
  readonly deletions: DeletedObject[] = [];

  written(resource: ApiResource, written: object, { isCreation }: WriteFacts): void {
    const { kind } = written as { kind?: string };
    const created = isCreation ? 'created ' : '';
    this.lines.push(`${created}${kind} of ${resourceId(resource)}`);
  }

  deleted(resource: ApiResource, deleted: DeletedObject): void {
    this.lines.push(`deleted of ${resourceId(resource)}`);
    this.deletions.push(deleted);
  }
}

/** Runs calls against a server with one response, and returns their reports. */
async function reportsOf(
  run: (client: Client) => Promise<unknown>,
  body: object,
  code = 200,
): Promise<Reports> {
  await using setup = await openClient((_request, response) => json(response, body, code));
  const reports = new Reports();
  await run(setup.client.withWriteObserver(reports));
  return reports;
}

const core = 'v1/configmaps';

describe('a write observer', () => {
  const reported = ['create', 'update', 'patch', 'apply', 'status', 'delete'];
  const isReported = (call: string): boolean =>
    reported.some((verb) => call.includes(verb)) && !/typed|delete/.test(call);

  test.each(Object.entries({ ...everyWrite, ...everyRead }))(
    'receives the response of %s if it is the state of an object',
    async (call, run) => {
      await using setup = await openClient((request, response) => succeed(request, response));
      const reports = new Reports();
      await run(setup.client.withWriteObserver(reports), 'a');
      expect(reports.lines).toHaveLength(isReported(call) ? 1 : 0);
    },
  );

  test('learns whether a write created the object', async () => {
    const create = await reportsOf(
      (client) => client.create(ConfigMap, { metadata: name }),
      object,
      201,
    );
    const apply = await reportsOf((client) => client.apply(ConfigMap, { metadata: name }), object);
    expect([create.lines, apply.lines]).toEqual([
      [`created ConfigMap of ${core}`],
      [`ConfigMap of ${core}`],
    ]);
  });

  test.each([
    ['a confirmation with the uid', confirmation, { ...name, uid: 'u' }],
    ['the last state', object, stored],
    ['an object without finalizers', { ...object, metadata: terminating }, stored],
  ])('learns of a deletion by %s', async (_, response, deleted) => {
    const { lines, deletions } = await reportsOf(
      (client) => client.delete(ConfigMap, name),
      response,
    );
    expect([lines, deletions]).toEqual([[`deleted of ${core}`], [deleted]]);
  });

  test.each([
    ['has finalizers', { ...object, metadata: { ...terminating, finalizers: ['f'] } }],
    [
      'may run for a time',
      { ...object, metadata: { ...terminating, deletionGracePeriodSeconds: 30 } },
    ],
    [
      'is a Namespace with finalizers',
      { ...object, metadata: terminating, spec: { finalizers: ['kubernetes'] } },
    ],
  ])('learns the state of a deleted object that %s', async (_, response) => {
    const { lines } = await reportsOf((client) => client.delete(ConfigMap, name), response);
    expect(lines).toEqual([`ConfigMap of ${core}`]);
  });

  test('learns that the update which removes the last finalizer deleted the object', async () => {
    const response = { ...object, metadata: { ...terminating, finalizers: [] } };
    const patch = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    const { deletions } = await reportsOf(
      (client) => client.patch(ConfigMap, name, patch),
      response,
    );
    expect(deletions).toEqual([stored]);
  });

  test.each([
    ['a confirmation without a uid', { kind: 'Status', status: 'Success', details: { name: 'b' } }],
    ['a last state without a uid', { ...object, metadata: name }],
  ])('does not receive a deletion that is %s', async (_, response) => {
    const { deletions } = await reportsOf((client) => client.delete(ConfigMap, name), response);
    expect(deletions).toEqual([]);
  });

  test('does not receive dry runs and confirmations of subresources', async () => {
    const dryRun = await reportsOf(async (client) => {
      await client.create(ConfigMap, { metadata: name }, { dryRun: true });
      await client.apply(ConfigMap, { metadata: name }, { dryRun: 'All' });
      await client.delete(ConfigMap, name, { dryRun: ['All'] });
      await client.status(ConfigMap).patch(name, { type: 'merge', body: {} }, { dryRun: true });
    }, object);
    const eviction = await reportsOf(
      (client) => client.subresource(Pod, 'eviction').create(name, {}),
      confirmation,
    );
    expect([dryRun.lines, eviction.lines]).toEqual([[], []]);
  });

  test('does not receive writes that failed or whose response was cut off', async () => {
    const reports = new Reports();
    await using setup = await openClient(({ method, socket }, response) => {
      if (method === 'POST') return json(response, { kind: 'Status', code: 409 }, 409);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(JSON.stringify(object), () => socket.destroy());
    });
    const client = setup.client.withWriteObserver(reports);
    await rejection(client.create(ConfigMap, { metadata: name }));
    const cut = await rejection(client.update(ConfigMap, { metadata: name }));
    expect([(cut as { code?: string }).code, reports.lines]).toEqual(['CONNECTION_LOST', []]);
  });

  test('that fails affects neither the write nor other observers', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const broken = {
      written: () => {
        throw new Error('broken observer');
      },
      deleted: () => undefined,
    };
    const reports = new Reports();
    const namespace = { ...object, kind: 'Namespace' };
    await using setup = await openClient((_request, response) => json(response, namespace));
    const client = setup.client
      .withWriteObserver(broken)
      .withFieldManager('m')
      .withWriteObserver(reports);
    expect(await client.apply(Namespace, { metadata: { name: 'b' } })).toEqual(namespace);
    expect(reports.lines).toEqual(['Namespace of v1/namespaces']);
    expect(warned).toHaveBeenCalledWith(
      expect.stringContaining('broken observer'),
      expect.objectContaining({ code: 'OBSERVER_FAILED' }),
    );
    warned.mockRestore();
  });

  test('must have both methods', async () => {
    await using setup = await openClient((_request, response) => json(response, object));
    expect(() => setup.client.withWriteObserver({ written: () => undefined } as never)).toThrow(
      'withWriteObserver',
    );
  });
});
