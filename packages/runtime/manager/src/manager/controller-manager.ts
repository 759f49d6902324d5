import {
  checkMethods,
  checkOptions,
  checkSignal,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { ApiConstructor, Client } from '@keelson/client';
import type { InformerCache } from '@keelson/informer';
import type { ConvertibleVersions, WebhookOptions } from '@keelson/webhook';
import type { Registry } from 'prom-client';
import type { Spanning } from '../sources/cluster-selection.ts';
import type { ManagerCluster } from '../clusters/manager-cluster.ts';
import type { AcceptedOptions, PulledControllerOptions } from './accepted-options.ts';
import {
  checkControllerOptions,
  type ControllerOptions,
  type WorkPhase,
} from '../controller/controller-options.ts';
import type { Watched } from '../sources/index-watches/watches-of.ts';
import type { SourceForm } from '../sources/source-options.ts';
import type { Controller, PulledController } from '../controller/controller.ts';
import type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
import type { EventWriter } from '../events/event-writer.ts';
import type { EventRecorder } from '../reconcile/event-recorder.ts';
import { failureFacts } from '../logging/failure-facts.ts';
import { guardedLogger, type Logger } from '../logging/logger.ts';
import type { HealthCheck } from '../servers/health-checks.ts';
import type { Receiver } from '../servers/http-server.ts';
import { ManagedController } from '../controller/managed-controller.ts';
import { ControllerFactory } from './controller-factory.ts';
import { declaredAccess, type DeclaredAccess } from './declared-access.ts';
import { ControllerSet } from './controller-set.ts';
import { ManagerError } from '../errors.ts';
import { Leadership } from '../leader-election/leadership.ts';
import { createManagerPhases } from './manager-phases.ts';
import { ManagerServers } from './manager-servers.ts';
import { ManagerWebhooks } from './manager-webhooks.ts';
import {
  checkManagerOptions,
  type ManagerOptions,
  type ManagerSettings,
} from './manager-options.ts';
import type { CreateManager, Manager, StartOptions } from './manager.ts';
import { ExplainPage } from './explain-page.ts';
import type { ManagerState } from './manager-state.ts';
import { Sharding } from '../sharding/sharding.ts';
import { CallScope } from '../user-code/call-scope.ts';
import type { PhaseSequence } from '../phases/phase-sequence.ts';
import { checkRunnable, type Runnable } from '../phases/runnable.ts';
import { StopErrors } from './stop-errors.ts';
import { listenForStop } from './stop-requests.ts';
import { ManagerDependencies } from './manager-dependencies.ts';
import { onUncaughtError } from './uncaught-errors.ts';

/**
 * Makes a manager, which does nothing before `start`. Throws `INVALID_OPTION`, and `UNSUPPORTED_RUNTIME` in Bun.
 *
 * @function
 *
 * @example
 * ```ts
 * import { builtin, createManager } from '@keelson/manager';
 *
 * const manager = createManager({
 *   servers: { metrics: 8080, health: 8081 },
 *   leaderElection: { lease: 'web' },
 * });
 * manager.addController({
 *   name: 'config-maps',
 *   for: builtin.ConfigMap,
 *   reconcile: async ({ namespace, name }, { cache, log }) => {
 *     const found = cache.get(builtin.ConfigMap, { namespace, name });
 *     log.info({ exists: found !== undefined }, 'seen');
 *     return { requeueAfter: '10m' };
 *   },
 * });
 * // Ends after SIGTERM, or rejects if the operator cannot run.
 * await manager.start();
 * ```
 */
export const createManager: CreateManager = (given = {}) => {
  const options = given as unknown as ManagerOptions;
  return new ControllerManager(options, checkManagerOptions(options));
};

class ControllerManager implements Manager {
  readonly started: Promise<void>;
  readonly #settings: ManagerSettings;
  readonly #log: Logger;
  readonly #dependencies: ManagerDependencies;
  readonly #servers: ManagerServers;
  readonly #webhooks: ManagerWebhooks;
  readonly #events: EventWriter;
  readonly #controllers = new ControllerSet();
  readonly #factory: ControllerFactory;
  readonly #phases: PhaseSequence;
  readonly #callScope = new CallScope();
  readonly #leadership: Leadership;
  readonly #sharding: Sharding | undefined;
  /** The phases whose controllers run. */
  readonly #runningPhases = new Set<WorkPhase>();
  readonly #start = Promise.withResolvers<void>();
  readonly #stopRequest = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<void>();
  #state: ManagerState = 'created';
  readonly #errors = new StopErrors();

  constructor(options: ManagerOptions, settings: ManagerSettings) {
    this.#log = guardedLogger(settings.logger, () => this.#dependencies.metrics.logFailed());
    this.#settings = { ...settings, logger: this.#log };
    this.#dependencies = new ManagerDependencies(options, this.#settings, this.#callScope);
    this.#events = this.#dependencies.eventWriter();
    const { servers = {} } = options;
    this.#webhooks = new ManagerWebhooks(this.#dependencies, {
      callScope: this.#callScope,
      hasServer: servers.webhook !== undefined,
      log: this.#log,
      tracing: settings.tracing,
    });
    const { client, metrics } = this.#dependencies;
    const receiver: Receiver = (request, signal) => this.#webhooks.receive(request, signal);
    const namespace = async (): Promise<string | undefined> =>
      (await this.#dependencies.loadCluster())?.namespace;
    const explain = new ExplainPage(this.#controllers);
    const inspected = {
      clock: settings.clock,
      controllers: this.#controllers,
      clusters: () => [{ name: undefined, cache: this.cache }, ...this.#dependencies.clusters.all],
      recorder: () => this.#events.recorder('keelson-inspector'),
    };
    const dependencies = { client, metrics, receiver, namespace, explain, inspected };
    this.#servers = new ManagerServers(servers, dependencies, this.#log);
    this.#leadership = new Leadership(settings.leaderElection, {
      client: this.client,
      log: this.#log,
      clock: settings.clock,
      metrics: this.#dependencies.metrics,
      health: this.#servers.health,
      tracing: settings.tracing,
      lost: (error) => this.#workLost('leader', error),
    });
    this.#sharding =
      settings.sharding &&
      new Sharding(settings.sharding, {
        client: this.client,
        cache: this.cache,
        clock: this.#dependencies.clock,
        log: this.#log,
        metrics: this.#dependencies.metrics,
        ready: this.#servers.ready,
        controllers: this.#controllers,
        lost: (error) => this.#workLost('shards', error),
      });
    this.#servers.ready.add('manager', () => this.#checkRunning());
    this.#controllers.addChecks(this.#servers.ready);
    this.#factory = new ControllerFactory({
      dependencies: this.#dependencies,
      leadership: this.#leadership,
      sharding: this.#sharding,
      events: this.#events,
      controllers: this.#controllers,
      callScope: this.#callScope,
      log: this.#log,
      settings,
    });
    this.#phases = createManagerPhases({
      dependencies: this.#dependencies,
      servers: this.#servers,
      events: this.#events,
      controllers: this.#controllers,
      leadership: this.#leadership,
      sharding: this.#sharding,
      callScope: this.#callScope,
      log: this.#log,
      gracePeriod: settings.gracePeriod,
      run: (phase) => this.#runControllers(phase),
      fail: (error) => this.#fail(error),
    });
    const { publisher } = this.#servers;
    if (publisher !== undefined) this.#add(publisher, 'createManager.servers.webhook');
    this.started = this.#start.promise;
    this.started.catch(() => undefined);
  }

  get client(): Client {
    return this.#dependencies.client;
  }

  get cache(): InformerCache {
    return this.#dependencies.cache;
  }

  get registry(): Registry {
    return this.#dependencies.metrics.registry;
  }

  get isLeader(): boolean {
    const runs = this.#state !== 'stopping' && this.#runningPhases.has('leader');
    return this.#leadership.isLeader ?? runs;
  }

  get ports(): Manager['ports'] {
    return this.#servers.ports;
  }

  /** A getter, because a log may show the properties of a manager. */
  get debugToken(): string | undefined {
    return this.#servers.debugToken;
  }

  addController<
    T extends KubernetesObject,
    C extends Spanning,
    Q extends object,
    Kinds extends readonly Watched[],
    P extends SourceForm,
    R,
  >(typed: AcceptedOptions<T, Q, Kinds, P, R, C>): Controller<Q> {
    // The compiler has checked the kinds of the sources and the result; the checks at run time need neither.
    const options = typed as unknown as ControllerOptions<KubernetesObject, Q>;
    checkControllerOptions(options, 'addController');
    return this.#add(options, 'addController');
  }

  addPulledController<
    T extends KubernetesObject,
    Q extends object,
    Kinds extends readonly Watched[],
    P extends SourceForm,
  >(typed: PulledControllerOptions<T, Q, Kinds, P>): PulledController<Q> {
    const options = typed as unknown as ControllerOptions<KubernetesObject, Q>;
    checkControllerOptions(options, 'addPulledController', true);
    return this.#add(options, 'addPulledController');
  }

  addCluster(...cluster: Parameters<Manager['addCluster']>): ManagerCluster {
    this.#refuseWhenStopped();
    const leave = (name: string): Promise<void> => this.#controllers.leaveCluster(name);
    const { auditReconciles, tracing } = this.#settings;
    const host = { callScope: this.#callScope, leave, auditReconciles, tracing };
    const added = this.#dependencies.clusters.add(host, ...cluster);
    this.#controllers.engage(added);
    return added;
  }

  async setNamespaces(...change: Parameters<Manager['setNamespaces']>): Promise<void> {
    this.#refuseWhenStopped();
    await this.#controllers.setNamespaces(this.#settings.watchDefaults, ...change);
  }

  addWebhook(options: object): void {
    this.#refuseWhenStopped();
    this.#webhooks.add(options as WebhookOptions);
  }

  addConversion(versions: ConvertibleVersions): void {
    this.#refuseWhenStopped();
    this.#webhooks.addConversion(versions);
  }

  addRunnable(runnable: Runnable): void {
    this.#refuseWhenStopped();
    checkRunnable(runnable);
    this.#phases.add(runnable);
  }

  readonly addHealthCheck = (name: string, check: HealthCheck): (() => void) =>
    this.#servers.health.add(name, check);

  readonly addReadyCheck = (name: string, check: HealthCheck): (() => void) =>
    this.#servers.ready.add(name, check);

  addRoute(...route: Parameters<Manager['addRoute']>): () => void {
    return this.#servers.addRoute(...route);
  }

  readonly eventRecorder = (name: string): EventRecorder => this.#events.recorder(name);

  apiClient<Api>(constructor: ApiConstructor<Api>): Promise<Api> {
    return this.client.apiClient(constructor);
  }

  declaredAccess(): DeclaredAccess {
    return declaredAccess(this.#controllers.queries(), this.#settings.leaderElection);
  }

  explain(): readonly ControllerExplanation[];
  explain(controller: string, request: object): Explanation;
  explain(controller?: string, request?: object): readonly ControllerExplanation[] | Explanation {
    if (controller === undefined) return this.#controllers.explain();
    checkMethods(request, [], 'explain.request');
    return this.#controllers.explainRequest(controller, request as object);
  }

  async start(options: StartOptions = {}): Promise<void> {
    this.#refuseWhenStopped();
    if (this.#state !== 'created') throw new ManagerError('ALREADY_STARTED');
    checkOptions(options, ['signal'], 'start');
    checkSignal(options.signal, 'start.signal');
    this.#state = 'starting';
    const stopMonitoring = onUncaughtError((error) => this.#callScope.origin?.uncaught?.(error));
    const stopListening = listenForStop({
      stopSignals: this.#settings.stopSignals,
      signal: options.signal,
      log: this.#log,
      stop: () => this.#requestStop(),
    });
    // Not awaited: `#fail` reports the error of a start even if the manager already stops for another reason.
    this.#startPhases().catch((error: unknown) => this.#failStart(error));
    await this.#stopRequest.promise;
    try {
      await this.#stopPhases();
    } catch (error) {
      this.#fail(error);
    } finally {
      stopListening();
      stopMonitoring();
      this.#log.info({ failures: this.#errors.size }, 'manager stopped');
    }
    this.#errors.throwIfAny();
  }

  async stop(): Promise<void> {
    const hasStarted = this.#state !== 'created';
    this.#requestStop();
    if (!hasStarted) await this.#stopPhases();
    // A reconcile or runnable that waited for the end of the manager would wait for its own end.
    else if (this.#callScope.current === undefined) await this.#end.promise;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #startPhases(): Promise<void> {
    const cluster = await this.#dependencies.loadCluster();
    this.#leadership.useNamespaceOf(cluster);
    this.#sharding?.useNamespaceOf(cluster);
    await this.#phases.start();
    if (this.#state !== 'starting') return;
    this.#state = 'running';
    this.#log.info({ controllers: this.#controllers.names }, 'manager started');
  }

  async #stopPhases(): Promise<void> {
    this.#start.reject(this.#errors.first(new ManagerError('MANAGER_STOPPED')));
    try {
      const report = await this.#phases.stop();
      this.#errors.addReport(
        report,
        this.#leadership.wasLost || this.#sharding?.wasLost === true
          ? 0
          : this.#settings.gracePeriod,
      );
      this.#dependencies.closeMetrics();
    } finally {
      this.#end.resolve();
    }
  }

  /** Another process may do the work of the phase soon, so the stop does not wait for that of this one. */
  #workLost(phase: WorkPhase, error: ManagerError): void {
    this.#phases.hurry();
    this.#fail(error);
    void this.#controllers.end(phase, 0);
  }

  #add<Q extends object>(
    options: ControllerOptions<KubernetesObject, Q>,
    where: string,
  ): ManagedController<Q> {
    this.#refuseWhenStopped();
    const controller = this.#factory.make(options, where);
    this.#controllers.add(controller);
    if (this.#phases.hasBegun('caches')) controller.fill();
    for (const each of this.#runningPhases) this.#controllers.runAdded(controller, each, this.#log);
    return controller;
  }

  #runControllers(phase: WorkPhase): void {
    this.#runningPhases.add(phase);
    const failed = (error: unknown): void => this.#failStart(error);
    const begun = this.#controllers.run(phase, failed);
    begun.then(() => (phase === 'leader' ? this.#start.resolve() : undefined), failed);
  }

  /** Reports a failed start in one line, and stops the manager. */
  #failStart(error: unknown): void {
    if (!this.#errors.has(error)) this.#log.error(failureFacts(error), 'manager did not start');
    this.#fail(error);
  }

  /** Stops the manager with an error, which `start` rejects with. */
  #fail(error: unknown): void {
    this.#errors.add(error);
    this.#requestStop();
  }

  /** Begins the stop: from now on additions throw, and the manager is not ready. */
  #requestStop(): void {
    this.#state = 'stopping';
    this.#servers.drain();
    this.#stopRequest.resolve();
  }

  #checkRunning(): void {
    if (this.#state === 'stopping' || !this.#phases.hasBegun('leader')) {
      throw new Error(`the manager is ${this.#state}`);
    }
  }

  #refuseWhenStopped(): void {
    if (this.#state === 'stopping') throw new ManagerError('MANAGER_STOPPED');
  }
}
