import { expect, jest, test } from '@jest/globals';
import { createInformerCache } from '@keelson/informer';
import { createClient, createManager } from '../index.ts';

test('a manager, a client and a cache are refused in Bun before their options are read', () => {
  const versions = { value: { ...process.versions, bun: '1.4.5' } };
  const inBun = jest.replaceProperty(globalThis, 'process', Object.create(process, { versions }));
  const refusal = expect.objectContaining({
    code: 'UNSUPPORTED_RUNTIME',
    message: expect.stringContaining('Bun'),
  });
  try {
    expect(() => createManager()).toThrow(refusal);
    expect(() => createClient(undefined as never)).toThrow(refusal);
    expect(() => createInformerCache(undefined as never)).toThrow(refusal);
  } finally {
    inBun.restore();
  }
});
