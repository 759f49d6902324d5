import type { Format, HeadPositions } from '@keelson/apimachinery';
import type { Retention } from '../contract/watch-query.ts';
import { Arena } from './arena.ts';
import { Compression } from './compression.ts';
import { Packer } from './packer.ts';
import type { SlabPool } from './slab-pool.ts';
import type { Place, Slab, Tenant } from './slab.ts';

/** Bytes that may wait for their compression. Beyond them, each new object compresses an old one. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/** An object of more bytes than this is compressed in another thread: it takes milliseconds. */
const LARGE_OBJECT_BYTES = 64 * 1024;

/** The parts that the bytes of a store share with those of its stages. */
export interface ObjectBytesOptions {
  readonly slabs: SlabPool;
  readonly now: () => number;
  readonly retention?: Retention;
  readonly compression?: Compression;
}

/**
 * The bytes of the objects of a store. They arrive as the server sent them; with `compressed`, they
 * are compressed when they have been at rest for a second, or when too many wait for it.
 */
export class ObjectBytes {
  /** How new objects are kept. Stored objects stay as they are, except those to compress. */
  retention: Retention;
  readonly #options: ObjectBytesOptions;
  readonly #compression: Compression;
  /** Objects as they came. */
  readonly #plain: Arena;
  readonly #compressed: Arena;
  readonly #packer: Packer;

  constructor(options: ObjectBytesOptions) {
    const { slabs, now, retention = 'lazy', compression = new Compression() } = options;
    this.#options = options;
    this.retention = retention;
    this.#compression = compression;
    this.#plain = new Arena(slabs);
    this.#compressed = new Arena(slabs);
    this.#packer = new Packer({ now, packNext: () => this.#packNext() });
  }

  /** Bytes of the objects that are in the store. */
  get live(): number {
    return this.#plain.live + this.#compressed.live;
  }

  /** Bytes of the slabs that contain them. */
  get allocated(): number {
    return this.#plain.allocated + this.#compressed.allocated;
  }

  /** Returns empty bytes for the next state of the store, kept in the same way. */
  successor(): ObjectBytes {
    const { retention } = this;
    return new ObjectBytes({ ...this.#options, retention, compression: this.#compression });
  }

  /**
   * Copies the bytes of an object, except those that `positions` marks to cut, and records the
   * place in `tenant`.
   */
  write(
    tenant: Tenant,
    format: Format,
    buffer: Uint8Array,
    from: number,
    to: number,
    positions: HeadPositions,
  ): void {
    this.#plain.write(tenant, format, buffer, from, to, positions);
    if (this.retention === 'compressed') this.#limitWaiting();
  }

  /** Copies the bytes of an object as they are. */
  append(tenant: Tenant, format: Format, bytes: Uint8Array): void {
    this.#plain.append(tenant, this.#plain.encoding(format), bytes);
    if (this.retention === 'compressed') this.#limitWaiting();
  }

  /** Frees the bytes of an object that left the store. Views of it remain readable. */
  discard(tenant: Tenant): void {
    if (tenant.slab !== undefined) this.#arenaOf(tenant.slab).discard(tenant);
  }

  /** Compresses what waits for it, a second later. Called after each change of the store. */
  settle(): void {
    if (this.retention === 'compressed' && this.#plain.live > 0) this.#packer.startLater();
  }

  /** Takes over all bytes of a stage. The caller must not write to the stage afterwards. */
  adopt(stage: ObjectBytes): void {
    this.#plain.adopt(stage.#plain);
    this.#compressed.adopt(stage.#compressed);
    this.settle();
  }

  /** Frees all bytes. Views of the objects remain readable. */
  abandon(): void {
    this.#packer.stop();
    this.#plain.abandon();
    this.#compressed.abandon();
  }

  #arenaOf({ encoding }: Slab): Arena {
    return encoding.compression === undefined ? this.#plain : this.#compressed;
  }

  /** Bounds the memory of a burst, which a list of very many objects is too. */
  #limitWaiting(): void {
    while (this.#plain.live > MAX_WAITING_BYTES) {
      const next = this.#plain.oldest();
      if (next === undefined || isLarge(next)) {
        this.#packer.start();
        return;
      }
      this.#pack(next);
    }
  }

  /**
   * Compresses the object that has waited longest. Returns false if none is left, and a promise for
   * a large one.
   */
  #packNext(): boolean | Promise<void> {
    const next = this.retention === 'compressed' ? this.#plain.oldest() : undefined;
    if (next === undefined) return false;
    if (isLarge(next)) return this.#packLarge(next);
    this.#pack(next);
    return true;
  }

  #pack(place: Place): void {
    this.#learn(place);
    this.#replace(place, this.#compression.deflate(place.slab.bytes(place.tenant.slot)));
  }

  async #packLarge(place: Place): Promise<void> {
    this.#learn(place);
    const bytes = place.slab.bytes(place.tenant.slot);
    const deflated = await this.#compression.deflateLarge(bytes);
    // The object may have left the store, or moved, in the meantime.
    if (this.#plain.contains(place)) this.#replace(place, deflated);
  }

  #learn({ slab }: Place): void {
    if (!this.#compression.hasLearned) this.#compression.learn(slab.samples());
  }

  #replace({ tenant, slab }: Place, deflated: Uint8Array): void {
    const { format } = slab.encoding;
    this.#plain.vacate(tenant);
    this.#compressed.append(tenant, this.#compression.encoding(format), deflated);
  }
}

function isLarge({ tenant, slab }: Place): boolean {
  return slab.end(tenant.slot) - slab.start(tenant.slot) > LARGE_OBJECT_BYTES;
}
