import { loadCluster } from '@keelson/manager';
import { createOperator } from './operator.ts';
import { webhookServer } from './webhook.ts';

// A Pod names its namespace, and a kubeconfig may.
const cluster = await loadCluster();
const operator = createOperator({
  cluster,
  leaderElection: { lease: 'website-operator', namespace: cluster.namespace ?? 'website-operator' },
  servers: {
    metrics: { port: 8443, tls: 'self-signed', authentication: true },
    health: 8081,
  },
});
operator.addRunnable(webhookServer({ port: 9443, certificates: '/certs' }));
await operator.start();
