import { describe, expect, test } from '@jest/globals';
import { deny } from './index.ts';
import { MAX_BODY_BYTES } from './http/review-body.ts';
import {
  endpointsOf,
  httpRequest,
  Job,
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

  test('Two webhooks of one server have neither the same name nor the same path.', () => {
    const { endpoints } = endpointsOf();
    const validate = (): void => undefined;
    endpoints.add({ name: 'jobs', resource: Job, validate });
    const again = (name: string, path: string) => (): void =>
      endpoints.add({ name, path, resource: Job, validate });
    const refused = expect.objectContaining({ code: 'DUPLICATE_WEBHOOK' });
    expect(again('jobs', '/other')).toThrow(refused);
    expect(again('other', '/validate/jobs')).toThrow(refused);
    expect(endpoints.webhooks.map(({ name }) => name)).toEqual(['jobs']);
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
