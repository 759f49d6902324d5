import type { ApiServer } from '@keelson/apiserver';
import type {
  ControlPlaneControls,
  ControlPlaneProcess,
  TokenOptions,
} from '../environment/control-plane-controls.ts';

type End = () => Promise<void> | void;

/** Simulates the faults of etcd and kube-apiserver processes on the server in memory. */
export class MemoryControls implements ControlPlaneControls {
  readonly #server: ApiServer;
  readonly #stopped = new Map<ControlPlaneProcess, End>();
  readonly #paused = new Map<ControlPlaneProcess, End>();

  constructor(server: ApiServer) {
    this.#server = server;
  }

  async stop(process: ControlPlaneProcess): Promise<void> {
    if (this.#stopped.has(process)) return;
    this.#stopped.set(process, process === 'etcd' ? this.#loseStorage() : this.#goDown());
  }

  start(process: ControlPlaneProcess): Promise<void> {
    return end(this.#stopped, process);
  }

  async restart(process: ControlPlaneProcess): Promise<void> {
    await this.stop(process);
    await this.start(process);
  }

  async pause(process: ControlPlaneProcess): Promise<void> {
    if (!this.#paused.has(process)) this.#paused.set(process, this.#freeze());
  }

  resume(process: ControlPlaneProcess): Promise<void> {
    return end(this.#paused, process);
  }

  async compact(): Promise<void> {
    this.#server.compact();
    this.#server.faults.cutWatches();
  }

  async issueToken(options: TokenOptions): Promise<string> {
    return this.#server.issueToken(options);
  }

  /** Makes requests fail. Watches stay open: a kube-apiserver also serves them from its cache. */
  #loseStorage(): End {
    const message = 'etcdserver: request timed out';
    const fault = this.#server.faults.fail({ code: 500, message });
    return () => fault.end();
  }

  #goDown(): End {
    const outage = this.#server.faults.refuseConnections();
    return () => outage.end();
  }

  #freeze(): End {
    const { faults } = this.#server;
    const requests = faults.hang();
    const watches = faults.stallWatches();
    return () => {
      requests.end();
      watches.end();
    };
  }
}

async function end(
  faults: Map<ControlPlaneProcess, End>,
  process: ControlPlaneProcess,
): Promise<void> {
  const ending = faults.get(process);
  faults.delete(process);
  await ending?.();
}
