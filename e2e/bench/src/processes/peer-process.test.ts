import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CaseServer } from '../servers/case-server.ts';
import { runPeer } from './peer-process.ts';

const access = { kubeconfig: '/k', cluster: '/c' };

describe('a contender in Go', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-bench-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function server(script: string): Promise<CaseServer> {
    const peers = join(folder, 'peers');
    await writeFile(peers, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return {
      peers,
      address: { url: 'https://s', tlsUrl: 'https://s', access },
      ask: () => Promise.reject(new Error('nothing to ask')),
    };
  }

  test('is given the kubeconfig and the environment of its case, and prints what it measured', async () => {
    const metrics = await runPeer(
      { peer: ['-mode=json', 'measure'], environment: { GATE: 'false' } },
      await server(`echo "{\\"$1\\":1,\\"$2\\":2,\\"$3\\":3,\\"$GATE\\":4}"`),
    );
    expect(metrics).toEqual({ '-kubeconfig=/k': 1, '-mode=json': 2, measure: 3, false: 4 });
  });

  test('may need no server', async () => {
    const { peers = '' } = await server('echo "{\\"$1\\":1}"');
    expect(await runPeer({ peer: ['queue'] }, { peers })).toEqual({ queue: 1 });
  });

  test('that ends without a measurement says why', async () => {
    const failing = server('echo "19 delivered of 20: failed" >&2; exit 1');
    await expect(runPeer({ peer: ['measure'] }, await failing)).rejects.toThrow(
      'measure measured nothing: 19 delivered of 20: failed',
    );
  });

  test('needs a server with the program', async () => {
    const { peers: _none, ...without } = await server('');
    await expect(runPeer({ peer: ['measure'] }, without)).rejects.toThrow('real server');
  });
});
