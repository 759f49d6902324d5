import { createOperator } from './operator.ts';
import { webhookServer } from './webhook.ts';

const operator = createOperator({
  leaderElection: { lease: 'website-operator' },
  servers: {
    metrics: { port: 8443, tls: 'self-signed', authentication: true },
    health: 8081,
  },
});
operator.addRunnable(webhookServer({ port: 9443, certificates: '/certs' }));
await operator.start();
