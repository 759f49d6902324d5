import { ensureObject, objectAt, objectsAt, textAt, textsAt } from '../json/json-members.ts';
import type { JsonObject } from '@keelson/structural-schema';
import type { UpdateContext } from '../schema/kind-schema.ts';
import { keepAllButEphemeral, keepAllButResources } from './pods/prepare-pod-part.ts';
import { dropNodeConfiguration } from './cluster/rules-node.ts';
import { addTaintTimes } from './devices/prepare-resource-slice.ts';
import { prepareConditions } from './certificates/prepare-certificate-request.ts';
import { prepareDataSources } from './storage/prepare-claim.ts';
import type { StructType } from '../schema/schema-type.ts';

/** The stored object, the written part and the time of an update. */
export interface PreparedUpdate extends UpdateContext {
  readonly old: JsonObject;
}

type Preparation = (object: JsonObject, update: PreparedUpdate) => void;

/** The changes of registries and default admission plugins to updates, by the name of the type. */
const preparations: Readonly<Record<string, Preparation>> = {
  'certificates.v1.CertificateSigningRequest': prepareConditions,
  'apps.v1.StatefulSet': dropDisabled,
  'core.v1.Node': (node, { old }) => {
    dropNodeConfiguration(node, old);
  },
  'resource.v1.ResourceSlice': addTaintTimes,
  'core.v1.Pod': (pod, { old, part }) => {
    if (part === 'status') prepareStatus(pod, old);
    if (part === 'object') addDefaultTolerations(objectAt(pod, 'spec'));
    if (part === 'ephemeralcontainers') keepAllButEphemeral(pod, old);
    if (part === 'resize') keepAllButResources(pod, old);
  },
  'core.v1.PersistentVolume': (volume, { old, part, now }) => {
    if (part === 'status') setTransitionTime(volume, old, now);
  },
  'core.v1.PersistentVolumeClaim': (claim, { old, part }) => {
    if (part === 'object') prepareDataSources(claim, old);
  },
  'apiextensions.v1.CustomResourceDefinition': (definition, { part }) => {
    if (part === 'object') addStoredVersion(definition);
  },
};

/** Changes an update to the form in which the server validates and stores it. */
export function prepareForUpdate(
  type: StructType,
  object: JsonObject,
  update: PreparedUpdate,
): void {
  preparations[type.name]?.(object, update);
}

/** The storage version of a definition is one in which objects may be stored from now on. */
function addStoredVersion(definition: JsonObject): void {
  const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
  const status = ensureObject(definition, 'status');
  const stored = textsAt(status, 'storedVersions');
  const added = versions
    .filter((version) => version.storage === true)
    .map((version) => textAt(version, 'name'))
    .filter((name) => !stored.includes(name));
  if (added.length > 0) status.storedVersions = [...stored, ...added];
}

/** Keeps the time of the last transition, or sets it if the phase changes and the client does not set it. */
function setTransitionTime(volume: JsonObject, old: JsonObject, now: string): void {
  const [status, before] = [ensureObject(volume, 'status'), objectAt(old, 'status')];
  const { lastPhaseTransitionTime: former } = before;
  if (status.phase !== before.phase) {
    const isUnset = status.lastPhaseTransitionTime === undefined;
    if (isUnset || status.lastPhaseTransitionTime === former) status.lastPhaseTransitionTime = now;
  } else if (former !== undefined) {
    status.lastPhaseTransitionTime ??= former;
  }
}

/** Removes the fields of the feature gate MaxUnavailableStatefulSet, which is off. */
export function dropDisabled(set: JsonObject): void {
  const strategy = objectAt(objectAt(set, 'spec'), 'updateStrategy');
  delete objectAt(strategy, 'rollingUpdate').maxUnavailable;
}

/** Adds the default tolerations: a pod tolerates a not-ready or unreachable node for five minutes. */
export function addDefaultTolerations(spec: JsonObject): void {
  const tolerations = objectsAt(spec, 'tolerations');
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    if (tolerations.some((toleration) => tolerates(toleration, key))) continue;
    tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}

function tolerates(toleration: JsonObject, key: string): boolean {
  const matchesKey = toleration.key === key || toleration.key === undefined;
  return matchesKey && (toleration.effect === 'NoExecute' || toleration.effect === undefined);
}

/** Restores status fields and owner references that old kubelets omit or break. */
function prepareStatus(pod: JsonObject, old: JsonObject): void {
  const [status, before] = [ensureObject(pod, 'status'), objectAt(old, 'status')];
  if (textAt(status, 'qosClass') === '' && before.qosClass !== undefined) {
    status.qosClass = before.qosClass;
  }
  keepGeneration(status, before);
  const known = objectsAt(before, 'conditions');
  for (const condition of objectsAt(status, 'conditions')) {
    const index = known.findIndex(({ type }) => type === condition.type);
    if (index === -1) continue;
    const [was] = known.splice(index, 1);
    keepGeneration(condition, was ?? {});
  }
  const { ownerReferences } = objectAt(old, 'metadata');
  const metadata = ensureObject(pod, 'metadata');
  if (ownerReferences === undefined) delete metadata.ownerReferences;
  else metadata.ownerReferences = ownerReferences;
}

function keepGeneration(part: JsonObject, before: JsonObject): void {
  if (part.observedGeneration !== undefined || before.observedGeneration === undefined) return;
  part.observedGeneration = before.observedGeneration;
}
