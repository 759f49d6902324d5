import type { KubernetesObject } from '@keelson/apimachinery';
import type { ApiConstructor, Client } from '@keelson/client';
import type { InformerCache, Projection } from '@keelson/informer';
import type { Registry } from 'prom-client';
import type { ControllerOptions, RequestsFit } from '../controller/controller-options.ts';
import type { Controller } from '../controller/controller.ts';
import type { EventRecorder } from '../reconcile/event-recorder.ts';
import type { HealthCheck } from '../servers/health-checks.ts';
import type { Request } from '../reconcile/request.ts';
import type { Watched } from '../controller/sources/source-options.ts';
import type { Runnable } from '../phases/runnable.ts';

/** Bounds of a manager's life. */
export interface StartOptions {
  /** Stops the manager when it aborts. */
  readonly signal?: AbortSignal;
}

/** Owns what the controllers of a process share, and starts and stops them. */
export interface Manager extends AsyncDisposable {
  /** The shared client. Usable at once; the kubeconfig is read when it is first used. */
  readonly client: Client;
  /**
   * The shared cache. Its reads are strict: a single held watch has to cover the read. Inside a
   * controller use the `cache` of the reconcile, which reads the controller's own watches.
   */
  readonly cache: InformerCache;
  /** The metrics registry. Add your own metrics to it, or serve it from your own server. */
  readonly registry: Registry;
  /** The ports that the servers listen on. */
  readonly ports: { readonly metrics: number | undefined; readonly health: number | undefined };
  /**
   * Resolves when every phase has started and the controllers have synced; rejects if that failed or
   * the manager was stopped before. Need not be awaited: `start` rejects with the same error.
   */
  readonly started: Promise<void>;
  /**
   * Adds a controller; in a running manager it starts at once. Throws `INVALID_OPTION`,
   * `DUPLICATE_CONTROLLER`, and `MANAGER_STOPPED` once the manager stops.
   */
  addController<
    T extends KubernetesObject,
    Q extends object = Request,
    Kinds extends readonly Watched[] = [],
    P extends Projection = 'full',
  >(
    options: ControllerOptions<T, Q, Kinds, P> & RequestsFit<NoInfer<Q>>,
  ): Controller<Q>;
  /** Adds a runnable; it starts with its phase, at once if that runs. Throws `MANAGER_STOPPED`. */
  addRunnable(runnable: Runnable): void;
  /** Adds a check to `/healthz`. Returns the way to take it off. */
  addHealthCheck(name: string, check: HealthCheck): () => void;
  /** Adds a check to `/readyz`. Returns the way to take it off. */
  addReadyCheck(name: string, check: HealthCheck): () => void;
  /** Writes events under this name; a reconcile has one of its own in its context. */
  eventRecorder(name: string): EventRecorder;
  /** One of the typed APIs of `@kubernetes/client-node`, on the manager's connections and credentials. */
  apiClient<Api>(constructor: ApiConstructor<Api>): Promise<Api>;
  /**
   * Runs until a stop signal, the abort of `signal`, `stop`, or a failure, and resolves when
   * everything has ended. Rejects with the error of what failed: a port in use, a required watch
   * that did not sync, a runnable; with `STOP_DEADLINE_EXCEEDED` naming what did not end in time.
   * Several errors are one `AggregateError` with the code `SEVERAL_ERRORS`.
   */
  start(options?: StartOptions): Promise<void>;
  /**
   * Stops in order and resolves when everything has ended, or when the grace period is over; from within a reconcile or a
   * runnable it returns at once, for those are waited for.
   */
  stop(): Promise<void>;
}
