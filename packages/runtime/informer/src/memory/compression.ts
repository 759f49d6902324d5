import type { Format } from '@keelson/wire';
import { nodeUtil } from '../contract/node-util.ts';
import type { Encoding } from './encoding.ts';

/** The length of a dictionary in bytes. A longer one takes more time for each object, and did not make pods smaller. */
const DICTIONARY_BYTES = 8 * 1024;

/**
 * The level of deflate. For objects that resemble the dictionary, level 3 is as fast as level 1 and its results are a
 * tenth smaller.
 */
const LEVEL = 3;

/**
 * The window of deflate is 2 to this power, 16 KiB: room for the dictionary and as much of the object. A larger one
 * takes longer to set up.
 */
const WINDOW_BITS = 14;
const MEMORY_LEVEL = 6;

/** The size of the first buffer for an inflated object, in bytes. */
const INFLATED_CHUNK_BYTES = 8 * 1024;

/**
 * Deflates the objects of one kind, each by itself, so that each can be read and freed by itself. The dictionary
 * consists of the first objects, so the content that all objects of a kind share takes almost no bytes.
 */
export class Compression {
  #dictionary: Buffer | undefined;
  #encoding: Encoding | undefined;

  /** True once the dictionary exists. It never changes again. */
  get hasLearned(): boolean {
    return this.#dictionary !== undefined;
  }

  /** Creates the dictionary from sample objects. */
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
    return process.getBuiltinModule('node:zlib').deflateRawSync(bytes, this.#deflateOptions());
  }

  /** Deflates a large object in another thread. The caller must not change `bytes` until the promise settles. */
  deflateLarge(bytes: Uint8Array): Promise<Buffer> {
    const { deflateRaw } = process.getBuiltinModule('node:zlib');
    return nodeUtil.promisify(deflateRaw)(bytes, this.#deflateOptions());
  }

  inflate(bytes: Uint8Array): Buffer {
    const dictionary = this.#dictionary ?? NOTHING;
    return process
      .getBuiltinModule('node:zlib')
      .inflateRawSync(bytes, { dictionary, chunkSize: INFLATED_CHUNK_BYTES });
  }

  #deflateOptions(): object {
    const dictionary = this.#dictionary ?? NOTHING;
    return { dictionary, level: LEVEL, windowBits: WINDOW_BITS, memLevel: MEMORY_LEVEL };
  }
}

const NOTHING = Buffer.alloc(0);
