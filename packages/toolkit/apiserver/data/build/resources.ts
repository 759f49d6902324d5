import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface ApiGroupList {
  groups: { name: string; versions: { version: string }[] }[];
}

interface ApiResourceList {
  groupVersion: string;
  resources: ApiResourceEntry[];
}

interface ApiResourceEntry {
  name: string;
  kind: string;
  singularName: string;
  namespaced: boolean;
  verbs: string[];
  group?: string;
  version?: string;
  shortNames?: string[];
  categories?: string[];
}

/** One line of `data/resources.json`; the field names are those of `BuiltinResource`. */
export interface ResourceEntry {
  group: string;
  version: string;
  kind: string;
  plural: string;
  singular: string;
  namespaced: boolean;
  verbs: string[];
  shortNames: string[];
  categories: string[];
  subresources: { name: string; group: string; version: string; kind: string; verbs: string[] }[];
}

/** True for versions that a default kube-apiserver serves: `v1`, `v2`, never alpha or beta. */
export function isStable(version: string): boolean {
  return /^v\d+$/.test(version);
}

/** Reads `api/discovery` of a Kubernetes source tree, in the order in which discovery lists the groups. */
export function readResources(kubernetes: string): ResourceEntry[] {
  const folder = join(kubernetes, 'api/discovery');
  const groups = (readJson(join(folder, 'apis.json')) as ApiGroupList).groups;
  const lists = [join(folder, 'api__v1.json')];
  for (const { name, versions } of groups) {
    for (const { version } of versions.filter((entry) => isStable(entry.version))) {
      lists.push(join(folder, `apis__${name}__${version}.json`));
    }
  }
  return lists.flatMap((file) => entriesOf(readJson(file) as ApiResourceList));
}

/** The stable documents below `api/openapi-spec/v3`, by group version. */
export function openApiFiles(kubernetes: string): Map<string, string> {
  const folder = join(kubernetes, 'api/openapi-spec/v3');
  const files = new Map<string, string>();
  for (const name of readdirSync(folder).toSorted()) {
    const match = /^apis?__(?:(.+)__)?(v\d+)_openapi\.json$/.exec(name);
    if (match?.[2] === undefined || !existsSync(join(folder, name))) continue;
    files.set(match[1] === undefined ? match[2] : `${match[1]}/${match[2]}`, join(folder, name));
  }
  return files;
}

export function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function entriesOf(list: ApiResourceList): ResourceEntry[] {
  const [group, version] = splitGroupVersion(list.groupVersion);
  return list.resources
    .filter((entry) => !entry.name.includes('/'))
    .map((entry) => ({
      group,
      version,
      kind: entry.kind,
      plural: entry.name,
      singular: entry.singularName,
      namespaced: entry.namespaced,
      verbs: entry.verbs,
      shortNames: entry.shortNames ?? [],
      categories: entry.categories ?? [],
      subresources: list.resources
        .filter((other) => other.name.startsWith(`${entry.name}/`))
        .map((other) => ({
          name: other.name.slice(entry.name.length + 1),
          group: other.version === undefined ? group : (other.group ?? ''),
          version: other.version ?? version,
          kind: other.kind,
          verbs: other.verbs,
        })),
    }));
}

function splitGroupVersion(groupVersion: string): [string, string] {
  const slash = groupVersion.indexOf('/');
  return slash === -1
    ? ['', groupVersion]
    : [groupVersion.slice(0, slash), groupVersion.slice(slash + 1)];
}
