import { beforeAll, describe, expect } from '@jest/globals';
import { isConflict } from '@keelson/apimachinery';
import { GuardedService, serviceDefinition } from '@keelson/example-guarded-plan/custom-resource';
import { Gate } from '@keelson/example-guarded-plan/gate';
import { createOperator } from '@keelson/example-guarded-plan/operator';
import { planConfigurations } from '@keelson/example-guarded-plan/webhook';
import { until } from '@keelson/example-support';
import type { Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { runManager } from './running-manager.ts';
import { openSuite, testWithControls } from './suite.ts';

const suite = openSuite();

describe('the example guarded-plan', () => {
  beforeAll(() => suite.install(serviceDefinition));

  testWithControls('R3-08 refuses a change of the spec while a plan runs', async () => {
    const namespace = await suite.namespace();
    const key = { namespace, name: 'shop' };
    const gate = new Gate();
    const certificate = await selfSignedCertificate();
    const webhook = { port: 0, tls: { certificate }, shutdownDelay: 0 };
    let operator: Manager | undefined;
    await using _ = await runManager(suite.cluster, (options) => {
      const servers = { host: '127.0.0.1', webhook };
      operator = createOperator({ ...options, servers }, gate.upgradeBatch);
      return operator;
    });
    const url = `https://127.0.0.1:${operator?.ports.webhook}`;
    const configurations = planConfigurations({ namespace: 'operator', name: 'guarded-plan' });
    await suite.installWebhooks(configurations, { url, ca: certificate.cert });
    const change = (body: object): Promise<unknown> =>
      suite.client.patch(GuardedService, key, { type: 'merge', body }).catch((error) => error);
    const spec = { version: '1', batches: 2 };
    await suite.client.create(GuardedService, { metadata: key, spec });
    await until(suite.client, GuardedService, key, (found) => found?.status?.phase === 'Running');
    const refused = await change({ spec: { version: '2' } });
    expect(isConflict(refused)).toBe(true);
    expect(String(refused)).toContain('while an execution of the object runs');
    expect(isConflict(await change({ metadata: { labels: { changed: 'true' } } }))).toBe(false);
    gate.open();
    await until(suite.client, GuardedService, key, (found) => found?.status?.phase === 'Complete');
    expect(isConflict(await change({ spec: { version: '2' } }))).toBe(false);
    await until(suite.client, GuardedService, key, (found) => {
      return found?.status?.observedGeneration === 2;
    });
    expect(gate.upgraded).toEqual(['1/0', '1/1', '2/0', '2/1']);
  });
});
