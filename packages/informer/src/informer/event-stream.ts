import type { KubernetesObject, ObjectKey } from '@keelson/apimachinery';
import type {
  AddedEvent,
  DeletedEvent,
  EventHandler,
  InformerEvent,
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

/**
 * Yields events at the pace of its reader. Changes of one object between two reads become one
 * event, so the stream holds at most one entry per object.
 */
export class EventStream<T extends KubernetesObject> implements AsyncIterableIterator<
  InformerEvent<T>
> {
  readonly #pending = new Map<ObjectKey, Pending<T>>();
  /**
   * The position in the pending entries: starting from the first would scan over all removed
   * entries.
   */
  #unread: Iterator<[ObjectKey, Pending<T>]> = this.#pending.entries();
  readonly #unsubscribe: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: ((result: IteratorResult<InformerEvent<T>>) => void)[] = [];
  #ended = false;

  constructor(
    subscribe: (handler: EventHandler<T>, onEnd: () => void) => () => void,
    signal?: AbortSignal,
  ) {
    this.#signal = signal;
    this.#unsubscribe = subscribe(
      (event) => this.#push(event),
      () => this.#end(),
    );
    if (signal?.aborted === true) this.#end();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<InformerEvent<T>>> {
    const event = this.#shift();
    if (event !== undefined) return { done: false, value: event };
    if (this.#ended) return done;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<InformerEvent<T>>> {
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
    else this.#pending.set(event.key, folded);
    while (this.#waiting.length > 0) {
      const value = this.#shift();
      if (value === undefined) return;
      this.#waiting.shift()?.({ done: false, value });
    }
  }

  #shift(): InformerEvent<T> | undefined {
    const next = this.#next();
    if (next.done === true) return undefined;
    const [key, { deleted, present }] = next.value;
    if (deleted === undefined || present === undefined) this.#pending.delete(key);
    else this.#pending.set(key, { present });
    return deleted ?? present;
  }

  #next(): IteratorResult<[ObjectKey, Pending<T>], unknown> {
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
