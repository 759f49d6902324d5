import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '@keelson/envtest';
import { until } from '@keelson/example-support';
import { builtin, createLogger, isConflict, type Client, type Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { GuardedService, serviceDefinition } from './custom-resource.ts';
import { Gate } from './gate.ts';
import { createOperator } from './operator.ts';
import { tour } from './tour.ts';
import { planConfigurations } from './webhook.ts';

const key = { namespace: 'default', name: 'shop' };

describe('guarded-plan', () => {
  let environment: TestEnvironment;
  let gate: Gate;
  let operators: { operator: Manager; running: Promise<void> }[];
  let client: Client;

  beforeEach(async () => {
    environment = await createTestEnvironment({ use: 'memory' });
    await environment.installCrds([serviceDefinition]);
    gate = new Gate();
    operators = [];
  });

  afterEach(async () => {
    for (const { operator, running } of operators) {
      await operator.stop();
      await running;
    }
    await environment.stop();
  });

  /** Starts a replica, and lets the API server send its reviews to it. */
  async function start(): Promise<Manager> {
    const certificate = await selfSignedCertificate();
    const webhook = { port: 0, tls: { certificate }, shutdownDelay: 0 };
    const operator = createOperator(
      {
        cluster: environment.admin.cluster,
        logger: createLogger({ level: 'silent' }),
        stopSignals: [],
        gracePeriod: '1s',
        leaderElection: { lease: 'guarded-plan', namespace: 'default' },
        servers: { host: '127.0.0.1', webhook },
      },
      gate.upgradeBatch,
    );
    operators.push({ operator, running: operator.start() });
    // A standby has not started, and serves webhooks.
    while (operator.ports.webhook === undefined) await new Promise(setImmediate);
    const url = `https://127.0.0.1:${operator.ports.webhook}`;
    const configurations = planConfigurations({ namespace: 'operator', name: 'guarded-plan' });
    await environment.installWebhooks(configurations, { url, ca: certificate.cert });
    client = operator.client;
    return operator;
  }

  async function runPlan(): Promise<void> {
    await client.create(GuardedService, {
      metadata: key,
      spec: { version: '1', batches: 2 },
    });
    await until(client, GuardedService, key, (found) => found?.status?.phase === 'Running');
  }

  function patch(body: object): Promise<unknown> {
    return client.patch(GuardedService, key, { type: 'merge', body }).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  test('R3-08 the API server refuses a change of the spec while a plan runs, and no other change', async () => {
    await start();
    await runPlan();
    const refused = await patch({ spec: { version: '2' } });
    expect(isConflict(refused)).toBe(true);
    expect(String(refused)).toContain(
      'the spec cannot change while an execution of the object runs',
    );
    expect(await patch({ metadata: { labels: { a: 'b' } } })).toBeUndefined();
    gate.open();
    await until(client, GuardedService, key, (found) => found?.status?.phase === 'Complete');
    expect(gate.upgraded).toEqual(['1/0', '1/1']);
    expect(await patch({ spec: { version: '2' } })).toBeUndefined();
    await until(client, GuardedService, key, (found) => found?.status?.observedGeneration === 2);
    expect(gate.upgraded.slice(2)).toEqual(['2/0', '2/1']);
  });

  test('R3-08 a replica that does not run the plan refuses the change too', async () => {
    await start();
    await runPlan();
    const standby = await start();
    expect(standby.isLeader).toBe(false);
    expect(isConflict(await patch({ spec: { version: '2' } }))).toBe(true);
  });

  test('R3-09 without the webhook a change waits for the plan, and then has its own', async () => {
    await start();
    await client.delete(builtin.ValidatingWebhookConfiguration, { name: 'guarded-plan' });
    await runPlan();
    expect(await patch({ spec: { version: '2' } })).toBeUndefined();
    gate.open();
    await until(client, GuardedService, key, (found) => found?.status?.observedGeneration === 2);
    expect(gate.upgraded).toEqual(['1/0', '1/1', '2/0', '2/1']);
  });

  test('the tour is shown to its end', async () => {
    await start();
    const lines: string[] = [];
    await tour(
      client,
      () => gate.open(),
      (line) => void lines.push(line),
    );
    expect(lines).toHaveLength(4);
  });
});
