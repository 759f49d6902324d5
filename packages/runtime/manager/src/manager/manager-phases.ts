import type { Client } from '@keelson/client';
import type { EventWriter } from '../events/event-writer.ts';
import type { WorkPhase } from '../controller/controller-options.ts';
import type { Leadership } from '../leader-election/leadership.ts';
import type { Sharding } from '../sharding/sharding.ts';
import type { Logger } from '../logging/logger.ts';
import type { Phase } from '../phases/phase.ts';
import { PhaseSequence } from '../phases/phase-sequence.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import type { ControllerSet } from './controller-set.ts';
import type { ManagerDependencies } from './manager-dependencies.ts';
import type { ManagerServers } from './manager-servers.ts';

/** The components that the phases of a manager start and stop. */
export interface ManagerComponents {
  readonly dependencies: ManagerDependencies;
  readonly servers: ManagerServers;
  readonly events: EventWriter;
  readonly controllers: ControllerSet;
  readonly leadership: Leadership;
  /** `undefined` without sharding. */
  readonly sharding: Sharding | undefined;
  readonly callScope: CallScope;
  readonly log: Logger;
  /** Milliseconds that the whole stop may take. */
  readonly gracePeriod: number;
  /** Starts the controllers of a phase. */
  readonly run: (phase: WorkPhase) => void;
  /** Stops the manager with an error. */
  readonly fail: (error: unknown) => void;
}

/** Creates the sequence of phases: which component starts, drains and closes in which phase. */
export function createManagerPhases(components: ManagerComponents): PhaseSequence {
  const { dependencies, controllers, leadership, sharding, callScope, log, run } = components;
  return new PhaseSequence({
    steps: {
      servers: {
        start: () => startServers(components),
        close: (milliseconds) => closeServers(components, milliseconds),
      },
      caches: {
        start: async () => {
          await sharding?.prepare();
          await controllers.fill();
        },
        // After the later phases, so that no other process becomes the leader before their work has ended.
        drain: async (milliseconds, stillRunning) => {
          await Promise.all([
            leadership.end(milliseconds, stillRunning),
            sharding?.end(milliseconds, stillRunning),
          ]);
        },
        close: (milliseconds) => closeCaches(components, milliseconds),
      },
      always: {
        start: () => run('always'),
        drain: (milliseconds) => controllers.end('always', milliseconds),
        busy: () => controllers.busy('always'),
      },
      shards: {
        start: async () => {
          run('shards');
          await sharding?.join();
        },
        drain: (milliseconds) => controllers.end('shards', milliseconds),
        busy: () => controllers.busy('shards'),
      },
      leader: {
        start: async () => {
          if (await leadership.acquire()) run('leader');
        },
        drain: (milliseconds) => {
          leadership.stopWaiting();
          // The other replicas take over the slots while the phase `leader` ends.
          sharding?.leave();
          return controllers.end('leader', milliseconds);
        },
        busy: () => controllers.busy('leader'),
      },
    },
    runnables: (phase) => ({
      dependencies: {
        cache: dependencies.cache,
        client: clientOf(components, phase),
        clock: dependencies.clock,
        log,
      },
      callScope,
      calls: (name, runnableLog) =>
        dependencies.eventLoop.calls({
          name: `runnable ${name}`,
          log: runnableLog,
          blocked: (_role, ms) => dependencies.metrics.blocked('runnable', ms),
        }),
      failed: (runnable, error) => {
        log.error({ runnable: runnable.name, err: error }, 'runnable failed');
        components.fail(error);
      },
    }),
    log,
    gracePeriod: components.gracePeriod,
  });
}

/** Counts the start for the clock of a test: no time passes until the servers listen. */
async function startServers({ servers, dependencies }: ManagerComponents): Promise<void> {
  const end = dependencies.clock.activity?.begin('the start of the servers of the manager');
  try {
    await servers.start();
  } finally {
    end?.();
  }
}

function clientOf(
  { leadership, sharding }: Pick<ManagerComponents, 'leadership' | 'sharding'>,
  phase: Phase,
): Client {
  const client = leadership.clientOf(phase);
  return sharding === undefined ? client : sharding.clientOf(phase, client);
}

async function closeCaches(
  { events, dependencies, servers }: ManagerComponents,
  milliseconds: number,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  try {
    // Handlers of webhooks read the cache.
    await servers.closeWebhooks(milliseconds / 2);
  } finally {
    await closeEventsAndCache({ events, dependencies }, Math.max(0, deadline - performance.now()));
  }
}

async function closeEventsAndCache(
  { events, dependencies }: Pick<ManagerComponents, 'events' | 'dependencies'>,
  milliseconds: number,
): Promise<void> {
  try {
    await Promise.all([
      events.close(milliseconds),
      dependencies.clusters.closeEvents(milliseconds),
    ]);
  } finally {
    await dependencies.closeCache();
  }
}

async function closeServers(
  { servers, dependencies }: ManagerComponents,
  milliseconds: number,
): Promise<void> {
  try {
    await servers.close(milliseconds);
  } finally {
    await dependencies.closeClient();
  }
}
