import * as fc from 'fast-check';
import type { PodBehaviour } from '@keelson/workloads';

/** The kinds of workloads that sessions change. */
export const kinds = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'] as const;

export type Kind = (typeof kinds)[number];

/** One operation of a session. */
export type Operation =
  /** Merges a change into the workload. */
  | { readonly change: object }
  /** Deletes a Pod of the workload: the first of those in the order of their names. */
  | { readonly deletePod: number }
  /** Lets the Pods of the session behave like this from now on. */
  | { readonly pods: PodBehaviour }
  /** Deletes the workload. */
  | { readonly remove: 'Background' | 'Foreground' | 'Orphan' };

/** A workload, and what happens to it. */
export interface Session {
  readonly kind: Kind;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly behaviour: PodBehaviour;
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
};

const pause = fc.boolean().map((paused) => ({ paused }));
const partition = fc.integer({ min: 0, max: 3 }).map((ordinal) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: ordinal } },
}));

/** The changes of the spec of each kind. */
const changes: Readonly<Record<Kind, fc.Arbitrary<object>>> = {
  Deployment: fc.oneof(
    size,
    image,
    pause,
    fc.tuple(size, image).map((parts) => Object.assign({}, ...parts) as object),
  ),
  ReplicaSet: size,
  StatefulSet: fc.oneof(size, image, partition),
  DaemonSet: image,
  Job: fc.oneof(
    fc.boolean().map((suspend) => ({ suspend })),
    fc.integer({ min: 0, max: 4 }).map((parallelism) => ({ parallelism })),
  ),
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

function sessionOf(kind: Kind): fc.Arbitrary<Session> {
  const behaviour = kind === 'Job' ? tasks : services;
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    { weight: 5, arbitrary: changes[kind].map((spec) => ({ change: { spec } })) },
    { weight: 2, arbitrary: behaviour.map((pods) => ({ pods })) },
    { weight: 1, arbitrary: fc.nat(3).map((deletePod) => ({ deletePod })) },
  );
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
      operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
      end: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: end.map((last) => [last]) },
      ),
    })
    .map(({ end: last, ...session }) => ({
      ...session,
      operations: [...session.operations, ...last],
    }));
}

/** The session of a seed, which is the same in each run. */
export function sessionOfSeed(seed: number, chosen: readonly Kind[]): Session {
  const kind = chosen[seed % chosen.length] ?? 'Deployment';
  const [session] = fc.sample(sessionOf(kind), { seed, numRuns: 1 });
  if (session === undefined) throw new Error('fast-check made no session');
  return session;
}
