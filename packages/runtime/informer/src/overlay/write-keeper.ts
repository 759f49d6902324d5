import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import type { NamedTransform } from '../contract/watch-query.ts';
import type { Memory } from '../memory/memory.ts';
import { ObjectBytes } from '../memory/object-bytes.ts';
import { CandidateReader, type CandidateTarget } from '../store/candidate.ts';
import { ObjectForm, type StoredObject } from '../store/stored-object.ts';
import type { OwnWrite } from './own-write.ts';

/** The properties of a watch that decide how it keeps an object. */
export interface WriteKeeperOptions {
  readonly identity: WatchIdentity;
  readonly transform: NamedTransform | undefined;
  readonly keepManagedFields: boolean;
  readonly memory: Memory;
  readonly observer: InformerObserver;
  readonly now: () => number;
}

/**
 * Keeps states of own writes in the form in which the store of a watch keeps its objects: with the
 * same projection, transform and metadata. The memory is apart from that of the store.
 */
export class WriteKeeper {
  readonly #options: WriteKeeperOptions;
  readonly #form: ObjectForm;
  readonly #reader: CandidateReader;
  readonly #target: CandidateTarget;

  constructor(options: WriteKeeperOptions) {
    const { identity, transform, keepManagedFields, memory, observer, now } = options;
    const { resource, projection } = identity.query;
    this.#options = options;
    this.#target = {
      content: new ObjectBytes({ slabs: memory.slabs, now }),
      intern: (namespace) => namespace,
    };
    this.#form = new ObjectForm({ resource, projection, memory, keepManagedFields });
    this.#reader = new CandidateReader({
      form: this.#form,
      transform,
      onSkip: (cause, error) => observer.skipped?.(identity, cause, error),
      onUnreadable: (_object, error) => observer.skipped?.(identity, 'malformed', error),
    });
  }

  /** Returns the object of a write; `undefined` if the transform failed. */
  keep(write: OwnWrite): StoredObject | undefined {
    const { projection } = this.#options.identity.query;
    // Readers may keep a state until after the watch has passed it.
    return this.#reader.read(write.frame(projection))?.keep(this.#target)?.shown();
  }

  /** Frees the memory of an object. Views that readers have remain readable. */
  discard(object: StoredObject): void {
    object.retire();
    this.#target.content.discard(object);
  }

  /** Forgets all objects, because the watch has ended. */
  close(): void {
    this.#options.memory.release(this.#form);
    this.#target.content.abandon();
  }
}
