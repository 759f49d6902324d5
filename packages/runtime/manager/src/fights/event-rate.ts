import { checkCount, checkOptions, invalidOption } from '@keelson/apimachinery';

/** Limits how often the events of one object lead to a request: a token bucket for each object of a source. */
export interface EventRateOptions {
  /** The number of events of an object that lead to requests without a delay. Default 100. */
  readonly burst?: number;
  /** The sustained rate of an object in events per second: 0.001 to 1000. Default 1. */
  readonly perSecond?: number;
}

/** A checked rate. */
export interface EventRate {
  readonly burst: number;
  readonly perSecond: number;
  /** The whole number of milliseconds after which the bucket of an object gets a token. */
  readonly intervalMs: number;
}

const DEFAULT_BURST = 100;
const DEFAULT_PER_SECOND = 1;
const LEAST_PER_SECOND = 0.001;
const MOST_PER_SECOND = 1000;

/** Completes a rate by the defaults; `undefined` if it is turned off. Throws `INVALID_OPTION`. */
export function eventRateOf(
  options: EventRateOptions | false,
  where: string,
): EventRate | undefined {
  if (options === false) return undefined;
  checkOptions(options, ['burst', 'perSecond'], where);
  const { burst = DEFAULT_BURST, perSecond = DEFAULT_PER_SECOND } = options;
  checkCount(burst, `${where}.burst`);
  const isNumber = typeof perSecond === 'number';
  if (!isNumber || !(perSecond >= LEAST_PER_SECOND && perSecond <= MOST_PER_SECOND)) {
    throw invalidOption(`${where}.perSecond`, 'must be a number from 0.001 to 1000');
  }
  return { burst, perSecond, intervalMs: Math.round(1000 / perSecond) };
}

/** The rate of a source: its own, else that of its controller. */
export function sourceEventRate(
  { eventRate }: { readonly eventRate?: EventRateOptions | false },
  shared: EventRate | undefined,
): EventRate | undefined {
  return eventRate === undefined ? shared : eventRateOf(eventRate, 'eventRate');
}
