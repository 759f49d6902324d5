import { expect, test } from '@jest/globals';
import {
  builtin,
  defineResource,
  mutableCopy,
  type ApiResource,
  type ClusterScopedObject,
  type DeepReadonly,
  type KubernetesObject,
  type Persisted,
} from '@keelson/apimachinery';
import { createClient } from './create-client.ts';
import type { Client } from './client.ts';
import type { ListerWatcherQuery } from './lists/lister-watcher.ts';

interface Widget extends KubernetesObject {
  spec: { size: number; colour?: string; parts?: string[] };
}

interface Shelf extends ClusterScopedObject {
  spec: { widgets: number };
}

const shelves = defineResource<Shelf>({
  group: 'x.example',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  scope: 'Cluster',
});

const widgets = defineResource<Widget>({
  group: 'x.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
});
const name = { namespace: 'a', name: 'b' };

/** Never executed: the test is that the compiler accepts or rejects each line. */
export async function wiring(client: Client): Promise<void> {
  const widget: Widget = await client.get(widgets, name);
  await client.create(widgets, { metadata: name, spec: { size: 1 } });
  await client.apply(widgets, { metadata: name, spec: { colour: 'red' } });
  await client.apply(widgets, widget);
  await client.patch(widgets, name, { type: 'merge', body: { spec: { colour: null } } });
  for await (const { spec } of client.items(widgets)) spec.size.toFixed();
  for await (const event of client.watch(widgets)) {
    if (event.type !== 'BOOKMARK') event.object.spec.size.toFixed();
  }
  const query: ListerWatcherQuery = { resource: widgets };
  client.listerWatcher(query);

  // @ts-expect-error -- a field that the kind does not have
  await client.create(widgets, { metadata: name, spec: { size: 1, weight: 2 } });
  // @ts-expect-error -- a field is missing
  await client.create(widgets, { metadata: name, spec: {} });
  // @ts-expect-error -- the object of another resource
  await client.update(builtin.Deployment, widget);
  // @ts-expect-error -- the object of another resource
  await client.create(builtin.ConfigMap, { metadata: name, spec: { replicas: 1 } });
  // @ts-expect-error -- a misspelt field in a partial object
  await client.apply(widgets, { metadata: name, spec: { color: 'red' } });
  // @ts-expect-error -- a wrong type in a patch
  await client.patch(widgets, name, { type: 'merge', body: { spec: { size: 'big' } } });
  // @ts-expect-error -- a JSON patch is a list of operations
  await client.patch(widgets, name, { type: 'json', body: { spec: {} } });
  // @ts-expect-error -- a name is not a string but its parts
  await client.get(widgets, 'a/b');
  // @ts-expect-error -- a resource is a token, not a string
  await client.get('widgets', name);
  // @ts-expect-error -- an option of another call
  await client.get(widgets, name, { fieldManager: 'x' });
  // @ts-expect-error -- an unknown option
  await client.list(widgets, { selector: 'a=b' });
  // @ts-expect-error -- not a propagation policy
  await client.delete(widgets, name, { propagationPolicy: 'background' });
  // @ts-expect-error -- the kind has no such member
  const other: string = widget.spec.weight;
  // @ts-expect-error -- an unknown option of the client
  createClient({ cluster: { server: other }, timeout: 1 });
  const scale = client.subresource(builtin.Deployment, 'scale');
  // @ts-expect-error -- a scale has replicas, not a size
  await scale.patch(name, { type: 'merge', body: { size: 1 } });
}

/** Never executed: what the API returns has its metadata, and a read-only object can be written. */
export async function writing(
  client: Client,
  cached: DeepReadonly<Persisted<Widget>>,
): Promise<void> {
  const { metadata } = await client.create(widgets, cached);
  const texts: string[] = [metadata.name, metadata.namespace, metadata.uid];
  const updated: Persisted<Widget> = await client.update(widgets, cached);
  updated.spec.size = 3;
  texts.push((await client.get(shelves, name)).metadata.resourceVersion);
  texts.push((await client.apply(widgets, cached)).metadata.creationTimestamp);
  const merged = await client.patch(widgets, metadata, { type: 'merge', body: cached });
  const replaced = await client.status(widgets).update(cached);
  const applied = await client.status(widgets).apply(cached);
  const { items } = await client.list(widgets);
  texts.push(merged.metadata.uid, replaced.metadata.uid, applied.metadata.uid);
  texts.push(...items.map((item) => item.metadata.name));
  for await (const item of client.items(widgets)) texts.push(item.metadata.uid);
  for await (const event of client.watch(widgets))
    texts.push(event.object.metadata.resourceVersion);
  const deleted = await client.delete(widgets, { ...name, name: texts.join() });
  const copy = mutableCopy(cached);
  copy.spec.parts?.push(deleted?.metadata.uid ?? '');
  await client.update(widgets, copy);

  // @ts-expect-error -- a read-only object is copied before it is changed
  cached.spec.size = 3;
  // @ts-expect-error -- a read-only list is copied before it is changed
  cached.spec.parts?.push('a');
  // @ts-expect-error -- the object of another resource
  await client.update(builtin.Deployment, cached);
  // @ts-expect-error -- a cluster-scoped object has no namespace
  await client.create(shelves, { metadata: name, spec: { widgets: 1 } });
  // @ts-expect-error -- a cluster-scoped object has no namespace
  void (await client.get(shelves, name)).metadata.namespace.length;
}

/** Never executed: a function for objects of any kind passes them on. */
export async function ensure<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
  object: T,
): Promise<string> {
  await client.apply(resource, object);
  await client.status(resource).update(object);
  const created = await client.create(resource, object);
  return (await client.update(resource, created)).metadata.name;
}

test('wrong types are compile errors', () => {
  expect([wiring, writing, ensure]).toHaveLength(3);
});
