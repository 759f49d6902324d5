import type { Scope } from '@keelson/apimachinery';
import type { KindOptions } from '../kind/kind-options.ts';
import {
  singleKind,
  type CustomInput,
  type CustomObject,
  type DefinedKind,
} from '../kind/single-kind.ts';
import type { StructuralSchema } from '../literal/structural-schema.ts';
import type { SchemaInput } from '../standard/schema-input.ts';
import type { VersionMap, VersionedKindOptions } from '../versions/versioned-options.ts';
import { versionedKind, type VersionedKind } from '../versions/versioned-kind.ts';

/**
 * Makes the typed token and the CustomResourceDefinition of a kind from one definition. With `versions` the kind has
 * several versions, each with its token, and `convert` has the functions that convert objects between them. Throws
 * `INVALID_OPTION` with the name of an invalid option, `SCHEMA_INVALID` with the path in a schema that is not structural,
 * and `RULE_INVALID` with the path of a CEL rule that does not compile or may cost too much.
 *
 * @example
 * ```ts
 * import { defineKind } from '@keelson/schema';
 * import * as z from 'zod';
 *
 * export const Website = defineKind({
 *   group: 'example.com',
 *   version: 'v1',
 *   kind: 'Website',
 *   plural: 'websites',
 *   spec: z.object({ host: z.string().min(1), replicas: z.int().min(1).max(10).default(1) }),
 *   status: z.object({ url: z.string().optional() }),
 * });
 * ```
 */
export function defineKind<
  const Spec extends SchemaInput,
  const Status extends SchemaInput = StructuralSchema,
  const KindScope extends Scope = 'Namespaced',
  const Versions extends VersionMap = never,
  const Hub extends keyof Versions & string = never,
>(
  options: KindOptions<Spec, Status, KindScope> | VersionedKindOptions<Versions, Hub, KindScope>,
): KindOf<Spec, Status, KindScope, Versions, Hub> {
  type Result = KindOf<Spec, Status, KindScope, Versions, Hub>;
  return (isVersioned(options) ? versionedKind(options) : singleKind(options)) as unknown as Result;
}

/** A kind with one version, or with several if it has `Versions`. */
export type KindOf<
  Spec,
  Status,
  KindScope extends Scope,
  Versions extends VersionMap,
  Hub extends keyof Versions & string,
> = [Versions] extends [never]
  ? DefinedKind<CustomObject<Spec, Status, KindScope>, CustomInput<Spec, Status, KindScope>>
  : VersionedKind<Versions, Hub, KindScope>;

function isVersioned(options: object): options is VersionedKindOptions<VersionMap, string, Scope> {
  return typeof options === 'object' && options !== null && 'versions' in options;
}
