import { FAILED, type UserCode } from './user-code.ts';

const question = { name: 'now', isValid: Number.isFinite };

/** Wraps a clock of a user. While the clock fails, its last time is used. */
export function guardedClock(now: () => number, userCode: UserCode): () => number {
  let last = 0;
  return () => {
    const time = userCode.ask(question, now);
    if (time !== FAILED) last = time;
    return last;
  };
}
