import { afterAll, beforeAll, describe } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { FaultyProxy } from './faulty-proxy.ts';
import { Peer, type Line, type PeerOptions } from './peer.ts';
import { printMissing, type Programs } from './programs.ts';
import { startOurs, startReal, type ServerUnderTest } from './server-under-test.ts';
import { requestBound, within } from './within.ts';

export type Scenario = Omit<PeerOptions, 'program' | 'kubeconfig' | 'proxy'>;

/** `skip` lacks members that skipped tests never use. */
const skipped = describe.skip as typeof describe;

/** The servers of one test file. They run until all its tests have ended. */
export class TestServers {
  /** `describe` for tests that need the Go program. */
  readonly withPeers: typeof describe;
  /** `describe` for tests that also need a real server. */
  readonly withBoth: typeof describe;
  readonly #programs: Programs;
  readonly #servers: ServerUnderTest[] = [];
  #namespaces = 0;

  constructor(programs: Programs) {
    this.#programs = programs;
    const { peers, assets } = programs;
    this.withPeers = peers === undefined ? skipped : describe;
    this.withBoth = assets === undefined ? skipped : this.withPeers;
    printMissing(programs);
    if (programs.peers === undefined) return;
    beforeAll(async () => {
      this.#servers.push(await startOurs());
      if (programs.assets !== undefined) this.#servers.push(await startReal(programs.assets));
    });
    afterAll(async () => {
      for (const server of this.#servers) {
        await within(
          () => `the end of ${server.name}`,
          async () => server[Symbol.asyncDispose](),
        );
      }
    });
  }

  get ours(): ServerUnderTest {
    const [ours] = this.#servers;
    if (ours === undefined) throw new Error('our server has not started');
    return ours;
  }

  /**
   * Runs a function on both servers at the same time. Without a real server it returns the result of
   * `@keelson/apiserver` twice.
   */
  async onBoth<T>(
    run: (server: ServerUnderTest) => Promise<T>,
  ): Promise<{ readonly here: T; readonly there: T }> {
    const servers = this.#servers.length > 1 ? this.#servers : [this.ours];
    const [here, there = here] = await Promise.all(servers.map(run));
    return { here: here as T, there: there as T };
  }

  /** Returns a namespace name that no other test of the file uses. */
  name(): string {
    return `peers-${++this.#namespaces}`;
  }

  /** Creates a namespace with this name on each server. */
  async namespace(name: string = this.name()): Promise<string> {
    await this.onBoth(({ client }) =>
      client.create(builtin.Namespace, { metadata: { name } }, requestBound),
    );
    return name;
  }

  /** Starts the program; the caller can prepare its proxy first. */
  async start(
    server: ServerUnderTest,
    scenario: Scenario,
    prepare: (proxy: FaultyProxy) => void = () => {},
  ): Promise<Peer> {
    const route = await server.connect();
    prepare(route.proxy);
    return new Peer({ ...scenario, ...route, program: String(this.#programs.peers) });
  }

  /** Runs a scenario that ends by itself; returns its output. */
  async run(server: ServerUnderTest, scenario: Scenario): Promise<readonly Line[]> {
    await using peer = await this.start(server, scenario);
    return await peer.finished();
  }
}
