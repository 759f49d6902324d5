import type { CaseServer } from './case-server.ts';
import { ServerProcess } from './child.ts';
import type { RealServerOptions, ServerOptions } from './protocol.ts';
import type { RealPrograms } from './real-programs.ts';
import { RealServer } from './real-server.ts';

/**
 * The servers of the cases: a fake one of its own for each that asks for one, and a real one for
 * all that ask for that, because it takes a minute to fill.
 */
export class CaseServers implements AsyncDisposable {
  readonly #programs: RealPrograms | undefined;
  readonly #owned = new AsyncDisposableStack();
  readonly #real = new Map<number, RealServer>();

  constructor(programs: RealPrograms | undefined) {
    this.#programs = programs;
  }

  /** The server of one case, and what ends with the case. */
  async open(
    options: ServerOptions | RealServerOptions,
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
    if (this.#programs === undefined) throw new Error('no programs for a real API server');
    const server = this.#owned.use(await RealServer.start(this.#programs, pods, onProgress));
    this.#real.set(pods, server);
    return server;
  }
}
