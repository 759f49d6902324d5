import { hostname } from 'node:os';
import { checkOptions, invalidOption, isDnsLabel, type Duration } from '@keelson/apimachinery';
import { electionTimings } from '../leader-election/leader-election-options.ts';
import type { ElectionTimings } from '../leader-election/leader-elector.ts';
import { schemeOf, serverScheme, type ShardBy, type ShardScheme } from './shard-key.ts';

interface CommonOptions {
  /** The name of the sharding, the same in every replica and in no other operator of the namespace: a DNS-1123 label. */
  readonly name: string;
  /** The namespace of the Leases. Default: the namespace of the service account or of the kubeconfig's context. */
  readonly namespace?: string;
  /** The other replicas take the slots of a replica this long after its last renewal. Whole seconds. Default `'15s'`. */
  readonly leaseDuration?: Duration;
  /**
   * A replica gives up this long after the start of its last successful renewal. Less than `leaseDuration`. Default
   * `'10s'`.
   */
  readonly renewDeadline?: Duration;
  /** The time between two renewals. Less than `renewDeadline` divided by 1.2. Default `'2s'`. */
  readonly retryPeriod?: Duration;
}

/** Each replica caches all objects, or only those whose requests it runs. */
interface ClientOptions extends CommonOptions {
  /** The part of a request that decides which replica runs it: `'namespace'`, `'cluster'`, `'name'` or a function. */
  readonly by: ShardBy;
  /**
   * The objects that a replica caches.
   * - `'full'`: all objects.
   * - `'filtered'`: of the sources `for` and `owns` only those whose requests it runs. It receives all of them.
   * - `'label'`: as `'filtered'`, and the API server selects the objects by a label, which the replicas write once. Needs
   *   the verb `patch` for the kinds of these sources.
   *
   * Default `'full'`.
   */
  readonly mode?: 'full' | 'filtered' | 'label';
}

/** The API server sends each replica only its objects. */
interface ServerOptions extends CommonOptions {
  /** The API server selects by namespace. */
  readonly by: 'namespace';
  /**
   * As `'filtered'`, and the API server selects the objects of namespaced kinds (KEP-5866). Needs its gate
   * `ShardedListAndWatch`; without it the replicas receive all objects, and log a warning.
   */
  readonly mode: 'server';
}

/**
 * Sharding: every replica runs the controllers, each for its part of the requests. Each replica has a Lease. Needs the
 * verbs `get`, `list`, `watch`, `create`, `update` and `delete` of `leases` in the group `coordination.k8s.io`.
 */
export type ShardingOptions = ClientOptions | ServerOptions;

/** The objects that a replica caches, see `ShardingOptions`. */
export type ShardMode = 'full' | 'filtered' | 'label' | 'server';

/** The checked options with all defaults. */
export interface ShardingSettings {
  readonly name: string;
  /** The name of the Lease of this process. */
  readonly lease: string;
  readonly identity: string;
  /** `undefined` for the namespace of the cluster. */
  readonly namespace: string | undefined;
  readonly scheme: ShardScheme;
  readonly mode: ShardMode;
  /** True if the slot of a request depends on its namespace alone. */
  readonly isByNamespace: boolean;
  readonly timings: ElectionTimings;
}

const optionNames = [
  'name',
  'by',
  'mode',
  'namespace',
  'leaseDuration',
  'renewDeadline',
  'retryPeriod',
] as const satisfies readonly (keyof ShardingOptions)[];

const WHERE = 'createManager.sharding';

/** Fills in the defaults. Throws `INVALID_OPTION` with the name of an invalid option. */
export function checkSharding(options: ShardingOptions): ShardingSettings {
  checkOptions(options, optionNames, WHERE);
  const { name, by, mode = 'full', namespace } = options;
  checkMode(mode, by);
  if (typeof name !== 'string' || !isDnsLabel(name)) {
    throw invalidOption(`${WHERE}.name`, 'must be a DNS-1123 label');
  }
  if (namespace !== undefined && (typeof namespace !== 'string' || !isDnsLabel(namespace))) {
    throw invalidOption(`${WHERE}.namespace`, 'must be a DNS-1123 label');
  }
  const id = process.getBuiltinModule('node:crypto').randomUUID();
  return {
    name,
    lease: `${name}-${id}`,
    identity: `${hostname()}_${id}`,
    namespace,
    scheme: mode === 'server' ? serverScheme : schemeOf(by, `${WHERE}.by`),
    mode,
    isByNamespace: by === 'namespace',
    timings: electionTimings(options, WHERE),
  };
}

function checkMode(mode: ShardMode, by: ShardBy): void {
  if (!['full', 'filtered', 'label', 'server'].includes(mode)) {
    throw invalidOption(`${WHERE}.mode`, 'must be full, filtered, label or server');
  }
  if (mode === 'server' && by !== 'namespace') {
    throw invalidOption(`${WHERE}.by`, 'must be namespace with the mode server');
  }
}
