import {
  checkFunction,
  checkOptions,
  labelRequirementsOf,
  matchesLabels,
  parseLabelSelector,
  type KubernetesObject,
  type LabelSelector,
} from '@keelson/apimachinery';
import type { AddedEvent, DeletedEvent, ObjectView, UpdatedEvent } from '@keelson/informer';
import { eventTypeMistakes, type HintsOf } from '../../common-mistakes.ts';
import {
  combined,
  passes,
  type CombinedPredicate,
  type EventContext,
  type Predicate,
} from './predicate.ts';

/** One function for each type of event. An event without a function passes. */
export interface EventPredicates<T extends KubernetesObject = KubernetesObject> extends HintsOf<
  typeof eventTypeMistakes
> {
  /** An object was created, or existed when the watch began (`initial`). */
  readonly added?: (event: AddedEvent<T>, context: EventContext) => boolean;
  /** An object changed, or is announced again by a resync. `previous` is its former state. */
  readonly updated?: (event: UpdatedEvent<T>, context: EventContext) => boolean;
  /** An object is gone. `object` is its last known state. */
  readonly deleted?: (event: DeletedEvent<T>, context: EventContext) => boolean;
}

const types = ['added', 'updated', 'deleted'] as const;

/**
 * Passes an event if the function of its type passes it; without such a function, always. `byType({ deleted: () =>
 * false })` drops deletions. Throws `INVALID_OPTION` for another member.
 *
 * @example
 * ```ts
 * import { builtin, byType, createManager, generationChanged } from '@keelson/manager';
 *
 * createManager().addController({
 *   name: 'deployments',
 *   for: {
 *     resource: builtin.Deployment,
 *     predicates: [byType({ updated: generationChanged, deleted: () => false })],
 *   },
 *   reconcile: () => {},
 * });
 * ```
 */
export function byType<T extends KubernetesObject>(
  predicates: EventPredicates<T>,
): CombinedPredicate<T> {
  checkOptions(predicates, types, 'byType', eventTypeMistakes);
  const given = { ...predicates };
  for (const type of types) {
    if (given[type] !== undefined) checkFunction(given[type], `byType.${type}`);
  }
  return (event, context) => {
    // The function of a type receives only its events.
    const predicate = given[event.type] as Predicate<T> | undefined;
    return predicate === undefined || passes(predicate, event, context);
  };
}

/**
 * Passes events of objects whose labels match a selector, such as `app=web,tier in (front, back)`. An update passes if
 * the object matches before or after it: the object that stops matching leads to one more request, so that the
 * reconcile can clean up. After that its events do not pass. A source with `labelSelector` saves memory too, because it
 * does not even receive other objects. Throws `INVALID_LABEL_SELECTOR`.
 *
 * @example
 * ```ts
 * import {
 *   and,
 *   builtin,
 *   createManager,
 *   generationChanged,
 *   labelsMatch,
 *   not,
 * } from '@keelson/manager';
 *
 * createManager().addController({
 *   name: 'deployments',
 *   for: {
 *     resource: builtin.Deployment,
 *     predicates: [and(generationChanged, not(labelsMatch('example.com/paused=true')))],
 *   },
 *   reconcile: () => {},
 * });
 * ```
 */
export function labelsMatch(selector: string | LabelSelector): CombinedPredicate {
  const requirements =
    typeof selector === 'string' ? parseLabelSelector(selector) : labelRequirementsOf(selector);
  const matches = (view: ObjectView): boolean =>
    matchesLabels(requirements, view.metadata.labels ?? {});
  return combined(
    [],
    (event) => matches(event.object) || (event.type === 'updated' && matches(event.previous)),
  );
}
