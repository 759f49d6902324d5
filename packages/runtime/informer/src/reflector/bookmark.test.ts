import { describe, expect, test } from '@jest/globals';
import { readBookmark } from './bookmark.ts';
import { withCode } from '../testing/harness.test-support.ts';
import { bytesFrame } from '../testing/scripted-source.test-support.ts';

describe('a bookmark', () => {
  test('has a version, and may end the initial state', () => {
    const metadata = { resourceVersion: '5' };
    const bookmark = bytesFrame('BOOKMARK', { kind: 'Thing', metadata });
    expect(readBookmark(bookmark)).toEqual({ resourceVersion: '5', endsInitialEvents: false });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const last = bytesFrame('BOOKMARK', { kind: 'Thing', metadata: { ...metadata, annotations } });
    expect(readBookmark(last)).toEqual({ resourceVersion: '5', endsInitialEvents: true });
  });

  test.each([
    ['metadata', { kind: 'Thing' }],
    ['a version', { kind: 'Thing', metadata: {} }],
    ['a version that is not empty', { kind: 'Thing', metadata: { resourceVersion: '' } }],
  ])('without %s has no version', (_what, object) => {
    const bookmark = bytesFrame('BOOKMARK', object);
    expect(readBookmark(bookmark)).toEqual({
      resourceVersion: undefined,
      endsInitialEvents: false,
    });
  });

  test('whose metadata are cut off throws OBJECT_MALFORMED', () => {
    const bookmark = bytesFrame('BOOKMARK', { kind: 'Thing', metadata: { resourceVersion: '5' } });
    expect(() => readBookmark({ ...bookmark, to: bookmark.to - 4 })).toThrow(
      withCode('OBJECT_MALFORMED'),
    );
  });
});
