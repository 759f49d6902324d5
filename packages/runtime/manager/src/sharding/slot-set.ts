import { SLOTS } from './slots.ts';

const BYTES = SLOTS / 8;

/** A set of slots, with a text form of 172 characters. */
export class SlotSet {
  readonly #bits = new Uint8Array(BYTES);
  /** The same bits. With 100 replicas, each event of a Lease combines 100 sets. */
  readonly #words = new Uint32Array(this.#bits.buffer);

  constructor(slots: Iterable<number> = []) {
    for (const slot of slots) this.add(slot);
  }

  static all(): SlotSet {
    const set = new SlotSet();
    set.#bits.fill(0xff);
    return set;
  }

  /** Reads the text form; `undefined` if it is invalid. */
  static parse(text: string): SlotSet | undefined {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.length !== BYTES) return undefined;
    const set = new SlotSet();
    set.#bits.set(bytes);
    return set;
  }

  get isEmpty(): boolean {
    return this.#words.every((word) => word === 0);
  }

  get size(): number {
    let size = 0;
    for (let slot = 0; slot < SLOTS; slot += 1) if (this.has(slot)) size += 1;
    return size;
  }

  has(slot: number): boolean {
    return ((this.#bits[slot >> 3] ?? 0) & (1 << (slot & 7))) !== 0;
  }

  /** True if each slot of the other set is in this one. */
  hasAll(other: SlotSet): boolean {
    return other.#bits.every((byte, at) => (byte & ~(this.#bits[at] ?? 0)) === 0);
  }

  /** The slots of this set that the other one has too. */
  and(other: SlotSet): SlotSet {
    return this.#combined(other, (own, others) => own & others);
  }

  /** The slots of this set that the other one lacks. */
  without(other: SlotSet): SlotSet {
    return this.#combined(other, (own, others) => own & ~others);
  }

  add(slot: number): void {
    this.#bits[slot >> 3] = (this.#bits[slot >> 3] ?? 0) | (1 << (slot & 7));
  }

  addAll(other: SlotSet): void {
    const words = this.#words;
    const others = other.#words;
    for (let at = 0; at < words.length; at += 1) words[at] = (words[at] ?? 0) | (others[at] ?? 0);
  }

  #combined(other: SlotSet, combine: (own: number, others: number) => number): SlotSet {
    const set = new SlotSet();
    const [words, others] = [this.#words, other.#words];
    for (let at = 0; at < words.length; at += 1)
      set.#words[at] = combine(words[at] ?? 0, others[at] ?? 0);
    return set;
  }

  toString(): string {
    return Buffer.from(this.#bits).toString('base64');
  }
}
