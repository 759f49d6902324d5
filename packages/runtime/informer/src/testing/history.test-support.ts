import type { KubernetesObject, ObjectKey } from '@keelson/apimachinery';
import type { InformerEvent } from '../contract/informer-event.ts';

/** The last state of one object that a handler received. */
interface Known {
  readonly uid: string;
  readonly version: number;
}

/**
 * Records the events of a handler and reports invalid ones: states out of order, changes of an unknown object, an
 * object that is added twice.
 */
export class History<T extends KubernetesObject = KubernetesObject> {
  readonly known: Map<ObjectKey, Known> = new Map();
  /** All states that the handler received, as `<uid> <version>`. */
  readonly states: Set<string> = new Set();
  events = 0;
  initial = 0;
  readonly #newest = new Map<ObjectKey, number>();
  readonly complaints: string[] = [];

  readonly handler = (event: InformerEvent<T>): void => {
    this.events++;
    this.states.add(`${event.object.uid} ${event.object.resourceVersion}`);
    const { key, object } = event;
    const known = this.known.get(key);
    const version = Number(object.resourceVersion);
    const present = event.type === 'added' ? undefined : known;
    if (event.type === 'added' ? known !== undefined : present === undefined) {
      this.complaints.push(
        `${event.type} ${key}, which was ${known === undefined ? 'not ' : ''}known`,
      );
    }
    if (event.type === 'updated' && known?.uid !== object.uid) {
      this.complaints.push(`updated ${key} to another uid`);
    }
    if (version < (this.#newest.get(key) ?? 0))
      this.complaints.push(`${key} received an older version`);
    this.#newest.set(key, version);
    if (event.type === 'added' && event.initial) this.initial++;
    if (event.type === 'deleted') this.known.delete(key);
    else this.known.set(key, { uid: object.uid, version });
  };

  /** The known objects, as comparable text. */
  get state(): string[] {
    return Array.from(
      this.known,
      ([key, { uid, version }]) => `${key} ${uid} ${version}`,
    ).toSorted();
  }
}
