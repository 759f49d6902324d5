import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  checkCount,
  checkOptions,
  invalidOption,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';
import { kubernetesVersions, type KubernetesVersion } from '@keelson/apiserver';
import type { WorkloadsOptions } from '@keelson/workloads';
import type { VirtualClockOptions } from '../time/virtual-clock.ts';

/**
 * The environment variable with a folder. If it is set, `checkRoles` of one file writes a record into the folder instead of
 * comparing. `keelson rbac` sets it.
 */
export const recordRolesVariable = 'KEELSON_RECORD_ROLES';

/** The controllers of kube-controller-manager that a test environment can run. */
export const controlPlaneControllers = [
  'cluster-role-aggregation',
  'garbage-collector',
  'namespace',
  'policy-status',
  'resource-quota',
  'storage-protection',
] as const;

/** A controller of kube-controller-manager that the environment can run, such as `garbage-collector`. */
export type ControlPlaneController = (typeof controlPlaneControllers)[number];

/** The start of virtual time, and the limits of the work at one time. */
export interface VirtualTimeOptions {
  /** The time at the start, such as `'2026-03-01T00:00:00Z'`. Default: the present time. */
  readonly start?: string | Date;
  /**
   * The seed of the random parts of intervals, a whole number that is not negative: renewals of a Lease, resyncs, and
   * retries of clients. Default 0.
   */
  readonly seed?: number;
  /**
   * The number of times that work may begin, end or continue while no time passes, before `TIME_NOT_SETTLED`. Default
   * 100 000.
   */
  readonly maxSteps?: number;
  /**
   * The real time in which work must begin or end while `advance` and `settled` wait for it, before `TIME_NOT_SETTLED`.
   * Default 4 s.
   */
  readonly stallTimeout?: Duration;
}

/** Selects the control plane of a test: its kind, its folder of binaries, and the features to start. */
export interface TestEnvironmentOptions {
  /**
   * The kind of control plane. `memory`: `@keelson/apiserver` in this process. `binaries`: etcd and kube-apiserver
   * as child processes. `kubeconfig`: an existing cluster. `auto` (default): `binaries` if `assets` or
   * `KUBEBUILDER_ASSETS` names a folder, else `memory`.
   */
  readonly use?: 'auto' | 'memory' | 'binaries' | 'kubeconfig';
  /** The folder of etcd and kube-apiserver. Default: `KUBEBUILDER_ASSETS` of `env`. No effect for `memory` and `kubeconfig`. */
  readonly assets?: string;
  /** The path of a kubeconfig file. Default: `KUBECONFIG` of `env`, else `~/.kube/config`. No effect for other kinds. */
  readonly kubeconfig?: string;
  /**
   * Controllers that run with the API server; they behave the same in memory and with binaries. Default none:
   * without `garbage-collector` dependents of deleted owners stay, without `namespace` a deleted namespace stays
   * `Terminating`. Binaries need `kube-controller-manager`, which setup-envtest does not install. No effect for
   * `kubeconfig`.
   */
  readonly controllers?: readonly ControlPlaneController[];
  /**
   * Feature gates of kube-apiserver by name. Default none. The server in memory knows `ShardedListAndWatch`. No effect
   * for `kubeconfig`.
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * Additional flags of kube-apiserver, which override those of Keelson: `['--v=4']`. Default none. No effect
   * for other kinds than `binaries`.
   */
  readonly apiServerFlags?: readonly string[];
  /** The port of the API server. Default 0: any free port. */
  readonly port?: number;
  /**
   * `'virtual'`: everything of Keelson in the test waits by the clock of the environment, whose time passes only in
   * `advance`. Needs the server in memory, so `use: 'auto'` ignores `KUBEBUILDER_ASSETS`. An object also sets the start
   * and the limits. Default `'real'`.
   */
  readonly time?: 'real' | 'virtual' | VirtualTimeOptions;
  /**
   * Runs the controllers of workloads, a scheduler and simulated kubelets, with the controllers `garbage-collector`, `namespace`
   * and `storage-protection`: Deployments make Pods that become ready. An object sets the nodes and the times. Needs the server in memory,
   * so `use: 'auto'` ignores `KUBEBUILDER_ASSETS`. Default `false`.
   */
  readonly workloads?: boolean | WorkloadsOptions;
  /**
   * The version of Kubernetes that the server in memory behaves as: its kinds, fields and documents. `use: 'auto'` then ignores
   * `KUBEBUILDER_ASSETS`. Default `1.36`; binaries and clusters have their own.
   */
  readonly version?: KubernetesVersion;
  /**
   * The state to start with: the path of a file that `save` or `keelson snapshot` wrote, or its bytes. Needs the server in
   * memory, so `use: 'auto'` ignores `KUBEBUILDER_ASSETS`. Default none.
   */
  readonly restore?: string | Uint8Array;
  /** How long the control plane may take to become ready. Default 60 s. */
  readonly startTimeout?: Duration;
  /** How long `installCrds`, `uninstallCrds` and `installWebhooks` wait for the server. Default 10 s. */
  readonly crdTimeout?: Duration;
  /** How long a process may take to end before it is killed. Default 10 s. */
  readonly stopTimeout?: Duration;
  /**
   * The environment variables that `KUBEBUILDER_ASSETS`, `KUBECONFIG` and `KEELSON_RECORD_ROLES` are read from. Default
   * `process.env`.
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** All options with their defaults; durations in milliseconds. */
export interface ResolvedOptions {
  readonly use: 'memory' | 'binaries' | 'kubeconfig';
  readonly assets: string | undefined;
  readonly kubeconfig: string;
  readonly controllers: readonly ControlPlaneController[];
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly apiServerFlags: readonly string[];
  readonly port: number;
  /** `undefined` for real time. */
  readonly time: VirtualClockOptions | undefined;
  /** `undefined` without workloads. */
  readonly workloads: WorkloadsOptions | undefined;
  /** `undefined` for the newest version, or that of the binaries or of the cluster. */
  readonly version: KubernetesVersion | undefined;
  /** `undefined` to start without objects of a test. */
  readonly restore: string | Uint8Array | undefined;
  /** The folder in which `checkRoles` records what it would compare, for `keelson rbac`. */
  readonly recordRoles: string | undefined;
  readonly crdTimeout: number;
  readonly startTimeout: number;
  readonly stopTimeout: number;
}

const where = 'createTestEnvironment';
const known = [
  'use',
  'assets',
  'kubeconfig',
  'controllers',
  'featureGates',
  'apiServerFlags',
  'port',
  'time',
  'workloads',
  'version',
  'restore',
  'crdTimeout',
  'startTimeout',
  'stopTimeout',
  'env',
] as const;
const uses = ['auto', 'memory', 'binaries', 'kubeconfig'] as const;

type Check = readonly [isValid: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The check of each option except durations, which `parseDuration` checks. */
const checks: Readonly<Record<string, Check>> = {
  use: [(value) => uses.some((use) => use === value), `must be one of ${uses.join(', ')}`],
  assets: [isText, 'must be a string'],
  kubeconfig: [isText, 'must be a string'],
  controllers: [
    (value) =>
      Array.isArray(value) && value.every((name) => controlPlaneControllers.includes(name)),
    `must be names out of ${controlPlaneControllers.join(', ')}`,
  ],
  featureGates: [
    (value) => isObject(value) && Object.values(value).every((gate) => typeof gate === 'boolean'),
    'must be an object of booleans',
  ],
  apiServerFlags: [
    (value) =>
      Array.isArray(value) &&
      value.every((flag) => typeof flag === 'string' && flag.startsWith('--')),
    'must be flags such as --v=4',
  ],
  port: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
    'must be a number from 0 to 65535',
  ],
  env: [isObject, 'must be an object'],
  time: [
    (value) => value === 'real' || value === 'virtual' || isObject(value),
    'must be real, virtual or an object',
  ],
  version: [
    (value) => kubernetesVersions.some((version) => version === value),
    `must be one of ${kubernetesVersions.join(', ')}`,
  ],
  restore: [
    (value) => isText(value) || value instanceof Uint8Array,
    'must be the path of a snapshot, or its bytes',
  ],
  workloads: [
    (value) => typeof value === 'boolean' || isObject(value),
    'must be true, false or an object',
  ],
};

function checkValues(options: TestEnvironmentOptions): void {
  checkOptions(options, known, where);
  for (const [name, value] of Object.entries(options)) {
    const [isValid, expected] = checks[name] ?? [];
    if (value !== undefined && isValid?.(value) === false) {
      throw invalidOption(`${where}.${name}`, expected ?? '');
    }
  }
}

/** Returns the settings of virtual time; `undefined` for real time. */
function timeOf({
  time = 'real',
  use = 'auto',
}: TestEnvironmentOptions): VirtualClockOptions | undefined {
  if (time === 'real') return undefined;
  if (use !== 'auto' && use !== 'memory') {
    throw invalidOption(`${where}.time`, 'needs the server in memory', { use });
  }
  const given = time === 'virtual' ? {} : time;
  checkOptions(given, ['start', 'seed', 'maxSteps', 'stallTimeout'], `${where}.time`);
  const { start = new Date(), seed = 0, maxSteps = 100_000, stallTimeout = '4s' } = given;
  checkCount(maxSteps, `${where}.time.maxSteps`);
  if (!Number.isInteger(seed) || seed < 0) {
    throw invalidOption(`${where}.time.seed`, 'must be a whole number that is not negative');
  }
  const milliseconds = new Date(start).getTime();
  if (Number.isNaN(milliseconds)) throw invalidOption(`${where}.time.start`, 'must be a time');
  return {
    start: milliseconds,
    seed,
    maxSteps,
    stallTimeout: parseDuration(stallTimeout, `${where}.time.stallTimeout`),
  };
}

/** Returns the options of the workloads; `undefined` without them. */
function workloadsOf({
  workloads = false,
  use = 'auto',
}: TestEnvironmentOptions): WorkloadsOptions | undefined {
  if (workloads === false) return undefined;
  if (use !== 'auto' && use !== 'memory') {
    throw invalidOption(`${where}.workloads`, 'needs the server in memory', { use });
  }
  return workloads === true ? {} : workloads;
}

/** Refuses options of the server in memory for another one. */
function checkMemoryOptions({ restore, version, use = 'auto' }: TestEnvironmentOptions): void {
  if (use === 'auto' || use === 'memory') return;
  for (const [name, value] of Object.entries({ restore, version })) {
    if (value === undefined) continue;
    throw invalidOption(`${where}.${name}`, 'needs the server in memory', { use });
  }
}

/** The controllers without which workloads leave objects behind. */
const neededByWorkloads = ['garbage-collector', 'namespace', 'storage-protection'] as const;

/** Checks the options and adds the defaults. Throws `INVALID_OPTION` with the name of the option. */
export function resolveOptions(options: TestEnvironmentOptions): ResolvedOptions {
  checkValues(options);
  const { use = 'auto', controllers = [], port = 0, env = process.env } = options;
  const { apiServerFlags = [] } = options;
  const assets = options.assets ?? env.KUBEBUILDER_ASSETS;
  const time = timeOf(options);
  const workloads = workloadsOf(options);
  checkMemoryOptions(options);
  const { restore, version } = options;
  const needMemory = [time, workloads, restore, version].some((option) => option !== undefined);
  const isInMemory = assets === undefined || needMemory;
  return {
    use: use === 'auto' ? (isInMemory ? 'memory' : 'binaries') : use,
    time,
    workloads,
    version,
    restore,
    assets,
    kubeconfig: options.kubeconfig ?? env.KUBECONFIG ?? join(homedir(), '.kube', 'config'),
    controllers: workloads ? [...new Set([...controllers, ...neededByWorkloads])] : controllers,
    featureGates: options.featureGates ?? {},
    apiServerFlags,
    port,
    // An empty variable counts as unset.
    recordRoles: env[recordRolesVariable] || undefined,
    crdTimeout: parseDuration(options.crdTimeout ?? '10s', `${where}.crdTimeout`),
    startTimeout: parseDuration(options.startTimeout ?? '60s', `${where}.startTimeout`),
    stopTimeout: parseDuration(options.stopTimeout ?? '10s', `${where}.stopTimeout`),
  };
}
