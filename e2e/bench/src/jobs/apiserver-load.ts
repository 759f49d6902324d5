import { setImmediate as endOfTurn } from 'node:timers/promises';
import { createApiServer } from '@keelson/apiserver';
import { Agent, request } from 'undici';
import type { Job } from '../servers/protocol.ts';

const AT_ONCE = 20;
const NEWLINE = 0x0a;
const PATH = '/api/v1/namespaces/default/configmaps';

/** Measures creates per second until each of some watches has received all of them. The server has a process of its own. */
export const watched: Job = async ({ options, server }) => {
  const writes = Number(options['writes']);
  const watches = Number(options['watches']);
  const dispatcher = new Agent();
  const url = server.url + PATH;
  const { metadata } = await request(url, { dispatcher }).then(
    async ({ body }) => (await body.json()) as { metadata: { resourceVersion: string } },
  );
  const opened = Array.from({ length: watches }, () =>
    request(`${url}?watch=1&resourceVersion=${metadata.resourceVersion}`, { dispatcher }),
  );
  const readers = (await Promise.all(opened)).map(({ body }) => readEvents(body, writes));
  const from = performance.now();
  await Promise.all([createAll(url, writes, dispatcher), ...readers]);
  const ms = performance.now() - from;
  await dispatcher.destroy();
  return { writes: (writes * 1000) / ms };
};

/** Measures the memory of stored objects after a garbage collection, as a multiple of their JSON. */
export const memory: Job = async ({ options }) => {
  const objects = Number(options['objects']);
  await using server = await createApiServer({});
  const before = await usedBytes();
  for (let index = 0; index < objects; index++) {
    const metadata = { namespace: 'default', name: `bench-${String(index)}` };
    const data = { text: String(index).padEnd(2000, 'x') };
    server.seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as object]);
  }
  await server.idle();
  const used = (await usedBytes()) - before;
  const resource = { group: '', version: 'v1', plural: 'configmaps' };
  const one = server.object(resource, { namespace: 'default', name: 'bench-1' });
  return { ratio: used / objects / JSON.stringify(one).length };
};

/** The number of garbage collections after which nothing more is freed: blocks outside the heap follow in a later one. */
const COLLECTIONS = 4;

/** The bytes on the heap and in the blocks outside it. */
async function usedBytes(): Promise<number> {
  for (let collection = 0; collection < COLLECTIONS; collection++) {
    globalThis.gc?.();
    await endOfTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function readEvents(body: AsyncIterable<Buffer>, count: number): Promise<void> {
  let lines = 0;
  for await (const chunk of body) {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
    if (lines >= count) break;
  }
  if (lines !== count) throw new Error(`a watch received ${String(lines)} of ${String(count)}`);
}

async function createAll(url: string, count: number, dispatcher: Agent): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      // The server keeps the objects of earlier runs.
      const name = `bench-${process.pid}-${index}`;
      const metadata = { name, labels: { app: 'bench' } };
      const data = { 'config.yaml': `index: ${String(index)}\n`.repeat(20) };
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }),
        dispatcher,
      });
      await body.dump();
      if (statusCode !== 201) throw new Error(`a create got ${String(statusCode)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
