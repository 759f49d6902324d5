import { invalidOption } from '../option.ts';

/** The status of a condition. `Unknown` if the controller cannot determine it. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** One entry of `status.conditions` (`metav1.Condition`). */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** A CamelCase word for programs. */
  reason: string;
  /** A sentence for people. */
  message: string;
  /** Time of the last change of `status`, in RFC 3339. */
  lastTransitionTime: string;
  /** The `metadata.generation` for which the condition was determined. */
  observedGeneration?: number;
}

/** A condition without its time, which `setCondition` determines. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/**
 * The members that `findCondition` and `isConditionTrue` read. Conditions of some built-in kinds lack others.
 */
interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/**
 * Returns the conditions with this one in place of the condition of the same type, or at the end.
 * `lastTransitionTime` is `now` if the status has changed, else that of the previous condition. A controller
 * that repeats a condition therefore writes equal objects, which trigger no events.
 *
 * @example
 * ```ts
 * import { setCondition, type Condition } from '@keelson/manager';
 *
 * export function published(
 *   before: readonly Condition[] | undefined,
 *   generation: number,
 * ): Condition[] {
 *   // lastTransitionTime changes only if the status does.
 *   return setCondition(before, {
 *     type: 'Published',
 *     status: 'True',
 *     reason: 'Reachable',
 *     message: 'the site responds',
 *     observedGeneration: generation,
 *   });
 * }
 * ```
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: NewCondition,
  now: Date = new Date(),
): Condition[] {
  checkCondition(conditions, condition, now);
  const list = conditions ?? [];
  const previous = findCondition(list, condition.type);
  const lastTransitionTime =
    previous?.status === condition.status ? previous.lastTransitionTime : wireTime(now);
  const next = { ...condition, lastTransitionTime };
  return previous === undefined
    ? [...list, next]
    : list.map((other) => (other === previous ? next : other));
}

/** Returns the condition of this type, or `undefined`. */
export function findCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** True if the condition of this type exists and has the status `True`. */
export function isConditionTrue(
  conditions: readonly ConditionLike[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

const STATUSES: ReadonlySet<unknown> = new Set(['True', 'False', 'Unknown']);

function checkCondition(conditions: unknown, condition: NewCondition, now: unknown): void {
  const isList =
    conditions === undefined || (Array.isArray(conditions) && conditions.every(isObject));
  if (!isList) throw invalidOption('setCondition.conditions', 'must be a list of conditions');
  if (!isObject(condition)) throw invalidOption('setCondition.condition', 'must be an object');
  for (const name of ['type', 'reason', 'message'] as const) {
    if (typeof condition[name] !== 'string' || (name === 'type' && condition.type === '')) {
      throw invalidOption(`setCondition.condition.${name}`, 'must be a string');
    }
  }
  if (!STATUSES.has(condition.status)) {
    throw invalidOption('setCondition.condition.status', "must be 'True', 'False' or 'Unknown'");
  }
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) {
    throw invalidOption('setCondition.now', 'must be a valid Date');
  }
}

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats a time as `metav1.Time`, which has whole seconds. */
function wireTime(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}
