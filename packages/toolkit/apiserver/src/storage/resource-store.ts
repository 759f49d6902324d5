import type { ObjectKey, ObjectMeta } from '@keelson/apimachinery';
import { tooLargeToStore } from '../status-errors/status-errors.ts';
import type { ApiObject } from './api-object.ts';
import { ByteArena } from './byte-arena.ts';
import { type Change, type HistoryBounds, RevisionLog } from './revision-log.ts';
import { byCodeUnit, SortedKeys } from './sorted-keys.ts';
import { keyOfMetadata, type SelectableValues, StoredObject } from './stored-object.ts';

/** Largest object that can be stored; etcd's limit of a request. */
const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;

const OPENING_BRACE = 0x7b;

/** The services of the storage that its stores use. */
export interface StoreContext {
  /** Returns the newest revision of the whole storage. */
  revision(): number;
  /** Increments the revision and returns it. */
  advance(): number;
  /** Called after every change. */
  changed(store: ResourceStore, change: Change): void;
  readonly history: HistoryBounds;
}

/** A state of an object in a snapshot file. */
export interface SavedState {
  readonly revision: number;
  readonly metadata: ObjectMeta;
  /**
   * The JSON of the members behind `apiVersion` and `kind`, with the comma before them, or an object that has to be encoded.
   */
  readonly content: Uint8Array | ApiObject;
}

/** The parts of a state that was recorded as JSON: the members behind `apiVersion` and `kind`. */
export interface RecordedState {
  /** The metadata without `managedFields`, in the order of responses. The store sets its `resourceVersion`. */
  readonly metadata: ObjectMeta;
  /** The JSON of `managedFields`. */
  readonly managedFields: string;
  /** The JSON of an object with the members behind the metadata, at least one, and without an integer beyond 2^53. */
  readonly content: string;
}

/** An ordered view of the objects at one revision. */
export interface Snapshot {
  readonly revision: number;
  readonly keys: readonly ObjectKey[];
  /** Returns `undefined` if a newest-revision snapshot is read after the removal of the object. */
  get(key: ObjectKey): StoredObject | undefined;
}

/** The objects of one resource and the log of their changes. All served versions share it. */
export class ResourceStore {
  readonly group: string;
  readonly plural: string;
  /** The name of the resource, such as `deployments.apps`. */
  readonly name: string;
  readonly log: RevisionLog;
  readonly #context: StoreContext;
  #selectable: (object: ApiObject) => SelectableValues;
  readonly #objects = new Map<ObjectKey, StoredObject>();
  readonly #keys = new SortedKeys();
  readonly #arena = new ByteArena();

  constructor(
    name: { readonly group: string; readonly plural: string },
    context: StoreContext,
    selectable: (object: ApiObject) => SelectableValues,
  ) {
    this.group = name.group;
    this.plural = name.plural;
    this.name = `${name.plural}.${name.group}`;
    this.#context = context;
    this.#selectable = selectable;
    this.log = new RevisionLog(context.revision(), {
      bounds: context.history,
      forgotten: ({ object }) => {
        if (this.#objects.get(object.key) === object) object.moveToOwnBlock();
      },
    });
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The newest revision that a read of this store reflects. */
  get revision(): number {
    return this.#context.revision();
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<StoredObject> {
    return this.#objects.values();
  }

  /**
   * Creates or replaces an object and sets its `resourceVersion` to the new revision. Throws 500 if the object is too
   * large.
   */
  put(object: ApiObject): StoredObject {
    const revision = this.#context.revision() + 1;
    object.metadata.resourceVersion = String(revision);
    const stored = StoredObject.of(object, revision, this.#selectable(object), this.#arena);
    if (stored.bytes.length > MAX_OBJECT_BYTES) throw tooLargeToStore();
    return this.#write(stored);
  }

  /** Creates or replaces an object as `put` does, without encoding it. The caller no longer uses `metadata`. */
  putRecorded({ metadata, managedFields, content }: RecordedState): StoredObject {
    const revision = this.#context.revision() + 1;
    metadata.resourceVersion = String(revision);
    const opened = JSON.stringify(metadata).slice(0, -1);
    const json = `{"metadata":${opened},"managedFields":${managedFields}},${content.slice(1)}`;
    const bytes = this.#arena.store(json);
    const fields = this.#selectable;
    return this.#write(new StoredObject({ revision, metadata, fields, bytes, hasBigints: false }));
  }

  #write(stored: StoredObject): StoredObject {
    const revision = this.#context.advance();
    const previous = this.#objects.get(stored.key);
    this.#objects.set(stored.key, stored);
    if (previous === undefined) this.#keys.add(stored.key);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#record({ type, revision, object: stored, previous });
    return stored;
  }

  /** Removes an object and returns its last state with the revision of the removal. */
  remove(stored: StoredObject): StoredObject {
    const revision = this.#context.advance();
    const object = stored.at(revision, this.#arena);
    this.#objects.delete(stored.key);
    this.#keys.remove(stored.key);
    this.#record({ type: 'DELETED', revision, object, previous: stored });
    return object;
  }

  /** Adds an object of a snapshot, without a change in the log. Returns false if the store has the object already. */
  load(state: SavedState): boolean {
    const stored = this.#encode(state);
    if (this.#objects.has(stored.key)) return false;
    this.#objects.set(stored.key, stored);
    this.#keys.add(stored.key);
    return true;
  }

  /**
   * Repeats a change of a snapshot, without a call of the listeners. Returns false if the change does not follow from the
   * present objects. A deletion needs only the name of its object.
   */
  replay(type: Change['type'], state: SavedState): boolean {
    const key = keyOfMetadata(state.metadata);
    const previous = this.#objects.get(key);
    if ((previous === undefined) !== (type === 'ADDED')) return false;
    if (type === 'DELETED') this.#replayDeletion(previous, state.revision);
    else this.#replayWrite(type, this.#encode(state), previous);
    return true;
  }

  #replayDeletion(previous: StoredObject | undefined, revision: number): void {
    if (previous === undefined) return;
    const object = previous.at(revision, this.#arena);
    this.#objects.delete(object.key);
    this.#keys.remove(object.key);
    this.log.append({ type: 'DELETED', revision, object, previous });
  }

  #replayWrite(
    type: 'ADDED' | 'MODIFIED',
    object: StoredObject,
    previous: StoredObject | undefined,
  ): void {
    this.#objects.set(object.key, object);
    if (previous === undefined) this.#keys.add(object.key);
    this.log.append({ type, revision: object.revision, object, previous });
  }

  #encode({ revision, metadata: whole, content }: SavedState): StoredObject {
    const fields = this.#selectable;
    if (!(content instanceof Uint8Array)) {
      return StoredObject.of(content, revision, fields(content), this.#arena);
    }
    const { managedFields: _managedFields, ...metadata } = whole;
    const bytes = this.#arena.copy(content);
    bytes[0] = OPENING_BRACE;
    return new StoredObject({ revision, metadata, fields, bytes, hasBigints: undefined });
  }

  /**
   * Replaces the selectable fields. Present objects are indexed again and keep their revision; past changes keep their
   * values.
   */
  selectBy(selectable: (object: ApiObject) => SelectableValues): void {
    this.#selectable = selectable;
    for (const [key, stored] of this.#objects) {
      const object = stored.parse();
      this.#objects.set(key, StoredObject.of(object, stored.revision, selectable(object)));
    }
  }

  /** Returns the object that `put` would store, without storing it. */
  draft(object: ApiObject): StoredObject {
    const revision = this.#objects.get(keyOfMetadata(object.metadata))?.revision ?? 0;
    return StoredObject.of(object, revision, this.#selectable(object));
  }

  /** Returns the objects at a revision that the log covers. Default: the newest revision. */
  snapshot(revision: number = this.revision): Snapshot {
    const earlier = this.#statesBefore(revision);
    if (earlier.size === 0) {
      return { revision, keys: this.#keys.all(), get: (key) => this.#objects.get(key) };
    }
    const get = (key: ObjectKey): StoredObject | undefined =>
      earlier.has(key) ? earlier.get(key) : this.#objects.get(key);
    const keys = new Set([...this.#keys.all(), ...earlier.keys()]);
    const present = [...keys].filter((key) => get(key) !== undefined).toSorted(byCodeUnit);
    return { revision, keys: present, get };
  }

  /** Returns the state at a revision of every object that changed after it. */
  #statesBefore(revision: number): Map<ObjectKey, StoredObject | undefined> {
    const states = new Map<ObjectKey, StoredObject | undefined>();
    for (let at = this.log.end - 1; at >= this.log.positionAfter(revision); at--) {
      const change = this.log.at(at);
      if (change !== undefined) states.set(change.object.key, change.previous);
    }
    return states;
  }

  #record(change: Change): void {
    this.log.append(change);
    this.#context.changed(this, change);
  }
}
