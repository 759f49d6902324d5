import type { ServedResource } from '../resources/served-resource.ts';
import { checkDnsLabel } from '../schema/name-syntax.ts';
import type { ApiObject } from '../storage/api-object.ts';

const inPodNames = 'this is used in Pod names and hostnames';

/** What the name of an object is used for, by the id of its resource. */
const uses: Readonly<Record<string, string>> = {
  'v1/pods': "this is used in the Pod's hostname",
  'apps/v1/deployments': inPodNames,
  'apps/v1/replicasets': inPodNames,
};

/** A warning for a new object whose name is allowed but will not do as a name of hosts. */
export function nameWarnings(resource: ServedResource, { metadata }: ApiObject): string[] {
  const use = uses[resource.id];
  const found = use === undefined ? [] : checkDnsLabel(metadata.name ?? '');
  if (found.length === 0 || !metadata.name) return [];
  return [
    `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended: [${found.join(' ')}]`,
  ];
}
