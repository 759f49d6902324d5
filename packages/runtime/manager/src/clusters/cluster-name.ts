/** One or more names, joined by `/` or `:`, such as `workload`, `fleet/eu-west` and `root:org:workspace`. */
const CLUSTER_NAME = /^[A-Za-z0-9][-A-Za-z0-9_.]*(?:[/:][A-Za-z0-9][-A-Za-z0-9_.]*)*$/;

const MAX_LENGTH = 512;

/**
 * True for the name of a cluster: a name, or several that are joined by `/` or `:`. It has no empty part, so that
 * `//` ends it in the key of a request.
 */
export function isClusterName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_LENGTH && CLUSTER_NAME.test(name);
}
