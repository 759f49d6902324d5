/**
 * Kubernetes objects: names and keys, owners, conditions, status, finalizers, events, and the errors of the API server.
 *
 * @module
 */

export type { Cleanup, FinalizerOptions, FinalizerWork } from '../reconcile/finalizer.ts';
export type {
  PatchStatusOptions,
  StatusChange,
  StatusOptions,
  StatusSummary,
} from '@keelson/client';
export type { EventFacts } from '../reconcile/event-recorder.ts';
export {
  apiVersionOf,
  controllerOf,
  hasFinalizer,
  isForbidden,
  isGone,
  isInvalid,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  objectKey,
  parseObjectKey,
  refersToKind,
  resourceId,
  StatusError,
  type AggregateOptions,
  type Cached,
  type DeepMutable,
  type DefaultedResource,
  type Duration,
  type InputOf,
  type ObjectMeta,
  type OwnerReference,
  type Wire,
} from '@keelson/apimachinery';
