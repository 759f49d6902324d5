import { FAILED, type UserCode } from './user-code.ts';

const question = { name: 'now', isValid: Number.isFinite };

/** A clock of a user. While it fails, its last time is used. */
export function guardedClock(now: () => number, userCode: UserCode): () => number {
  let last = 0;
  return () => {
    const time = userCode.ask(question, now);
    if (time !== FAILED) last = time;
    return last;
  };
}
