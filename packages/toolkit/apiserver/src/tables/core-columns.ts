import { eventConversion } from '../kinds/conversion.ts';
import type { ApiObject } from '../storage/api-object.ts';
import {
  ageColumn,
  column,
  at,
  listAt,
  nameColumn,
  numberAt,
  orNone,
  textAt,
  type Column,
  type Fields,
} from './column.ts';
import { ageOf } from './human-duration.ts';
import { formatLabels } from './selector-text.ts';

const accessModeNames: ReadonlyMap<string, string> = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

function accessModes(object: Fields, ...path: string[]): string {
  return listAt(object, ...path)
    .map((mode) => accessModeNames.get(String(mode)) ?? String(mode))
    .join(',');
}

function members(...values: unknown[]): number {
  return values.reduce<number>(
    (count, value) =>
      count + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0),
    0,
  );
}

function servicePorts(service: Fields): string {
  const ports = listAt(service, 'spec', 'ports').map((port) => {
    const node = numberAt(port, ['nodePort']);
    const protocol = textAt(port, ['protocol'], 'TCP');
    return `${numberAt(port, ['port'])}${node === 0 ? '' : `:${node}`}/${protocol}`;
  });
  return orNone(ports.join(','));
}

function externalIp(service: Fields): string {
  const given = listAt(service, 'spec', 'externalIPs').map(String);
  const type = textAt(service, ['spec', 'type']);
  if (type === 'ExternalName') return textAt(service, ['spec', 'externalName']);
  if (type === 'LoadBalancer') {
    const ingress = listAt(service, 'status', 'loadBalancer', 'ingress').map((entry) =>
      textAt(entry, ['ip'], textAt(entry, ['hostname'])),
    );
    return [...ingress, ...given].join(',') || '<pending>';
  }
  return orNone(given.join(','));
}

function nodeStatus(node: Fields): string {
  const ready = listAt(node, 'status', 'conditions').find(
    (condition) => at(condition, 'type') === 'Ready',
  );
  const base =
    ready === undefined ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${base},SchedulingDisabled` : base;
}

function nodeRoles(node: Fields): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.keys(node.metadata?.labels ?? {})
    .filter((label) => label.startsWith(prefix))
    .map((label) => label.slice(prefix.length));
  return orNone(roles.toSorted().join(','));
}

function nodeAddress(type: string): (node: Fields) => string {
  return (node) =>
    textAt(
      listAt(node, 'status', 'addresses').find((address) => at(address, 'type') === type),
      ['address'],
      '<none>',
    );
}

function nodeInfo(member: string): (node: Fields) => string {
  return (node) => textAt(node, ['status', 'nodeInfo', member], '<unknown>');
}

function claimStatus(object: Fields): string {
  return object.metadata?.deletionTimestamp === undefined
    ? textAt(object, ['status', 'phase'])
    : 'Terminating';
}

/** A bound claim without a capacity shows the zero quantity. */
function claimCapacity(object: Fields): string {
  const none = textAt(object, ['spec', 'volumeName']) === '' ? '' : '0';
  return textAt(object, ['status', 'capacity', 'storage']) || none;
}

/** The annotation is older than the field, and comes first. */
function claimClass(object: Fields): string {
  const { annotations = {} } = object.metadata ?? {};
  return (
    annotations['volume.beta.kubernetes.io/storage-class'] ??
    textAt(object, ['spec', 'storageClassName'])
  );
}

function endpointList(object: Fields): string {
  const all = listAt(object, 'subsets').flatMap((subset) => {
    const ports = listAt(subset, 'ports').map((port) => textAt(port, ['port']));
    return listAt(subset, 'addresses').flatMap((address) => {
      const ip = textAt(address, ['ip']);
      return ports.length === 0 ? [ip] : ports.map((port) => `${ip}:${port}`);
    });
  });
  const more = all.length > 3 ? ` + ${all.length - 3} more...` : '';
  return orNone(all.slice(0, 3).join(',') + more);
}

function eventTime(...paths: string[][]): (event: Fields, now: number) => string {
  return (event, now) => {
    const found = paths.map((path) => textAt(event, path)).find((time) => time !== '');
    return ageOf(found, now);
  };
}

function eventObject(event: Fields): string {
  const kind = textAt(event, ['involvedObject', 'kind']).toLowerCase();
  const name = textAt(event, ['involvedObject', 'name']);
  return name === '' ? kind : `${kind}/${name}`;
}

function eventSource(event: Fields): string {
  const component = textAt(event, ['source', 'component']) || textAt(event, ['reportingComponent']);
  const host = textAt(event, ['source', 'host']) || textAt(event, ['reportingInstance']);
  return host === '' ? component : `${component}, ${host}`;
}

const eventColumns: readonly Column[] = [
  column(
    'Last Seen',
    eventTime(['series', 'lastObservedTime'], ['lastTimestamp'], ['firstTimestamp'], ['eventTime']),
  ),
  column('Type', (event) => textAt(event, ['type'])),
  column('Reason', (event) => textAt(event, ['reason'])),
  column('Object', eventObject),
  column('Subobject', (event) => textAt(event, ['involvedObject', 'fieldPath'])),
  column('Source', eventSource),
  column('Message', (event) => textAt(event, ['message']).trim()),
  column('First Seen', eventTime(['firstTimestamp'], ['eventTime'])),
  column('Count', (event) => numberAt(event, ['series', 'count'], numberAt(event, ['count'], 1))),
  nameColumn,
];

/** Events of events.k8s.io are stored and printed in the form of the core group. */
const laterEventColumns: readonly Column[] = eventColumns.map(({ name, cell }) =>
  column(name, (event, now) =>
    cell(eventConversion.toStored(structuredClone(event) as ApiObject), now),
  ),
);

function quantities(wanted: string): (quota: Fields) => string {
  return (quota) => {
    const hard = at(quota, 'status', 'hard');
    if (typeof hard !== 'object' || hard === null) return '';
    return Object.keys(hard)
      .toSorted()
      .filter((name) => name.startsWith('limits.') === (wanted === 'limits'))
      .map(
        (name) =>
          `${name}: ${textAt(quota, ['status', 'used', name], '0')}/${textAt(hard, [name])}`,
      )
      .join(', ');
  };
}

/** Columns of the core group, except for workloads. */
export const coreColumns: Readonly<Record<string, readonly Column[]>> = {
  'v1/configmaps': [
    nameColumn,
    column('Data', (object) => members(at(object, 'data'), at(object, 'binaryData'))),
    ageColumn,
  ],
  'v1/secrets': [
    nameColumn,
    column('Type', (object) => textAt(object, ['type'])),
    column('Data', (object) => members(at(object, 'data'))),
    ageColumn,
  ],
  'v1/endpoints': [nameColumn, column('Endpoints', endpointList), ageColumn],
  'v1/events': eventColumns,
  'events.k8s.io/v1/events': laterEventColumns,
  'v1/namespaces': [
    nameColumn,
    column('Status', (object) => textAt(object, ['status', 'phase'])),
    ageColumn,
  ],
  'v1/nodes': [
    nameColumn,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    ageColumn,
    column('Version', nodeInfo('kubeletVersion')),
    column('Internal-IP', nodeAddress('InternalIP')),
    column('External-IP', nodeAddress('ExternalIP')),
    column('OS-Image', nodeInfo('osImage')),
    column('Kernel-Version', nodeInfo('kernelVersion')),
    column('Container-Runtime', nodeInfo('containerRuntimeVersion')),
  ],
  'v1/persistentvolumeclaims': [
    nameColumn,
    column('Status', claimStatus),
    column('Volume', (claim) => textAt(claim, ['spec', 'volumeName'])),
    column('Capacity', claimCapacity),
    column('Access Modes', (claim) => accessModes(claim, 'status', 'accessModes')),
    column('StorageClass', claimClass),
    column('VolumeAttributesClass', (claim) =>
      textAt(claim, ['spec', 'volumeAttributesClassName'], '<unset>'),
    ),
    ageColumn,
    column('VolumeMode', (claim) => textAt(claim, ['spec', 'volumeMode'], '<unset>')),
  ],
  'v1/persistentvolumes': [
    nameColumn,
    column('Capacity', (volume) => textAt(volume, ['spec', 'capacity', 'storage'])),
    column('Access Modes', (volume) => accessModes(volume, 'spec', 'accessModes')),
    column('Reclaim Policy', (volume) => textAt(volume, ['spec', 'persistentVolumeReclaimPolicy'])),
    column('Status', claimStatus),
    column('Claim', (volume) => {
      const name = textAt(volume, ['spec', 'claimRef', 'name']);
      return name === '' ? '' : `${textAt(volume, ['spec', 'claimRef', 'namespace'])}/${name}`;
    }),
    column('StorageClass', (volume) => textAt(volume, ['spec', 'storageClassName'])),
    column('VolumeAttributesClass', (volume) =>
      textAt(volume, ['spec', 'volumeAttributesClassName'], '<unset>'),
    ),
    column('Reason', (volume) => textAt(volume, ['status', 'reason'])),
    ageColumn,
    column('VolumeMode', (volume) => textAt(volume, ['spec', 'volumeMode'], '<unset>')),
  ],
  'v1/resourcequotas': [
    nameColumn,
    column('Request', quantities('requests')),
    column('Limit', quantities('limits')),
    ageColumn,
  ],
  'v1/serviceaccounts': [nameColumn, ageColumn],
  'v1/services': [
    nameColumn,
    column('Type', (service) => textAt(service, ['spec', 'type'])),
    column('Cluster-IP', (service) => textAt(service, ['spec', 'clusterIP'], '<none>')),
    column('External-IP', externalIp),
    column('Port(s)', servicePorts),
    ageColumn,
    column('Selector', (service) => formatLabels(at(service, 'spec', 'selector'))),
  ],
};
