import {
  builtin,
  defineResource,
  hasCode,
  isDeleting,
  setControllerReference,
  type ApiResource,
  type Controller,
  type DeepReadonly,
  type InformerCache,
  type Manager,
  type ObjectName,
  type Persisted,
  type WatchHealth,
} from '@keelson/manager';
import { resourceId } from '@keelson/manager/objects';
import type { KindName, Recipe } from './custom-resource.ts';

// #region engine
/** A Recipe from the cache. */
type StoredRecipe = DeepReadonly<Persisted<Recipe>>;

/** The controller of a Recipe while it is loaded. */
interface LoadedController {
  /** The Recipe in its newest form: reconciles read it, so a change of its data needs no new controller. */
  recipe: StoredRecipe;
  readonly kind: ApiResource;
  readonly controller: Controller;
}

/** Loads and unloads controllers in a running manager: one for each Recipe. */
export class Engine {
  readonly #manager: Manager;
  /** By the name of the Recipe. */
  readonly #loaded = new Map<string, LoadedController>();

  constructor(manager: Manager) {
    this.#manager = manager;
  }

  /** Returns the health of every watch of the kinds that a Recipe names. A kind that is not served is `parked`, not an error. */
  async load(recipe: StoredRecipe): Promise<readonly WatchHealth[]> {
    const { name, uid } = recipe.metadata;
    const kind = resourceOf(recipe.spec.for);
    const before = this.#loaded.get(name);
    const isSame = before?.recipe.metadata.uid === uid && isSameKind(before.kind, kind);
    if (!isSame) await this.unload(name);
    const loaded = isSame ? before : this.#add(recipe, kind);
    const isChanged = loaded.recipe.metadata.generation !== recipe.metadata.generation;
    loaded.recipe = recipe;
    const dependencies = (recipe.spec.with ?? []).map(resourceOf);
    await loaded.controller.replaceWatches(
      'with',
      dependencies.map((resource) => ({
        resource,
        map: ({ namespace = '', name: dependency }) => ({ namespace, name: dependency }),
      })),
    );
    if (isChanged) enqueueAll(this.#manager.cache, loaded);
    return [kind, ...dependencies].flatMap((resource) => this.#healthOf(resource));
  }

  /** Stops the controller of a Recipe. Its running reconciles end first, and its watches are released. */
  async unload(name: string): Promise<void> {
    const loaded = this.#loaded.get(name);
    this.#loaded.delete(name);
    await loaded?.controller.stop();
  }

  #add(recipe: StoredRecipe, kind: ApiResource): LoadedController {
    const { name } = recipe.metadata;
    const controller = this.#manager.addController({
      name: `recipe-${name}`,
      // A kind that is missing or forbidden must not make the operator unready.
      for: { resource: kind, required: false },
      owns: [{ resource: builtin.ConfigMap, labelSelector: `${label}=${name}` }],
      reconcile: async (request, { cache, client, signal }) => {
        const object = cache.get(kind, request);
        if (object === undefined || isDeleting(object)) return undefined;
        const { spec } = loaded.recipe;
        const present: Record<string, string> = {};
        for (const dependency of spec.with ?? []) {
          const isThere = isPresent(cache, resourceOf(dependency), request);
          // A missing object has no event when its watch has synced.
          if (isThere === undefined) return { requeueAfter: '1s' };
          present[`with.${dependency.plural}`] = isThere ? 'present' : 'absent';
        }
        const configMap = {
          metadata: {
            namespace: request.namespace ?? '',
            name: `${name}.${request.name}`,
            labels: { [label]: name },
          },
          data: { ...spec.data, ...present },
        };
        await client.apply(builtin.ConfigMap, setControllerReference(configMap, object), {
          signal,
        });
        return undefined;
      },
    });
    const loaded: LoadedController = { recipe, kind, controller };
    this.#loaded.set(name, loaded);
    return loaded;
  }

  #healthOf(resource: ApiResource): WatchHealth[] {
    return this.#manager.cache
      .inventory()
      .filter(({ query }) => isSameKind(query.resource, resource))
      .map(({ health }) => health);
  }
}
// #endregion

/** The label of a ConfigMap with the name of its Recipe. */
export const label = 'examples.keelson.dev/recipe';

function resourceOf({ group, version, kind, plural }: DeepReadonly<KindName>): ApiResource {
  return defineResource({ group, version, kind, plural });
}

function isSameKind(one: ApiResource, other: ApiResource): boolean {
  return resourceId(one) === resourceId(other);
}

/** `undefined` until the watch of the kind has synced. A kind that is missing or forbidden has no objects. */
function isPresent(
  cache: Pick<InformerCache, 'get'>,
  resource: ApiResource,
  request: ObjectName,
): boolean | undefined {
  try {
    return cache.get(resource, request) !== undefined;
  } catch (error) {
    if (!hasCode(error, 'NOT_SYNCED')) throw error;
    return ['parked', 'forbidden'].includes(String(error.facts['state'])) ? false : undefined;
  }
}

function enqueueAll(cache: InformerCache, { kind, controller }: LoadedController): void {
  try {
    for (const { metadata } of cache.list(kind)) controller.enqueue(metadata);
  } catch (error) {
    // The kind has no objects yet.
    if (!hasCode(error, 'NOT_SYNCED')) throw error;
  }
}
