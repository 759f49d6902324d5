import { definitionOf } from '@keelson/example-support';
import { Recipe } from '@keelson/example-dynamic-controllers/custom-resource';
import { recipeDefinition } from '@keelson/example-dynamic-controllers/custom-resource-definition';
import { label } from '@keelson/example-dynamic-controllers/engine';
import { addControllers } from '@keelson/example-dynamic-controllers/operator';
import {
  builtin,
  defineResource,
  findCondition,
  isNotFound,
  type ApiResource,
  type Client,
  type KubernetesObject,
  type Persisted,
} from '@keelson/manager';
import { attempt, deleteAll, oneOf, remaining } from './objects.ts';
import type { System } from './system.ts';

interface Plain extends KubernetesObject {
  spec: object;
}

const group = 'soak.keelson.dev';
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const kinds = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((kind) => {
  return defineResource<Plain>({ group, version: 'v1', kind, plural: `${kind.toLowerCase()}s` });
});
const definitions = kinds.map((kind) => {
  return definitionOf(kind, { columns: {}, spec: anything, status: anything });
});
const recipes = Array.from({ length: 6 }, (_, index) => `recipe-${index}`);
const objects = Array.from({ length: 5 }, (_, index) => ({
  namespace: 'default',
  name: `object-${index}`,
}));

/** `examples/dynamic-controllers`: controllers of kinds that come and go, loaded and unloaded at run time. */
export const recipeSystem: System = {
  name: 'recipes',
  definitions: [recipeDefinition, ...definitions],
  addTo: addControllers,

  async act(client, random) {
    const [name, kind, metadata] = [
      oneOf(recipes, random),
      oneOf(kinds, random),
      oneOf(objects, random),
    ];
    const { group: _, ...names } = kind;
    const named = { group, version: names.version, kind: names.kind, plural: names.plural };
    const spec = { for: named, data: { value: String(random()) } };
    const pause = { type: 'merge', body: { spec: { paused: random() < 0.3 } } } as const;
    const change = random();
    const definition = definitions[kinds.indexOf(kind)];
    await attempt(async () => {
      if (change < 0.2) await client.create(Recipe, { metadata: { name }, spec });
      else if (change < 0.3) await client.delete(Recipe, { name });
      else if (change < 0.4) await client.patch(Recipe, { name }, pause);
      else if (change < 0.45)
        await client.patch(Recipe, { name }, { type: 'merge', body: { spec } });
      else if (change < 0.46 && definition !== undefined) {
        await client.delete(builtin.CustomResourceDefinition, definition.metadata);
      } else if (change < 0.5 && definition !== undefined) {
        await client.create(builtin.CustomResourceDefinition, definition);
      } else if (change < 0.8) await client.create(kind, { metadata, spec: {} });
      else await client.delete(kind, metadata);
    });
  },

  async unsettled(client) {
    const lines: string[] = [];
    const { items } = await client.list(Recipe);
    for (const recipe of items) {
      const { name } = recipe.metadata;
      const reason = findCondition(recipe.status?.conditions, 'Loaded')?.reason;
      const kind = defineResource<Plain>(recipe.spec.for);
      const found = recipe.spec.paused === true ? [] : await objectsOf(client, kind);
      const wanted =
        recipe.spec.paused === true ? 'Unloaded' : found === undefined ? 'KindNotServed' : 'Live';
      if (reason !== wanted) lines.push(`Recipe ${name} is ${reason} instead of ${wanted}`);
      for (const { metadata } of found ?? []) {
        const key = { namespace: metadata.namespace ?? '', name: `${name}.${metadata.name}` };
        const made = await client.get(builtin.ConfigMap, key).catch(() => undefined);
        if (made?.data?.['value'] !== recipe.spec.data['value']) {
          lines.push(`ConfigMap ${key.name} has ${made?.data?.['value']}`);
        }
      }
    }
    return lines;
  },

  async clear(client) {
    for (const definition of definitions) {
      await attempt(() => client.create(builtin.CustomResourceDefinition, definition));
    }
    for (const kind of kinds) await attempt(() => deleteAll(client, kind));
    await deleteAll(client, Recipe);
  },

  async left(client) {
    const { items } = await client.list(builtin.ConfigMap, { labelSelector: label });
    const made = items.map(({ metadata }) => `ConfigMap ${metadata.name} exists`);
    return [...(await remaining(client, Recipe)), ...made];
  },
};

/** The objects of a kind; `undefined` for a kind that is not served. */
async function objectsOf(
  client: Client,
  kind: ApiResource<Plain>,
): Promise<Persisted<Plain>[] | undefined> {
  try {
    return (await client.list(kind)).items;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
