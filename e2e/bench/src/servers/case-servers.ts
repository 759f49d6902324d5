import type { CaseServer } from './case-server.ts';
import { ServerProcess } from '../processes/child.ts';
import type { ProcessServerOptions, RealServerOptions } from './protocol.ts';
import { RealServer } from './real-server.ts';

/**
 * The servers of the cases: a fake server for each case that needs one, and one real server for
 * all others, because filling it takes a minute.
 */
export class CaseServers implements AsyncDisposable {
  readonly #assets: string | undefined;
  readonly #owned = new AsyncDisposableStack();
  readonly #real = new Map<number, RealServer>();

  /** `assets` is the folder of etcd and kube-apiserver. Without it no real server can be opened. */
  constructor(assets: string | undefined) {
    this.#assets = assets;
  }

  /** The server of one case. Its disposal ends the processes of the case. */
  async open(
    options: ProcessServerOptions | RealServerOptions,
    ends: AsyncDisposableStack,
    onProgress: (line: string) => void,
  ): Promise<CaseServer> {
    return 'real' in options
      ? this.#openReal(options, onProgress)
      : ends.use(await ServerProcess.start(options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }

  async #openReal(
    { pods }: RealServerOptions,
    onProgress: (line: string) => void,
  ): Promise<RealServer> {
    const open = this.#real.get(pods);
    if (open !== undefined) return open;
    if (this.#assets === undefined) throw new Error('no programs for a real API server');
    const server = this.#owned.use(await RealServer.start(this.#assets, pods, onProgress));
    this.#real.set(pods, server);
    return server;
  }
}
