import {
  builtin,
  defineResource,
  type ApiResource,
  type ClusterScopedObject,
  type DefaultedResource,
  type KubernetesObject,
  type ObjectOf,
  type ResourceOptions,
  type Scope,
} from '@keelson/apimachinery';
import { ObjectParser, type ParseOptions } from '../parse/object-parser.ts';
import type { InputValueOf, SchemaInput, ValueOf } from '../standard/schema-input.ts';
import { checkForms } from './check-forms.ts';
import { checkKind, checkVersion } from './check-kind.ts';
import type { KindOptions } from './kind-options.ts';
import { rootSchemaOf } from './root-schema.ts';
import { structuralOptions } from './structural-options.ts';

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1` as JSON. */
export type CustomResourceDefinition = ObjectOf<typeof builtin.CustomResourceDefinition>;

/** The type of a kind's objects as the server returns them, from the schemas of `spec` and `status` and the scope. */
export type CustomObject<Spec, Status, KindScope extends Scope> = ScopedObject<KindScope> & {
  spec: ValueOf<Spec>;
  status?: ValueOf<Status>;
};

/** The type of a kind's objects as the server accepts them: members with a default are optional. */
export type CustomInput<Spec, Status, KindScope extends Scope> = ScopedObject<KindScope> & {
  spec: InputValueOf<Spec>;
  status?: InputValueOf<Status>;
};

type ScopedObject<KindScope extends Scope> = [KindScope] extends ['Cluster']
  ? ClusterScopedObject
  : KubernetesObject;

/** What `defineKind` makes of the definition of one version. */
export interface DefinedKind<
  T extends KubernetesObject,
  Input extends KubernetesObject = NoInfer<T>,
> {
  /**
   * The token for clients, informers and controllers. Reads return objects with their defaults (`ObjectOf`); `create`,
   * `update` and `apply` accept them without (`InputOf`).
   */
  readonly resource: DefaultedResource<T, Input>;
  /** The definition to apply to a cluster. It shares nothing with the options. */
  readonly crd: CustomResourceDefinition;
  /**
   * Validates an object at an edge of the application, such as a file or a request, as the API server does: schema,
   * metadata and CEL rules. Returns a copy with the defaults; also sets a missing `apiVersion` and `kind`. Throws
   * `OBJECT_INVALID`, whose `causes` have every error with its path. Objects from a cache were validated by the
   * server and need no `parse`.
   */
  readonly parse: (object: unknown, options?: ParseOptions) => T;
}

/** Makes a kind with one version. Throws `INVALID_OPTION`, `SCHEMA_INVALID` and `RULE_INVALID`. */
export function singleKind(
  given: KindOptions<SchemaInput, SchemaInput>,
): DefinedKind<KubernetesObject> {
  checkForms(given, 'defineKind');
  const options = structuralOptions(given, 'defineKind');
  checkKind(options);
  return kindOf(options, given);
}

/**
 * Makes one version of a kind whose names have been checked. Its options are named after `where` in errors, such as
 * `defineKind.versions.v1`. Throws as `singleKind`.
 */
export function kindOfVersion(
  given: KindOptions<SchemaInput, SchemaInput>,
  where: string,
): DefinedKind<KubernetesObject> {
  checkForms(given, where);
  const options = structuralOptions(given, where);
  checkVersion(options, where);
  return kindOf(options, given);
}

function kindOf(
  options: KindOptions,
  given: KindOptions<SchemaInput, SchemaInput>,
): DefinedKind<KubernetesObject> {
  const { group, version, kind, plural, scope = 'Namespaced' } = options;
  const names = { group, version, kind, plural, scope } as ResourceOptions;
  const resource: ApiResource = defineResource(names);
  const parser = new ObjectParser(resource, rootSchemaOf(options), given);
  return {
    resource,
    parse: (object, parseOptions) => parser.parse(object, parseOptions),
    crd: structuredClone(definitionOf(options)) as unknown as CustomResourceDefinition,
  };
}

function definitionOf(options: KindOptions): object {
  const { group, kind, plural, singular = kind.toLowerCase(), scope = 'Namespaced' } = options;
  const { shortNames, categories } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
      },
      scope,
      versions: [versionOf(options)],
    },
  };
}

function versionOf(options: KindOptions): object {
  const { version: name, served = true, deprecated, status, printColumns, scale } = options;
  const { selectableFields = [] } = options;
  const subresources = { ...(status && { status: {} }), ...(scale && { scale }) };
  return {
    name,
    served,
    storage: true,
    ...(deprecated !== undefined && deprecated !== false && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: rootSchemaOf(options) },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(printColumns && { additionalPrinterColumns: printColumns }),
    ...(selectableFields.length > 0 && {
      selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })),
    }),
  };
}
