import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/manager';
import { tour } from './tour.ts';

/** Two replicas in two processes, on an API server in this process. */
const folder = await mkdtemp(join(tmpdir(), 'keelson-high-availability-'));
const kubeconfig = join(folder, 'kubeconfig');
const server = await createApiServer();
const client = createClient({ cluster: { server: server.url } });
try {
  await writeFile(kubeconfig, kubeconfigFor(server.url));
  await tour({ kubeconfig, namespace: 'default' }, client, console.log);
} finally {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true });
}

function kubeconfigFor(url: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'here', cluster: { server: url } }],
    users: [{ name: 'operator', user: {} }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'operator' } }],
    'current-context': 'here',
  });
}
