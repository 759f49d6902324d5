import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { builtin, createClient, createLogger, createManager } from '@keelson/manager';
import { WorkQueue } from '@keelson/workqueue';
import { CallCounter, commonCalls, type CallCount } from './call-count.ts';

/** Before the counts, so that caches are filled and connections are open. */
const WARM_UP_ROUNDS = 20;
const COUNTED_ROUNDS = 10;

const path = '/api/v1/namespaces/default/configmaps/walk';

interface Server extends AsyncDisposable {
  readonly url: string;
}

/** Starts an API server with one object in another thread, whose calls of shared packages are not counted. */
async function startServer(): Promise<Server> {
  const thread = new Worker(new URL('server-thread.ts', import.meta.url), { stdout: true });
  const [url] = (await once(thread.stdout, 'data')) as [Buffer];
  return {
    url: url.toString(),
    async [Symbol.asyncDispose]() {
      await thread.terminate();
    },
  };
}

/** Counts the calls of one journey in several rounds. */
async function countRounds(act: (round: number) => Promise<void>): Promise<CallCount> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await act(round);
  const counter = new CallCounter();
  const counts: CallCount[] = [];
  for (let round = 0; round < COUNTED_ROUNDS; round++) {
    counts.push(await counter.count(() => act(WARM_UP_ROUNDS + round)));
  }
  return commonCalls(counts);
}

/** Waits until the microtasks and callbacks after an event have run. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}

/** From a chunk of the watch response to the end of the reconcile that it causes. */
export async function watchEvent(): Promise<CallCount> {
  await using server = await startServer();
  const seen = new EventEmitter();
  const manager = createManager({
    cluster: { server: server.url },
    logger: createLogger({ level: 'error' }),
    // Otherwise a busy machine adds reports of a blocked event loop.
    eventLoop: { warnAfter: '1h' },
  });
  manager.addController({
    name: 'walk',
    for: { resource: builtin.ConfigMap, predicates: [() => true] },
    reconcile(request, { cache }) {
      const version = cache.get(builtin.ConfigMap, request)?.data?.['round'];
      seen.emit('reconciled', version);
    },
  });
  const first = once(seen, 'reconciled');
  const stop = new AbortController();
  const stopped = manager.start({ signal: stop.signal });
  await first;
  const count = await countRounds(async (round) => {
    const reconciled = once(seen, 'reconciled');
    await patch(server.url, round);
    await reconciled;
    await settled();
  });
  stop.abort();
  await stopped;
  // Its timer of 10 ms expires in each round on a busy machine.
  return new Map([...count].filter(([file]) => !file.endsWith('/event-loop-delay.ts')));
}

/** Not with the client, whose calls are another journey. */
async function patch(server: string, round: number): Promise<void> {
  const response = await fetch(server + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ data: { round: String(round) } }),
  });
  await response.text();
}

/** One item through a queue with a worker that waits for it. */
export async function queuedItem(): Promise<CallCount> {
  const queue = new WorkQueue<string>();
  const count = await countRounds(async () => {
    const work = queue.get();
    queue.add('walk');
    await work;
    queue.done('walk');
    await settled();
  });
  await queue.shutDown();
  return count;
}

/** One server-side apply, from the call to the object of the response. */
export async function clientApply(): Promise<CallCount> {
  await using server = await startServer();
  await using client = createClient({ cluster: { server: server.url } });
  return await countRounds(async (round) => {
    await client.apply(builtin.ConfigMap, {
      metadata: { namespace: 'default', name: 'walk' },
      data: { round: String(round) },
    });
    await settled();
  });
}
