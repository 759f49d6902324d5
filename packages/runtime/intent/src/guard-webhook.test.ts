import { describe, expect, test } from '@jest/globals';
import { defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { WebhookEndpoints, type HandlerServices } from '@keelson/webhook';
import { ExecutionGuard } from './execution-guard.ts';
import { gate } from './testing/fixtures.test-support.ts';

interface Plan extends KubernetesObject {
  spec: { steps: number };
  status?: { phase?: string };
}

const Plan = defineResource<Plan>({
  group: 'plans.example.com',
  version: 'v1',
  kind: 'Plan',
  plural: 'plans',
});

function planOf(steps: number, members: object = {}): object {
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  return { metadata, spec: { steps }, ...members };
}

/** Reviews an update of a Plan. */
async function statusOf(
  guard: ExecutionGuard,
  update: { readonly object: object; readonly oldObject: object },
): Promise<number | undefined> {
  const silent = (): undefined => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const services = { client: {}, cache: {}, log } as unknown as HandlerServices;
  const endpoints = new WebhookEndpoints({ services });
  const isRunning = ({ status }: { status?: { phase?: string } }): boolean =>
    status?.phase === 'Running';
  endpoints.add(guard.webhook({ name: 'plans', resource: Plan, isRunning }));
  const { group, version, kind, plural: resource } = Plan;
  const request = {
    uid: 'r',
    kind: { group, version, kind },
    resource: { group, version, resource },
    operation: 'UPDATE',
    userInfo: {},
    ...update,
  };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const { body } = await endpoints.respond({
    url: '/validate/plans',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(JSON.stringify(review));
    },
  });
  const { response } = JSON.parse(body) as { response: { status?: { code: number } } };
  return response.status?.code;
}

describe('the webhook of an execution guard', () => {
  test('R3-08 refuses a change of the spec while an execution of the object runs', async () => {
    const guard = new ExecutionGuard();
    const end = gate();
    const change = { object: planOf(2), oldObject: planOf(1) };
    expect(await statusOf(guard, change)).toBeUndefined();
    const execution = guard.run({ metadata: { uid: 'u' } }, () => end.opened);
    expect(await statusOf(guard, change)).toBe(409);
    const finalizer = planOf(1, { metadata: { uid: 'u', finalizers: ['a/b'] } });
    expect(await statusOf(guard, { object: finalizer, oldObject: planOf(1) })).toBeUndefined();
    end.open();
    await execution;
    expect(await statusOf(guard, change)).toBeUndefined();
  });

  test('refuses a change in a replica that sees the execution in the object alone', async () => {
    const guard = new ExecutionGuard();
    const running = planOf(1, { status: { phase: 'Running' } });
    expect(await statusOf(guard, { object: planOf(2), oldObject: running })).toBe(409);
    expect(await statusOf(guard, { object: running, oldObject: running })).toBeUndefined();
  });

  test('refuses invalid options', () => {
    const guard = new ExecutionGuard();
    const valid = { name: 'plans', resource: Plan };
    expect(() => guard.webhook({ ...valid, isRunning: true } as never)).toThrow(
      'option=ExecutionGuard.webhook.isRunning',
    );
    expect(() => guard.webhook({ ...valid, operations: ['CREATE'] } as never)).toThrow(
      'option=ExecutionGuard.webhook.operations',
    );
    expect(() => guard.webhook({ ...valid, name: 'Plans' })).toThrow('option=defineWebhook.name');
  });
});
