/**
 * Measures reading one pod of 5.2 KB without parsing it. Prints one JSON line per case, in microseconds per
 * object: `node --conditions=@keelson/source packages/runtime/wire/bench/format.ts`.
 */
import { readFileSync } from 'node:fs';
import { jsonFormat } from '@keelson/wire';

const OBJECTS = 20_000;
const RUNS = 7;
const CHUNK = 64 * 1024;

const sample = JSON.stringify(
  JSON.parse(readFileSync(new URL('pod.json', import.meta.url), 'utf8')),
);

function podBytes(index: number): Buffer {
  return Buffer.from(sample.replace('"resourceVersion":"', `$&${String(index)}`));
}

function chunked(bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  // Copies, because chunks of a socket have memory of their own.
  for (let at = 0; at < bytes.length; at += CHUNK) {
    chunks.push(Buffer.from(bytes.subarray(at, at + CHUNK)));
  }
  return chunks;
}

const pods = Array.from({ length: 1000 }, (_, index) => podBytes(index));
const typed = pods.map((pod) =>
  Buffer.concat([Buffer.from('{"kind":"Pod","apiVersion":"v1",'), pod.subarray(1)]),
);
const list = chunked(
  Buffer.from(
    `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[${pods.map(String).join(',')}]}\n`,
  ),
);
const watch = chunked(
  Buffer.from(typed.map((pod) => `{"type":"ADDED","object":${String(pod)}}\n`).join('')),
);
const wide = typed.map((pod) => Buffer.from(String(pod).replace(/"namespace":"[^"]*",/, '')));
const target = Buffer.alloc(8 * 1024);
const positions = jsonFormat.positions();

function each(objects: readonly Buffer[], visit: (bytes: Buffer) => void): () => number {
  return () => {
    for (const bytes of objects) visit(bytes);
    return objects.length;
  };
}

function splitAll(splitter: ReturnType<typeof jsonFormat.watchSplitter>, chunks: Buffer[]): number {
  let count = 0;
  for (const chunk of chunks) count += splitter.push(chunk).length;
  splitter.end();
  return count;
}

const cases: Readonly<Record<string, () => number>> = {
  'format.split.list': () => splitAll(jsonFormat.listSplitter(), list),
  'format.split.watch': () => splitAll(jsonFormat.watchSplitter(), watch),
  'format.scan.item': each(pods, (bytes) => {
    jsonFormat.scan(bytes, 0, bytes.length, positions);
  }),
  'format.scan.event': each(typed, (bytes) => {
    jsonFormat.scan(bytes, 0, bytes.length, positions);
  }),
  'format.scan+head': each(typed, (bytes) => {
    jsonFormat.scan(bytes, 0, bytes.length, positions);
    jsonFormat.head(bytes, 0, bytes.length, positions);
  }),
  'format.scan+identity': each(typed, (bytes) => {
    jsonFormat.scan(bytes, 0, bytes.length, positions);
    jsonFormat.identity(bytes, 0, bytes.length, positions);
  }),
  'format.scan+identity.clusterScoped': each(wide, (bytes) => {
    jsonFormat.scan(bytes, 0, bytes.length, positions);
    jsonFormat.identity(bytes, 0, bytes.length, positions);
  }),
  'format.scan+cut': each(typed, (bytes) => {
    jsonFormat.scan(bytes, 0, bytes.length, positions);
    jsonFormat.cut(bytes, 0, bytes.length, positions, target, 0);
  }),
  'format.decode': each(typed, (bytes) => {
    jsonFormat.decode(bytes, 0, bytes.length);
  }),
};

function measure(run: () => number): number {
  let count = 0;
  const start = performance.now();
  while (count < OBJECTS) {
    const done = run();
    if (done !== pods.length) throw new Error(`saw ${String(done)} of ${String(pods.length)}`);
    count += done;
  }
  return ((performance.now() - start) * 1000) / count;
}

for (const [name, run] of Object.entries(cases)) {
  measure(run);
  const times = Array.from({ length: RUNS }, () => measure(run)).toSorted((a, b) => a - b);
  const [min, median, max] = [0, RUNS >> 1, RUNS - 1].map((at) => Number(times[at]?.toFixed(2)));
  console.log(JSON.stringify({ case: name, unit: 'µs', keelson: { median, min, max } }));
}
