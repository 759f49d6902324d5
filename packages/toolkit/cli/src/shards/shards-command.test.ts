import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { sessionKubeconfig } from '../dev/cluster/kubeconfig-file.ts';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

/** The text form of the slots from one number up to another. */
function slots(from: number, to: number): string {
  const bytes = Buffer.alloc(128);
  for (let slot = from; slot < to; slot += 1)
    bytes[slot >> 3] = (bytes[slot >> 3] ?? 0) | (1 << (slot & 7));
  return bytes.toString('base64');
}

function lease(name: string, claimed: string, renewTime: number, leaving = false): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace: 'default',
      name,
      labels: { 'keelson.dev/sharding': 'web' },
      annotations: {
        'keelson.dev/shard-slots': claimed,
        'keelson.dev/shard-leaving': String(leaving),
      },
    },
    spec: {
      holderIdentity: `pod-${name}`,
      leaseDurationSeconds: 3600,
      renewTime: new Date(renewTime).toISOString().replace('Z', '000Z'),
    },
  };
}

describe('keelson shards', () => {
  let folder: string;
  let server: ApiServer;
  let kubeconfig: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-shards-'));
    server = await createApiServer();
    kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfig());
  });

  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  function seed(...objects: readonly object[]): void {
    server.seed(objects as Parameters<typeof server.seed>[0]);
  }

  async function run(
    ...words: readonly string[]
  ): Promise<{ code: number; out: string; err: string }> {
    const { terminal, out, err } = recordingTerminal();
    const all = ['shards', '--kubeconfig', kubeconfig, ...words];
    const code = await runProgram(all, terminal, '1.0.0');
    return { code, out: out(), err: err() };
  }

  test('prints each replica with its slots, and those that move', async () => {
    const now = Date.now();
    seed(lease('a', slots(0, 600), now, true), lease('b', slots(500, 1024), now));
    const { code, out } = await run('--name', 'web', '--namespace', 'default');
    expect(code).toBe(0);
    expect(out).toMatch(/^a +leaving +600 +100 +\d+s ago +pod-a$/m);
    expect(out).toMatch(/^b +member +524 +100 +\d+s ago +pod-b$/m);
    expect(out).toContain('web: 2 replicas, 0 of 1024 slots unclaimed');
  });

  test('fails if slots are not claimed, and marks an expired Lease', async () => {
    seed(lease('a', slots(0, 1000), Date.now() - 4_000_000));
    const { code, out } = await run('--name', 'web', '--namespace', 'default', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      sharding: 'web',
      unclaimed: 1024,
      replicas: [{ lease: 'a', identity: 'pod-a', state: 'expired', slots: 0, moving: 0 }],
    });
  });

  test('fails if only an expired Lease claims all slots, with or without its annotation', async () => {
    const past = Date.now() - 4_000_000;
    seed(lease('a', slots(0, 1024), past), lease('b', '', past), lease('c', slots(0, 10), 0));
    const { code, out } = await run('--name', 'web', '--namespace', 'default');
    expect(code).toBe(1);
    expect(out).toMatch(/^a +expired +0 +0 /m);
    expect(out).toContain('web: 3 replicas, 1024 of 1024 slots unclaimed');
  });

  test('an expired Lease moves no slot of the replica that took it over', async () => {
    const now = Date.now();
    seed(lease('a', slots(0, 1024), now - 4_000_000), lease('b', slots(0, 1024), now));
    const { code, out } = await run('--name', 'web', '--namespace', 'default');
    expect(code).toBe(0);
    expect(out).toMatch(/^b +member +1024 +0 /m);
  });

  test('an identity with line feeds stays one row', async () => {
    const forged = lease('a', slots(0, 1024), Date.now()) as { spec: { holderIdentity: string } };
    forged.spec.holderIdentity = 'pod\nb      member  1024\r\tx';
    seed(forged);
    const { out } = await run('--name', 'web', '--namespace', 'default');
    expect(out.trimEnd().split('\n')).toHaveLength(3);
    expect(out).toMatch(/^a .* pod b +member +1024 +x$/m);
  });

  test('an unknown sharding has no replicas', async () => {
    const { code, out } = await run('--name', 'other', '--namespace', 'default');
    expect([code, out]).toEqual([1, expect.stringContaining('other: 0 replicas, 1024 of 1024')]);
  });

  test('reads the Leases of the session of a project', async () => {
    const file = join(folder, sessionKubeconfig);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, server.kubeconfig());
    seed(lease('a', slots(0, 1024), Date.now()));
    const words = ['shards', '--name', 'web', '--namespace', 'default', '--project'];
    const { terminal, out, err } = recordingTerminal();
    expect(await runProgram([...words, folder], terminal, '1.0.0')).toBe(0);
    expect(out()).toContain('0 of 1024 slots unclaimed');
    expect(await runProgram([...words, join(folder, 'other')], terminal, '1.0.0')).toBe(1);
    expect(err()).toContain('DEV_NOT_RUNNING');
  });

  test('needs a name', async () => {
    expect(await run()).toMatchObject({ code: 2 });
  });
});
