import { objectAt, objectsAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  invalid,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { shownSuccessPolicy } from './rules-success-policy.ts';
import { immutable, without } from '../../schema/validation-rule.ts';

const detail = 'field is immutable';

/** Validates an update of a Job: the template of its pods is immutable. */
export function validateJobChange(job: JsonObject, old: JsonObject): StatusCause[] {
  return [
    ...validateCompletions(objectAt(job, 'spec'), objectAt(old, 'spec')),
    ...immutable(job, old, 'spec', 'selector'),
    ...validateTemplateChange(job, old),
    ...immutable(job, old, 'spec', 'completionMode'),
    ...validatePolicyChange(objectAt(job, 'spec'), objectAt(old, 'spec')),
    ...['backoffLimitPerIndex', 'managedBy'].flatMap((field) => immutable(job, old, 'spec', field)),
    ...validateSuccessChange(objectAt(job, 'spec'), objectAt(old, 'spec')),
  ];
}

function validateSuccessChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (jsonEquals(spec.successPolicy, before.successPolicy)) return [];
  return [invalid('spec.successPolicy', shownSuccessPolicy(spec.successPolicy), detail)];
}

/** An Indexed Job may change `completions` together with `parallelism`. */
function validateCompletions(spec: JsonObject, before: JsonObject): StatusCause[] {
  const { completions, parallelism, completionMode } = spec;
  if (jsonEquals(completions, before.completions)) return [];
  if (completionMode !== 'Indexed') return [invalid('spec.completions', completions, detail)];
  if (completions === undefined || completions === parallelism) return [];
  const why = 'can only be modified in tandem with spec.parallelism';
  return [invalid('spec.completions', completions, why)];
}

function validatePolicyChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (jsonEquals(spec.podFailurePolicy, before.podFailurePolicy)) return [];
  return [invalid('spec.podFailurePolicy', shownPolicy(spec.podFailurePolicy), detail)];
}

/** The policy in the form of the internal struct, which kube-apiserver prints: other names, no absent members. */
function shownPolicy(policy: JsonValue | undefined): JsonValue {
  if (!isJsonObject(policy)) return null;
  const rules = objectsAt(policy, 'rules').map((rule) => ({
    Action: rule.action ?? '',
    OnExitCodes: shownCodes(rule.onExitCodes),
    OnPodConditions: Array.isArray(rule.onPodConditions)
      ? objectsAt(rule, 'onPodConditions').map(({ type = '', status = '' }) => ({
          Type: type,
          Status: status,
        }))
      : null,
  }));
  return { Rules: Array.isArray(policy.rules) ? rules : null };
}

function shownCodes(codes: JsonValue | undefined): JsonValue {
  if (!isJsonObject(codes)) return null;
  const { containerName = null, operator = '', values = null } = codes;
  return { ContainerName: containerName, Operator: operator, Values: values };
}

/**
 * While a Job is suspended and has no running pods, its template may change scheduling fields and resource requests.
 */
function validateTemplateChange(job: JsonObject, old: JsonObject): StatusCause[] {
  const spec = objectAt(job, 'spec');
  const template = objectAt(spec, 'template');
  const before = objectAt(objectAt(old, 'spec'), 'template');
  const isSuspended = objectAt(old, 'spec').suspend === true;
  if (isSuspended && mayChange(old)) {
    const [next, last] = [fixedSpec(template), fixedSpec(before)];
    if (jsonEquals(next, last)) return [];
    return [invalid('spec.template.spec', template.spec, detail)];
  }
  return jsonEquals(template, before) ? [] : [invalid('spec.template', template, detail)];
}

/** True if no pod of the Job runs. */
function mayChange(job: JsonObject): boolean {
  const status = objectAt(job, 'status');
  const isSuspended = objectsAt(status, 'conditions').some(
    (condition) => condition.type === 'Suspended' && condition.status === 'True',
  );
  return (status.startTime === undefined || isSuspended) && Number(status.active ?? 0) === 0;
}

function fixedSpec(template: JsonObject): JsonObject {
  const spec = without(
    objectAt(template, 'spec'),
    'nodeSelector',
    'tolerations',
    'schedulingGates',
  );
  const affinity = without(objectAt(spec, 'affinity'), 'nodeAffinity');
  delete spec.affinity;
  if (Object.keys(affinity).length > 0) spec.affinity = affinity;
  for (const field of ['containers', 'initContainers']) {
    if (spec[field] === undefined) continue;
    spec[field] = objectsAt(spec, field).map((container) => without(container, 'resources'));
  }
  return spec;
}
