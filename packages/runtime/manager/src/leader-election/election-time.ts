import { uptime } from 'node:os';
import { startTimer, systemClock, type Clock } from '@keelson/apimachinery';

/** The clocks and timers of a leader election. */
export interface ElectionTime {
  /** Milliseconds of a clock that never goes back and also counts while the computer is suspended. */
  now(): number;
  /** Milliseconds since 1970 of the wall clock, for the times that people read in the Lease. */
  wallClock(): number;
  /** Calls `fire` after the delay. Returns a function that cancels it. */
  startTimer(milliseconds: number, fire: () => void): () => void;
  /** A number from 0 to 1 for jitter. */
  random(): number;
}

/** Two clocks of the computer, in milliseconds. */
export interface Clocks {
  /** Does not count while the computer is suspended, on Linux. */
  readonly running: () => number;
  /** Counts while the computer is suspended. */
  readonly elapsed: () => number;
}

const clocksOfComputer: Clocks = {
  running: () => performance.now(),
  elapsed: () => uptime() * 1000,
};

/** `os.uptime` has a resolution of one second on some systems, so smaller differences do not mean a suspension. */
const LEAST_SUSPENSION_MS = 2_000;

/** Returns the time of this process, which includes each suspension of the computer. */
export function processTime(clocks: Clocks = clocksOfComputer): ElectionTime {
  const drift = (): number => clocks.elapsed() - clocks.running();
  const driftAtStart = drift();
  let suspendedMs = 0;
  return {
    now() {
      const grown = drift() - driftAtStart;
      if (grown - suspendedMs > LEAST_SUSPENSION_MS) suspendedMs = grown;
      return clocks.running() + suspendedMs;
    },
    wallClock: () => Date.now(),
    startTimer: (milliseconds, fire) => startTimer(milliseconds, fire),
    random: () => Math.random(),
  };
}

/** Returns the time of an election by a clock; that of the system includes each suspension of the computer. */
export function electionTime(clock: Clock): ElectionTime {
  if (clock === systemClock) return processTime();
  return {
    now: () => clock.monotonic(),
    wallClock: () => clock.now(),
    startTimer: (milliseconds, fire) => clock.startTimer(milliseconds, fire),
    random: () => clock.random(),
  };
}

/** Resolves after a time. Rejects with the reason of the signal if it aborts first. */
export function sleep(
  time: Pick<ElectionTime, 'startTimer'>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = time.startTimer(milliseconds, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    const abort = (): void => {
      stop();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
  });
}
