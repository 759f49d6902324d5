import { builtin, type ObjectMeta, type ObjectOf } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import { podNamespace, renderPod } from './pod.ts';
import { PODS_PATH } from './pod-stream.ts';

type Pod = ObjectOf<typeof builtin.Pod>;

/** The number of concurrent creations: enough to keep the server busy. */
const AT_ONCE = 16;

/** Number of pods between two progress reports. */
const STRIDE = 2000;

/** Creates pods that are bound to nodes, so that no scheduler or controller changes them. */
export async function createPods(
  client: Client,
  count: number,
  onProgress: (line: string) => void,
): Promise<void> {
  const namespaces = new Set(Array.from({ length: count }, (_, index) => podNamespace(index)));
  for (const name of namespaces) await client.create(builtin.Namespace, { metadata: { name } });
  const start = performance.now();
  let next = 0;
  let created = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      await client.create(builtin.Pod, podToCreate(next++));
      if (++created % STRIDE === 0 || created === count)
        onProgress(progressLine(created, count, start));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Returns the pod of the other cases as a controller creates it, without the fields that the server adds. */
export function podToCreate(index: number): Pod {
  const { metadata = {}, spec } = JSON.parse(renderPod(index, 0)) as Pod;
  const [container, ...others] = spec?.containers ?? [];
  if (spec === undefined || container === undefined) throw new Error('the pod has no container');
  return {
    metadata: asCreated(metadata),
    spec: {
      ...spec,
      volumes: withoutToken(spec.volumes),
      containers: [{ ...container, volumeMounts: withoutToken(container.volumeMounts) }, ...others],
    },
  };
}

function asCreated(metadata: ObjectMeta): ObjectMeta {
  const {
    uid: _uid,
    resourceVersion: _version,
    generation: _generation,
    creationTimestamp: _time,
    managedFields: _fields,
    ...created
  } = metadata;
  return created;
}

/** Removes the volume of the service account token: test control planes run without the admission plugin for it. */
function withoutToken<Named extends { readonly name: string }>(
  all: readonly Named[] = [],
): Named[] {
  return all.filter(({ name }) => !name.startsWith('kube-api-access-'));
}

function progressLine(created: number, count: number, start: number): string {
  const perSecond = Math.round((created * 1000) / (performance.now() - start));
  return `created ${created} of ${count} pods, ${perSecond} a second`;
}

/** Returns the size of a pod on the wire, in bytes of JSON. */
export async function bytesPerPod(client: Client): Promise<number> {
  const { body } = await client.request({ path: PODS_PATH, query: { limit: 500 } });
  const { items } = JSON.parse(body) as { items: readonly unknown[] };
  return Math.round(Buffer.byteLength(body) / items.length);
}
