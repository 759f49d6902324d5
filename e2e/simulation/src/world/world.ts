import type { Client } from '@keelson/client';
import { createInformerCache, type CacheScope, type InformerCache } from '@keelson/informer';
import type { HeldHandle } from '../cache/held-handle.ts';
import type { HeldWait } from '../cache/held-wait.ts';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import { ManagedWorld } from '../controllers/managed-world.ts';
import { simulatedClient } from '../server/simulated-client.ts';
import { SimulatedServer } from '../server/simulated-server.ts';
import { Violation, type Invariant, type Report } from '../invariants/invariant.ts';

/** Milliseconds that a watch runs after the release of its last handle. */
export const LINGER_MS = 10_000;

/**
 * Another server has lower versions. Until every watch has noticed it, the versions of two watches have no order, so a
 * handle may move to a watch that still has the state of the former server.
 */
const uncheckedAfterReplacement: ReadonlySet<Invariant> = new Set([
  'order',
  'store first',
  'atomic store',
]);

export interface WorldOptions {
  readonly hasManager: boolean;
  readonly hasElection: boolean;
  readonly trace: ((line: string) => void) | undefined;
}

/** The parts of one run: the clock, the server, the cache, and the handles that actions hold. */
export class World {
  readonly clock: VirtualClock;
  readonly hasElection: boolean;
  readonly server: SimulatedServer = new SimulatedServer();
  readonly cache: InformerCache;
  /** A scope of the cache, with some of the handles. */
  readonly scope: CacheScope;
  /** The manager, in runs that have one. */
  readonly managed: ManagedWorld | undefined;
  /** Writes, and reports the responses to the cache. */
  readonly client: Client;
  readonly waits: HeldWait[] = [];
  /** All handles, also those that were released. */
  readonly handles: HeldHandle[] = [];
  /** Faults after which the reflector gives up an object or the order of versions, if they come too often. */
  readonly rareFaultsLeft: { malformed: number; repeated: number } = { malformed: 2, repeated: 2 };
  #violation: Violation | undefined;
  readonly #trace: ((line: string) => void) | undefined;

  constructor(clock: VirtualClock, { hasManager, hasElection, trace }: WorldOptions) {
    this.clock = clock;
    this.hasElection = hasElection;
    this.#trace = trace;
    this.server.report = (invariant, facts) => this.report(invariant, facts);
    this.server.lease.report = this.report;
    this.server.trace = trace && ((line) => this.trace(line));
    this.cache = createInformerCache({
      listerWatcher: this.server.listerWatcher,
      linger: LINGER_MS,
      freeze: true,
      observer: {
        loopRestarted: (_watch, error) =>
          this.report('defect', `a reflector failed: ${String(error)}`),
        indexerError: (_watch, index) => this.report('defect', `the indexer ${index} failed`),
      },
    });
    this.scope = this.cache.scope();
    this.client = simulatedClient(this.server).withWriteObserver(this.cache);
    this.managed = hasManager ? new ManagedWorld(this) : undefined;
  }

  /** The handles that are not released. */
  get live(): HeldHandle[] {
    return this.handles.filter(({ isReleased }) => !isReleased);
  }

  /** The first violation of the run. */
  get violation(): Violation | undefined {
    return this.#violation;
  }

  readonly report: Report = (invariant, facts) => {
    if (this.#violation !== undefined) return;
    if (this.server.number > 0 && uncheckedAfterReplacement.has(invariant)) return;
    this.#violation = new Violation(invariant, facts);
    this.trace(`  BROKEN: ${invariant}: ${facts}`);
  };

  readonly trace: (line: string) => void = (line) => {
    this.#trace?.(`${(this.clock.now / 1000).toFixed(3)} ${line}`);
  };
}
