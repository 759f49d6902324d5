import { loadCluster, watchNamespaces } from '@keelson/manager';
import { HttpBucketStore, MemoryBucketStore } from './bucket-store.ts';
import { createOperator } from './operator.ts';

// `keelson dev` chooses other ports if these are in use.
const { METRICS_BIND_PORT = '8443', HEALTH_BIND_PORT = '8081' } = process.env;
const { BUCKETS_URL, WATCH_NAMESPACES } = process.env;

// The Lease is in the namespace of the Pod, or of the context in a kubeconfig.
const cluster = await loadCluster();
if (BUCKETS_URL === undefined) {
  console.warn('BUCKETS_URL is not set: the buckets exist only in memory');
}
const store =
  BUCKETS_URL === undefined ? new MemoryBucketStore() : new HttpBucketStore(BUCKETS_URL);

const operator = createOperator(
  {
    cluster,
    ...watchNamespaces(WATCH_NAMESPACES), // such as shop,warehouse; default: all namespaces
    leaderElection: {
      lease: 'website-operator',
      namespace: cluster.namespace ?? 'website-operator',
    },
    servers: {
      metrics: { port: Number(METRICS_BIND_PORT), tls: 'self-signed', authentication: true },
      health: Number(HEALTH_BIND_PORT),
    },
  },
  store,
);
await operator.start();
