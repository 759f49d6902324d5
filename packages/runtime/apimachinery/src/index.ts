/**
 * The Kubernetes object model, and the tools that all packages share: durations, timers, time slices, option checks.
 *
 * - The package does no I/O and imports nothing at run time.
 * - No function changes its arguments.
 * - Every kind of the built-in API groups has a token, typed as its JSON on the wire.
 * - Equal selectors have equal normal forms, whatever their order and spelling.
 * - An invalid selector is refused with its text and the position of the error.
 * - An unknown or invalid option is refused by its name.
 * - A guard recognises an API error in every encoding, also one from another copy of the package or from
 *   client-node.
 *
 * @packageDocumentation
 */

// Objects
export type {
  ClusterScoped,
  ClusterScopedObject,
  KubernetesList,
  KubernetesObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from './objects/kubernetes-object.ts';
export type { Cached, DeepReadonly } from './objects/deep-readonly.ts';
export { mutableCopy, type DeepMutable } from './objects/mutable-copy.ts';
export type { Persisted, PersistedMeta, PersistedMetaOf } from './objects/persisted.ts';
export type { Wire } from './objects/wire.ts';
export {
  apiVersionOf,
  defineResource,
  resourceId,
  type ApiResource,
  type DefaultedResource,
  type InputOf,
  type ObjectOf,
  type ResourceOptions,
  type Scope,
} from './objects/api-resource.ts';
export { builtin } from './objects/builtin.ts';
export {
  keyOf,
  objectKey,
  parseObjectKey,
  type ObjectKey,
  type ObjectName,
} from './objects/object-key.ts';

// Metadata and status
export {
  controllerOf,
  isControlledBy,
  ownerReferenceTo,
  refersToKind,
  setControllerReference,
  type OwnerReferenceOptions,
} from './objects/owner.ts';
export { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from './objects/finalizer.ts';
export {
  aggregateConditions,
  type AggregateOptions,
  type SummedCondition,
} from './objects/aggregate-conditions.ts';
export {
  findCondition,
  isConditionTrue,
  setCondition,
  type Condition,
  type ConditionStatus,
  type NewCondition,
} from './objects/condition.ts';

// Selectors
export {
  labelRequirementsOf,
  normalLabelSelector,
  parseLabelSelector,
  type LabelSelector,
  type LabelSelectorRequirement,
} from './selectors/label-selector.ts';
export {
  matchesLabels,
  printLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelRequirements,
} from './selectors/label-requirement.ts';
export {
  fieldValue,
  matchesFields,
  matchesFieldValues,
  normalFieldSelector,
  parseFieldSelector,
  printFieldSelector,
  type FieldRequirement,
  type FieldRequirements,
} from './selectors/field-selector.ts';
export { fieldHash, type FieldHash } from './selectors/field-hash.ts';

// Arguments
export type { Hint } from './hint.ts';
export {
  backoffDelays,
  checkCount,
  checkFlag,
  checkFunction,
  checkMethods,
  checkObserver,
  checkOptions,
  checkSignal,
  invalidOption,
  type BackoffDelays,
} from './option.ts';
export { checkRuntime } from './runtime.ts';
export { hasSeveralHosts, hostnameOf, isLoopback } from './loopback.ts';
export { checkClock, systemClock, type Clock } from './time/clock.ts';
export type { ClockActivity, StreamActivity } from './time/clock-activity.ts';
export { parseDuration, type Duration } from './time/duration.ts';

export { SharedSlice, TimeSlice } from './time/time-slice.ts';
export { startTimer } from './time/timer.ts';
export { abortable, endsWithin, loadOnce, pause, withLinkedSignal } from './time/wait.ts';
export {
  checkName,
  checkNamespace,
  isDnsLabel,
  isDnsSubdomain,
  objectNameProblem,
} from './objects/name.ts';

// Errors
export { CodedError, errorDocs, hasCode, type ErrorFacts } from './coded-error.ts';
export { listenToProcess } from './process-listener.ts';
export {
  examineResult,
  ignoreRejection,
  ignoreRejections,
  isPromised,
  promiseOf,
} from './promised-result.ts';
export { thrownReason } from './thrown-reason.ts';
export { StatusError, type Status, type StatusCause } from './objects/status.ts';
export {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isResourceVersionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  statusOf,
} from './objects/status-guards.ts';
export { apimachineryErrors, type ApimachineryErrorCode } from './errors.ts';
