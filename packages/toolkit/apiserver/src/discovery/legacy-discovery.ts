import { createHash } from 'node:crypto';
import type { ResourceRegistry, ServedGroup } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';

/** The discovery documents of `/api`, `/apis` and the paths below them. */
export class LegacyDiscovery {
  readonly #registry: ResourceRegistry;

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
  }

  /** `/api`. */
  coreVersions(serverAddress: string): object {
    const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress }];
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
  }

  /** `/apis`. */
  groups(): object {
    const groups = this.#registry.groups().filter(({ group }) => group !== '');
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) };
  }

  /** `/apis/GROUP`; `undefined` if the server serves no version of the group. */
  group(name: string): object | undefined {
    const found = this.#registry.groups().find(({ group }) => group === name);
    return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(found) };
  }

  /** `/api/v1` and `/apis/GROUP/VERSION`; `undefined` if the server does not serve the version. */
  resources(group: string, version: string): object | undefined {
    const served = this.#registry.inVersion(group, version);
    if (served.length === 0) return undefined;
    const groupVersion = group === '' ? version : `${group}/${version}`;
    const kind = 'APIResourceList';
    const head = group === '' ? { kind } : { kind, apiVersion: 'v1' };
    return { ...head, groupVersion, resources: served.flatMap(entriesOf) };
  }
}

function groupOf({ group, versions }: ServedGroup): object {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

function entriesOf({ facts }: ServedResource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories } = facts;
  const own = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(isStored(verbs) && { storageVersionHash: storageVersionHash(facts) }),
  };
  const subresources = facts.subresources.map((subresource) => ({
    name: `${plural}/${subresource.name}`,
    singularName: '',
    namespaced,
    ...foreign(facts, subresource),
    kind: subresource.kind,
    verbs: subresource.verbs,
  }));
  return [own, ...subresources];
}

/** Group and version of a subresource whose body has another version than its parent. */
function foreign(
  parent: ServedResource['facts'],
  { group, version }: { group: string; version: string },
): object {
  if (group === parent.group && version === parent.version) return {};
  return { ...(group !== '' && { group }), version };
}

/** True if the server stores objects of the resource: reviews are only created, component statuses are only read. */
function isStored(verbs: readonly string[]): boolean {
  return verbs.includes('get') && verbs.includes('create');
}

/** Changes with the storage version: `discovery.StorageVersionHash` of kube-apiserver. */
function storageVersionHash({ storedAs, kind }: ServedResource['facts']): string {
  const type = `${storedAs.group}/${storedAs.version}/${kind}`;
  return createHash('sha256').update(type).digest().subarray(0, 8).toString('base64');
}
