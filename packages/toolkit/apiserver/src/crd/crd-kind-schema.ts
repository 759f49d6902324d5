import { type KubernetesObject, type StatusCause, StatusError } from '@keelson/apimachinery';
import {
  celLibrary,
  checkedRules,
  compileRules,
  defaultValues,
  dropNulls,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  lazy,
  newListCauses,
  ownValue,
  PatternMatcher,
  type ReplicaPaths,
  type RuleTree,
  unknownMembers,
  validateContent,
  validateEmbedded,
  validateMetadata,
  validateMetadataChange,
  validateScale,
  validateScaleStatus,
} from '@keelson/structural-schema';
import type { GroupVersionKind } from '../schema/builtin-types.ts';
import { objectMetaType } from '../schema/builtin-types.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { decode } from '../schema/decode.ts';
import type { KindSchema, WrittenPart } from '../schema/kind-schema.ts';
import { prune } from '../schema/prune.ts';
import type { StructType } from '../schema/schema-type.ts';
import { coerceEmbedded, pruneEmbedded } from '../schema/structural/coerce-embedded.ts';
import { prunedDefaults } from '../schema/structural/pruned-defaults.ts';
import { customResourceType } from '../schema/structural/structural-schema.ts';
import { decodeNumbers, NumberRangeError } from '../json/decode-numbers.ts';

/** The schema and subresources of one version of a CustomResourceDefinition. */
export interface CustomResourceSchema extends GroupVersionKind {
  /** `spec.versions[].schema.openAPIV3Schema`; undefined accepts every object. */
  readonly schema: JsonSchema | undefined;
  /** True if the version has a status subresource. */
  readonly hasStatus: boolean;
  /** The paths of the replicas for the scale subresource, if the version has one. */
  readonly scale?: ReplicaPaths | undefined;
}

/** Creates the schema of a custom resource. */
export function crdKindSchema(definition: CustomResourceSchema): KindSchema {
  return new CustomKindSchema(definition);
}

class CustomKindSchema implements KindSchema {
  readonly type: StructType;
  readonly #definition: CustomResourceSchema;
  /** The schema with the type and the metadata of every object, which are not pruned. */
  readonly #rootSchema: JsonSchema;
  readonly #contentSchema: JsonSchema;
  /** The schema with the defaults that objects take. */
  readonly #defaults: () => JsonSchema | undefined;
  readonly #patterns = new PatternMatcher();
  /** Compiled on the first validation of an object, since every write is validated. */
  readonly #rules: () => RuleTree | undefined;

  constructor(definition: CustomResourceSchema) {
    this.#definition = definition;
    this.type = customResourceType(definition.schema);
    this.#contentSchema = definition.schema ?? { 'x-kubernetes-preserve-unknown-fields': true };
    this.#rootSchema = { ...this.#contentSchema, 'x-kubernetes-embedded-resource': true };
    this.#defaults = lazy(() => definition.schema && prunedDefaults(definition.schema));
    this.#rules = lazy(() => definition.schema && compileRules(celLibrary(), definition.schema));
  }

  prune(object: KubernetesObject): string[] {
    const unknown = unknownMembers(this.#rootSchema, object as JsonObject, '');
    for (const { object: parent, name } of unknown) delete parent[name];
    const paths = unknown.map(({ path }) => path).toSorted();
    const embedded = pruneEmbedded(this.#contentSchema, object as JsonObject, '');
    return [...prune(metadataType(), object), ...paths, ...embedded];
  }

  /** Decodes only metadata, which has Go types. The schema checks all other fields at validation. */
  decode(object: KubernetesObject): void {
    try {
      decodeNumbers(object);
      const metadata: unknown = object.metadata ?? {};
      if (!isJsonObject(metadata)) throw new DecodeError('metadata is not an object');
      decode(objectMetaType(), metadata);
      object.metadata = metadata;
      coerceEmbedded(this.#contentSchema, object as JsonObject, '');
    } catch (error) {
      if (error instanceof DecodeError || error instanceof NumberRangeError)
        throw this.#undecodable(error);
      throw error;
    }
  }

  setDefaults(object: KubernetesObject, isApplied = false): void {
    const schema = this.#defaults();
    if (schema === undefined) return;
    if (!isApplied) dropNulls(schema, object as JsonObject);
    defaultValues(schema, object as JsonObject);
  }

  prepareForCreate(object: KubernetesObject): void {
    if (this.#definition.hasStatus) delete (object as JsonObject).status;
  }

  validate(
    object: KubernetesObject,
    old?: KubernetesObject,
    warnings: string[] = [],
    part: WrittenPart = 'object',
  ): StatusCause[] {
    const { causes, ratcheted } = checkedRules(this.#rules(), this.#newCauses(object, old, part), {
      value: object as JsonObject,
      old: old as JsonObject | undefined,
      unchanged: () => false,
    });
    warnings.push(...ratcheted.map(({ field, message }) => `${field}: ${message}`));
    return [...causes];
  }

  /** The causes that the write adds, in the order of kube-apiserver. */
  #newCauses(
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    part: WrittenPart,
  ): StatusCause[] {
    const metadata =
      old === undefined ? validateMetadata(object) : validateMetadataChange(object, old);
    const [value, before] = [object as JsonObject, old as JsonObject | undefined];
    return [
      ...metadata,
      ...(part === 'status'
        ? this.#statusCauses(value, before)
        : this.#contentCauses(value, before)),
      ...newListCauses(this.#contentSchema, value, '', before),
    ];
  }

  #contentCauses(object: JsonObject, old: JsonObject | undefined): StatusCause[] {
    const { scale } = this.#definition;
    return [
      ...validateContent(this.#contentSchema, object, '', { patterns: this.#patterns, old }),
      ...(scale === undefined ? [] : validateScale(object, scale)),
      ...validateEmbedded(this.#contentSchema, object, ''),
    ];
  }

  /** A write of the status validates only the status, with paths that begin there, and no embedded objects. */
  #statusCauses(object: JsonObject, old: JsonObject | undefined): StatusCause[] {
    const { scale } = this.#definition;
    const scaleCauses = scale === undefined ? [] : validateScaleStatus(object, scale);
    const schema = this.#contentSchema.properties?.['status'];
    const status = ownValue(object, 'status');
    if (schema === undefined || status === undefined) return scaleCauses;
    // A missing status equals null here, as in kube-apiserver.
    const before = old === undefined ? undefined : (ownValue(old, 'status') ?? null);
    const causes = validateContent(schema, status, '', { patterns: this.#patterns, old: before });
    return [
      ...causes.map((cause) => ({ ...cause, field: fieldOfStatus(cause.field) })),
      ...scaleCauses,
    ];
  }

  #undecodable(error: DecodeError | NumberRangeError): StatusError {
    const { kind, version } = this.#definition;
    const message = `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`;
    return new StatusError(
      { status: 'Failure', message, reason: 'BadRequest', code: 400 },
      {},
      { cause: error },
    );
  }
}

function fieldOfStatus(field = ''): string {
  if (field === '' || field === '<nil>') return 'status';
  return `status.${field}`;
}

/** The type of an object of which only the metadata has a Go type. */
const metadataType = lazy((): StructType => customResourceType(undefined));
