import { loadCluster, watchNamespaces } from '@keelson/manager';
import { createOperator } from './operator.ts';

// `keelson dev` chooses other ports if these are in use.
const { METRICS_BIND_PORT = '8443', HEALTH_BIND_PORT = '8081', WATCH_NAMESPACES } = process.env;

// The Lease is in the namespace of the Pod, or of the context in a kubeconfig.
const cluster = await loadCluster();
const operator = createOperator({
  cluster,
  ...watchNamespaces(WATCH_NAMESPACES), // such as shop,warehouse; default: all namespaces
  leaderElection: { lease: 'website-operator', namespace: cluster.namespace ?? 'website-operator' },
  servers: {
    metrics: { port: Number(METRICS_BIND_PORT), tls: 'self-signed', authentication: true },
    health: Number(HEALTH_BIND_PORT),
  },
});
await operator.start();
