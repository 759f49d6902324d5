import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('../../../../', import.meta.url);

test('each slow file that Jest begins first exists, once', () => {
  const text = readFileSync(new URL('.ci/jest/slow-files.txt', root), 'utf8');
  const paths = text.trimEnd().split('\n');
  expect(paths).toEqual([...new Set(paths)]);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
