// Measures the cost of the client above undici: `node --conditions=@keelson/source bench/client.ts`. Prints
// one JSON line per case.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { Pool } from 'undici';
import { serverCertificate } from '../src/testing/certificates.test-support.ts';

const rounds = 7;
const requests = 3000;
const parallel = 20;
const events = 200_000;

const server = fork(fileURLToPath(new URL('server.ts', import.meta.url)), {
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
const [chunk] = (await once(server.stdout as NonNullable<typeof server.stdout>, 'data')) as [
  Buffer,
];
const [plainPort, securePort] = JSON.parse(chunk.toString()) as [number, number];
const secure = `https://127.0.0.1:${securePort}`;
const plain = `http://127.0.0.1:${plainPort}`;

/** Runs `call` the given number of times, with a bounded number in parallel. */
async function hammer(call: () => Promise<unknown>): Promise<void> {
  let left = requests;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function milliseconds(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Measures both alternately, so that other load on the machine affects both. */
async function compare(
  name: string,
  count: number,
  ours: () => Promise<unknown>,
  bare: () => Promise<unknown>,
): Promise<void> {
  await ours();
  await bare();
  const times: [number, number][] = [];
  for (let run = 0; run < rounds; run++) {
    times.push([await milliseconds(ours), await milliseconds(bare)]);
  }
  const [keelson, limit] = [0, 1].map((side) => spread(times.map((pair) => pair[side] as number)));
  const ratio = (keelson?.median ?? 0) / (limit?.median ?? 1);
  const above = (((keelson?.median ?? 0) - (limit?.median ?? 0)) * 1000) / count;
  console.log(
    JSON.stringify({
      case: name,
      unit: 'ms',
      count,
      keelson,
      limit,
      ratioToLimit: round(ratio),
      microsecondsAbove: round(above),
      runs: rounds,
    }),
  );
}

function spread(values: number[]): { median: number; min: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => round(sorted[index] ?? 0);
  return { median: at(sorted.length >> 1), min: at(0), max: at(sorted.length - 1) };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

const client = createClient({
  cluster: { server: secure, token: 'abc', tls: { ca: serverCertificate.cert } },
});
const pool = new Pool(secure, { allowH2: false, connect: { ca: serverCertificate.cert } });
const path = '/api/v1/namespaces/bench/pods/pod';
const headers = {
  accept: 'application/json',
  authorization: 'Bearer abc',
  'user-agent': 'keelson',
};

await compare(
  'client.get.tls',
  requests,
  () => hammer(() => client.get(builtin.Pod, { namespace: 'bench', name: 'pod' })),
  () => hammer(async () => (await pool.request({ path, method: 'GET', headers })).body.json()),
);

const watcher = createClient({ cluster: { server: plain } });
const plainPool = new Pool(plain, { allowH2: false, bodyTimeout: 0 });
const { signal } = new AbortController();

async function readFrames(): Promise<void> {
  let frames = 0;
  const source = watcher.listerWatcher({ resource: builtin.Pod });
  for await (const batch of source.watch({ timeoutSeconds: events, signal }))
    frames += batch.frames.length;
  if (frames !== events) throw new Error(`expected ${events} frames, got ${frames}`);
}

async function readBytes(): Promise<void> {
  const query = `/api/v1/pods?watch=1&timeoutSeconds=${events}`;
  const { body } = await plainPool.request({ path: query, method: 'GET' });
  let lines = 0;
  for await (const bytes of body as AsyncIterable<Buffer>) {
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  }
  if (lines !== events) throw new Error(`expected ${events} lines, got ${lines}`);
}

await compare('client.watch.frames', events, readFrames, readBytes);
await Promise.all([client.close(), watcher.close(), pool.close(), plainPool.close()]);
server.kill();
