import { expect, test } from '@jest/globals';
import { builtin, defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createClient } from './create-client.ts';
import type { Client } from './client.ts';
import type { ListerWatcherQuery } from './lists/lister-watcher.ts';

interface Widget extends KubernetesObject {
  spec: { size: number; colour?: string };
}

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

test('wrong types are compile errors', () => {
  expect(wiring).toBeInstanceOf(Function);
});
