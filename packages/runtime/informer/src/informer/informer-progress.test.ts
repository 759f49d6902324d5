import { describe, expect, test } from '@jest/globals';
import { InformerProgress } from './informer-progress.ts';
import { Timeline } from './timeline.ts';

describe('the progress of two watches', () => {
  function twoWatches(): { narrow: InformerProgress; wide: InformerProgress } {
    const timeline = new Timeline();
    const [narrow, wide] = [new InformerProgress(timeline), new InformerProgress(timeline)];
    narrow.listed('100', '');
    wide.listed('100', '');
    return { narrow, wide };
  }

  test.each([
    ['100', true],
    ['105', true],
    ['1000', true],
    ['99', false],
    ['104', false],
    ['', false],
    ['v200', false],
  ])('a store at version %p includes a change at 105 or before: %p', (version, isIncluded) => {
    const { narrow, wide } = twoWatches();
    if (version !== '100') narrow.lastChange = '105';
    expect(wide.includes(version, narrow)).toBe(isIncluded);
  });

  test('a watch without a version, because its kind is not served, is not included', () => {
    const { narrow, wide } = twoWatches();
    narrow.listed('', '100');
    expect(wide.includes('200', narrow)).toBe(false);
  });

  test('a watch whose handlers receive a list is not included', () => {
    const { narrow, wide } = twoWatches();
    narrow.isDelivering = true;
    expect(wide.includes('200', narrow)).toBe(false);
  });

  test('versions from before and after a restore of the server are not compared', () => {
    const { narrow, wide } = twoWatches();
    narrow.listed('50', '100');
    expect(wide.includes('100', narrow)).toBe(false);
    wide.wentBack();
    wide.listed('60', '100');
    expect(wide.includes('60', narrow)).toBe(true);
    narrow.wentBack();
    narrow.listed('70', '60');
    expect(wide.includes('80', narrow)).toBe(false);
  });
});
