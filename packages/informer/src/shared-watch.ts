import type { Informer } from './informer.ts';
import type { Retention } from './watch-query.ts';

/** One share in a watch. */
export interface Holder {
  readonly owner: string;
  readonly required: boolean;
  readonly retain: Retention;
  /** Called when the watch is ended over the holder's head. */
  readonly onClosed: () => void;
}

/**
 * A watch and who holds it. The set of holders is the reference count, the timer is the linger:
 * there is no number that could be wrong.
 */
export class SharedWatch {
  readonly informer: Informer;
  readonly #holders = new Set<Holder>();
  readonly #linger: number;
  readonly #onEnd: (watch: SharedWatch) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(informer: Informer, linger: number, onEnd: (watch: SharedWatch) => void) {
    this.informer = informer;
    this.#linger = linger;
    this.#onEnd = onEnd;
  }

  get holders(): ReadonlySet<Holder> {
    return this.#holders;
  }

  get isLingering(): boolean {
    return this.#timer !== undefined;
  }

  join(holder: Holder): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#holders.add(holder);
    this.#retain();
  }

  /** Leaving twice changes nothing: a holder can only take out itself. */
  leave(holder: Holder): void {
    if (!this.#holders.delete(holder)) return;
    this.#retain();
    if (this.#holders.size > 0) return;
    if (this.#linger === 0) this.#onEnd(this);
    else this.#timer = setTimeout(() => this.#onEnd(this), this.#linger);
  }

  /** Ends the watch, whoever holds it; settles when the last request has ended. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const holders = [...this.#holders];
    this.#holders.clear();
    for (const holder of holders) holder.onClosed();
    await this.informer.stop();
  }

  #retain(): void {
    const wantsObjects = [...this.#holders].some(({ retain }) => retain === 'object');
    this.informer.retainAs(wantsObjects ? 'object' : 'lazy');
  }
}
