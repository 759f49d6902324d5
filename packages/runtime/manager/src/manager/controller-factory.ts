import { invalidOption, SharedSlice, type KubernetesObject } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import {
  settingsOf,
  type ControllerOptions,
  type WorkPhase,
  type ControllerSettings,
} from '../controller/controller-options.ts';
import type { ControllerHost } from '../controller/controller-host.ts';
import { ManagedController } from '../controller/managed-controller.ts';
import { FightWatch } from '../fights/fight-watch.ts';
import { controllerClient, OwnVersions } from '../sources/own-versions.ts';
import type { ClusterChoice } from '../sources/source-options.ts';
import { ControllerClusters } from '../clusters/controller-clusters.ts';
import { ManagerError } from '../errors.ts';
import { History } from '../history/history.ts';
import type { EventWriter } from '../events/event-writer.ts';
import type { Leadership } from '../leader-election/leadership.ts';
import { setLogLevel, type Logger } from '../logging/logger.ts';
import type { Sharding } from '../sharding/sharding.ts';
import { ControllerTracing } from '../tracing/controllers/controller-tracing.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import type { ControllerSet } from './controller-set.ts';
import type { ManagerSettings } from './manager-options.ts';
import type { ManagerDependencies } from './manager-dependencies.ts';

/** The dependencies of a manager that its controllers share. */
export interface ControllerFactoryOptions {
  readonly dependencies: ManagerDependencies;
  readonly leadership: Leadership;
  /** `undefined` without sharding. */
  readonly sharding: Sharding | undefined;
  readonly events: EventWriter;
  readonly controllers: ControllerSet;
  readonly callScope: CallScope;
  readonly log: Logger;
  readonly settings: Pick<
    ManagerSettings,
    'gracePeriod' | 'controllers' | 'watchDefaults' | 'tracing'
  >;
}

/** Creates controllers, each with its own client, cache scope, logger, recorder and metrics. */
export class ControllerFactory {
  readonly #options: ControllerFactoryOptions;
  readonly #slice = new SharedSlice();
  #epoch = 0;

  constructor(options: ControllerFactoryOptions) {
    this.#options = options;
  }

  /**
   * Makes a controller. Throws `DUPLICATE_CONTROLLER`, `UNKNOWN_CLUSTER`, and `INVALID_OPTION` for an invalid setting.
   */
  make<Q extends object>(
    options: ControllerOptions<KubernetesObject, Q>,
    where: string,
  ): ManagedController<Q> {
    const { controllers, settings: shared } = this.#options;
    const { name } = options;
    const phase = this.#phaseOf(options, where);
    if (controllers.has(name)) throw new ManagerError('DUPLICATE_CONTROLLER', { name });
    const sources = [...(options.watches ?? []), ...(options.reads ?? [])];
    for (const { cluster } of sources as readonly Partial<ClusterChoice>[])
      if (cluster !== undefined) this.#options.dependencies.clusters.get(cluster);
    const settings = settingsOf(options, shared.controllers, where);
    const host = this.#host(name, phase, settings);
    try {
      return new ManagedController(options, host);
    } catch (error) {
      // A controller that was not created must leave no metric series.
      host.observer.removed();
      throw error;
    }
  }

  /** The phase in which the workers run. Throws `INVALID_OPTION` if sharding or its absence contradicts the options. */
  #phaseOf<Q extends object>(
    { phase = 'leader', singleton = false, readiness }: ControllerOptions<KubernetesObject, Q>,
    where: string,
  ): WorkPhase {
    const { leadership, sharding } = this.#options;
    if (sharding === undefined || phase === 'always') return phase;
    if (singleton) {
      if (leadership.isLeader !== undefined) return phase;
      throw invalidOption(
        `${where}.singleton`,
        'needs `leaderElection`: a manager with sharding has no leader without',
      );
    }
    if (readiness === 'reconciled') {
      throw invalidOption(
        `${where}.readiness`,
        'reconciled has no meaning for a sharded controller',
      );
    }
    return 'shards';
  }

  #host(name: string, phase: WorkPhase, settings: ControllerSettings): ControllerHost {
    const { dependencies, events, controllers, log, settings: shared } = this.#options;
    const { tracing } = shared;
    this.#epoch += 1;
    const own = new OwnVersions();
    const clientOf = (client?: Client): Client =>
      controllerClient(this.#guarded(phase, client), name, own);
    const observer = dependencies.metrics.controller(name);
    const ownLog = log.child({ controller: name });
    if (settings.logLevel !== undefined) setLogLevel(ownLog, settings.logLevel, 'logLevel');
    return {
      cache: dependencies.cache.scope({ declaredIn: 'reads' }),
      client: clientOf(),
      own,
      clock: dependencies.clock,
      fights: new FightWatch({
        clock: dependencies.clock,
        log: ownLog,
        observer,
        clientOf: (cluster) =>
          (cluster === undefined ? dependencies : dependencies.clusters.get(cluster)).client,
      }),
      clusters: new ControllerClusters(
        dependencies.clusters,
        ({ name: cluster, cache, client, eventRecorder, leaving: signal }) => ({
          name: cluster,
          cache: cache.scope({ declaredIn: 'reads', cluster, signal }),
          client: clientOf(client),
          events: eventRecorder(name),
        }),
      ),
      fleet: dependencies.clusters,
      origins: dependencies.origins,
      log: ownLog,
      events: events.recorder(name),
      observer,
      calls: dependencies.eventLoop.calls({
        name,
        log: ownLog,
        blocked: (role, ms) => observer.blocked(role, ms),
      }),
      settings,
      tracing: tracing && new ControllerTracing(tracing, name),
      history:
        settings.historyBytes === 0
          ? undefined
          : new History(settings.historyBytes, dependencies.clock),
      isLeader: () => this.#options.leadership.isLeader,
      settingsOf: (options, where) => settingsOf(options, shared.controllers, where),
      watchDefaults: this.#options.settings.watchDefaults,
      slice: this.#slice,
      callScope: this.#options.callScope,
      phase,
      shards: phase === 'shards' ? this.#options.sharding : undefined,
      gracePeriod: this.#options.settings.gracePeriod,
      epoch: this.#epoch,
      removed: () => controllers.remove(name),
      earlierRuns: controllers.earlierRuns(name),
    };
  }

  /** The client for work of a phase; by default that of the main cluster. */
  #guarded(phase: WorkPhase, client?: Client): Client {
    const { leadership, sharding } = this.#options;
    const own = leadership.clientOf(phase, client);
    return sharding === undefined ? own : sharding.clientOf(phase, own);
  }
}
