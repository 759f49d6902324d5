import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment } from '@keelson/envtest';
import { createManager, isNotFound, type Manager, type Request } from '@keelson/manager';
import { TokenBucket, type PulledController } from '@keelson/manager/queue';
import { isInvalid, StatusError } from '@keelson/manager/objects';
import {
  crdOf,
  eventually,
  managersOfTest,
  running,
  silent,
  valueOf,
  WebApp,
} from './testing/fixtures.test-support.ts';

const managers = managersOfTest();

async function render({ name }: Request): Promise<void> {
  await Promise.resolve();
  if (name === 'broken') throw new Error('no template');
  if (name === 'missing') throw new StatusError({ code: 404, reason: 'NotFound' });
}

// #region fair
function addFairController(manager: Manager, weights: Map<string, number>) {
  return manager.addController({
    name: 'web-app',
    for: WebApp,
    concurrency: 4,
    groupOf: ({ namespace }) => namespace, // or a path: [tenantOf(namespace), namespace]
    weightOf: ([namespace = '']) => weights.get(namespace), // undefined means 1
    reconcile: (request) => render(request),
  });
}
// #endregion

// #region retries
function addCarefulController(manager: Manager, letters: Map<string, unknown>) {
  return manager.addController({
    name: 'careful',
    for: WebApp,
    backoff: { base: '10ms', max: '1s' },
    maxAttempts: 3,
    tokenBucket: new TokenBucket({ perSecond: 10, burst: 100 }),
    reconcile: (request) => render(request),
    onDeadLetter({ name }, error, { log, attempt }) {
      log.warn({ attempt }, 'web app needs a person');
      letters.set(name, error);
    },
  });
}
// #endregion

// #region policy
function addTolerantController(manager: Manager) {
  return manager.addController({
    name: 'tolerant',
    for: WebApp,
    timeout: '30s',
    reconcile: (request) => render(request),
    errorPolicy(error, _request, { attempt }) {
      if (isNotFound(error)) return 'ignore'; // an event follows as soon as the object exists
      if (isInvalid(error)) return 'terminal'; // no retry until the spec changes
      return attempt <= 3 ? 'retry' : { requeueAfter: '1m' }; // three times after the backoff, then each minute
    },
  });
}
// #endregion

// #region pull
async function runLoop(controller: PulledController, signal: AbortSignal): Promise<void> {
  for await (const work of controller.work({ signal })) {
    try {
      await render(work.request);
      work.done({ requeueAfter: '1h' });
    } catch (error) {
      work.fail(error); // as a reconcile that throws: retried with backoff
    }
  }
}
// #endregion

describe('the guide to priorities and fairness', () => {
  test('namespaces share the workers, and a request is given up after three attempts', async () => {
    const manager = managers.make();
    const letters = new Map<string, unknown>();
    const fair = addFairController(manager, new Map([['prod', 3]]));
    const careful = addCarefulController(manager, letters);
    fair.enqueue({ namespace: 'prod', name: 'a' });
    careful.enqueue({ namespace: 'prod', name: 'broken' });
    await running(manager);
    await eventually(() => letters.size === 1 && fair.length === 0);
    expect(letters.get('broken')).toEqual(new Error('no template'));
  });

  test('an error policy decides what follows each error', async () => {
    await using environment = await createTestEnvironment({ time: 'virtual' });
    await environment.installCrds([crdOf(WebApp)]);
    const { cluster } = environment.admin;
    await using manager = createManager({ cluster, logger: silent, stopSignals: [] });
    const tolerant = addTolerantController(manager);
    for (const name of ['broken', 'missing']) tolerant.enqueue({ namespace: 'prod', name });
    await running(manager);
    const count = (result: string) =>
      valueOf(manager, 'controller_runtime_reconcile_total', { controller: 'tolerant', result });
    await environment.advance('1s');
    expect([await count('error'), await count('success')]).toEqual([4, 1]);
    await environment.advance('10m');
    expect([await count('error'), await count('success')]).toEqual([14, 1]);
  });

  test('a loop processes requests until its signal aborts', async () => {
    const manager = managers.make();
    const controller = manager.addPulledController({ name: 'pulled', for: WebApp });
    await running(manager);
    const abort = new AbortController();
    const ended = runLoop(controller, abort.signal);
    for (const name of ['a', 'broken']) controller.enqueue({ namespace: 'prod', name });
    await eventually(() => controller.length === 0 && controller.running === 0);
    abort.abort();
    await expect(ended).resolves.toBeUndefined();
  });
});
