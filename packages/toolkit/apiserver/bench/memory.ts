import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Memory, ServerProcess } from './server-process.ts';
import { loads, prepare, Sender, type WriteLoad } from './write-load.ts';

/**
 * Measures the memory of the stand-alone server under write loads. Prints one line of JSON per load. Needs a build.
 * Run: node --conditions=@keelson/source packages/toolkit/apiserver/bench/memory.ts [--load NAME] [--seconds 40] [--rate 1000] [--bytes 2000]
 * `--rate 0` writes as fast as one connection allows and reports the rate. `--flag` gives the server's Node a flag.
 */
const { values } = parseArgs({
  options: {
    load: { type: 'string', multiple: true, default: Object.keys(loads) },
    seconds: { type: 'string', default: '40' },
    rate: { type: 'string', default: '1000' },
    bytes: { type: 'string', default: '2000' },
    flag: { type: 'string', multiple: true, default: [] },
  },
});
const [seconds, rate, bytes] = [Number(values.seconds), Number(values.rate), Number(values.bytes)];

const inMegabytes = (count: number): number => Math.round(count / 1e5) / 10;

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;
}

/** Writes sequentially until the time is over and returns the count. */
async function inTurn(sender: Sender, load: WriteLoad): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let at = 0;
  for (; performance.now() < end; at += 1) await sender.send(load.write(at, bytes));
  return at;
}

/** Writes at the requested rate in small batches, or slower if the server is slower. */
async function atRate(sender: Sender, load: WriteLoad): Promise<number> {
  const begin = performance.now();
  let at = 0;
  while (performance.now() < begin + seconds * 1000) {
    const due = Math.floor(((performance.now() - begin) / 1000) * rate);
    const lot = Math.min(due - at, 16);
    // An object is created before it is deleted.
    for (let left = lot - (lot % 2); left > 0; left -= 2) {
      await sender.send(load.write(at, bytes));
      await sender.send(load.write(at + 1, bytes));
      at += 2;
    }
    await sleep(2);
  }
  return at;
}

/** Samples the memory once per second until the load ends. */
async function sample(server: ServerProcess, samples: Memory[], end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    samples.push(await server.memory({ collect: false }));
    await sleep(1000, undefined, { signal: end }).catch(() => {});
  }
}

async function measure(name: string, load: WriteLoad): Promise<void> {
  await using server = await ServerProcess.start(values.flag);
  using sender = new Sender(server);
  const idle = await server.memory({ collect: false });
  await prepare(server, sender, load, bytes);
  const before = await server.memory({ collect: false });
  const samples: Memory[] = [];
  const stop = new AbortController();
  const sampling = sample(server, samples, stop.signal);
  const writes = await (rate === 0 ? inTurn : atRate)(sender, load);
  stop.abort();
  await sampling;
  const after = await server.memory({ collect: false });
  const collected = await server.memory({ collect: true });
  const settled = samples.slice(-10);
  console.log(
    JSON.stringify({
      case: `memory.${name}`,
      unit: 'MB',
      idle: inMegabytes(idle.rss),
      settled: inMegabytes(median(settled.map(({ rss }) => rss))),
      peak: inMegabytes(Math.max(...samples.map(({ rss }) => rss))),
      heapTotal: inMegabytes(after.heapTotal),
      external: inMegabytes(after.external),
      collected: {
        rss: inMegabytes(collected.rss),
        heapUsed: inMegabytes(collected.heapUsed),
        external: inMegabytes(collected.external),
      },
      writesPerSecond: Math.round(writes / seconds),
      cpuPerWrite: Math.round((after.cpu - before.cpu) / writes),
    }),
  );
}

for (const name of values.load) {
  const load = loads[name];
  if (load === undefined) throw new Error(`no load ${name}: ${Object.keys(loads).join(', ')}`);
  // Sequential, so that the loads do not affect each other.
  await measure(name, load);
}
