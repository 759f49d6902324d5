import { pick } from '../server/pick.ts';
import type { Actions } from './action.ts';

const waits = [50, 1_000, 10_000, 100_000, 700_000] as const;

/** How time passes. */
export const timeActions: Actions = {
  /** Less than the work of a slow process needs. */
  turn: async ({ clock }) => {
    await clock.turn();
    return 'runs one turn of the event loop';
  },
  idle: async ({ clock }) => {
    await clock.idle();
    return 'runs until the process is idle';
  },
  wait: async ({ clock }, n) => {
    const milliseconds = pick(waits, n) ?? 50;
    await clock.pass(milliseconds);
    return `waits ${milliseconds} ms`;
  },
};
