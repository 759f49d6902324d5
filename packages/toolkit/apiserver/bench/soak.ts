import { parseArgs } from 'node:util';
import { ServerProcess } from './server-process.ts';
import { loads, prepare, Sender, type Write, type WriteLoad } from './write-load.ts';

/**
 * Writes a million times to the stand-alone server: updates, merges and applies of 100 objects in turn, with five watches. Prints
 * one line of JSON with the memory after each part, before and after a garbage collection. Needs a build.
 * Run: node --conditions=@keelson/source packages/toolkit/apiserver/bench/soak.ts [--writes 1000000] [--parts 20] [--bytes 1000]
 */
const { values } = parseArgs({
  options: {
    writes: { type: 'string', default: '1000000' },
    parts: { type: 'string', default: '20' },
    bytes: { type: 'string', default: '1000' },
  },
});
const writes = Number(values.writes);
const parts = Number(values.parts);
const bytes = Number(values.bytes);

/** The requests that are sent at the same time. */
const IN_FLIGHT = 8;

const kinds = ['updates', 'merges', 'applies'];

function loadNamed(name: string): WriteLoad {
  const load = loads[name];
  if (load === undefined) throw new Error(`write-load.ts has no load ${name}`);
  return load;
}

/** The kinds of writes take turns of 100, so that each of them writes every object. */
function writeAt(at: number): Write {
  return loadNamed(kinds[Math.floor(at / 100) % kinds.length] ?? '').write(at, bytes);
}

const inMegabytes = (count: number): number => Math.round(count / 1e5) / 10;

await using server = await ServerProcess.start([]);
using sender = new Sender(server);
await prepare(server, sender, { ...loadNamed('updates'), watches: 5 }, bytes);
let at = 0;

/** Sends a write again if the server has just closed the idle connection. */
async function send(write: Write): Promise<void> {
  await sender.send(write).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error;
    return sender.send(write);
  });
}

for (let part = 1; part <= parts; part += 1) {
  const begin = performance.now();
  const end = Math.floor((writes / parts) * part);
  const first = at;
  const work = async (): Promise<void> => {
    while (at < end) await send(writeAt(at++));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const before = await server.memory({ collect: false });
  const after = await server.memory({ collect: true });
  console.log(
    JSON.stringify({
      case: 'soak.writes',
      writes: at,
      writesPerSecond: Math.round(((at - first) / (performance.now() - begin)) * 1000),
      rss: inMegabytes(before.rss),
      collected: { rss: inMegabytes(after.rss), heapUsed: inMegabytes(after.heapUsed) },
    }),
  );
}
