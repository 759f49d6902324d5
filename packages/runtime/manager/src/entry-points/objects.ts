/**
 * Kubernetes objects: names and keys, owners, conditions, status, finalizers, events, and the errors of the API server.
 * What most operators use of them is exported by `@keelson/manager`.
 *
 * - `Cached` is an object of the cache. `ObjectMeta` and `OwnerReference` are parts of objects.
 * - `StatusError` is an error response of the API server. Guards such as `isForbidden` and `isAlreadyExists` distinguish
 *   these errors.
 * - `withFinalizer` does what `finalizer` of the context of a reconcile does, with a client that the user passes.
 * - `EventRecorder` is the member `events` of that context.
 *
 * @module
 */

export {
  withFinalizer,
  type Cleanup,
  type FinalizerOptions,
  type FinalizerWork,
} from '../reconcile/finalizer.ts';
export type {
  PatchStatusOptions,
  StatusChange,
  StatusOptions,
  StatusSummary,
} from '@keelson/client';
export type { EventFacts, EventRecorder } from '../reconcile/event-recorder.ts';
export {
  apiVersionOf,
  controllerOf,
  hasFinalizer,
  isAlreadyExists,
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
  type ClusterScoped,
  type DeepMutable,
  type DefaultedResource,
  type Duration,
  type InputOf,
  type ObjectMeta,
  type OwnerReference,
  type Wire,
} from '@keelson/apimachinery';
