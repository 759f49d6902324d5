import type { Frame } from '@keelson/wire';
import { VersionTrust } from '../reflector/resource-version.ts';
import { Deferred } from './deferred.ts';
import { asError, informerError } from '../errors.ts';
import { FanOut, type NewHandler } from './fan-out.ts';
import type { HandlerMove } from './handover.ts';
import { HealthRecord, type WatchHealth } from '../contract/watch-health.ts';
import type { SkipCause, WatchIdentity } from '../contract/informer-observer.ts';
import { InformerProgress } from './informer-progress.ts';
import { openedSource } from '../contract/lister-watcher.ts';
import { PassedWrites } from '../overlay/passed-writes.ts';
import type { InformerOptions } from './informer-options.ts';
import { CandidateReader, type Candidate } from '../store/candidate.ts';
import { ObjectForm } from '../store/stored-object.ts';
import type { Unreadable } from '../store/object-repair.ts';
import type { Reflector } from '../reflector/reflector.ts';
import { reflectorOf } from './informer-reflector.ts';
import type { ReflectorSink, Replacement } from '../reflector/reflector-sink.ts';
import type { Difference } from '../store/difference.ts';
import { Store } from '../store/store.ts';
import { PartOverlap } from './part-overlap.ts';
import type { Registration } from './registration.ts';
import { StoreRepair } from '../store/store-repair.ts';
import { callUserCode } from '../contract/user-code.ts';
import {
  growthOf,
  isOutside,
  type PartDifference,
  type PartObject,
  type WatchPart,
} from '../contract/watch-part.ts';
import type { NamedTransform, Retention } from '../contract/watch-query.ts';

/**
 * One watch: a reflector that updates a store, and the handlers that receive every difference. The
 * store always changes before a handler is called.
 */
export class Informer implements ReflectorSink {
  readonly identity: WatchIdentity;
  readonly transform: NamedTransform | undefined;
  /** The objects that the watch keeps; `undefined` for all. */
  readonly part: WatchPart | undefined;
  readonly store: Store;
  readonly form: ObjectForm;
  readonly health: HealthRecord;
  /** True once the store has had the complete state. Only this class sets it. */
  hasSynced = false;
  readonly #options: InformerOptions;
  readonly #reader: CandidateReader;
  readonly #fanOut: FanOut;
  readonly #reflector: Reflector;
  readonly #repair: StoreRepair;
  readonly #progress: InformerProgress;
  readonly #passed: PassedWrites;
  readonly #trust = new VersionTrust();
  readonly #synced = new Deferred();
  /** The version of the part with which the store has been listed. */
  #partVersion = -Infinity;
  /** The events that the stream repeats after a growth of the part. */
  #overlap: PartOverlap | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: InformerOptions) {
    const { identity, observer, clock, waits, follower, memory, keepManagedFields } = options;
    const listerWatcher = openedSource(options.listerWatcher);
    this.#options = options;
    this.identity = identity;
    this.transform = options.transform;
    this.part = options.part;
    this.health = new HealthRecord(clock);
    this.#progress = new InformerProgress(options.timeline);
    this.#passed = new PassedWrites(() => follower.pending());
    this.store = new Store({
      resource: identity.query.resource,
      fieldSelector: identity.query.fieldSelector,
      transform: options.transform?.name,
      isOutside: this.#outsideOf(options.part),
      slabs: memory.slabs,
      growth: options.growth?.(this),
      now: clock.monotonic.bind(clock),
      onIndexerError: (indexer, error) => observer.indexerError?.(identity, indexer, error),
    });
    this.form = new ObjectForm({ ...identity.query, memory, keepManagedFields });
    this.form.onUnreadable = (object, error) => this.#repair.fetchIfCurrent(object, error);
    this.#reader = new CandidateReader({
      form: this.form,
      transform: options.transform,
      onSkip: (cause, error) => this.#skip(cause, error),
      onUnreadable: (object, error) => this.#repair.fetch(object, error),
    });
    this.#repair = new StoreRepair({
      clock,
      store: this.store,
      reader: this.#reader,
      listerWatcher,
      onUnreadable: (error) => this.#skipped('malformed', error),
      onRepaired: (previous, object) => this.#fanOut.deliverRepaired({ previous, object }),
      onError: (error) => observer.watchError?.(identity, error),
    });
    const { store } = this;
    const progress = this.#progress;
    this.#fanOut = new FanOut({ identity, store, progress, clock, observer, waits, follower });
    this.#reflector = reflectorOf(options, { sink: this, health: this.health, listerWatcher });
    this.health.onChange(
      (health) => observer.healthChanged?.(identity, health),
      () => undefined,
    );
  }

  /** Resolves when the store first has the complete state. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Milliseconds since the server last sent data; `undefined` before the first data. */
  get lastEventAge(): number | undefined {
    const { lastActivityAt: at } = this.#reflector;
    return at === undefined ? undefined : this.#options.clock.monotonic() - at;
  }

  start(): void {
    this.#options.observer.watchStarted?.(this.identity);
    this.#running = this.#reflector.run();
  }

  /**
   * Stops the watch. After it returns no handler is called; the promise settles when the last
   * request has ended.
   */
  async stop(): Promise<void> {
    if (!this.#stopped) {
      this.#stopped = true;
      this.#reflector.stop();
      this.#repair.stop();
      for (const registration of this.#fanOut.registrations) registration.remove();
      this.health.bad('stopped', 'the watch was stopped', undefined);
      this.#synced.reject(informerError('CACHE_CLOSED'));
      this.#options.memory.release(this.form);
      this.store.clear();
      this.#options.observer.watchStopped?.(this.identity);
    }
    await this.#running;
  }

  /** Retries at once, because the server has started to serve the kind. */
  wake(): void {
    this.#reflector.wake();
  }

  /** Lists again. Resolves when the handlers have received the differences. */
  async relist(): Promise<void> {
    await this.#reflector.relist();
  }

  /**
   * Follows a change of the part: drops the objects that have left it, and lists again if it may keep more objects than
   * before. Resolves when the handlers have received the objects that have entered it.
   */
  async followPart(): Promise<void> {
    const { part } = this;
    if (part === undefined) return;
    const { version } = part;
    // A list drops the objects too.
    while (this.#partVersion < version) {
      if (!(await this.#grow(part))) await this.relist();
    }
    this.#reflector.reselect();
    await this.#dropOutside();
  }

  /** Lists only the objects that have entered the part, beside the running stream. Returns false if that is not possible. */
  async #grow(part: WatchPart): Promise<boolean> {
    const { version } = part;
    const growth = this.#growthSince(part);
    if (growth === undefined || !this.hasSynced || !this.isOrdered) return false;
    const { selection, had } = growth;
    // An object that left the part and has come back may have been deleted meanwhile.
    await this.#dropOutside((object) => !had(object));
    if (this.#overlap !== undefined) return false;
    const overlap = new PartOverlap(had);
    this.#overlap = overlap;
    this.#progress.isDelivering = true;
    const isMerged = await this.#reflector.grow({
      selection,
      list: this.#further(overlap),
      merge: (former, added) => {
        overlap.merge({ former, added });
        if (former === added) this.#overlap = undefined;
        this.#partVersion = version;
      },
    });
    this.#progress.isDelivering = false;
    if (!isMerged && this.#overlap === overlap) this.#overlap = undefined;
    return isMerged;
  }

  /** The objects that have entered the part; `undefined` if it fails to name them. */
  #growthSince(part: WatchPart): PartDifference | undefined {
    const { observer } = this.#options;
    const failed = (error: unknown): void => observer.watchError?.(this.identity, asError(error));
    return growthOf(part, this.#partVersion, failed);
  }

  /** Adds the objects of a list to the store, unless it has later states. */
  #further(overlap: PartOverlap): Replacement {
    return {
      put: (frame) => {
        const candidate = this.#stopped ? undefined : this.#reader.read(frame);
        // The store may have the object from the running watch, so a known object does not count as a repeated one.
        if (candidate === undefined) return false;
        // A list has replaced the store during a pause of this one.
        if (this.#overlap !== overlap) return false;
        if (overlap.includes(candidate, this.store.find(candidate))) return false;
        const difference = this.store.upsert(candidate);
        if (difference === undefined) return false;
        const receivedAt = this.#options.clock.monotonic();
        const mayCombine = this.#fanOut.hasGap;
        this.#fanOut.deliver(difference, { receivedAt, initial: false, mayCombine });
        return false;
      },
      delete: () => undefined,
      commit: async () => undefined,
    };
  }

  async #dropOutside(hasLeft?: (object: PartObject) => boolean): Promise<void> {
    const slice = this.store.slice();
    for (const object of this.store.dropOutside(hasLeft)) {
      this.#overlap?.removed(object);
      this.#options.follower.removed(object);
      if (slice.isDue()) await slice.pause();
    }
  }

  retainAs(retention: Retention): void {
    this.store.retainAs(retention);
  }

  /** Adds a health listener. It is called at once if its former watch had another state. */
  onHealthChange(
    owner: string,
    listener: (health: WatchHealth) => unknown,
    known: WatchHealth = this.health.current,
  ): Disposable {
    const { observer } = this.#options;
    const failed = (error: unknown): void => observer.handlerError?.(this.identity, owner, error);
    const { current } = this.health;
    if (known.state !== current.state) callUserCode(failed, listener, current);
    return this.health.onChange(listener, failed);
  }

  addHandler(added: NewHandler): Registration {
    const snapshot = this.hasSynced ? this.store.all(added.lens?.namespace) : undefined;
    return this.#fanOut.add(added, snapshot);
  }

  /**
   * True if the versions of the server have an order. Otherwise handlers do not move, because no state can be compared.
   */
  get isOrdered(): boolean {
    return !this.hasSynced || this.#trust.isOrdered(this.store.resourceVersion);
  }

  /** True if this store has every state that the handlers of another watch have seen. */
  includes(other: Informer): boolean {
    if (!other.hasSynced) return true;
    if (!this.isOrdered || this.#repair.running.size > 0) return false;
    return this.#progress.includes(this.store.resourceVersion, other.#progress);
  }

  /** Takes handlers from another watch. `move` has the objects that they have seen in its store. */
  takeHandlers(from: Informer, registrations: readonly Registration[], move: HandlerMove): void {
    const seen = from.hasSynced ? move : undefined;
    this.#fanOut.take(registrations, { ...move, from: from.#fanOut, store: this.store, seen });
  }

  replacement(): Replacement {
    const stage = this.store.stage(!this.#trust.knowsVersions);
    const unreadable: Unreadable[] = [];
    const partVersion = this.part?.version ?? 0;
    return {
      put: (frame) => {
        let isRepeated = false;
        this.#repair.collecting(unreadable, () => {
          const candidate = this.#reader.read(frame);
          isRepeated = candidate !== undefined && stage.put(candidate);
        });
        return isRepeated;
      },
      delete: (frame) => {
        const candidate = this.#reader.read(frame);
        if (candidate !== undefined) stage.delete(candidate);
      },
      commit: async (resourceVersion, receivedAt) => {
        if (this.#stopped) return;
        this.#partVersion = partVersion;
        this.#overlap = undefined;
        this.#trust.listed();
        this.#passed.collect();
        this.#progress.listed(resourceVersion, this.store.resourceVersion);
        const differences = this.store.swap(stage, resourceVersion);
        this.#repair.fetchCollected(unreadable);
        await this.#deliverAll(this.#passed.addTo(differences, this.store), receivedAt);
        // Objects of earlier pages may have left the part meanwhile.
        if (this.part !== undefined) await this.#dropOutside();
      },
    };
  }

  apply(frame: Frame, receivedAt: number): string | undefined {
    const candidate = this.#stopped ? undefined : this.#reader.read(frame);
    if (candidate === undefined) return undefined;
    const { store } = this;
    const { resourceVersion } = candidate;
    const overlap = this.#overlap;
    if (overlap?.isMerged === true) {
      this.#applyRepeated(overlap, candidate, { type: frame.type, receivedAt });
      return resourceVersion;
    }
    this.#trust.parsed(resourceVersion, store.resourceVersion);
    if (this.#repair.running.size > 0) this.#repair.cancel(candidate);
    const isPlain = overlap === undefined && frame.type !== 'DELETED';
    const difference = isPlain
      ? store.upsert(candidate)
      : this.#changed(candidate, frame.type, overlap);
    if (resourceVersion !== '') {
      // The version is set before the handlers are called, because they may read it.
      store.resourceVersion = resourceVersion;
      this.#progress.lastChange = resourceVersion;
    }
    if (difference !== undefined) {
      const mayCombine = this.#fanOut.hasGap;
      this.#fanOut.deliver(difference, { receivedAt, initial: false, mayCombine });
    }
    const { follower } = this.#options;
    if (follower.ownWrites.size > 0 || follower.moves.size > 0) follower.progressed();
    return resourceVersion || undefined;
  }

  /** Changes the store. Returns `undefined` if it has the state, or a later one. */
  #changed(
    candidate: Candidate,
    type: Frame['type'],
    overlap: PartOverlap | undefined,
  ): Difference | undefined {
    const { store } = this;
    if (overlap?.includes(candidate, store.find(candidate)) === true) return undefined;
    if (type !== 'DELETED') return store.upsert(candidate);
    overlap?.removed(candidate);
    return store.remove(candidate);
  }

  /**
   * Applies an event that may be new for its object, although the store has later states of others. The version of the
   * store stays until the overlap has ended.
   */
  #applyRepeated(
    overlap: PartOverlap,
    candidate: Candidate,
    { type, receivedAt }: { readonly type: Frame['type']; readonly receivedAt: number },
  ): void {
    const { resourceVersion } = candidate;
    const difference = this.#changed(candidate, type, overlap);
    if (overlap.endsAt(resourceVersion)) this.#endOverlap(resourceVersion);
    if (difference === undefined) return;
    const mayCombine = this.#fanOut.hasGap;
    this.#fanOut.deliver(difference, { receivedAt, initial: false, mayCombine });
  }

  /** Records that the store has one version again. */
  #endOverlap(resourceVersion: string): void {
    this.#overlap = undefined;
    this.store.resourceVersion = resourceVersion;
    this.#progress.lastChange = resourceVersion;
    this.#options.follower.progressed();
  }

  progress(resourceVersion: string): void {
    if (this.#overlap?.isMerged === true) {
      if (this.#overlap.endsAt(resourceVersion)) this.#endOverlap(resourceVersion);
      return;
    }
    this.#trust.checkOrder(resourceVersion, this.store.resourceVersion);
    this.store.resourceVersion = resourceVersion;
    this.#options.follower.progressed();
  }

  forgetVersions(): void {
    this.#trust.knowsVersions = false;
    this.#passed.collect();
    this.#progress.wentBack();
  }

  distrustVersions(): void {
    this.#trust.distrustVersions();
  }

  #outsideOf(part: WatchPart | undefined): ((object: PartObject) => boolean) | undefined {
    if (part === undefined) return undefined;
    const { observer, identity } = this.#options;
    const failed = (error: unknown): void => observer.watchError?.(identity, asError(error));
    return (object) => isOutside(part, object, failed);
  }

  #skip(cause: SkipCause, error: unknown): void {
    if (cause === 'malformed') this.#trust.malformed(error);
    this.#skipped(cause, error);
  }

  #skipped(cause: SkipCause, error: unknown): void {
    this.#fanOut.hasGap = true;
    this.#options.observer.skipped?.(this.identity, cause, error);
  }

  async #deliverAll(differences: Iterable<Difference>, receivedAt: number): Promise<void> {
    const delivery = this.#fanOut.delivery(receivedAt, !this.hasSynced);
    this.hasSynced = true;
    this.#progress.isDelivering = true;
    this.#synced.resolve();
    await this.#fanOut.deliverAll(differences, delivery, () => this.#stopped);
    this.#progress.isDelivering = false;
    this.#options.follower.progressed();
  }
}
