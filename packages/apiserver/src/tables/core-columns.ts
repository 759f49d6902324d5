import {
  ageColumn,
  at,
  listAt,
  nameColumn,
  numberAt,
  orNone,
  text,
  textAt,
  wide,
  type Column,
  type Fields,
} from './column.ts';
import { ageOf } from './human-duration.ts';
import { formatLabels } from './selector-text.ts';

const accessModeNames: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(object: Fields, ...path: string[]): string {
  return listAt(object, ...path)
    .map((mode) => accessModeNames[String(mode)] ?? String(mode))
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

/** First the old fields (core/v1), then those of events.k8s.io, which both read. */
function eventTime(...paths: string[][]): (event: Fields, now: number) => string {
  return (event, now) => {
    const found = paths.map((path) => textAt(event, path)).find((time) => time !== '');
    return ageOf(found, now);
  };
}

function eventObject(event: Fields): string {
  const about = at(event, 'involvedObject') ?? at(event, 'regarding');
  const kind = textAt(about, ['kind']).toLowerCase();
  const name = textAt(about, ['name']);
  return kind === '' ? name : `${kind}/${name}`;
}

function eventSource(event: Fields): string {
  const component = textAt(event, ['source', 'component'], textAt(event, ['reportingController']));
  const host = textAt(event, ['source', 'host'], textAt(event, ['reportingInstance']));
  return host === '' ? component : `${component}, ${host}`;
}

const eventColumns: readonly Column[] = [
  text(
    'Last Seen',
    eventTime(
      ['series', 'lastObservedTime'],
      ['lastTimestamp'],
      ['deprecatedLastTimestamp'],
      ['eventTime'],
    ),
  ),
  text('Type', (event) => textAt(event, ['type'])),
  text('Reason', (event) => textAt(event, ['reason'])),
  text('Object', eventObject),
  wide(text('Subobject', (event) => textAt(event, ['involvedObject', 'fieldPath']))),
  wide(text('Source', eventSource)),
  text('Message', (event) => textAt(event, ['message'], textAt(event, ['note'])).trim()),
  wide(
    text('First Seen', eventTime(['firstTimestamp'], ['deprecatedFirstTimestamp'], ['eventTime'])),
  ),
  wide(text('Count', (event) => textAt(event, ['series', 'count'], textAt(event, ['count'], '1')))),
  wide(nameColumn),
];

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

/** The tables of the core group, without those of pods and of what makes pods. */
export const coreColumns: Readonly<Record<string, readonly Column[]>> = {
  'v1/configmaps': [
    nameColumn,
    text('Data', (object) => members(at(object, 'data'), at(object, 'binaryData'))),
    ageColumn,
  ],
  'v1/secrets': [
    nameColumn,
    text('Type', (object) => textAt(object, ['type'])),
    text('Data', (object) => members(at(object, 'data'))),
    ageColumn,
  ],
  'v1/endpoints': [nameColumn, text('Endpoints', endpointList), ageColumn],
  'v1/events': eventColumns,
  'events.k8s.io/v1/events': eventColumns,
  'v1/namespaces': [
    nameColumn,
    text('Status', (object) => textAt(object, ['status', 'phase'])),
    ageColumn,
  ],
  'v1/nodes': [
    nameColumn,
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    ageColumn,
    text('Version', nodeInfo('kubeletVersion')),
    wide(text('Internal-IP', nodeAddress('InternalIP'))),
    wide(text('External-IP', nodeAddress('ExternalIP'))),
    wide(text('OS-Image', nodeInfo('osImage'))),
    wide(text('Kernel-Version', nodeInfo('kernelVersion'))),
    wide(text('Container-Runtime', nodeInfo('containerRuntimeVersion'))),
  ],
  'v1/persistentvolumeclaims': [
    nameColumn,
    text('Status', claimStatus),
    text('Volume', (claim) => textAt(claim, ['spec', 'volumeName'])),
    text('Capacity', (claim) => textAt(claim, ['status', 'capacity', 'storage'])),
    text('Access Modes', (claim) => accessModes(claim, 'status', 'accessModes')),
    text('StorageClass', (claim) => textAt(claim, ['spec', 'storageClassName'])),
    text('VolumeAttributesClass', (claim) =>
      textAt(claim, ['spec', 'volumeAttributesClassName'], '<unset>'),
    ),
    ageColumn,
    wide(text('VolumeMode', (claim) => textAt(claim, ['spec', 'volumeMode'], '<unset>'))),
  ],
  'v1/persistentvolumes': [
    nameColumn,
    text('Capacity', (volume) => textAt(volume, ['spec', 'capacity', 'storage'])),
    text('Access Modes', (volume) => accessModes(volume, 'spec', 'accessModes')),
    text('Reclaim Policy', (volume) => textAt(volume, ['spec', 'persistentVolumeReclaimPolicy'])),
    text('Status', claimStatus),
    text('Claim', (volume) => {
      const name = textAt(volume, ['spec', 'claimRef', 'name']);
      return name === '' ? '' : `${textAt(volume, ['spec', 'claimRef', 'namespace'])}/${name}`;
    }),
    text('StorageClass', (volume) => textAt(volume, ['spec', 'storageClassName'])),
    text('VolumeAttributesClass', (volume) =>
      textAt(volume, ['spec', 'volumeAttributesClassName'], '<unset>'),
    ),
    text('Reason', (volume) => textAt(volume, ['status', 'reason'])),
    ageColumn,
    wide(text('VolumeMode', (volume) => textAt(volume, ['spec', 'volumeMode'], '<unset>'))),
  ],
  'v1/resourcequotas': [
    nameColumn,
    text('Request', quantities('requests')),
    text('Limit', quantities('limits')),
    ageColumn,
  ],
  'v1/serviceaccounts': [nameColumn, ageColumn],
  'v1/services': [
    nameColumn,
    text('Type', (service) => textAt(service, ['spec', 'type'])),
    text('Cluster-IP', (service) => textAt(service, ['spec', 'clusterIP'], '<none>')),
    text('External-IP', externalIp),
    text('Port(s)', servicePorts),
    ageColumn,
    wide(text('Selector', (service) => formatLabels(at(service, 'spec', 'selector')))),
  ],
};
