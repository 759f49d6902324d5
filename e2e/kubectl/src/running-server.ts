import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(
  new URL('../../../packages/toolkit/apiserver/src/cli/bin.ts', import.meta.url),
);

/** The command `keelson-apiserver`, running in a process of its own. */
export interface RunningServer {
  readonly url: string;
  /** A folder of its own; goes with the server. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Starts it on a free port and waits until it says where it listens. */
export async function startServer(words: readonly string[]): Promise<RunningServer> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-kubectl-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const args = ['--conditions=@keelson/source', bin, '--kubeconfig-out', kubeconfig, ...words];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await addressOf(child);
  return {
    url,
    folder,
    kubeconfig,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await ended;
      await rm(folder, { recursive: true });
      return code;
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server was started without a pipe');
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it listened');
}
