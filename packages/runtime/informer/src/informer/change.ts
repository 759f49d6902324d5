import type { InformerEvent } from '../contract/informer-event.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { StoredObject } from '../store/stored-object.ts';
import type { Lens } from './lens.ts';

/** The states of an object before and after a change of the store, and how the change was found. */
export interface ChangeFacts {
  readonly previous: StoredObject | undefined;
  /** `undefined` if the object was deleted. */
  readonly object: StoredObject | undefined;
  readonly receivedAt: number;
  readonly initial: boolean;
  /** The last state of a deleted object, if an event reported it. */
  readonly last?: StoredObject | undefined;
  /** No event reported the deletion. */
  readonly finalStateUnknown: boolean;
  /** The change may combine several changes of the server. */
  readonly mayCombine: boolean;
  /** The handlers saw the previous state in another store, through this lens. */
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
  readonly facts: ChangeFacts;
  /** The events of handlers without a lens: they share them. */
  #events: readonly InformerEvent[] | undefined;
  /** The lens of the handlers that were called last, which share the next events. */
  #lens: Lens | undefined;
  #eventsThroughLens: readonly InformerEvent[] = [];

  constructor(facts: ChangeFacts) {
    this.facts = facts;
  }

  /** The types of the events of a handler without a lens. */
  get types(): readonly InformerEvent['type'][] {
    const { previous, object } = this.facts;
    return typesOf(previous, object);
  }

  /**
   * Returns the events of a handler. Through a lens, an object that begins to match is added, and
   * one that stops matching is deleted with its last matching state.
   */
  events(lens: Lens | undefined): readonly InformerEvent[] {
    if (lens === undefined) return (this.#events ??= this.#eventsOf(undefined));
    if (this.#lens !== lens) {
      this.#lens = lens;
      this.#eventsThroughLens = this.#eventsOf(lens);
    }
    return this.#eventsThroughLens;
  }

  #eventsOf(lens: Lens | undefined): readonly InformerEvent[] {
    const { former, last } = this.facts;
    const previous = former === undefined ? seen(this.facts.previous, lens) : this.facts.previous;
    const object = seen(this.facts.object, lens);
    const types = typesOf(previous, object);
    if (types.length === 0) return NO_EVENTS;
    const before = shown(previous, former === undefined ? lens : former.lens);
    const after = shown(object, lens);
    const events: InformerEvent[] = [];
    for (const type of types) {
      const event =
        type === 'deleted'
          ? this.#deleted(last === undefined ? before : shown(last, lens))
          : this.#present(type, before, after);
      // Handlers share the event, so none of them may change it.
      if (event !== undefined) events.push(Object.freeze(event));
    }
    return events;
  }

  #present(
    type: 'added' | 'updated',
    previous: ObjectView | undefined,
    object: ObjectView | undefined,
  ): InformerEvent | undefined {
    const { receivedAt, initial, mayCombine } = this.facts;
    if (object === undefined) return undefined;
    const { key } = object;
    const combined = mayCombine ? COMBINED : undefined;
    if (type === 'added') return { type, key, object, receivedAt, initial, ...combined };
    return previous && { type, key, object, previous, receivedAt, ...combined };
  }

  #deleted(object: ObjectView | undefined): InformerEvent | undefined {
    if (object === undefined) return undefined;
    const { receivedAt, previous, object: present } = this.facts;
    const isLeaving = present !== undefined && present.uid === previous?.uid;
    const finalStateUnknown = this.facts.finalStateUnknown && !isLeaving;
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
