import { autoscalerToStored } from '../kinds/workloads/autoscaler-conversion.ts';
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
import { formatSelector } from './selector-text.ts';

function count(name: string, ...path: string[]): Column {
  return column(name, (object) => listAt(object, ...path).length);
}

function plain(name: string, path: readonly string[], otherwise = ''): Column {
  return column(name, (object) => textAt(object, path, otherwise));
}

function flag(name: string, ...path: string[]): Column {
  return column(name, (object) => at(object, ...path) === true);
}

function subjects(kind: string): (binding: Fields) => string {
  return (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => at(subject, 'kind') === kind)
      .map((subject) => {
        const name = textAt(subject, ['name']);
        return kind === 'ServiceAccount' ? `${textAt(subject, ['namespace'])}/${name}` : name;
      })
      .join(', ');
}

const bindingColumns: readonly Column[] = [
  nameColumn,
  column(
    'Role',
    (binding) => `${textAt(binding, ['roleRef', 'kind'])}/${textAt(binding, ['roleRef', 'name'])}`,
  ),
  ageColumn,
  column('Users', subjects('User')),
  column('Groups', subjects('Group')),
  column('ServiceAccounts', subjects('ServiceAccount')),
];

function ingressHosts(ingress: Fields): string {
  const hosts = listAt(ingress, 'spec', 'rules')
    .map((rule) => textAt(rule, ['host']))
    .filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  return hosts.length > 3
    ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...`
    : hosts.join(',');
}

function metricTarget(metric: unknown, current: unknown): string {
  const source = textAt(metric, ['type']);
  const member = source.charAt(0).toLowerCase() + source.slice(1);
  const target = at(metric, member, 'target');
  const name = textAt(metric, [member, 'name']);
  const now = at(current, member, 'current');
  const utilization = textAt(target, ['averageUtilization']);
  if (utilization !== '') {
    const seen = textAt(now, ['averageUtilization'], '<unknown>');
    return `${name}: ${seen === '<unknown>' ? seen : `${seen}%`}/${utilization}%`;
  }
  const wanted = textAt(target, ['averageValue'], textAt(target, ['value']));
  const seen = textAt(now, ['averageValue'], textAt(now, ['value'], '<unknown>'));
  const prefix = source === 'Resource' ? `${name}: ` : '';
  return `${prefix}${seen}/${wanted}`;
}

function autoscalerTargets(autoscaler: Fields): string {
  const current = listAt(autoscaler, 'status', 'currentMetrics');
  const all = listAt(autoscaler, 'spec', 'metrics').map((metric, index) =>
    metricTarget(metric, current[index]),
  );
  return orNone(all.join(', '));
}

function autoscalerColumns(targets: (autoscaler: Fields) => string): readonly Column[] {
  return [
    nameColumn,
    column(
      'Reference',
      (object) =>
        `${textAt(object, ['spec', 'scaleTargetRef', 'kind'])}/${textAt(object, ['spec', 'scaleTargetRef', 'name'])}`,
    ),
    column('Targets', targets),
    plain('MinPods', ['spec', 'minReplicas'], '<unset>'),
    column('MaxPods', (object) => numberAt(object, ['spec', 'maxReplicas'])),
    column('Replicas', (object) => numberAt(object, ['status', 'currentReplicas'])),
    ageColumn,
  ];
}

function slicePorts(slice: Fields): string {
  return orNone(
    listAt(slice, 'ports')
      .map((port) => textAt(port, ['port']))
      .join(','),
  ).replace('<none>', '<unset>');
}

function sliceEndpoints(slice: Fields): string {
  const all = listAt(slice, 'endpoints').flatMap((endpoint) =>
    listAt(endpoint, 'addresses').map(String),
  );
  const more = all.length > 3 ? ` + ${all.length - 3} more...` : '';
  return all.length === 0 ? '<unset>' : all.slice(0, 3).join(',') + more;
}

const webhookColumns: readonly Column[] = [nameColumn, count('Webhooks', 'webhooks'), ageColumn];

function policyColumns(title: string, member: string): readonly Column[] {
  return [
    nameColumn,
    count(title, 'spec', member),
    column('ParamKind', (policy) => {
      const kind = textAt(policy, ['spec', 'paramKind', 'kind']);
      return kind === ''
        ? '<unset>'
        : `${textAt(policy, ['spec', 'paramKind', 'apiVersion'])}/${kind}`;
    }),
    ageColumn,
  ];
}

const policyBindingColumns: readonly Column[] = [
  nameColumn,
  plain('PolicyName', ['spec', 'policyName']),
  plain('ParamRef', ['spec', 'paramRef', 'name'], '<unset>'),
  ageColumn,
];

/** Columns of the API groups other than core, apps and batch. */
export const groupColumns: Readonly<Record<string, readonly Column[]>> = {
  'autoscaling/v1/horizontalpodautoscalers': autoscalerColumns((autoscaler) =>
    autoscalerTargets(autoscalerToStored(structuredClone(autoscaler) as ApiObject)),
  ),
  'autoscaling/v2/horizontalpodautoscalers': autoscalerColumns(autoscalerTargets),
  'networking.k8s.io/v1/ingresses': [
    nameColumn,
    plain('Class', ['spec', 'ingressClassName'], '<none>'),
    column('Hosts', ingressHosts),
    column('Address', (object) =>
      listAt(object, 'status', 'loadBalancer', 'ingress')
        .map((entry) => textAt(entry, ['ip'], textAt(entry, ['hostname'])))
        .join(','),
    ),
    column('Ports', (object) => (listAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'networking.k8s.io/v1/ingressclasses': [
    nameColumn,
    plain('Controller', ['spec', 'controller']),
    column('Parameters', (object) => {
      const { kind, name, apiGroup } = {
        kind: textAt(object, ['spec', 'parameters', 'kind']),
        name: textAt(object, ['spec', 'parameters', 'name']),
        apiGroup: textAt(object, ['spec', 'parameters', 'apiGroup']),
      };
      if (kind === '') return '<none>';
      return `${apiGroup === '' ? kind : `${kind}.${apiGroup}`}/${name}`;
    }),
    ageColumn,
  ],
  'networking.k8s.io/v1/ipaddresses': [
    nameColumn,
    column('ParentRef', (object) =>
      ['group', 'resource', 'namespace', 'name']
        .map((member) => textAt(object, ['spec', 'parentRef', member]))
        .filter((part) => part !== '')
        .join('/'),
    ),
  ],
  'networking.k8s.io/v1/servicecidrs': [
    nameColumn,
    column('CIDRs', (object) => listAt(object, 'spec', 'cidrs').map(String).join(',')),
    ageColumn,
  ],
  'networking.k8s.io/v1/networkpolicies': [
    nameColumn,
    column('Pod-Selector', (object) => formatSelector(at(object, 'spec', 'podSelector'))),
    ageColumn,
  ],
  'policy/v1/poddisruptionbudgets': [
    nameColumn,
    plain('Min Available', ['spec', 'minAvailable'], 'N/A'),
    plain('Max Unavailable', ['spec', 'maxUnavailable'], 'N/A'),
    column('Allowed Disruptions', (object) => numberAt(object, ['status', 'disruptionsAllowed'])),
    ageColumn,
  ],
  'rbac.authorization.k8s.io/v1/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/v1/clusterrolebindings': bindingColumns,
  'storage.k8s.io/v1/storageclasses': [
    {
      ...nameColumn,
      cell: (object) => {
        const isDefault =
          object.metadata?.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
        return `${object.metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`;
      },
    },
    plain('Provisioner', ['provisioner']),
    plain('ReclaimPolicy', ['reclaimPolicy'], 'Delete'),
    plain('VolumeBindingMode', ['volumeBindingMode'], 'Immediate'),
    flag('AllowVolumeExpansion', 'allowVolumeExpansion'),
    ageColumn,
  ],
  'storage.k8s.io/v1/csidrivers': [
    nameColumn,
    flag('AttachRequired', 'spec', 'attachRequired'),
    flag('PodInfoOnMount', 'spec', 'podInfoOnMount'),
    flag('StorageCapacity', 'spec', 'storageCapacity'),
    column(
      'TokenRequests',
      (object) =>
        listAt(object, 'spec', 'tokenRequests')
          .map((request) => textAt(request, ['audience']))
          .join(',') || '<unset>',
    ),
    flag('RequiresRepublish', 'spec', 'requiresRepublish'),
    column('Modes', (object) => {
      return listAt(object, 'spec', 'volumeLifecycleModes').map(String).join(',') || '<none>';
    }),
    ageColumn,
  ],
  'storage.k8s.io/v1/csinodes': [nameColumn, count('Drivers', 'spec', 'drivers'), ageColumn],
  'storage.k8s.io/v1/volumeattachments': [
    nameColumn,
    plain('Attacher', ['spec', 'attacher']),
    plain('PV', ['spec', 'source', 'persistentVolumeName']),
    plain('Node', ['spec', 'nodeName']),
    flag('Attached', 'status', 'attached'),
    ageColumn,
  ],
  'storage.k8s.io/v1/volumeattributesclasses': [
    nameColumn,
    plain('DriverName', ['driverName']),
    ageColumn,
  ],
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': webhookColumns,
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': webhookColumns,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': policyColumns(
    'Validations',
    'validations',
  ),
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': policyColumns(
    'Mutations',
    'mutations',
  ),
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': policyBindingColumns,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': policyBindingColumns,
  'coordination.k8s.io/v1/leases': [
    nameColumn,
    plain('Holder', ['spec', 'holderIdentity']),
    ageColumn,
  ],
  'discovery.k8s.io/v1/endpointslices': [
    nameColumn,
    plain('AddressType', ['addressType']),
    column('Ports', slicePorts),
    column('Endpoints', sliceEndpoints),
    ageColumn,
  ],
};
