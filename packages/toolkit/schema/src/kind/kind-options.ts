import type { Scope } from '@keelson/apimachinery';
import type { StructuralSchema, ValidationRule } from '../literal/structural-schema.ts';
import type { KeywordsByPath } from '../standard/keywords-by-path.ts';
import type { SchemaInput } from '../standard/schema-input.ts';

/** A column of `kubectl get`, in the words of a CRD. */
export interface PrintColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  /** The path of the value, such as `.spec.size`. */
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  /** 0 for every view; a higher number only for `-o wide`. Default: 0. */
  readonly priority?: number;
}

/** The fields behind the scale subresource, for `kubectl scale` and autoscalers. */
export interface ScalePaths {
  /** A path below `.spec`, such as `.spec.replicas`. */
  readonly specReplicasPath: string;
  /** A path below `.status`, such as `.status.replicas`. */
  readonly statusReplicasPath: string;
  /** A path of a string with the selector of the pods. */
  readonly labelSelectorPath?: string;
}

/** The names of a kind, which all its versions share. */
export interface KindNames<KindScope extends Scope = Scope> {
  /** The API group, a domain such as `shop.example`. */
  readonly group: string;
  /** The kind in CamelCase, such as `Widget`. */
  readonly kind: string;
  /** The plural in the URL, such as `widgets`. */
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: `Namespaced`. */
  readonly scope?: KindScope;
  /** Short names for kubectl, such as `wd`. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds for kubectl, such as `all`. */
  readonly categories?: readonly string[];
}

/** What each version of a kind has of its own. */
export interface VersionOptions<
  Spec extends SchemaInput = StructuralSchema,
  Status extends SchemaInput = StructuralSchema,
> {
  /** Whether the server serves the version. Default: true. */
  readonly served?: boolean;
  /** Makes the server send a warning with every response: this text, or for true one that names the newest version. */
  readonly deprecated?: boolean | string;
  /**
   * The schema of `spec`, which every object must have: a structural literal, or a schema of zod 4.2, ArkType 2.1.28 or
   * TypeBox 1, or of valibot by `toStandardJsonSchema`.
   */
  readonly spec: Spec;
  /** The schema of `status`. With it the kind has the status subresource. */
  readonly status?: Status;
  /**
   * Adds keywords to parts of `spec` and `status` that a library's schema cannot write, such as
   * `{ 'spec.properties.ports': { 'x-kubernetes-list-type': 'set' } }`. The paths are those of the errors.
   */
  readonly keywords?: KeywordsByPath;
  /** Default: the name and the age of the object, from the server. */
  readonly printColumns?: readonly PrintColumn[];
  readonly scale?: ScalePaths;
  /**
   * Up to eight paths of strings, booleans or integers, such as `.spec.colour`, by which `kubectl get --field-selector` and
   * watches can select objects.
   */
  readonly selectableFields?: readonly string[];
  /** CEL rules for the whole object; `self` has `spec`, `status` and some metadata. */
  readonly validations?: readonly ValidationRule[];
}

/** Describes a custom resource with one version for `defineKind`. */
export interface KindOptions<
  Spec extends SchemaInput = StructuralSchema,
  Status extends SchemaInput = StructuralSchema,
  KindScope extends Scope = Scope,
>
  extends KindNames<KindScope>, VersionOptions<Spec, Status> {
  /** The version, such as `v1`. `versions` instead defines a kind with several versions. */
  readonly version: string;
}
