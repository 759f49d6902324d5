import type { Status } from '@keelson/apimachinery';
import { timestamp } from '../schema/clock.ts';
import { sendValue } from '../presentation/object-response.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { SubresourceHandler } from './subresource-handler.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { badRequest, notFound } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { type DeleteOptions, readDeleteOptions } from '../verbs/delete-options.ts';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import { admitBody } from '../verbs/writes/admit-body.ts';
import { postedBody } from '../verbs/writes/posted-body.ts';
import type { ObjectRemover } from '../verbs/object-remover.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import { budgetAfterEviction, budgetOf, allowsUnhealthyEviction } from './disruption-budget.ts';

export interface EvictionContext {
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly admission: AdmissionChain;
  readonly now: () => number;
}

interface Pod extends ApiObject {
  status?: { phase?: string; conditions?: { type: string; status: string }[] };
}

interface Eviction {
  metadata?: { name?: string };
  deleteOptions?: object;
}

/**
 * Creates the handler of `pods/eviction`. It deletes a pod, or responds with 429 if a disruption budget forbids that.
 */
export function evictionHandler(context: EvictionContext): SubresourceHandler {
  const { registry, writer, remover, admission, now } = context;
  return async (request, pods) => {
    const { name } = request.info;
    const sent = await postedBody(request, pods, evictionKind);
    const eviction: Eviction = await admitBody(admission, request, pods, sent);
    const options = evictionOptions(request, eviction);
    const key = pods.key(request.info);
    const pod = pods.store.get(key);
    if (pod === undefined) throw notFound(pods.subject(name));
    const budgets = registry.find({
      group: 'policy',
      version: 'v1',
      plural: 'poddisruptionbudgets',
    });
    if (budgets !== undefined) countEviction(context, budgets, pods, pod, options);
    // The preconditions apply to the pod before it gets the condition.
    remover.remove(pods, key, { ...options, dryRun: true });
    if (!options.dryRun) {
      writer.update(pods, {
        key,
        scope: 'status',
        options: { dryRun: false, fieldManager: undefined },
        next: (current) => asTarget(current, timestamp(now())),
      });
      remover.remove(pods, key, { ...options, preconditions: {} });
    }
    await sendValue(request, 201, success);
  };
}

/** The response of subresources that return no object. */
export const success: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
};

const evictionKind = {
  group: 'policy',
  version: 'v1',
  kind: 'Eviction',
  olderVersion: 'policy/v1beta1',
};

function evictionOptions(
  request: ApiRequest & { readonly info: { readonly name: string } },
  { metadata, deleteOptions }: Eviction,
): DeleteOptions {
  if (metadata?.name !== request.info.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  return readDeleteOptions({ dryRun: request.query.getAll('dryRun'), ...deleteOptions });
}

/** Records the eviction in the status of the budget, so that it counts before the disruption controller notices it. */
function countEviction(
  { writer, now }: EvictionContext,
  budgets: ServedResource,
  pods: ServedResource,
  stored: StoredObject,
  { dryRun }: DeleteOptions,
): void {
  const pod = pods.read(stored) as Pod;
  const budget = isDisruptedAlready(pod) ? undefined : budgetOf(budgets, stored);
  if (budget === undefined) return;
  if (!isReady(pod) && allowsUnhealthyEviction(budgets.read(budget))) return;
  const { name = '' } = pod.metadata;
  writer.update(budgets, {
    key: budget.key,
    scope: 'status',
    options: { dryRun, fieldManager: 'kube-apiserver' },
    next: (current) => ({
      ...current,
      status: budgetAfterEviction(current, name, timestamp(now())),
    }),
  });
}

/** True for pods whose eviction disrupts nothing: they do not run, or are being deleted. */
function isDisruptedAlready({ metadata, status }: Pod): boolean {
  const { phase = 'Pending' } = status ?? {};
  return (
    metadata.deletionTimestamp !== undefined || ['Pending', 'Succeeded', 'Failed'].includes(phase)
  );
}

function isReady({ status }: Pod): boolean {
  const conditions = status?.conditions ?? [];
  return conditions.some((one) => one.type === 'Ready' && one.status === 'True');
}

/** Adds the condition with the reason of the eviction. */
function asTarget(object: ApiObject, lastTransitionTime: string): ApiObject {
  const pod = object as Pod;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return { ...pod, status: { ...pod.status, conditions: [...others, target] } };
}
