import { invalidOption } from '../option.ts';

type Hours = `${number}h`;
type Minutes = `${number}m`;
type Seconds = `${number}s`;
type Milliseconds = `${number}ms`;

/**
 * A duration: milliseconds, or a string such as `'30s'`, `'5m'`, `'1h30m'`, `'1.5h'`, `'500ms'`. The compiler
 * refuses other strings; `parseDuration` checks strings that are known only at run time.
 */
export type Duration =
  | number
  | '0'
  | Hours
  | Minutes
  | Seconds
  | Milliseconds
  | `${Hours}${Minutes}`
  | `${Hours}${Seconds}`
  | `${Hours}${Minutes}${Seconds}`
  | `${Minutes}${Seconds}`
  | `${Seconds}${Milliseconds}`
  | `${Minutes}${Seconds}${Milliseconds}`;

const millisecondsOf: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

const wholePattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
const partPattern = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;

/**
 * Returns the milliseconds of a duration, finite and not negative. The grammar is that of Go's
 * `time.ParseDuration` without sign and without units below the millisecond. Throws `INVALID_OPTION` with the
 * name `option`.
 */
export function parseDuration(duration: number | string, option: string): number {
  const milliseconds = typeof duration === 'string' ? fromText(duration) : duration;
  if (typeof milliseconds !== 'number' || !(milliseconds >= 0) || milliseconds === Infinity) {
    throw invalidOption(option, "must be milliseconds or a string such as '30s', '5m', '1h30m'", {
      value: String(duration),
    });
  }
  return milliseconds;
}

/** Returns NaN for an invalid duration. */
function fromText(text: string): number {
  if (text === '0') return 0;
  if (!wholePattern.test(text)) return Number.NaN;
  let sum = 0;
  for (const [, amount, unit = ''] of text.matchAll(partPattern)) {
    sum += Number(amount) * (millisecondsOf.get(unit) ?? Number.NaN);
  }
  return sum;
}
