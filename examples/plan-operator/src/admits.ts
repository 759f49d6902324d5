import { specDifference } from '@keelson/intent';
import type { DeepReadonly } from '@keelson/manager';
import type { Instance } from './custom-resource.ts';

/** The decision of an admission webhook. */
export type Admission = { readonly allowed: true } | { readonly allowed: false; message: string };

// #region admits
/**
 * Refuses a change of the spec while a plan runs. A webhook may call it, which gives users the policy `reject`. The
 * operator does not depend on it: a change that no webhook refuses waits, or supersedes the plan.
 */
export function admits(before: DeepReadonly<Instance>, after: DeepReadonly<Instance>): Admission {
  const plan = before.status?.activePlan;
  const isBusy = plan !== undefined && plan !== null && plan.status !== 'FatalError';
  if (!isBusy || specDifference(before.spec, after.spec).isEmpty) return { allowed: true };
  const message = `plan ${plan.plan} of generation ${plan.generation} is ${plan.status}`;
  return { allowed: false, message };
}
// #endregion
