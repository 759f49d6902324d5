import type { RequestOptions } from 'node:https';

/** An item of a kubeconfig: a cluster, a user or a context. */
interface Named {
  readonly name: string;
}

/**
 * A `KubeConfig` of client-node, as a user passes it. The interface replaces the class in the published declarations:
 * those of the class import `ws`, whose types client-node does not install.
 */
export interface GivenKubeConfig {
  readonly clusters: readonly Named[];
  readonly users: readonly Named[];
  readonly contexts: readonly Named[];
  readonly currentContext: string;
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
}
