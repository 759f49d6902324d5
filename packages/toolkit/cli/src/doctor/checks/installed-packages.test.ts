import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { packagesCheck } from './installed-packages.ts';

const { signal } = new AbortController();

describe('the check of the packages', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-packages-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function install(path: string, manifest: object): Promise<void> {
    await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, path, 'package.json'), JSON.stringify(manifest));
  }

  const modules = 'node_modules/@keelson';
  const version = '1.0.0';
  const outcome = async (): Promise<unknown> => {
    const { outcomes } = await packagesCheck(folder).run(signal);
    return outcomes[0];
  };

  test('accepts one version of all packages, also of dependencies of dependencies', async () => {
    await install('.', { dependencies: { '@keelson/a': '1', other: '1' } });
    const dependencies = { '@keelson/b': '1', other: '1' };
    await install(`${modules}/a`, { version, dependencies });
    // Packages may depend on each other.
    await install(`${modules}/b`, { version, dependencies: { '@keelson/a': '1' } });
    expect(await outcome()).toEqual({ status: 'ok', detail: '2 of version 1.0.0' });
  });

  test('names packages that are not installed', async () => {
    await install('.', { devDependencies: { '@keelson/a': '1', '@keelson/c': '1' } });
    await install(`${modules}/a`, { version, dependencies: { '@keelson/b': '1' } });
    expect(await outcome()).toMatchObject({
      status: 'failed',
      detail: 'not installed: @keelson/b, @keelson/c',
    });
  });

  test('names different versions', async () => {
    await install('.', { dependencies: { '@keelson/a': '1', '@keelson/b': '1' } });
    await install(`${modules}/a`, { version });
    await install(`${modules}/b`, { version: '1.1.0' });
    expect(await outcome()).toMatchObject({
      status: 'failed',
      detail: '@keelson/a@1.0.0, @keelson/b@1.1.0',
    });
  });

  test('warns about two copies of one version', async () => {
    await install('.', { dependencies: { '@keelson/a': '1', '@keelson/b': '1' } });
    await install(`${modules}/a`, { version, dependencies: { '@keelson/b': '1' } });
    await install(`${modules}/b`, { version });
    await install(`${modules}/a/${modules}/b`, { version });
    expect(await outcome()).toMatchObject({
      status: 'warning',
      detail: 'more than one copy of @keelson/b@1.0.0',
    });
  });

  test('refuses a project without a package of Keelson', async () => {
    await install('.', {});
    expect(await outcome()).toMatchObject({ status: 'failed' });
  });
});
