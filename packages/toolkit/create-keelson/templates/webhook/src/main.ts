import { existsSync } from 'node:fs';
import { loadCluster } from '@keelson/manager';
import { createOperator } from './operator.ts';
import { validation } from './webhook.ts';

// `keelson manifests` mounts the certificate there. Without it, as in `npm run dev`, the server issues its own.
const certificates = '/tmp/k8s-webhook-server/serving-certs';
const files = { cert: `${certificates}/tls.crt`, key: `${certificates}/tls.key` };

// The Lease is in the namespace of the Pod, or of the context in a kubeconfig.
const cluster = await loadCluster();
const operator = createOperator({
  cluster,
  leaderElection: { lease: 'website-operator', namespace: cluster.namespace ?? 'website-operator' },
  servers: {
    metrics: { port: 8443, tls: 'self-signed', authentication: true },
    health: 8081,
    webhook: { port: 9443, tls: existsSync(certificates) ? files : 'self-signed' },
  },
});
operator.addWebhook(validation);
await operator.start();
