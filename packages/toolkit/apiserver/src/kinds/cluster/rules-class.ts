import { objectAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { forbidden, type JsonObject, notSupported, required } from '@keelson/structural-schema';
import type { ValidationRules } from '../../schema/validation-rule.ts';

const systemPriorities: ReadonlySet<string> = new Set([
  'system-cluster-critical',
  'system-node-critical',
]);

const preemptionPolicies = ['PreemptLowerPriority', 'Never'];
const MAX_USER_PRIORITY = 1_000_000_000;

/** Validation rules of PriorityClasses. */
export const classRules: ValidationRules = {
  'scheduling.v1.PriorityClass': (priority) => [
    ...validatePriority(priority),
    ...validatePreemption(priority),
  ],
};

function validatePriority(priority: JsonObject): StatusCause[] {
  const name = textAt(objectAt(priority, 'metadata'), 'name');
  if (systemPriorities.has(name)) return [];
  if (!name.startsWith('system-')) return userPriority(priority);
  const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
  return [forbidden('metadata.name', detail)];
}

function validatePreemption({ preemptionPolicy }: JsonObject): StatusCause[] {
  if (preemptionPolicy === '') return [required('preemptionPolicy')];
  return typeof preemptionPolicy !== 'string' || preemptionPolicies.includes(preemptionPolicy)
    ? []
    : [notSupported('preemptionPolicy', preemptionPolicy, preemptionPolicies)];
}

function userPriority({ value }: JsonObject): StatusCause[] {
  if (Number(value) <= MAX_USER_PRIORITY) return [];
  const detail = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`;
  return [forbidden('value', detail)];
}
