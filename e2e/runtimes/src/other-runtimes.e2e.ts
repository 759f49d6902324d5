import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { builtin, createClient, type Client } from '@keelson/manager';
import { InstalledProject } from './installed-project.ts';

/** From npm, in the versions that were tested. Neither needs its installation script to run. */
const DENO = 'deno@2.9.6';
const BUN = 'bun@1.4.5';

/**
 * An operator with everything that depends on the runtime: a kubeconfig, TLS, a Lease, a finalizer, watches at run time and
 * HTTPS for metrics. It prints a line for each step, and runs until SIGTERM.
 */
const operator = `
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { builtin, createLogger, createManager } from '@keelson/manager';

const manager = createManager({
  kubeConfig: { file: 'kubeconfig' },
  leaderElection: { lease: 'operator', namespace: 'default' },
  logger: createLogger({ level: 'error' }),
  servers: { host: '127.0.0.1', metrics: { port: 0, tls: 'self-signed' }, health: 0, debug: 0 },
});
const controller = manager.addController({
  name: 'copy',
  for: { resource: builtin.ConfigMap, labelSelector: 'copy=yes' },
  reconcile({ namespace, name }, { cache, client, finalizer, signal }) {
    const object = cache.get(builtin.ConfigMap, { namespace, name });
    if (object === undefined) return undefined;
    const metadata = { namespace, name: name + '-copy' };
    return finalizer({
      resource: builtin.ConfigMap,
      object,
      finalizer: 'runtimes.keelson.dev/copy',
      async apply() {
        await client.apply(builtin.ConfigMap, { metadata, data: object.data ?? {} }, { signal });
        console.log('copied ' + name);
      },
      async cleanup() {
        await client.delete(builtin.ConfigMap, metadata, { signal });
        console.log('cleaned ' + name);
      },
    });
  },
});
const running = manager.start();
await manager.started;

const watch = controller.watch({ resource: builtin.Secret, map: () => [] });
await watch.synced;
await watch.remove();
console.log('watched and removed');

const [response] = await new Promise((resolve, reject) => {
  const request = get({ host: '127.0.0.1', port: manager.ports.metrics, path: '/metrics', rejectUnauthorized: false });
  request.on('error', reject).on('response', (...given) => resolve(given));
});
const metrics = await text(response);
console.log('metrics ' + ['controller_runtime_reconcile_total', 'process_resident_memory_bytes', 'keelson_watches'].every((name) => metrics.includes(name)));
const ready = await fetch('http://127.0.0.1:' + manager.ports.health + '/readyz');
console.log('ready ' + (await ready.text()));
const profile = await fetch('http://127.0.0.1:' + manager.ports.debug + '/debug/cpu-profile?seconds=1', {
  headers: { authorization: 'Bearer ' + manager.debugToken },
});
console.log('profile ' + Array.isArray((await profile.json()).nodes));
await running;
console.log('ended');
`;

/** The lines that a program prints, and its end. */
class Program implements AsyncDisposable {
  readonly #lines: AsyncIterator<string>;
  readonly #errors: Promise<string>;
  readonly #ended: Promise<unknown[]>;
  readonly #child: ReturnType<typeof spawn>;

  constructor(folder: string, command: readonly string[]) {
    const [file = '', ...args] = command;
    const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    this.#errors = text(child.stderr);
    this.#ended = once(child, 'close');
  }

  /** Resolves with the next line; rejects with the errors of a program that has ended. */
  async line(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error(`the program ended: ${await this.#errors}`);
    return value;
  }

  /** Reads lines up to this one. A reconcile may run, and print, more than once. */
  async until(expected: string): Promise<void> {
    while ((await this.line()) !== expected);
  }

  async end(signal: NodeJS.Signals): Promise<unknown> {
    this.#child.kill(signal);
    const [code] = await this.#ended;
    return code;
  }

  /** Resolves with what the program wrote to stderr, at its end. */
  errors(): Promise<string> {
    return this.#errors;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}

let project: InstalledProject;
let server: ApiServer;
let client: Client;

beforeAll(async () => {
  project = await InstalledProject.create();
  await project.run('npm', 'install', '@keelson/manager', DENO, BUN);
  server = await createApiServer({ tls: true });
  client = createClient({ cluster: server.cluster });
  await project.write('kubeconfig', server.kubeconfig());
  await project.write('operator.mjs', operator);
});

afterAll(async () => {
  await client?.close();
  await server?.close();
  await project?.[Symbol.asyncDispose](); // undefined if packing failed
});

function start(runtime: string, ...args: readonly string[]): Program {
  const bin = join(project.folder, 'node_modules/.bin', runtime);
  return new Program(project.folder, [bin, ...args, 'operator.mjs']);
}

async function createOriginal(name: string): Promise<void> {
  const metadata = { namespace: 'default', name, labels: { copy: 'yes' } };
  await client.create(builtin.ConfigMap, { metadata, data: { of: name } });
}

describe('Deno', () => {
  test('runs an operator until SIGTERM', async () => {
    await using program = start('deno', 'run', '--allow-all', '--node-modules-dir=manual');
    const lines = [await program.line(), await program.line(), await program.line()];
    expect(lines).toEqual(['watched and removed', 'metrics true', 'ready ok']);
    expect(await program.line()).toBe('profile true');

    await createOriginal('first');
    await program.until('copied first');
    const copy = { namespace: 'default', name: 'first-copy' };
    expect((await client.get(builtin.ConfigMap, copy)).data).toEqual({ of: 'first' });

    server.faults.breakConnections();
    await createOriginal('second');
    await program.until('copied second');
    server.faults.expireWatches();
    await client.delete(builtin.ConfigMap, { namespace: 'default', name: 'first' });
    await program.until('cleaned first');

    const ended = program.end('SIGTERM');
    await program.until('ended');
    expect(await ended).toBe(0);
    const lease = await client.get(builtin.Lease, { namespace: 'default', name: 'operator' });
    expect(lease.spec?.holderIdentity ?? '').toBe('');
  });
});

describe('Bun', () => {
  test('is refused by its name', async () => {
    await using program = start('bun');
    const errors = await program.errors();
    expect(errors).toContain('UNSUPPORTED_RUNTIME');
    expect(errors).toMatch(/the runtime is not supported \(runtime=Bun, version=[\d.]+\)/);
  });
});
