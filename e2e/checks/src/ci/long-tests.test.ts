import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../../../../', import.meta.url);

test('each long test that `npm test` leaves out exists, once, in the order of the alphabet', () => {
  const text = readFileSync(new URL('.ci/jest/long-tests.txt', root), 'utf8');
  const paths = text.trimEnd().split('\n');
  expect(paths).toEqual([...new Set(paths)].toSorted());
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
