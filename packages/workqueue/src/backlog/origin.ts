import type { AddOptions } from '../contract/work-queue-options.ts';

/** An entry keeps this many causes; of further causes it keeps only the sources. */
const MAX_CAUSES = 8;

interface CauseWithTime<Cause> {
  readonly cause: Cause;
  /** The time of the first add with this cause, in ms of the queue's clock. */
  readonly at: number;
}

/**
 * The causes and sources of an entry. The number of causes is limited; the set of sources, of the
 * causes and of `furtherSources`, is complete. Most entries have one cause, which costs one object.
 */
export class Origin<Cause, Source> {
  first: Cause | undefined = undefined;
  /** Whole milliseconds of the queue's clock: V8 stores small integers without an object. */
  firstAt = 0;
  rest: CauseWithTime<Cause>[] | undefined = undefined;
  /** Sources of causes beyond the limit. */
  furtherSources: Set<Source> | undefined = undefined;
  /** True if an add named no cause: then `withdraw` never purges the entry. */
  isPermanent: boolean;

  constructor(isPermanent: boolean) {
    this.isPermanent = isPermanent;
  }

  /** The causes with their times, the earliest first. */
  causesWithTime(): CauseWithTime<Cause>[] {
    const { first, firstAt, rest = [] } = this;
    return first === undefined ? [] : [{ cause: first, at: firstAt }, ...rest];
  }

  causes(): Cause[] {
    const { first, rest } = this;
    if (first === undefined) return [];
    return rest === undefined ? [first] : [first, ...rest.map(({ cause }) => cause)];
  }

  causedAt(): number[] {
    const { first, firstAt, rest } = this;
    if (first === undefined) return [];
    return rest === undefined ? [firstAt] : [firstAt, ...rest.map(({ at }) => at)];
  }
}

/** The functions that compare causes and find their sources. */
export interface OriginRules<Cause, Source> {
  readonly now: () => number;
  readonly sameCause: (one: Cause, other: Cause) => boolean;
  /** `undefined`: each cause is its own source. */
  readonly sourceOf: ((cause: Cause) => Source) | undefined;
}

/** Creates origins. An entry without a cause has the origin `undefined`, which costs no memory. */
export class Origins<Cause, Source> {
  readonly #rules: OriginRules<Cause, Source>;

  constructor(rules: OriginRules<Cause, Source>) {
    this.#rules = rules;
  }

  /** Creates the origin of a new entry. */
  begin(options: AddOptions<Cause>, at: number): Origin<Cause, Source> | undefined {
    if (!namesCause(options)) return undefined;
    const origin = new Origin<Cause, Source>(false);
    this.#addAll(origin, options, at);
    return origin;
  }

  /** Adds the causes of another add to the origin of an entry. */
  extend(
    origin: Origin<Cause, Source> | undefined,
    options: AddOptions<Cause>,
  ): Origin<Cause, Source> | undefined {
    if (!namesCause(options)) {
      if (origin !== undefined) origin.isPermanent = true;
      return origin;
    }
    const extended = origin ?? new Origin<Cause, Source>(true);
    this.#addAll(extended, options, undefined);
    return extended;
  }

  /**
   * Creates the origin of a retry. It has the sources of the run, of the existing entry, and of the
   * add.
   */
  inherit(
    run: Origin<Cause, Source> | undefined,
    entry: Origin<Cause, Source> | undefined,
    options: AddOptions<Cause>,
  ): Origin<Cause, Source> {
    const origin = entry ?? new Origin<Cause, Source>(false);
    for (const { cause, at } of run?.causesWithTime() ?? []) this.#add(origin, cause, at);
    for (const source of run?.furtherSources ?? []) this.#addSource(origin, source);
    this.#addAll(origin, options, undefined);
    const isNamed = namesCause(options) || !isWithdrawn(run);
    // Permanent if the run has no causes or is permanent, or if they were all withdrawn and the add names none.
    origin.isPermanent ||= run === undefined || run.isPermanent || !isNamed;
    return origin;
  }

  /** Returns a copy without the sources that match; the same origin if no source matches. */
  without(
    origin: Origin<Cause, Source>,
    matches: (source: Source) => boolean,
  ): Origin<Cause, Source> {
    return this.replaced(origin, matches, () => []);
  }

  /**
   * Returns a copy in which each cause of a matching source is replaced by its heirs, with its time; the same origin
   * if no source matches. A source whose causes are beyond the limit has the heirs of `undefined`.
   */
  replaced(
    origin: Origin<Cause, Source>,
    matches: (source: Source) => boolean,
    heirsOf: (cause: Cause | undefined) => readonly Cause[],
  ): Origin<Cause, Source> {
    if (!this.has(origin, matches)) return origin;
    const left = new Origin<Cause, Source>(origin.isPermanent);
    for (const { cause, at } of origin.causesWithTime()) {
      const heirs = matches(this.#sourceOf(cause)) ? heirsOf(cause) : [cause];
      for (const heir of heirs) this.#add(left, heir, at);
    }
    for (const source of origin.furtherSources ?? []) {
      const heirs = matches(source)
        ? heirsOf(undefined).map((heir) => this.#sourceOf(heir))
        : [source];
      for (const heir of heirs) this.#addSource(left, heir);
    }
    return left;
  }

  /**
   * Returns the remaining origin of each origin with a matching source. It changes nothing, because
   * `matches` may throw or call the queue.
   */
  reduceAll(
    origins: readonly (Origin<Cause, Source> | undefined)[],
    matches: (source: Source) => boolean,
  ): Map<Origin<Cause, Source>, Origin<Cause, Source>> {
    const left = new Map<Origin<Cause, Source>, Origin<Cause, Source>>();
    for (const origin of origins) {
      if (origin === undefined) continue;
      const reduced = this.without(origin, matches);
      if (reduced !== origin) left.set(origin, reduced);
    }
    return left;
  }

  /** True if at least one source matches. */
  has(origin: Origin<Cause, Source> | undefined, matches: (source: Source) => boolean): boolean {
    if (origin?.first === undefined && origin?.furtherSources === undefined) return false;
    const { first, rest = [], furtherSources = [] } = origin;
    return (
      (first !== undefined && matches(this.#sourceOf(first))) ||
      rest.some(({ cause }) => matches(this.#sourceOf(cause))) ||
      [...furtherSources].some(matches)
    );
  }

  #addAll(origin: Origin<Cause, Source>, options: AddOptions<Cause>, at: number | undefined): void {
    const { cause, causes } = options;
    if (cause !== undefined) this.#add(origin, cause, at);
    if (causes !== undefined) for (const one of causes) this.#add(origin, one, at);
  }

  #add(origin: Origin<Cause, Source>, cause: Cause, at: number | undefined): void {
    const { sameCause, now } = this.#rules;
    const { first, rest } = origin;
    if (first !== undefined && sameCause(first, cause)) return;
    if (rest?.some((known) => sameCause(known.cause, cause)) === true) return;
    if (rest?.length === MAX_CAUSES - 1) this.#addSource(origin, this.#sourceOf(cause));
    else this.#push(origin, cause, Math.floor(at ?? now()));
  }

  #push(origin: Origin<Cause, Source>, cause: Cause, at: number): void {
    if (origin.first !== undefined) {
      (origin.rest ??= []).push({ cause, at });
      return;
    }
    origin.first = cause;
    origin.firstAt = at;
  }

  #addSource(origin: Origin<Cause, Source>, source: Source): void {
    const { sameCause, sourceOf } = this.#rules;
    if (origin.causes().some((cause) => Object.is(this.#sourceOf(cause), source))) return;
    const furtherSources = (origin.furtherSources ??= new Set());
    if (sourceOf === undefined && sameCause !== Object.is) {
      // Without `sourceOf` a source is a cause, and equal causes may be different objects.
      const same = (other: Source): boolean => sameCause(other as never, source as never);
      if ([...furtherSources].some(same)) return;
    }
    furtherSources.add(source);
  }

  #sourceOf(cause: Cause): Source {
    const { sourceOf } = this.#rules;
    return sourceOf === undefined ? (cause as unknown as Source) : sourceOf(cause);
  }
}

/** True if the entry had sources and all of them were withdrawn. */
export function isWithdrawn(origin: Origin<unknown, unknown> | undefined): boolean {
  if (origin === undefined || origin.isPermanent) return false;
  return origin.first === undefined && origin.furtherSources === undefined;
}

function namesCause<Cause>({ cause, causes }: AddOptions<Cause>): boolean {
  return cause !== undefined || (causes !== undefined && causes.length > 0);
}
