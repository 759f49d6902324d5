import { apiVersionOf, objectKey, type ObjectKey, resourceId } from '@keelson/apimachinery';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import type { KindSchema } from '../schema/kind-schema.ts';
import type { FailedObject } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { TableColumns } from '../tables/table.ts';
import type { Conversion } from '../kinds/conversion.ts';
import type { Strategy } from './strategy.ts';
import { ConvertedObjects, type VersionConverter } from './version-conversion.ts';
import { cloneJson, jsonText, parseExact } from '@keelson/structural-schema';

/** Paths of the scale subresource, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A subresource as discovery describes it; group, version and kind are those of its body. */
export interface ServedSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** The facts of one resource in one version: its names, its schema, its store and its rules. */
export interface ServedResourceOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ServedSubresource[];
  /** Group and version of the stored objects. */
  readonly storedAs: { readonly group: string; readonly version: string };
  /** True for a resource that a CustomResourceDefinition defines. */
  readonly custom: boolean;
  /** Every `apiVersion` of a custom kind, served or not. */
  readonly versions?: ReadonlySet<string>;
  readonly store: ResourceStore;
  /** Called on the first write. */
  readonly strategy: () => Strategy;
  /** Paths in this version of the selectable fields of `store`. */
  readonly selectablePaths: ReadonlyMap<string, string>;
  readonly conversion?: Conversion;
  /** Converts objects of other versions; absent if the versions differ in their names alone. */
  readonly converter?: VersionConverter | undefined;
  /** False for an object that is still stored in an earlier storage version. Default: true for every object. */
  readonly isCurrent?: (stored: Pick<StoredObject, 'metadata'>) => boolean;
  /** Returns the resource in the storage version, which may not be served. Default: this one. */
  readonly storage?: () => ServedResource;
  /** Paths of the values of a custom resource's scale subresource. */
  readonly scalePaths?: ScalePaths;
  /** Columns of the Tables; absent if the definition has no printer columns. */
  readonly columns?: TableColumns;
  /** Warning of every response of a deprecated version. */
  readonly deprecation?: string | undefined;
  /** True for a definition that is being deleted and refuses new objects. */
  readonly isTerminating?: () => boolean;
  /** The version of Kubernetes, which decides what other kinds and forms such as Scale look like. */
  readonly release: KubernetesVersion;
  /** Called on the first write, because building a schema takes time. */
  readonly schema: () => KindSchema;
}

const newline = Buffer.from('\n');

/** One version of one resource as clients see it. All versions share a store. */
export class ServedResource {
  readonly id: string;
  readonly apiVersion: string;
  readonly facts: Omit<
    ServedResourceOptions,
    | 'schema'
    | 'store'
    | 'strategy'
    | 'conversion'
    | 'converter'
    | 'isCurrent'
    | 'storage'
    | 'release'
  >;
  readonly store: ResourceStore;
  readonly release: KubernetesVersion;
  readonly #conversion: Conversion | undefined;
  readonly #converter: VersionConverter | undefined;
  readonly #foreign: ConvertedObjects | undefined;
  readonly #isCurrent: ServedResourceOptions['isCurrent'];
  readonly #storage: (() => ServedResource) | undefined;
  readonly #readSchema: () => KindSchema;
  readonly #readStrategy: () => Strategy;
  #headBytes: Buffer | undefined;
  readonly #converted = new WeakMap<StoredObject, Buffer>();
  #schema: KindSchema | undefined;
  #strategy: Strategy | undefined;

  constructor(options: ServedResourceOptions) {
    const { schema, store, strategy, conversion, converter, isCurrent, storage, release } = options;
    this.id = resourceId(options);
    this.apiVersion = apiVersionOf(options);
    // Not a copy without the other members: a server has dozens of resources when it starts.
    this.facts = options;
    this.store = store;
    this.#readStrategy = strategy;
    this.release = release;
    this.#readSchema = schema;
    this.#conversion = conversion;
    this.#converter = converter;
    const { apiVersion } = this;
    this.#foreign =
      converter && new ConvertedObjects(converter, { apiVersion, kind: options.kind });
    this.#isCurrent = isCurrent;
    this.#storage = storage;
  }

  get schema(): KindSchema {
    this.#schema ??= this.#readSchema();
    return this.#schema;
  }

  get strategy(): Strategy {
    this.#strategy ??= this.#readStrategy();
    return this.#strategy;
  }

  subresource(name: string): ServedSubresource | undefined {
    return this.facts.subresources.find((subresource) => subresource.name === name);
  }

  /** Returns the key of the object that a URL names. The key of a cluster-scoped object has no namespace. */
  key({ namespace, name }: { readonly namespace: string; readonly name: string }): ObjectKey {
    return objectKey(this.facts.namespaced ? { namespace, name } : { name });
  }

  subject(name: string): FailedObject {
    const { group, plural, kind } = this.facts;
    return { group, plural, kind, name };
  }

  /** The resource in the version in which objects are stored, whether that is served or not. */
  get storage(): ServedResource {
    return this.#storage?.() ?? this;
  }

  /** Converts a stored object for `read`, `bytes` and `itemBytes`; `undefined` if they need nothing. Rejects with 500. */
  prepare(stored: StoredObject): Promise<void> | undefined {
    return this.#foreign?.prepare(stored);
  }

  /** Converts many stored objects, see `prepare`. */
  async prepareAll(objects: Iterable<StoredObject>): Promise<void> {
    if (this.#foreign === undefined) return;
    for (const stored of objects) await this.#foreign.prepare(stored);
  }

  /** False for an object that is still stored in an earlier storage version. */
  isCurrent(stored: StoredObject): boolean {
    return this.#isCurrent?.(stored) ?? true;
  }

  /** Returns a new copy of an object in this version, with `apiVersion` and `kind`. */
  read(stored: StoredObject): ApiObject {
    if (this.#foreign?.isForeign(stored) !== true) return this.#present(stored.parse());
    const body = parseExact(this.#foreign.bytes(stored).toString()) as ApiObject;
    return { kind: this.facts.kind, apiVersion: this.apiVersion, ...body };
  }

  /**
   * Converts an object of this version to the stored form. Takes ownership of the object. Returns a promise if a webhook
   * converts it, which rejects with 500.
   */
  toStored(object: ApiObject): ApiObject | Promise<ApiObject> {
    const converter = this.#converter;
    if (converter === undefined || converter.storage === this.apiVersion) {
      return this.#conversion?.toStored(object) ?? object;
    }
    return converter.convert(object, converter.storage);
  }

  /** Uses an object of this version as the form of a draft, which is not converted back. */
  remember(draft: StoredObject, object: ApiObject): void {
    this.#foreign?.remember(draft, object);
  }

  /** The versions that a webhook converts; undefined without one. */
  get converter(): VersionConverter | undefined {
    return this.#converter;
  }

  /** Returns an object of this version in another served version of the same kind. */
  async convert(object: ApiObject, target: ServedResource): Promise<ApiObject> {
    if (this.#converter !== undefined) {
      return this.#converter.convert(cloneJson(object), target.apiVersion);
    }
    const { apiVersion: _apiVersion, kind: _kind, ...body } = cloneJson(object);
    return target.#present(await this.toStored(body));
  }

  #present(stored: ApiObject): ApiObject {
    const served = this.#conversion?.fromStored(stored) ?? stored;
    return { kind: this.facts.kind, apiVersion: this.apiVersion, ...served };
  }

  /** Returns the JSON of an object in this version. */
  bytes(stored: StoredObject): Buffer {
    return Buffer.concat([this.#head, this.#bodyBytes(stored).subarray(1)]);
  }

  /** Returns the JSON of an object in this version with a newline, as responses end. */
  line(stored: StoredObject): Buffer {
    return Buffer.concat([this.#head, this.#bodyBytes(stored).subarray(1), newline]);
  }

  /** Returns the JSON of a list item; items of built-in kinds have no `kind` and `apiVersion`. */
  itemBytes(stored: StoredObject): Buffer {
    return this.facts.custom ? this.bytes(stored) : this.#bodyBytes(stored);
  }

  #bodyBytes(stored: StoredObject): Buffer {
    if (this.#foreign?.isForeign(stored) === true) return this.#foreign.bytes(stored);
    if (this.#conversion === undefined) return stored.bytes;
    let bytes = this.#converted.get(stored);
    if (bytes === undefined) {
      bytes = Buffer.from(jsonText(this.#conversion.fromStored(stored.parse())));
      this.#converted.set(stored, bytes);
    }
    return bytes;
  }

  /** The JSON of a typed object starts with its kind; an untyped one has its members in alphabetical order. */
  get #head(): Buffer {
    if (this.#headBytes !== undefined) return this.#headBytes;
    const kind = `"kind":${JSON.stringify(this.facts.kind)}`;
    const apiVersion = `"apiVersion":${JSON.stringify(this.apiVersion)}`;
    const text = this.facts.custom ? `{${apiVersion},${kind},` : `{${kind},${apiVersion},`;
    this.#headBytes = Buffer.from(text);
    return this.#headBytes;
  }
}
