import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import * as fc from 'fast-check';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from '../controller/controller.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import type { ClusterRequest } from '../reconcile/request.ts';
import { eventually, nothing, running, silent } from '../testing/fixtures.test-support.ts';
import type { ManagerCluster } from './manager-cluster.ts';

const { ConfigMap, Secret } = builtin;

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const names = ['a', 'fleet/b', 'root:org:c'] as const;
const colors = ['red', 'blue'] as const;
/** The number of the server that does not respond. */
const DEAD = 2;

type Color = (typeof colors)[number];
type Step =
  | { readonly do: 'engage' | 'replace'; readonly name: string; readonly server: number }
  | { readonly do: 'disengage'; readonly name: string }
  | { readonly do: 'event'; readonly server: number; readonly color: Color }
  | { readonly do: 'reconfigure'; readonly colors: readonly Color[] }
  | { readonly do: 'turn' };

let main: ApiServer;
let servers: readonly ApiServer[];
let clients: readonly Client[];
let count = 0;

beforeAll(async () => {
  main = await createApiServer({});
  servers = await Promise.all([createApiServer({}), createApiServer({})]);
  clients = servers.map(({ cluster }) => createClient({ cluster }));
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([main, ...servers].map((server) => server.close()));
});

/** A manager whose clusters come, go and change their servers, and the server that each must have at the end. */
class World {
  readonly #manager: Manager;
  readonly #controller: Controller<ClusterRequest>;
  /** The changes of each name wait for each other, as a name is free only after a removal. */
  readonly #changes = new Map<string, Promise<void>>();
  readonly #engaged = new Map<
    string,
    { readonly cluster: ManagerCluster; readonly server: number }
  >();
  readonly #calls: Promise<unknown>[] = [];
  /** The version of each object that the last run of its request read. */
  readonly #seen = new Map<string, string | undefined>();
  #colors: readonly Color[] = ['red'];
  readonly faults: string[] = [];

  constructor() {
    this.#manager = createManager({
      cluster: main.cluster,
      logger: silent,
      stopSignals: [],
      gracePeriod: 0,
    });
    this.#controller = this.#manager.addController({
      name: 'fleet',
      for: this.#for(),
      reads: [{ resource: Secret, clusters: ({ name }) => name !== 'unknown' }],
      reconcile: (request: ClusterRequest, context) => this.#reconcile(request, context),
    });
  }

  start(): Promise<void> {
    return running(this.#manager);
  }

  async apply(step: Step): Promise<void> {
    if (step.do === 'engage' || step.do === 'replace') this.#change(step.name, step.server);
    else if (step.do === 'disengage') this.#change(step.name, undefined);
    else if (step.do === 'event') await write(step.server, step.color);
    else if (step.do === 'reconfigure') this.#reconfigure(step.colors);
    else await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets every change and every run end. */
  async settle(): Promise<void> {
    // A change of the options waits for watches that it replaces, also for those of a server that has not responded.
    await Promise.all(this.#changes.values());
    await Promise.all(this.#calls);
    const isIdle = (): boolean => this.#controller.running === 0 && this.#controller.length === 0;
    // Without an end, the comparison that follows shows the objects.
    await eventually(() => this.#unseen().length === 0 && isIdle()).catch(nothing);
  }

  present(): unknown {
    const watches = this.#controller.explain().watches.map(({ source }) => source);
    return { watches: watches.toSorted(), unseen: this.#unseen(), faults: this.faults };
  }

  wanted(): unknown {
    const clusters = [...this.#engaged.keys()];
    const watches = clusters.flatMap((name) => [
      `for ConfigMap of ${name}`,
      `reads Secret of ${name}`,
    ]);
    return { watches: watches.toSorted(), unseen: [], faults: [] };
  }

  async stop(): Promise<void> {
    await this.#manager.stop();
    await Promise.all(this.#changes.values());
  }

  #for() {
    const labelSelector = `color in (${this.#colors.join(',')})`;
    return { resource: ConfigMap, namespace: 'default', labelSelector, clusters: 'all' } as const;
  }

  #change(name: string, server: number | undefined): void {
    const change = this.#replace(name, server, this.#changes.get(name));
    // After a stop of the manager a cluster is refused.
    this.#changes.set(name, change.catch(nothing));
  }

  async #replace(
    name: string,
    server: number | undefined,
    before: Promise<void> | undefined,
  ): Promise<void> {
    await before;
    const known = this.#engaged.get(name);
    if (known !== undefined && server === known.server) return;
    this.#engaged.delete(name);
    await known?.cluster.remove();
    if (server === undefined) return;
    const target = servers[server]?.cluster ?? { server: 'http://127.0.0.1:1' };
    const options = { client: { retry: false }, cache: { linger: 0 } } as const;
    this.#engaged.set(name, { cluster: this.#manager.addCluster(name, target, options), server });
  }

  #reconfigure(next: readonly Color[]): void {
    this.#colors = next;
    this.#calls.push(this.#controller.reconfigure({ for: this.#for() }).catch(nothing));
  }

  #reconcile(request: ClusterRequest, { cluster }: ReconcileContext): void {
    const object = cluster.cache.get(ConfigMap, request);
    // The kinds that a run reads have synced.
    cluster.cache.list(Secret);
    this.#seen.set(`${request.cluster} ${request.name}`, object?.metadata.resourceVersion);
    const known = this.#engaged.get(request.cluster);
    // A removal has begun, and waits for this run.
    if (known === undefined || object === undefined) return;
    const { uid } = object.metadata;
    const held = servers[known.server]?.object(ConfigMap, {
      namespace: 'default',
      name: request.name,
    });
    if (held?.metadata?.uid !== uid) this.faults.push(`${request.cluster} read another server`);
  }

  /** The objects of the engaged clusters whose last state no run read. */
  #unseen(): readonly string[] {
    return [...this.#engaged].flatMap(([name, { server }]) =>
      this.#colors.flatMap((color) => {
        const object = servers[server]?.object(ConfigMap, { namespace: 'default', name: color });
        const key = `${name} ${color}`;
        const isSeen = this.#seen.get(key) === object?.metadata?.resourceVersion;
        return object === undefined || isSeen ? [] : [key];
      }),
    );
  }
}

async function write(server: number, color: Color): Promise<void> {
  count += 1;
  const metadata = { namespace: 'default', name: color, labels: { color } };
  await (clients[server] as Client).apply(ConfigMap, { metadata, data: { at: `${count}` } });
}

const name = fc.constantFrom(...names);
const server = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 1 }) },
  { weight: 1, arbitrary: fc.constant(DEAD) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('engage' as const, 'replace' as const),
      name,
      server,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('disengage' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('event' as const),
      server: fc.nat({ max: 1 }),
      color: fc.constantFrom(...colors),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('reconfigure' as const),
      colors: fc.subarray([...colors], { minLength: 1 }),
    }),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ do: 'turn' }) },
);
const steps = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });
/** A manager that stops amid its changes, or none. */
const runs = fc.tuple(
  steps,
  fc.integer({ min: 0, max: 4 }).map((share) => share === 0),
);

test('random clusters that come, go and change their servers end with the watches and the runs of the last ones', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async ([given, stopsEarly]) => {
      const world = new World();
      try {
        await world.start();
        for (const one of given) await world.apply(one);
        if (stopsEarly) return;
        await world.settle();
        expect(world.present()).toEqual(world.wanted());
      } finally {
        await world.stop();
      }
    }),
    { numRuns: Math.ceil(20 * multiple) },
  );
});
