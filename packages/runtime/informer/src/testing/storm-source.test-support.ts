import type { Frame, FrameBatch, WatchEventType } from '@keelson/wire';
import type { ListerWatcher, WatchRequest } from '../contract/lister-watcher.ts';
import { failing, objectFrame } from './scripted-source.test-support.ts';

interface StormObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** A small, fast generator with a seed (mulberry32): the same seed gives the same storm. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d2b79f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The number of objects at the start, and of changes after it. */
export interface StormSize {
  readonly objects: number;
  readonly changes: number;
}

/**
 * A source that creates, updates, deletes and re-creates objects in batches of random length. At
 * times it drops changes and sends 410 to the watch, so that the reflector must relist.
 */
export class StormSource implements ListerWatcher {
  /** Called after each change with the number of changes. */
  onChange: (count: number) => void = () => undefined;
  relists = -1;
  /**
   * The clock of the storm in milliseconds. It jumps at every relist, so that no backoff delays it.
   */
  clock = 0;
  readonly #random: () => number;
  readonly #objects = new Map<string, StormObject>();
  readonly #names: readonly string[];
  readonly #changes: number;
  #done = 0;
  #version = 1;
  #uids = 0;

  constructor(random: () => number, { objects, changes }: StormSize) {
    this.#random = random;
    this.#changes = changes;
    this.#names = Array.from({ length: objects }, (_, n) => `o${n}`);
    for (const name of this.#names) this.#store(name);
  }

  get isOver(): boolean {
    return this.#done >= this.#changes;
  }

  get state(): string[] {
    return Array.from(
      this.#objects.values(),
      ({ metadata: { namespace, name, uid, resourceVersion } }) =>
        `${namespace}/${name} ${uid} ${resourceVersion}`,
    ).toSorted();
  }

  get version(): string {
    return String(this.#version);
  }

  async *list(): AsyncGenerator<FrameBatch> {
    yield* failing(new Error('a storm is watched'));
  }

  async *watch({ signal }: WatchRequest): AsyncGenerator<FrameBatch> {
    this.relists++;
    this.clock += 20_000;
    yield this.#batch(Array.from(this.#objects.values(), (object) => objectFrame('ADDED', object)));
    yield this.#batch([this.#end()]);
    while (!this.isOver) {
      signal.throwIfAborted();
      if (this.#random() < 0.02) {
        for (let missed = this.#length(); missed > 0; missed--) this.#change();
        this.clock += 20_000;
        yield this.#batch([objectFrame('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })]);
      }
      const frames: Frame[] = [];
      for (let length = this.#length(); length > 0; length--) frames.push(this.#change());
      yield this.#batch(frames);
      // eslint-disable-next-line no-await-in-loop -- sometimes others have their turn
      if (this.#random() < 0.3) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve());
    });
  }

  #length(): number {
    return 1 + Math.floor(this.#random() * 150);
  }

  #batch(frames: readonly Frame[]): FrameBatch {
    return { frames, receivedAt: this.clock };
  }

  #change(): Frame {
    const name = this.#names[Math.floor(this.#random() * this.#names.length)] ?? '';
    const existing = this.#objects.get(name);
    const type: WatchEventType =
      existing === undefined ? 'ADDED' : this.#random() < 0.1 ? 'DELETED' : 'MODIFIED';
    const object = this.#store(name, existing);
    if (type === 'DELETED') this.#objects.delete(name);
    this.onChange(++this.#done);
    return objectFrame(type, object);
  }

  #store(name: string, existing?: StormObject): StormObject {
    const object = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: {
        name,
        namespace: 'default',
        uid: existing?.metadata.uid ?? `uid-${++this.#uids}`,
        resourceVersion: String(++this.#version),
      },
    };
    this.#objects.set(name, object);
    return object;
  }

  #end(): Frame {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    return objectFrame('BOOKMARK', { metadata: { resourceVersion: this.version, annotations } });
  }
}
