import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';
import type { InformerCache } from '@keelson/informer';
import { ManagerError } from '../errors.ts';

/** A cluster of a manager and its objects. */
interface Origin {
  /** `undefined` for the main cluster. */
  readonly name: string | undefined;
  readonly cache: Pick<InformerCache, 'holds'>;
}

/** A method of a reconcile context that writes, and its cluster. */
export interface Helper {
  /** The name of the helper: `patchStatus`, for example. */
  readonly helper: string;
  /** `undefined` for the main cluster. */
  readonly cluster: string | undefined;
}

/**
 * Finds the cluster of a manager from which an object came: its client returned the object, or its cache has the uid.
 * Other objects, such as a copy that no cache has, have no known origin.
 */
export class ObjectOrigins {
  readonly #main: Origin;
  readonly #further: () => readonly Origin[];
  /** The clusters whose clients returned objects, by the metadata of the object: a shallow copy has the same. */
  readonly #returned = new WeakMap<object, string | undefined>();

  constructor(cache: () => Origin['cache'], further: () => readonly Origin[]) {
    this.#main = {
      name: undefined,
      get cache() {
        return cache();
      },
    };
    this.#further = further;
  }

  /** Records an object that a client of the cluster returned. */
  returned(cluster: string | undefined, object: object): void {
    const { metadata } = object as KubernetesObject;
    if (typeof metadata !== 'object' || metadata === null || this.#further().length === 0) return;
    this.#returned.set(metadata, cluster);
  }

  /** Throws `OTHER_CLUSTER` for an object that came from another cluster than that of the helper. */
  check(object: DeepReadonly<KubernetesObject>, { helper, cluster }: Helper): void {
    const further = this.#further();
    // The helper itself refuses invalid objects.
    const metadata = (object as typeof object | null | undefined)?.metadata;
    if (further.length === 0 || typeof metadata !== 'object' || metadata === null) return;
    const origin = this.#originOf(object, metadata, [this.#main, ...further], cluster);
    if (origin === undefined || origin.name === cluster) return;
    const { namespace, name } = metadata;
    const access = origin.name === undefined ? 'context' : `clusters.get("${origin.name}")`;
    throw new ManagerError('OTHER_CLUSTER', {
      helper,
      kind: object.kind,
      namespace,
      name,
      cluster: origin.name ?? 'main',
      use: `${access}.${helper}`,
    });
  }

  #originOf(
    object: DeepReadonly<KubernetesObject>,
    metadata: object,
    all: readonly Origin[],
    cluster: string | undefined,
  ): Pick<Origin, 'name'> | undefined {
    if (this.#returned.has(metadata)) return { name: this.#returned.get(metadata) };
    // Searches the cluster of the helper first: a restore, for example, may copy an object with its uid to another
    // cluster.
    const own = all.find(({ name }) => name === cluster);
    return own?.cache.holds(object) === true ? own : all.find(({ cache }) => cache.holds(object));
  }
}
