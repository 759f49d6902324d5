import { loadCluster } from '@keelson/manager';
import { HttpBucketStore, MemoryBucketStore } from './bucket-store.ts';
import { createOperator } from './operator.ts';

// A Pod names its namespace, and a kubeconfig may.
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
