import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { HandlerServices } from './admission/admission-webhook.ts';
import { WebhookEndpoints } from './http/webhook-endpoints.ts';
import { endpointsOf, Job, reviewWith, send } from './testing/reviews.test-support.ts';

const boom = new Error('boom');
const THEN = ['th', 'en'].join('');

/** A thenable that rejects. */
function rejecting(): object {
  const value = (_: unknown, reject: (error: unknown) => void): void => reject(boom);
  return Object.defineProperty({}, THEN, { value });
}

/** A thenable whose `then` throws. */
function throwing(): object {
  const get = (): never => {
    throw boom;
  };
  return Object.defineProperty({}, THEN, { get });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const faults: readonly (readonly [string, () => never])[] = [
  [
    'throws',
    () => {
      throw boom;
    },
  ],
  ['rejects', () => Promise.reject(boom) as never],
  ['returns a thenable that rejects', () => rejecting() as never],
  ['returns a thenable whose then throws', () => throwing() as never],
  ['returns a revoked proxy', () => revoked() as never],
];

/** Results with a promise that rejects as a member. */
const members: typeof faults = [
  ['returns a promise as a member', () => ({ ...object, response: rejected() }) as never],
  ['returns promises in a list', () => [rejected(), { a: rejected() }] as never],
];

const rejected = (): Promise<never> => Promise.reject(boom);
const object = { apiVersion: 'batch.example.com/v1', kind: 'Job', metadata: { name: 'a' } };

describe('the functions of users', () => {
  const unhandled: unknown[] = [];
  const listener = (error: unknown): number => unhandled.push(error);

  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', listener);
  });

  afterEach(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  test.each([...faults, ...members])('validate that %s fails the review', async (_, validate) => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', resource: Job, validate });
    expect((await send(endpoints, reviewWith())).status).toBe(500);
  });

  test.each([...faults, ...members])('mutate that %s fails the review', async (_, mutate) => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', resource: Job, mutate });
    expect((await send(endpoints, reviewWith(), { url: '/mutate/jobs' })).status).toBe(500);
  });

  test.each(faults)('parse of a kind that %s fails the review', async (_, parse) => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', kind: { resource: Job, parse } });
    expect((await send(endpoints, reviewWith())).status).toBe(500);
  });

  test.each(faults)('review of versions that %s fails the conversion', async (_, review) => {
    const { endpoints } = endpointsOf();
    const clientConfig = { service: { namespace: 'n', name: 's', path: '/convert' } };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig } };
    const crd = { metadata: { name: 'jobs.batch.example.com' }, spec: { conversion } };
    endpoints.addConversion({ crd, review });
    expect((await send(endpoints, {}, { url: '/convert' })).status).toBe(500);
  });

  test.each(faults)('callUser that %s fails the review', async (_, call) => {
    const { endpoints } = endpointsOf({ callUser: () => call });
    endpoints.add({ name: 'jobs', resource: Job, validate: () => undefined });
    expect((await send(endpoints, reviewWith())).status).toBe(500);
  });

  test.each(faults)(
    'observer methods and a logger that %s change no response',
    async (_, fault) => {
      const log = { debug: fault, info: fault, warn: fault, error: fault, child: fault };
      const services = { client: {}, cache: {}, log } as unknown as HandlerServices;
      const observerMethods = { began: fault, received: fault, ended: fault, failed: fault };
      const endpoints = new WebhookEndpoints({ services, observer: observerMethods });
      endpoints.add({ name: 'jobs', resource: Job, validate: () => undefined });
      endpoints.add({ name: 'broken', resource: Job, validate: () => true as never });
      expect((await send(endpoints, reviewWith())).status).toBe(200);
      const failed = await send(endpoints, reviewWith(), { url: '/validate/broken' });
      expect([failed.status, failed.body.split(':')[0]]).toEqual([500, 'WEBHOOK_RESULT']);
    },
  );
});
