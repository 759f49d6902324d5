import type { Scope } from '@keelson/apimachinery';
import type { KindNames, VersionOptions } from '../kind/kind-options.ts';
import type { CustomInput, CustomObject } from '../kind/single-kind.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import type { SchemaInput } from '../standard/schema-input.ts';
import type { ConversionWebhook } from './conversion-webhook.ts';

/** The versions of a kind by their names, such as `v1`. */
export type VersionMap = Readonly<Record<string, VersionOptions<SchemaInput, SchemaInput>>>;

/** The type of the objects of one version of a kind, as the server returns them. */
export type VersionObject<Version, KindScope extends Scope> = CustomObject<
  SpecOf<Version>,
  StatusOf<Version>,
  KindScope
>;

/** As `VersionObject`, as the server accepts them: members with a default are optional. */
export type VersionInput<Version, KindScope extends Scope> = CustomInput<
  SpecOf<Version>,
  StatusOf<Version>,
  KindScope
>;

type SpecOf<Version> = Version extends { readonly spec: infer Spec } ? Spec : StructuralSchema;

type StatusOf<Version> = Version extends { readonly status: infer Status extends SchemaInput }
  ? Status
  : StructuralSchema;

/** Describes a custom resource with several versions for `defineKind`. */
export interface VersionedKindOptions<
  Versions extends VersionMap,
  Hub extends keyof Versions & string,
  KindScope extends Scope,
> extends KindNames<KindScope> {
  /** The versions by their names, such as `{ v1: { spec }, v1beta1: { spec, deprecated: true } }`. */
  readonly versions: Versions & KnownOptions<Versions>;
  /** The version in which the server stores objects. Default: the hub. */
  readonly storage?: keyof NoInfer<Versions> & string;
  /** How objects of one version become objects of another one. */
  readonly convert:
    | ConversionFunctions<NoInfer<Versions>, Hub, NoInfer<KindScope>>
    | EqualSchemas<Hub>;
}

/** Makes an unknown option of a version an error of the compiler. */
type KnownOptions<Versions> = {
  readonly [Name in keyof Versions]: {
    readonly [Option in Exclude<keyof Versions[Name], keyof VersionOptions>]: never;
  };
};

/**
 * The functions that convert objects between the hub and each other version, served ones and those that only have stored
 * objects. Each receives a copy, which it may change, and returns a whole object: the server does not set defaults after
 * a conversion. `apiVersion` and `kind` are set afterwards. Of metadata only labels and annotations may change;
 * without `metadata` in the result they stay.
 */
export interface ConversionFunctions<
  Versions extends VersionMap,
  Hub extends keyof Versions & string,
  KindScope extends Scope,
> {
  /** The version to and from which every other version is converted, usually the newest one. */
  readonly hub: Hub;
  readonly strategy?: 'Webhook';
  /** For each other version: converts its object to the hub. */
  readonly from: {
    readonly [Name in Exclude<keyof Versions & string, Hub>]: (
      object: VersionObject<Versions[Name], KindScope>,
    ) => VersionObject<Versions[Hub], KindScope>;
  };
  /** For each other version: converts an object of the hub to it. */
  readonly to: {
    readonly [Name in Exclude<keyof Versions & string, Hub>]: (
      object: VersionObject<Versions[Hub], KindScope>,
    ) => VersionObject<Versions[Name], KindScope>;
  };
  /** Keeps in an annotation what the other version cannot hold, and restores it on the way back. Default: it is lost. */
  readonly keep?: KeepOptions;
  /**
   * Where API servers find the webhook. Default: the Service `webhook-service` in the namespace `system`, which
   * `keelson manifests` replaces with that of the operator.
   */
  readonly webhook?: ConversionWebhook;
}

/** Declares that the versions have the same schema: the server changes only `apiVersion`, and calls no webhook. */
export interface EqualSchemas<Hub extends string> {
  /** The version whose token and `parse` are those of the kind. */
  readonly hub: Hub;
  readonly strategy: 'None';
}

/** Where a conversion keeps what the other version cannot hold. */
export interface KeepOptions {
  /** The name of the annotation, such as `shop.example/kept-fields`. */
  readonly annotation: string;
}
