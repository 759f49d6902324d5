import { objectAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { childPath, invalid, type JsonObject, notSupported } from '@keelson/structural-schema';
import { validateConditions } from '../shared/rules-condition.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';
import { atLeastZero, atMostAll, countOrPercent } from '../../schema/validation-rule.ts';

const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

/** Validates a PodDisruptionBudget except its metadata. */
export function validateDisruptionBudget(budget: JsonObject): StatusCause[] {
  const spec = objectAt(budget, 'spec');
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy');
  return [
    ...notBoth(spec),
    ...['minAvailable', 'maxUnavailable'].flatMap((field) => [
      ...countOrPercent(spec[field], childPath('spec', field)),
      ...atMostAll(spec[field], childPath('spec', field)),
    ]),
    ...validateLabelSelector(objectAt(spec, 'selector'), 'spec.selector'),
    ...(spec.unhealthyPodEvictionPolicy === undefined || evictionPolicies.includes(policy)
      ? []
      : [notSupported('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies)]),
  ];
}

function notBoth(spec: JsonObject): StatusCause[] {
  const { minAvailable, maxUnavailable } = spec;
  if (minAvailable === undefined || maxUnavailable === undefined) return [];
  // kube-apiserver prints its internal struct, whose members have other names.
  const shown = {
    MinAvailable: minAvailable,
    Selector: spec.selector ?? null,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
  return [invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set')];
}

/** Validates the status of a PodDisruptionBudget. */
export function validateDisruptionBudgetStatus(budget: JsonObject): StatusCause[] {
  const status = objectAt(budget, 'status');
  const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
  return [
    ...validateConditions(status.conditions, 'status.conditions'),
    ...atLeastZero(status, 'status', ...counts),
  ];
}
