import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { loadCluster } from '@keelson/client';
import { definitionWith, versionWith } from '../../types/code/definition.test-support.ts';
import { ExistingCluster } from './existing-cluster.ts';

const definitions = [definitionWith([versionWith({ type: 'object' })])] as never;
const content = { project: { namespace: 'operator' }, definitions };
const { signal } = new AbortController();

describe('ExistingCluster', () => {
  let folder: string;
  let server: ApiServer;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-existing-'));
    server = await createApiServer();
    file = join(folder, 'config');
    await writeFile(file, server.kubeconfig());
  });

  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  async function open(options: object = {}): Promise<ExistingCluster> {
    const defaults = { kubeconfig: undefined, context: undefined, installCrds: false };
    return ExistingCluster.open({ ...defaults, env: {}, ...options });
  }

  /** Loads the cluster as a program with that kubeconfig does. */
  async function asProgram({ kubeconfig }: ExistingCluster): Promise<unknown> {
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = kubeconfig;
    try {
      return await loadCluster();
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  }

  const definition = (): unknown =>
    server.object(builtin.CustomResourceDefinition, { name: 'widgets.shop.example' });

  test('passes the kubeconfig to the program', async () => {
    await using cluster = await open({ kubeconfig: file });
    expect(cluster.kubeconfig.split(delimiter).slice(1)).toEqual([file]);
    expect(await asProgram(cluster)).toMatchObject({ server: server.url, development: true });
    expect(cluster.description).toEqual([`server      ${server.url}`]);
  });

  test('chooses the context by a file in front of the others, without credentials', async () => {
    const other = server
      .kubeconfig()
      .replace(/name: keelson\n {4}context/, 'name: other\n    context');
    await writeFile(file, other.replace('current-context: keelson', 'current-context: missing'));
    const cluster = await open({ kubeconfig: file, context: 'other' });
    const [first = '', second] = cluster.kubeconfig.split(delimiter);
    expect(second).toBe(file);
    expect(await readFile(first, 'utf8')).not.toContain(server.cluster.token);
    expect(await asProgram(cluster)).toMatchObject({ server: server.url });
    await cluster[Symbol.asyncDispose]();
    expect(existsSync(first)).toBe(false);
  });

  test('installs definitions only on request', async () => {
    await using without = await open({ kubeconfig: file });
    expect(without.installsDefinitions).toBe(false);
    await using cluster = await open({ kubeconfig: file, installCrds: true });
    expect(cluster.installsDefinitions).toBe(true);
    expect(definition()).toBeUndefined();
    await cluster.prepare(content, signal);
    expect(definition()).toMatchObject({ status: { conditions: expect.anything() } });
  });

  test('refuses an unknown context', async () => {
    await expect(open({ kubeconfig: file, context: 'none' })).rejects.toMatchObject({
      code: 'CONTEXT_NOT_FOUND',
    });
  });
});
