import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** The options of the command line. */
export interface CommandLine {
  /** The only seed to run; its run is shortened if it breaks an invariant. */
  readonly seed: number | undefined;
  readonly trace: boolean;
  /** The number of seeds, and the first one. */
  readonly seeds: number;
  readonly from: number;
  /** Seconds after which no further seed begins. */
  readonly seconds: number;
  readonly workers: number;
}

export const usage = `npm run simulate -- [options]
  --seeds N      run N seeds (1000)
  --from N       begin with seed N (1)
  --seconds N    begin no seed after N seconds
  --workers N    use N threads (one per core)
  --seed N       run one seed, and shorten its actions if it breaks an invariant
  --trace        with --seed: print what happens`;

/** Reads the command line. Throws an error that names the wrong option. */
export function readCommandLine(words: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...words],
    options: {
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      seeds: { type: 'string' },
      from: { type: 'string' },
      seconds: { type: 'string' },
      workers: { type: 'string' },
    },
  });
  return {
    seed: values.seed === undefined ? undefined : count('seed', values.seed),
    trace: values.trace,
    seeds: count('seeds', values.seeds ?? '1000'),
    from: count('from', values.from ?? '1'),
    seconds: values.seconds === undefined ? Infinity : count('seconds', values.seconds),
    workers: count('workers', values.workers ?? String(availableParallelism())),
  };
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a positive integer, not ${text}\n${usage}`);
}
