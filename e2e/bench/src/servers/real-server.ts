import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@keelson/client';
import { createTestEnvironment, type TestEnvironment, type TestUser } from '@keelson/envtest';
import type { CaseServer } from './case-server.ts';
import { microseconds } from './pod-stream.ts';
import { cpuSecondsOf, findProcess } from '../processes/process-clock.ts';
import type { Address, Command, Metrics, Reply, ServerAccess } from './protocol.ts';
import { reviewLoad } from './review-load.ts';
import { bytesPerPod, createPods } from './real-pods.ts';

/** Milliseconds between two checks whether the server is idle. */
const LOOK = 250;
/** An idle server uses less than this fraction of a processor. */
const AT_REST = 0.08;
const LONGEST_UNREST = 20_000;

interface Parts {
  readonly environment: TestEnvironment;
  readonly client: Client;
  readonly address: Address;
  readonly pid: number | undefined;
  readonly owned: AsyncDisposableStack;
}

/** A kube-apiserver with etcd that is filled with pods before the first measurement. */
export class RealServer implements CaseServer, AsyncDisposable {
  readonly #parts: Parts;
  #measured: Metrics | undefined;

  /** Starts and fills the server, about a minute for 20 000 pods. A failure removes its processes and files. */
  static async start(
    assets: string,
    pods: number,
    onProgress: (line: string) => void,
  ): Promise<RealServer> {
    await using owned = new AsyncDisposableStack();
    const environment = owned.use(await createTestEnvironment({ use: 'binaries', assets }));
    const { admin } = environment;
    const { server } = admin.cluster;
    const client = owned.use(
      createClient({ cluster: admin.cluster, fieldManager: 'kube-controller-manager' }),
    );
    await createPods(client, pods, onProgress);
    if (pods > 0) onProgress(`a pod is ${await bytesPerPod(client)} bytes of JSON`);
    const address = { url: server, tlsUrl: server, access: await accessOf(admin, owned) };
    const pid = await findProcess(`--secure-port=${new URL(server).port}`);
    return new RealServer({ environment, client, address, pid, owned: owned.move() });
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  get address(): Address {
    return this.#parts.address;
  }

  cpuSeconds(): number | undefined {
    const { pid } = this.#parts;
    return pid === undefined ? undefined : cpuSecondsOf(pid);
  }

  async ask(command: Command): Promise<Reply> {
    if (command.name === 'review') await this.#review(command);
    else if (command.name === 'reset') {
      this.#measured = undefined;
      await this.#rest();
    } else throw new Error(`a real server cannot do ${command.name}`);
    return { at: microseconds(), lists: 0, watches: 0 };
  }

  measured(): Metrics | undefined {
    return this.#measured;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.owned.disposeAsync();
  }

  async #review(command: Extract<Command, { readonly name: 'review' }>): Promise<void> {
    const { environment, client } = this.#parts;
    this.#measured = await reviewLoad(environment, client, command);
  }

  /** Waits until the server is idle, so that work after one contender does not slow down the next. */
  async #rest(): Promise<void> {
    const deadline = performance.now() + LONGEST_UNREST;
    for (let used = Infinity; used > AT_REST && performance.now() < deadline;) {
      const before = this.cpuSeconds() ?? 0;
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK);
      });
      used = (((this.cpuSeconds() ?? 0) - before) * 1000) / LOOK;
    }
  }
}

/** Writes the credentials for the contenders. They are deleted with the server, or at the exit of this process. */
async function accessOf(admin: TestUser, owned: AsyncDisposableStack): Promise<ServerAccess> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  owned.defer(() => {
    process.off('exit', remove);
    remove();
  });
  const kubeconfig = join(folder, 'kubeconfig');
  const cluster = join(folder, 'cluster.json');
  await writeFile(kubeconfig, admin.kubeconfig, { mode: 0o600 });
  // As in production, where a cache does not freeze its objects.
  const production = { ...admin.cluster, development: false };
  await writeFile(cluster, JSON.stringify(production), { mode: 0o600 });
  return { kubeconfig, cluster };
}
