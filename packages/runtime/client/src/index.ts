/**
 * The Kubernetes API over pooled HTTP: typed verbs, streams of frames, discovery, credentials.
 *
 * - A request that changes something is sent again only if the first one certainly changed nothing.
 * - A read is sent again when the server is overloaded or its response is cut off, also in the middle of the body.
 * - Expired credentials are refreshed once, however many requests were refused with them.
 * - Credentials stay in use until a refresh succeeds; a failed refresh never leads to a request without
 *   credentials.
 * - No error, fact or log line carries a secret.
 * - A watch whose response is cut off throws; only a watch that the server ends returns.
 * - A slow reader leads to backpressure on the server, not to buffers in the process.
 * - An API server that is away is probed at most once a second, for all watches and requests of a client together, and
 *   not at all when it is back.
 * - An abort, a break out of a loop, or close ends the request and its socket at once.
 * - Items of a list have apiVersion and kind, also where the server leaves them out.
 * - A list that is being iterated never holds a socket that other requests need.
 * - A response that is not an object or list of the API is refused, and so is one that is too large after
 *   decompression.
 * - A write under a guard is sent only if the guard permits it at that moment, also when it waited for a connection.
 * - A write observer receives the response of every write that succeeded, before its caller, and of no other one.
 * - An observer that throws or rejects affects no request, and its first error becomes a warning of the process.
 * - A kind whose lists or watches work only as JSON is read as JSON after three failures in protobuf.
 * - An invalid name, namespace or option is refused before a request is sent.
 * - A call of applyAll that ends between any two requests loses no object for the next call, and deletes none of another
 *   owner.
 * - client-node is loaded only when a kubeconfig is read or one of its typed APIs is used.
 *
 * @packageDocumentation
 */

// The client
export { createClient, type ClientOptions } from './verbs/create-client.ts';
export type { Client } from './verbs/client.ts';
export type {
  Cluster,
  ClusterTls,
  CredentialRequest,
  Credentials,
  Pem,
} from './cluster/cluster.ts';
export {
  checkClusterSource,
  loadCluster,
  type ClusterSource,
} from './cluster/kubeconfig/kubeconfig.ts';
export type { KubeConfigPower } from './cluster/kubeconfig/kubeconfig-power.ts';
export {
  checkStatusChange,
  patchStatus,
  type PatchStatusOptions,
  type StatusChange,
  type StatusOptions,
  type StatusSummary,
} from './status/patch-status.ts';
export { applyAll } from './apply-set/apply-all.ts';
export type { ApplyAllResult, MemberName } from './apply-set/apply-all-result.ts';
export type {
  AppliedObject,
  ApplyAllOptions,
  ApplySetOptions,
} from './apply-set/apply-all-options.ts';
export {
  migrateStoredVersions,
  type MigrateStoredVersionsOptions,
  type StoredVersionsMigration,
} from './stored-versions/migrate-stored-versions.ts';
export { retryOnConflict, type RetryOnConflictOptions } from './verbs/retry-on-conflict.ts';
export type { RetryPolicy } from './http/retry.ts';
export type { WriteGuard } from './http/transport-request.ts';
export type {
  DeletedObject,
  SentBody,
  WriteFacts,
  WriteObserver,
} from './verbs/calls/write-observer.ts';

// Calls
export type {
  ApplyOptions,
  DeleteOptions,
  DryRun,
  FieldValidation,
  GetOptions,
  ItemsOptions,
  ListOptions,
  RequestOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from './verbs/calls/request-options.ts';
export type {
  JsonPatchOperation,
  MergePatch,
  Partially,
  Patch,
  Submitted,
} from './verbs/calls/patch.ts';
export type { Scale, StatusClient, SubresourceClient } from './verbs/subresource.ts';
export type { Bookmark, WatchEvent } from './verbs/lists/watch-event.ts';
export type { RawRequest, RawResponse } from './verbs/raw-request.ts';
export type { ApiConstructor } from './verbs/typed-api.ts';

// The source of an informer
export type {
  ClientListerWatcher,
  FramesListRequest,
  FramesWatchRequest,
  ListerWatcherQuery,
} from './verbs/lists/lister-watcher.ts';
export type { AccessRule } from './verbs/lists/missing-rule.ts';

// Discovery
export type { Discovery, ResourceQuery, ServerVersion } from './verbs/discovery/discovery.ts';
export type { DiscoveryFailure } from './verbs/discovery/fetch-discovery.ts';
export type { ServedResource, ServedSubresource } from './verbs/discovery/served-resource.ts';

// Observers
export type { ProtobufRefusal } from './http/protobuf/protobuf-reads.ts';
export type {
  ApiWarning,
  ClientObserver,
  HttpMethod,
  ObservedRequest,
  RequestOutcome,
  RequestVerb,
} from './http/observer.ts';
export type {
  RequestTrace,
  RequestTracing,
  TracedOutcome,
  TracedRequest,
  WrittenVersion,
} from './http/request-tracing.ts';

// Errors
export { ClientError, clientErrors, type ClientErrorCode } from './errors.ts';
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
  StatusError,
} from '@keelson/apimachinery';
