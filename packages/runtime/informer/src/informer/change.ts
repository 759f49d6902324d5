import type { InformerEvent } from '../contract/informer-event.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { Difference } from '../store/difference.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { Lens } from './lens.ts';

/** The facts that the events of a change share. */
export interface ChangeFacts {
  readonly receivedAt: number;
  readonly initial: boolean;
  /** True if the change may combine several changes on the server. */
  readonly mayCombine: boolean;
  /** Set after a move: the lens through which the handlers saw the previous state in the former store. */
  readonly former?: { readonly lens: Lens | undefined };
}

const TYPES = {
  none: [],
  added: ['added'],
  updated: ['updated'],
  deleted: ['deleted'],
  replaced: ['deleted', 'added'],
} as const satisfies Readonly<Record<string, readonly InformerEvent['type'][]>>;

const NO_EVENTS: readonly InformerEvent[] = [];

const COMBINED = { mayCombine: true } as const;

/** One change of a store, and the events that handlers receive for it. */
export class Change {
  readonly previous: StoredObject | undefined;
  readonly object: StoredObject | undefined;
  /** The types of the events of a handler without a lens. */
  readonly types: readonly InformerEvent['type'][];
  readonly #difference: Difference;
  readonly #facts: ChangeFacts;
  /** The events that all handlers without a lens share. */
  #events: readonly InformerEvent[] | undefined;
  /** The lens of the handler that was called last. Handlers with the same lens share its events. */
  #lens: Lens | undefined;
  #eventsThroughLens: readonly InformerEvent[] = [];

  constructor(difference: Difference, facts: ChangeFacts) {
    const { previous, object } = difference;
    this.previous = previous;
    this.object = object;
    this.types = typesOf(previous, object);
    this.#difference = difference;
    this.#facts = facts;
  }

  /**
   * Returns the events of a handler. Through a lens, an object that begins to match is added, and
   * one that stops matching is deleted with its last matching state.
   */
  events(lens: Lens | undefined): readonly InformerEvent[] {
    const { types, previous, object } = this;
    if (lens === undefined && this.#facts.former === undefined) {
      const gone = this.#difference.last ?? previous;
      return (this.#events ??= this.#eventsBetween(types, previous, object, gone));
    }
    if (lens === undefined) return (this.#events ??= this.#eventsOf(undefined));
    if (this.#lens !== lens) {
      this.#lens = lens;
      this.#eventsThroughLens = this.#eventsOf(lens);
    }
    return this.#eventsThroughLens;
  }

  #eventsOf(lens: Lens | undefined): readonly InformerEvent[] {
    const { former } = this.#facts;
    const { last } = this.#difference;
    const previous = former === undefined ? seen(this.previous, lens) : this.previous;
    const object = seen(this.object, lens);
    const before = shown(previous, former === undefined ? lens : former.lens);
    const gone = last === undefined ? before : shown(last, lens);
    return this.#eventsBetween(typesOf(previous, object), before, shown(object, lens), gone);
  }

  #eventsBetween(
    types: readonly InformerEvent['type'][],
    previous: ObjectView | undefined,
    object: ObjectView | undefined,
    gone: ObjectView | undefined,
  ): readonly InformerEvent[] {
    if (types.length === 0) return NO_EVENTS;
    const events: InformerEvent[] = [];
    const { receivedAt, initial, mayCombine } = this.#facts;
    const combined = mayCombine ? COMBINED : undefined;
    for (const type of types) {
      let event: InformerEvent | undefined;
      if (type === 'deleted') event = this.#deleted(gone);
      else if (object !== undefined) {
        const { key } = object;
        event =
          type === 'added'
            ? { type, key, object, receivedAt, initial, ...combined }
            : previous && { type, key, object, previous, receivedAt, ...combined };
      }
      // Handlers share the event, so none of them may change it.
      if (event !== undefined) events.push(Object.freeze(event));
    }
    return events;
  }

  #deleted(object: ObjectView | undefined): InformerEvent | undefined {
    if (object === undefined) return undefined;
    const { receivedAt } = this.#facts;
    const { previous, object: present } = this;
    const isLeaving = present !== undefined && present.uid === previous?.uid;
    const finalStateUnknown = this.#difference.finalStateUnknown !== false && !isLeaving;
    return { type: 'deleted', key: object.key, object, receivedAt, finalStateUnknown };
  }
}

function seen(object: StoredObject | undefined, lens: Lens | undefined): StoredObject | undefined {
  return object !== undefined && lens?.selects(object) === false ? undefined : object;
}

function shown(object: StoredObject | undefined, lens: Lens | undefined): ObjectView | undefined {
  return object === undefined || lens === undefined ? object : lens.show(object);
}

function typesOf(
  previous: StoredObject | undefined,
  object: StoredObject | undefined,
): readonly InformerEvent['type'][] {
  if (object === undefined) return previous === undefined ? TYPES.none : TYPES.deleted;
  if (previous === undefined) return TYPES.added;
  return previous.uid === object.uid ? TYPES.updated : TYPES.replaced;
}
