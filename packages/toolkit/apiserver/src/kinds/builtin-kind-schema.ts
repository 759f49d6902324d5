import { type KubernetesObject, type StatusCause, StatusError } from '@keelson/apimachinery';
import type { JsonObject } from '@keelson/structural-schema';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import { builtinType, type GroupVersionKind } from '../schema/builtin-types.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { decode } from '../schema/decode.ts';
import type {
  CreateContext,
  KindSchema,
  UpdateContext,
  WrittenPart,
} from '../schema/kind-schema.ts';
import { decodeNestedSchemas, pruneNestedSchemas } from './definitions/nested-schemas.ts';
import { dropGatedFields } from './gated-fields.ts';
import { prepareForCreate } from './prepare-for-create.ts';
import { prepareForUpdate } from './prepare-for-update.ts';
import { prune } from '../schema/prune.ts';
import { setDefaults } from './set-defaults.ts';
import { validateBuiltin } from './validate-builtin.ts';
import type { StructType } from '../schema/schema-type.ts';
import { builtinWarnings } from './warnings.ts';
import { NumberRangeError } from '../json/decode-numbers.ts';

/** The schema of a built-in kind in a version of Kubernetes; undefined for an unknown kind. */
export function builtinKindSchema(
  gvk: GroupVersionKind,
  release: KubernetesVersion,
): KindSchema | undefined {
  const type = builtinType(gvk, release);
  return type === undefined ? undefined : new BuiltinKindSchema(gvk, type, release);
}

class BuiltinKindSchema implements KindSchema {
  readonly type: StructType;
  readonly #gvk: GroupVersionKind;
  readonly #release: KubernetesVersion;

  constructor(gvk: GroupVersionKind, type: StructType, release: KubernetesVersion) {
    this.#gvk = gvk;
    this.#release = release;
    this.type = type;
  }

  prune(object: KubernetesObject): string[] {
    const removed = prune(this.type, object);
    if (!this.#isDefinition) return removed;
    return [...removed, ...pruneNestedSchemas(object as JsonObject)];
  }

  decode(object: KubernetesObject): void {
    try {
      decode(this.type, object as JsonObject);
      if (this.#isDefinition) decodeNestedSchemas(object as JsonObject);
    } catch (error) {
      if (!(error instanceof DecodeError || error instanceof NumberRangeError)) throw error;
      const { kind, version } = this.#gvk;
      throw new StatusError(
        {
          status: 'Failure',
          message: `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`,
          reason: 'BadRequest',
          code: 400,
        },
        {},
        { cause: error },
      );
    }
  }

  get #isDefinition(): boolean {
    return this.type.name === 'apiextensions.v1.CustomResourceDefinition';
  }

  setDefaults(object: KubernetesObject): void {
    setDefaults(this.type, object as JsonObject);
  }

  prepareForCreate(object: KubernetesObject, context: CreateContext): void {
    dropGatedFields(this.type, object as JsonObject, { release: this.#release });
    prepareForCreate(this.type, object as JsonObject, context);
  }

  prepareForUpdate(object: KubernetesObject, old: KubernetesObject, context: UpdateContext): void {
    const given = old as JsonObject;
    dropGatedFields(this.type, object as JsonObject, { release: this.#release, old: given });
    prepareForUpdate(this.type, object as JsonObject, { old: given, ...context });
  }

  warningsOf(object: KubernetesObject, old?: KubernetesObject): string[] {
    return builtinWarnings(this.type, object as JsonObject, old as JsonObject | undefined);
  }

  validate(
    object: KubernetesObject,
    old?: KubernetesObject,
    _warnings?: string[],
    part?: WrittenPart,
  ): StatusCause[] {
    return validateBuiltin(this.type, object, old, part);
  }
}
