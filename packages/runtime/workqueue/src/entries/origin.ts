import { FAILED, type UserCode } from '../contract/user-code.ts';
import type { AddOptions } from '../contract/work-queue-options.ts';

/** An entry keeps this many causes; of further causes it keeps only the sources. */
const MAX_CAUSES = 8;

interface CauseWithTime<Cause> {
  readonly cause: Cause;
  /** The time of the first add with this cause, in ms of the queue's clock. */
  readonly at: number;
}

/**
 * The causes and sources of an entry. The number of causes is limited, but the sources are complete: those of the
 * causes, and `furtherSources`. Most entries have one cause, which costs one object.
 */
export class Origin<Cause, Source> {
  first: Cause | undefined = undefined;
  /**
   * The time of the first cause, in whole milliseconds of the queue's clock. V8 stores small integers without an
   * object.
   */
  firstAt = 0;
  rest: CauseWithTime<Cause>[] | undefined = undefined;
  /** Sources of causes beyond the limit. */
  furtherSources: Set<Source> | undefined = undefined;
  /** True if an add named no cause: then `withdraw` never purges the entry. */
  isPermanent: boolean;

  constructor(isPermanent: boolean) {
    this.isPermanent = isPermanent;
  }

  /** Creates the origin of an entry with one cause. `at` is its time in whole milliseconds. */
  static of<Cause, Source>(cause: Cause, at: number): Origin<Cause, Source> {
    const origin = new Origin<Cause, Source>(false);
    origin.first = cause;
    origin.firstAt = at;
    return origin;
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

const sameCauseQuestion = { name: 'sameCause', isValid: () => true };
const sourceQuestion = { name: 'sourceOf', isValid: () => true };

/** The functions that compare causes and find their sources. */
export interface OriginRules<Cause, Source> {
  readonly now: () => number;
  readonly userCode: UserCode;
  /** Compares two causes; `undefined` compares them by `Object.is`. */
  readonly sameCause: ((one: Cause, other: Cause) => boolean) | undefined;
  /** Returns the source of a cause; `undefined` if each cause is its own source. */
  readonly sourceOf: ((cause: Cause) => Source) | undefined;
}

/** The causes of an entry: the only one, or an origin. */
export interface Caused<Cause, Source> {
  /** The only cause, and its time in whole milliseconds. Most entries have one, for which no origin is created. */
  cause: Cause | undefined;
  causedAt: number;
  /** The causes and sources of an entry with more than one cause. */
  origin: Origin<Cause, Source> | undefined;
}

/** Returns the causes and sources; `undefined` if no add named a cause. */
export function originOf<Cause, Source>(
  entry: Caused<Cause, Source>,
): Origin<Cause, Source> | undefined {
  if (entry.cause !== undefined) replaceOrigin(entry, Origin.of(entry.cause, entry.causedAt));
  return entry.origin;
}

/** Replaces all causes and sources. */
export function replaceOrigin<Cause, Source>(
  entry: Caused<Cause, Source>,
  origin: Origin<Cause, Source> | undefined,
): void {
  entry.cause = undefined;
  entry.origin = origin;
}

/**
 * Returns the causes that replace a cause; `undefined` if the cause stays. The argument is `undefined` for a source
 * whose causes were not kept because of the limit.
 */
export type Heirs<Cause> = (cause: Cause | undefined) => readonly Cause[] | undefined;

/** Creates origins. An entry without a cause has the origin `undefined`, which costs no memory. */
export class Origins<Cause, Source> {
  readonly #rules: OriginRules<Cause, Source>;

  constructor(rules: OriginRules<Cause, Source>) {
    this.#rules = rules;
  }

  /** Records the causes of the add that created an entry. */
  begin(entry: Caused<Cause, Source>, options: AddOptions<Cause>, at: number): void {
    if (!namesCause(options)) return;
    const origin = new Origin<Cause, Source>(false);
    this.#addAll(origin, options, at);
    replaceOrigin(entry, origin);
  }

  /** Adds the causes of another add to those of an entry. */
  extend(entry: Caused<Cause, Source>, options: AddOptions<Cause>): void {
    if (!namesCause(options)) {
      const origin = originOf(entry);
      if (origin !== undefined) origin.isPermanent = true;
      return;
    }
    if (this.#repeats(entry, options)) return;
    const extended = originOf(entry) ?? new Origin<Cause, Source>(true);
    this.#addAll(extended, options, undefined);
    replaceOrigin(entry, extended);
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
    // The retry is permanent if the run is, or has no causes, or if all of them were withdrawn and the add names none.
    origin.isPermanent ||= run === undefined || run.isPermanent || !isNamed;
    return origin;
  }

  /**
   * Returns a copy in which each cause of these sources is replaced by its heirs, with its time; the same origin if it
   * has none of the sources.
   */
  replaced(
    origin: Origin<Cause, Source>,
    sources: ReadonlySet<Source>,
    heirsOf: Heirs<Cause>,
  ): Origin<Cause, Source> {
    const has = (source: Source | typeof FAILED): boolean => sources.has(source as Source);
    const { first, rest, furtherSources } = origin;
    const isAffected =
      (first !== undefined && has(this.#sourceOf(first))) ||
      rest?.some(({ cause }) => has(this.#sourceOf(cause))) === true ||
      (furtherSources !== undefined && [...furtherSources].some(has));
    if (!isAffected) return origin;
    const left = new Origin<Cause, Source>(origin.isPermanent);
    for (const { cause, at } of origin.causesWithTime()) {
      const heirs = has(this.#sourceOf(cause)) ? heirsOf(cause) : undefined;
      for (const heir of heirs ?? [cause]) this.#add(left, heir, at);
    }
    for (const source of furtherSources ?? []) {
      const heirs = has(source) ? heirsOf(undefined) : undefined;
      if (heirs === undefined) this.#addSource(left, source);
      else for (const heir of heirs) this.#addSource(left, this.#sourceOf(heir));
    }
    return left;
  }

  /** Yields the sources of an origin. A cause for which `sourceOf` failed has no source. */
  *sourcesOf(origin: Origin<Cause, Source> | undefined): Generator<Source> {
    if (origin === undefined) return;
    for (const cause of origin.causes()) {
      const source = this.#sourceOf(cause);
      if (source !== FAILED) yield source;
    }
    if (origin.furtherSources !== undefined) yield* origin.furtherSources;
  }

  /** Yields the sources of an entry when they are read. */
  *sourcesOfEntry(entry: Caused<Cause, Source>): Generator<Source> {
    yield* this.sourcesOf(originOf(entry));
  }

  /** True if an add names the only cause of an entry again, which changes nothing. */
  #repeats(entry: Caused<Cause, Source>, { cause, causes }: AddOptions<Cause>): boolean {
    const { sameCause } = this.#rules;
    return causes === undefined && sameCause === undefined && Object.is(entry.cause, cause);
  }

  #addAll(origin: Origin<Cause, Source>, options: AddOptions<Cause>, at: number | undefined): void {
    const { cause, causes } = options;
    if (cause !== undefined) this.#add(origin, cause, at);
    for (const one of causes ?? []) if (one !== undefined) this.#add(origin, one, at);
  }

  #add(origin: Origin<Cause, Source>, cause: Cause, at: number | undefined): void {
    const { first, rest } = origin;
    if (first !== undefined && this.#isSame(first, cause)) return;
    if (rest?.some((known) => this.#isSame(known.cause, cause)) === true) return;
    if (rest?.length === MAX_CAUSES - 1) this.#addSource(origin, this.#sourceOf(cause));
    else this.#push(origin, cause, Math.floor(at ?? this.#rules.now()));
  }

  #push(origin: Origin<Cause, Source>, cause: Cause, at: number): void {
    if (origin.first !== undefined) {
      (origin.rest ??= []).push({ cause, at });
      return;
    }
    origin.first = cause;
    origin.firstAt = at;
  }

  #addSource(origin: Origin<Cause, Source>, source: Source | typeof FAILED): void {
    if (source === FAILED) {
      // `withdraw` cannot find a source that is unknown, so it must never purge the entry.
      origin.isPermanent = true;
      return;
    }
    const { sameCause, sourceOf } = this.#rules;
    if (origin.causes().some((cause) => Object.is(this.#sourceOf(cause), source))) return;
    const furtherSources = (origin.furtherSources ??= new Set());
    if (sourceOf === undefined && sameCause !== undefined) {
      // Without `sourceOf` a source is a cause, and equal causes may be different objects.
      const same = (other: Source): boolean => this.#isSame(other as never, source as never);
      if ([...furtherSources].some(same)) return;
    }
    furtherSources.add(source);
  }

  #isSame(one: Cause, other: Cause): boolean {
    const { sameCause, userCode } = this.#rules;
    if (sameCause === undefined) return Object.is(one, other);
    const isSame = userCode.ask(sameCauseQuestion, sameCause, one, other);
    return isSame === true;
  }

  #sourceOf(cause: Cause): Source | typeof FAILED {
    const { sourceOf, userCode } = this.#rules;
    if (sourceOf === undefined) return cause as unknown as Source;
    return userCode.ask(sourceQuestion, sourceOf, cause);
  }
}

/** True if the entry had sources and all of them were withdrawn. */
export function isWithdrawn(origin: Origin<unknown, unknown> | undefined): boolean {
  if (origin === undefined || origin.isPermanent) return false;
  return origin.first === undefined && origin.furtherSources === undefined;
}

function namesCause<Cause>({ cause, causes }: AddOptions<Cause>): boolean {
  return cause !== undefined || causes?.some((one) => one !== undefined) === true;
}
