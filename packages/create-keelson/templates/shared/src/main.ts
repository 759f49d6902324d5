import { createOperator } from './operator.ts';

const operator = createOperator({
  leaderElection: { lease: 'website-operator' },
  servers: {
    metrics: { port: 8443, tls: 'self-signed', authentication: true },
    health: 8081,
  },
});
await operator.start();
