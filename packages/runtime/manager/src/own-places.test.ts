import { describe, expect, test } from '@jest/globals';
import { ownPlacesOf } from './own-places.ts';

describe('the places of Keelson in a stack', () => {
  test.each([
    ['file:///app/node_modules/@keelson/manager/dist/index.js', '/app/node_modules/@keelson/'],
    ['file:///keelson/packages/runtime/manager/src/own-places.ts', '/keelson/packages/'],
  ])('are the folder of its packages: %s', (url, folder) => {
    expect(ownPlacesOf(url)).toEqual([`file://${folder}`, folder]);
  });

  test.each(['file:///app/dist/operator.mjs', undefined])(
    'are those of source maps if all code is in one file: %s',
    (url) => {
      expect(ownPlacesOf(url)).toEqual(['/node_modules/@keelson/']);
    },
  );
});
