import { ownPlaces } from '../own-places.ts';

const MAX_FRAMES = 5;
const MAX_FRAME_LENGTH = 200;
/** A frame of Node.js, such as `at emitInitNative (node:internal/…)` or `at new Promise (<anonymous>)`. */
const NODE_FRAME = /[( ]node:|\(<anonymous>\)$/;

/**
 * Returns the innermost frames of user code in a stack, without `at`. They end at the frame of Keelson that called
 * them. For a stack without user code, returns the innermost frames of Keelson. The first frame is left out, because it
 * captured the stack.
 */
export function userFrames(stack: string, own: readonly string[] = ownPlaces): string[] {
  const lines = stack.split('\n').slice(2);
  const frames = lines.filter((line) => line.includes(' at ') && !NODE_FRAME.test(line));
  const isOwn = (line: string): boolean =>
    // Tests of Keelson count as user code.
    own.some((place) => line.includes(place)) && !line.includes('.test.');
  const first = frames.findIndex((line) => !isOwn(line));
  const outer = frames.findIndex((line, at) => at > first && isOwn(line));
  const chosen = first === -1 ? frames : frames.slice(first, outer === -1 ? undefined : outer);
  return chosen.slice(0, MAX_FRAMES).map((line) => line.trim().slice(3, MAX_FRAME_LENGTH));
}
