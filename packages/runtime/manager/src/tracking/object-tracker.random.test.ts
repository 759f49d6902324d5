import { describe, expect, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import * as fc from 'fast-check';
import { createManager } from '../manager/controller-manager.ts';
import { eventually, running, silent, valueOf } from '../testing/fixtures.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const kinds = [builtin.Secret, builtin.ConfigMap] as const;
/** The objects that runs may track, as the index of their kind and their name. */
const all = ['0 a', '0 b', '1 a', '1 b'] as const;
const requests = ['x', 'y', 'z'] as const;
const endings = ['success', 'failure', 'retry', 'later'] as const;

type Ending = (typeof endings)[number];

const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), object: fc.constantFrom(...all) }),
  fc.record({ do: fc.constant('delete' as const), object: fc.constantFrom(...all) }),
  fc.record({
    do: fc.constant('plan' as const),
    request: fc.constantFrom(...requests),
    objects: fc.subarray([...all]),
    ending: fc.constantFrom(...endings),
  }),
  fc.record({ do: fc.constant('enqueue' as const), request: fc.constantFrom(...requests) }),
  fc.record({
    do: fc.constant('cut' as const),
    how: fc.constantFrom('end' as const, 'reset' as const),
  }),
  fc.record({ do: fc.constant('turns' as const), count: fc.nat({ max: 30 }) }),
);

function targetOf(object: string): {
  resource: ApiResource;
  name: { namespace: string; name: string };
} {
  const [kind, name = ''] = object.split(' ');
  return { resource: kinds[Number(kind)] ?? kinds[0], name: { namespace: 'default', name } };
}

describe('tracked objects', () => {
  test('the last complete run of each request has seen the last state of what it tracked, and no other watch is left', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await using server = await createApiServer({});
        await using client = createClient({ cluster: server.cluster });
        const manager = createManager({
          cluster: server.cluster,
          logger: silent,
          stopSignals: [],
          gracePeriod: 0,
        });
        const plans = new Map<string, { objects: readonly string[]; ending: Ending }>();
        /** The versions that the last complete run of each request has read, by object. */
        const seen = new Map<string, ReadonlyMap<string, string | undefined>>();
        /** The requests whose last run did not complete, so that they will be retried. */
        const unfinished = new Set<string>();
        const controller = manager.addController({
          name: 'tracking',
          concurrency: 2,
          backoff: { base: '1ms', max: '2ms' },
          reconcile: async ({ name }, { track }) => {
            const { objects = [], ending = 'success' } = plans.get(name) ?? {};
            plans.set(name, { objects, ending: 'success' });
            const found = new Map<string, string | undefined>();
            for (const object of objects) {
              const target = targetOf(object);
              const read = await track(target.resource, target.name);
              found.set(object, read?.metadata.resourceVersion);
            }
            unfinished.add(name);
            if (ending === 'failure') throw new Error('failed');
            if (ending === 'retry') return { retry: true };
            unfinished.delete(name);
            seen.set(name, found);
            return ending === 'later' ? { requeueAfter: '1h' } : undefined;
          },
        });
        await running(manager);
        let value = 0;
        for (const one of steps) {
          switch (one.do) {
            case 'put': {
              const { resource, name } = targetOf(one.object);
              await client.apply(resource, {
                metadata: { ...name, labels: { value: `${value++}` } },
              });
              break;
            }
            case 'delete': {
              const { resource, name } = targetOf(one.object);
              await client.delete(resource, name).catch(() => undefined);
              break;
            }
            case 'plan':
              plans.set(one.request, one);
              break;
            case 'enqueue':
              controller.enqueue({ namespace: 'default', name: one.request });
              break;
            case 'cut':
              for (const resource of kinds) server.faults.cutWatches({ resource, how: one.how });
              break;
            default:
              for (let turn = 0; turn < one.count; turn += 1) await new Promise(setImmediate);
          }
        }
        const now = (object: string): string | undefined => {
          const { resource, name } = targetOf(object);
          return server.object(resource, name)?.metadata?.resourceVersion;
        };
        const isCurrent = (): boolean =>
          controller.running === 0 &&
          controller.length === 0 &&
          unfinished.size === 0 &&
          [...seen.values()].every((found) =>
            [...found].every(([object, version]) => now(object) === version),
          );
        const tracked = (): Set<string> =>
          new Set([...seen.values()].flatMap((found) => [...found.keys()]));
        const wanted = (): string[] =>
          [...new Set([...tracked()].map((object) => targetOf(object).resource.kind))].toSorted();
        const watched = (): string[] =>
          manager.cache
            .inventory()
            .flatMap(({ handles, query }) => (handles.length > 0 ? [query.resource.kind] : []))
            .toSorted();
        try {
          await eventually(() => isCurrent() && watched().join() === wanted().join());
          expect(await valueOf(manager, 'keelson_tracked_objects')).toBe(tracked().size);
        } finally {
          await manager.stop();
        }
      }),
      { numRuns: Math.ceil(200 * multiple) },
    );
  });
});
