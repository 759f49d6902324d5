import type { Clock } from '@keelson/apimachinery';
import type { WatchHandle, WatchHealth } from '@keelson/informer';

/** Counts the milliseconds in which a watch could sync: the server serves and allows its kind. */
export class SyncClock {
  readonly #clock: Clock;
  #elapsed = 0;
  /** The monotonic time at which the clock last continued; `undefined` while it pauses. */
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Creates the clock of a handle, which pauses while its watch is blocked. */
  static of(handle: WatchHandle, time: Clock): SyncClock {
    const clock = new SyncClock(time);
    const update = (health: WatchHealth): void => {
      if (isBlocked(health)) clock.pause();
      else clock.continue();
    };
    update(handle.health);
    handle.onHealthChange(update);
    return clock;
  }

  get elapsed(): number {
    return this.#since === undefined
      ? this.#elapsed
      : this.#elapsed + this.#clock.monotonic() - this.#since;
  }

  pause(): void {
    this.#elapsed = this.elapsed;
    this.#since = undefined;
  }

  continue(): void {
    this.#since ??= this.#clock.monotonic();
  }
}

/**
 * True while the API server or the memory budget does not allow the kind. A wait for the sync could then be endless.
 */
export function isBlocked({ state }: WatchHealth): boolean {
  return state === 'forbidden' || state === 'parked' || state === 'over-budget';
}

/** Waits for a promise of a watch, but not while the server does not serve or allow its kind. It does not reject. */
export async function unlessBlocked(
  handle: WatchHandle,
  begin: () => Promise<void>,
): Promise<void> {
  if (isBlocked(handle.health)) return;
  const blocked = Promise.withResolvers<void>();
  const listening = handle.onHealthChange((health) => {
    if (isBlocked(health)) blocked.resolve();
  });
  await Promise.race([begin(), blocked.promise]).catch(() => undefined);
  listening[Symbol.dispose]();
}
