import { loadCluster } from '@keelson/manager';
import { HttpBucketStore, MemoryBucketStore } from './bucket-store.ts';
import { createOperator } from './operator.ts';

// The Lease is in the namespace of the Pod, or of the context in a kubeconfig.
const cluster = await loadCluster();
const url = process.env['BUCKETS_URL'];
if (url === undefined) console.warn('BUCKETS_URL is not set: the buckets exist only in memory');
const store = url === undefined ? new MemoryBucketStore() : new HttpBucketStore(url);

const operator = createOperator(
  {
    cluster,
    leaderElection: {
      lease: 'website-operator',
      namespace: cluster.namespace ?? 'website-operator',
    },
    servers: {
      metrics: { port: 8443, tls: 'self-signed', authentication: true },
      health: 8081,
    },
  },
  store,
);
await operator.start();
