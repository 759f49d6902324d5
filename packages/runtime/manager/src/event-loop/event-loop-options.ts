import {
  checkFlag,
  checkOptions,
  invalidOption,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';

/** The reports of a manager about user code that blocks the event loop. */
export interface EventLoopOptions {
  /**
   * User code that blocks the event loop for this long is named in a warning and in the metric
   * `keelson_event_loop_blocked_seconds`. Default `'200ms'`; 0 for no reports at all.
   */
  readonly warnAfter?: Duration;
  /**
   * If true, `node:async_hooks` times each part of a reconcile between two awaits. A warning then names the exact
   * reconcile and its last await. This makes every promise of the process slower. Default `false`: the parts after an
   * await are not timed, and a warning names every run that was active.
   */
  readonly traceAwaits?: boolean;
}

/** The checked options with all defaults. */
export interface EventLoopSettings {
  /** Milliseconds; `Infinity` for no reports. */
  readonly warnAfter: number;
  readonly traceAwaits: boolean;
}

/** Fills in the defaults. Throws `INVALID_OPTION` with the name of an invalid option. */
export function checkEventLoop(options: EventLoopOptions = {}): EventLoopSettings {
  const where = 'createManager.eventLoop';
  checkOptions(options, ['warnAfter', 'traceAwaits'], where);
  const { warnAfter = '200ms', traceAwaits = false } = options;
  checkFlag(traceAwaits, `${where}.traceAwaits`);
  const limit = parseDuration(warnAfter, `${where}.warnAfter`);
  if (traceAwaits && limit === 0)
    throw invalidOption(`${where}.traceAwaits`, 'needs a warnAfter above 0');
  return { warnAfter: limit === 0 ? Infinity : limit, traceAwaits };
}
