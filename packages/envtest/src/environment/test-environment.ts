import type { KubernetesObject } from '@keelson/apimachinery';
import type { Cluster } from '@keelson/client';
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
  /** Injects faults into the control plane; `undefined` for an existing cluster. */
  readonly controls: ControlPlaneControls | undefined;
  /** Returns the last lines of output of each process, by its name; empty for kinds without processes. */
  logs(): Readonly<Record<string, string>>;
  /** Ends all processes and servers; resolves when they have ended. A second call has no effect. */
  stop(): Promise<void>;
}
