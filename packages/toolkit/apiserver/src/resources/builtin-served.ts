import { resourceId } from '@keelson/apimachinery';
import { builtinKindSchema } from '../kinds/builtin-kind-schema.ts';
import { type BuiltinResource, builtinResources } from '../kinds/builtin-resources.ts';
import type { KubernetesVersion } from '../releases/kubernetes-version.ts';
import type { KindSchema } from '../schema/kind-schema.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Storage } from '../storage/storage.ts';
import {
  autoscalerFromStored,
  autoscalerToStored,
} from '../kinds/workloads/autoscaler-conversion.ts';
import { type Conversion, eventConversion } from '../kinds/conversion.ts';
import { builtinSelectableFields } from './selectable-fields.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { ServedResource } from './served-resource.ts';
import type { StoredKind } from './stored-kind.ts';
import { builtinStrategy } from './strategy.ts';

/** A served version whose objects are stored in another version. */
interface Alias {
  readonly storedAs: string;
  readonly conversion: Conversion;
  /** Returns the path in this version of a selectable field of the stored version; `undefined` if it has none. */
  servedName(path: string): string | undefined;
}

const aliases: Readonly<Record<string, Alias>> = {
  'events.k8s.io/v1/events': {
    storedAs: 'v1/events',
    conversion: eventConversion,
    servedName: (path) =>
      path === 'source'
        ? undefined
        : path
            .replace(/^involvedObject\./, 'regarding.')
            .replace('reportingComponent', 'reportingController'),
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    storedAs: 'autoscaling/v2/horizontalpodautoscalers',
    conversion: { toStored: autoscalerToStored, fromStored: autoscalerFromStored },
    servedName: (path) => path,
  },
};

/** Resources that kube-apiserver 1.36 stores in an older version; their storageVersionHash shows it. */
const olderStorage: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': 'v1beta1',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': 'v1beta1',
  'apiextensions.k8s.io/v1/customresourcedefinitions': 'v1beta1',
};

/** Adds the built-in resources, each with a store. Reviews are computed and have no objects. */
export function addBuiltins(
  registry: Pick<ResourceRegistry, 'addBuiltin'>,
  storage: Storage,
  release: KubernetesVersion,
): void {
  const stores = new Map<string, ResourceStore>();
  for (const facts of builtinResources(release)) {
    const id = resourceId(facts);
    const alias = aliases[id];
    const storedAs = alias?.storedAs ?? id;
    const fields = builtinSelectableFields(storedAs);
    const store = stores.get(storedAs) ?? storage.createStore(facts, fields.valuesOf);
    stores.set(storedAs, store);
    registry.addBuiltin(id, () => {
      return new ServedResource({
        ...facts,
        listKind: `${facts.kind}List`,
        storedAs: storageVersionOf(facts, { id, storedAs }),
        custom: false,
        store,
        strategy: () => builtinStrategy(id, hasStatus(facts)),
        selectablePaths: servedPaths(fields.paths, alias),
        ...(alias && { conversion: alias.conversion }),
        release,
        schema: () => schemaOf(facts, release),
      });
    });
  }
}

/**
 * The built-in kinds whose objects are stored, in the versions in which they are. Reviews are not stored, and the server
 * computes ComponentStatuses.
 */
export function builtinKinds(registry: Pick<ResourceRegistry, 'all'>): StoredKind[] {
  const kinds = new Map<ResourceStore, StoredKind>();
  for (const { id, apiVersion, facts, store } of registry.all()) {
    const { custom, kind, namespaced } = facts;
    const isStored = facts.verbs.includes('list') && facts.verbs.includes('create');
    if (custom || aliases[id] !== undefined || !isStored) continue;
    kinds.set(store, { apiVersion, kind, namespaced, store });
  }
  return [...kinds.values()];
}

const noPaths: ReadonlyMap<string, string> = new Map();

function servedPaths(
  paths: readonly string[],
  alias: Alias | undefined,
): ReadonlyMap<string, string> {
  if (paths.length === 0) return noPaths;
  const served = paths.map((path) => [alias === undefined ? path : alias.servedName(path), path]);
  return new Map(served.filter((pair): pair is [string, string] => pair[0] !== undefined));
}

/** Returns the group and version in which the objects of a resource are stored. */
function storageVersionOf(
  facts: BuiltinResource,
  { id, storedAs }: { readonly id: string; readonly storedAs: string },
): { readonly group: string; readonly version: string } {
  const version = olderStorage[id];
  if (version !== undefined) return { group: facts.group, version };
  if (storedAs === id) return facts;
  const [first = '', second = '', third] = storedAs.split('/');
  return third === undefined ? { group: '', version: first } : { group: first, version: second };
}

function hasStatus(facts: BuiltinResource): boolean {
  return facts.subresources.some(({ name }) => name === 'status');
}

function schemaOf(facts: BuiltinResource, release: KubernetesVersion): KindSchema {
  const schema = builtinKindSchema(facts, release);
  if (schema === undefined) throw new Error(`no schema for ${resourceId(facts)}`);
  return schema;
}
