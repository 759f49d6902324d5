import {
  matchesFieldValues,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type ObjectName,
} from '@keelson/apimachinery';
import type { ObjectView, WatchHandle } from '@keelson/informer';
import type { SourceOptions } from './source-options.ts';
import { isBlocked, unlessBlocked } from './sync-clock.ts';

/** Reads only the states that the watch has received, as its handlers do, without the overlay of own writes. */
const RECEIVED = { overlay: false } as const;

/** The fields that can be compared without the body of an object. */
const nameFields: Readonly<Record<string, (view: ObjectView) => string>> = {
  'metadata.name': ({ name }) => name,
  'metadata.namespace': ({ namespace = '' }) => namespace,
};

/** Reads the objects of one watch, and decides which objects the watch selects. */
export class WatchedObjects {
  readonly #options: SourceOptions;
  readonly #handle: WatchHandle | undefined;
  #selects: ((view: ObjectView) => boolean) | undefined;

  /** Without a handle it has no objects. */
  constructor(options: SourceOptions, handle: WatchHandle | undefined) {
    this.#options = options;
    this.#handle = handle;
  }

  /** The namespace of the watch; `undefined` for all. */
  get namespace(): string | undefined {
    return this.#options.namespace || undefined;
  }

  /** True once the objects can be read. */
  get isReadable(): boolean {
    return this.#handle?.hasSynced === true;
  }

  /** True while the watch is open and syncs. False if the server does not serve or allow its kind. */
  get isPending(): boolean {
    const handle = this.#handle;
    return handle !== undefined && !handle.hasSynced && !isBlocked(handle.health);
  }

  /** Resolves when the watch has synced, or the server does not serve or allow its kind. */
  async readable(): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined || !this.isPending) return;
    await unlessBlocked(handle, () => handle.synced);
  }

  /** Returns all objects, in no particular order. */
  views(): ObjectView[] {
    return this.#handle?.hasSynced === true ? this.#handle.store.views(RECEIVED) : [];
  }

  view(name: ObjectName): ObjectView | undefined {
    try {
      return this.#handle?.store.view(name, RECEIVED);
    } catch {
      // The store threw, because the name is invalid for the kind: it lacks a namespace, for example.
      return undefined;
    }
  }

  /** True if the watch has received an object of this name. */
  has(name: ObjectName): boolean {
    return this.view(name) !== undefined;
  }

  /** True if the watch has received an object of this name, or the controller has written it. */
  exists(name: ObjectName): boolean {
    try {
      return this.#handle?.store.has(name) ?? false;
    } catch {
      return false; // as in `view`
    }
  }

  /** True if the watch includes this namespace. */
  reaches(namespace: string | undefined): boolean {
    return this.namespace === undefined || this.namespace === namespace;
  }

  /**
   * True if the watch selects this object by its metadata. Also true if only the server can decide: for fields outside
   * the metadata, and for transformed objects.
   */
  selects(view: ObjectView): boolean {
    this.#selects ??= selectionOf(this.#options);
    return this.reaches(view.namespace) && this.#selects(view);
  }
}

function selectionOf({
  labelSelector = '',
  fieldSelector = '',
  transform,
}: SourceOptions): (view: ObjectView) => boolean {
  // A transform may have changed the labels.
  if (transform !== undefined) return () => true;
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector).filter(({ path }) =>
    Object.hasOwn(nameFields, path),
  );
  return (view) =>
    (labels.length === 0 || matchesLabels(labels, view.metadata.labels)) &&
    matchesFieldValues(fields, (path) => nameFields[path]?.(view) ?? '');
}
