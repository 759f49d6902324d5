/**
 * Measures what a cached pod costs in each retention: time and CPU time to synced, memory per
 * object, and the longest stall of the event loop. Each case runs in a process of its own and prints
 * one JSON line; progress goes to stderr. The pods have 5.2 KB of JSON, 1.5 KB of it `managedFields`.
 * `node --conditions=@keelson/source packages/runtime/informer/bench/retention.ts [objects] [retention …]`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineResource, StatusError } from '@keelson/apimachinery';
import { jsonFormat, type FrameBatch } from '@keelson/wire';
import {
  createInformerCache,
  type ListerWatcher,
  type NormalQuery,
  type Retention,
} from '@keelson/informer';
import { PodRenderer } from './pod-renderer.ts';

const OBJECTS_PER_BATCH = 12;
const Pod = defineResource({ group: '', version: 'v1', kind: 'Pod', plural: 'pods' });
const retentions: readonly Retention[] = ['lazy', 'object', 'compressed', 'metadata'];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A list of pods, rendered while it is read, and a watch without events. */
function sourceOf({ projection }: NormalQuery, objects: number): ListerWatcher {
  async function* listed(): AsyncGenerator<FrameBatch> {
    const renderer = new PodRenderer(projection === 'metadata');
    for (let from = 0; from < objects; from += OBJECTS_PER_BATCH) {
      if (from % 100_000 < OBJECTS_PER_BATCH) console.error(`  ${from} of ${objects}`);
      const count = Math.min(OBJECTS_PER_BATCH, objects - from);
      const frames = Array.from({ length: count }, (_, at) => {
        const buffer = renderer.render(from + at);
        return { type: 'ADDED', format: jsonFormat, buffer, from: 0, to: buffer.length } as const;
      });
      yield { frames, receivedAt: performance.now() };
      // As a socket does, the source gives others a turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    yield { frames: [], receivedAt: 0, listMetadata: { resourceVersion: '9999999' } };
  }
  return {
    list: () => listed(),
    async *watch({ signal, sendInitialEvents }) {
      if (sendInitialEvents === true)
        throw new StatusError({ kind: 'Status', code: 422, reason: 'Invalid' });
      yield { frames: [], receivedAt: performance.now() };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
}

/** Bytes in use in the whole process, after garbage collections. */
async function memoryInUse(): Promise<{ heap: number; outside: number }> {
  for (let round = 0; round < 5; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, outside: external };
}

/**
 * The longest work between two turns of the event loop, in milliseconds of processor time: other
 * processes on the machine do not count.
 */
class Stalls {
  longest = 0;
  #last = threadMs();
  #isDone = false;

  start(): void {
    const turn = (): void => {
      const now = threadMs();
      this.longest = Math.max(this.longest, now - this.#last);
      this.#last = now;
      if (!this.#isDone) setImmediate(turn);
    };
    setImmediate(turn);
  }

  stop(): void {
    this.#isDone = true;
  }
}

/** The processor time of the main thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The CPU milliseconds that the source itself takes. */
async function costOfSource(query: NormalQuery, objects: number): Promise<number> {
  const before = process.cpuUsage();
  const request = { signal: new AbortController().signal };
  let rendered = 0;
  for await (const { frames } of sourceOf(query, objects).list(request)) rendered += frames.length;
  assert.equal(rendered, objects);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function measure(retain: Retention, objects: number): Promise<void> {
  const projection = retain === 'metadata' ? 'metadata' : 'full';
  const sample = Math.min(objects, 100_000);
  const query = { projection } as NormalQuery;
  const sourceCpu = ((await costOfSource(query, sample)) / sample) * objects;
  const before = await memoryInUse();
  const cache = createInformerCache({ listerWatcher: (asked) => sourceOf(asked, objects) });
  const stalls = new Stalls();
  const started = performance.now();
  const cpu = process.cpuUsage();
  stalls.start();
  const handle = cache.acquire({ resource: Pod, retain }, { owner: 'bench' });
  await handle.synced;
  const synced = performance.now() - started;
  let bytes = -1;
  while (bytes !== handle.store.bytes) {
    bytes = handle.store.bytes;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
  const { user, system } = process.cpuUsage(cpu);
  stalls.stop();
  assert.equal(handle.store.size, objects);
  const { heap, outside } = await memoryInUse();
  assert.equal(handle.store.list({ namespace: 'tenant-01' }).length, objects / 50);
  console.log(
    JSON.stringify({
      case: `retention.${retain}.${objects}`,
      secondsToSynced: Number((synced / 1_000).toFixed(1)),
      cpuSeconds: Number(((user + system) / 1e6 - sourceCpu / 1_000).toFixed(1)),
      bytesPerObject: Math.round((heap + outside - before.heap - before.outside) / objects),
      heapPerObject: Math.round((heap - before.heap) / objects),
      heapMB: Math.round(heap / 1e6),
      rssMB: Math.round(process.memoryUsage.rss() / 1e6),
      peakRssMB: Math.round(process.resourceUsage().maxRSS / 1e3),
      longestStallMs: Number(stalls.longest.toFixed(1)),
    }),
  );
  await cache.close();
}

const [first = '100000', ...wanted] = process.argv.slice(2);
if (first === 'case') {
  const [retain, objects] = wanted;
  await measure(retain as Retention, Number(objects));
} else {
  for (const retain of wanted.length === 0 ? retentions : wanted) {
    console.error(`${retain}: ${first} objects`);
    const script = [...process.execArgv, import.meta.filename, 'case', retain, first];
    const { status } = spawnSync(process.execPath, script, { stdio: 'inherit' });
    assert.equal(status, 0, `${retain} failed`);
  }
}
