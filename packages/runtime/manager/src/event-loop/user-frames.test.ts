import { describe, expect, test } from '@jest/globals';
import { userFrames } from './user-frames.ts';

const own = ['file:///app/node_modules/@keelson/'];
const hook = [
  'Error',
  '    at AsyncHook.init (file:///app/node_modules/@keelson/manager/dist/event-loop/await-tracer.js:1:1)',
  '    at emitInitNative (node:internal/async_hooks:207:43)',
  '    at promiseInitHook (node:internal/async_hooks:333:3)',
];
const loop =
  '    at async #process (file:///app/node_modules/@keelson/manager/dist/run/reconcile-loop.js:1:1)';
const pool = '    at async file:///app/node_modules/p-queue/dist/index.js:1:1';

describe('the frames of the user', () => {
  test('begin after those of Node.js and Keelson, and end where Keelson called the user', () => {
    const stack = [
      ...hook,
      '    at Client.get (file:///app/node_modules/@keelson/client/dist/client.js:1:1)',
      '    at load (file:///app/load.js:7:9)',
      '    at new Promise (<anonymous>)',
      '    at async reconcile (file:///app/main.js:24:9)',
      loop,
      pool,
    ];
    expect(userFrames(stack.join('\n'), own)).toEqual([
      'load (file:///app/load.js:7:9)',
      'async reconcile (file:///app/main.js:24:9)',
    ]);
  });

  test('are at most five, each of bounded length', () => {
    const frames = Array.from(
      { length: 9 },
      (_, at) => `    at f${at} (file:///app/${'x'.repeat(300)})`,
    );
    const found = userFrames([...hook, ...frames].join('\n'), own);
    expect(found.map((frame) => frame.slice(0, 2))).toEqual(['f0', 'f1', 'f2', 'f3', 'f4']);
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(200);
  });

  test('are those of Keelson if the stack has no others', () => {
    expect(userFrames([...hook, loop].join('\n'), own)).toEqual([loop.trim().slice(3)]);
    expect(userFrames('Error', own)).toEqual([]);
  });
});
