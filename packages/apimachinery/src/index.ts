/**
 * The Kubernetes object model as types and pure functions.
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
  KubernetesList,
  KubernetesObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from './kubernetes-object.ts';
export type { DeepReadonly } from './deep-readonly.ts';
export type { Wire } from './wire.ts';
export {
  apiVersionOf,
  defineResource,
  resourceId,
  type ApiResource,
  type ObjectOf,
  type ResourceOptions,
} from './api-resource.ts';
export { builtin } from './builtin.ts';
export { keyOf, objectKey, parseObjectKey, type ObjectKey, type ObjectName } from './object-key.ts';

// Metadata and status
export {
  controllerOf,
  isControlledBy,
  ownerReferenceTo,
  refersToKind,
  setControllerReference,
  type OwnerReferenceOptions,
} from './owner.ts';
export { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from './finalizer.ts';
export {
  findCondition,
  isConditionTrue,
  setCondition,
  type Condition,
  type ConditionStatus,
  type NewCondition,
} from './condition.ts';

// Selectors
export {
  labelRequirementsOf,
  normalLabelSelector,
  parseLabelSelector,
  type LabelSelector,
  type LabelSelectorRequirement,
} from './label-selector.ts';
export {
  matchesLabels,
  printLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelRequirements,
} from './label-requirement.ts';
export {
  fieldValue,
  matchesFields,
  matchesFieldValues,
  normalFieldSelector,
  parseFieldSelector,
  printFieldSelector,
  type FieldRequirement,
  type FieldRequirements,
} from './field-selector.ts';

// Arguments
export { checkFunction, checkOptions, checkSignal, invalidOption } from './option.ts';
export { parseDuration, type Duration } from './duration.ts';
export { startTimer } from './timer.ts';
export { checkName, checkNamespace, isDnsLabel, isDnsSubdomain } from './name.ts';

// Errors
export { CodedError, hasCode, type ErrorFacts } from './coded-error.ts';
export { StatusError, type Status, type StatusCause } from './status.ts';
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
} from './status-guards.ts';
export { apimachineryErrors, type ApimachineryErrorCode } from './errors.ts';

// Wire formats
export type {
  Format,
  Frame,
  FrameBatch,
  HeadPositions,
  ListSplitter,
  ObjectHead,
  ObjectIdentity,
  Splitter,
  WatchEventType,
} from './format.ts';
export { jsonFormat } from './json-format.ts';
