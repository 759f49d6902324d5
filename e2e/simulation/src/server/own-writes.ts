import type { ApiResource, ObjectKey } from '@keelson/apimachinery';

/** A write of this process whose response has arrived. */
export interface OwnWrite {
  readonly resource: ApiResource;
  readonly key: ObjectKey;
  /** The number of its change. */
  readonly stamp: number;
  /** The controller that wrote; `process` for another part of the process. */
  readonly by: string;
  /** The time of the response. */
  readonly at: number;
  readonly isCreation: boolean;
  /** The number of the server that stored it. */
  readonly server: number;
  /** The uid of the object that the write deleted. */
  readonly deleted: string | undefined;
}

/** The writes of this process, as far as their responses have arrived. */
export class OwnWrites implements Iterable<OwnWrite> {
  readonly #byStamp = new Map<number, OwnWrite>();
  readonly #byObject = new Map<string, OwnWrite[]>();

  /** The number of writes. */
  get size(): number {
    return this.#byStamp.size;
  }

  add(write: OwnWrite): void {
    this.#byStamp.set(write.stamp, write);
    const id = idOf(write.resource, write.key);
    const ofObject = this.#byObject.get(id);
    if (ofObject === undefined) this.#byObject.set(id, [write]);
    else ofObject.push(write);
  }

  /** Returns the write that made a change. */
  of(stamp: number): OwnWrite | undefined {
    return this.#byStamp.get(stamp);
  }

  [Symbol.iterator](): Iterator<OwnWrite> {
    return this.#byStamp.values();
  }

  has(stamp: number): boolean {
    return this.#byStamp.has(stamp);
  }

  /** Returns the writes of one object, in the order of their responses. */
  to(resource: ApiResource, key: ObjectKey): readonly OwnWrite[] {
    if (this.#byStamp.size === 0) return NONE;
    return this.#byObject.get(idOf(resource, key)) ?? NONE;
  }
}

const NONE: readonly OwnWrite[] = [];

function idOf({ kind }: ApiResource, key: ObjectKey): string {
  return `${kind} ${key}`;
}
