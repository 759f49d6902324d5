import { labelRequirementsOf, type LabelSelector, matchesLabels } from '@keelson/apimachinery';
import { answerJson } from '../http/answer.ts';
import type { SubresourceHandler } from '../http/resource-router.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { failure, notFound } from '../status-answers.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { type DeleteOptions, readDeleteOptions } from '../verbs/delete-options.ts';
import { decodeObject } from '../verbs/object-body.ts';
import type { ObjectRemover } from '../verbs/object-remover.ts';

interface DisruptionBudget {
  spec?: { selector?: LabelSelector };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
  };
}

/** Deletes a pod unless a disruption budget forbids it: 429 then, as clients of the API expect. */
export function evictionHandler(
  remover: ObjectRemover,
  registry: ResourceRegistry,
): SubresourceHandler {
  return async (request, resource) => {
    const contentType = request.headers['content-type'];
    const { value } = await decodeObject(await request.body(), contentType, 'Eviction');
    const key = resource.key(request.info);
    const pod = resource.store.get(key);
    if (pod === undefined) throw notFound(resource.subject(request.info.name));
    checkBudgets(registry, pod);
    const options: DeleteOptions = readDeleteOptions({
      dryRun: request.query.getAll('dryRun'),
      ...(value['deleteOptions'] as object | undefined),
    });
    remover.remove(resource, key, options);
    answerJson(request.response, 201, success);
  };
}

/** What subresources that only act answer with. */
export const success: object = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
};

function checkBudgets(registry: ResourceRegistry, pod: StoredObject): void {
  const budgets = registry.find({ group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' });
  const blocking = budgets && blockingBudget(budgets, pod);
  if (blocking === undefined) return;
  throw failure(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: refusalOf(blocking),
        },
      ],
      retryAfterSeconds: 10,
    },
  );
}

function refusalOf(stored: StoredObject): string {
  const { name = '', generation = 0 } = stored.metadata;
  const { status = {} } = stored.parse() as DisruptionBudget;
  const { observedGeneration = 0, currentHealthy = 0, desiredHealthy = 0 } = status;
  return observedGeneration < generation
    ? `The disruption budget ${name} is still being processed by the server.`
    : `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

/** No controller counts healthy pods here: a budget allows what its stored status says. */
function blockingBudget(budgets: ServedResource, pod: StoredObject): StoredObject | undefined {
  return [...budgets.store.values()].find((stored) => {
    if (stored.metadata.namespace !== pod.metadata.namespace) return false;
    const { spec, status } = stored.parse() as DisruptionBudget;
    if (spec?.selector === undefined) return false;
    const selected = matchesLabels(labelRequirementsOf(spec.selector), pod.metadata.labels);
    if (!selected) return false;
    const { observedGeneration = 0, disruptionsAllowed = 0 } = status ?? {};
    return observedGeneration < (stored.metadata.generation ?? 0) || disruptionsAllowed <= 0;
  });
}
