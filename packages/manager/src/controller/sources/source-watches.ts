import { resourceId } from '@keelson/apimachinery';
import type { WatchHealth } from '@keelson/informer';
import { ManagerError } from '../../errors.ts';
import { KindSource, type KindSourceOptions, type WatchProvider } from './kind-source.ts';
import { withNamespaceSet, type NamespaceSet } from './namespace-set.ts';
import type { EventMapper } from './request-mapper.ts';
import type { SourceOptions } from './source-options.ts';

/** The options that the watches of a source share, and the namespaces of its controller. */
export interface SourceWatchesHost<Q extends object> extends Omit<
  KindSourceOptions<Q>,
  'options' | 'mapper'
> {
  /** Returns the namespaces of the kind for a source that names none; `undefined` for all. */
  defaultNamespaces(): NamespaceSet | undefined;
}

/**
 * The watches of one source: one for each namespace of its set, or a single one. A change of the set adds and detaches
 * watches; those of the namespaces that stay continue.
 */
export class SourceWatches<Q extends object> {
  readonly #host: SourceWatchesHost<Q>;
  /** By namespace. The key of a single watch is `undefined`. */
  readonly #members = new Map<string | undefined, KindSource<Q>>();
  #options: SourceOptions;
  /** `undefined` for `reads`. */
  #mapper: EventMapper<Q> | undefined;
  #cache: WatchProvider | undefined;
  #isDetached = false;

  constructor(
    options: SourceOptions,
    mapper: EventMapper<Q> | undefined,
    host: SourceWatchesHost<Q>,
  ) {
    this.#options = withNamespaceSet(options);
    this.#mapper = mapper;
    this.#host = host;
    this.follow();
  }

  get name(): string {
    return this.#host.name;
  }

  get required(): boolean {
    return this.#host.required;
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  get options(): SourceOptions {
    return this.#options;
  }

  get members(): readonly KindSource<Q>[] {
    return [...this.#members.values()];
  }

  /** The namespaces at present; `undefined` if the source has no set. */
  get namespaces(): NamespaceSet | undefined {
    const { resource, namespace, namespaces } = this.#options;
    if (namespaces !== undefined) return namespaces;
    if (namespace !== undefined || !resource.namespaced) return undefined;
    return this.#host.defaultNamespaces();
  }

  /** The health of the first watch that is not live. */
  get health(): WatchHealth | undefined {
    const all = this.members.map(({ health }) => health);
    return all.find((health) => health?.state !== 'live') ?? all[0];
  }

  /** Returns the watch of a namespace. A single watch is that of every namespace. */
  memberOf(namespace: string | undefined): KindSource<Q> | undefined {
    return this.#members.get(undefined) ?? this.#members.get(namespace);
  }

  open(cache: WatchProvider): void {
    this.#cache = cache;
    for (const member of this.members) member.open(cache);
  }

  /**
   * Resolves when every watch has synced, including those that are added during the wait. Rejects with `WATCH_REMOVED`
   * if the source is removed.
   */
  async synced(): Promise<void> {
    const unsynced = (): KindSource<Q>[] => this.members.filter(({ hasSynced }) => !hasSynced);
    for (let pending = unsynced(); pending.length > 0; pending = unsynced()) {
      await Promise.all(pending.map((member) => member.syncedOrRemoved()));
      if (this.#isDetached) throw this.removed();
    }
  }

  /**
   * Replaces the functions from the next event on, and the namespaces. Returns the watches of the namespaces that left,
   * which are detached.
   */
  update(options: SourceOptions, mapper: EventMapper<Q>): readonly KindSource<Q>[] {
    this.#options = withNamespaceSet(options);
    this.#mapper = mapper;
    for (const member of this.members) member.replace(mapper, options.predicates);
    return this.follow();
  }

  /** Replaces the set that the source itself names. Returns the detached watches. */
  setNamespaces(namespaces: NamespaceSet): readonly KindSource<Q>[] {
    this.#options = { ...this.#options, namespaces };
    return this.follow();
  }

  /** Adds and detaches watches according to the present set. Returns the detached ones. */
  follow(): readonly KindSource<Q>[] {
    if (this.#isDetached) return [];
    const keys: readonly (string | undefined)[] = this.namespaces ?? [undefined];
    for (const key of keys) if (!this.#members.has(key)) this.#add(key);
    const left = [...this.#members].filter(([key]) => !keys.includes(key));
    for (const [key, member] of left) {
      this.#members.delete(key);
      member.detach();
    }
    return left.map(([, member]) => member);
  }

  /** Stops the requests of all watches. Their objects can be read until they are released. */
  detach(): void {
    this.#isDetached = true;
    for (const member of this.members) member.detach();
  }

  /** The error of a source that was removed. */
  removed(): ManagerError {
    return new ManagerError('WATCH_REMOVED', {
      source: this.name,
      resource: resourceId(this.#options.resource),
    });
  }

  #add(namespace: string | undefined): void {
    const options = namespace === undefined ? this.#options : { ...this.#options, namespace };
    const member = new KindSource<Q>({ ...this.#host, options, mapper: this.#mapper });
    if (this.#cache !== undefined) member.open(this.#cache);
    this.#members.set(namespace, member);
  }
}
