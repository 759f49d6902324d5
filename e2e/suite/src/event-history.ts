import type { KubernetesObject, ObjectKey } from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';

/** The state of one object as a handler knows it from its events. */
interface Known {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * A handler that records its events and every violation of the guarantees of informers: states out of order,
 * changes of objects that were never added, objects added twice.
 */
export class EventHistory<T extends KubernetesObject = KubernetesObject> {
  readonly complaints: string[] = [];
  /** Every event, as `type key`. */
  readonly emitted: string[] = [];
  readonly #known = new Map<ObjectKey, Known>();
  readonly #newest = new Map<ObjectKey, bigint>();
  readonly #waiting = new Set<() => void>();

  readonly handler = (event: InformerEvent<T>): void => {
    const { type, key, object } = event;
    this.emitted.push(`${type} ${key}`);
    this.#check(event);
    if (type === 'deleted') this.#known.delete(key);
    else this.#known.set(key, { uid: object.uid, resourceVersion: object.resourceVersion });
    for (const check of this.#waiting) check();
  };

  /** Resolves when the handler has received that the object of a key exists, or is deleted. */
  async received(key: ObjectKey, presence: 'there' | 'gone' = 'there'): Promise<void> {
    await this.until(() => this.#known.has(key) === (presence === 'there'));
  }

  /** Resolves when a condition is true after an event. */
  async until(reached: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (reached()) resolve();
    };
    this.#waiting.add(check);
    check();
    await promise;
    this.#waiting.delete(check);
  }

  /** The objects as the handler knows them, to compare with `stateOf` of the objects on the server. */
  get state(): string[] {
    return Array.from(this.#known, ([key, { uid, resourceVersion }]) =>
      [key, uid, resourceVersion].join(' '),
    ).toSorted();
  }

  #check({ type, key, object }: InformerEvent<T>): void {
    const known = this.#known.get(key);
    if ((type === 'added') === (known !== undefined)) {
      this.complaints.push(`${type} ${key}, which is ${known === undefined ? 'not ' : ''}known`);
    }
    if (type !== 'added' && known?.uid !== object.uid) {
      this.complaints.push(`${type} ${key}, and meant another object`);
    }
    if (type === 'updated' && known?.resourceVersion === object.resourceVersion) {
      this.complaints.push(`updated ${key} without a change`);
    }
    const version = BigInt(object.resourceVersion);
    if (version < (this.#newest.get(key) ?? 0n))
      this.complaints.push(`${key} received an older version`);
    this.#newest.set(key, version);
  }
}

/** Objects in the form of `EventHistory.state`. */
export function stateOf(objects: readonly KubernetesObject[]): string[] {
  return objects
    .map(({ metadata }) => {
      const { namespace, name, uid, resourceVersion } = metadata ?? {};
      return [`${namespace}/${name}`, uid, resourceVersion].join(' ');
    })
    .toSorted();
}
