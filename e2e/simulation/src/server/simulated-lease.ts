import type { builtin, ObjectOf, Persisted } from '@keelson/apimachinery';
import type { WatchEvent } from '@keelson/client';
import { connectionError, statusError } from './api-error.ts';
import type { Report } from '../invariants/invariant.ts';

/** A Lease, as leader election reads and writes it. */
export type LeaseObject = ObjectOf<typeof builtin.Lease>;

/** The identity of the manager of the simulation, and that of the other process. */
export const SELF = 'self';
export const RIVAL = 'rival';

/** Milliseconds that leader election has in the simulation. Longer than in practice, because each renewal costs time. */
export const LEASE_MS = {
  leaseDuration: 300_000,
  renewDeadline: 200_000,
  retryPeriod: 50_000,
} as const;

/**
 * The Lease of the manager. Another process competes for it, and respects the rules: it takes the Lease only if it is
 * free, or was not renewed for the lease duration.
 */
export class SimulatedLease {
  /** Called when the manager works without being the leader. */
  report: Report = () => undefined;
  /** Requests failed, or another process competed: the manager may lose the Lease. */
  hadTrouble = false;
  #failsUntil = 0;
  #version = 1;
  #lease: Persisted<LeaseObject> | undefined;
  #changedAt = 0;
  readonly #watchers = new Set<() => void>();

  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /** True while the other process leads. */
  get isForeign(): boolean {
    return this.holder === RIVAL;
  }

  /** Requests of the manager fail for a while. */
  fail(milliseconds: number): void {
    this.hadTrouble = true;
    this.#failsUntil = performance.now() + milliseconds;
  }

  /** Ends all trouble: the other process frees the Lease. */
  calm(): void {
    this.#failsUntil = 0;
    if (this.isForeign) this.compete(true);
  }

  async get(): Promise<Persisted<LeaseObject>> {
    this.#fail();
    if (this.#lease === undefined) throw statusError(404, 'NotFound');
    return this.#lease;
  }

  async create(lease: LeaseObject): Promise<Persisted<LeaseObject>> {
    this.#fail();
    if (this.#lease !== undefined) throw statusError(409, 'AlreadyExists');
    return this.#store(lease);
  }

  async update(lease: LeaseObject): Promise<Persisted<LeaseObject>> {
    this.#fail();
    if (this.#lease === undefined) throw statusError(404, 'NotFound');
    if (lease.metadata?.resourceVersion !== this.#lease.metadata.resourceVersion) {
      throw statusError(409, 'Conflict');
    }
    return this.#store(lease);
  }

  async *watch(signal: AbortSignal): AsyncGenerator<WatchEvent<LeaseObject>> {
    let seen = 0;
    while (!signal.aborted) {
      if (this.#lease !== undefined && this.#version > seen) {
        seen = this.#version;
        yield { type: 'MODIFIED', object: this.#lease };
        continue;
      }
      await this.#change(signal);
    }
  }

  /** The other process takes the Lease, renews it, or frees it. Returns what it did. */
  compete(frees: boolean): string | undefined {
    this.hadTrouble = true;
    if (this.holder === RIVAL) {
      this.#store(this.#leaseOf(frees ? '' : RIVAL));
      return frees ? 'frees the Lease' : 'renews the Lease';
    }
    const isOver = performance.now() - this.#changedAt >= LEASE_MS.leaseDuration;
    if (this.holder !== '' && !isOver) return undefined;
    this.#store(this.#leaseOf(RIVAL));
    return 'takes the Lease';
  }

  /** A process that is not the leader may not write. */
  checkWriter(writer: string): void {
    if (this.isForeign) this.report('leader', `${writer} writes while another process leads`);
  }

  #leaseOf(holderIdentity: string): LeaseObject {
    const renewTime = new Date(Date.now()).toISOString().replace('Z', '000Z');
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'n1', name: 'lease' },
      spec: { holderIdentity, leaseDurationSeconds: LEASE_MS.leaseDuration / 1_000, renewTime },
    };
  }

  #store(lease: LeaseObject): Persisted<LeaseObject> {
    const resourceVersion = String(++this.#version);
    const metadata = { namespace: 'n1', name: 'lease', uid: 'lease', resourceVersion };
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const stored = { ...lease, metadata: { ...lease.metadata, ...metadata, creationTimestamp } };
    this.#lease = stored;
    this.#changedAt = performance.now();
    for (const wake of this.#watchers) wake();
    return this.#lease;
  }

  #fail(): void {
    if (performance.now() < this.#failsUntil) throw connectionError('ECONNREFUSED');
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#watchers.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#watchers.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
