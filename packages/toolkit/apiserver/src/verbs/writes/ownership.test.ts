import { describe, expect, test } from '@jest/globals';
import { type Json, type RawResponse } from '../../server/raw-client.test-support.ts';
import { clientOfRunningServer } from '../../server/running-server.test-support.ts';

const core = '/api/v1/namespaces/default';

function entry(apiVersion: string, changes: object = {}): Json {
  const fieldsV1 = { 'f:data': { 'f:a': {} } };
  return {
    manager: 'q',
    operation: 'Update',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...changes,
  };
}

function managersOf({ body }: RawResponse): string[] {
  const entries = (body.metadata.managedFields ?? []) as { manager?: string; apiVersion: string }[];
  return entries.map(({ manager, apiVersion }) => `${manager} ${apiVersion}`);
}

// Recorded from kube-apiserver 1.36.3.
describe('managedFields in the body of a write', () => {
  const client = clientOfRunningServer();
  const patch = async (managedFields: Json[]): Promise<string[]> => {
    const created = await client.post(`${core}/configmaps`, {
      metadata: { generateName: 'a' },
      data: { a: 'b' },
    });
    const body = { metadata: { managedFields }, data: { b: 'c' } };
    const path = `${core}/configmaps/${created.body.metadata.name}`;
    return managersOf(
      await client.patch(`${path}?fieldManager=p&dryRun=All`, 'merge', body),
    ).toSorted();
  };

  test('of a version that the kind does not have are dropped', async () => {
    expect(await patch([entry('bad/v9'), entry('v1', { manager: 'g' })])).toEqual(['g v1', 'p v1']);
  });

  test('of a version of three parts clear all', async () => {
    expect(await patch([entry('a/b/c'), entry('v1', { manager: 'g' })])).toEqual([]);
  });

  test.each([
    { operation: 'Nope' },
    { apiVersion: '' },
    { fieldsType: 'FieldsV2' },
    { fieldsV1: { 'f:data': 'x' } },
  ])('with %j keep the stored ones', async (changes) => {
    expect(await patch([entry('v1', changes)])).toEqual(['node v1', 'p v1']);
  });

  test.each([{ fieldsV1: undefined }, { fieldsV1: { 'x:data': {} } }])(
    'with %j own nothing',
    async (changes) => {
      expect(await patch([entry('v1', changes)])).toEqual(['p v1']);
    },
  );

  test('of a custom kind in an unknown version clear all, and refuse an apply', async () => {
    const version = {
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object' } },
    };
    const names = { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' };
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'toys.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        versions: [
          { ...version, name: 'v1' },
          { ...version, name: 'v2', storage: false },
        ],
      },
    });
    const toys = '/apis/example.com/v1/namespaces/default/toys';
    const toy = { apiVersion: 'example.com/v1', kind: 'Toy', metadata: { name: 't' } };
    await client.post(toys, toy);
    const owners = (apiVersion: string): Json => ({
      metadata: { labels: { a: apiVersion.slice(-2) }, managedFields: [entry(apiVersion)] },
    });
    const kept = await client.patch(`${toys}/t?dryRun=All`, 'merge', owners('example.com/v2'));
    expect(managersOf(kept)).toContain('q example.com/v2');
    const lost = await client.patch(`${toys}/t?dryRun=All`, 'merge', owners('example.com/v3'));
    expect(managersOf(lost)).toEqual([]);
  });
});

describe('the owner of the template generation of a DaemonSet', () => {
  const client = clientOfRunningServer();

  test('is the last writer of its status, whatever annotation it sends', async () => {
    const sets = '/apis/apps/v1/namespaces/default/daemonsets';
    const labels = { a: 'b' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    await client.post(sets, { metadata: { name: 'd' }, spec });
    const status = {
      currentNumberScheduled: 1,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
    const { body } = await client.put(`${sets}/d/status`, { metadata: { name: 'd' }, status });
    const name = 'deprecated.daemonset.template.generation';
    expect(body.metadata.annotations).toEqual({ [name]: '1' });
    const owner = (body.metadata.managedFields as Json[]).find(
      ({ fieldsV1 }) => fieldsV1['f:metadata']?.['f:annotations']?.[`f:${name}`],
    );
    expect(owner.subresource).toBe('status');
  });
});
