import { describe, expect, test } from '@jest/globals';
import { complaintsAbout } from './packed-files.ts';

const good: readonly string[] = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'package.json',
  'dist/index.js',
  'dist/index.js.map',
  'dist/index.d.ts',
  'dist/index.d.ts.map',
  'src/index.ts',
];

function sourcesOf(map: string): string[] {
  return map === 'dist/chunk.js.map' ? ['src/index.ts', 'src/deep/a.ts'] : ['src/index.ts'];
}

describe('complaintsAbout', () => {
  test('accepts the files that users need', () => {
    expect(complaintsAbout(good, sourcesOf)).toEqual([]);
  });

  test('reports a missing file', () => {
    expect(complaintsAbout(good.slice(1), sourcesOf)).toEqual(['CHANGELOG.md is missing']);
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
    expect(complaintsAbout([...good, ...extra], sourcesOf)).toEqual(complaints);
  });

  test('accepts the tests and settings of templates', () => {
    const extra = ['templates/plain/src/a.test.ts', 'templates/shared/tsconfig.json'];
    expect(complaintsAbout([...good, ...extra], sourcesOf)).toEqual([]);
  });

  test('reports a source map without one of its sources', () => {
    const chunk = [...good, 'dist/chunk.js.map'];
    expect(complaintsAbout(chunk, sourcesOf)).toEqual([
      'dist/chunk.js.map maps to a source that is not packed',
    ]);
    expect(complaintsAbout([...chunk, 'src/deep/a.ts'], sourcesOf)).toEqual([]);
  });
});
