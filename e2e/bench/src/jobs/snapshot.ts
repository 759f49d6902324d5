import { createApiServer, snapshotLine, snapshotText } from '@keelson/apiserver';
import { podName, podNamespace, renderTypedPod } from '../servers/pod.ts';
import type { Job } from '../servers/protocol.ts';

/** Measures the start of the embedded server from a snapshot of pods, from the bytes of the file to a server that listens. */
export const restore: Job = async ({ options }) => {
  const objects = Number(options['objects']);
  const bytes = snapshotOf(objects);
  await restored(bytes, objects);
  globalThis.gc?.();
  const start = performance.now();
  await using server = await createApiServer({ restore: bytes });
  const ms = performance.now() - start;
  const last = { namespace: podNamespace(objects - 1), name: podName(objects - 1) };
  const pods = { group: '', version: 'v1', plural: 'pods' };
  if (server.object(pods, last) === undefined) throw new Error('the last pod is missing');
  return { ms, megabytes: bytes.length / 1e6 };
};

/** A first run compiles the code, as the first test of a process does. */
async function restored(bytes: Uint8Array, objects: number): Promise<void> {
  await using server = await createApiServer({ restore: bytes });
  if (Number(server.resourceVersion) < objects) throw new Error('objects are missing');
}

function snapshotOf(objects: number): Buffer {
  const lines: string[] = [];
  for (let index = 0; index < 50; index++) lines.push(namespaceLine(podNamespace(index)));
  for (let index = 0; index < objects; index++) {
    lines.push(snapshotLine(JSON.parse(renderTypedPod(index, index + 1)) as object));
  }
  const revision = String(objects);
  return Buffer.from([...snapshotText({ kubernetes: 'v1.36.3', lines, revision })].join(''));
}

function namespaceLine(name: string): string {
  const metadata = { name, uid: `uid-${name}`, resourceVersion: '1' };
  return snapshotLine({ apiVersion: 'v1', kind: 'Namespace', metadata });
}
