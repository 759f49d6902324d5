import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const envtestErrors = {
  BINARIES_NOT_FOUND: 'the folder does not hold the binaries of a control plane',
  BINARY_BROKEN: 'a binary of the control plane cannot be run',
  VERSION_NOT_SUPPORTED: 'the kube-apiserver is too old for these tests',
  PORT_IN_USE: 'the requested port is in use',
  START_FAILED: 'a process of the control plane ended before it was ready',
  START_TIMEOUT: 'the control plane was not ready in time',
  CRDS_NOT_FOUND: 'no CustomResourceDefinition could be read from the path',
  CRD_NOT_ESTABLISHED: 'a CustomResourceDefinition was not established in time',
  CRD_NOT_REMOVED: 'a CustomResourceDefinition was not removed in time',
  WEBHOOKS_NOT_FOUND: 'no webhook configuration could be read from the path',
  WEBHOOK_KIND_NOT_SERVED: 'a rule of a webhook names no kind that the server serves',
  WEBHOOKS_NOT_ACTIVE: 'the webhook configurations were not in effect in time',
  UNTIL_TIMEOUT: 'the object did not reach the expected state in time',
  USERS_NOT_SUPPORTED: 'users cannot be added to an existing cluster',
  OBSERVATION_NOT_SUPPORTED: 'this kind of environment does not record the requests of users',
  OBSERVATION_INCOMPLETE: 'the server did not record every access of the user',
  USER_NOT_OBSERVED: 'the user sent no request',
  ROLES_NOT_FOUND: 'no Role or ClusterRole was found',
  ROLE_INVALID: 'the rules of a Role or ClusterRole are malformed',
  ROLES_DIFFER: 'the roles differ from the permissions that the user needed',
  ROLE_RECORD_INVALID: 'the record of a check of roles is invalid',
  TIME_NOT_VIRTUAL: 'the environment has no virtual time',
  TIME_ADVANCING: 'the time of the environment is passing already',
  TIME_NOT_SETTLED: 'the work at one time did not end',
  WORKLOADS_NOT_RUNNING: 'the environment runs no workloads',
  SNAPSHOTS_NOT_SUPPORTED: 'only the server in memory saves snapshots',
  ENVIRONMENT_STOPPED: 'the test environment is stopped',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type EnvtestErrorCode = keyof typeof envtestErrors;

/** An error of this package: a code of `envtestErrors`, and the facts of the case. */
export class EnvtestError extends CodedError<EnvtestErrorCode> {
  override readonly name: string = 'EnvtestError';

  constructor(code: EnvtestErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, envtestErrors[code], facts, options);
  }
}
