import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClockActivity, StreamActivity } from '@keelson/apimachinery';

/** One piece of work. It counts until its end, except while it or work that it started waits. */
interface Work {
  readonly name: string;
  readonly parent: Work | undefined;
  /** The waits of the work and of the work that was started for it. */
  waits: number;
  hasEnded: boolean;
}

/** The bytes and the end of one watch. They count while its client waits for them. */
interface Stream {
  readonly name: string;
  sent: number;
  received: number;
  isClosed: boolean;
  isAwaited: boolean;
}

/**
 * Counts the work of the clients, controllers and servers of a test, and the bytes between them, so that the clock of the
 * test knows when nothing is left to do.
 */
export class WorkCount implements ClockActivity {
  /** The number of times that work began, ended or continued. */
  changes = 0;
  /** Called after each change. */
  onChange: () => void = () => undefined;
  readonly #current = new AsyncLocalStorage<Work>();
  readonly #works = new Map<string, Work>();
  readonly #busy = new Set<Work | Stream>();
  readonly #streams = new Map<string, Stream>();
  #ids = 0;

  /** True while work runs that does not wait, or while a client has not processed what a server sent. */
  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  /** The names of the work that runs, each once. */
  get running(): string[] {
    return [...new Set(Array.from(this.#busy, ({ name }) => name))];
  }

  async run<Result>(
    name: string,
    work: (id: string) => Promise<Result>,
    parent?: string,
  ): Promise<Result> {
    const id = String(++this.#ids);
    const from = parent === undefined ? this.#current.getStore() : this.#works.get(parent);
    const counted: Work = { name, parent: from, waits: 0, hasEnded: false };
    this.#works.set(id, counted);
    this.#set(counted, true);
    try {
      return await this.#current.run(counted, work, id);
    } finally {
      this.#works.delete(id);
      this.#end(counted);
    }
  }

  begin(name: string): () => void {
    const counted: Work = { name, parent: undefined, waits: 0, hasEnded: false };
    this.#set(counted, true);
    return () => this.#end(counted);
  }

  async wait<Result>(waiting: Promise<Result>): Promise<Result> {
    const waiters = lineOf(this.#current.getStore());
    for (const work of waiters) {
      work.waits += 1;
      this.#set(work, false);
    }
    try {
      return await waiting;
    } finally {
      for (const work of waiters) {
        work.waits -= 1;
        if (work.waits === 0 && !work.hasEnded) this.#set(work, true);
      }
    }
  }

  stream(id: string): StreamActivity {
    const stream = this.#streamOf(id);
    return {
      sent: (bytes) => this.#count(stream, { sent: bytes }),
      closed: () => this.#count(stream, { isClosed: true }),
      received: (bytes) => this.#count(stream, { received: bytes, isAwaited: true }),
      paused: () => this.#count(stream, { isAwaited: false }),
      ended: () => {
        this.#streams.delete(id);
        this.#count(stream, { isAwaited: false });
      },
    };
  }

  #streamOf(id: string): Stream {
    const known = this.#streams.get(id);
    if (known !== undefined) return known;
    const name = `the events of ${this.#works.get(id)?.name ?? 'a watch'}`;
    const stream: Stream = { name, sent: 0, received: 0, isClosed: false, isAwaited: false };
    this.#streams.set(id, stream);
    return stream;
  }

  #count(
    stream: Stream,
    {
      sent = 0,
      received = 0,
      isClosed = stream.isClosed,
      isAwaited = stream.isAwaited,
    }: Partial<Omit<Stream, 'name'>>,
  ): void {
    stream.sent += sent;
    stream.received += received;
    stream.isClosed = isClosed;
    stream.isAwaited = isAwaited;
    this.#set(stream, isAwaited && (isClosed || stream.received < stream.sent));
  }

  #end(work: Work): void {
    if (work.hasEnded) return;
    work.hasEnded = true;
    this.#set(work, false);
  }

  #set(counted: Work | Stream, isBusy: boolean): void {
    if (isBusy) this.#busy.add(counted);
    else this.#busy.delete(counted);
    this.changes += 1;
    this.onChange();
  }
}

/** A piece of work, and the work for which it is done. */
function lineOf(work: Work | undefined): Work[] {
  const line: Work[] = [];
  for (let each = work; each !== undefined; each = each.parent) line.push(each);
  return line;
}
