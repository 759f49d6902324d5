import type { Conversion } from '../kinds/conversion.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import { fieldsOf } from '../resources/selectable-fields.ts';
import { ServedResource, type ServedSubresource } from '../resources/served-resource.ts';
import type { StorageVersionPeriod } from '../resources/stored-kind.ts';
import { compareVersions } from '../resources/version-order.ts';
import { customStrategy } from '../resources/strategy.ts';
import { crdKindSchema } from './crd-kind-schema.ts';
import type { KindSchema } from '../schema/kind-schema.ts';
import { failure } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import { customColumns } from '../tables/custom-columns.ts';
import type { VersionConverter } from '../resources/version-conversion.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import { ConversionWebhook } from './conversion-webhook.ts';
import type { Definition, DefinitionVersion } from './definition.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

export interface CustomServedOptions {
  readonly store: ResourceStore;
  readonly isTerminating: () => boolean;
  /** True if the schema may have changed since an object was stored. */
  readonly changed: boolean;
  /** Earlier storage versions, oldest first. */
  readonly storageHistory: readonly StorageVersionPeriod[];
  /** Calls the conversion webhook of the definition. */
  readonly client: WebhookClient;
  /** The version of Kubernetes. */
  readonly release: KubernetesVersion;
}

/** Creates the served resources of a definition, one for each served version. */
export function customServed(
  definition: Definition,
  options: CustomServedOptions,
): ServedResource[] {
  const { versions } = definition.spec;
  const schemas = new Map(versions.map((version) => [version.name, schemaOf(definition, version)]));
  const converter = converterOf(definition, schemas, options);
  const resources: ServedResource[] = versions.map((version) =>
    servedVersion(definition, version, { schemas, converter, storage: () => storage }, options),
  );
  const [first] = resources;
  const storage: ServedResource | undefined =
    resources.find(({ facts }) => facts.version === storageVersionOf(definition)) ?? first;
  return resources.filter((_resource, index) => versions[index]?.served === true);
}

/** What all versions of a definition share. */
interface Shared {
  readonly schemas: ReadonlyMap<string, KindSchema>;
  readonly converter: VersionConverter | undefined;
  readonly storage: () => ServedResource | undefined;
}

/** Returns the converter of a definition with a conversion webhook. */
function converterOf(
  definition: Definition,
  schemas: ReadonlyMap<string, KindSchema>,
  { client, storageHistory }: CustomServedOptions,
): VersionConverter | undefined {
  const { conversion, group } = definition.spec;
  if (conversion?.strategy !== 'Webhook') return undefined;
  const webhook = new ConversionWebhook(client, conversion.webhook ?? {});
  const storage = storageVersionOf(definition);
  const schemaIn = (apiVersion = ''): KindSchema | undefined =>
    schemas.get(apiVersion.slice(apiVersion.indexOf('/') + 1));
  return {
    storage: `${group}/${storage}`,
    storedAs: ({ metadata }) => `${group}/${versionAt({ metadata }, storageHistory) ?? storage}`,
    typeIn: (apiVersion) => schemaIn(apiVersion)?.type,
    complete(object) {
      schemaIn(object.apiVersion)?.setDefaults(object);
      return object;
    },
    async convert(object, apiVersion) {
      const { apiVersion: from = '' } = object;
      if (schemaIn(from) === undefined) {
        const message = `request to convert CR from an invalid group/version: ${from}`;
        throw failure(500, '', message);
      }
      const converted = await webhook.convert(object, apiVersion);
      schemaIn(apiVersion)?.prune(converted);
      return converted;
    },
  };
}

function schemaOf({ spec }: Definition, version: DefinitionVersion): KindSchema {
  return crdKindSchema({
    group: spec.group,
    version: version.name,
    kind: spec.names.kind,
    schema: version.schema?.openAPIV3Schema,
    hasStatus: version.subresources?.status !== undefined,
    scale: version.subresources?.scale,
  });
}

/** The selectable paths of all versions of a definition. */
export function selectablePathsOf(definition: Definition): string[] {
  const paths = definition.spec.versions.flatMap((version) => pathsOf(version));
  return [...new Set(paths)];
}

function servedVersion(
  definition: Definition,
  version: DefinitionVersion,
  { schemas, converter, storage: stored }: Shared,
  { store, changed, isTerminating, storageHistory, release }: CustomServedOptions,
): ServedResource {
  const { group, scope, names } = definition.spec;
  const { plural, kind, singular = kind.toLowerCase(), listKind = `${kind}List` } = names;
  const hasStatus = version.subresources?.status !== undefined;
  const schema = schemas.get(version.name) ?? schemaOf(definition, version);
  const storage = storageVersionOf(definition);
  const storedBy = (object: ApiObject): KindSchema | undefined =>
    schemas.get(versionAt(object, storageHistory) ?? storage);
  const resource: ServedResource = new ServedResource({
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
    storedAs: { group, version: storage },
    custom: true,
    versions: new Set(definition.spec.versions.map(({ name }) => `${group}/${name}`)),
    store,
    release,
    isTerminating,
    deprecation: deprecationOf(definition, version),
    strategy: () => customStrategy(hasStatus),
    selectablePaths: new Map(pathsOf(version).map((path) => [path, path])),
    columns: customColumns(version.additionalPrinterColumns),
    ...((changed || !version.storage || converter !== undefined || losesDefault(version)) && {
      conversion: readThrough(schema, storedBy),
    }),
    ...(version.subresources?.scale && { scalePaths: version.subresources.scale }),
    schema: () => schema,
    converter,
    isCurrent: (object) => (versionAt(object, storageHistory) ?? storage) === storage,
    storage: () => stored() ?? resource,
  });
  return resource;
}

/** The warning of a deprecated version. It names the highest newer version that is served and not deprecated. */
function deprecationOf({ spec }: Definition, version: DefinitionVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const show = ({ name }: DefinitionVersion): string => `${spec.group}/${name} ${spec.names.kind}`;
  const [newest] = spec.versions
    .filter(({ served, deprecated, name }) => {
      return served && deprecated !== true && compareVersions(name, version.name) < 0;
    })
    .toSorted((one, other) => compareVersions(one.name, other.name));
  const use = newest === undefined ? '' : `; use ${show(newest)}`;
  return `${show(version)} is deprecated${use}`;
}

/** The storage version of a definition. */
export function storageVersionOf({ spec }: Pick<Definition, 'spec'>): string {
  return spec.versions.find(({ storage }) => storage)?.name ?? '';
}

/** The version in which an object was stored; undefined if it is the current storage version. */
function versionAt(
  { metadata }: Pick<ApiObject, 'metadata'>,
  storageHistory: readonly StorageVersionPeriod[],
): string | undefined {
  return storageHistory.find(({ until }) => Number(metadata.resourceVersion) <= until)?.version;
}

/** True if a new object is stored without a default: a create removes the status after the defaults are set. */
function losesDefault({ subresources, schema }: DefinitionVersion): boolean {
  const status = schema?.openAPIV3Schema?.properties?.['status'];
  return subresources?.status !== undefined && status?.default !== undefined;
}

/**
 * Converts stored objects that may differ from the schema, because an older one stored them or a create removed the
 * status: sets the defaults of their storage version and prunes the fields that the requested version does not have.
 */
function readThrough(
  schema: KindSchema,
  storedBy: (object: ApiObject) => KindSchema | undefined,
): Conversion {
  return {
    toStored: (object) => object,
    fromStored(object: ApiObject) {
      storedBy(object)?.setDefaults(object);
      schema.prune(object);
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

/** Returns a function that reads the selectable fields of an object. */
export function selectableValues(
  definition: Definition,
): (object: ApiObject) => Readonly<Record<string, string>> {
  return fieldsOf(selectablePathsOf(definition)).valuesOf;
}
