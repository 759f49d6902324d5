import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { CertificateSecret, deny } from './index.ts';
import { renewalPlan, renewed } from './certificates/certificate-state.ts';
import { MAX_BODY_BYTES } from './http/review-body.ts';
import {
  endpointsOf,
  httpRequest,
  Job,
  loggerOf,
  jobOf,
  patchOf,
  reviewWith,
  send,
} from './testing/reviews.test-support.ts';

describe('the webhook promises', () => {
  test('The handler of a webhook gets frozen objects, and only the draft of mutate can be changed.', async () => {
    const { endpoints } = endpointsOf();
    const refused: string[] = [];
    const attempt = (object: unknown): void => {
      try {
        (object as Job).spec.schedule = 'changed';
      } catch (error) {
        refused.push((error as Error).name);
      }
    };
    endpoints.add({
      name: 'jobs',
      resource: Job,
      validate({ object, oldObject, request }) {
        for (const each of [object, oldObject, request.object]) attempt(each);
      },
    });
    endpoints.add({
      name: 'draft',
      resource: Job,
      mutate({ object, original, oldObject }) {
        for (const each of [original, oldObject, object]) attempt(each);
      },
    });
    const update = reviewWith({ operation: 'UPDATE', oldObject: jobOf() });
    await send(endpoints, update);
    const { response } = await send(endpoints, update, { url: '/mutate/draft' });
    expect(refused).toEqual(Array.from({ length: 5 }, () => 'TypeError'));
    expect(patchOf(response)).toEqual([
      { op: 'replace', path: '/spec/schedule', value: 'changed' },
    ]);
  });

  test('A JSON patch changes the object of the review into the result of mutate.', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({
      name: 'jobs',
      resource: Job,
      mutate({ object }) {
        object.metadata = { ...object.metadata, labels: { 'a/b': 'c' } };
        delete object.spec.limit;
      },
    });
    const review = reviewWith({ object: jobOf({ schedule: 'x', limit: 1 }) });
    const { response } = await send(endpoints, review, { url: '/mutate/jobs' });
    expect(patchOf(response)).toEqual([
      { op: 'add', path: '/metadata/labels', value: { 'a/b': 'c' } },
      { op: 'remove', path: '/spec/limit' },
    ]);
  });

  test('A handler that throws, has an invalid result or takes too long fails the review with a code, and its error is not sent.', async () => {
    const { endpoints } = endpointsOf();
    const handlers = {
      WEBHOOK_FAILED: () => {
        throw new Error('secret');
      },
      WEBHOOK_RESULT: () => 'secret' as never,
      WEBHOOK_TIMEOUT: () => Promise.withResolvers<never>().promise,
    };
    for (const [code, validate] of Object.entries(handlers)) {
      const name = code.toLowerCase().replace('_', '-');
      endpoints.add({ name, resource: Job, validate });
      const url = `/validate/${name}?timeout=10ms`;
      const { status, body } = await send(endpoints, reviewWith(), { url });
      expect([status >= 500, body.split(':')[0], body.includes('secret')]).toEqual([
        true,
        code,
        false,
      ]);
    }
  });

  test('A request that is not a review of the webhook is refused before the handler is called.', async () => {
    const { endpoints } = endpointsOf();
    const calls: string[] = [];
    endpoints.add({ name: 'jobs', resource: Job, validate: () => void calls.push('called') });
    const pods = { resource: { group: '', version: 'v1', resource: 'pods' } };
    const statuses = [
      await send(endpoints, reviewWith(pods)),
      await send(endpoints, reviewWith({ operation: 'CONNECT' })),
      await send(endpoints, '{}'),
      await send(endpoints, reviewWith(), { method: 'PUT' }),
      await send(endpoints, reviewWith(), { headers: { 'content-type': 'text/plain' } }),
      await send(endpoints, reviewWith(), { url: '/' }),
    ].map(({ status }) => status);
    expect([statuses, calls]).toEqual([[400, 400, 400, 405, 415, 404], []]);
  });

  test('The body of a request is bounded in size and time.', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', resource: Job, validate: () => undefined });
    const chunks = Array.from({ length: 8 }, () => Buffer.alloc(MAX_BODY_BYTES / 7));
    expect((await endpoints.respond(httpRequest(chunks))).status).toBe(413);
    const never = httpRequest('');
    const url = '/validate/jobs?timeout=10ms';
    const { method, headers } = never;
    const hanging = { method, headers, url, [Symbol.asyncIterator]: hangs };
    expect((await endpoints.respond(hanging)).status).toBe(408);
  });

  test('Replicas that issue or renew certificates at the same time agree on one, and never change a Secret of something else.', async () => {
    await using server = await createApiServer({});
    await using client = createClient({ cluster: server.cluster });
    const secret = { namespace: 'default', name: 'certificates' };
    let now = Date.parse('2026-01-01T00:00:00Z');
    const startAll = async (): Promise<string[]> => {
      const certificates: string[] = [];
      const replicas = [1, 2, 3].map(async () => {
        const options = { client, secret, service: 'webhook', log: loggerOf([]), now: () => now };
        const replica = new CertificateSecret(options);
        await replica.start(({ cert }) => certificates.push(cert));
        replica.stop();
      });
      await Promise.all(replicas);
      return certificates;
    };
    const issued = await startAll();
    now += 60 * 86_400_000;
    const later = await startAll();
    expect([new Set(issued).size, new Set(later).size]).toEqual([1, 1]);
    expect(later).not.toEqual(issued);
    const stored = await client.get(builtin.Secret, secret);
    const foreign = await client.update(builtin.Secret, {
      ...stored,
      metadata: { ...stored.metadata, annotations: {} },
    });
    await expect(startAll()).rejects.toMatchObject({ code: 'CERTIFICATE_SECRET_FOREIGN' });
    expect(await client.get(builtin.Secret, secret)).toEqual(foreign);
  });

  test('Every certificate is renewed before two thirds of its life, and its authority is published before and while it is used.', async () => {
    const day = 86_400_000;
    const hosts = ['webhook.default.svc'];
    let now = Date.parse('2026-01-01T00:00:00Z');
    let state = await renewed(undefined, renewalPlan(undefined, hosts, now), { hosts, now });
    for (const end = now + 400 * day; now < end; now += day) {
      const { authorities: published } = state;
      const plan = renewalPlan(state, hosts, now);
      if (plan.authority !== undefined || plan.serving !== undefined) {
        state = await renewed(state, plan, { hosts, now });
      }
      const certificate = new X509Certificate(state.cert);
      const [from, to] = [certificate.validFrom, certificate.validTo].map(Date.parse);
      expect((now - Number(from)) / (Number(to) - Number(from))).toBeLessThan(2 / 3);
      for (const authorities of [published, state.authorities]) {
        const issuers = authorities.map((each) => new X509Certificate(each));
        expect(issuers.some((issuer) => certificate.checkIssued(issuer))).toBe(true);
      }
    }
  });

  test('Two webhooks of one server have neither the same name nor the same path.', async () => {
    const { endpoints } = endpointsOf();
    const validate = (): void => undefined;
    endpoints.add({ name: 'jobs', resource: Job, validate });
    const again = (name: string, path: string) => (): void =>
      endpoints.add({ name, path, resource: Job, validate });
    const refused = expect.objectContaining({ code: 'DUPLICATE_WEBHOOK' });
    expect(again('jobs', '/other')).toThrow(refused);
    expect(again('other', '/validate/jobs')).toThrow(refused);
    // A refused webhook is not served.
    expect((await send(endpoints, reviewWith(), { url: '/other' })).status).toBe(404);
  });

  test('Invalid options throw at the call, and the error names the option.', () => {
    const { endpoints } = endpointsOf();
    const options = { name: 'jobs', resource: Job, validate: () => undefined };
    const failing = (): void => endpoints.add({ ...options, timeoutSeconds: 31 });
    expect(failing).toThrow('option=WebhookEndpoints.add.timeoutSeconds');
    expect(() => deny('no', { code: 200 })).toThrow('option=deny.code');
  });
});

async function* hangs(): AsyncGenerator<Uint8Array> {
  await Promise.withResolvers<void>().promise;
  yield Buffer.alloc(0);
}
