import type { ObjectKey } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { Item } from '../server/kind.ts';
import { stampOf } from '../server/object-state.ts';
import type { Invariant, Report } from '../invariants/invariant.ts';

/** The last state of one object that a handler has seen. */
interface Seen {
  readonly uid: string;
  readonly stamp: number;
}

/** Everything that one handler has seen, and the checks of its events. */
export class HandlerHistory {
  /** The objects that exist for the handler. */
  readonly known: Map<ObjectKey, Seen> = new Map();
  readonly #name: string;
  readonly #report: Report;
  /** The changes whose objects arrived damaged: the repaired object is an update in the same state. */
  readonly #damaged: ReadonlySet<number>;
  /** The newest state of each key, also of deleted objects. */
  readonly #newest = new Map<ObjectKey, number>();

  constructor(name: string, damaged: ReadonlySet<number>, report: Report) {
    this.#name = name;
    this.#damaged = damaged;
    this.#report = report;
  }

  take(event: InformerEvent<Item>): void {
    const { key, object } = event;
    const stamp = stampOf(object);
    const known = this.known.get(key);
    if (event.type === 'added') this.#added(event, known, stamp);
    else if (known === undefined) this.#broken('pairs', event, 'was not added');
    else if (event.type === 'updated') this.#updated(event, known, stamp);
    else this.#deleted(event, known, stamp);
    this.#newest.set(key, stamp);
    if (event.type === 'deleted') this.known.delete(key);
    else this.known.set(key, { uid: object.uid, stamp });
  }

  #added(event: InformerEvent<Item>, known: Seen | undefined, stamp: number): void {
    if (known !== undefined)
      this.#broken('pairs', event, `was added in state ${known.stamp} before`);
    this.#checkNewer(event, stamp);
  }

  #updated(
    event: InformerEvent<Item> & { previous: ObjectView<Item> },
    known: Seen,
    stamp: number,
  ): void {
    const { object, previous } = event;
    if (object.uid !== known.uid) {
      return this.#broken('uid', event, `has the uid ${object.uid} and had ${known.uid}`);
    }
    this.#checkNewer(event, stamp);
    const before = stampOf(previous);
    if (before === known.stamp) return;
    this.#broken(
      'previous',
      event,
      `has the previous state ${before}; the handler saw ${known.stamp}`,
    );
  }

  #deleted(event: InformerEvent<Item>, known: Seen, stamp: number): void {
    if (event.object.uid !== known.uid) {
      return this.#broken('uid', event, `has the uid ${event.object.uid} and had ${known.uid}`);
    }
    if (stamp < known.stamp) this.#broken('order', event, `follows state ${known.stamp}`);
  }

  #checkNewer(event: InformerEvent<Item>, stamp: number): void {
    const newest = this.#newest.get(event.key);
    const isRepair = stamp === newest && event.type === 'updated' && this.#damaged.has(stamp);
    if (newest !== undefined && stamp <= newest && !isRepair) {
      this.#broken('order', event, `follows state ${newest}`);
    }
  }

  #broken(invariant: Invariant, { type, key, object }: InformerEvent<Item>, how: string): void {
    this.#report(invariant, `${this.#name}: ${type} ${key} in state ${stampOf(object)} ${how}`);
  }
}
