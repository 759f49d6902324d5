import { jsonEquals, type JsonObject } from '@keelson/structural-schema';
import { ensureObject, objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { fill } from '../../schema/default-rule.ts';
import type { CreateContext } from '../../schema/kind-schema.ts';
import { qosClassOf } from './qos-class.ts';
import { appArmorPrefix } from './rules-pod-annotations.ts';
import { validateAppArmorProfile } from './rules-security.ts';
import { placedContainers } from './rules-windows.ts';

/** Completes a new pod with what its registry and default admission plugins set. */
export function preparePod(
  pod: JsonObject,
  { now, warnings = [] }: Pick<CreateContext, 'now' | 'warnings'>,
): void {
  const spec = objectAt(pod, 'spec');
  fill(spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  const isGated = objectsAt(spec, 'schedulingGates').length > 0;
  const gated = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  pod.status = {
    phase: 'Pending',
    ...(isGated && { conditions: [gated] }),
    qosClass: qosClassOf(spec),
  };
  mergeLabelKeys(pod);
  warnings.push(...readAppArmorAnnotations(pod));
}

/** Adds the values of the pod's own labels to selectors that name labels by their keys. */
function mergeLabelKeys(pod: JsonObject): void {
  const labels = objectAt(objectAt(pod, 'metadata'), 'labels');
  const spec = objectAt(pod, 'spec');
  for (const term of [...affinityTerms(spec), ...objectsAt(spec, 'topologySpreadConstraints')]) {
    if (term.labelSelector === undefined) continue;
    const selector = ensureObject(term, 'labelSelector');
    const added = [
      ...expressionsOf(textsAt(term, 'matchLabelKeys'), 'In', labels),
      ...expressionsOf(textsAt(term, 'mismatchLabelKeys'), 'NotIn', labels),
    ];
    if (added.length === 0) continue;
    selector.matchExpressions = [...objectsAt(selector, 'matchExpressions'), ...added];
  }
}

function affinityTerms(spec: JsonObject): JsonObject[] {
  const affinity = objectAt(spec, 'affinity');
  return [objectAt(affinity, 'podAffinity'), objectAt(affinity, 'podAntiAffinity')].flatMap(
    (each) => [
      ...objectsAt(each, 'preferredDuringSchedulingIgnoredDuringExecution').map((term) =>
        objectAt(term, 'podAffinityTerm'),
      ),
      ...objectsAt(each, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ],
  );
}

function expressionsOf(
  keys: readonly string[],
  operator: string,
  labels: JsonObject,
): JsonObject[] {
  return keys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
}

/**
 * Gives each container without an AppArmor profile that of its annotation. Returns the warnings about annotations without a
 * field. Source: `applyAppArmorVersionSkew` in `pkg/registry/core/pod/strategy.go`.
 */
function readAppArmorAnnotations(pod: JsonObject): string[] {
  const spec = objectAt(pod, 'spec');
  if (objectAt(spec, 'os').name === 'windows') return [];
  const annotations = objectAt(objectAt(pod, 'metadata'), 'annotations');
  const ofPod = objectAt(spec, 'securityContext').appArmorProfile;
  return placedContainers(spec, '').flatMap(([container]) => {
    const key = `${appArmorPrefix}${textAt(container, 'name')}`;
    const text = annotations[key];
    const own = objectAt(container, 'securityContext').appArmorProfile;
    if (typeof text !== 'string' || own !== undefined) return [];
    const profile = profileOf(text);
    if (profile !== undefined && jsonEquals(profile, ofPod)) return [];
    if (profile !== undefined) ensureObject(container, 'securityContext').appArmorProfile = profile;
    const field = `metadata.annotations[${key}]`;
    return [`${field}: deprecated since v1.30; use the "appArmorProfile" field instead`];
  });
}

/** The valid profile that an annotation names. */
function profileOf(text: string): JsonObject | undefined {
  const profile = namedProfile(text);
  if (profile === undefined || validateAppArmorProfile(profile, '').length > 0) return undefined;
  return profile;
}

function namedProfile(text: string): JsonObject | undefined {
  if (text === 'unconfined') return { type: 'Unconfined' };
  if (text === 'runtime/default') return { type: 'RuntimeDefault' };
  const [, localhostProfile = ''] = /^localhost\/(.*)$/s.exec(text) ?? [];
  return localhostProfile === '' ? undefined : { type: 'Localhost', localhostProfile };
}
