import { afterAll, beforeAll } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { Peer, type Line, type PeerOptions } from './peer.ts';
import type { Programs } from './programs.ts';
import { startOurs, startReal, type ServerUnderTest } from './server-under-test.ts';

export type Scenario = Omit<PeerOptions, 'program' | 'kubeconfig'>;

/** The servers of one test file, from its beginning to its end. */
export class TestServers {
  readonly #programs: Programs;
  #ours: ServerUnderTest | undefined;
  #real: ServerUnderTest | undefined;
  #namespaces = 0;

  constructor(programs: Programs) {
    this.#programs = programs;
    beforeAll(async () => {
      this.#ours = await startOurs();
      if (programs.assets !== undefined) this.#real = await startReal(programs.assets);
    });
    afterAll(async () => {
      await this.#ours?.[Symbol.asyncDispose]();
      await this.#real?.[Symbol.asyncDispose]();
    });
  }

  get ours(): ServerUnderTest {
    if (this.#ours === undefined) throw new Error('our server has not started');
    return this.#ours;
  }

  get real(): ServerUnderTest {
    if (this.#real === undefined) throw new Error('no real server was started');
    return this.#real;
  }

  /** A name for a namespace that no other test of the file uses. */
  name(): string {
    return `peers-${++this.#namespaces}`;
  }

  /** A new namespace of this name on each of some servers. */
  async namespace(...servers: readonly ServerUnderTest[]): Promise<string> {
    const name = this.name();
    await Promise.all(
      servers.map(({ client }) => client.create(builtin.Namespace, { metadata: { name } })),
    );
    return name;
  }

  start({ kubeconfig }: ServerUnderTest, scenario: Scenario): Peer {
    return new Peer({ ...scenario, kubeconfig, program: String(this.#programs.peers) });
  }

  /** What a scenario tells that ends by itself. */
  async run(server: ServerUnderTest, scenario: Scenario): Promise<readonly Line[]> {
    await using peer = this.start(server, scenario);
    return await peer.finished();
  }
}
