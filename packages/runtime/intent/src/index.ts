/**
 * Remembers the spec that a controller applied last, and runs at most one execution of an object at a time.
 *
 * - A durable intent writes its record only after its action has returned, and the status after the record.
 * - An object never has two executions of one guard, and of its waiting triggers the latest generation runs.
 * - An error or a crash before the record leaves it as it is, so that the next run finds the same difference.
 * - An equal spec writes nothing.
 * - Invalid options throw at the call, and the error names the option.
 *
 * @module
 */

// Durable intent
export { durableIntent, type DurableIntent, type DurableIntentOptions } from './durable-intent.ts';
export type { IntentAction, IntentResult, IntentRun } from './intent-execution.ts';
export type { IntentHistoryOptions } from './intent-history.ts';
export type { IntentAccess, IntentClient, IntentPlace, IntentTarget } from './intent-place.ts';
export type { AppliedSpec } from './intent-store.ts';
export type { LastApplied, SpecOf } from './last-applied.ts';
export type { IntentPlaceOptions, RecordConfigMapOptions } from './place-options.ts';

// The difference of two specs
export { specDifference, type SpecDifference } from './spec-difference.ts';

// Single execution
export {
  ExecutionGuard,
  type Execution,
  type ExecutionContext,
  type ExecutionGuardOptions,
  type ExecutionPolicy,
} from './execution-guard.ts';

export type { ExecutedObject } from './executed-object.ts';
export type { GuardWebhookOptions } from './guard-webhook.ts';

// Errors
export { IntentError, intentErrors, type IntentErrorCode } from './errors.ts';
