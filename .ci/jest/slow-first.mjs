// Jest's sequencer: the files of `slow-files.txt` begin first, in its order, so that at the end no worker runs a long file
// while the others have none left. Jest itself orders by the durations of former runs, which a clean clone does not have.
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

const slowFiles = readFileSync(new URL('slow-files.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

export default class SlowFirst extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- the method of Jest's sequencer, which returns a new array
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ path, context }) {
  const rank = slowFiles.indexOf(relative(context.config.rootDir, path).replaceAll(sep, '/'));
  return rank === -1 ? slowFiles.length : rank;
}
