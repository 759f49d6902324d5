import type { ApiObject } from '../storage/api-object.ts';
import type { SelectableValues } from '../storage/stored-object.ts';
import { isJsonNumber } from '@keelson/structural-schema';

/** The fields that a field selector may name besides `metadata.name` and `metadata.namespace`. */
export interface SelectableFields {
  readonly paths: readonly string[];
  readonly valuesOf: (object: ApiObject) => SelectableValues;
}

/** Returns the fields of a built-in kind by its resource id. Source: Kubernetes' field label conversions. */
export function builtinSelectableFields(id: string): SelectableFields {
  return fieldsOf(builtinPaths[id] ?? []);
}

/** Fields by dotted paths (`spec.color`); a missing field has the empty string as its value. */
export function fieldsOf(paths: readonly string[]): SelectableFields {
  const split = paths.map((path) => [path, path.split('.')] as const);
  if (split.length === 0) return none;
  return {
    paths,
    valuesOf: (object) =>
      Object.fromEntries(split.map(([path, members]) => [path, textAt(object, path, members)])),
  };
}

const none: SelectableFields = { paths: [], valuesOf: () => noValues };
const noValues: SelectableValues = {};

/** The `source` of an Event is its component. Missing booleans and numbers have the values false and 0. */
function textAt(object: ApiObject, path: string, members: readonly string[]): string {
  const value = valueAt(object, path === 'source' ? ['source', 'component'] : members);
  if (typeof value === 'string') return value;
  if (isJsonNumber(value) || typeof value === 'boolean') return String(value);
  return zeroValues.get(path) ?? '';
}

const zeroValues: ReadonlyMap<string, string> = new Map([
  ['spec.hostNetwork', 'false'],
  ['spec.unschedulable', 'false'],
  ['status.replicas', '0'],
  ['status.successful', '0'],
]);

function valueAt(object: unknown, members: readonly string[]): unknown {
  let value = object;
  for (const member of members) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member))
      return undefined;
    value = Reflect.get(value, member);
  }
  return value;
}

const involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const builtinPaths: Readonly<Record<string, readonly string[]>> = {
  'v1/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  'v1/nodes': ['spec.unschedulable'],
  'v1/replicationcontrollers': ['status.replicas'],
  'v1/events': [
    ...involved.map((member) => `involvedObject.${member}`),
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'v1/namespaces': ['status.phase'],
  'v1/secrets': ['type'],
  'v1/services': ['spec.clusterIP', 'spec.type'],
  'apps/v1/replicasets': ['status.replicas'],
  'batch/v1/jobs': ['status.successful'],
  'certificates.k8s.io/v1/certificatesigningrequests': ['spec.signerName'],
  'resource.k8s.io/v1/resourceslices': ['spec.nodeName', 'spec.driver'],
};
