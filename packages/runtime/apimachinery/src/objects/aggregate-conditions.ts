import { checkOptions, invalidOption } from '../option.ts';
import { findCondition, isObject, type NewCondition } from './condition.ts';

/** Names the condition to create, and the conditions that it sums up. */
export interface AggregateOptions {
  /** The type of the new condition, such as `Ready`. */
  readonly type: string;
  /** The types that must all be `True`. */
  readonly of: readonly string[];
  /** The reason while all are `True`. Default `'AllTrue'`. */
  readonly reason?: string;
  /**
   * The `metadata.generation` of the object. A condition that was determined for an older generation then counts as
   * `Unknown`. Default: the generation of a condition is ignored.
   */
  readonly generation?: number | undefined;
}

/**
 * The members of a condition that `aggregateConditions` reads. A condition of a built-in kind may lack a reason and a
 * message.
 */
export interface SummedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

/**
 * Returns one condition that sums up others: those of an object, or those that a reconcile has just determined, which
 * have no times yet. If two have the same type, the first one counts. The result is `True` if all are, `False` if one
 * is `False`, else `Unknown`; a condition that does not exist is `Unknown`. The reason is that of the first condition
 * that decided, or `NotTrue` if it has none. The message names each condition that is not `True`. Set the result with
 * `setCondition` or `patchStatus`.
 *
 * @example
 * ```ts
 * import { aggregateConditions, setCondition, type Condition } from '@keelson/manager';
 *
 * const conditions: readonly Condition[] = setCondition([], {
 *   type: 'DatabaseReady',
 *   status: 'False',
 *   reason: 'Starting',
 *   message: 'one of three replicas is ready',
 * });
 * // Ready is False, with the reason and the message of DatabaseReady.
 * const ready = aggregateConditions(conditions, {
 *   type: 'Ready',
 *   of: ['DatabaseReady', 'Published'],
 * });
 * export const status = { conditions: setCondition(conditions, ready) };
 * ```
 */
export function aggregateConditions(
  conditions: readonly SummedCondition[] | undefined,
  options: AggregateOptions,
): NewCondition {
  check(conditions, options);
  const { type, of, reason = 'AllTrue', generation } = options;
  const parts = of.map((part) => partOf(findCondition(conditions, part), part, generation));
  const notTrue = parts.filter(({ status }) => status !== 'True');
  const first = notTrue.find(({ status }) => status === 'False') ?? notTrue[0];
  if (first === undefined) return { type, status: 'True', reason, message: '' };
  const status = first.status === 'False' ? 'False' : 'Unknown';
  // Built-in kinds have conditions without reason and message.
  const message = notTrue.map((part) => [part.type, part.message || part.status].join(': '));
  return {
    type,
    status,
    reason: first.reason || 'NotTrue',
    message: shortened(message.join('; ')),
  };
}

/**
 * The longest message that the API conventions allow, in characters. A kind with the schema of `metav1.Condition`
 * refuses a longer one.
 */
const MAX_MESSAGE = 32_768;

function shortened(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE - 2)} …`;
}

function partOf(
  condition: SummedCondition | undefined,
  type: string,
  generation: number | undefined,
): SummedCondition {
  const unknown = { type, status: 'Unknown' } as const;
  if (condition === undefined) {
    return { ...unknown, reason: 'Missing', message: 'has not been determined' };
  }
  const { observedGeneration } = condition;
  const isOld =
    generation !== undefined && observedGeneration !== undefined && observedGeneration < generation;
  if (!isOld) return condition;
  return { ...unknown, reason: 'Outdated', message: 'was determined for an older generation' };
}

function check(conditions: unknown, options: AggregateOptions): void {
  const where = 'aggregateConditions';
  checkOptions(options, ['type', 'of', 'reason', 'generation'], where);
  const isKnown =
    conditions === undefined || (Array.isArray(conditions) && conditions.every(isObject));
  if (!isKnown) {
    throw invalidOption(`${where}.conditions`, 'must be a list of conditions');
  }
  const { type, of, reason, generation } = options;
  if (typeof type !== 'string' || type === '') {
    throw invalidOption(`${where}.type`, 'must be a string');
  }
  const isList = Array.isArray(of) && of.length > 0 && of.every((part) => typeof part === 'string');
  if (!isList) throw invalidOption(`${where}.of`, 'must be a list of condition types');
  // A sum that contains itself could never become True again.
  if (of.includes(type)) throw invalidOption(`${where}.of`, 'must not contain the type of the sum');
  if (reason !== undefined && (typeof reason !== 'string' || reason === '')) {
    throw invalidOption(`${where}.reason`, 'must be a string');
  }
  if (generation !== undefined && !Number.isSafeInteger(generation)) {
    throw invalidOption(`${where}.generation`, 'must be a whole number');
  }
}
