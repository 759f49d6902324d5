import { ownPlaces } from '../own-places.ts';

/** A frame of Node.js, such as `at process.processTicksAndRejections (node:internal/…)`. */
const NODE_FRAME = /[( ]node:|\(<anonymous>\)$/;
/** The frames of a stack without user code that stay. */
const KEPT_FRAMES = 3;

/**
 * Replaces the frames of Keelson and Node.js in a stack by their number, so that those of user code are seen. Of a stack
 * without user code the innermost frames stay.
 */
export function foldedStack(stack: string, own: readonly string[] = ownPlaces): string {
  const lines = stack.split('\n');
  const isFolded = (line: string): boolean =>
    isFrame(line) &&
    (NODE_FRAME.test(line) ||
      // Tests of Keelson count as user code.
      (own.some((place) => line.includes(place)) && !line.includes('.test.')));
  const hasUserCode = lines.some((line) => isFrame(line) && !isFolded(line));
  const kept = hasUserCode ? 0 : KEPT_FRAMES;
  const shown: string[] = [];
  let [seen, folded] = [0, 0];
  const endFold = (): void => {
    if (folded > 0) shown.push(`    … ${folded} frames of Keelson and Node.js`);
    folded = 0;
  };
  for (const line of lines) {
    if (isFrame(line)) seen += 1;
    if (isFolded(line) && seen > kept) {
      folded += 1;
      continue;
    }
    endFold();
    shown.push(line);
  }
  endFold();
  return shown.join('\n');
}

function isFrame(line: string): boolean {
  return /^\s+at /.test(line);
}
