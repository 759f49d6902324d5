import { describe, expect, test } from '@jest/globals';
import { cacheFolder, kubernetesVersion } from './cache-folder.ts';

describe('the cache of binaries', () => {
  test('lies where the environment says, else in the user’s cache', async () => {
    expect(await cacheFolder({ KEELSON_CACHE: '/c' })).toMatch(/^\/c\/control-plane-v/);
    expect(await cacheFolder({ XDG_CACHE_HOME: '/x' })).toMatch(/^\/x\/keelson\/control-plane-v/);
    expect(await cacheFolder({})).toMatch(/\.cache\/keelson\/control-plane-v/);
  });

  test('is named after the Kubernetes version that the module pins', async () => {
    expect(await cacheFolder({ KEELSON_CACHE: '/c' })).toContain(await kubernetesVersion());
  });
});
