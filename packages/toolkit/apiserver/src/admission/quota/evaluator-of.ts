import { claimEvaluator } from './claim-evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { countEvaluator, type QuotaEvaluator, type QuotaResource } from './quota-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

const measured: Readonly<Record<string, QuotaEvaluator>> = {
  persistentvolumeclaims: claimEvaluator,
  pods: podEvaluator,
  services: serviceEvaluator,
};

/** Selects the evaluator of a resource. Most resources count by number of objects; Events do not count. */
export function evaluatorOf(resource: QuotaResource): QuotaEvaluator | undefined {
  if (resource.plural === 'events') return undefined;
  return (
    (resource.group === '' ? measured[resource.plural] : undefined) ?? countEvaluator(resource)
  );
}
