import { systemClock, type Clock } from '@keelson/apimachinery';
import type { WorkQueueOptions } from '@keelson/workqueue';

/** The option of a queue with the clock of a manager. That of the system is its default, which it reads once in a turn. */
export function queueClock(clock: Clock): Pick<WorkQueueOptions<never>, 'clock'> {
  if (clock === systemClock) return {};
  return {
    clock: {
      now: () => clock.monotonic(),
      startTimer: (milliseconds, fire) => clock.startTimer(milliseconds, fire),
    },
  };
}
