import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { CollectionCount } from './collections.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

describe('CollectionCount', () => {
  test('counts major and minor collections until it is stopped', async () => {
    const count = new CollectionCount();
    collect();
    collect({ type: 'minor' });
    collect({ type: 'minor' });
    const { major, minor } = await count.stop();
    expect(major).toBeGreaterThanOrEqual(1);
    expect(minor).toBeGreaterThanOrEqual(2);
  });
});
