import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { root } from '../sources/source-file.ts';
import { readBundleSizes, sizeComplaint } from './bundle-sizes.ts';

describe('the size of bundles', () => {
  test('may exceed the committed one by a twentieth', () => {
    const sizes = { client: 100 };
    expect(sizeComplaint('packages/runtime/client', 105, sizes)).toBe('');
    expect(sizeComplaint('packages/runtime/client', 106, sizes)).toContain(
      '106 KiB of JavaScript, and 100 KiB are committed',
    );
  });

  test('is committed for each package, and a package has a bundle', () => {
    const manifests = globSync('packages/*/*/package.json', { cwd: root });
    const names = manifests.map((file) => basename(dirname(file)));
    expect(Object.keys(readBundleSizes()).toSorted()).toEqual(names.toSorted());
    expect(sizeComplaint('packages/runtime/other', 1, {})).toContain('no committed size');
    expect(sizeComplaint('packages/runtime/client', 0, { client: 1 })).toContain('build it first');
  });
});
