import { HttpBucketStore, MemoryBucketStore } from './bucket-store.ts';
import { createOperator } from './operator.ts';

const url = process.env['BUCKETS_URL'];
if (url === undefined) console.warn('BUCKETS_URL is not set: the buckets exist only in memory');
const store = url === undefined ? new MemoryBucketStore() : new HttpBucketStore(url);

const operator = createOperator(
  {
    leaderElection: { lease: 'website-operator' },
    servers: {
      metrics: { port: 8443, tls: 'self-signed', authentication: true },
      health: 8081,
    },
  },
  store,
);
await operator.start();
