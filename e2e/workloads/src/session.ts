import * as fc from 'fast-check';
import type { PodBehaviour } from '@keelson/workloads';

/** The kinds of workloads that sessions change. */
export const kinds = [
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'PersistentVolumeClaim',
] as const;

export type Kind = (typeof kinds)[number];

/** One operation of a session. */
export type Operation =
  /** Merges a change into the workload. */
  | { readonly change: { readonly spec: Readonly<Record<string, unknown>> } }
  /** Deletes a Pod of the workload: the first of those in the order of their names. */
  | { readonly deletePod: number }
  /** Lets the Pods of the session behave like this from now on. */
  | { readonly pods: PodBehaviour }
  /** Gives the CronJob a schedule and moves its last start this many days back, so that starts are missed. */
  | { readonly missedDays: number; readonly schedule: string }
  /** Creates a PersistentVolume. */
  | { readonly volume: VolumeSpec }
  /** Deletes the volume with this place in the order of creation. */
  | { readonly deleteVolume: number }
  /** Deletes the workload. */
  | { readonly remove: 'Background' | 'Foreground' | 'Orphan' };

/** A volume that a session creates. */
export interface VolumeSpec {
  readonly labels: Readonly<Record<string, string>>;
  readonly gibibytes: number;
  readonly spec: Readonly<Record<string, unknown>>;
  /** The name of the claim that it is reserved for. */
  readonly reservedFor?: string;
}

/** A workload, and what happens to it. */
export interface Session {
  readonly kind: Kind;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly behaviour: PodBehaviour;
  /** The volumes that exist before a claim. */
  readonly volumes: readonly VolumeSpec[];
  readonly operations: readonly Operation[];
}

const labels = { app: 'web' };
const replicas = fc.integer({ min: 0, max: 6 });
const image = fc.constantFrom('web:1', 'web:2', 'web:3').map((name) => ({
  template: { spec: { containers: [{ name: 'app', image: name }] } },
}));
const bound = fc.constantFrom<string | number>(1, 2, '25%', '50%', '100%');

function templateOf(more: object = {}): object {
  return { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'web:1' }], ...more } };
}

function maybe<T extends object>(values: fc.Arbitrary<T>): fc.Arbitrary<T | object> {
  return fc.oneof(fc.constant({}), values);
}

const size = replicas.map((count) => ({ replicas: count }));
const minReady = maybe(fc.constantFrom(1, 2).map((minReadySeconds) => ({ minReadySeconds })));

const deploymentSpec = fc
  .tuple(
    size,
    minReady,
    fc.oneof(
      fc.constant({ strategy: { type: 'Recreate' } }),
      fc
        .record({ maxSurge: bound, maxUnavailable: bound })
        .map((rollingUpdate) => ({ strategy: { type: 'RollingUpdate', rollingUpdate } })),
    ),
    maybe(fc.constantFrom(0, 1, 2).map((revisionHistoryLimit) => ({ revisionHistoryLimit }))),
  )
  .map((parts) => withTemplate(parts));

const statefulSetSpec = fc
  .tuple(
    fc.integer({ min: 0, max: 4 }).map((count) => ({ replicas: count, serviceName: 'web' })),
    minReady,
    fc
      .constantFrom('Parallel', 'OrderedReady')
      .map((podManagementPolicy) => ({ podManagementPolicy })),
    fc.oneof(
      fc.constant({ updateStrategy: { type: 'OnDelete' } }),
      fc.integer({ min: 0, max: 3 }).map((partition) => ({
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
      })),
    ),
    maybe(fc.constantFrom(0, 1).map((revisionHistoryLimit) => ({ revisionHistoryLimit }))),
  )
  .map((parts) => withTemplate(parts));

const daemonSetSpec = fc
  .tuple(
    maybe(fc.constantFrom('zone-a', 'zone-b').map((zone) => ({ zone }))),
    fc.oneof(
      fc.constant({ updateStrategy: { type: 'OnDelete' } }),
      bound.map((maxUnavailable) => ({
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } },
      })),
    ),
  )
  .map(([placement, strategy]) => ({
    ...withTemplate([strategy], 'zone' in placement ? { nodeSelector: placement } : {}),
  }));

const jobSpec = fc
  .tuple(
    fc.record({
      completions: fc.integer({ min: 1, max: 4 }),
      parallelism: fc.integer({ min: 0, max: 4 }),
      backoffLimit: fc.integer({ min: 0, max: 1 }),
      completionMode: fc.constantFrom('NonIndexed', 'Indexed'),
    }),
    maybe(fc.constant({ suspend: true })),
    maybe(fc.constant({ activeDeadlineSeconds: 15 })),
    fc.constantFrom('Never', 'OnFailure'),
  )
  .map(([counts, suspension, deadline, restartPolicy]) => ({
    ...counts,
    ...suspension,
    ...deadline,
    template: templateOf({ restartPolicy }),
  }));

/** Once a day, so that hardly any session plays while one starts. */
const schedule = fc
  .constantFrom('0 3 * * *', '30 9 * * *', '15 15 * * *', '45 21 * * *')
  .map((text) => ({ schedule: text }));
const concurrency = fc
  .constantFrom('Allow', 'Forbid', 'Replace')
  .map((concurrencyPolicy) => ({ concurrencyPolicy }));
const historyLimits = fc.record({
  successfulJobsHistoryLimit: fc.integer({ min: 0, max: 2 }),
  failedJobsHistoryLimit: fc.integer({ min: 0, max: 2 }),
});
const startingDeadline = fc.constant({ startingDeadlineSeconds: 200_000 });

const cronJobSpec = fc
  .tuple(
    schedule,
    concurrency,
    maybe(historyLimits),
    maybe(startingDeadline),
    maybe(fc.constant({ suspend: true })),
    fc.constantFrom('Never', 'OnFailure'),
  )
  .map(([when, policy, limits, deadline, suspension, restartPolicy]) => ({
    ...when,
    ...policy,
    ...limits,
    ...deadline,
    ...suspension,
    jobTemplate: { spec: { backoffLimit: 0, template: templateOf({ restartPolicy }) } },
  }));

const storage = fc.integer({ min: 1, max: 5 }).map((gibibytes) => `${gibibytes}Gi`);
const accessModes = fc.constantFrom(
  ['ReadWriteOnce'],
  ['ReadWriteMany'],
  ['ReadWriteOnce', 'ReadOnlyMany'],
);
/** No two of them have the same number of modes and fit one claim: which of those comes first is random. */
const volumeModes = fc.constantFrom(
  ['ReadWriteOnce'],
  ['ReadWriteMany'],
  ['ReadWriteOnce', 'ReadWriteMany'],
  ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'],
);
const tier = fc.constantFrom('fast', 'slow').map((name) => ({ tier: name }));

const volume: fc.Arbitrary<VolumeSpec> = fc
  .record({
    labels: fc.oneof(fc.constant({}), tier),
    gibibytes: fc.integer({ min: 1, max: 5 }),
    accessModes: volumeModes,
    reservedFor: fc.constantFrom(undefined, undefined, undefined, 'web', 'other'),
  })
  .map(({ labels: own, gibibytes, accessModes: modes, reservedFor }) => ({
    labels: own,
    gibibytes,
    spec: {
      accessModes: modes,
      // With another policy the plugin of the volume deletes it, which a cluster without nodes has not.
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/tmp/keelson-sessions' },
    },
    ...(reservedFor !== undefined && { reservedFor }),
  }));

/** `volumeName` is the place of a volume, which the stage replaces by its name. */
const claimSpec = fc
  .tuple(
    storage,
    accessModes,
    maybe(tier.map((matchLabels) => ({ selector: { matchLabels } }))),
    maybe(maybe(fc.nat(2).map((place) => ({ volumeName: String(place) })))),
  )
  .map(([requested, modes, selector, name]) => ({
    resources: { requests: { storage: requested } },
    accessModes: modes,
    ...selector,
    ...name,
  }));

function withTemplate(parts: readonly object[], podSpec: object = {}): Record<string, unknown> {
  return {
    ...(Object.assign({}, ...parts) as object),
    selector: { matchLabels: labels },
    template: templateOf(podSpec),
  };
}

const specs: Readonly<Record<Kind, fc.Arbitrary<Readonly<Record<string, unknown>>>>> = {
  Deployment: deploymentSpec,
  ReplicaSet: fc.tuple(size, minReady).map((parts) => withTemplate(parts)),
  StatefulSet: statefulSetSpec,
  DaemonSet: daemonSetSpec,
  Job: jobSpec,
  CronJob: cronJobSpec,
  PersistentVolumeClaim: claimSpec,
};

const pause = fc.boolean().map((paused) => ({ paused }));
const partition = fc.integer({ min: 0, max: 3 }).map((ordinal) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: ordinal } },
}));

/** The changes of the spec of each kind. */
const changes: Readonly<Record<Kind, fc.Arbitrary<Readonly<Record<string, unknown>>>>> = {
  Deployment: fc.oneof(
    size,
    image,
    pause,
    fc.tuple(size, image).map(([count, name]) => ({ ...count, ...name })),
  ),
  ReplicaSet: size,
  StatefulSet: fc.oneof(size, image, partition),
  DaemonSet: image,
  Job: fc.oneof(
    fc.boolean().map((suspend) => ({ suspend })),
    fc.integer({ min: 0, max: 4 }).map((parallelism) => ({ parallelism })),
  ),
  CronJob: fc.oneof(
    schedule,
    concurrency,
    historyLimits,
    fc.boolean().map((suspend) => ({ suspend })),
  ),
  PersistentVolumeClaim: fc.nat(2).map((place) => ({ volumeName: String(place) })),
};

const services: fc.Arbitrary<PodBehaviour> = fc.constantFrom<PodBehaviour[]>(
  {},
  {},
  { ready: false },
  { imagePullError: true },
  { startupDelay: '300ms' },
);
const tasks: fc.Arbitrary<PodBehaviour> = fc.constantFrom<PodBehaviour[]>(
  {},
  {},
  { exits: 1, after: '200ms' },
  { exits: 0, after: '1h' },
);

function operationsOf(kind: Kind, behaviour: fc.Arbitrary<PodBehaviour>): fc.Arbitrary<Operation> {
  const change = changes[kind].map((spec) => ({ change: { spec } }));
  if (kind === 'PersistentVolumeClaim')
    return fc.oneof(
      { weight: 1, arbitrary: change },
      { weight: 4, arbitrary: volume.map((created) => ({ volume: created })) },
      { weight: 2, arbitrary: fc.nat(3).map((deleteVolume) => ({ deleteVolume })) },
    );
  const missedDays = fc.constantFrom(1, 1, 2, 150);
  const missed = fc
    .tuple(missedDays, schedule)
    .map(([days, when]) => ({ missedDays: days, ...when }));
  return fc.oneof(
    { weight: 5, arbitrary: change },
    { weight: 2, arbitrary: behaviour.map((pods) => ({ pods })) },
    { weight: 1, arbitrary: fc.nat(3).map((deletePod) => ({ deletePod })) },
    { weight: kind === 'CronJob' ? 8 : 0, arbitrary: missed },
  );
}

function sessionOf(kind: Kind): fc.Arbitrary<Session> {
  const behaviour = kind === 'Job' || kind === 'CronJob' ? tasks : services;
  const operation = operationsOf(kind, behaviour);
  const hasVolumes = kind === 'PersistentVolumeClaim';
  const end = fc.constantFrom<Operation[]>(
    { remove: 'Background' },
    { remove: 'Foreground' },
    { remove: 'Orphan' },
  );
  return fc
    .record({
      kind: fc.constant(kind),
      spec: specs[kind],
      behaviour,
      volumes: hasVolumes ? fc.array(volume, { maxLength: 3 }) : fc.constant([]),
      operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
      end: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: end.map((last) => [last]) },
      ),
    })
    .map(({ end: last, ...session }) => ({
      ...session,
      operations: [...session.operations.map(atOwnMinute), ...last],
    }));
}

/**
 * Gives each schedule a minute of its own. If the Job of a start exists, kube-controller-manager 1.36 requests it without its
 * namespace and fails, again and again.
 */
function atOwnMinute(operation: Operation, at: number): Operation {
  const moved = (text: unknown): string => String(text).replace(/^\d+/, String(at + 1));
  if ('missedDays' in operation) return { ...operation, schedule: moved(operation.schedule) };
  if (!('change' in operation) || !('schedule' in operation.change.spec)) return operation;
  const { spec } = operation.change;
  return { change: { spec: { ...spec, schedule: moved(spec['schedule']) } } };
}

/** The session of a seed, which is the same in each run. */
export function sessionOfSeed(seed: number, chosen: readonly Kind[]): Session {
  const kind = chosen[seed % chosen.length] ?? 'Deployment';
  const [session] = fc.sample(sessionOf(kind), { seed, numRuns: 1 });
  if (session === undefined) throw new Error('fast-check made no session');
  return session;
}
