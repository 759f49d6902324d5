import { definitionOf, install, until, type Definition } from '@keelson/example-support';
import {
  builtin,
  defineResource,
  findCondition,
  type Client,
  type KubernetesObject,
} from '@keelson/manager';
import { Recipe } from './custom-resource.ts';

const namespace = 'default';
const group = 'examples.keelson.dev';
const database = { group, version: 'v1', kind: 'Database', plural: 'databases' };
const region = { group, version: 'v1', kind: 'Region', plural: 'regions' };
const Database = defineResource<Plain>(database);
const Region = defineResource<Plain>(region);

/** An object of these kinds. */
interface Plain extends KubernetesObject {
  spec: object;
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** The definition of a kind whose objects have any content. */
function plainDefinition(resource: typeof Database): Definition {
  return definitionOf(resource, { columns: {}, spec: anything, status: anything });
}

/** Defines a controller for a kind that does not exist yet, installs the kinds, and unloads the controller. */
export async function tour(client: Client, say: (line: string) => void): Promise<void> {
  const name = 'databases';
  const untilReason = (reason: string): Promise<unknown> =>
    until(client, Recipe, { name }, (recipe) => {
      return findCondition(recipe?.status?.conditions, 'Loaded')?.reason === reason;
    });
  const untilData = (key: string, value: string): Promise<unknown> =>
    until(client, builtin.ConfigMap, { namespace, name: `${name}.orders` }, (found) => {
      return found?.data?.[key] === value;
    });

  const spec = { for: database, with: [region], data: { size: 'small' } };
  await client.create(Recipe, { metadata: { name }, spec });
  await untilReason('KindNotServed');
  say(
    'created Recipe databases: its controller is loaded, but the server has neither Database nor Region',
  );

  await install(client, [plainDefinition(Database)]);
  await client.create(Database, { metadata: { namespace, name: 'orders' }, spec: {} });
  await untilData('size', 'small');
  say('installed Database and created one: it has its ConfigMap, although Region is still missing');

  await install(client, [plainDefinition(Region)]);
  await client.create(Region, { metadata: { namespace, name: 'orders' }, spec: {} });
  await untilData('with.regions', 'present');
  await untilReason('Live');
  say('installed Region and created one: the ConfigMap shows it, and the Recipe is Live');

  const change = { type: 'merge', body: { spec: { data: { size: 'large' } } } } as const;
  await client.patch(Recipe, { name }, change);
  await untilData('size', 'large');
  say('changed the Recipe: the same controller uses the new data');

  await client.delete(builtin.CustomResourceDefinition, { name: `${region.plural}.${group}` });
  await untilData('with.regions', 'absent');
  say('deleted the definition of Region: the controller continues without it');

  await client.patch(Recipe, { name }, { type: 'merge', body: { spec: { paused: true } } });
  await untilReason('Unloaded');
  say('paused the Recipe: its controller and its watches are gone');
}
