import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, type ApiResource, type Persisted } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import * as fc from 'fast-check';
import type { Client } from '../verbs/client.ts';
import { createClient } from '../verbs/create-client.ts';
import { applyAll } from './apply-all.ts';
import type { AppliedObject } from './apply-all-options.ts';
import { applySetAnnotations, applySetLabels, groupKindOf } from './apply-set.ts';
import { Interruption, interruptedClient } from './interrupted-client.test-support.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const { ConfigMap, Secret, Service, ClusterRole, Namespace } = builtin;
const kinds: readonly ApiResource[] = [ConfigMap, Secret, Service, ClusterRole];
const shop = { namespace: 'default', name: 'shop' };

/** The objects that no set owns, and those of another owner. */
const bystanders: readonly AppliedObject[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'free' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'far', name: 'free' } },
];

let server: ApiServer;
let client: Client;
let owner: Persisted;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  await client.create(Namespace, { metadata: { name: 'far' } });
});

afterEach(async () => {
  await client.close();
  await server.close();
});

/** Objects by short names: the kind, the name and, for another namespace than the default, the namespace. */
function object(text: string, value: string): AppliedObject {
  const [kind = '', name = '', namespace = 'default'] = text.split(' ');
  if (kind === 'ClusterRole') {
    return { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name } };
  }
  const metadata = { namespace, name, annotations: { value } };
  const spec = kind === 'Service' ? { spec: { ports: [{ port: 80 }] } } : {};
  return { apiVersion: 'v1', kind, metadata, ...spec };
}

const objects = (texts: readonly string[], value: string): AppliedObject[] =>
  texts.map((text) => object(text, value));

const former = ['ConfigMap a', 'ConfigMap b', 'ConfigMap c far', 'ClusterRole r', 'Secret s'];
const wanted = ['ConfigMap a', 'Service web', 'Secret t far', 'ClusterRole q'];
const later = ['ConfigMap b', 'Secret t far'];

async function reset(): Promise<void> {
  for (const resource of kinds) {
    const namespaces = resource.namespaced ? ['default', 'far'] : [undefined];
    for (const namespace of namespaces) {
      const { items } = await client.list(resource, { namespace });
      for (const { metadata } of items.filter(isOfTest)) await client.delete(resource, metadata);
    }
  }
  await server.idle();
  owner = await client.create(ConfigMap, { metadata: shop });
  const rival = await client.create(ConfigMap, { metadata: { ...shop, name: 'rival' } });
  for (const one of bystanders) await client.apply(tokenOf(one), one);
  await applyAll(objects(['Secret rivals', 'ClusterRole rivals'], '1'), { client, owner: rival });
  await applyAll(objects(former, '1'), { client, owner, prune: true });
}

function isOfTest({ metadata: { name } }: Persisted): boolean {
  return (
    name !== 'kubernetes' &&
    !name.startsWith('system:') &&
    !['cluster-admin', 'admin', 'edit', 'view'].includes(name)
  );
}

function tokenOf({ kind }: AppliedObject): ApiResource {
  return kinds.find((one) => one.kind === kind) as ApiResource;
}

/** The objects of the test as texts, each with its value and its uid if it is a member. */
async function state(): Promise<ReadonlyMap<string, Persisted>> {
  const found = new Map<string, Persisted>();
  for (const resource of kinds) {
    for await (const one of client.items(resource)) {
      const { name, namespace = 'default' } = one.metadata;
      const text = `${resource.kind} ${name}${namespace === 'default' ? '' : ` ${namespace}`}`;
      if (isOfTest(one)) found.set(text, one);
    }
  }
  return found;
}

const untouched = [
  'ConfigMap free',
  'ConfigMap rival',
  'Secret free far',
  'Secret rivals',
  'ClusterRole rivals',
];

/** What holds after each request: others' objects are the same, and the owner names the places of all members. */
async function checkSafety(
  before: ReadonlyMap<string, Persisted>,
  needed: readonly string[],
): Promise<void> {
  const after = await state();
  for (const text of untouched) expect(after.get(text)).toEqual(before.get(text));
  // An object that the former and the next set name is never deleted.
  for (const text of needed)
    expect(after.get(text)?.metadata.uid).toBe(before.get(text)?.metadata.uid);
  const { labels = {}, annotations = {} } = after.get('ConfigMap shop')?.metadata ?? {};
  const named = (annotations[applySetAnnotations.kinds] ?? '').split(',');
  const spaces = ['default', ...(annotations[applySetAnnotations.namespaces] ?? '').split(',')];
  for (const resource of kinds) {
    for await (const { metadata } of client.items(resource)) {
      if (metadata.labels?.[applySetLabels.partOf] !== labels[applySetLabels.id]) continue;
      expect(named).toContain(groupKindOf(resource));
      if (metadata.namespace !== undefined) expect(spaces).toContain(metadata.namespace);
    }
  }
}

async function checkResult(texts: readonly string[], value: string): Promise<void> {
  const found = await state();
  const own = [...found.keys()].filter(
    (text) => text !== 'ConfigMap shop' && !untouched.includes(text),
  );
  expect(own.toSorted()).toEqual(texts.toSorted());
  for (const text of texts) {
    if (text.startsWith('ClusterRole')) continue;
    expect(found.get(text)?.metadata.annotations).toMatchObject({ value });
  }
  const { annotations = {} } = found.get('ConfigMap shop')?.metadata ?? {};
  const all = texts.map((text) => groupKindOf(tokenOf(object(text, value)))).toSorted();
  expect(annotations[applySetAnnotations.kinds]).toBe([...new Set(all)].join(','));
}

describe('applyAll that ends early', () => {
  const apply = (by: Client, texts: readonly string[], value: string, concurrency = 1) =>
    applyAll(objects(texts, value), { client: by, owner, prune: true, concurrency });

  async function requestsOfRun(): Promise<number> {
    await reset();
    const { client: counting, count } = interruptedClient(client, {
      request: Infinity,
      isHandled: false,
    });
    await apply(counting, wanted, '2');
    await checkResult(wanted, '2');
    return count();
  }

  for (const isHandled of [false, true]) {
    const when = isHandled ? 'after the server has handled it' : 'before it is sent';
    for (const concurrency of [1, 8]) {
      test(`loses nothing and deletes nothing wrongly at each request, ${when}, with ${concurrency} at a time`, async () => {
        const total = await requestsOfRun();
        expect(total).toBeGreaterThan(20);
        // With one request at a time the order is always the same, so each request is tested in every run.
        const step = concurrency > 1 && multiple < 1 ? 5 : 1;
        for (let request = 1; request <= total; request += step) {
          await reset();
          const before = await state();
          const { client: killed } = interruptedClient(client, { request, isHandled });
          const error: unknown = await apply(killed, wanted, '2', concurrency).catch(
            (reason: unknown) => reason,
          );
          expect(rootOf(error)).toBeInstanceOf(Interruption);
          await checkSafety(before, ['ConfigMap a']);
          // Half of the next calls want the same, half a third set.
          const [texts, value] = request % 2 === 0 ? [wanted, '2'] : [later, '3'];
          await apply(client, texts, value);
          await checkResult(texts, value);
          await checkSafety(before, []);
        }
      });
    }
  }

  test('ends in the last wanted state after random calls that end early', async () => {
    const all = [...new Set([...former, ...wanted, ...later])];
    const call = fc.record({
      texts: fc.subarray(all),
      request: fc.integer({ min: 1, max: 30 }),
      isHandled: fc.boolean(),
      concurrency: fc.constantFrom(1, 3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 5 }), fc.subarray(all), async (calls, last) => {
        await reset();
        const before = await state();
        for (const [index, { texts, concurrency, ...point }] of calls.entries()) {
          const { client: killed } = interruptedClient(client, point);
          await apply(killed, texts, `${index}`, concurrency).catch(() => undefined);
          await checkSafety(before, []);
        }
        await apply(client, last, 'last');
        await checkResult(last, 'last');
      }),
      { numRuns: Math.ceil(30 * multiple) },
    );
  });

  test('leaves no member unnamed after concurrent calls with different objects', async () => {
    const all = [...new Set([...former, ...wanted, ...later])];
    const delays = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(all),
        fc.subarray(all),
        fc.subarray(all),
        delays,
        async (one, other, last, turns) => {
          await reset();
          const before = await state();
          const first = delayed(client, turns);
          const second = delayed(client, turns);
          await Promise.allSettled([apply(first, one, 'x', 2), apply(second, other, 'y', 2)]);
          await checkSafety(before, []);
          await apply(client, last, 'last');
          await checkResult(last, 'last');
        },
      ),
      { numRuns: Math.ceil(30 * multiple) },
    );
  });
});

/** Holds some requests until the server has handled one more, so that two calls interleave in many ways. */
function delayed(target: Client, turns: Iterator<boolean>): Client {
  const hold = async (): Promise<void> => {
    while (turns.next().value === true) await target.get(Namespace, { name: 'far' });
  };
  return new Proxy(target, {
    get: (_, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (!['get', 'apply', 'patch', 'delete'].includes(name as string))
        return member.bind(target) as unknown;
      return async (...given: unknown[]): Promise<unknown> => {
        await hold();
        return member.apply(target, given) as unknown;
      };
    },
  });
}

function rootOf(error: unknown): unknown {
  const { cause } = error as Error;
  if (cause instanceof AggregateError) return rootOf(cause.errors[0]);
  return cause === undefined ? error : rootOf(cause);
}
