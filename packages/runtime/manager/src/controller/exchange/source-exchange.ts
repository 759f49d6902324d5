import type { CauseSet } from '../../reconcile/cause.ts';
import type { HeirSets } from '../../run/request-queue.ts';
import type { KindSource } from '../sources/kind-source.ts';
import type { NamespaceSet } from '../sources/namespace-set.ts';
import { watchLabel } from '../sources/source-text.ts';
import type { SourcePlan, SourceWatches } from '../sources/source-watches.ts';
import { Handover, reaching } from './handover.ts';
import { pairSources } from './source-pairs.ts';

/** The part of a controller's queue that gives requests to other sources. */
export interface ReassignableQueue<Q extends object> {
  keyOf(request: Q): string;
  reassign(from: ReadonlySet<CauseSet>, heirsOf: HeirSets<Q>): void;
}

/** The sources of a controller, as an exchange changes them. */
export interface ExchangeableSources<Q extends object> {
  /** The coming namespaces of the controller itself, which coming watches have. */
  nextNamespaces: NamespaceSet | undefined;
  /** True from the start on, when the watches are open. */
  readonly isOpen: boolean;
  /** The sources in force. */
  readonly all: readonly SourceWatches<Q>[];
  /** Those of them that the options of the controller name, and those that were added at run time. */
  readonly declared: readonly SourceWatches<Q>[];
  readonly added: readonly SourceWatches<Q>[];
  /** Throws if a source cannot exist beside the present ones, or in the place of one of them. */
  check(plan: SourcePlan<Q>, present: SourceWatches<Q>): void;
  /** Opens the watches of a source that is not in force until `install`. */
  begin(plan: SourcePlan<Q>): SourceWatches<Q>;
  install(source: SourceWatches<Q>): void;
  detach(source: SourceWatches<Q>): void;
  /** Begins the coming namespaces. Returns the watches that they end and that no plan has ended, detached. */
  adoptNamespaces(): readonly KindSource<Q>[];
}

/** The sources that the next options of a controller name, and its own namespaces. */
export interface NextSources<Q extends object> {
  readonly plans: readonly SourcePlan<Q>[];
  /** `undefined` if they stay as they are. */
  readonly namespaces: NamespaceSet | undefined;
}

/** The watches that an exchange begins, keeps and ends, such as `for WebApp in team-a (app=web)`. */
export interface WatchDifference {
  readonly started: readonly string[];
  readonly kept: readonly string[];
  readonly stopped: readonly string[];
}

/** The watches and sources that an exchange has ended, and the difference. */
interface Committed<Q extends object> {
  /** The watches that ended. */
  readonly left: readonly KindSource<Q>[];
  /** The sources that have no watches any more. */
  readonly ended: readonly SourceWatches<Q>[];
  readonly difference: WatchDifference;
}

/**
 * Exchanges the sources of a controller. The new watches are open beside the present ones, which stay in force until
 * `commit`.
 */
export class SourceExchange<Q extends object> {
  readonly #sources: ExchangeableSources<Q>;
  readonly #queue: ReassignableQueue<Q>;
  /** The sources with a plan for their next watches. */
  readonly #prepared: SourceWatches<Q>[] = [];
  readonly #begun: SourceWatches<Q>[] = [];
  readonly #ending: readonly SourceWatches<Q>[];
  #handovers: readonly Handover<Q>[] = [];

  /** Opens the new watches. Throws if one cannot exist; nothing has changed then. */
  constructor(
    sources: ExchangeableSources<Q>,
    queue: ReassignableQueue<Q>,
    { plans, namespaces }: NextSources<Q>,
  ) {
    this.#sources = sources;
    this.#queue = queue;
    sources.nextNamespaces = namespaces;
    const { pairs, added, ended } = pairSources(sources.declared, plans);
    this.#ending = ended;
    try {
      for (const { source, plan } of pairs) {
        sources.check(plan, source);
        this.#prepared.push(source);
        source.prepare(plan);
      }
      for (const source of namespaces === undefined ? [] : sources.added) {
        this.#prepared.push(source);
        source.prepare(source.plan);
      }
      for (const plan of added) this.#begun.push(sources.begin(plan));
    } catch (error) {
      for (const member of this.discard()) member.release();
      throw error;
    }
  }

  /**
   * The watches that the exchange waits for: those that the controller requires, and those that replace watches whose
   * objects the controller reads.
   */
  get awaited(): readonly KindSource<Q>[] {
    if (!this.#sources.isOpen) return [];
    const replaces = ({ leaving }: SourceWatches<Q>): boolean =>
      leaving.some(({ hasSynced }) => hasSynced);
    // A source that was removed meanwhile has no next watches.
    const prepared = this.#prepared.filter(
      (source) => !source.isDetached && (source.required || replaces(source)),
    );
    const begun = this.#begun.filter(({ required }) => required);
    return [
      ...prepared.flatMap(({ coming }) => coming),
      ...begun.flatMap(({ members }) => members),
    ];
  }

  /** True if `synced` resolves and `compare` has nothing to compare. */
  get isReady(): boolean {
    return this.#unsynced().length === 0 && this.#handoversNow().length === 0;
  }

  /** Resolves when the awaited watches have synced. Rejects if a new source is removed meanwhile. */
  async synced(): Promise<void> {
    for (let pending = this.#unsynced(); pending.length > 0; pending = this.#unsynced()) {
      await Promise.all(pending.map((source) => source.syncedOrRemoved()));
      const removed = this.#begun.find(({ isDetached }) => isDetached);
      if (removed !== undefined) throw removed.removed();
    }
  }

  /** Compares the objects of the watches that end with those of their heirs, in slices. */
  async compare(signal: AbortSignal): Promise<void> {
    this.#handovers = this.#handoversNow();
    for (const handover of this.#handovers) await handover.compare(signal);
  }

  /** Begins the new sources in one step. Returns the watches and the sources that end, detached, and the difference. */
  commit(): Committed<Q> {
    const sources = this.#sources;
    const opened = this.#opened;
    for (const handover of this.#handovers) handover.deliverMissing();
    const left = this.#prepared.flatMap((source) => source.commit());
    for (const source of this.#begun) sources.install(source);
    for (const source of this.#ending) {
      sources.detach(source);
      left.push(...source.members);
    }
    left.push(...sources.adoptNamespaces());
    for (const { causes, heirsOf } of this.#handovers)
      this.#queue.reassign(new Set(causes), heirsOf);
    const kept = sources.all
      .flatMap(({ members }) => members)
      .filter((one) => !opened.includes(one));
    const labels = (watches: readonly KindSource<Q>[]): readonly string[] =>
      watches.map(watchLabel);
    return {
      left,
      ended: this.#ending,
      difference: { started: labels(opened), kept: labels(kept), stopped: labels(left) },
    };
  }

  /** Gives the new watches up. Returns them, detached. */
  discard(): readonly KindSource<Q>[] {
    const opened = this.#opened;
    for (const source of this.#prepared) source.discard();
    for (const source of this.#begun) this.#sources.detach(source);
    this.#sources.nextNamespaces = undefined;
    return opened;
  }

  get #opened(): readonly KindSource<Q>[] {
    const prepared = this.#prepared.flatMap(({ coming }) => coming);
    return [...prepared, ...this.#begun.flatMap(({ members }) => members)];
  }

  #unsynced(): readonly KindSource<Q>[] {
    return this.awaited.filter(({ hasSynced }) => !hasSynced);
  }

  #handoversNow(): Handover<Q>[] {
    const keyOf = (request: Q): string => this.#queue.keyOf(request);
    return this.#prepared.flatMap(({ plan: { role }, leaving, coming }) =>
      leaving.flatMap((former) => {
        const heirs = coming.filter((heir) => reaching(heir, former));
        return role === 'reads' || heirs.length === 0
          ? []
          : [new Handover({ role, former, heirs, keyOf })];
      }),
    );
  }
}
