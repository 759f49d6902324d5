import { EventLoopWatch } from '../event-loop/event-loop-watch.ts';
import type { UserCalls } from '../event-loop/user-calls.ts';
import { nothing, silent } from './fixtures.test-support.ts';

/** The calls of a component whose time no report needs. */
export const unwatchedCalls: UserCalls = new EventLoopWatch({
  settings: { warnAfter: Infinity, traceAwaits: false },
  log: silent,
  origin: () => undefined,
  blocked: nothing,
}).calls({ name: 'unwatched', log: silent, blocked: nothing });
