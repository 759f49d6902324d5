import type { KubernetesObject } from '@keelson/apimachinery';
import type { Cluster } from '@keelson/client';
import type { ControlPlaneControls } from './control-plane-controls.ts';

/** Somebody who may ask the API server, and how. */
export interface TestUser {
  readonly name: string;
  readonly cluster: Cluster;
  /** A kubeconfig (YAML) that is this user. */
  readonly kubeconfig: string;
}

/** Who a further user is. RBAC grants what the user may do. */
export interface NewUser {
  readonly name: string;
  /** Default none. */
  readonly groups?: readonly string[];
}

/** A control plane for tests. All three kinds look the same. */
export interface TestEnvironment extends AsyncDisposable {
  readonly kind: 'memory' | 'binaries' | 'kubeconfig';
  /** An administrator. */
  readonly admin: TestUser;
  /**
   * Adds a user. Throws `USERS_NOT_SUPPORTED` for a cluster from a kubeconfig: who may be added there
   * is not ours to decide.
   */
  addUser(user: NewUser): Promise<TestUser>;
  /**
   * Creates CustomResourceDefinitions, or updates them, and waits until each is established. A string is the
   * path of a YAML or JSON file, or of a folder with such files; what else stands in them is left out. Throws
   * `CRDS_NOT_FOUND` and `CRD_NOT_ESTABLISHED`.
   */
  installCrds(crds: readonly (KubernetesObject | string)[]): Promise<void>;
  /**
   * Deletes CustomResourceDefinitions, with their objects, and waits until they are gone; those that do not exist are
   * left out. Takes what `installCrds` takes. Throws `CRDS_NOT_FOUND` and `CRD_NOT_REMOVED`.
   */
  uninstallCrds(crds: readonly (KubernetesObject | string)[]): Promise<void>;
  /** Trouble on demand; `undefined` for a cluster from a kubeconfig, which is not ours to trouble. */
  readonly controls: ControlPlaneControls | undefined;
  /** The last lines that each process printed, by its name; empty where there are none. */
  logs(): Readonly<Record<string, string>>;
  /** Ends everything that was started; settles when it has ended. Harmless when called again. */
  stop(): Promise<void>;
}
