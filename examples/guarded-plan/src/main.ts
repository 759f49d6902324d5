/** A tour on the API server for tests, which calls the webhook of the operator. */
import { createTestEnvironment } from '@keelson/envtest';
import { createLogger } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { serviceDefinition } from './custom-resource.ts';
import { Gate } from './gate.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';
import { planConfigurations } from './webhook.ts';

await using environment = await createTestEnvironment({ use: 'memory' });
await environment.installCrds([serviceDefinition]);
const certificate = await selfSignedCertificate();
const gate = new Gate();
const operator = createOperator(
  {
    cluster: environment.admin.cluster,
    logger: createLogger({ level: 'silent' }),
    servers: { host: '127.0.0.1', webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 } },
  },
  gate.upgradeBatch,
);
const running = operator.start();
await Promise.race([operator.started, running]);
const url = `https://127.0.0.1:${operator.ports.webhook}`;
const configurations = planConfigurations({ namespace: 'guarded-plan', name: 'guarded-plan' });
await environment.installWebhooks(configurations, { url, ca: certificate.cert });
await tour(operator.client, () => gate.open(), console.log);
await operator.stop();
await running;
