import { labelRequirementsOf, type LabelSelector, matchesLabels } from '@keelson/apimachinery';
import type { ServedResource } from '../resources/served-resource.ts';
import { failure, forbidden } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** The number of pods that an application can spare, as the disruption controller counted it last. */
export interface DisruptionBudget extends ApiObject {
  spec?: { selector?: LabelSelector; unhealthyPodEvictionPolicy?: string };
  status?: BudgetStatus;
}

interface BudgetStatus {
  observedGeneration?: number;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  disruptedPods?: Record<string, string>;
  conditions?: BudgetCondition[];
}

interface BudgetCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

/** Most evictions that the disruption controller may not have processed yet. */
const MAX_PENDING_DISRUPTIONS = 2000;

/** Returns the budget that selects a pod. Throws 500 for several budgets, as kube-apiserver does. */
export function budgetOf(budgets: ServedResource, pod: StoredObject): StoredObject | undefined {
  const found = [...budgets.store.values()].filter((stored) => {
    if (stored.metadata.namespace !== pod.metadata.namespace) return false;
    const { spec } = stored.parse() as DisruptionBudget;
    const selector = spec?.selector;
    return (
      selector !== undefined && matchesLabels(labelRequirementsOf(selector), pod.metadata.labels)
    );
  });
  if (found.length <= 1) return found[0];
  throw failure(
    500,
    '',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  );
}

/** True if the budget permits the eviction of unready pods: by its policy, or because enough pods are healthy. */
export function allowsUnhealthyEviction({ spec, status }: DisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  const isMet = desiredHealthy > 0 && currentHealthy >= desiredHealthy;
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || isMet;
}

/** Returns the status of a budget after one more eviction. Throws 429 or 403 if the budget does not allow it. */
export function budgetAfterEviction(
  budget: DisruptionBudget,
  pod: string,
  now: string,
): BudgetStatus {
  checkBudget(budget);
  const { status = {} } = budget;
  const disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  return {
    ...status,
    disruptionsAllowed,
    disruptedPods: { ...status.disruptedPods, [pod]: now },
    ...(disruptionsAllowed === 0 && { conditions: exhausted(status, now) }),
  };
}

function checkBudget({ metadata, status = {} }: DisruptionBudget): void {
  const { name = '', generation = 0 } = metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status;
  const subject = { group: 'policy', plural: 'poddisruptionbudget', kind: '', name };
  if (observedGeneration < generation) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed < 0) throw forbidden(subject, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_PENDING_DISRUPTIONS) {
    throw forbidden(
      subject,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (disruptionsAllowed === 0) throw refusal(refusalOf(name, status), 0);
}

function refusalOf(name: string, status: BudgetStatus): string {
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = status;
  const condition = conditions.find(({ type }) => type === allowed);
  const reported =
    condition?.status === 'False' && condition.message !== '' ? condition : undefined;
  const title = `The disruption budget ${name}`;
  if (reported?.reason === 'SyncFailed') {
    return `${title} does not allow evicting pods currently because it failed sync: ${reported.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `${title} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const why = reported === undefined ? '' : ` (${reported.reason}): ${reported.message}`;
  return `${title} does not allow evicting pods currently${why}`;
}

function refusal(message: string, retryAfterSeconds: number): Error {
  const title = "Cannot evict pod as it would violate the pod's disruption budget.";
  return failure(429, 'TooManyRequests', title, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  });
}

const allowed = 'DisruptionAllowed';

/** Conditions of a budget that allows no further disruption. */
function exhausted(status: BudgetStatus, now: string): BudgetCondition[] {
  const { conditions = [], observedGeneration = 0 } = status;
  const before = conditions.find(({ type }) => type === allowed);
  const condition = {
    type: allowed,
    status: 'False',
    ...(observedGeneration > 0 && { observedGeneration }),
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((other) => (other === before ? condition : other));
}
