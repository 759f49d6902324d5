import { createApiServer } from '@keelson/apiserver';
import { Agent, request } from 'undici';
import type { Job } from '../servers/protocol.ts';

const AT_ONCE = 20;
const PATH = '/api/v1/namespaces/default/configmaps';

/** Measures the start of the embedded server, and its creates and lists with a plain client. */
export const apiserver: Job = async ({ options }) => {
  const objects = Number(options['objects']);
  const start = performance.now();
  await using server = await createApiServer({});
  const ready = performance.now() - start;
  const dispatcher = new Agent();
  const creates = await perSecond(objects, () => createAll(server.url + PATH, objects, dispatcher));
  const lists = await perSecond(objects, () => listAll(server.url + PATH, dispatcher));
  await dispatcher.close();
  return { ready, creates, lists };
};

/** Measures `act`, which returns the number of objects it handled. A smaller number than expected fails the run. */
async function perSecond(objects: number, act: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const done = await act();
  if (done !== objects) throw new Error(`saw ${String(done)} of ${String(objects)} objects`);
  return (objects * 1000) / (performance.now() - start);
}

async function createAll(url: string, objects: number, dispatcher: Agent): Promise<number> {
  let next = 0;
  let created = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < objects; index = next++) {
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(configMap(index)),
        dispatcher,
      });
      await body.dump();
      if (statusCode === 201) created++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return created;
}

async function listAll(url: string, dispatcher: Agent): Promise<number> {
  const { body } = await request(url, { dispatcher });
  const list = (await body.json()) as { items: { metadata: { name: string } }[] };
  return list.items.filter(({ metadata }) => metadata.name.startsWith('bench-')).length;
}

function configMap(index: number): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `bench-${String(index)}`, labels: { app: 'bench' } },
    data: { 'config.yaml': `index: ${String(index)}\n`.repeat(20) },
  };
}
