import { afterEach, describe, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { WebhookError } from '../errors.ts';
import {
  endpointsOf,
  httpRequest,
  Job,
  jobOf,
  requestOf,
  reviewWith,
  send,
} from '../testing/reviews.test-support.ts';
import { deny } from '../admission/denial.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

afterEach(() => {
  jest.useRealTimers();
});

function allowing(): ReturnType<typeof endpointsOf> {
  const made = endpointsOf();
  made.endpoints.add({ name: 'jobs', resource: Job, validate: () => undefined });
  return made;
}

describe('WebhookEndpoints', () => {
  test.each([
    ['an unknown path', { url: '/validate/other' }, 404],
    ['a path below a webhook', { url: '/validate/jobs/a' }, 404],
    ['a path that is no URL', { url: 'https://' }, 404],
    ['GET', { method: 'GET' }, 405],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['a longer content type', { headers: { 'content-type': 'application/json-patch+json' } }, 415],
    ['a declared length above the limit', { headers: { 'content-length': '7340033' } }, 413],
  ])('refuses %s', async (_, sent, status) => {
    const { endpoints } = allowing();
    expect((await send(endpoints, reviewWith(), sent)).status).toBe(status);
  });

  test('accepts a content type with a charset', async () => {
    const { endpoints } = allowing();
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await send(endpoints, reviewWith(), { headers })).status).toBe(200);
  });

  test('stops to read a body above the limit', async () => {
    const { endpoints } = allowing();
    let chunks = 0;
    const endless = {
      *[Symbol.iterator](): Generator<Uint8Array> {
        for (;;) {
          chunks += 1;
          yield Buffer.alloc(1024 * 1024);
        }
      },
    };
    const { status, body } = await endpoints.respond(httpRequest(endless));
    expect([status, body.split(':')[0]]).toEqual([413, 'REVIEW_TOO_LARGE']);
    expect(chunks).toBeLessThan(32);
  });

  test('a body that does not arrive ends at the deadline of the API server', async () => {
    jest.useFakeTimers();
    const { endpoints } = allowing();
    const request = httpRequest('', { url: '/validate/jobs?timeout=3s' });
    const hanging = { ...request, url: request.url, [Symbol.asyncIterator]: hangs };
    const response = endpoints.respond({ ...hanging, method: 'POST', headers: request.headers });
    await jest.advanceTimersByTimeAsync(2999);
    await expect(Promise.race([response, Promise.resolve('waits')])).resolves.toBe('waits');
    await jest.advanceTimersByTimeAsync(1);
    const { status, body } = await response;
    expect([status, body.split(':')[0]]).toEqual([408, 'REVIEW_INCOMPLETE']);
  });

  test.each([
    ['3s', 3000],
    ['500ms', 500],
    ['1m', 30_000],
    ['', 7000],
    ['soon', 7000],
    ['0s', 7000],
  ])('a handler has the time of the query timeout=%s', async (timeout, expected) => {
    jest.useFakeTimers();
    const failures: unknown[] = [];
    const { endpoints } = endpointsOf({
      observer: { failed: (webhook, { code }) => failures.push([webhook, code]) },
    });
    const end = Promise.withResolvers<void>();
    let aborted: unknown;
    endpoints.add({
      name: 'jobs',
      resource: Job,
      timeoutSeconds: 7,
      async validate({ signal }) {
        signal.addEventListener('abort', () => (aborted = signal.reason));
        await end.promise;
      },
    });
    const response = send(endpoints, reviewWith(), { url: `/validate/jobs?timeout=${timeout}` });
    await jest.advanceTimersByTimeAsync(expected - 1);
    expect(aborted).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(aborted).toMatchObject({ name: 'TimeoutError' });
    const { status, body } = await response;
    expect([status, body.split(':')[0]]).toEqual([504, 'WEBHOOK_TIMEOUT']);
    expect(failures).toEqual([['/validate/jobs', 'WEBHOOK_TIMEOUT']]);
    end.resolve();
    expect(jest.getTimerCount()).toBe(0);
  });

  test('a closed connection aborts the signal of the handler', async () => {
    const { endpoints } = endpointsOf();
    const closed = new AbortController();
    const validate = ({ signal }: { signal: AbortSignal }): Promise<void> =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        closed.abort(new Error('closed'));
      });
    endpoints.add({ name: 'jobs', resource: Job, validate });
    const body = JSON.stringify(reviewWith());
    const { status } = await endpoints.respond(httpRequest(body), closed.signal);
    expect(status).toBe(504);
  });

  test('a handler that throws fails the review without its error or a stack', async () => {
    const failures: WebhookError[] = [];
    const { endpoints, lines } = endpointsOf({
      observer: { failed: (_, error) => failures.push(error) },
    });
    const secret = new Error('password=hunter2');
    endpoints.add({ name: 'jobs', resource: Job, validate: () => Promise.reject(secret) });
    const { status, type, body } = await send(endpoints, reviewWith());
    expect([status, type]).toEqual([500, 'text/plain; charset=utf-8']);
    expect(body).toBe('WEBHOOK_FAILED: the handler of the webhook threw an error (webhook=jobs)\n');
    expect(failures.map(({ cause }) => cause)).toEqual([secret]);
    expect(lines).toEqual([expect.objectContaining({ level: 'error', message: 'webhook failed' })]);
  });

  test('reports the start and the status of each request for a webhook', async () => {
    const seen: unknown[] = [];
    const { endpoints } = endpointsOf({
      observer: {
        began: (webhook) => seen.push(['began', webhook]),
        ended: (webhook, status, seconds) => seen.push([webhook, status, seconds >= 0]),
      },
    });
    endpoints.add({ name: 'jobs', resource: Job, validate: () => deny('no') });
    await send(endpoints, reviewWith());
    await send(endpoints, '{');
    await send(endpoints, '{', { url: '/other' });
    expect(seen).toEqual([
      ['began', '/validate/jobs'],
      ['/validate/jobs', 200, true],
      ['began', '/validate/jobs'],
      ['/validate/jobs', 400, true],
    ]);
  });

  test('calls handlers through the given function', async () => {
    const called: string[] = [];
    const { endpoints } = endpointsOf({
      callUser: (webhook) => (act) => {
        called.push(webhook);
        return act();
      },
    });
    endpoints.add({ name: 'jobs', resource: Job, validate: () => undefined });
    await send(endpoints, reviewWith());
    expect(called).toEqual(['jobs']);
  });

  test.each([
    ['no JSON', '{'],
    ['a list', []],
    ['another kind', { ...reviewWith(), kind: 'ConversionReview' }],
    ['another version', { ...reviewWith(), apiVersion: 'admission.k8s.io/v1beta1' }],
    ['no request', { ...reviewWith(), request: undefined }],
    ['no uid', reviewWith({ uid: '' })],
    ['an incomplete kind', reviewWith({ kind: { group: '', version: 'v1' } })],
    ['an incomplete resource', reviewWith({ resource: 'jobs' })],
    ['an unknown operation', reviewWith({ operation: 'PATCH' })],
    ['no user', reviewWith({ userInfo: null })],
    ['no object for CREATE', reviewWith({ object: null })],
    ['no oldObject for UPDATE', reviewWith({ operation: 'UPDATE' })],
    ['an object that is a list', reviewWith({ object: [] })],
    ['a name that is a number', reviewWith({ name: 1 })],
    ['a dryRun that is a text', reviewWith({ dryRun: 'All' })],
  ])('refuses a body with %s', async (_, body) => {
    const { endpoints, lines } = allowing();
    const { status, body: text } = await send(endpoints, body);
    expect([status, text.split(':')[0], lines]).toEqual([400, 'REVIEW_INVALID', []]);
  });

  test('a body that is nested too deeply fails with a code', async () => {
    const { endpoints } = allowing();
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const review = JSON.stringify(reviewWith({ object: 'HERE' })).replace(
      '"HERE"',
      `{"a":${nested}}`,
    );
    const { status, body } = await send(endpoints, review);
    expect([status, body.split(':')[0]]).toEqual([500, 'WEBHOOK_FAILED']);
  });

  test('any JSON is refused with a code or gets a complete review', async () => {
    const { endpoints } = allowing();
    endpoints.add({
      name: 'draft',
      resource: Job,
      mutate: ({ object }) => void (object.spec = { schedule: 'x' }),
    });
    const members = Object.keys(requestOf());
    const near = fc
      .dictionary(fc.constantFrom(...members), fc.oneof(fc.jsonValue(), fc.constant(jobOf())))
      .map((changes) => reviewWith(changes));
    const body = fc
      .oneof(fc.jsonValue(), near, fc.constant(reviewWith()))
      .map((value) => JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.constantFrom('/validate/jobs', '/mutate/draft'),
        async (text, url) => {
          const { status, body: answer, response } = await send(endpoints, text, { url });
          if (status !== 200) {
            expect(status).toBeGreaterThanOrEqual(400);
            expect(answer).toMatch(/^[A-Z_]+: /);
            return;
          }
          const { request } = JSON.parse(text) as { request: { uid: string } };
          expect(response).toMatchObject({ uid: request.uid, allowed: true });
        },
      ),
      { numRuns: Math.ceil(2000 * multiple) },
    );
  });
});

async function* hangs(): AsyncGenerator<Uint8Array> {
  await Promise.withResolvers<void>().promise;
  yield Buffer.alloc(0);
}
