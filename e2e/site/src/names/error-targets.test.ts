import { describe, expect, test } from '@jest/globals';
import { errorTargets } from './error-targets.ts';

const page = [
  '# Errors',
  '## @keelson/client',
  '### `INVALID_OPTION`',
  '### `NO_CLUSTER`',
  '## @keelson/manager',
  '### `INVALID_OPTION`',
].join('\n');

describe('errorTargets', () => {
  test('prefers the code of the package that the page is about', () => {
    expect(errorTargets(page, '@keelson/manager')).toEqual(
      new Map([
        ['INVALID_OPTION', '/errors.md#invalid_option-1'],
        ['NO_CLUSTER', '/errors.md#no_cluster'],
      ]),
    );
  });

  test('links to the first one from pages about no package', () => {
    expect(errorTargets(page, '').get('INVALID_OPTION')).toBe('/errors.md#invalid_option');
  });
});
