import { loadCluster } from '@keelson/manager';
import { createOperator } from './operator.ts';
import { webhookServer } from './webhook.ts';

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
// `keelson manifests` mounts the certificate there.
const certificates = '/tmp/k8s-webhook-server/serving-certs';
operator.addRunnable(webhookServer({ port: 9443, certificates }));
await operator.start();
