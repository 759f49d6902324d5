import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { schemaOf } from './recorded.test-support.ts';

/** Decodes and completes an object as the server does before it validates it. */
function prepared(object: KubernetesObject): KubernetesObject {
  const schema = schemaOf(object);
  const complete = structuredClone(object);
  schema.decode(complete);
  schema.setDefaults(complete);
  complete.metadata = { ...complete.metadata, namespace: 'default' };
  return complete;
}

/** The causes in the form `REASON field`, of a create or of an update. */
function causesOf(object: KubernetesObject, old?: KubernetesObject): string[] {
  const before = old === undefined ? undefined : prepared(old);
  const causes = schemaOf(object).validate(prepared(object), before);
  return causes.map(({ reason = '', field = '' }) => `${reason.slice(10)} ${field}`);
}

const metadata = { name: 'x', namespace: 'default' };
const parts = (apiVersion: string, kind: string, body: object): KubernetesObject => ({
  apiVersion,
  kind,
  metadata,
  ...body,
});

const port = { port: 80, endPort: 5, protocol: 'ICMP' };
const claim = { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] };
const event = {
  eventTime: '2024-01-01T00:00:00.000000Z',
  reportingController: 'a',
  reportingInstance: 'i',
  action: 'a',
  reason: 'r',
  type: 'Normal',
  regarding: { namespace: 'default' },
};

describe('Invalid bodies', () => {
  test.each([
    [
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { spec: { podSelector: {}, ingress: [{ ports: [port], from: [{}] }], policyTypes: ['Up'] } },
      [
        'NotSupported spec.ingress[0].ports[0].protocol',
        'Invalid spec.ingress[0].ports[0].endPort',
        'Required spec.ingress[0].from[0]',
        'NotSupported spec.policyTypes[0]',
      ],
    ],
    [
      'networking.k8s.io/v1',
      'IngressClass',
      { spec: { controller: 'example', parameters: { kind: 'a/b', scope: 'Namespace' } } },
      [
        'Invalid spec.controller',
        'Invalid spec.parameters.kind',
        'Required spec.parameters.name',
        'Required spec.parameters.namespace',
      ],
    ],
    ['networking.k8s.io/v1', 'ServiceCIDR', { spec: { cidrs: [] } }, ['Required spec.cidrs']],
    [
      'networking.k8s.io/v1',
      'ServiceCIDR',
      { spec: { cidrs: ['10.0.0.0/8', '10.0.0.1/8'] } },
      ['Invalid spec.cidrs[1]', 'Invalid spec.cidrs'],
    ],
    [
      'networking.k8s.io/v1',
      'IPAddress',
      { spec: { parentRef: { name: 'a/b' } } },
      ['Invalid metadata.name', 'Required spec.parentRef.resource', 'Invalid spec.parentRef.name'],
    ],
    [
      'v1',
      'Endpoints',
      { subsets: [{}, { addresses: [{ ip: '::1' }], ports: [{ port: 0 }] }] },
      [
        'Required subsets[0]',
        'Invalid subsets[1].addresses[0].ip',
        'Invalid subsets[1].ports[0].port',
      ],
    ],
    [
      'discovery.k8s.io/v1',
      'EndpointSlice',
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: [] }],
        ports: [{ name: 'a' }, { name: 'a' }],
      },
      ['Duplicate ports[1].name', 'Required endpoints[0].addresses'],
    ],
    [
      'flowcontrol.apiserver.k8s.io/v1',
      'PriorityLevelConfiguration',
      { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue' } }, exempt: {} } },
      ['Forbidden spec.exempt', 'Required spec.limited.limitResponse.queuing'],
    ],
    [
      'flowcontrol.apiserver.k8s.io/v1',
      'FlowSchema',
      { spec: { matchingPrecedence: 1, rules: [{ subjects: [{ kind: 'User', group: {} }] }] } },
      [
        'Invalid spec.matchingPrecedence',
        'Required spec.priorityLevelConfiguration.name',
        'Required spec.rules[0].subjects[0].user',
        'Forbidden spec.rules[0].subjects[0].group',
        'Required spec.rules[0]',
      ],
    ],
    [
      'storage.k8s.io/v1',
      'CSIDriver',
      { spec: { fsGroupPolicy: 'Some', tokenRequests: [{ audience: '' }, { audience: '' }] } },
      ['NotSupported spec.fsGroupPolicy', 'Duplicate spec.tokenRequests[1].audience'],
    ],
    [
      'storage.k8s.io/v1',
      'StorageClass',
      { provisioner: 'a b', parameters: { '': 'a' }, reclaimPolicy: 'Recycle' },
      ['Invalid provisioner', 'Invalid parameters', 'NotSupported reclaimPolicy'],
    ],
    [
      'storage.k8s.io/v1',
      'CSIStorageCapacity',
      { capacity: '-1' },
      ['Invalid storageClassName', 'Invalid capacity'],
    ],
    [
      'storage.k8s.io/v1',
      'VolumeAttributesClass',
      {},
      ['Required driverName', 'Required parameters'],
    ],
    [
      'node.k8s.io/v1',
      'RuntimeClass',
      { handler: 'A', scheduling: { nodeSelector: { 'a b': 'c' } } },
      ['Invalid handler', 'Invalid scheduling.nodeSelector'],
    ],
    [
      'apiregistration.k8s.io/v1',
      'APIService',
      {
        spec: { version: 'v1', group: 'a.example.com', groupPriorityMinimum: 1, caBundle: 'YQ==' },
      },
      ['Invalid metadata.name', 'Invalid spec.versionPriority', 'Invalid spec.caBundle'],
    ],
    [
      'resource.k8s.io/v1',
      'DeviceClass',
      { spec: { selectors: [{}], config: [{}], extendedResourceName: 'cpu' } },
      [
        'Required spec.selectors[0].cel',
        'Required spec.config[0].opaque',
        'Invalid spec.extendedResourceName',
      ],
    ],
    [
      'resource.k8s.io/v1',
      'ResourceClaim',
      { spec: { devices: { requests: [{ name: 'a' }], constraints: [{ requests: ['b'] }] } } },
      [
        'Required spec.devices.requests[0]',
        'Invalid spec.devices.constraints[0].requests[0]',
        'Required spec.devices.constraints[0]',
      ],
    ],
    ['v1', 'Event', { involvedObject: { namespace: 'a' } }, ['Invalid involvedObject.namespace']],
    [
      'events.k8s.io/v1',
      'Event',
      { ...event, type: 'Odd', series: { count: 1 }, deprecatedCount: 1 },
      ['Invalid series.count', 'Required series.lastObservedTime', 'Invalid type', 'Invalid count'],
    ],
  ])('%s %s is rejected with every cause', (apiVersion, kind, body, causes) => {
    expect(causesOf(parts(apiVersion, kind, body))).toEqual(causes);
  });

  test.each([
    [
      'networking.k8s.io/v1',
      'ServiceCIDR',
      { spec: { cidrs: ['10.0.0.0/8'] } },
      { spec: { cidrs: ['11.0.0.0/8'] } },
      ['Invalid spec.cidrs[0]'],
    ],
    [
      'networking.k8s.io/v1',
      'ServiceCIDR',
      { spec: { cidrs: ['10.0.0.0/8'] } },
      { spec: { cidrs: ['10.0.0.0/8', '2001:db8::/64'] } },
      [],
    ],
    [
      'storage.k8s.io/v1',
      'CSIDriver',
      { spec: {} },
      { spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] } },
      ['Invalid spec.attachedRequired', 'Invalid spec.volumeLifecycleModes'],
    ],
    [
      'storage.k8s.io/v1',
      'CSIStorageCapacity',
      { storageClassName: 'a' },
      { storageClassName: 'b' },
      ['Invalid storageClassName'],
    ],
    [
      'storage.k8s.io/v1',
      'VolumeAttributesClass',
      { driverName: 'a', parameters: { a: 'b' } },
      { driverName: 'b', parameters: { a: 'c' } },
      ['Forbidden driverName', 'Forbidden parameters'],
    ],
    ['node.k8s.io/v1', 'RuntimeClass', { handler: 'a' }, { handler: 'b' }, ['Invalid handler']],
    [
      'resource.k8s.io/v1',
      'ResourceClaim',
      { spec: { devices: claim } },
      { spec: { devices: {} } },
      ['Invalid spec'],
    ],
    [
      'v1',
      'Endpoints',
      { subsets: [{ addresses: [{ ip: '::1' }] }] },
      { subsets: [{ addresses: [{ ip: '::1' }] }] },
      [],
    ],
    [
      'events.k8s.io/v1',
      'Event',
      event,
      { ...event, reason: 'other', related: { name: 'a' } },
      ['Invalid reason', 'Invalid reason', 'Invalid related'],
    ],
  ])('%s %s keeps its immutable fields', (apiVersion, kind, before, after, causes) => {
    expect(causesOf(parts(apiVersion, kind, after), parts(apiVersion, kind, before))).toEqual(
      causes,
    );
  });

  test('an IPAddress may have an IPv6 name and keeps its parent', () => {
    const parent = (name: string): KubernetesObject => ({
      ...parts('networking.k8s.io/v1', 'IPAddress', {
        spec: { parentRef: { resource: 'services', name } },
      }),
      metadata: { name: '2001:db8::1' },
    });
    expect(causesOf(parent('a'))).toEqual([]);
    expect(causesOf(parent('b'), parent('a'))).toEqual(['Invalid spec.parentRef']);
  });
});
