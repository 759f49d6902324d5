import type { Pod } from '../objects/kinds.ts';
import { millisecondsOf, timestamp } from '../objects/times.ts';

export type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];
type Terminated = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** The first delay before a restart; it doubles up to the longest (kubelet's container backoff). */
const BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;

/** The end of a run of a container. */
export interface RunEnd {
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
}

/** A container: its present run, or its last one and the time of the next. */
export class ContainerRun {
  readonly name: string;
  restarts = 0;
  /** The start of the present run; `undefined` while none runs. */
  startedAt: number | undefined;
  /** The end of the latest run. */
  last: RunEnd | undefined;
  /** The time of the next start; `undefined` without a next start, and while a run lasts. */
  nextStart: number | undefined;

  constructor(name: string, status: ContainerStatus | undefined) {
    this.name = name;
    this.restarts = status?.restartCount ?? 0;
    const { running, terminated: ended } = status?.state ?? {};
    if (running !== undefined) this.startedAt = millisecondsOf(running.startedAt);
    const end = ended ?? status?.lastState?.terminated;
    if (end !== undefined) this.last = endOf(end);
  }

  /** Starts a run at its time. */
  start(now: number): void {
    if (this.last !== undefined) this.restarts += 1;
    this.startedAt = now;
    this.nextStart = undefined;
  }

  /** Ends the present run. */
  end(finishedAt: number, exitCode: number): void {
    this.last = { startedAt: this.startedAt ?? finishedAt, finishedAt, exitCode };
    this.startedAt = undefined;
  }

  /** The delay of the next start: none after the first end, then 10 s doubling to 5 minutes. */
  get delay(): number {
    const ranLong =
      this.last !== undefined && this.last.finishedAt - this.last.startedAt > 2 * MAX_BACKOFF_MS;
    if (this.restarts === 0 || ranLong) return 0;
    return Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** (this.restarts - 1));
  }
}

function endOf({ startedAt, finishedAt, exitCode }: Terminated): RunEnd {
  return { startedAt: millisecondsOf(startedAt), finishedAt: millisecondsOf(finishedAt), exitCode };
}

/** The state of a container that has ended. */
export function terminated({ startedAt, finishedAt, exitCode }: RunEnd): Terminated {
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: timestamp(startedAt),
    finishedAt: timestamp(finishedAt),
  };
}
