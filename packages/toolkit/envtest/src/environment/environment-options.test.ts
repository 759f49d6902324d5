import { describe, expect, test } from '@jest/globals';
import { resolveOptions } from './environment-options.ts';

describe('the options of a test environment', () => {
  const env = {};

  test('auto selects binaries if a folder is given, else memory', () => {
    expect(resolveOptions({ env }).use).toBe('memory');
    expect(resolveOptions({ env: { KUBEBUILDER_ASSETS: '/a' } })).toMatchObject({
      use: 'binaries',
      assets: '/a',
    });
    expect(resolveOptions({ env, assets: '/b' }).use).toBe('binaries');
    expect(resolveOptions({ env: { KUBEBUILDER_ASSETS: '/a' }, use: 'memory' }).use).toBe('memory');
  });

  test('the default kubeconfig is that of kubectl', () => {
    expect(resolveOptions({ env: { KUBECONFIG: '/k' } }).kubeconfig).toBe('/k');
    expect(resolveOptions({ env }).kubeconfig).toMatch(/\.kube.config$/);
    expect(resolveOptions({ env: { KUBECONFIG: '/k' }, kubeconfig: '/mine' }).kubeconfig).toBe(
      '/mine',
    );
  });

  test('records of roles need a folder', () => {
    expect(resolveOptions({ env: { KEELSON_RECORD_ROLES: '/r' } }).recordRoles).toBe('/r');
    expect(resolveOptions({ env: { KEELSON_RECORD_ROLES: '' } }).recordRoles).toBeUndefined();
  });

  test('durations are milliseconds or strings', () => {
    expect(resolveOptions({ env, startTimeout: '2s', stopTimeout: 50 })).toMatchObject({
      startTimeout: 2000,
      stopTimeout: 50,
    });
  });

  test.each([
    [{ use: 'docker' }, 'use'],
    [{ controllers: ['scheduler'] }, 'controllers'],
    [{ port: -1 }, 'port'],
    [{ version: '1.33' }, 'version'],
    [{ version: '1.34', use: 'binaries' }, 'version'],
    [{ restore: 1 }, 'restore'],
    [{ apiServerFlags: ['v=4'] }, 'apiServerFlags'],
    [{ apiServerFlags: '--v=4' }, 'apiServerFlags'],
    [{ controllers: 'namespace' }, 'controllers'],
    [{ featureGates: { WatchList: 'yes' } }, 'featureGates'],
    [{ featureGates: ['WatchList'] }, 'featureGates'],
    [{ assets: 1 }, 'assets'],
    [{ kubeconfig: {} }, 'kubeconfig'],
    [{ env: 'PATH' }, 'env'],
    [{ crdTimeout: 'soon' }, 'crdTimeout'],
    [{ startTimeout: 'soon' }, 'startTimeout'],
    [{ colour: 'red' }, 'colour'],
  ])('%j is rejected with the name of the option', (options, name) => {
    expect(() => resolveOptions(options as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`createTestEnvironment.${name}`),
      }),
    );
  });
});
