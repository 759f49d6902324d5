/**
 * An in-memory Kubernetes API server over real HTTP, for tests, demos and examples. It behaves like
 * kube-apiserver 1.36, apart from the differences in `docs/apiserver-differences.md`, and injects faults on request.
 *
 * - Every request uses a real socket, and close() ends all requests immediately.
 * - Every write that changes something gets the next resourceVersion, and no other write gets one.
 * - A watch from a resourceVersion sends every later change once and in order, or 410.
 * - The pages of a list show one state, regardless of writes between them.
 * - A custom resource is served as soon as idle() resolves after its definition was created.
 * - Deleting a namespace or an owner deletes its content or dependents before idle() resolves.
 * - Failed background work is retried, and idle() still resolves.
 * - The CEL rules of a definition apply to every writer as soon as its version is served.
 * - Admission webhooks, validating policies and conversion webhooks take part in the requests of clients as on kube-apiserver.
 * - A fault affects only requests in its scope, only while it is active, and counts them.
 * - Each user has a record of the accesses that its requests needed, with a limit on its memory.
 * - A request that a web page of another site causes is refused: a foreign Host or Origin, or a body without Content-Type.
 * - A restored server has the objects, the resourceVersions and the watchable changes of the saved one.
 * - An invalid snapshot is refused with the number of its line, before the server listens.
 * - A server of an older Kubernetes version serves no kind and keeps no field that the version does not have.
 * - Two servers in one process share no state.
 *
 * The server runs no workload controllers: a Deployment creates no pods.
 */

// The server
export {
  ApiServer,
  createApiServer,
  type ServerCluster,
  type TokenOptions,
} from './server/api-server.ts';
export type { ApiServerOptions } from './server/api-server-options.ts';
export type { FeatureGates } from './resources/feature-gates.ts';
export { kubernetesVersions, type KubernetesVersion } from './releases/kubernetes-version.ts';
export type { ServerController } from './lifecycle/server-controllers.ts';
export type { TlsMaterial } from './http/http-listener.ts';

// Snapshots
export { isSnapshotVersion, snapshotMetadataProblem } from './snapshot/saved-metadata.ts';
export { snapshotLine, snapshotText, type SnapshotParts } from './snapshot/snapshot-line.ts';

// Faults and statistics
export type { CutOptions, DelayOptions, FailureOptions, Faults } from './faults/faults.ts';
export type { CountedScope, Fault } from './faults/active-faults.ts';
export type { FaultScope } from './faults/fault-scope.ts';
export type { Stats } from './server/stats.ts';
export type { BackgroundFailure } from './lifecycle/background-work.ts';

// Users
export { parseTokenFile } from './auth/token-file.ts';
export type { User } from './auth/user.ts';
export type {
  AccessCause,
  ObservedAccess,
  ObservedAccesses,
  ObservedPathAccess,
  ObservedResourceAccess,
} from './auth/observed/observed-access.ts';

// Errors
export { ApiServerError } from './status-errors/api-server-error.ts';
export { apiserverErrors, type ApiServerErrorCode } from './errors.ts';
