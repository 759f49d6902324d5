import { resourceId } from '@keelson/apimachinery';
import type { ObjectView, WatchHealth } from '@keelson/informer';
import { ManagerError } from '../errors.ts';
import type { SourceRules } from '../sources/event-rules/source-rules.ts';
import { KindSource, type KindSourceOptions, type WatchProvider } from '../sources/kind-source.ts';
import { withNamespaceSet, type NamespaceSet } from '../sources/namespace-set.ts';
import type { EventMapper } from '../sources/request-mapper.ts';
import { clusterOf, type SourceOptions, type SourceRole } from '../sources/source-options.ts';
import type { WatchDefaults } from '../sources/watch-defaults.ts';

/** The parts that the watches of a source share. */
export interface SourceParts<Q extends object> extends Omit<
  KindSourceOptions<Q>,
  'options' | 'mapper' | 'isKnown'
> {
  /** The namespaces of the manager or of the cluster, for a source whose controller names none. */
  readonly watchDefaults: WatchDefaults | undefined;
}

/** The options of one source, and the functions that turn its events into requests. */
export interface SourcePlan<Q extends object> {
  readonly role: SourceRole;
  readonly options: SourceOptions;
  /** `undefined` for `reads`. */
  readonly mapper: EventMapper<Q> | undefined;
  readonly parts: SourceParts<Q>;
  /** True if the plan is that of a source with `clusters` in one of them. */
  readonly spans: boolean;
}

/** The next plan of a source; `plan` is `undefined` if the source ends. */
export interface NextSource<Q extends object> {
  readonly plan: SourcePlan<Q> | undefined;
  /** The namespaces of the controller. */
  readonly namespaces: NamespaceSet | undefined;
}

/** A namespace with a watch of its own; `undefined` for a single watch. */
type WatchKey = string | undefined;

/**
 * One source of a controller with its watches: one for each namespace, or a single one. While a change waits, the
 * watches of the next plan are open too.
 */
export class Source<Q extends object> {
  #plan: SourcePlan<Q>;
  readonly #watches = new Map<WatchKey, KindSource<Q>>();
  /** The watches in force. */
  #keys: readonly WatchKey[] = [];
  /** The watches of the next plans; `undefined` without any that changes the source. */
  #nextKeys: readonly WatchKey[] | undefined;
  #former: Source<Q> | undefined;
  #cache: WatchProvider | undefined;
  #after: Promise<unknown> | undefined;
  #isDetached = false;

  constructor(plan: SourcePlan<Q>, former?: Source<Q>) {
    this.#plan = withOwnSet(plan);
    this.#former = former;
  }

  get plan(): SourcePlan<Q> {
    return this.#plan;
  }

  get name(): string {
    return this.#plan.parts.name;
  }

  get required(): boolean {
    return this.#plan.parts.required;
  }

  get options(): SourceOptions {
    return this.#plan.options;
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  /** The source in force that this one replaces; `undefined` once this one is in force. */
  get former(): Source<Q> | undefined {
    return this.#former;
  }

  /** The watches in force. */
  get members(): readonly KindSource<Q>[] {
    return this.#watchesOf((key) => this.#nextKeys === undefined || this.#keys.includes(key));
  }

  /** All open watches, those of the next plan too. */
  get opened(): readonly KindSource<Q>[] {
    return [...this.#watches.values()];
  }

  /** The watches that only the next plan has. */
  get coming(): readonly KindSource<Q>[] {
    return this.#watchesOf((key) => this.#nextKeys !== undefined && !this.#keys.includes(key));
  }

  /** The watches in force that the next plan does not have. */
  get leaving(): readonly KindSource<Q>[] {
    const next = this.#nextKeys;
    return this.#watchesOf(
      (key) => next !== undefined && this.#keys.includes(key) && !next.includes(key),
    );
  }

  /** The namespaces in force; `undefined` if the source has no set. */
  get namespaces(): NamespaceSet | undefined {
    return isNamespaceSet(this.#keys) ? this.#keys : undefined;
  }

  /** The health of the first watch that is not live. */
  get health(): WatchHealth | undefined {
    const all = this.members.map(({ health }) => health);
    return all.find((health) => health?.state !== 'live') ?? all[0];
  }

  /** Returns the watch of a namespace, one in force first. A single watch is the watch of every namespace. */
  watchOf(namespace: string | undefined): KindSource<Q> | undefined {
    const single = this.#watches.get(undefined);
    const own = this.#watches.get(namespace);
    if (single === undefined || own === undefined) return single ?? own;
    return this.#keys.includes(undefined) ? single : own;
  }

  /** Opens the watches. Their events begin after the promise `after`. */
  open(cache: WatchProvider, after?: Promise<unknown>): void {
    this.#cache = cache;
    this.#after = after;
    for (const member of this.opened) member.open(cache, after);
  }

  /** Marks the source as in force. */
  enter(): void {
    this.#former = undefined;
  }

  /** Replaces the plan: the functions from the next event on, the namespaces at the next call of `follow`. */
  change(plan: SourcePlan<Q>): void {
    this.#plan = withOwnSet(plan);
    for (const member of this.opened) member.replace(plan.mapper, plan.options.predicates);
  }

  /** Replaces the rules of all watches from their next event on. */
  adopt(rules: SourceRules): void {
    this.#plan = { ...this.#plan, parts: { ...this.#plan.parts, ...rules } };
    for (const member of this.opened) member.adopt(rules);
  }

  /** Opens the watches of the next plans beside those that are open. */
  prepare(nextPlans: readonly NextSource<Q>[]): void {
    const nextKeys = nextPlans.flatMap(({ plan, namespaces }) => {
      if (plan === undefined) return [];
      const keys = keysOf(plan, namespaces);
      for (const key of keys) this.#add(plan, key);
      return keys;
    });
    this.#nextKeys = nextPlans.length === 0 ? undefined : nextKeys;
  }

  /**
   * Opens the watches of the plan with these namespaces of the controller, and those of the next plans. Detaches the
   * watches that none of the plans has, and returns them.
   */
  follow(
    namespaces: NamespaceSet | undefined,
    nextPlans: readonly NextSource<Q>[],
  ): readonly KindSource<Q>[] {
    if (this.#isDetached) return [];
    this.#keys = keysOf(this.#plan, namespaces);
    for (const key of this.#keys) this.#add(this.#plan, key);
    this.prepare(nextPlans);
    const wanted = new Set([...this.#keys, ...(this.#nextKeys ?? [])]);
    const left = [...this.#watches].filter(([key]) => !wanted.has(key));
    for (const [key, member] of left) {
      this.#watches.delete(key);
      member.detach();
    }
    return left.map(([, member]) => member);
  }

  /**
   * Resolves when every watch in force has synced, including those that are added during the wait. Rejects with
   * `WATCH_REMOVED` if the source is removed.
   */
  async synced(): Promise<void> {
    const unsynced = (): KindSource<Q>[] => this.members.filter(({ hasSynced }) => !hasSynced);
    for (let pending = unsynced(); pending.length > 0; pending = unsynced()) {
      await Promise.all(pending.map((member) => member.syncedOrRemoved()));
      if (this.#isDetached) throw this.removed();
    }
  }

  /** Stops the requests of all watches. Their objects can be read until they are released. */
  detach(): void {
    this.#isDetached = true;
    for (const member of this.opened) member.detach();
  }

  /** The error of a source that was removed. */
  removed(): ManagerError {
    return new ManagerError('WATCH_REMOVED', {
      source: this.name,
      resource: resourceId(this.options.resource),
    });
  }

  #watchesOf(selects: (key: WatchKey) => boolean): readonly KindSource<Q>[] {
    return [...this.#watches].flatMap(([key, member]) => (selects(key) ? [member] : []));
  }

  #add({ options, mapper, parts }: SourcePlan<Q>, key: WatchKey): void {
    if (this.#watches.has(key)) return;
    const isKnown = (object: ObjectView): boolean => {
      const present = this.#former?.watchOf(object.namespace) ?? this.watchOf(object.namespace);
      return present !== undefined && present !== member && present.hasSeen(object);
    };
    const member: KindSource<Q> = new KindSource<Q>({
      ...parts,
      options: key === undefined ? options : { ...options, namespace: key },
      mapper,
      isKnown,
    });
    if (this.#cache !== undefined) member.open(this.#cache, this.#after);
    this.#watches.set(key, member);
  }
}

function isNamespaceSet(keys: readonly WatchKey[]): keys is NamespaceSet {
  return keys[0] !== undefined;
}

/** Returns a plan with other namespaces of its own. */
export function withNamespaces<Q extends object>(
  plan: SourcePlan<Q>,
  namespaces: NamespaceSet,
): SourcePlan<Q> {
  return { ...plan, options: { ...plan.options, namespaces } };
}

function withOwnSet<Q extends object>(plan: SourcePlan<Q>): SourcePlan<Q> {
  return { ...plan, options: withNamespaceSet(plan.options) };
}

/**
 * Returns the keys of the watches of a plan. `own` are the namespaces of the controller, which do not apply to a source
 * that names a further cluster.
 */
function keysOf<Q extends object>(
  { options, parts, spans }: SourcePlan<Q>,
  own: NamespaceSet | undefined,
): readonly WatchKey[] {
  const { resource, namespace, namespaces } = options;
  if (namespaces !== undefined) return namespaces;
  const isSingle = namespace !== undefined || !resource.namespaced;
  if (isSingle) return [undefined];
  const ofController = spans || clusterOf(options) === undefined ? own : undefined;
  return ofController ?? parts.watchDefaults?.namespacesOf(resource) ?? [undefined];
}
