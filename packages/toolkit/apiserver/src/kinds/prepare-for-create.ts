import { ensureObject, objectAt, objectsAt, textAt } from '../json/json-members.ts';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@keelson/structural-schema';
import { zeroOf } from '../schema/decode.ts';
import { fill } from '../schema/default-rule.ts';
import type { CreateContext } from '../schema/kind-schema.ts';
import type { StructType } from '../schema/schema-type.ts';
import { addDefaultTolerations, dropDisabled } from './prepare-for-update.ts';
import { dropNodeConfiguration } from './cluster/rules-node.ts';
import { addTaintTimes } from './devices/prepare-resource-slice.ts';
import { setRequester } from './certificates/prepare-certificate-request.ts';
import { preparePod } from './pods/prepare-pod.ts';
import { prepareDataSources } from './storage/prepare-claim.ts';
import { setDefaults } from './set-defaults.ts';

type Preparation = (object: JsonObject, context: CreateContext) => void;

/** The changes of registries and default admission plugins to new objects, by the name of the type. */
const preparations: Readonly<Record<string, Preparation>> = {
  'core.v1.Pod': (pod, context) => {
    addDefaultTolerations(objectAt(pod, 'spec'));
    preparePod(pod, context);
  },
  'core.v1.Service': (service, context) => {
    // A create through the status subresource gets no address.
    if (context.part !== 'status') prepareService(objectAt(service, 'spec'), context);
  },
  'core.v1.Namespace': (namespace) => {
    addToList(ensureObject(namespace, 'spec'), 'finalizers', 'kubernetes');
    // The default has named it unless the server generated the name.
    const metadata = objectAt(namespace, 'metadata');
    ensureObject(metadata, 'labels')['kubernetes.io/metadata.name'] = textAt(metadata, 'name');
  },
  'core.v1.LimitRange': (limits) => {
    const metadata = ensureObject(limits, 'metadata');
    if (textAt(metadata, 'name') === '') metadata.name = randomUUID();
  },
  'core.v1.Node': (node) => {
    dropNodeConfiguration(node);
    // A new node stays unschedulable until the node controller finds it ready.
    const taints = objectsAt(ensureObject(node, 'spec'), 'taints');
    if (taints.some((taint) => taint.key === notReady)) return;
    ensureObject(node, 'spec').taints = [...taints, { key: notReady, effect: 'NoSchedule' }];
  },
  'core.v1.PersistentVolume': (volume, { now }) => {
    addToList(ensureObject(volume, 'metadata'), 'finalizers', 'kubernetes.io/pv-protection');
    ensureObject(volume, 'status').lastPhaseTransitionTime = now;
  },
  'core.v1.PersistentVolumeClaim': (claim) => {
    prepareDataSources(claim);
    addToList(ensureObject(claim, 'metadata'), 'finalizers', 'kubernetes.io/pvc-protection');
  },
  'storage.v1.VolumeAttributesClass': (attributesClass) => {
    const metadata = ensureObject(attributesClass, 'metadata');
    addToList(metadata, 'finalizers', 'kubernetes.io/vac-protection');
  },
  'discovery.v1.EndpointSlice': (slice) => {
    // The field is of former versions; new objects cannot set it.
    for (const endpoint of objectsAt(slice, 'endpoints')) delete endpoint.deprecatedTopology;
  },
  'apps.v1.DaemonSet': (daemonSet) => {
    const annotations = ensureObject(ensureObject(daemonSet, 'metadata'), 'annotations');
    if (!(Number(annotations[templateGeneration]) >= 1)) annotations[templateGeneration] = '1';
  },
  'resource.v1.ResourceSlice': addTaintTimes,
  'apps.v1.StatefulSet': dropDisabled,
  'certificates.v1.CertificateSigningRequest': (request, { requester }) => {
    setRequester(request, requester);
  },
  'batch.v1.Job': prepareJob,
  'apiextensions.v1.CustomResourceDefinition': (definition) => {
    const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
    const stored = versions.filter((version) => version.storage === true);
    objectAt(definition, 'status').storedVersions = stored.map((version) => version.name ?? '');
  },
};

const templateGeneration = 'deprecated.daemonset.template.generation';

/** Kinds that keep their status on create: the kubelet creates a node with its measured status. */
const keepsStatus = new Set(['core.v1.Node']);
const notReady = 'node.kubernetes.io/not-ready';

/** Changes a new object with defaults to the form in which the server stores it. */
export function prepareForCreate(
  type: StructType,
  object: JsonObject,
  context: CreateContext,
): void {
  resetStatus(type, object);
  preparations[type.name]?.(object, context);
}

function resetStatus(type: StructType, object: JsonObject): void {
  const field = type.fields.get('status');
  if (field?.type.kind !== 'struct' || keepsStatus.has(type.name)) return;
  if (field.empty !== 'zero') {
    delete object.status;
    return;
  }
  const status = zeroOf(field) as JsonObject;
  setDefaults(field.type, status);
  object.status = status;
}

/** A Job selects its pods by uid, with the old and the new name of the label. */
function prepareJob(job: JsonObject): void {
  const metadata = objectAt(job, 'metadata');
  const { uid = '', name = '' } = metadata;
  const spec = objectAt(job, 'spec');
  if (spec.manualSelector === true) return;
  const template = ensureObject(ensureObject(spec, 'template'), 'metadata');
  // A Job without labels shares those of its template, see its defaults.
  const hasOwn = metadata.labels !== template.labels;
  const labels = ensureObject(template, 'labels');
  fill(labels, {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
  });
  if (!hasOwn) metadata.labels = { ...labels };
  const selector = ensureObject(spec, 'selector');
  fill(ensureObject(selector, 'matchLabels'), { 'batch.kubernetes.io/controller-uid': uid });
}

function prepareService(spec: JsonObject, context: CreateContext): void {
  if (spec.type === 'ExternalName') return;
  fill(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  if (spec.clusterIP === undefined) spec.clusterIP = context.allocateClusterIp();
  fill(spec, { clusterIPs: [spec.clusterIP] });
  const needsNodePorts =
    spec.type === 'NodePort' ||
    (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === true);
  if (!needsNodePorts) return;
  for (const port of objectsAt(spec, 'ports')) port.nodePort ??= context.allocateNodePort();
}

function addToList(object: JsonObject, key: string, item: string): void {
  const list = Array.isArray(object[key]) ? object[key] : [];
  if (!list.includes(item)) object[key] = [...list, item];
}
