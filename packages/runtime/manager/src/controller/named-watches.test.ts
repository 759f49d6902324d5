import { describe, test } from '@jest/globals';
import { builtin, type ObjectName } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import type { ObjectView } from '@keelson/informer';
import * as fc from 'fast-check';
import { createManager } from '../manager/controller-manager.ts';
import { running, silent } from '../testing/fixtures.test-support.ts';
import type { Controller } from './controller.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const { ConfigMap } = builtin;
const namespace = 'default';
const names = ['a', 'b', 'c'] as const;

/** The watches of single names, replaced at run time, of a server that forgets its history and ends watches. */
class World {
  readonly server: ApiServer;
  readonly client: Client;
  readonly controller: Controller;
  /** The newest state of each name that the mapper received, as `<uid> <version>`. */
  readonly mapped = new Map<string, string>();
  readonly #pending: Promise<unknown>[] = [];
  #value = 0;
  #onMapped: () => unknown = () => undefined;

  constructor(server: ApiServer, client: Client, controller: Controller) {
    this.server = server;
    this.client = client;
    this.controller = controller;
  }

  readonly actions: Readonly<Record<string, (n: number) => unknown>> = {
    set: (n) => this.set(nameOf(n)),
    remove: (n) => this.#remove(nameOf(n)),
    recreate: async (n) => {
      await this.#remove(nameOf(n));
      await this.set(nameOf(n));
    },
    replace: (n) => void this.#pending.push(this.replace(n)),
    replaceAndWait: (n) => this.replace(n),
    compact: () => this.server.compact(),
    cut: (n) => void this.server.faults.cutWatches({ how: n % 2 === 0 ? 'end' : 'reset' }),
    expire: () => void this.server.faults.expireWatches(),
    stall: () => void this.server.faults.stallWatches(),
    resume: () => this.server.faults.clear(),
  };

  /** Watches the names whose bit is set. */
  async replace(bits: number): Promise<void> {
    const wanted = names.filter((_, at) => (bits & (1 << at)) !== 0);
    const watches = wanted.map((name, at) => ({
      resource: ConfigMap,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      sharing: (bits + at) % 4 === 0 ? ('exact' as const) : ('views' as const),
      map: (object: ObjectView) => this.#map(object),
    }));
    await this.controller.replaceWatches('names', watches);
  }

  async set(name: string): Promise<void> {
    const data = { value: String(this.#value++) };
    await this.client.apply(ConfigMap, { metadata: { name, namespace }, data });
  }

  /** Ends all faults, watches every name and changes each object. Resolves when the mapper has received all. */
  async settle(): Promise<void> {
    this.server.faults.clear();
    await Promise.all(this.#pending);
    await this.replace(7);
    for (const name of names) await this.set(name);
    const expected = names.map((name) =>
      stateOf(this.server.object(ConfigMap, { namespace, name })),
    );
    const isDone = (): boolean => names.every((name, at) => this.mapped.get(name) === expected[at]);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onMapped = () => isDone() && resolve();
    if (!isDone()) await promise;
  }

  async #remove(name: string): Promise<void> {
    const found = this.server.object(ConfigMap, { namespace, name });
    if (found !== undefined) await this.client.delete(ConfigMap, { namespace, name });
  }

  /** Of an update, the mapper receives both states. */
  #map(object: ObjectView): ObjectName {
    const [, known = '0'] = this.mapped.get(object.name)?.split(' ') ?? [];
    if (Number(object.resourceVersion) > Number(known)) {
      this.mapped.set(object.name, `${object.uid} ${object.resourceVersion}`);
    }
    this.#onMapped();
    return { name: object.name, namespace };
  }
}

function nameOf(n: number): string {
  return names[n % names.length] ?? 'a';
}

function stateOf(object: ReturnType<ApiServer['object']>): string {
  return `${object?.metadata?.uid} ${object?.metadata?.resourceVersion}`;
}

const actionNames = [
  'set',
  'remove',
  'recreate',
  'replace',
  'replaceAndWait',
  'compact',
  'cut',
  'expire',
  'stall',
  'resume',
] as const satisfies readonly (keyof World['actions'])[];

const step = fc.record({ does: fc.constantFrom(...actionNames), n: fc.nat(1_000) });

describe('watches of single names', () => {
  test('receive the last state after any replacements, compactions and ends of watches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        await using server = await createApiServer({});
        const client = createClient({ cluster: server.cluster });
        const manager = createManager({
          cluster: server.cluster,
          logger: silent,
          stopSignals: [],
          gracePeriod: 0,
          cache: { linger: 0 },
        });
        const controller = manager.addController({ name: 'named', reconcile: () => undefined });
        try {
          await running(manager);
          const world = new World(server, client, controller);
          for (const { does, n } of steps) await world.actions[does]?.(n);
          await world.settle();
        } finally {
          await manager.stop();
          await client.close();
        }
      }),
      { numRuns: Math.ceil(30 * multiple) },
    );
  });
});
