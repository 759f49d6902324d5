import { describe, expect, jest, test } from '@jest/globals';
import { checkRuntime } from './runtime.ts';

describe('checkRuntime', () => {
  test('accepts Node.js', () => {
    expect(process.versions).not.toHaveProperty('bun');
    expect(checkRuntime()).toBeUndefined();
  });

  test('refuses Bun by its name and version', () => {
    const versions = { value: { ...process.versions, bun: '1.4.5' } };
    const inBun = jest.replaceProperty(globalThis, 'process', Object.create(process, { versions }));
    try {
      expect(checkRuntime).toThrow(
        expect.objectContaining({
          code: 'UNSUPPORTED_RUNTIME',
          facts: { runtime: 'Bun', version: '1.4.5' },
        }),
      );
    } finally {
      inBun.restore();
    }
  });
});
