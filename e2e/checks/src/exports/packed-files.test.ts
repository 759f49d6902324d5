import { describe, expect, test } from '@jest/globals';
import { complaintsAbout } from './packed-files.ts';

const good: readonly string[] = [
  'LICENSE',
  'README.md',
  'package.json',
  'dist/index.js',
  'dist/index.js.map',
  'dist/index.d.ts',
  'dist/index.d.ts.map',
  'src/index.ts',
];

describe('complaintsAbout', () => {
  test('accepts the files that users need', () => {
    expect(complaintsAbout(good)).toEqual([]);
  });

  test('reports a missing file', () => {
    expect(complaintsAbout(good.slice(1))).toEqual(['LICENSE is missing']);
  });

  test('reports tests, their support files and build artifacts', () => {
    const extra = [
      'dist/a.test-support.js',
      'src/a.test.ts',
      'src/a.test.support.ts',
      'data/fixtures/pods.json',
      'data/tsconfig.json',
      'dist/.tsbuildinfo',
    ];
    const complaints = extra.map((file) => `${file} is not needed by users`);
    expect(complaintsAbout([...good, ...extra])).toEqual(complaints);
  });

  test('reports a source map without its source', () => {
    expect(complaintsAbout([...good, 'dist/deep/a.js.map'])).toEqual([
      'dist/deep/a.js.map maps to a source that is not packed',
    ]);
  });
});
