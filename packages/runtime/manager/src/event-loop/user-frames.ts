import { ownPlaces } from '../own-places.ts';

const MAX_FRAMES = 5;
const MAX_FRAME_LENGTH = 200;
/** A frame of Node.js: `at emitInitNative (node:internal/…)`, `at async node:internal/…` or `at new Promise (<anonymous>)`. */
const NODE_FRAME = /[( ]node:|\(<anonymous>\)$/;

/**
 * The innermost frames of the user in a stack, without `at`: those up to the code of Keelson that called them. A
 * stack without any leads to the innermost frames of other code. The first frame captured the stack, and is left out.
 */
export function userFrames(stack: string, own: readonly string[] = ownPlaces): string[] {
  const lines = stack.split('\n').slice(2);
  const frames = lines.filter((line) => line.includes(' at ') && !NODE_FRAME.test(line));
  const isOwn = (line: string): boolean =>
    // The tests of Keelson are its users.
    own.some((place) => line.includes(place)) && !line.includes('.test.');
  const first = frames.findIndex((line) => !isOwn(line));
  const outer = frames.findIndex((line, at) => at > first && isOwn(line));
  const chosen = first === -1 ? frames : frames.slice(first, outer === -1 ? undefined : outer);
  return chosen.slice(0, MAX_FRAMES).map((line) => line.trim().slice(3, MAX_FRAME_LENGTH));
}
