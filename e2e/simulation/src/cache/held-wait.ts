import { hasCode, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import type { CacheReader } from '@keelson/informer';
import type { Item } from '../server/kind.ts';
import { stampOf } from '../server/object-state.ts';
import type { Report } from '../invariants/invariant.ts';

/** The object of a wait, and the test that ends it. */
export interface WaitCondition {
  readonly text: string;
  readonly resource: ApiResource<Item>;
  readonly name: ObjectName;
  /** Receives the value of the object; `undefined` without an object. */
  readonly holds: (value: number | undefined) => boolean;
}

/** The errors that may end a wait before its condition holds. */
const CODES = ['NOT_WATCHED', 'HANDLE_RELEASED', 'CACHE_CLOSED', 'WAIT_TIMEOUT'] as const;

/** Milliseconds until a wait with a limit ends. */
const TIMEOUT_MS = 20_000;

/** Longer than the delivery of a sync. */
const DOUBT_MS = 1_000;

interface Readable {
  readonly spec?: { readonly value?: number };
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}

/** A wait for a state of one object, and the checks of its end. */
export class HeldWait {
  readonly name: string;
  readonly #condition: WaitCondition;
  readonly #reader: CacheReader;
  readonly #report: Report;
  readonly #abort = new AbortController();
  readonly #startedAt = performance.now();
  #isOpen = true;
  /** The condition held in the last check, and is checked again. */
  #isInDoubt = false;
  /** The condition has held for a state that the wait received. */
  #hasHeld = false;
  #last = 'none';

  constructor(
    condition: WaitCondition,
    reader: CacheReader,
    { report, isLimited }: { readonly report: Report; readonly isLimited: boolean },
  ) {
    const { text, resource, name } = condition;
    this.name = `wait for ${resource.plural} ${name.namespace}/${name.name} ${text}`;
    this.#condition = condition;
    this.#reader = reader;
    this.#report = report;
    const { signal } = this.#abort;
    const limit = isLimited ? { timeout: TIMEOUT_MS } : {};
    reader
      .waitFor(resource, name, (object) => this.#observe(object), { signal, ...limit })
      .then(
        (object) => this.#resolved(object),
        (error: unknown) => this.#rejected(error),
      );
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  abort(): void {
    this.#abort.abort(new Error('the wait is aborted'));
  }

  /**
   * The condition does not hold for the present state of the cache while the wait is open. A wait receives the state of
   * a sync after the handlers, so it is read again some time later.
   */
  check(): void {
    if (this.#isInDoubt || !this.#isMissed()) return;
    this.#isInDoubt = true;
    setTimeout(() => {
      this.#isInDoubt = false;
      if (this.#isMissed()) this.#broken('it goes on, although its condition holds');
    }, DOUBT_MS);
  }

  #isMissed(): boolean {
    if (!this.#isOpen || this.#hasHeld || this.#abort.signal.aborted) return false;
    const { resource, name, holds } = this.#condition;
    try {
      // The options make the same store serve both reads.
      return holds(this.#reader.get(resource, name, {})?.spec?.value);
    } catch {
      return false;
    }
  }

  #observe(object: Readable | undefined): boolean {
    const state = textOf(object);
    if (state === this.#last) this.#broken(`it received ${state} twice`);
    this.#last = state;
    if (this.#hasHeld) this.#broken(`it received ${state} after its end`);
    this.#hasHeld = this.#condition.holds(object?.spec?.value);
    return this.#hasHeld;
  }

  #resolved(object: Readable | undefined): void {
    this.#isOpen = false;
    const state = textOf(object);
    if (!this.#hasHeld || state !== this.#last)
      this.#broken(`it ended with ${state} after ${this.#last}`);
  }

  #rejected(error: unknown): void {
    this.#isOpen = false;
    if (this.#hasHeld) this.#broken(`it rejects although its condition held: ${String(error)}`);
    if (this.#abort.signal.aborted && error === this.#abort.signal.reason) return;
    const isEarly = performance.now() < this.#startedAt + TIMEOUT_MS;
    if (hasCode(error, 'WAIT_TIMEOUT') && isEarly) this.#broken('it ended before its timeout');
    if (!CODES.some((code) => hasCode(error, code))) this.#broken(`it rejects: ${String(error)}`);
  }

  #broken(facts: string): void {
    this.#report('waits', `${this.name}: ${facts}`);
  }
}

/** The state in words. Another watch may serve the same state in another form. */
function textOf(object: Readable | undefined): string {
  if (object === undefined) return 'no object';
  return `state ${stampOf(object)} with the value ${object.spec?.value}`;
}
