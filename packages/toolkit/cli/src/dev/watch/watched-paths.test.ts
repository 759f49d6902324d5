import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isWatched, watchedPaths } from './watched-paths.ts';

const project = {
  folder: '/p',
  main: 'src/main.ts',
  kinds: [],
  policies: [],
  crds: 'config/crd',
};

describe('the watched paths', () => {
  test('are the folders of the program and of the kinds, and package.json', () => {
    const kinds = ['src/website.ts', 'api/v1/page.ts', 'api/v1/post.ts'];
    const expected = ['src', 'api/v1', 'package.json'].map((path) => join('/p', path));
    expect(watchedPaths({ ...project, kinds })).toEqual(expected);
  });

  test('have the folders of the policies and the webhooks', () => {
    const webhook = { port: 9443, modules: ['hooks/website.ts'] };
    const more = { kinds: ['src/website.ts'], policies: ['rules/website.ts'], webhook };
    const expected = ['src', 'rules', 'hooks', 'package.json'].map((path) => join('/p', path));
    expect(watchedPaths({ ...project, ...more })).toEqual(expected);
  });

  test('have the folder of CRD files if there are no kind modules', () => {
    const expected = ['src', 'config/crd', 'package.json'].map((path) => join('/p', path));
    expect(watchedPaths(project)).toEqual(expected);
  });
});

describe('a path', () => {
  // Also if the project itself is in such a folder.
  const folder = '/a/dist/.p';
  const isWatchedPath = (path: string, ...watched: readonly string[]): boolean =>
    isWatched(
      folder,
      watched.map((each) => join(folder, each)),
      join(folder, path),
    );

  test.each([
    'node_modules',
    'src/node_modules/a/index.js',
    'dist/main.js',
    '.git',
    'src/.main.ts.swp',
    'src/main.ts~',
    'src/main.test.ts',
    'src/main.spec.mjs',
    'src/main.node-test.ts',
  ])('%s restarts nothing', (path) => {
    expect(isWatchedPath(path, '.', 'src')).toBe(false);
  });

  test.each(['', 'src', 'src/main.ts', 'src/a/b.ts', 'config', 'config/crd', 'config/crd/a.yaml'])(
    '%j is watched',
    (path) => {
      expect(isWatchedPath(path, 'src', 'config/crd')).toBe(true);
    },
  );

  test.each(['src2', 'srcs/main.ts', 'config/other', 'README.md'])('%s is not watched', (path) => {
    expect(isWatchedPath(path, 'src', 'config/crd')).toBe(false);
  });
});
