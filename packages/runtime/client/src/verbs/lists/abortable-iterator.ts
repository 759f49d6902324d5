/** Opens the items, when the first one is requested. */
type Open<Item> = (
  signal: AbortSignal,
) => AsyncGenerator<Item, void, undefined> | Promise<AsyncGenerator<Item, void, undefined>>;

/**
 * An async iterator whose `return()` ends a pending `next()`. A plain generator queues `return()` behind
 * `next()`, which may wait forever on a quiet watch. Here `return()` first aborts the signal of the
 * generator.
 */
export class AbortableIterator<Item> implements AsyncIterableIterator<Item, void, undefined> {
  readonly #signal: AbortSignal | undefined;
  readonly #start: Open<Item>;
  readonly #stop = new AbortController();
  readonly #forward = (): void => this.#stop.abort(this.#signal?.reason);
  #items: ReturnType<Open<Item>> | undefined;
  /** The generator of the items, once they are opened. */
  #opened: AsyncGenerator<Item, void, undefined> | undefined;
  #isReturned = false;

  constructor(signal: AbortSignal | undefined, open: Open<Item>) {
    this.#signal = signal;
    this.#start = open;
  }

  async next(): Promise<IteratorResult<Item, void>> {
    if (this.#isReturned) return { done: true, value: undefined };
    try {
      const items = this.#opened ?? (await this.#open());
      const result = await items.next();
      if (result.done === true) this.#release();
      return result;
    } catch (error) {
      this.#release();
      if (this.#isReturned) return { done: true, value: undefined };
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#isReturned = true;
    this.#stop.abort();
    this.#release();
    // The pending `next` has already rejected with an error of opening.
    const items = await Promise.resolve(this.#items).catch(() => undefined);
    await items?.return();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  /**
   * Listens to the caller's signal only while items are read, because the signal may outlive many iterators.
   */
  async #open(): Promise<AsyncGenerator<Item, void, undefined>> {
    if (this.#items === undefined) {
      if (this.#signal?.aborted === true) this.#forward();
      this.#signal?.addEventListener('abort', this.#forward, { once: true });
      this.#items = this.#start(this.#stop.signal);
    }
    return (this.#opened = await this.#items);
  }

  #release(): void {
    this.#signal?.removeEventListener('abort', this.#forward);
  }
}
