import { describe, expect, test } from '@jest/globals';
import { resolveOptions } from './environment-options.ts';

describe('the options of a test environment', () => {
  const env = {};

  test('auto takes binaries where a folder is known, else memory', () => {
    expect(resolveOptions({ env }).use).toBe('memory');
    expect(resolveOptions({ env: { KUBEBUILDER_ASSETS: '/a' } })).toMatchObject({
      use: 'binaries',
      assets: '/a',
    });
    expect(resolveOptions({ env, assets: '/b' }).use).toBe('binaries');
    expect(resolveOptions({ env: { KUBEBUILDER_ASSETS: '/a' }, use: 'memory' }).use).toBe('memory');
  });

  test('a kubeconfig is found as kubectl finds it', () => {
    expect(resolveOptions({ env: { KUBECONFIG: '/k' } }).kubeconfig).toBe('/k');
    expect(resolveOptions({ env }).kubeconfig).toMatch(/\.kube.config$/);
    expect(resolveOptions({ env: { KUBECONFIG: '/k' }, kubeconfig: '/mine' }).kubeconfig).toBe(
      '/mine',
    );
  });

  test('durations are ms or texts', () => {
    expect(resolveOptions({ env, startTimeout: '2s', stopTimeout: 50 })).toMatchObject({
      startTimeout: 2000,
      stopTimeout: 50,
    });
  });

  test.each([
    [{ use: 'docker' }, 'use'],
    [{ controllers: ['scheduler'] }, 'controllers'],
    [{ port: -1 }, 'port'],
    [{ apiServerFlags: ['v=4'] }, 'apiServerFlags'],
    [{ crdTimeout: 'soon' }, 'crdTimeout'],
    [{ startTimeout: 'soon' }, 'startTimeout'],
    [{ colour: 'red' }, 'colour'],
  ])('%j is refused by its name', (options, name) => {
    expect(() => resolveOptions(options as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`createTestEnvironment.${name}`),
      }),
    );
  });
});
