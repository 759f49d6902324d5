import { apiVersionOf, objectKey, type ObjectKey, resourceId } from '@keelson/apimachinery';
import type { KindSchema } from '../schema/kind-schema.ts';
import type { Subject } from '../failures/status-answers.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { TableColumns } from '../tables/table.ts';
import type { Conversion } from '../kinds/conversion.ts';
import type { Strategy } from './strategy.ts';
import { jsonText } from '../json/exact-json.ts';

/** Paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** A subresource as discovery tells it; group, version and kind are those of its body. */
export interface ServedSubresource {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** What makes a served resource. */
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
  /** The group and version in which objects are stored. */
  readonly storedAs: { readonly group: string; readonly version: string };
  /** Defined by a CustomResourceDefinition. */
  readonly custom: boolean;
  readonly store: ResourceStore;
  readonly strategy: Strategy;
  /** The paths of `store`'s selectable fields as this version names them. */
  readonly selectablePaths: ReadonlyMap<string, string>;
  readonly conversion?: Conversion;
  /** Where a custom resource's scale subresource finds its values. */
  readonly scalePaths?: ScalePaths;
  /** The columns of its Tables, where the definition names some. */
  readonly columns?: TableColumns;
  /** What every response of a deprecated version warns of. */
  readonly deprecation?: string | undefined;
  /** A definition that is being deleted takes no new objects. */
  readonly isTerminating?: () => boolean;
  /** Asked at the first write, because a schema costs time to read. */
  readonly schema: () => KindSchema;
}

/** One version of one resource as clients see it, over a store that its other versions share. */
export class ServedResource {
  readonly id: string;
  readonly apiVersion: string;
  readonly facts: Omit<ServedResourceOptions, 'schema' | 'store' | 'strategy' | 'conversion'>;
  readonly store: ResourceStore;
  readonly strategy: Strategy;
  readonly #conversion: Conversion | undefined;
  readonly #readSchema: () => KindSchema;
  readonly #head: Buffer;
  readonly #converted = new WeakMap<StoredObject, Buffer>();
  #schema: KindSchema | undefined;

  constructor(options: ServedResourceOptions) {
    const { schema, store, strategy, conversion, ...facts } = options;
    this.id = resourceId(facts);
    this.apiVersion = apiVersionOf(facts);
    this.facts = facts;
    this.store = store;
    this.strategy = strategy;
    this.#readSchema = schema;
    this.#conversion = conversion;
    this.#head = Buffer.from(this.#headText());
  }

  get schema(): KindSchema {
    this.#schema ??= this.#readSchema();
    return this.#schema;
  }

  subresource(name: string): ServedSubresource | undefined {
    return this.facts.subresources.find((subresource) => subresource.name === name);
  }

  /** The key of the object that a URL names; what is cluster-scoped is in no namespace. */
  key({ namespace, name }: { readonly namespace: string; readonly name: string }): ObjectKey {
    return objectKey(this.facts.namespaced ? { namespace, name } : { name });
  }

  subject(name: string): Subject {
    const { group, plural, kind } = this.facts;
    return { group, plural, kind, name };
  }

  /** A fresh copy of an object in this version, complete with `apiVersion` and `kind`. */
  read(stored: StoredObject): ApiObject {
    const { kind } = this.facts;
    const object = stored.parse();
    const served = this.#conversion?.fromStored(object) ?? object;
    return { kind, apiVersion: this.apiVersion, ...served };
  }

  /** The form in which an object of this version is stored. Takes the object over. */
  toStored(object: ApiObject): ApiObject {
    return this.#conversion?.toStored(object) ?? object;
  }

  /** The JSON of an object in this version. */
  bytes(stored: StoredObject): Buffer {
    return Buffer.concat([this.#head, this.#bodyBytes(stored).subarray(1)]);
  }

  /** The JSON of an object inside a list: built-in kinds leave `kind` and `apiVersion` out there. */
  itemBytes(stored: StoredObject): Buffer {
    return this.facts.custom ? this.bytes(stored) : this.#bodyBytes(stored);
  }

  #bodyBytes(stored: StoredObject): Buffer {
    if (this.#conversion === undefined) return stored.bytes;
    let bytes = this.#converted.get(stored);
    if (bytes === undefined) {
      bytes = Buffer.from(jsonText(this.#conversion.fromStored(stored.parse())));
      this.#converted.set(stored, bytes);
    }
    return bytes;
  }

  /** Typed objects begin with their kind, untyped ones are written in alphabetical order. */
  #headText(): string {
    const kind = `"kind":${JSON.stringify(this.facts.kind)}`;
    const apiVersion = `"apiVersion":${JSON.stringify(this.apiVersion)}`;
    return this.facts.custom ? `{${apiVersion},${kind},` : `{${kind},${apiVersion},`;
  }
}
