import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from '../servers/protocol.ts';
import type { CaseServer } from '../servers/case-server.ts';
import { runPeer } from './peer-process.ts';

const access = { kubeconfig: '/k', cluster: '/c' };
const noAsk = (): Promise<never> => Promise.reject(new Error('nothing to ask'));
const real: CaseServer = { address: { url: 'https://s', tlsUrl: 'https://s', access }, ask: noAsk };

describe('a contender in Go or Rust', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-bench-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function program(script: string): Promise<string> {
    const file = join(folder, 'peers');
    await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  }

  test('is given the kubeconfig and the environment of its case, and prints what it measured', async () => {
    const metrics = await runPeer(
      { language: 'go', peer: ['-mode=json', 'measure'], environment: { GATE: 'false' } },
      await program(`echo "{\\"$1\\":1,\\"$2\\":2,\\"$3\\":3,\\"$GATE\\":4}"`),
      real,
    );
    expect(metrics).toEqual({ '-kubeconfig=/k': 1, '-mode=json': 2, measure: 3, false: 4 });
  });

  test('receives the address of a server without credentials, and sends it commands', async () => {
    const commands: Command[] = [];
    const address = { url: 'http://s', tlsUrl: 'https://s' };
    const ask = (command: Command) => {
      commands.push(command);
      return Promise.resolve({ at: 1, lists: 0, watches: 0 });
    };
    const file = await program(`echo '{"ask":{"name":"burst"}}'; echo "{\\"$1\\":1}"`);
    const metrics = await runPeer({ language: 'rust', peer: ['burst'] }, file, { address, ask });
    expect(metrics).toEqual({ '-server=http://s': 1 });
    expect(commands).toEqual([{ name: 'burst' }]);
  });

  test('can wait for the end of a command', async () => {
    const address = { url: 'http://s', tlsUrl: 'https://s' };
    const ask = () => Promise.resolve({ at: 1, lists: 0, watches: 0 });
    const file = await program(
      `echo '{"ask":{"name":"stats"}}'; read line; echo "{\\"$line\\":1}"`,
    );
    const metrics = await runPeer({ language: 'go', peer: ['webhook'] }, file, { address, ask });
    expect(metrics).toEqual({ performed: 1 });
  });

  test('may need no server', async () => {
    const file = await program('echo "{\\"$1\\":1}"');
    const metrics = await runPeer({ language: 'go', peer: ['queue'] }, file, undefined);
    expect(metrics).toEqual({ queue: 1 });
  });

  test('that ends without a measurement says why', async () => {
    const file = await program('echo "19 delivered of 20: failed" >&2; exit 1');
    const run = runPeer({ language: 'go', peer: ['measure'] }, file, real);
    await expect(run).rejects.toThrow('measure measured nothing: 19 delivered of 20: failed');
  });
});
