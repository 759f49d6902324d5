import { builtin, type Client } from '@keelson/manager';
import { until } from '@keelson/example-support';
import { ConfigMapGenerator } from './custom-resource.ts';

/** Creates, changes and deletes objects, and prints what the operator does. */
export async function tour(client: Client, say: (line: string) => void): Promise<void> {
  const name = { namespace: 'default', name: 'colours' };
  const spec = { entries: { sky: 'blue', grass: 'green' } };
  await client.create(ConfigMapGenerator, { metadata: name, spec });
  say('created ConfigMapGenerator colours');

  const made = await until(client, builtin.ConfigMap, name, (object) => object !== undefined);
  say(`the operator made ConfigMap colours: ${JSON.stringify(made?.data)}`);

  await client.patch(builtin.ConfigMap, name, { type: 'merge', body: { data: { sky: 'red' } } });
  say('a user changed its sky to red');
  const repaired = await until(
    client,
    builtin.ConfigMap,
    name,
    (object) => object?.data?.['sky'] === 'blue',
  );
  say(`the operator repaired it: ${JSON.stringify(repaired?.data)}`);

  await client.delete(ConfigMapGenerator, name);
  await until(client, builtin.ConfigMap, name, (object) => object === undefined);
  say('deleted ConfigMapGenerator colours, and its ConfigMap went with it');
}
