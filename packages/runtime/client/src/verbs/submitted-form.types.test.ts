import { expect, test } from '@jest/globals';
import {
  defineResource,
  type ApiResource,
  type DeepReadonly,
  type DefaultedResource,
  type InputOf,
  type KubernetesObject,
  type ObjectOf,
  type Persisted,
} from '@keelson/apimachinery';
import type { Client } from './client.ts';

interface Site extends KubernetesObject {
  spec: { host: string; port: number };
}

/** A site as a user writes it: the server sets the port. */
interface SiteInput extends KubernetesObject {
  spec: { host: string; port?: number };
}

const names = { group: 'x.example', version: 'v1', kind: 'Site', plural: 'sites' } as const;
const Site: DefaultedResource<Site, SiteInput> = defineResource<Site>(names);
const metadata = { namespace: 'default', name: 'a' };

/** Never executed: the test is that the compiler accepts or rejects each line. */
async function compiles(client: Client, cached: DeepReadonly<Persisted<Site>>): Promise<void> {
  const created = await client.create(Site, { metadata, spec: { host: 'a' } });
  await client.update(Site, { metadata, spec: { host: 'a' } });
  await client.apply(Site, { metadata, spec: { port: 80 } });
  const ports: number[] = [
    created.spec.port,
    (await client.get(Site, metadata)).spec.port,
    ...(await client.list(Site)).items.map(({ spec }) => spec.port),
  ];
  for await (const { spec } of client.items(Site)) ports.push(spec.port);
  // An object that the server or the cache returned can be submitted again.
  await client.update(Site, created);
  await client.update(Site, cached);
  // @ts-expect-error a member without a default is required
  await client.create(Site, { metadata, spec: {} });
  // @ts-expect-error the port is a number
  await client.create(Site, { metadata, spec: { host: 'a', port: '80' } });
  // @ts-expect-error no such member
  await client.create(Site, { metadata, spec: { host: 'a', zone: 'b' } });

  // The token fits where the stored type is expected. Writes then take that type.
  const stored: ApiResource<Site> = Site;
  // @ts-expect-error the port is required
  await client.create(stored, { metadata, spec: { host: 'a' } });
  const ofAnyKind: ApiResource = Site;
  await client.create(ofAnyKind, { metadata });
  const found: DefaultedResource<Site, SiteInput> | undefined = await client.discovery.find(Site);
  const byName: ApiResource | undefined = await client.discovery.find({ group: '', kind: 'Pod' });
  expect([ports, found, byName]).toBeDefined();
}

/** Never executed: generic code writes what it reads. */
async function copies<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
  object: T,
): Promise<Persisted<T>> {
  await client.create(resource, object);
  return client.update(resource, await client.get(resource, metadata));
}

test('writes take the input type of a token, and reads return the stored one', () => {
  const object: ObjectOf<typeof Site> = { spec: { host: 'a', port: 80 } };
  const input: InputOf<typeof Site> = { spec: { host: 'a' } };
  expect([compiles, copies, object, input]).toHaveLength(4);
});
