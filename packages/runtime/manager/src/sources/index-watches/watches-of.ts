import type { KubernetesObject } from '@keelson/apimachinery';
import type { Retention } from '@keelson/informer';
import type { FormOf, WatchOptions } from '../source-options.ts';
import type { DeclaredIndex, IndexOf, IndexWatchOptions } from './index-watch.ts';

/**
 * The type that the compiler infers for one watch of a list: the type of its objects, or `'metadata'` if they have only
 * metadata. The index of the watch is a further member.
 */
export type Watched = KubernetesObject | 'metadata' | DeclaredIndex;

/**
 * The watches of a controller. The functions of each watch receive objects of its own kind. An `index` is one of the
 * kind of `for`.
 */
export type WatchesOf<
  Kinds extends readonly Watched[],
  Q extends object,
  For extends KubernetesObject = KubernetesObject,
> = {
  readonly [I in keyof Kinds]: [IndexIn<Kinds[I]>] extends [never]
    ? WatchOptions<
        ObjectsOf<Kinds[I]>,
        Q,
        FormOf<ObjectsOf<Kinds[I]>> | Extract<Kinds[I], 'metadata'>,
        Exclude<Retention, 'metadata'> | Extract<Kinds[I] | FormOf<ObjectsOf<Kinds[I]>>, 'metadata'>
      >
    : IndexWatchOptions<
        ObjectsOf<Kinds[I]>,
        IndexOf<IndexIn<Kinds[I]>, For, Q>,
        FormOf<ObjectsOf<Kinds[I]>> | Extract<Kinds[I], 'metadata'>,
        Exclude<Retention, 'metadata'> | Extract<Kinds[I] | FormOf<ObjectsOf<Kinds[I]>>, 'metadata'>
      >;
};

/** The inferred index; `never` without one, also for a list whose watches the compiler does not know one by one. */
type IndexIn<W extends Watched> = DeclaredIndex extends W ? never : Extract<W, DeclaredIndex>;

type ObjectsOf<W extends Watched> = 'metadata' extends W
  ? KubernetesObject
  : Exclude<W, 'metadata' | DeclaredIndex>;
