import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const fleetErrors = {
  CLUSTER_NOT_LOADED: 'the kubeconfig of a cluster cannot be used',
  KUBECONFIG_KEY_MISSING: 'the Secret of a cluster has no kubeconfig under the key',
  NO_ACCESS_PROVIDER: 'the ClusterProfile names no access provider that the options have',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type FleetErrorCode = keyof typeof fleetErrors;

/** An error of this package: `code` is a key of `fleetErrors`, and `facts` describe the case without any secret. */
export class FleetError extends CodedError<FleetErrorCode> {
  override readonly name: string = 'FleetError';

  constructor(code: FleetErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, fleetErrors[code], facts, options);
  }
}
