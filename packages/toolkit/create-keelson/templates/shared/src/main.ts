import { loadCluster } from '@keelson/manager';
import { createOperator } from './operator.ts';

// The Lease is in the namespace of the Pod, or of the context in a kubeconfig.
const cluster = await loadCluster();
const operator = createOperator({
  cluster,
  leaderElection: { lease: 'website-operator', namespace: cluster.namespace ?? 'website-operator' },
  servers: {
    metrics: { port: 8443, tls: 'self-signed', authentication: true },
    health: 8081,
  },
});
await operator.start();
