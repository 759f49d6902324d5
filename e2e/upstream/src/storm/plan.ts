import * as fc from 'fast-check';

/** The kinds of workloads of a storm. Each has a namespace of its own, in which it is called `web`. */
export const kinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'] as const;

export type Kind = (typeof kinds)[number];

/** One change of a storm. */
export interface Change {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly namespace: string;
  readonly kind: Kind;
  /** The part of the spec to merge into the workload; `delete` deletes it. */
  readonly change: object | 'delete';
  /** The whole spec, to create a workload that does not exist. */
  readonly spec: object;
}

const labels = { app: 'web' };
const selector = { matchLabels: labels };

function podTemplate(image: number, restartPolicy = 'Always'): object {
  const resources = { requests: { cpu: '10m', memory: '16Mi' } };
  const containers = [{ name: 'app', image: `web:${image}`, resources }];
  return { metadata: { labels }, spec: { restartPolicy, containers } };
}

/** The spec of a workload of a size and an image. */
function specOf(kind: Kind, size: number, image: number): object {
  switch (kind) {
    case 'Deployment':
      return { replicas: size, selector, template: podTemplate(image) };
    case 'StatefulSet':
      return { replicas: size, selector, serviceName: 'web', template: podTemplate(image) };
    case 'DaemonSet':
      return { selector, template: podTemplate(image) };
    case 'Job':
      return { completions: size + 1, parallelism: 2, template: podTemplate(1, 'Never') };
    case 'CronJob': {
      const template = podTemplate(1, 'Never');
      return {
        schedule: '* * * * *',
        successfulJobsHistoryLimit: 1,
        jobTemplate: { spec: { template } },
      };
    }
  }
}

/** The part of a spec that a change of a workload may set. */
function changeOf(kind: Kind, size: number, image: number): object {
  switch (kind) {
    case 'Job':
      return { parallelism: (size % 3) + 1 };
    case 'CronJob':
      return { successfulJobsHistoryLimit: 1 + (size % 2) };
    case 'DaemonSet':
      return { template: podTemplate(image) };
    default:
      return { replicas: size, template: podTemplate(image) };
  }
}

/** A random change of a workload. */
interface Round {
  readonly size: number;
  readonly image: number;
  readonly isDeleted: boolean;
}

/** Milliseconds between two changes of one workload: long enough for a controller to see each. */
const PAUSE_MS = 5_000;

/**
 * Returns the changes of a storm in their order. A seed always has the same. The last change of each workload creates it again if it
 * was deleted, so that all exist at the end; CronJobs are suspended.
 */
export function planOf(
  seed: number,
  { duration, copies }: { readonly duration: number; readonly copies: number },
): Change[] {
  const rounds = Math.max(1, Math.floor(duration / PAUSE_MS));
  const workloads = kinds.flatMap((kind) =>
    Array.from({ length: copies }, (_, at) => ({ kind, namespace: `${kind.toLowerCase()}-${at}` })),
  );
  const round = fc.record({
    size: fc.nat(5),
    image: fc.nat(3),
    isDeleted: fc.nat(7).map((n) => n === 0),
  });
  const picks = fc.array(round, { minLength: rounds, maxLength: rounds });
  const random = fc.sample(picks, { seed, numRuns: workloads.length });
  return workloads
    .flatMap((workload, at) =>
      changesOf(workload, random[at] ?? [], (at * PAUSE_MS) / workloads.length),
    )
    .toSorted((one, other) => one.at - other.at);
}

function changesOf(
  { kind, namespace }: { readonly kind: Kind; readonly namespace: string },
  rounds: readonly Round[],
  offset: number,
): Change[] {
  return rounds.map(({ size, image, isDeleted }, round) => {
    const isLast = round === rounds.length - 1;
    const end = isLast && kind === 'CronJob' ? { suspend: true } : {};
    const change = { ...changeOf(kind, size, image), ...end };
    return {
      at: offset + round * PAUSE_MS,
      kind,
      namespace,
      change: isDeleted && round > 0 && !isLast ? 'delete' : change,
      spec: { ...specOf(kind, size, image), ...end },
    };
  });
}
