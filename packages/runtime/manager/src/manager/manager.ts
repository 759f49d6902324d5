import type { KubernetesObject } from '@keelson/apimachinery';
import type { ApiConstructor, Client, ClientOptions } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type {
  ConvertibleVersions,
  Operation,
  WebhookOptions,
  WebhookResource,
} from '@keelson/webhook';
import type { Registry } from 'prom-client';
import type { ClusterOptions, ManagerCluster } from '../clusters/manager-cluster.ts';
import type { AcceptedOptions, PulledControllerOptions } from './accepted-options.ts';
import type { Controller, PulledController } from '../controller/controller.ts';
import type { RemoveOptions } from '../source-set/dynamic-watch.ts';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { EventRecorder } from '../reconcile/event-recorder.ts';
import type { HealthCheck } from '../servers/health-checks.ts';
import type { ServerPorts } from '../servers/server-options.ts';
import type { RouteHandler } from '../servers/routes.ts';
import type { Spanning } from '../sources/cluster-selection.ts';
import type { Request, RequestIn } from '../reconcile/request.ts';
import type { SourceForm } from '../sources/source-options.ts';
import type { Watched } from '../sources/index-watches/watches-of.ts';
import type { DeclaredAccess } from './declared-access.ts';
import type { ManagerOptions } from './manager-options.ts';
import type { Runnable } from '../phases/runnable.ts';

/** An external way to stop a running manager. */
export interface StartOptions {
  /** Stops the manager when it aborts. Default: none. */
  readonly signal?: AbortSignal;
}

/** The type of `createManager`. The compiler infers `Kinds` from the option `kinds`. */
export type CreateManager = <Kinds extends readonly KubernetesObject[] = []>(
  options?: ManagerOptions<Kinds>,
) => Manager;

/** Runs controllers and runnables on one client, cache and metrics registry, and starts and stops them in order. */
export interface Manager extends AsyncDisposable {
  /**
   * The shared client. It is usable before `start` and reads the kubeconfig on first use. Its writes do not depend on
   * the Lease of `leaderElection`: a reconcile and a runnable write with the `client` of their context instead.
   */
  readonly client: Client;
  /**
   * The shared cache. A read throws unless a single acquired watch covers it. A reconcile uses the `cache` of its
   * context instead, which reads the controller's own watches.
   */
  readonly cache: InformerCache;
  /** The metrics registry, to which you may add metrics. You may also serve it from your own server. */
  readonly registry: Registry;
  /** True while this process may run the phase `leader`: it holds the Lease, or the manager has no `leaderElection`. */
  readonly isLeader: boolean;
  /** The ports of the listening servers; `undefined` before the start, and for a server that is not configured. */
  readonly ports: ServerPorts;
  /**
   * The bearer token of the debug server: `servers.debug.token`, or a random one. `undefined` without a debug
   * server, and if the API server authenticates its readers (`authentication`).
   */
  readonly debugToken: string | undefined;
  /**
   * Resolves when every phase has started and the controllers have synced; with leader election, after this process
   * has become the leader. Rejects if that fails or the manager stops first. Awaiting it is optional, because `start`
   * rejects with the same error.
   */
  readonly started: Promise<void>;
  /**
   * Adds a controller, which starts at once in a running manager. Throws `INVALID_OPTION`,
   * `INDEXER_CONFLICT` or `TRANSFORM_CONFLICT` for two functions of one name, `DUPLICATE_CONTROLLER`,
   * `UNKNOWN_CLUSTER` for a source of a cluster that was not added, and `MANAGER_STOPPED` once the manager stops.
   */
  addController<
    T extends KubernetesObject,
    C extends Spanning = undefined,
    Q extends object = RequestIn<C>,
    Kinds extends readonly Watched[] = [],
    P extends SourceForm = 'full',
    R = never,
  >(
    options: AcceptedOptions<T, Q, Kinds, P, R, C>,
  ): Controller<Q>;
  /**
   * Adds a controller without a reconcile: its requests are taken by loops over `controller.work()`. Throws as
   * `addController`.
   */
  addPulledController<
    T extends KubernetesObject,
    Q extends object = Request,
    Kinds extends readonly Watched[] = [],
    P extends SourceForm = 'full',
  >(
    options: PulledControllerOptions<T, Q, Kinds, P>,
  ): PulledController<Q>;
  /**
   * Adds a further cluster with a cache and a client of its own, at any time before the stop. `watches` and `reads` of
   * controllers name it (`cluster: 'workload'`), and reconciles reach it with `context.clusters.get`. A function loads
   * the cluster at the first request, and again after a failure. The stop of the manager closes it. Sources with
   * `clusters` that select it watch it at once. The Lease stays on the main cluster. Throws `INVALID_OPTION`, `INVALID_CLUSTER`, `DUPLICATE_CLUSTER`, and
   * `MANAGER_STOPPED`.
   */
  addCluster(
    name: string,
    cluster: ClientOptions['cluster'],
    options?: ClusterOptions,
  ): ManagerCluster;
  /**
   * Replaces the option `namespaces`, for the controllers, kinds and sources that name none themselves, as
   * `controller.setNamespaces` does for one controller. Rejects with `INVALID_OPTION`, also for a manager without the
   * option, and with `MANAGER_STOPPED`.
   */
  setNamespaces(namespaces: readonly string[], options?: RemoveOptions): Promise<void>;
  /**
   * Adds an admission webhook, which `servers.webhook` serves in every replica from the start on, before the caches have
   * synced and without the Lease. Throws `INVALID_OPTION`, `DUPLICATE_WEBHOOK` for a name or path in use, and
   * `MANAGER_STOPPED`.
   */
  addWebhook<
    const R extends WebhookResource,
    const Op extends Operation = 'CREATE' | 'UPDATE',
    const Subresource extends string | undefined = undefined,
  >(
    options: WebhookOptions<R, Op, Subresource>,
  ): void;
  /**
   * Serves the conversion between the versions of a kind (`defineKind` of `@keelson/schema`) at the path that the
   * conversion stanza of its definition names, as `addWebhook` serves a webhook. Throws `INVALID_OPTION` for a definition
   * without a conversion webhook, `DUPLICATE_WEBHOOK` for a kind or path in use, and `MANAGER_STOPPED`.
   */
  addConversion(versions: ConvertibleVersions): void;
  /**
   * Adds a runnable, which starts with its phase, or at once if the phase has started. Throws `INVALID_OPTION` and
   * `MANAGER_STOPPED`.
   */
  addRunnable(runnable: Runnable): void;
  /**
   * Adds a check to `/healthz` and its other name `/livez`, which fails after 5 s. Returns a function that removes the
   * check. Throws `INVALID_OPTION` for an invalid name or a name in use.
   */
  addHealthCheck(name: string, check: HealthCheck): () => void;
  /** Adds a check to `/readyz`, with the same rules. Returns a function that removes the check. */
  addReadyCheck(name: string, check: HealthCheck): () => void;
  /**
   * Serves a path of user code on a server, with the limits, the TLS and the authentication of that server; without the
   * server the route has no effect. Returns a function that removes the route. Throws `INVALID_OPTION`.
   */
  addRoute(server: 'metrics' | 'health', path: string, handler: RouteHandler): () => void;
  /** Makes a recorder whose `Event` objects have this name as reporting controller, for code outside reconciles. */
  eventRecorder(name: string): EventRecorder;
  /**
   * Returns the access that the manager needs by its options: the sources of its controllers, and the name of its
   * Lease. `checkRoles` and `observedRules` of `@keelson/envtest` take it as options. Call it at any time before the
   * stop, which removes the controllers.
   */
  declaredAccess(): DeclaredAccess;
  /**
   * Explains every controller, or a request of one, as `controller.explain` does. Throws `UNKNOWN_CONTROLLER` and
   * `INVALID_OPTION`.
   */
  explain(): readonly ControllerExplanation[];
  explain(controller: string, request: object): Explanation;
  /** A typed API of `@kubernetes/client-node` that uses the manager's connections and credentials. */
  apiClient<Api>(constructor: ApiConstructor<Api>): Promise<Api>;
  /**
   * Runs until a stop signal, an abort of `signal`, a call of `stop`, or a failure. Resolves when all components have
   * ended. Rejects with the error of the failure: a port in use, a required watch that did not sync, a runnable.
   * Rejects with `LEADERSHIP_LOST` if the process lost its Lease; the stop then does not wait for reconciles.
   * Rejects with `STOP_DEADLINE_EXCEEDED` if components still run at the end of the grace period. Several errors are
   * one `AggregateError` with the code `SEVERAL_ERRORS`. A call that cannot begin rejects with `INVALID_OPTION`,
   * `ALREADY_STARTED` or `MANAGER_STOPPED`.
   */
  start(options?: StartOptions): Promise<void>;
  /**
   * Stops the phases in reverse order. Resolves when all components have ended or the grace period is over. Resolves
   * at once for a reconcile or a runnable of this manager, because the stop waits for its end.
   */
  stop(): Promise<void>;
}
