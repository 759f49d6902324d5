import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { builtin, createClient, isNotFound, type ObjectOf } from '@keelson/manager';
import { InstalledProject } from './installed-project.ts';
import { podEnvironment, writeServiceAccount } from './pod.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The largest size of each bundle. Rollup alone does not minify. */
const maxBytes: Readonly<Record<string, number>> = {
  'operator.mjs': 1_400_000,
  'operator.cjs': 1_400_000,
  'rollup.mjs': 2_750_000,
};

/** In the versions that were tested. */
const ROLLUP = [
  'rollup@4.68.8',
  '@rollup/plugin-commonjs@29.0.3',
  '@rollup/plugin-json@6.1.0',
  '@rollup/plugin-node-resolve@16.0.3',
];

/** An operator as it runs in a Pod. It stops itself after it has written one object. */
const operator = `
import { builtin, createManager } from '@keelson/manager';

const manager = createManager({ servers: { metrics: { port: 0, tls: 'self-signed' }, health: 0 } });
manager.addController({
  name: 'copy',
  for: builtin.ConfigMap,
  async reconcile({ namespace, name }, { cache, client, signal }) {
    if (name !== 'original') return;
    const data = cache.get(builtin.ConfigMap, { namespace, name })?.data ?? {};
    await client.apply(builtin.ConfigMap, { metadata: { namespace, name: 'copy' }, data }, { signal });
    process.kill(process.pid, 'SIGTERM');
  },
});
void manager.start().then(() => console.log('ended'));
`;

/** The commands of the guide that bundle an operator, and the settings of Rollup. */
async function readGuide(): Promise<{ readonly commands: string[]; readonly settings: string }> {
  const guide = await readFile(join(root, 'docs/guides/runtimes.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```(?:sh|js)\n([^`]+)^```/gm)].map(([, text = '']) => text);
  return {
    commands: blocks.flatMap(
      (text) => /^npx (?:esbuild|rollup) (?:.*\\\n)*.*$/m.exec(text)?.[0] ?? [],
    ),
    settings: blocks.find((text) => text.includes('@rollup/')) ?? '',
  };
}

async function esbuildVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: { esbuild: string };
  };
  return manifest.devDependencies.esbuild;
}

describe('an operator that esbuild or Rollup has bundled into one file', () => {
  let project: InstalledProject;
  let folder: string;
  let server: ApiServer;

  beforeAll(async () => {
    project = await InstalledProject.create();
    const bundlers = [`esbuild@${await esbuildVersion()}`, ...ROLLUP];
    await project.run('npm', 'install', '@keelson/manager', ...bundlers);
    await mkdir(join(project.folder, 'src'));
    await project.write('src/main.ts', operator);
    const { commands, settings } = await readGuide();
    await project.write('rollup.config.mjs', settings);
    for (const command of commands) await project.run('bash', '-ec', command);
    // Outside of the project, where no node_modules are found.
    folder = await mkdtemp(join(tmpdir(), 'keelson-one-file-'));
    server = await createApiServer({ tls: true });
    const original: ObjectOf<typeof builtin.ConfigMap> = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'original' },
      data: { a: 'b' },
    };
    server.seed([original]);
    const { token, tls } = server.cluster;
    await writeServiceAccount(folder, { token, ca: String(tls?.ca), namespace: 'default' });
  });

  afterAll(async () => {
    await server?.close();
    await project?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  test.each(Object.entries(maxBytes))('%s is small enough, and runs alone', async (name, bytes) => {
    const bundle = join(project.folder, 'dist', name);
    expect((await stat(bundle)).size).toBeLessThanOrEqual(bytes);
    await copyFile(bundle, join(folder, name));
    await using client = createClient({ cluster: server.cluster });
    await client
      .delete(builtin.ConfigMap, { namespace: 'default', name: 'copy' })
      .catch(ignoreMissing);
    const env = {
      PATH: process.env['PATH'],
      ...podEnvironment({ server: server.url, folder }),
      KEELSON_SERVICE_ACCOUNT: folder,
    };
    const preload = new URL('enter-pod.ts', import.meta.url).href;
    const args = ['--import', preload, join(folder, name)];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env,
    });
    expect(stdout).toMatch(/ended\n$/);
    expect(stderr).not.toContain('Warning');
    const copy = await client.get(builtin.ConfigMap, { namespace: 'default', name: 'copy' });
    expect(copy.data).toEqual({ a: 'b' });
  });

  test('has a source map of Rollup with the source of the operator', async () => {
    const text = await readFile(join(project.folder, 'dist/rollup.mjs.map'), 'utf8');
    const { sources } = JSON.parse(text) as { sources: string[] };
    expect(sources).toContain('../src/main.ts');
  });

  test('has source maps of esbuild with the sources of the operator and of Keelson', async () => {
    for (const name of ['operator.mjs.map', 'operator.cjs.map']) {
      const text = await readFile(join(project.folder, 'dist', name), 'utf8');
      const { sources } = JSON.parse(text) as { sources: string[] };
      expect(sources).toContain('../src/main.ts');
      expect(sources).toContain(
        '../node_modules/@keelson/manager/src/manager/controller-manager.ts',
      );
    }
  });
});

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
