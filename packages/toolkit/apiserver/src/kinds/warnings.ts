import { objectAt, objectsAt, textAt } from '../json/json-members.ts';
import { indexPath, type JsonObject, unknownFormats } from '@keelson/structural-schema';
import type { StructType } from '../schema/schema-type.ts';
import { nodeWarnings } from './cluster/rules-node.ts';
import { sliceWarnings } from './devices/rules-resource-slice.ts';
import { driverWarnings } from './storage/rules-storage-class.ts';
import { fractions, podWarnings } from './pods/warnings-pod.ts';
import { claimWarnings, volumeWarnings } from './storage/warnings-storage.ts';

/** Returns the warnings for a write of an object; `old` is present on update. */
type WarningRule = (object: JsonObject, old?: JsonObject) => string[];

const rules: Readonly<Record<string, WarningRule>> = {
  'apiextensions.v1.CustomResourceDefinition': ofDefinition,
  'core.v1.Pod': (pod, old) => (old === undefined ? podWarnings(pod, '') : []),
  'apps.v1.Deployment': ofTemplate,
  'apps.v1.ReplicaSet': ofTemplate,
  'apps.v1.DaemonSet': ofTemplate,
  'apps.v1.StatefulSet': (set, old) => [...ofTemplate(set, old), ...ofStatefulSet(set, old)],
  'batch.v1.Job': ofTemplate,
  'core.v1.Node': nodeWarnings,
  'storage.v1.CSIDriver': driverWarnings,
  'resource.v1.ResourceSlice': sliceWarnings,
  'batch.v1.CronJob': ofCronJob,
  // kube-apiserver warns about the former template on update.
  'core.v1.ReplicationController': (controller, old) =>
    isSettled(controller, old) ? [] : ofTemplate(old ?? controller),
  'core.v1.PersistentVolume': volumeWarnings,
  'core.v1.PersistentVolumeClaim': claimWarnings,
};

/** The warnings for a write of a built-in kind. */
export function builtinWarnings(
  type: StructType,
  object: JsonObject,
  old: JsonObject | undefined,
): string[] {
  return rules[type.name]?.(object, old) ?? [];
}

function ofTemplate(workload: JsonObject, old?: JsonObject): string[] {
  if (isSettled(workload, old)) return [];
  return podWarnings(objectAt(objectAt(workload, 'spec'), 'template'), 'spec.template');
}

/** True if an update keeps the generation; then its template causes no warnings. */
function isSettled(object: JsonObject, old: JsonObject | undefined): boolean {
  if (old === undefined) return false;
  return objectAt(object, 'metadata').generation === objectAt(old, 'metadata').generation;
}

function ofStatefulSet(set: JsonObject, old: JsonObject | undefined): string[] {
  const spec = objectAt(set, 'spec');
  const claims = objectsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) => {
    const place = indexPath('spec.volumeClaimTemplates', index);
    const { requests, limits } = objectAt(objectAt(claim, 'spec'), 'resources');
    const path = old === undefined ? place : `${place}.Spec`;
    return [
      ...fractions((requests ?? {}) as JsonObject, `${path}.resources.requests`, ['storage']),
      ...fractions((limits ?? {}) as JsonObject, `${path}.resources.limits`, ['storage']),
    ];
  });
  const history =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  return [...claims, ...(Number(spec.revisionHistoryLimit ?? 0) < 0 ? [history] : [])];
}

function ofCronJob(cronJob: JsonObject, old: JsonObject | undefined): string[] {
  const spec = objectAt(cronJob, 'spec');
  const template = objectAt(objectAt(objectAt(spec, 'jobTemplate'), 'spec'), 'template');
  const found = isSettled(cronJob, old)
    ? []
    : podWarnings(template, 'spec.jobTemplate.spec.template');
  if (old === undefined || !textAt(spec, 'schedule').includes('TZ')) return found;
  // kube-apiserver uses this name of the field.
  const zone =
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  return [...found, zone];
}

/** Warns about formats in the schemas of a new definition that the server does not check. */
function ofDefinition(definition: JsonObject, old?: JsonObject): string[] {
  if (old !== undefined) return [];
  const formats = objectsAt(objectAt(definition, 'spec'), 'versions').flatMap((version) =>
    unknownFormats(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema')),
  );
  return [...new Set(formats)].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}
