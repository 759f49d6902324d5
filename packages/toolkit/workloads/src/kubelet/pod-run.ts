import type { Pod } from '../objects/kinds.ts';
import type { BehaviourSettings } from './pod-behaviour.ts';
import { ContainerRun } from './container-run.ts';

/** The times that Pods take without a rule, in milliseconds. */
export interface DefaultTimes {
  readonly startupDelay: number;
  /** The time after which a container ends that is not restarted after a success. */
  readonly runtime: number;
}

/** The changes that a look at a Pod has found. */
export interface PodStep {
  readonly started: readonly ContainerRun[];
  readonly ended: readonly ContainerRun[];
  /** The containers that wait for their next start, since this look. */
  readonly backedOff: readonly ContainerRun[];
  /** The time at which something happens next. */
  readonly next: number | undefined;
}

/** The containers of a Pod on its node. */
export class PodRun {
  /** The time at which the kubelet saw the Pod first. */
  readonly seenAt: number;
  readonly #restartPolicy: string;
  readonly containers: readonly ContainerRun[];
  readonly ip: string;
  /** The attempts to pull images that have failed. */
  pulls = 0;
  /** The time of the next attempt to pull images. */
  nextPull = 0;
  /** True when the Events of the end are recorded. */
  isKilled = false;

  constructor(pod: Pod, { now, ip }: { readonly now: number; readonly ip: string }) {
    const { spec, status } = pod;
    this.seenAt = now;
    this.#restartPolicy = spec?.restartPolicy ?? 'Always';
    this.ip = status?.podIP ?? ip;
    this.containers = (spec?.containers ?? []).map(
      ({ name }) =>
        new ContainerRun(
          name,
          status?.containerStatuses?.find((container) => container.name === name),
        ),
    );
  }

  /** Lets the containers start and end as far as time has passed. */
  step(behaviour: BehaviourSettings, times: DefaultTimes, now: number): PodStep {
    const step = {
      started: [] as ContainerRun[],
      ended: [] as ContainerRun[],
      backedOff: [] as ContainerRun[],
    };
    const waits: number[] = [];
    for (const container of this.containers) {
      this.#start(container, { behaviour, times, now, step });
      this.#end(container, { behaviour, times, now, step });
      waits.push(...this.#waitsOf(container, { behaviour, times, now }));
    }
    const next = Math.min(...waits.filter((time) => time > now));
    return { ...step, next: Number.isFinite(next) ? next : undefined };
  }

  #start(
    container: ContainerRun,
    {
      behaviour,
      times,
      now,
      step,
    }: StepFacts & { readonly step: { readonly started: ContainerRun[] } },
  ): void {
    const start = this.#startOf(container, { behaviour, times, now });
    if (start === undefined || start > now) return;
    container.start(now);
    step.started.push(container);
  }

  /** The time of the next start of a container. */
  #startOf(container: ContainerRun, { behaviour, times }: StepFacts): number | undefined {
    if (container.startedAt !== undefined || behaviour.imagePullError) return undefined;
    if (container.last !== undefined) return container.nextStart;
    return this.seenAt + (behaviour.startupDelay ?? times.startupDelay);
  }

  #end(
    container: ContainerRun,
    facts: StepFacts & {
      readonly step: {
        readonly started: ContainerRun[];
        readonly ended: ContainerRun[];
        readonly backedOff: ContainerRun[];
      };
    },
  ): void {
    const { now, step } = facts;
    const end = this.#endOf(container, facts);
    if (end === undefined || end.time > now) return;
    container.end(now, end.exitCode);
    step.ended.push(container);
    if (!this.#isRestarted(end.exitCode)) return;
    container.nextStart = now + container.delay;
    if (container.delay > 0) step.backedOff.push(container);
    else this.#start(container, facts);
  }

  /** The end of the present run of a container. */
  #endOf(
    container: ContainerRun,
    { behaviour, times }: StepFacts,
  ): { readonly time: number; readonly exitCode: number } | undefined {
    if (container.startedAt === undefined) return undefined;
    const { end } = behaviour;
    if (end !== undefined && concerns(behaviour, container))
      return { time: container.startedAt + end.after, exitCode: end.exitCode };
    if (this.#restartPolicy === 'Always') return undefined;
    return { time: container.startedAt + times.runtime, exitCode: 0 };
  }

  #isRestarted(exitCode: number): boolean {
    return (
      this.#restartPolicy === 'Always' || (this.#restartPolicy === 'OnFailure' && exitCode !== 0)
    );
  }

  #waitsOf(container: ContainerRun, facts: StepFacts): number[] {
    const { behaviour } = facts;
    const ready = (container.startedAt ?? -Infinity) + behaviour.readyAfter;
    const start = this.#startOf(container, facts);
    const end = this.#endOf(container, facts)?.time;
    return [start, end, ready].flatMap((time) => time ?? []);
  }

  /** True if a container runs and is ready. */
  isReady(container: ContainerRun, behaviour: BehaviourSettings, now: number): boolean {
    if (container.startedAt === undefined) return false;
    if (!concerns(behaviour, container)) return true;
    return behaviour.ready && container.startedAt + behaviour.readyAfter <= now;
  }

  /** True if no container runs or will run. */
  get hasEnded(): boolean {
    return this.containers.every(
      ({ startedAt, last, nextStart }) =>
        startedAt === undefined && last !== undefined && nextStart === undefined,
    );
  }

  /** Ends all containers that run. */
  stop(now: number, exitCode: number): void {
    for (const container of this.containers) {
      if (container.startedAt !== undefined) container.end(now, exitCode);
      container.nextStart = undefined;
    }
  }
}

interface StepFacts {
  readonly behaviour: BehaviourSettings;
  readonly times: DefaultTimes;
  readonly now: number;
}

function concerns({ container }: BehaviourSettings, { name }: ContainerRun): boolean {
  return container === undefined || container === name;
}
