import { jsonText } from '@keelson/structural-schema';
import { ApiServerError } from '../status-errors/api-server-error.ts';
import type { SchemaType } from '../schema/schema-type.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** Converts objects of one served version through a webhook. */
export interface VersionConverter {
  /** The `apiVersion` in which an object is stored. */
  storedAs(stored: Pick<StoredObject, 'metadata'>): string;
  /** Completes a stored object in its version, before it is converted. It has `apiVersion` and `kind`. */
  complete(object: ApiObject): ApiObject;
  /** Returns an object in another version. Throws a `StatusError`. */
  convert(object: ApiObject, apiVersion: string): Promise<ApiObject>;
  /** The type of objects in a version; undefined for one that the kind does not have. */
  typeIn(apiVersion: string): SchemaType | undefined;
  /** The `apiVersion` of new stored objects. */
  readonly storage: string;
}

/** The converted forms of stored objects in one version. Each object is converted once. */
export class ConvertedObjects {
  readonly #converter: VersionConverter;
  readonly #apiVersion: string;
  readonly #kind: string;
  readonly #known = new WeakMap<StoredObject, Buffer>();
  readonly #pending = new WeakMap<StoredObject, Promise<void>>();

  constructor(
    converter: VersionConverter,
    { apiVersion, kind }: { apiVersion: string; kind: string },
  ) {
    this.#converter = converter;
    this.#apiVersion = apiVersion;
    this.#kind = kind;
  }

  /** True for an object that is stored in another version. */
  isForeign(stored: StoredObject): boolean {
    return this.#converter.storedAs(stored) !== this.#apiVersion;
  }

  /** Converts an object, unless that is done or not necessary. */
  prepare(stored: StoredObject): Promise<void> | undefined {
    if (this.#known.has(stored) || !this.isForeign(stored)) return undefined;
    const running = this.#pending.get(stored);
    if (running !== undefined) return running;
    const pending = this.#convert(stored).finally(() => this.#pending.delete(stored));
    this.#pending.set(stored, pending);
    return pending;
  }

  /** Uses an object of this version as the converted form of a stored object. */
  remember(stored: StoredObject, object: ApiObject): void {
    const { apiVersion: _apiVersion, kind: _kind, ...body } = object;
    this.#known.set(stored, Buffer.from(jsonText(body)));
  }

  /** The JSON of a converted object without `apiVersion` and `kind`. Throws `WEBHOOK_NEEDED` if it has not been converted. */
  bytes(stored: StoredObject): Buffer {
    const bytes = this.#known.get(stored);
    if (bytes === undefined) throw new ApiServerError('WEBHOOK_NEEDED', { key: stored.key });
    return bytes;
  }

  async #convert(stored: StoredObject): Promise<void> {
    const head = { apiVersion: this.#converter.storedAs(stored), kind: this.#kind };
    const object = this.#converter.complete({ ...head, ...stored.parse() });
    this.remember(stored, await this.#converter.convert(object, this.#apiVersion));
  }
}
