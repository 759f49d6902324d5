import { afterEach, describe, expect, test } from '@jest/globals';
import { listenToProcess } from './process-listener.ts';

const limit = process.getMaxListeners();
afterEach(() => void process.setMaxListeners(limit));

describe('listenToProcess', () => {
  test.each([limit, 0])('adds 30 listeners below the limit of Node.js, which is %p', (before) => {
    process.setMaxListeners(before);
    const count = process.listenerCount('keelson-test');
    const removes = Array.from({ length: 30 }, () => listenToProcess('keelson-test', () => {}));
    expect(process.listenerCount('keelson-test')).toBe(count + 30);
    expect(process.getMaxListeners()).toBe(before === 0 ? 0 : before + 30);
    for (const remove of [...removes, ...removes]) remove();
    expect(process.listenerCount('keelson-test')).toBe(count);
    expect(process.getMaxListeners()).toBe(before);
  });
});
