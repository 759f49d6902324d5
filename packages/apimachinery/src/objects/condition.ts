/** `Unknown` where the controller cannot tell. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** One entry of `status.conditions` (`metav1.Condition`). */
export interface Condition {
  type: string;
  status: ConditionStatus;
  /** A CamelCase word for programs. */
  reason: string;
  /** A sentence for people. */
  message: string;
  /** RFC 3339; when `status` last changed. */
  lastTransitionTime: string;
  /** The `metadata.generation` that the condition speaks about. */
  observedGeneration?: number;
}

/** What a controller knows of a condition: all but the time, which `setCondition` keeps. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** What `findCondition` and `isConditionTrue` read: the conditions of built-in kinds lack some members. */
interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/**
 * The conditions with this one in place of its predecessor of the same type, or at the end. Its
 * `lastTransitionTime` is `now` where the status differs from the predecessor's, else the
 * predecessor's: a controller that repeats itself writes equal objects and wakes nobody.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: NewCondition,
  now: Date = new Date(),
): Condition[] {
  const list = conditions ?? [];
  const previous = findCondition(list, condition.type);
  const lastTransitionTime =
    previous?.status === condition.status ? previous.lastTransitionTime : wireTime(now);
  const next = { ...condition, lastTransitionTime };
  return previous === undefined
    ? [...list, next]
    : list.map((other) => (other === previous ? next : other));
}

/** The condition of this type. */
export function findCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of this type is there and `True`. */
export function isConditionTrue(
  conditions: readonly ConditionLike[] | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/** `metav1.Time` has whole seconds. */
function wireTime(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}
