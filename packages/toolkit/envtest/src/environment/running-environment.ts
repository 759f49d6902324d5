import {
  systemClock,
  type Clock,
  type Duration,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { createClient, type Client } from '@keelson/client';
import type { ControlPlaneControls } from './control-plane-controls.ts';
import type { Nodes, PodRules, Workloads } from '@keelson/workloads';
import { EnvtestError } from '../errors.ts';
import {
  checkRoles,
  neededPermissions,
  type CheckRolesOptions,
} from '../permissions/check-roles.ts';
import type { ObservedRules, ObservedRulesOptions } from '../permissions/observed-rules.ts';
import type { RolesSource } from '../permissions/read-roles.ts';
import { Observer, type AccessSource } from '../permissions/observer.ts';
import { recordableFile, writeRoleRecord } from '../recording/role-record.ts';
import type { ResolvedOptions } from './environment-options.ts';
import { readCrds } from './read-crds.ts';
import { installCrds, uninstallCrds } from './install-crds.ts';
import { installWebhooks } from './install-webhooks.ts';
import type { VirtualClock } from '../time/virtual-clock.ts';
import { webhookObjects, type WebhookServerAddress } from './webhook-objects.ts';
import type { NewUser, TestEnvironment, TestUser } from './test-environment.ts';

/** The part of a test environment that differs between its kinds. */
export interface Backend {
  readonly kind: TestEnvironment['kind'];
  readonly admin: TestUser;
  addUser(user: NewUser): Promise<TestUser>;
  logs(): Readonly<Record<string, string>>;
  readonly controls: ControlPlaneControls | undefined;
  /** `undefined` if the control plane does not record accesses. */
  readonly accesses: AccessSource | undefined;
  /** `undefined` if the control plane cannot save its objects. */
  readonly snapshots: Pick<TestEnvironment, 'save'> | undefined;
  /** `undefined` for real time. */
  readonly time: VirtualClock | undefined;
  /** `undefined` without workloads. */
  readonly workloads: Workloads | undefined;
  stop(): Promise<void>;
}

/** A test environment over any backend. */
export class RunningEnvironment implements TestEnvironment {
  readonly #backend: Backend;
  readonly #client: Client;
  readonly #crdTimeout: number;
  readonly #recordRoles: string | undefined;
  readonly #observer: Observer;
  #stopped: Promise<void> | undefined;

  constructor(
    backend: Backend,
    { crdTimeout, recordRoles }: Pick<ResolvedOptions, 'crdTimeout' | 'recordRoles'>,
  ) {
    this.#backend = backend;
    this.#client = createClient({
      cluster: backend.admin.cluster,
      fieldManager: 'keelson-envtest',
    });
    this.#crdTimeout = crdTimeout;
    this.#recordRoles = recordRoles;
    this.#observer = new Observer(backend.kind, backend.accesses);
  }

  get kind(): TestEnvironment['kind'] {
    return this.#backend.kind;
  }

  get admin(): TestUser {
    return this.#backend.admin;
  }

  get controls(): ControlPlaneControls | undefined {
    return this.#backend.controls;
  }

  async addUser(user: NewUser): Promise<TestUser> {
    this.#checkRunning();
    return this.#backend.addUser(user);
  }

  async installCrds(crds: readonly (KubernetesObject | string)[]): Promise<void> {
    this.#checkRunning();
    await installCrds(this.#client, await readAll(crds), this.#crdTimeout);
  }

  async uninstallCrds(crds: readonly (KubernetesObject | string)[]): Promise<void> {
    this.#checkRunning();
    await uninstallCrds(this.#client, await readAll(crds), this.#crdTimeout);
  }

  async installWebhooks(
    configurations: readonly (KubernetesObject | string)[],
    server: WebhookServerAddress,
  ): Promise<void> {
    this.#checkRunning();
    const objects = await webhookObjects(configurations, server);
    await installWebhooks(this.#client, objects, this.#crdTimeout);
  }

  async observedRules(user: string, options: ObservedRulesOptions = {}): Promise<ObservedRules> {
    return this.#observer.rules(user, options);
  }

  async checkRoles(
    user: string,
    roles: RolesSource | readonly RolesSource[],
    options: CheckRolesOptions = {},
  ): Promise<void> {
    const needed = neededPermissions(this.#observer, user, options);
    const file = this.#recordRoles === undefined ? undefined : recordableFile(roles);
    if (this.#recordRoles === undefined || file === undefined) return checkRoles(roles, needed);
    await writeRoleRecord(this.#recordRoles, file, needed);
  }

  async save(file?: string): Promise<Uint8Array> {
    this.#checkRunning();
    const { kind, snapshots } = this.#backend;
    if (snapshots === undefined) throw new EnvtestError('SNAPSHOTS_NOT_SUPPORTED', { kind });
    return snapshots.save(file);
  }

  get pods(): PodRules {
    return this.#workloads.pods;
  }

  get nodes(): Nodes {
    return this.#workloads.nodes;
  }

  get #workloads(): Workloads {
    this.#checkRunning();
    if (this.#backend.workloads === undefined) throw new EnvtestError('WORKLOADS_NOT_RUNNING');
    return this.#backend.workloads;
  }

  get clock(): Clock {
    return this.#backend.time ?? systemClock;
  }

  async advance(duration: Duration): Promise<void> {
    await this.#time.advance(duration);
  }

  async settled(): Promise<void> {
    await this.#time.settled();
  }

  get #time(): VirtualClock {
    this.#checkRunning();
    if (this.#backend.time === undefined) throw new EnvtestError('TIME_NOT_VIRTUAL');
    return this.#backend.time;
  }

  logs(): Readonly<Record<string, string>> {
    return this.#backend.logs();
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#client.close().then(() => this.#backend.stop());
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #checkRunning(): void {
    if (this.#stopped !== undefined) throw new EnvtestError('ENVIRONMENT_STOPPED');
  }
}

async function readAll(crds: readonly (KubernetesObject | string)[]): Promise<KubernetesObject[]> {
  const read = crds.map(async (crd) => (typeof crd === 'string' ? readCrds(crd) : [crd]));
  return (await Promise.all(read)).flat();
}
