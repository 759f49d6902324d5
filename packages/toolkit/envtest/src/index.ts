/**
 * Control planes for tests, behind one interface: the in-memory server, kube-apiserver and etcd from
 * binaries, or an existing cluster.
 *
 * - The same test runs against every kind of environment.
 * - Without binaries an operator's tests run in memory.
 * - The smallest roles of a user follow from the requests that it sent to the server in memory.
 * - With virtual time a test alone decides when time passes, for everything of Keelson in it.
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
export type { WebhookServerAddress } from './environment/webhook-objects.ts';
export type {
  ControlPlaneController,
  TestEnvironmentOptions,
  VirtualTimeOptions,
} from './environment/environment-options.ts';

export { kubernetesVersions, type KubernetesVersion } from '@keelson/apiserver';

// Permissions
export { bindRoles, type RoleBindings } from './permissions/bind-roles.ts';
export { rolesYaml } from './permissions/roles-yaml.ts';
export { readRoles, type RolesSource } from './permissions/read-roles.ts';
export type { CheckRolesOptions } from './permissions/check-roles.ts';
export type {
  ClusterRole,
  DeclaredSource,
  FixedNames,
  ObservedRules,
  ObservedRulesOptions,
  Role,
} from './permissions/observed-rules.ts';
export type { PolicyRule } from './permissions/permission.ts';

// Recorded checks of roles, for tools
export { recordRolesVariable } from './environment/environment-options.ts';
export { readRecordedRoles } from './recording/role-record.ts';
export type { RecordedRoles, RolesUpdate } from './recording/recorded-roles.ts';

// Waiting
export { until, type UntilName, type UntilOptions } from './environment/until.ts';

// Errors
export { EnvtestError, envtestErrors, type EnvtestErrorCode } from './errors.ts';
