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
  PatternMatcher,
  type RuleTree,
  validateMetadata,
  validateMetadataChange,
  validateValue,
} from '@keelson/structural-schema';
import type { GroupVersionKind } from '../kinds/builtin-kind-schema.ts';
import { objectMetaType } from '../schema/builtin-types.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { decode } from '../schema/decode.ts';
import type { KindSchema, WrittenPart } from '../schema/kind-schema.ts';
import { prune } from '../schema/prune.ts';
import type { StructType } from '../schema/schema-type.ts';
import { customResourceType } from '../schema/structural/structural-schema.ts';
import { type ReplicaPaths, validateScale } from './validate-scale.ts';
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
  readonly #patterns = new PatternMatcher();
  /** Compiled on the first validation of an object, since every write is validated. */
  readonly #rules: () => RuleTree | undefined;

  constructor(definition: CustomResourceSchema) {
    this.#definition = definition;
    this.type = customResourceType(definition.schema);
    this.#rules = lazy(() => definition.schema && compileRules(celLibrary(), definition.schema));
  }

  prune(object: KubernetesObject): string[] {
    return prune(this.type, object);
  }

  /** Decodes only metadata, which has Go types. The schema checks all other fields at validation. */
  decode(object: KubernetesObject): void {
    try {
      decodeNumbers(object);
      const metadata: unknown = object.metadata ?? {};
      if (!isJsonObject(metadata)) throw new DecodeError('metadata is not an object');
      decode(objectMetaType(), metadata);
      object.metadata = metadata;
    } catch (error) {
      if (error instanceof DecodeError || error instanceof NumberRangeError)
        throw this.#undecodable(error);
      throw error;
    }
  }

  setDefaults(object: KubernetesObject, isApplied = false): void {
    const { schema } = this.#definition;
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

  /** The causes that the write adds. Duplicate list items come last, as in kube-apiserver. */
  #newCauses(
    object: KubernetesObject,
    old: KubernetesObject | undefined,
    part: WrittenPart,
  ): StatusCause[] {
    const metadata =
      old === undefined ? validateMetadata(object) : validateMetadataChange(object, old);
    const content = this.#validateSchema(object, old);
    const { scale } = this.#definition;
    return [
      ...metadata,
      ...(part === 'status' ? ofStatus(content) : content).filter((cause) => !isDuplicate(cause)),
      ...(scale === undefined ? [] : validateScale(object as JsonObject, scale)),
      ...(this.#hadDuplicates(content, old) ? [] : content.filter(isDuplicate)),
    ];
  }

  /** True if the old object already has duplicate list items; then duplicates are allowed in every list. */
  #hadDuplicates(content: readonly StatusCause[], old: KubernetesObject | undefined): boolean {
    if (old === undefined || !content.some(isDuplicate)) return false;
    return this.#validateSchema(old).some(isDuplicate);
  }

  #validateSchema(object: KubernetesObject, old?: KubernetesObject): StatusCause[] {
    const { schema } = this.#definition;
    if (schema === undefined) return [];
    // The server always uses its own schema of metadata.
    const { metadata: _, ...properties } = schema.properties ?? {};
    const whole = { ...schema, properties };
    return validateValue(whole, object as JsonObject, '', this.#patterns, old as JsonObject);
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

/** Limits the causes of a status write to the status, with fields relative to it. */
function ofStatus(causes: readonly StatusCause[]): StatusCause[] {
  return causes
    .filter(({ field = '' }) => /^status\b/.test(field))
    .map((cause) => {
      const { field = '', message = '' } = cause;
      const inner = field.replace(/^status\./, '');
      return { ...cause, message: message.replace(`${field} in body`, `${inner} in body`) };
    });
}

function isDuplicate({ reason }: StatusCause): boolean {
  return reason === 'FieldValueDuplicate';
}
