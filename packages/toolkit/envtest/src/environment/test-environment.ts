import type { Clock, Duration, KubernetesObject } from '@keelson/apimachinery';
import type { Cluster } from '@keelson/client';
import type { Nodes, PodRules } from '@keelson/workloads';
import type { CheckRolesOptions } from '../permissions/check-roles.ts';
import type { ObservedRules, ObservedRulesOptions } from '../permissions/observed-rules.ts';
import type { RolesSource } from '../permissions/read-roles.ts';
import type { WebhookServerAddress } from './webhook-objects.ts';
import type { ControlPlaneControls } from './control-plane-controls.ts';

/** A user of the API server, with the credentials of that user. */
export interface TestUser {
  readonly name: string;
  readonly cluster: Cluster;
  /** The text of a kubeconfig (JSON, which is also YAML) with the credentials of this user. */
  readonly kubeconfig: string;
}

/** The name and the groups of a user to add. The user has no permissions until RBAC grants some. */
export interface NewUser {
  readonly name: string;
  /** Default none. */
  readonly groups?: readonly string[];
}

/** A running control plane for tests, with the same interface for all three kinds. */
export interface TestEnvironment extends AsyncDisposable {
  readonly kind: 'memory' | 'binaries' | 'kubeconfig';
  /** An administrator, with its `cluster` and the text of its kubeconfig. */
  readonly admin: TestUser;
  /** Adds a user. Throws `USERS_NOT_SUPPORTED` for an existing cluster, which grants no access to new users. */
  addUser(user: NewUser): Promise<TestUser>;
  /**
   * Creates or updates CustomResourceDefinitions, and waits until each is established. A string is the path of a
   * YAML or JSON file, or of a folder with such files; objects of other kinds in them are ignored. Throws
   * `CRDS_NOT_FOUND` and `CRD_NOT_ESTABLISHED`.
   */
  installCrds(crds: readonly (KubernetesObject | string)[]): Promise<void>;
  /**
   * Deletes CustomResourceDefinitions with their objects, and waits until they are gone. Ignores definitions that
   * do not exist. Takes objects and paths as `installCrds` does. Throws `CRDS_NOT_FOUND` and `CRD_NOT_REMOVED`.
   */
  uninstallCrds(crds: readonly (KubernetesObject | string)[]): Promise<void>;
  /**
   * Creates or updates webhook configurations, and CustomResourceDefinitions with a conversion webhook, so that all of them call
   * a server of the test, and waits until they are in effect. `clientConfig` gets the URL of the server with the path of the
   * Service or URL that was there, and its authority. A string is a path as in `installCrds`. Throws `INVALID_OPTION`,
   * `WEBHOOKS_NOT_FOUND`, `WEBHOOK_KIND_NOT_SERVED`, `WEBHOOKS_NOT_ACTIVE` and `CRD_NOT_ESTABLISHED`.
   */
  installWebhooks(
    configurations: readonly (KubernetesObject | string)[],
    server: WebhookServerAddress,
  ): Promise<void>;
  /**
   * Returns the smallest roles for all requests of a user since the start, such as
   * `system:serviceaccount:ops:robot`. Requests of other users do not count, and impersonated requests count for the
   * user that they impersonate. Only the server in memory records requests.
   *
   * Throws `OBSERVATION_NOT_SUPPORTED`, `USER_NOT_OBSERVED`, `OBSERVATION_INCOMPLETE` and `INVALID_OPTION`.
   */
  observedRules(user: string, options?: ObservedRulesOptions): Promise<ObservedRules>;
  /**
   * Compares checked-in roles with the requests of a user. Rejects with `ROLES_DIFFER`, which names the missing and the
   * excess rules, so that a test fails in every test runner. `roles` are objects, or paths of YAML files and folders;
   * other kinds in them are ignored. Throws `ROLES_NOT_FOUND`, and the errors of `observedRules`.
   */
  checkRoles(
    user: string,
    roles: RolesSource | readonly RolesSource[],
    options?: CheckRolesOptions,
  ): Promise<void>;
  /** Injects faults into the control plane; `undefined` for an existing cluster. */
  readonly controls: ControlPlaneControls | undefined;
  /**
   * Says what the containers of Pods do, with the option `workloads`: `pods.when('app=web', { crash: 'after 3s' })`. Throws
   * `WORKLOADS_NOT_RUNNING` without the option.
   */
  readonly pods: PodRules;
  /** Fails and recovers nodes, with the option `workloads`. Throws `WORKLOADS_NOT_RUNNING` without the option. */
  readonly nodes: Nodes;
  /**
   * The clock of the environment: virtual with `time: 'virtual'`, else that of the system. The clusters of its users
   * have it, so that their clients and managers wait by it. Pass it to other code that waits.
   */
  readonly clock: Clock;
  /**
   * Lets virtual time pass. Timers fire in the order of their times, and between two of them everything that follows
   * from the first one ends. Resolves when the work at the last moment has ended. Throws `TIME_NOT_VIRTUAL`,
   * `TIME_ADVANCING`, `TIME_NOT_SETTLED`, and `INVALID_OPTION` for an invalid duration.
   */
  advance(duration: Duration): Promise<void>;
  /**
   * Resolves when nothing is queued, running, in flight or due at the present virtual time. Throws `TIME_NOT_VIRTUAL`,
   * `TIME_ADVANCING` and `TIME_NOT_SETTLED`, which names the work that does not end.
   */
  settled(): Promise<void>;
  /**
   * Returns the objects of the server and its latest changes, for the option `restore` of another environment. With a path it
   * also writes them into a file, which only its owner can read. Users, tokens and faults are not saved. Throws
   * `SNAPSHOTS_NOT_SUPPORTED` for other servers than that in memory, and `SNAPSHOT_NOT_WRITTEN`.
   */
  save(file?: string): Promise<Uint8Array>;
  /** Returns the last lines of output of each process, by its name; empty for kinds without processes. */
  logs(): Readonly<Record<string, string>>;
  /** Ends all processes and servers; resolves when they have ended. A second call has no effect. */
  stop(): Promise<void>;
}
