import { until } from '@keelson/example-support';
import { builtin, type Client } from '@keelson/manager';

const { Deployment, Pod } = builtin;

/** Creates a Deployment and a Pod that crashes, and prints what becomes of them. */
export async function tour(client: Client, say: (line: string) => void): Promise<void> {
  const web = { namespace: 'default', name: 'web' };
  await client.create(Deployment, {
    metadata: web,
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'app', image: 'web:1' }] },
      },
    },
  });
  say('created Deployment web with 3 replicas');
  const ready = await until(client, Deployment, web, (one) => one?.status?.availableReplicas === 3);
  say(`Deployment web has ${ready?.status?.availableReplicas} available replicas`);
  const { items } = await client.list(Pod, { labelSelector: 'app=web' });
  const nodes = items.map(({ spec }) => spec?.nodeName ?? '').toSorted(compare);
  say(`its Pods are on ${nodes.join(', ')}`);

  const broken = { namespace: 'default', name: 'broken' };
  await client.create(Pod, {
    metadata: { ...broken, labels: { app: 'broken' } },
    spec: { containers: [{ name: 'app', image: 'broken:1' }] },
  });
  const crashed = await until(
    client,
    Pod,
    broken,
    (pod) => pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CrashLoopBackOff',
  );
  const [container] = crashed?.status?.containerStatuses ?? [];
  say(`Pod broken: ${container?.state?.waiting?.message?.replace(/ container=.*/, '')}`);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}
