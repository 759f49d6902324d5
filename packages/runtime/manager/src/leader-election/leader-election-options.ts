import { hostname } from 'node:os';
import {
  checkFlag,
  checkOptions,
  invalidOption,
  isDnsLabel,
  isDnsSubdomain,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';
import { JITTER_FACTOR, type ElectionTimings } from './leader-elector.ts';

/**
 * Leader election by a Lease: of several replicas of the process, one runs the controllers and runnables of the phase
 * `leader`. The algorithm and the defaults are those of client-go. Needs the verbs `get`, `create`, `update` and
 * `watch` of `leases` in the group `coordination.k8s.io`.
 */
export interface LeaderElectionOptions {
  /** The name of the Lease, the same in every replica and in no other operator of the namespace. */
  readonly lease: string;
  /** The namespace of the Lease. Default: the namespace of the service account or of the kubeconfig's context. */
  readonly namespace?: string;
  /** The name of this process in the Lease, unique among the replicas. Default: the host name and a random UUID. */
  readonly identity?: string;
  /** A standby takes the Lease this long after the last renewal that it saw. Whole seconds. Default `'15s'`. */
  readonly leaseDuration?: Duration;
  /**
   * The leader gives up this long after the start of its last successful renewal. Less than `leaseDuration`. Default
   * `'10s'`.
   */
  readonly renewDeadline?: Duration;
  /** The time between two renewals. Less than `renewDeadline` divided by 1.2. Default `'2s'`. */
  readonly retryPeriod?: Duration;
  /**
   * If true, a stop frees the Lease, so that a standby takes over at once. It does so only if all work of the leader
   * has ended. Default `true`.
   */
  readonly releaseOnStop?: boolean;
}

/** The checked options with all defaults. */
export interface LeaderElectionSettings {
  readonly lease: string;
  /** `undefined` for the namespace of the cluster. */
  readonly namespace: string | undefined;
  readonly identity: string;
  readonly timings: ElectionTimings;
  readonly releaseOnStop: boolean;
}

const optionNames = [
  'lease',
  'namespace',
  'identity',
  'leaseDuration',
  'renewDeadline',
  'retryPeriod',
  'releaseOnStop',
] as const satisfies readonly (keyof LeaderElectionOptions)[];

const WHERE = 'createManager.leaderElection';

/** Fills in the defaults. Throws `INVALID_OPTION` with the name of an invalid option. */
export function checkLeaderElection(options: LeaderElectionOptions): LeaderElectionSettings {
  checkOptions(options, optionNames, WHERE);
  const { lease, namespace, identity = uniqueIdentity(), releaseOnStop } = options;
  if (typeof lease !== 'string' || !isDnsSubdomain(lease)) {
    throw invalidOption(`${WHERE}.lease`, 'must be the name of a Lease: a DNS-1123 subdomain');
  }
  if (namespace !== undefined && (typeof namespace !== 'string' || !isDnsLabel(namespace))) {
    throw invalidOption(`${WHERE}.namespace`, 'must be a DNS-1123 label');
  }
  if (typeof identity !== 'string' || identity === '' || identity.length > 128) {
    throw invalidOption(`${WHERE}.identity`, 'must be a string of 1 to 128 characters');
  }
  checkFlag(releaseOnStop, `${WHERE}.releaseOnStop`);
  return {
    lease,
    namespace,
    identity,
    timings: electionTimings(options, WHERE),
    releaseOnStop: releaseOnStop ?? true,
  };
}

/** Fills in the defaults. Throws `INVALID_OPTION` unless the relations hold that client-go's `NewLeaderElector` requires. */
export function electionTimings(
  options: Pick<LeaderElectionOptions, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>,
  where: string,
): ElectionTimings {
  const { leaseDuration = '15s', renewDeadline = '10s', retryPeriod = '2s' } = options;
  const timings: ElectionTimings = {
    leaseDuration: parseDuration(leaseDuration, `${where}.leaseDuration`),
    renewDeadline: parseDuration(renewDeadline, `${where}.renewDeadline`),
    retryPeriod: parseDuration(retryPeriod, `${where}.retryPeriod`),
  };
  if (timings.leaseDuration < 1000 || timings.leaseDuration % 1000 !== 0) {
    throw invalidOption(`${where}.leaseDuration`, 'must be whole seconds, at least one');
  }
  if (timings.renewDeadline >= timings.leaseDuration) {
    throw invalidOption(`${where}.renewDeadline`, 'must be less than leaseDuration');
  }
  if (timings.retryPeriod <= 0 || timings.retryPeriod * JITTER_FACTOR >= timings.renewDeadline) {
    throw invalidOption(
      `${where}.retryPeriod`,
      `must be more than 0 and less than renewDeadline divided by ${JITTER_FACTOR}`,
    );
  }
  return timings;
}

function uniqueIdentity(): string {
  return `${hostname()}_${process.getBuiltinModule('node:crypto').randomUUID()}`;
}
