import {
  ageColumn,
  at,
  column,
  listAt,
  nameColumn,
  textAt,
  type Column,
  type Fields,
} from './column.ts';
import { humanDuration } from './human-duration.ts';

function plain(name: string, path: readonly string[], otherwise = ''): Column {
  return column(name, (object) => textAt(object, path, otherwise));
}

/** A column with the number at a path, or `<none>`. */
function count(name: string, ...path: readonly string[]): Column {
  return column(name, (object) => {
    const value = at(object, ...path);
    return typeof value === 'number' ? value : '<none>';
  });
}

function conditionsOf(object: Fields): readonly string[] {
  return listAt(object, 'status', 'conditions').map((condition) => textAt(condition, ['type']));
}

function requestState(request: Fields): string {
  const found = new Set(conditionsOf(request));
  const verdict = found.has('Approved') ? 'Approved' : 'Pending';
  const failed = found.has('Failed') ? ',Failed' : '';
  const issued = textAt(request, ['status', 'certificate']) === '' ? '' : ',Issued';
  return `${found.has('Denied') ? 'Denied' : verdict}${failed}${issued}`;
}

function requestedDuration(request: Fields): string {
  const seconds = at(request, 'spec', 'expirationSeconds');
  return typeof seconds === 'number' ? humanDuration(seconds) : '<none>';
}

function claimState(claim: Fields): string {
  const isDeleted = claim.metadata?.deletionTimestamp !== undefined;
  const isAllocated = at(claim, 'status', 'allocation') !== undefined;
  const isReserved = isAllocated && listAt(claim, 'status', 'reservedFor').length > 0;
  return [
    ...(isDeleted ? ['deleted'] : []),
    ...(isAllocated ? ['allocated'] : []),
    ...(isAllocated || isDeleted ? [] : ['pending']),
    ...(isReserved ? ['reserved'] : []),
  ].join(',');
}

function isDangling(schema: Fields): string {
  const conditions = listAt(schema, 'status', 'conditions');
  const dangling = conditions.find((condition) => at(condition, 'type') === 'Dangling');
  return textAt(dangling, ['status'], '?');
}

function serviceOf(service: Fields): string {
  const name = textAt(service, ['spec', 'service', 'name']);
  return name === '' ? 'Local' : `${textAt(service, ['spec', 'service', 'namespace'])}/${name}`;
}

function isAvailable(service: Fields): string {
  const conditions = listAt(service, 'status', 'conditions');
  const available = conditions.find((condition) => at(condition, 'type') === 'Available');
  const status = textAt(available, ['status'], 'Unknown');
  return status === 'True' ? status : `${status} (${textAt(available, ['reason'])})`;
}

function healthOf(component: Fields): { status: string; message: string; error: string } {
  const conditions = listAt(component, 'conditions');
  const healthy = conditions.find((condition) => at(condition, 'type') === 'Healthy');
  if (healthy === undefined) return { status: 'Unknown', message: '', error: '' };
  const status = at(healthy, 'status') === 'True' ? 'Healthy' : 'Unhealthy';
  return { status, message: textAt(healthy, ['message']), error: textAt(healthy, ['error']) };
}

const limits = ['spec', 'limited'] as const;
const queuing = [...limits, 'limitResponse', 'queuing'] as const;

/** Columns of cluster-level kinds, such as nodes, volumes and roles. */
export const clusterColumns: Readonly<Record<string, readonly Column[]>> = {
  'v1/componentstatuses': [
    nameColumn,
    column('Status', (component) => healthOf(component).status),
    column('Message', (component) => healthOf(component).message),
    column('Error', (component) => healthOf(component).error),
  ],
  'apiregistration.k8s.io/v1/apiservices': [
    nameColumn,
    column('Service', serviceOf),
    column('Available', isAvailable),
    ageColumn,
  ],
  'certificates.k8s.io/v1/certificatesigningrequests': [
    nameColumn,
    ageColumn,
    plain('SignerName', ['spec', 'signerName'], '<none>'),
    plain('Requestor', ['spec', 'username']),
    column('RequestedDuration', requestedDuration),
    column('Condition', requestState),
  ],
  'scheduling.k8s.io/v1/priorityclasses': [
    nameColumn,
    column('Value', (priority) => Number(at(priority, 'value') ?? 0)),
    column('Global-Default', (priority) => at(priority, 'globalDefault') === true),
    ageColumn,
    plain('PreemptionPolicy', ['preemptionPolicy']),
  ],
  'node.k8s.io/v1/runtimeclasses': [nameColumn, plain('Handler', ['handler']), ageColumn],
  'resource.k8s.io/v1/deviceclasses': [nameColumn, ageColumn],
  'resource.k8s.io/v1/resourceclaims': [nameColumn, column('State', claimState), ageColumn],
  'resource.k8s.io/v1/resourceclaimtemplates': [nameColumn, ageColumn],
  'resource.k8s.io/v1/resourceslices': [
    nameColumn,
    plain('Node', ['spec', 'nodeName']),
    plain('Driver', ['spec', 'driver']),
    plain('Pool', ['spec', 'pool', 'name']),
    ageColumn,
  ],
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': [
    nameColumn,
    plain('PriorityLevel', ['spec', 'priorityLevelConfiguration', 'name']),
    count('MatchingPrecedence', 'spec', 'matchingPrecedence'),
    plain('DistinguisherMethod', ['spec', 'distinguisherMethod', 'type'], '<none>'),
    ageColumn,
    column('MissingPL', isDangling),
  ],
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': [
    nameColumn,
    plain('Type', ['spec', 'type']),
    count('NominalConcurrencyShares', ...limits, 'nominalConcurrencyShares'),
    count('Queues', ...queuing, 'queues'),
    count('HandSize', ...queuing, 'handSize'),
    count('QueueLengthLimit', ...queuing, 'queueLengthLimit'),
    ageColumn,
  ],
};
