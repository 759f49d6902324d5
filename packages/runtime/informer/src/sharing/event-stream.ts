import type { KubernetesObject, ObjectKey } from '@keelson/apimachinery';
import type {
  AddedEvent,
  DeletedEvent,
  EventHandler,
  InformerEvent,
  StreamEvent,
  UpdatedEvent,
} from '../contract/informer-event.ts';

/**
 * The unread events of one key: a deletion of the object that the reader knows, the current object,
 * or both if the object was deleted and created again.
 */
interface Pending<T extends KubernetesObject> {
  readonly deleted?: DeletedEvent<T>;
  readonly present?: AddedEvent<T> | UpdatedEvent<T>;
}

/** The callbacks of the source of a stream. */
export interface StreamSink<T extends KubernetesObject> {
  readonly onEvent: EventHandler<T>;
  /** Called when the source has sent every initial object. */
  readonly onInitialDone: () => void;
  readonly onEnd: () => void;
}

const INITIAL_DONE = Symbol('initial done');
const initialDone = { type: 'initialDone' } as const;

/** An unread entry of a stream: the key of an object, or the mark after the initial objects. */
type Slot = ObjectKey | typeof INITIAL_DONE;

/**
 * Yields events at the pace of its reader. Changes of one object between two reads become one event, so the stream has
 * at most one entry per object. An entry keeps its place when it changes, so the mark follows all initial objects.
 */
export class EventStream<T extends KubernetesObject> implements AsyncIterableIterator<
  StreamEvent<T>
> {
  readonly #pending = new Map<Slot, Pending<T>>();
  /** The position in the pending entries. A new iterator for each read would skip over all removed entries again. */
  #unread: Iterator<[Slot, Pending<T>]> = this.#pending.entries();
  /** The key whose deletion was read last, and whose present object is read next, so that it stays before the mark. */
  #rest: ObjectKey | undefined;
  readonly #unsubscribe: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: ((result: IteratorResult<StreamEvent<T>>) => void)[] = [];
  #ended = false;

  constructor(subscribe: (sink: StreamSink<T>) => () => void, signal?: AbortSignal) {
    this.#signal = signal;
    this.#unsubscribe = subscribe({
      onEvent: (event) => this.#push(event),
      onInitialDone: () => this.#put(INITIAL_DONE, {}),
      onEnd: () => this.#end(),
    });
    if (signal?.aborted === true) this.#end();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamEvent<T>>> {
    const event = this.#shift();
    if (event !== undefined) return { done: false, value: event };
    if (this.#ended) return done;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<StreamEvent<T>>> {
    this.#end();
    this.#pending.clear();
    return done;
  }

  readonly #onAbort = (): void => this.#end();

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#unsubscribe();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#pending.clear();
    for (const resolve of this.#waiting.splice(0)) resolve(done);
  }

  #push(event: InformerEvent<T>): void {
    const folded = fold(this.#pending.get(event.key) ?? {}, event);
    if (folded === undefined) this.#pending.delete(event.key);
    else this.#put(event.key, folded);
  }

  #put(slot: Slot, entry: Pending<T>): void {
    if (this.#ended) return;
    this.#pending.set(slot, entry);
    while (this.#waiting.length > 0) {
      const value = this.#shift();
      if (value === undefined) return;
      this.#waiting.shift()?.({ done: false, value });
    }
  }

  #shift(): StreamEvent<T> | undefined {
    const next = this.#next();
    if (next.done === true) return undefined;
    const [slot, { deleted, present }] = next.value;
    if (slot === INITIAL_DONE) {
      this.#pending.delete(slot);
      return initialDone;
    }
    if (deleted === undefined || present === undefined) this.#pending.delete(slot);
    else {
      this.#pending.set(slot, { present });
      this.#rest = slot;
    }
    return deleted ?? present;
  }

  #next(): IteratorResult<[Slot, Pending<T>], unknown> {
    const rest = this.#rest;
    this.#rest = undefined;
    const entry = rest === undefined ? undefined : this.#pending.get(rest);
    if (rest !== undefined && entry !== undefined) return { done: false, value: [rest, entry] };
    const next = this.#unread.next();
    if (next.done !== true || this.#pending.size === 0) return next;
    this.#unread = this.#pending.entries();
    return this.#unread.next();
  }
}

const done = { done: true, value: undefined } as const;

function fold<T extends KubernetesObject>(
  pending: Pending<T>,
  event: InformerEvent<T>,
): Pending<T> | undefined {
  const { present } = pending;
  if (event.type === 'added') return { ...pending, present: event };
  if (event.type === 'updated') {
    return { ...pending, present: present === undefined ? event : later(present, event) };
  }
  if (present?.type !== 'added') return { deleted: event };
  return pending.deleted === undefined ? undefined : { deleted: pending.deleted };
}

/** Returns the same event with a newer state. */
function later<T extends KubernetesObject>(
  unread: AddedEvent<T> | UpdatedEvent<T>,
  { object, receivedAt }: UpdatedEvent<T>,
): AddedEvent<T> | UpdatedEvent<T> {
  return { ...unread, object, receivedAt };
}
