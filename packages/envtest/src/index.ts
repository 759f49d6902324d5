/**
 * Control planes for tests, behind one interface: the in-memory server, kube-apiserver and etcd from
 * binaries, or an existing cluster.
 *
 * - The same test runs against every kind of environment.
 * - Without binaries an operator's tests run in memory.
 * - Processes that envtest started end with the test process, even if it is killed.
 * - The error of a control plane that does not start shows what its processes printed.
 *
 * @module
 */

// Environments
export { createTestEnvironment } from './backends/create-test-environment.ts';
export type {
  ControlPlaneControls,
  ControlPlaneProcess,
  TokenOptions,
} from './environment/control-plane-controls.ts';
export type { NewUser, TestEnvironment, TestUser } from './environment/test-environment.ts';
export type {
  ControlPlaneController,
  TestEnvironmentOptions,
} from './environment/environment-options.ts';

// Waiting
export { until, type UntilName, type UntilOptions } from './environment/until.ts';

// Errors
export { EnvtestError, envtestErrors, type EnvtestErrorCode } from './errors.ts';
