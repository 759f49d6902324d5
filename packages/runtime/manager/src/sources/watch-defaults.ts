import {
  checkOptions,
  invalidOption,
  resourceId,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Retention, WatchQuery } from '@keelson/informer';
import {
  namespaceSet,
  withNamespaceSet,
  type NamespaceSet,
  type NamespacesOf,
} from './namespace-set.ts';
import { checkSourceOptions, type SourceOptions } from './source-options.ts';

/** The defaults of a manager for all sources of one kind. A source that has the option itself does not use them. */
export interface KindDefaults<T extends KubernetesObject = KubernetesObject> extends Pick<
  WatchQuery<T>,
  'labelSelector' | 'fieldSelector' | 'pageSize'
> {
  /** The kind. */
  readonly resource: ApiResource<T>;
  /** The namespaces of the kind, for controllers without `namespaces`. Default: those of the manager. */
  readonly namespaces?: NamespacesOf<T>;
  /** How the store keeps objects. Default: `'lazy'`. */
  readonly retain?: Exclude<Retention, 'metadata'>;
  /** Changes each object on arrival. Sources of the metadata do not use it. Default: none. */
  readonly transform?: WatchQuery<T>['transform'];
}

/** The defaults of several kinds. The transform of each receives objects of its own kind. */
export type KindDefaultsOf<Kinds extends readonly KubernetesObject[]> = {
  readonly [I in keyof Kinds]: KindDefaults<Kinds[I]>;
};

const optionNames = [
  'resource',
  'namespaces',
  'labelSelector',
  'fieldSelector',
  'transform',
  'retain',
  'pageSize',
] as const satisfies readonly (keyof KindDefaults)[];

/** The namespaces of a manager, and its defaults for single kinds. */
export interface WatchDefaultsOptions {
  readonly namespaces?: NamespaceSet | undefined;
  readonly kinds?: readonly KindDefaults[] | undefined;
}

/** Throws `INVALID_OPTION` for invalid defaults. */
export function checkWatchDefaults(
  { namespaces, kinds = [] }: WatchDefaultsOptions,
  where: string,
): void {
  if (namespaces !== undefined) namespaceSet(namespaces, `${where}.namespaces`);
  if (!Array.isArray(kinds)) throw invalidOption(`${where}.kinds`, 'must be a list');
  const seen = new Set<string>();
  for (const [at, kind] of kinds.entries()) {
    const name = `${where}.kinds[${at}]`;
    checkOptions(kind, optionNames, name);
    checkSourceOptions(kind as SourceOptions, 'reads', name);
    if ((kind.retain as Retention) === 'metadata') {
      throw invalidOption(`${name}.retain`, 'must not be metadata: each source decides it');
    }
    const id = resourceId(kind.resource);
    if (seen.has(id)) throw invalidOption(`${name}.resource`, 'is in the list twice');
    seen.add(id);
  }
}

/** The defaults that the sources of all controllers of a manager have. */
export class WatchDefaults {
  readonly #kinds: ReadonlyMap<string, KindDefaults>;
  #namespaces: NamespaceSet | undefined;

  /** `checkWatchDefaults` must have accepted the options. */
  constructor(options: WatchDefaultsOptions) {
    const { namespaces, kinds = [] } = withNamespaceSet(options);
    this.#namespaces = namespaces;
    this.#kinds = new Map(kinds.map((kind) => [resourceId(kind.resource), withNamespaceSet(kind)]));
  }

  /** Returns the namespaces in which a source of this kind watches; `undefined` for all. */
  namespacesOf(resource: ApiResource): NamespaceSet | undefined {
    return this.#kinds.get(resourceId(resource))?.namespaces ?? this.#namespaces;
  }

  /** Replaces the namespaces of the manager. Throws `INVALID_OPTION`, also for a manager without `namespaces`. */
  setNamespaces(namespaces: NamespaceSet): void {
    const next = namespaceSet(namespaces, 'setNamespaces');
    if (this.#namespaces === undefined) throw needsNamespaces('createManager');
    this.#namespaces = next;
  }

  /** Adds the defaults of the kind to the options of a source. */
  complete<O extends SourceOptions>(options: O): O {
    const kind = this.#kinds.get(resourceId(options.resource));
    if (kind === undefined) return options;
    const { namespaces: _namespaces, transform, ...query } = kind;
    const isMetadata = options.projection === 'metadata' || options.retain === 'metadata';
    const usesTransform = transform !== undefined && !isMetadata;
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    return { ...query, ...(usesTransform ? { transform } : {}), ...Object.fromEntries(given) } as O;
  }
}

/** Returns the error of `setNamespaces` on a controller, watch or manager without the option `namespaces`. */
export function needsNamespaces(where: string): Error {
  return invalidOption('setNamespaces', `needs the option \`namespaces\` of ${where}`);
}
