import type { Conversion } from '../resources/conversion.ts';
import { fieldsOf } from '../resources/selectable-fields.ts';
import { ServedResource, type ServedSubresource } from '../resources/served-resource.ts';
import { customStrategy } from '../resources/strategy.ts';
import { crdKindSchema } from '../schema/crd-kind-schema.ts';
import type { KindSchema } from '../schema/kind-schema.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import { customColumns } from '../tables/custom-columns.ts';
import type { Definition, DefinitionVersion } from './definition.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** What `customServed` needs besides the definition. */
export interface CustomServedOptions {
  readonly store: ResourceStore;
  readonly isTerminating: () => boolean;
  /** The schema has changed since the first object may have been stored. */
  readonly changed: boolean;
}

/** Makes the served resources of a definition, one for each of its served versions. */
export function customServed(
  definition: Definition,
  options: CustomServedOptions,
): ServedResource[] {
  return definition.spec.versions
    .filter((version) => version.served)
    .map((version) => servedVersion(definition, version, options));
}

/** The paths by which objects can be selected, of all versions together. */
export function selectablePathsOf(definition: Definition): string[] {
  const paths = definition.spec.versions.flatMap((version) => pathsOf(version));
  return [...new Set(paths)];
}

function servedVersion(
  definition: Definition,
  version: DefinitionVersion,
  { store, changed, isTerminating }: CustomServedOptions,
): ServedResource {
  const { group, scope, names } = definition.spec;
  const { plural, kind, singular = kind.toLowerCase(), listKind = `${kind}List` } = names;
  const hasStatus = version.subresources?.status !== undefined;
  const schema = crdKindSchema({
    group,
    version: version.name,
    kind,
    schema: version.schema?.openAPIV3Schema,
    hasStatus,
    scale: version.subresources?.scale,
  });
  return new ServedResource({
    group,
    version: version.name,
    kind,
    listKind,
    plural,
    singular,
    namespaced: scope === 'Namespaced',
    verbs,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: subresourcesOf(definition, version),
    storedAs: { group, version: storageVersionOf(definition) },
    custom: true,
    store,
    isTerminating,
    strategy: customStrategy(hasStatus),
    selectablePaths: new Map(pathsOf(version).map((path) => [path, path])),
    columns: customColumns(version.additionalPrinterColumns),
    ...((changed || !version.storage) && { conversion: readThrough(schema) }),
    ...(version.subresources?.scale && { scalePaths: version.subresources.scale }),
    schema: () => schema,
  });
}

function storageVersionOf({ spec }: Definition): string {
  return spec.versions.find(({ storage }) => storage)?.name ?? '';
}

/** Objects stored by another schema are read as this one would have them: pruned and defaulted. */
function readThrough(schema: KindSchema): Conversion {
  return {
    toStored: (object) => object,
    fromStored(object: ApiObject) {
      schema.prune(object);
      schema.setDefaults(object);
      return object;
    },
  };
}

function pathsOf({ selectableFields = [] }: DefinitionVersion): string[] {
  return selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
}

function subresourcesOf({ spec }: Definition, version: DefinitionVersion): ServedSubresource[] {
  const { status, scale } = version.subresources ?? {};
  const { group, names } = spec;
  const own = { group, version: version.name, kind: names.kind, verbs: subresourceVerbs };
  const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs };
  return [
    ...(status === undefined ? [] : [{ name: 'status', ...own }]),
    ...(scale === undefined ? [] : [{ name: 'scale', ...scaleKind }]),
  ];
}

/** How values of selectable fields are read from an object. */
export function selectableValues(
  definition: Definition,
): (object: ApiObject) => Readonly<Record<string, string>> {
  return fieldsOf(selectablePathsOf(definition)).valuesOf;
}
