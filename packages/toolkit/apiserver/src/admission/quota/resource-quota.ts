import { objectAt, textAt } from '../../json/json-members.ts';
import { compareQuantities, subtractQuantities } from '@keelson/cel/internal';
import { asJson, type JsonObject, ownValue } from '@keelson/structural-schema';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { type AdmissionPlugin, type AdmissionRequest, refused } from '../admission-plugin.ts';
import {
  addLists,
  pickFrom,
  type ResourceList,
  resourceList,
} from '../../kinds/shared/resource-list.ts';
import { objectsIn } from '../stored-objects.ts';
import { evaluatorOf } from './evaluator-of.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';
import { isIncluded } from './quota-usage.ts';

/** The parts of the server that the plugin uses. */
export interface ResourceQuotaContext {
  readonly quotas: ResourceStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Stores the usage of a quota in its status. */
  readonly setUsed: (quota: JsonObject, used: ResourceList) => void;
}

/** A quota that a write would use, with the amount. */
interface Charge {
  readonly quota: JsonObject;
  readonly requested: ResourceList;
  readonly used: ResourceList;
}

/**
 * Rejects writes that would exceed a quota of the namespace, and counts accepted ones. A quota takes effect when the
 * quota controller has written its status.
 */
export function resourceQuota(context: ResourceQuotaContext): AdmissionPlugin {
  return {
    validate(request) {
      for (const charge of chargesOf(request, context)) {
        if (request.scope !== 'status') check(request, charge);
      }
    },
    charge(request) {
      for (const { quota, requested, used } of chargesOf(request, context)) {
        context.setUsed(quota, addLists(used, requested));
      }
    },
  };
}

function chargesOf(request: AdmissionRequest, context: ResourceQuotaContext): Charge[] {
  const { object, old, resource, scope } = request;
  if (context.quotas.size === 0 || !resource.facts.namespaced) return [];
  const evaluator = evaluatorOf(resource.store);
  const write = { scope, object: asJson(object), old: old && asJson(old) };
  if (evaluator?.handles(write) !== true) return [];
  return objectsIn(context.quotas, object.metadata.namespace)
    .map(asJson)
    .filter((quota) => applies(request, evaluator, quota))
    .flatMap((quota) => chargeOf(request, { evaluator, quota, now: context.now() }) ?? []);
}

/** Throws if an object lacks a required request or limit, or if the usage of the quota is not yet known. */
function applies(request: AdmissionRequest, evaluator: QuotaEvaluator, quota: JsonObject): boolean {
  const { hard, used } = statusOf(quota);
  const restricted = evaluator.matching(Object.keys(hard));
  const object = asJson(request.object);
  if (restricted.length === 0 || !isIncluded(evaluator, quota, object)) return false;
  const name = textAt(objectAt(quota, 'metadata'), 'name');
  const problem = evaluator.constraint(restricted, object);
  if (problem !== undefined) throw refused(request, `failed quota: ${name}: ${problem}`);
  if (restricted.every((resource) => ownValue(used, resource) !== undefined)) return true;
  const names = restricted.toSorted().join(',');
  throw refused(request, `status unknown for quota: ${name}, resources: ${names}`);
}

function chargeOf(
  { object, old }: AdmissionRequest,
  { evaluator, quota, now }: { evaluator: QuotaEvaluator; quota: JsonObject; now: number },
): Charge | undefined {
  const { hard, used } = statusOf(quota);
  const usage = evaluator.usage(asJson(object), now);
  const counted = old !== undefined && isIncluded(evaluator, quota, asJson(old));
  const before = counted ? evaluator.usage(asJson(old), now) : {};
  const more = Object.entries(usage)
    .map(
      ([name, value]) => [name, subtractQuantities(value, ownValue(before, name) ?? '0')] as const,
    )
    .filter(([, value]) => compareQuantities(value, '0') > 0);
  const requested = pickFrom(Object.fromEntries(more), Object.keys(hard));
  return Object.keys(requested).length === 0 ? undefined : { quota, requested, used };
}

function check(request: AdmissionRequest, { quota, requested, used }: Charge): void {
  const { hard } = statusOf(quota);
  const total = addLists(used, requested);
  const exceeded = Object.keys(requested).filter(
    (name) => compareQuantities(ownValue(total, name) ?? '0', ownValue(hard, name) ?? '0') > 0,
  );
  if (exceeded.length === 0) return;
  const show = (list: ResourceList): string =>
    exceeded
      .toSorted()
      .map((name) => `${name}=${ownValue(list, name) ?? '0'}`)
      .join(',');
  const name = textAt(objectAt(quota, 'metadata'), 'name');
  throw refused(
    request,
    `exceeded quota: ${name}, requested: ${show(requested)}, used: ${show(used)}, limited: ${show(hard)}`,
  );
}

function statusOf(quota: JsonObject): { hard: ResourceList; used: ResourceList } {
  const status = objectAt(quota, 'status');
  return {
    hard: resourceList(objectAt(status, 'hard')),
    used: resourceList(objectAt(status, 'used')),
  };
}
