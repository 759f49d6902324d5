import type { ObjectKey } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { Item } from '../server/kind.ts';
import { stampOf } from '../server/object-state.ts';
import type { Invariant, Report } from '../invariants/invariant.ts';
import type { ResyncModel } from './resync-model.ts';

/** The last state of one object that a handler has seen. */
interface Seen {
  readonly uid: string;
  readonly stamp: number;
}

export interface HandlerHistoryOptions {
  /** The changes whose objects arrived damaged: the repaired object is an update in the same state. */
  readonly damaged: ReadonlySet<number>;
  readonly report: Report;
  /** Default: the handler has no resync. */
  readonly resyncs?: ResyncModel | undefined;
}

/** Everything that one handler has seen, and the checks of its events. */
export class HandlerHistory {
  /** The objects that exist for the handler. */
  readonly known: Map<ObjectKey, Seen> = new Map();
  readonly #name: string;
  readonly #report: Report;
  readonly #damaged: ReadonlySet<number>;
  /** The newest state of each key, also of deleted objects. */
  readonly #newest = new Map<ObjectKey, number>();
  readonly #resyncs: ResyncModel | undefined;

  constructor(name: string, { damaged, report, resyncs }: HandlerHistoryOptions) {
    this.#name = name;
    this.#damaged = damaged;
    this.#report = report;
    this.#resyncs = resyncs;
  }

  /** Returns the resyncs that are missing. */
  missingResyncs(): string | undefined {
    return this.#resyncs?.missing([...this.known.keys()]);
  }

  /** The handler no longer has the objects for which the test holds. */
  forget(test: (key: ObjectKey) => boolean): void {
    for (const key of this.#newest.keys()) {
      if (!test(key)) continue;
      this.#newest.delete(key);
      this.known.delete(key);
    }
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
    const before = stampOf(previous);
    if (before !== known.stamp) {
      const facts = `has the previous state ${before}; the handler saw ${known.stamp}`;
      this.#broken('previous', event, facts);
    } else if (before === stamp && this.#resyncs !== undefined) {
      // The repair of an object looks like a resync.
      const problem = this.#resyncs.take(event.key);
      const isRepaired = this.#damaged.has(stamp);
      if (problem !== undefined && !isRepaired) this.#broken('resync', event, problem);
    } else {
      this.#checkNewer(event, stamp);
    }
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
