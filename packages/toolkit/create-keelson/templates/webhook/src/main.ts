import { existsSync } from 'node:fs';
import { loadCluster, watchNamespaces } from '@keelson/manager';
import { createOperator } from './operator.ts';
import { validation } from './webhook.ts';

// `keelson dev` chooses other ports if these are in use.
const { METRICS_BIND_PORT = '8443', HEALTH_BIND_PORT = '8081' } = process.env;
const { WEBHOOK_BIND_PORT = '9443', WATCH_NAMESPACES } = process.env;

// `keelson manifests` mounts the certificate there. Without it, as in `npm run dev`, the server issues its own.
const certificates = '/tmp/k8s-webhook-server/serving-certs';
const files = { cert: `${certificates}/tls.crt`, key: `${certificates}/tls.key` };

// The Lease is in the namespace of the Pod, or of the context in a kubeconfig.
const cluster = await loadCluster();
const operator = createOperator({
  cluster,
  ...watchNamespaces(WATCH_NAMESPACES), // such as shop,warehouse; default: all namespaces
  leaderElection: { lease: 'website-operator', namespace: cluster.namespace ?? 'website-operator' },
  servers: {
    metrics: { port: Number(METRICS_BIND_PORT), tls: 'self-signed', authentication: true },
    health: Number(HEALTH_BIND_PORT),
    webhook: {
      port: Number(WEBHOOK_BIND_PORT),
      tls: existsSync(certificates) ? files : 'self-signed',
    },
  },
});
operator.addWebhook(validation);
await operator.start();
