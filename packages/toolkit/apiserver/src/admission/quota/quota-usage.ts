import { objectAt } from '../../json/json-members.ts';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import type { Storage } from '../../storage/storage.ts';
import {
  addLists,
  pickFrom,
  type ResourceList,
  resourceList,
} from '../../kinds/shared/resource-list.ts';
import { evaluatorOf } from './evaluator-of.ts';
import type { QuotaEvaluator } from './quota-evaluator.ts';
import { scopesOf } from './quota-scope.ts';

/** The total usage of a quota in its namespace, as the quota controller computes it. */
export function quotaUsage(storage: Storage, quota: JsonObject, now: number): ResourceList {
  const { namespace } = objectAt(quota, 'metadata');
  const hard = Object.keys(resourceList(objectAt(objectAt(quota, 'spec'), 'hard')));
  let used: ResourceList = {};
  for (const store of storage.stores()) {
    const evaluator = evaluatorOf(store);
    const names = evaluator?.matching(hard) ?? [];
    if (evaluator === undefined || names.length === 0) continue;
    used = addLists(used, Object.fromEntries(names.map((name) => [name, '0'])));
    for (const stored of store.values()) {
      if (stored.metadata.namespace !== namespace) continue;
      const object = asJson(stored.parse());
      if (isIncluded(evaluator, quota, object)) {
        used = addLists(used, pickFrom(evaluator.usage(object, now), names));
      }
    }
  }
  return used;
}

/** True if every scope of a quota includes an object. */
export function isIncluded(
  evaluator: QuotaEvaluator,
  quota: JsonObject,
  object: JsonObject,
): boolean {
  return scopesOf(quota).every((selector) => evaluator.matchesScope(selector, object));
}
