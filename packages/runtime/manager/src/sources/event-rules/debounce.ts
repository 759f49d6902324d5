import { checkOptions, invalidOption, parseDuration, type Duration } from '@keelson/apimachinery';
import type { Debounce } from '@keelson/workqueue';

/** The times by which the events of an object are collected into one run. */
export interface DebounceOptions {
  /** The run begins when the object has had no event for this time. 0 means no debounce. */
  readonly wait: Duration;
  /**
   * The run begins this long after the first event at the latest, even if further events arrive. Default: ten times
   * `wait`.
   */
  readonly maxWait?: Duration;
}

const DEFAULT_MAX_WAITS = 10;

/** Returns the times of a debounce in milliseconds; `undefined` for none. Throws `INVALID_OPTION`. */
export function debounceOf(
  options: DebounceOptions | undefined,
  where: string,
): Debounce | undefined {
  if (options === undefined) return undefined;
  checkOptions(options, ['wait', 'maxWait'], where);
  const wait = parseDuration(options.wait, `${where}.wait`);
  const { maxWait: given = DEFAULT_MAX_WAITS * wait } = options;
  const maxWait = parseDuration(given, `${where}.maxWait`);
  if (maxWait < wait) throw invalidOption(`${where}.maxWait`, 'must not be less than `wait`');
  return wait === 0 ? undefined : { wait, maxWait };
}
