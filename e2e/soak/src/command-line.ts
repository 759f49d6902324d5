import { parseArgs } from 'node:util';

/** The options of the command line. */
export interface CommandLine {
  /** Milliseconds of load and faults in total. */
  readonly duration: number;
  readonly rounds: number;
  /** The mean time between two faults of the server, in milliseconds. */
  readonly faultEvery: number;
  /** The mean time between two faults of replicas, each of which ends a process, in milliseconds. */
  readonly endEvery: number;
  readonly seed: number;
  /** Writes the results to `docs/soak.md`. */
  readonly record: boolean;
}

export const usage = `npm run soak -- [options]
  --hours N        hours of load and faults (1)
  --minutes N      the same in minutes
  --rounds N       rounds, each of which ends at rest (one per 5 minutes)
  --fault-every N  seconds between two faults, on average (10)
  --end-every N    seconds between two ends of replicas, on average (4 rounds)
  --seed N         selects the faults and changes (1)
  --record         write the results to docs/soak.md`;

/** Reads the command line. Throws an error that names the wrong option. */
export function readCommandLine(words: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...words],
    options: {
      hours: { type: 'string' },
      minutes: { type: 'string' },
      rounds: { type: 'string' },
      'fault-every': { type: 'string' },
      'end-every': { type: 'string' },
      seed: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  });
  const minutes =
    values.minutes === undefined
      ? positive('hours', values.hours ?? '1') * 60
      : positive('minutes', values.minutes);
  const duration = minutes * 60_000;
  const rounds = Math.ceil(positive('rounds', values.rounds ?? String(Math.max(2, minutes / 5))));
  const end = values['end-every'];
  return {
    duration,
    rounds,
    faultEvery: positive('fault-every', values['fault-every'] ?? '10') * 1000,
    endEvery: end === undefined ? (duration / rounds) * 4 : positive('end-every', end) * 1000,
    seed: positive('seed', values.seed ?? '1'),
    record: values.record,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${name} must be a positive number, not ${text}\n${usage}`);
}
