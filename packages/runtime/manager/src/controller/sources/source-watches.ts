import { resourceId } from '@keelson/apimachinery';
import type { ObjectView, WatchHealth } from '@keelson/informer';
import { ManagerError } from '../../errors.ts';
import { KindSource, type KindSourceOptions, type WatchProvider } from './kind-source.ts';
import { withNamespaceSet, type NamespaceSet } from './namespace-set.ts';
import type { EventMapper } from './request-mapper.ts';
import type { SourceOptions, SourceRole } from './source-options.ts';
import type { SourceRules } from '../event-rules/source-rules.ts';
import { sourceText } from './source-text.ts';

/** The options that the watches of a source share, and the namespaces of its controller. */
export interface SourceWatchesHost<Q extends object> extends Omit<
  KindSourceOptions<Q>,
  'options' | 'mapper' | 'isKnown'
> {
  /**
   * Returns the namespaces of the kind for a source that names none, at present or after the change of the controller
   * that is being prepared; `undefined` for all.
   */
  defaultNamespaces(isComing: boolean): NamespaceSet | undefined;
}

/** The complete options of a source. */
export interface SourcePlan<Q extends object> {
  readonly role: SourceRole;
  readonly options: SourceOptions;
  /** `undefined` for `reads`. */
  readonly mapper: EventMapper<Q> | undefined;
  readonly host: SourceWatchesHost<Q>;
}

/** Watches by namespace. The key of a single watch is `undefined`. */
type Members<Q extends object> = Map<string | undefined, KindSource<Q>>;

/** The next plan of a source, and the open watches that it adds to those that stay. */
interface Coming<Q extends object> {
  readonly plan: SourcePlan<Q>;
  readonly added: Members<Q>;
  /** True if the watches of the namespaces that stay continue. */
  readonly keepsWatches: boolean;
}

/**
 * The watches of one source: one for each namespace of its set, or a single one. A change of the set adds and detaches
 * watches; those of the namespaces that stay continue.
 */
export class SourceWatches<Q extends object> {
  #plan: SourcePlan<Q>;
  readonly #members: Members<Q> = new Map();
  #coming: Coming<Q> | undefined;
  #cache: WatchProvider | undefined;
  #after: Promise<unknown> | undefined;
  #isInForce: boolean;
  #isDetached = false;

  /** A source that is not in force has the coming namespaces of its controller until `enter`. */
  constructor(plan: SourcePlan<Q>, isInForce: boolean = true) {
    this.#plan = withOwnSet(plan);
    this.#isInForce = isInForce;
    this.follow();
  }

  enter(): void {
    this.#isInForce = true;
  }

  get plan(): SourcePlan<Q> {
    return this.#plan;
  }

  get name(): string {
    return this.#plan.host.name;
  }

  get required(): boolean {
    return this.#plan.host.required;
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  get options(): SourceOptions {
    return this.#plan.options;
  }

  get members(): readonly KindSource<Q>[] {
    return [...this.#members.values()];
  }

  /** All open watches, those of the next plan too. */
  get opened(): readonly KindSource<Q>[] {
    return [...this.members, ...this.coming];
  }

  /** The namespaces at present; `undefined` if the source has no set. */
  get namespaces(): NamespaceSet | undefined {
    return namespacesOf(this.#plan, !this.#isInForce);
  }

  /** The health of the first watch that is not live. */
  get health(): WatchHealth | undefined {
    const all = this.members.map(({ health }) => health);
    return all.find((health) => health?.state !== 'live') ?? all[0];
  }

  /** Returns the watch of a namespace. A single watch is that of every namespace. */
  memberOf(namespace: string | undefined): KindSource<Q> | undefined {
    const coming = this.#coming?.added;
    return (
      this.#members.get(undefined) ??
      this.#members.get(namespace) ??
      coming?.get(undefined) ??
      coming?.get(namespace)
    );
  }

  /** Opens the watches. Their events begin after the promise. */
  open(cache: WatchProvider, after?: Promise<unknown>): void {
    this.#cache = cache;
    this.#after = after;
    for (const member of this.members) member.open(cache, after);
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
  update(options: SourceOptions, mapper: EventMapper<Q> | undefined): readonly KindSource<Q>[] {
    this.#plan = withOwnSet({ ...this.#plan, options, mapper });
    for (const member of this.members) member.replace(mapper, options.predicates);
    return this.follow();
  }

  /** Replaces the rules of all watches from their next event on. */
  adopt(rules: SourceRules): void {
    this.#plan = { ...this.#plan, host: { ...this.#plan.host, ...rules } };
    for (const member of this.members) member.adopt(rules);
  }

  /** Replaces the set that the source itself names. Returns the detached watches. */
  setNamespaces(namespaces: NamespaceSet): readonly KindSource<Q>[] {
    const renamed = (plan: SourcePlan<Q>): SourcePlan<Q> => ({
      ...plan,
      options: { ...plan.options, namespaces },
    });
    this.#plan = renamed(this.#plan);
    // A change of the controller that is being prepared keeps the watch and its own set.
    if (this.#coming !== undefined)
      this.#coming = { ...this.#coming, plan: renamed(this.#coming.plan) };
    return this.follow();
  }

  /** Adds and detaches watches according to the present set. Returns the detached ones. */
  follow(): readonly KindSource<Q>[] {
    if (this.#isDetached) return [];
    const keys = keysOf(this.#plan, !this.#isInForce);
    const left = this.#follow(this.#plan, this.#members, keys);
    return this.#coming === undefined ? left : [...left, ...this.#followComing(this.#coming)];
  }

  /**
   * Opens the watches of another plan that the source does not have, beside its own ones, which stay in force until
   * `commit`. Returns the opened ones.
   */
  prepare(given: SourcePlan<Q>): readonly KindSource<Q>[] {
    const plan = withOwnSet(given);
    const keepsWatches = sourceText(plan.options) === sourceText(this.options);
    this.#coming = { plan, keepsWatches, added: new Map() };
    this.#followComing(this.#coming);
    return this.coming;
  }

  /** The watches that the next plan does not have. */
  get leaving(): readonly KindSource<Q>[] {
    if (this.#coming === undefined) return [];
    const { plan, keepsWatches } = this.#coming;
    const keys = keepsWatches ? keysOf(plan, true) : [];
    return [...this.#members].flatMap(([key, member]) => (keys.includes(key) ? [] : [member]));
  }

  /** The watches that were opened for the next plan. */
  get coming(): readonly KindSource<Q>[] {
    return [...(this.#coming?.added.values() ?? [])];
  }

  /** Begins the prepared plan. Returns the watches that it does not have, detached. */
  commit(): readonly KindSource<Q>[] {
    const coming = this.#coming;
    if (coming === undefined || this.#isDetached) return [];
    const { plan, added } = coming;
    const left = this.leaving;
    this.#coming = undefined;
    this.#plan = plan;
    for (const [key, member] of this.#members) if (left.includes(member)) this.#members.delete(key);
    for (const member of this.members) member.replace(plan.mapper, plan.options.predicates);
    for (const [key, member] of added) this.#members.set(key, member);
    for (const member of left) member.detach();
    return left;
  }

  /** Gives the prepared plan up. Returns its watches, detached. */
  discard(): readonly KindSource<Q>[] {
    const { coming } = this;
    this.#coming = undefined;
    for (const member of coming) member.detach();
    return coming;
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

  #followComing({ plan, added, keepsWatches }: Coming<Q>): readonly KindSource<Q>[] {
    const keys = keysOf(plan, true);
    const missing = keys.filter((key) => !keepsWatches || !this.#members.has(key));
    return this.#follow(plan, added, missing);
  }

  /** Adds and detaches members, so that these keys are left. Returns the detached ones. */
  #follow(
    plan: SourcePlan<Q>,
    members: Members<Q>,
    keys: readonly (string | undefined)[],
  ): readonly KindSource<Q>[] {
    for (const key of keys) if (!members.has(key)) this.#add(plan, members, key);
    const left = [...members].filter(([key]) => !keys.includes(key));
    for (const [key, member] of left) {
      members.delete(key);
      member.detach();
    }
    return left.map(([, member]) => member);
  }

  #add(
    { options, mapper, host }: SourcePlan<Q>,
    members: Members<Q>,
    key: string | undefined,
  ): void {
    const isKnown = (object: ObjectView): boolean => {
      const present = this.memberOf(object.namespace);
      return present !== undefined && present !== member && present.hasSeen(object);
    };
    const member: KindSource<Q> = new KindSource<Q>({
      ...host,
      options: key === undefined ? options : { ...options, namespace: key },
      mapper,
      isKnown,
    });
    if (this.#cache !== undefined) member.open(this.#cache, this.#after);
    members.set(key, member);
  }
}

function withOwnSet<Q extends object>(plan: SourcePlan<Q>): SourcePlan<Q> {
  return { ...plan, options: withNamespaceSet(plan.options) };
}

function namespacesOf<Q extends object>(
  { options, host }: SourcePlan<Q>,
  isComing: boolean,
): NamespaceSet | undefined {
  const { resource, namespace, namespaces } = options;
  if (namespaces !== undefined) return namespaces;
  if (namespace !== undefined || !resource.namespaced) return undefined;
  return host.defaultNamespaces(isComing);
}

function keysOf<Q extends object>(
  plan: SourcePlan<Q>,
  isComing: boolean,
): readonly (string | undefined)[] {
  return namespacesOf(plan, isComing) ?? [undefined];
}
