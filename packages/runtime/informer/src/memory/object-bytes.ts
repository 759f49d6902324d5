import type { Format, HeadPositions } from '@keelson/wire';
import type { Retention } from '../contract/watch-query.ts';
import { Arena } from './arena.ts';
import { Compression } from './compression.ts';
import { headOf, headOnly } from './head-only.ts';
import type { Growth } from './growth.ts';
import { Packer } from './packer.ts';
import type { Tenancy, Slab, SlabPool, Tenant } from './slab-pool.ts';

/** The most bytes that may wait for their compression. Beyond this, each new object compresses old ones. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * The most waiting objects that are compressed when a new one is stored. It is more than one so that a burst shrinks,
 * and few so that no new object is delayed for long.
 */
const PACKED_PER_WRITE = 2;

/** An object of more bytes than this is compressed in another thread, because it takes milliseconds. */
const LARGE_OBJECT_BYTES = 64 * 1024;

/** The expected ratio of the packed bytes of an object to its whole bytes, until some objects have been packed. */
const EXPECTED_RATIO = 1 / 8;

/** The bytes of heap that a parsed object takes for each byte of its text. */
const HEAP_PER_PARSED_BYTE = 1.5;

/**
 * The bytes of heap that an object takes besides its content: its name, uid and version, and its entry in the table.
 * Measured: 250 bytes with 10⁵ objects, 300 with 10⁶ (`bench/retention.ts`).
 */
const HEAP_PER_OBJECT = 300;

/** The retentions with which objects are packed: compressed, or cut to their metadata. */
const PACKED: ReadonlySet<Retention> = new Set(['compressed', 'metadata']);

/** The parts that the bytes of a store share with those of its stages. */
export interface ObjectBytesOptions {
  readonly slabs: SlabPool;
  readonly now: () => number;
  readonly retention?: Retention;
  readonly compression?: Compression;
  /** Reports each growth, so that a budget can limit it. Default: no limit. */
  readonly growth?: Growth | undefined;
}

/**
 * The bytes of the objects of a store, first as the server sent them. With the retention `compressed` or `metadata`
 * they are packed: deflated, or cut to the metadata. That happens one second after a change, or earlier if too many
 * bytes wait for it.
 */
export class ObjectBytes {
  /** How new objects are kept; `retainAs` changes it. */
  retention: Retention;
  readonly #options: ObjectBytesOptions;
  readonly #compression: Compression;
  /** The objects that are as the server sent them. */
  readonly #plain: Arena;
  readonly #compressed: Arena;
  readonly #heads: Arena;
  readonly #packer: Packer;
  /** True if the retention packs objects. */
  isPacking: boolean;
  #parsed = 0;
  /** Bytes before and after packing, with the present retention. */
  #packed = { from: 0, to: 0 };

  constructor(options: ObjectBytesOptions) {
    const { slabs, now, retention = 'lazy', compression = new Compression() } = options;
    this.#options = options;
    this.retention = retention;
    this.isPacking = PACKED.has(retention);
    this.#compression = compression;
    this.#plain = new Arena(slabs);
    this.#compressed = new Arena(slabs);
    this.#heads = new Arena(slabs);
    this.#packer = new Packer({ now, packNext: () => this.#packNext() });
  }

  /** Sets how new objects are kept. Stored objects stay as they are, unless the new retention packs them. */
  retainAs(retention: Retention): void {
    if (retention === this.retention) return;
    this.retention = retention;
    this.isPacking = PACKED.has(retention);
    this.#packed = { from: 0, to: 0 };
  }

  /** Bytes of the objects that are in the store. */
  get live(): number {
    return this.#plain.live + this.#compressed.live + this.#heads.live;
  }

  /** Bytes of the objects that are as the server sent them. */
  get plain(): number {
    return this.#plain.live;
  }

  /** Bytes of the slabs that contain them. */
  get allocated(): number {
    return this.#plain.allocated + this.#compressed.allocated + this.#heads.allocated;
  }

  /** The length in bytes of the text of all objects that are kept parsed. */
  get parsed(): number {
    return this.#parsed;
  }

  /** True if some objects have no body, because of the retention `metadata`. */
  get hasDroppedBodies(): boolean {
    return this.#heads.live > 0;
  }

  /** The bytes that packing will free. */
  get packable(): number {
    if (!this.isPacking) return 0;
    const waiting = this.#plain.live + (this.retention === 'metadata' ? this.#compressed.live : 0);
    return waiting * (1 - this.#ratio);
  }

  /** The bytes that the packed objects would take in addition if they were not packed. */
  get packedAway(): number {
    if (!this.isPacking) return 0;
    const { live } = this.retention === 'metadata' ? this.#heads : this.#compressed;
    return live / this.#ratio - live;
  }

  /** Returns an empty instance with the same settings, for the next state of the store. */
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
    this.#options.growth?.add(to - from);
    this.#plain.write(tenant, format, buffer, from, to, positions);
    if (this.isPacking) this.#limitWaiting();
  }

  /** Copies the bytes of an object as they are. */
  append(tenant: Tenant, format: Format, bytes: Uint8Array): void {
    this.#options.growth?.add(bytes.length);
    this.#plain.append(tenant, this.#plain.encoding(format), bytes);
    if (this.isPacking) this.#limitWaiting();
  }

  /** Counts an object that is kept parsed, by the length of its text. */
  addParsed(tenant: Tenant, length: number): void {
    this.#options.growth?.add(length);
    tenant.slot = length;
    this.#parsed += length;
  }

  /** Replaces the metadata of an object by its whole bytes. */
  restore(tenant: Tenant, source: Tenant): void {
    if (tenant.slab === undefined || source.slab === undefined) return;
    const { format } = source.slab.encoding;
    this.#arenaOf(tenant.slab).vacate(tenant);
    this.#plain.append(tenant, this.#plain.encoding(format), source.slab.bytes(source.slot));
  }

  /** Frees the bytes of an object that left the store. Views of it remain readable. */
  discard(tenant: Tenant): void {
    if (tenant.slab === undefined) {
      this.#parsed -= tenant.slot;
      tenant.slot = 0;
    } else this.#arenaOf(tenant.slab).discard(tenant);
  }

  /** Packs the waiting objects one second later. Called after each change of the store. */
  settle(): void {
    if (this.isPacking && this.#oldest() !== undefined) this.#packer.startLater();
  }

  /** Takes over all bytes of a stage, which is empty afterwards. */
  adopt(stage: ObjectBytes): void {
    this.#plain.adopt(stage.#plain);
    this.#compressed.adopt(stage.#compressed);
    this.#heads.adopt(stage.#heads);
    this.#parsed += stage.#parsed;
    stage.#parsed = 0;
    this.settle();
  }

  /** Frees all bytes. Views of the objects remain readable. */
  abandon(): void {
    this.#packer.stop();
    this.#parsed = 0;
    for (const arena of [this.#plain, this.#compressed, this.#heads]) arena.abandon();
  }

  get #ratio(): number {
    const { from, to } = this.#packed;
    return from === 0 ? EXPECTED_RATIO : to / from;
  }

  #arenaOf({ encoding }: Slab): Arena {
    if (encoding.isHeadOnly) return this.#heads;
    return encoding.compression === undefined ? this.#plain : this.#compressed;
  }

  /** The object that has waited longest to be packed. */
  #oldest(): Tenancy | undefined {
    const plain = this.#plain.oldest();
    return plain ?? (this.retention === 'metadata' ? this.#compressed.oldest() : undefined);
  }

  /** Limits the bytes that wait during a burst of new objects, such as a list. */
  #limitWaiting(): void {
    for (let count = 0; this.#plain.live > MAX_WAITING_BYTES; count++) {
      const next = this.#oldest();
      const isDone = next === undefined || count === PACKED_PER_WRITE || isLarge(next);
      if (isDone || !this.#tryPack(next)) return this.#packer.start();
    }
  }

  /**
   * Packs an object while another one is stored. An error must not make that fail; the packer tries again and reports
   * it.
   */
  #tryPack(tenancy: Tenancy): boolean {
    try {
      this.#pack(tenancy);
    } catch {
      return false;
    }
    return true;
  }

  /**
   * Packs the object that has waited longest. Returns false if none is left, and a promise for a
   * large one.
   */
  #packNext(): boolean | Promise<void> {
    const next = this.isPacking ? this.#oldest() : undefined;
    if (next === undefined) return false;
    if (this.retention === 'compressed' && isLarge(next)) return this.#deflateLarge(next);
    this.#pack(next);
    return true;
  }

  #pack(tenancy: Tenancy): void {
    if (this.retention === 'metadata') this.#cut(tenancy);
    else this.#deflate(tenancy);
  }

  #deflate(tenancy: Tenancy): void {
    this.#learn(tenancy);
    this.#replace(tenancy, this.#compression.deflate(tenancy.slab.bytes(tenancy.tenant.slot)));
  }

  async #deflateLarge(tenancy: Tenancy): Promise<void> {
    this.#learn(tenancy);
    // A copy, because the memory of the slab is free if the object leaves the store in the meantime.
    const bytes = Buffer.from(tenancy.slab.bytes(tenancy.tenant.slot));
    const deflated = await this.#compression.deflateLarge(bytes);
    // The object may have left the store, or moved, in the meantime.
    if (this.#plain.contains(tenancy)) this.#replace(tenancy, deflated);
  }

  #learn({ slab }: Tenancy): void {
    if (!this.#compression.hasLearned) this.#compression.learn(slab.samples());
  }

  #replace({ tenant, slab }: Tenancy, deflated: Uint8Array): void {
    const encoding = this.#compression.encoding(slab.encoding.format);
    this.#count(tenant, deflated);
    this.#plain.vacate(tenant);
    this.#compressed.append(tenant, encoding, deflated);
  }

  #cut({ tenant, slab }: Tenancy): void {
    const head = headOf(slab, tenant.slot);
    this.#count(tenant, head);
    this.#arenaOf(slab).vacate(tenant);
    this.#heads.append(tenant, headOnly, head);
  }

  #count({ slab, slot }: Tenant, packed: Uint8Array): void {
    this.#packed.from += slab?.bytes(slot).length ?? 0;
    this.#packed.to += packed.length;
  }
}

function isLarge({ tenant, slab }: Tenancy): boolean {
  return slab.length(tenant.slot) > LARGE_OBJECT_BYTES;
}

/** Returns the memory in bytes of a number of objects with this content. The part on the heap is an estimate. */
export function memoryOf(objects: number, content: ObjectBytes): number {
  return objects * HEAP_PER_OBJECT + content.live + content.parsed * HEAP_PER_PARSED_BYTE;
}
