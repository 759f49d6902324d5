import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import { promisify } from 'node:util';
import type { Format } from '@keelson/wire';
import type { Encoding } from './encoding.ts';

/**
 * The length of a dictionary in bytes. A longer one costs time for each object, and made pods no
 * smaller.
 */
const DICTIONARY_BYTES = 8 * 1024;

/** Level 3 is as fast as level 1 for objects that resemble the dictionary, and a tenth smaller. */
const LEVEL = 3;

/** A window of 16 KiB: the dictionary and as much of the object. A larger one costs more to set up. */
const WINDOW_BITS = 14;
const MEMORY_LEVEL = 6;

/** The size of the first buffer for an inflated object, in bytes. */
const INFLATED_CHUNK_BYTES = 8 * 1024;

const deflateInThread = promisify(deflateRaw);

/**
 * Deflates the objects of one kind, each by itself, so that each can be read and freed by itself.
 * The dictionary consists of the first objects: what all objects of a kind share costs almost no
 * bytes.
 */
export class Compression {
  #dictionary: Buffer | undefined;
  #encoding: Encoding | undefined;

  /** True if the dictionary is known, which never changes again. */
  get hasLearned(): boolean {
    return this.#dictionary !== undefined;
  }

  /** Makes the dictionary from objects. */
  learn(samples: Iterable<Uint8Array>): void {
    const parts: Uint8Array[] = [];
    let room = DICTIONARY_BYTES;
    for (const sample of samples) {
      if (room <= 0) break;
      parts.push(sample.subarray(0, room));
      room -= sample.length;
    }
    this.#dictionary = Buffer.concat(parts);
  }

  /** The encoding of the slabs with the deflated objects of a format. */
  encoding(format: Format): Encoding {
    if (this.#encoding?.format !== format) {
      this.#encoding = { format, compression: this, isHeadOnly: false };
    }
    return this.#encoding;
  }

  deflate(bytes: Uint8Array): Buffer {
    return deflateRawSync(bytes, this.#deflateOptions());
  }

  /** Deflates in another thread. `bytes` must not change meanwhile. */
  deflateLarge(bytes: Uint8Array): Promise<Buffer> {
    return deflateInThread(bytes, this.#deflateOptions());
  }

  inflate(bytes: Uint8Array): Buffer {
    const dictionary = this.#dictionary ?? NOTHING;
    return inflateRawSync(bytes, { dictionary, chunkSize: INFLATED_CHUNK_BYTES });
  }

  #deflateOptions(): object {
    const dictionary = this.#dictionary ?? NOTHING;
    return { dictionary, level: LEVEL, windowBits: WINDOW_BITS, memLevel: MEMORY_LEVEL };
  }
}

const NOTHING = Buffer.alloc(0);
