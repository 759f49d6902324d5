/**
 * The Kubernetes object model as types and pure functions.
 *
 * - Nothing here does I/O or is imported at run time from elsewhere.
 * - No function changes its arguments.
 * - There is a token for every kind of the built-in API groups, typed by what travels on the wire.
 * - Equal selectors have equal normal forms, whatever their order and spelling.
 * - A selector that does not parse is refused with its text and the position of what is wrong.
 * - An unknown or wrong option is refused by its name.
 * - A guard knows an API error in every encoding, from another copy of the package and from client-node too.
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
export { checkOptions, invalidOption } from './option.ts';
export { parseDuration, type Duration } from './duration.ts';
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
