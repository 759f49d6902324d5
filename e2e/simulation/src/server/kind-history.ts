import type { ObjectKey } from '@keelson/apimachinery';
import type { ObjectState } from './object-state.ts';
import { selects, type Selection } from './object-selection.ts';

/** One change of an object; without `state` its deletion. */
export interface Change {
  readonly key: ObjectKey;
  readonly stamp: number;
  /** The version that the server gave the change. */
  readonly version: number;
  /** The number of the server, which increases when another server takes over. */
  readonly server: number;
  readonly previous: ObjectState | undefined;
  readonly state: ObjectState | undefined;
}

/** All changes of the objects of one kind, also those that the server has forgotten. */
export class KindHistory {
  readonly objects: Map<ObjectKey, ObjectState> = new Map();
  readonly changes: Change[] = [];
  readonly #byKey = new Map<ObjectKey, Change[]>();
  readonly #byStamp = new Map<number, ObjectState>();

  append(change: Change): void {
    const { key, state } = change;
    if (state === undefined) this.objects.delete(key);
    else this.objects.set(key, state);
    if (state !== undefined) this.#byStamp.set(state.stamp, state);
    this.changes.push(change);
    const ofKey = this.#byKey.get(key);
    if (ofKey === undefined) this.#byKey.set(key, [change]);
    else ofKey.push(change);
  }

  /** The keys that ever had an object. */
  get keys(): Iterable<ObjectKey> {
    return this.#byKey.keys();
  }

  /** Returns the changes of one object, oldest first. */
  of(key: ObjectKey): readonly Change[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Returns the state that a change made. */
  stateOf(stamp: number): ObjectState | undefined {
    return this.#byStamp.get(stamp);
  }

  /** Returns the objects that a selection has now. */
  select(selection: Selection): ObjectState[] {
    return [...this.objects.values()].filter((state) => selects(selection, state));
  }

  /** Returns the objects that a server had at one of its versions. */
  stateAt(server: number, version: number): ObjectState[] {
    const found = new Map<ObjectKey, ObjectState>();
    for (const change of this.changes) {
      if (change.server !== server || change.version > version) continue;
      if (change.state === undefined) found.delete(change.key);
      else found.set(change.key, change.state);
    }
    return [...found.values()];
  }

  /** Returns the changes of a server after one of its versions. */
  after(server: number, version: number): Change[] {
    const { changes } = this;
    let from = changes.length;
    for (let at = from - 1; at >= 0; at--) {
      const change = changes[at];
      if (change === undefined || change.server !== server || change.version <= version) break;
      from = at;
    }
    return changes.slice(from);
  }
}
