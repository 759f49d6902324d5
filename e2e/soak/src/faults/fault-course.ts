import { setTimeout as pause } from 'node:timers/promises';
import { oneOf } from '../systems/objects.ts';
import type { Fault, FaultTarget } from './fault.ts';

export interface FaultCourseOptions extends FaultTarget {
  readonly faults: readonly Fault[];
  /** The mean time between the starts of two faults, in milliseconds. A fault lasts up to this time. */
  readonly every: number;
  readonly began: (name: string) => void;
}

/** Begins one random fault after the other until the signal aborts. No fault lasts beyond it. */
export async function runFaultCourse(
  { faults, every, began, ...target }: FaultCourseOptions,
  signal: AbortSignal,
): Promise<void> {
  const { random } = target;
  const wait = (milliseconds: number): Promise<void> =>
    pause(milliseconds, undefined, { signal }).catch(() => undefined);
  await wait(every * random());
  while (!signal.aborted) {
    const fault = oneOf(faults, random);
    began(fault.name);
    const end = fault.begin(target);
    await wait(every * random());
    await end?.();
    await wait(every * random());
  }
}
