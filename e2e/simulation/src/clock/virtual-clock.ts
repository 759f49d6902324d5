import { AsyncResource } from 'node:async_hooks';

/** A callback that waits for its time, in the async context of the code that started the timer. */
interface Timer {
  readonly id: number;
  readonly context: AsyncResource;
  readonly callback: () => void;
  readonly interval: number | undefined;
  at: number;
}

/** Nothing observes the end of a timer. */
const UNTRACKED = { requireManualDestroy: true } as const;

/** The largest delay of `setTimeout`. Node fires a longer one after 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Turns of the event loop without an end of the work, after which the work counts as endless. */
const MAX_TURNS = 20_000;

const replaced = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
] as const;

/**
 * Replaces the timers, immediates and clocks of the process. Time passes only in `pass`, so that a run depends on
 * nothing but its seed. `process.nextTick` stays: its callbacks run when no microtask is left, which ends a turn.
 */
export class VirtualClock {
  /** Milliseconds that each reading of `performance.now` takes, so that work runs in small slices. */
  readingMs = 0;
  /** Milliseconds between `Date.now` and the monotonic time; an action may change it. */
  wallOffset = 1_700_000_000_000;
  /** Called with the error of a timer, which Node would not catch. */
  onError: (error: unknown) => void = () => undefined;
  #now = 1_000_000;
  #ids = 0;
  readonly #timers = new Map<number, Timer>();
  #immediates: Timer[] = [];
  #restore: (() => void) | undefined;

  /** The monotonic time in milliseconds. */
  get now(): number {
    return this.#now;
  }

  /** The number of timers and immediates that have not run. */
  get pending(): number {
    return this.#timers.size + this.#immediates.length;
  }

  /** Replaces the globals of the process until `uninstall`. */
  install(): void {
    const names = [...replaced, 'performance'] as const;
    const before = names.map(
      (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
    );
    const dateNow = Date.now;
    this.#restore = () => {
      for (const [name, property] of before) {
        if (property !== undefined) Object.defineProperty(globalThis, name, property);
      }
      Date.now = dateNow;
    };
    for (const [name, value] of Object.entries(this.#globals())) {
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    }
    Date.now = () => Math.floor(this.#now + this.wallOffset);
  }

  uninstall(): void {
    this.#restore?.();
    this.#restore = undefined;
  }

  /** Runs all work that needs no time. Throws if it does not end. */
  async idle(): Promise<void> {
    await endOfTurn();
    for (let turn = 0; this.#immediates.length > 0; turn++) {
      if (turn > MAX_TURNS) throw new Error('work without an end at one time');
      await this.turn();
    }
  }

  /** Runs one turn of the event loop: the immediates that wait now. */
  async turn(): Promise<void> {
    for (const immediate of this.#immediates.splice(0)) {
      this.#call(immediate);
      await endOfTurn();
    }
    await endOfTurn();
  }

  /** Lets time pass, and runs each timer at its time. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await this.idle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#fire(next);
      await this.idle();
    }
    this.#now = Math.max(this.#now, end);
  }

  #globals(): Record<string, unknown> {
    const now = (): number => (this.#now += this.readingMs);
    const clear = (timer: TimerHandle | undefined): void => {
      if (timer !== undefined) this.#timers.delete(timer.id);
    };
    return {
      setTimeout: (callback: Callback, delay?: number, ...values: unknown[]) =>
        this.#start(bound(callback, values), delay, false),
      setInterval: (callback: Callback, delay?: number, ...values: unknown[]) =>
        this.#start(bound(callback, values), delay, true),
      clearTimeout: clear,
      clearInterval: clear,
      setImmediate: (callback: Callback, ...values: unknown[]) => {
        const immediate = this.#timer(bound(callback, values), 0, undefined);
        this.#immediates.push(immediate);
        return immediate;
      },
      clearImmediate: (immediate: unknown) => {
        this.#immediates = this.#immediates.filter((other) => other !== immediate);
      },
      performance: { now, timeOrigin: 0 },
    };
  }

  #start(callback: () => void, delay = 1, repeats: boolean): TimerHandle {
    const milliseconds = delay >= 1 && delay <= MAX_DELAY_MS ? delay : 1;
    const timer = this.#timer(callback, milliseconds, repeats ? milliseconds : undefined);
    this.#timers.set(timer.id, timer);
    return new TimerHandle(timer.id);
  }

  #timer(callback: () => void, delay: number, interval: number | undefined): Timer {
    const context = new AsyncResource('VirtualTimer', UNTRACKED);
    return { id: ++this.#ids, context, callback, interval, at: this.#now + delay };
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) {
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    }
    return next;
  }

  #fire(timer: Timer): void {
    if (timer.interval === undefined) this.#timers.delete(timer.id);
    else timer.at += timer.interval;
    this.#call(timer);
  }

  #call({ context, callback }: Timer): void {
    try {
      context.runInAsyncScope(callback);
    } catch (error) {
      this.onError(error);
    }
  }
}

type Callback = (...values: unknown[]) => void;

function bound(callback: Callback, values: readonly unknown[]): () => void {
  return values.length === 0 ? callback : () => callback(...values);
}

/** The part of a Node timer that code uses. */
class TimerHandle {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Resolves when no microtask is left. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
