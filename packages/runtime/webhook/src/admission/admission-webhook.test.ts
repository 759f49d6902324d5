import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  endpointsOf,
  Job,
  jobOf,
  patchOf,
  reviewWith,
  send,
} from '../testing/reviews.test-support.ts';
import { deny } from './denial.ts';

const mutating = { url: '/mutate/jobs' };

describe('AdmissionWebhook', () => {
  test('allows a request for which validate returns nothing', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', resource: Job, validate: () => undefined });
    const { status, type, body } = await send(endpoints, reviewWith());
    expect([status, type]).toEqual([200, 'application/json']);
    expect(JSON.parse(body)).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: true },
    });
  });

  test('sends the code, the reason and the causes of a denial', async () => {
    const { endpoints } = endpointsOf();
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.schedule', message: 'too often' }];
    endpoints.add({ name: 'jobs', resource: Job, validate: () => deny('no', { causes }) });
    const { status, response } = await send(endpoints, reviewWith());
    expect(status).toBe(200);
    expect(response).toEqual({
      uid: 'u1',
      allowed: false,
      status: {
        status: 'Failure',
        code: 422,
        reason: 'Invalid',
        message: 'no',
        details: { causes },
      },
    });
  });

  test('passes the objects of the operation, the user and the facts of the request', async () => {
    const { endpoints, lines } = endpointsOf();
    const seen: unknown[] = [];
    endpoints.add({
      name: 'jobs',
      resource: Job,
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      validate(review) {
        const { operation, object, oldObject, user, dryRun, namespace, log } = review;
        seen.push([operation, object?.spec, oldObject?.spec, user.username, dryRun, namespace]);
        log.info({}, 'reviewed');
      },
    });
    const [old, current] = [jobOf({ schedule: 'a' }), jobOf({ schedule: 'b' })];
    await send(endpoints, reviewWith({ object: current, dryRun: true }));
    await send(endpoints, reviewWith({ operation: 'UPDATE', object: current, oldObject: old }));
    await send(endpoints, reviewWith({ operation: 'DELETE', object: null, oldObject: old }));
    expect(seen).toEqual([
      ['CREATE', { schedule: 'b' }, undefined, 'jane', true, 'default'],
      ['UPDATE', { schedule: 'b' }, { schedule: 'a' }, 'jane', false, 'default'],
      ['DELETE', undefined, { schedule: 'a' }, 'jane', false, 'default'],
    ]);
    expect(lines[0]?.facts).toEqual({
      webhook: 'jobs',
      kind: 'Job',
      namespace: 'default',
      name: 'nightly',
      operation: 'CREATE',
      uid: 'u1',
    });
  });

  test('sends warnings and audit annotations, also with a denial', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({
      name: 'jobs',
      resource: Job,
      validate({ warn, audit }) {
        warn('schedule is deprecated');
        audit('checked-by', 'jobs');
        return deny('no', { code: 400 });
      },
    });
    const { response } = await send(endpoints, reviewWith());
    expect(response).toMatchObject({
      allowed: false,
      status: { code: 400, reason: 'BadRequest' },
      warnings: ['schedule is deprecated'],
      auditAnnotations: { 'checked-by': 'jobs' },
    });
  });

  test.each([
    ['a changed draft', 'draft'],
    ['a returned object', 'result'],
  ])('sends the JSON patch of %s', async (_, way) => {
    const { endpoints } = endpointsOf();
    endpoints.add({
      name: 'jobs',
      resource: Job,
      mutate({ object, original }) {
        if (way === 'result') return { ...original, spec: { ...original.spec, limit: 3 } };
        object.spec.limit = 3;
        expect(original.spec.limit).toBeUndefined();
        return undefined;
      },
    });
    const { response } = await send(endpoints, reviewWith(), mutating);
    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(patchOf(response)).toEqual([{ op: 'add', path: '/spec/limit', value: 3 }]);
  });

  test('keeps the digits of integers beyond 2^53 in the values of a patch', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({
      name: 'jobs',
      resource: Job,
      mutate: ({ original }) => ({ ...original, spec: { ...original.spec, ids: [original.spec] } }),
    });
    const object = jobOf({ schedule: 'a', limit: 7 });
    const text = JSON.stringify(reviewWith({ object })).replace('7', '9007199254740993');
    const { response } = await send(endpoints, text, mutating);
    const patch = Buffer.from(String(response['patch']), 'base64').toString();
    expect(patch).toBe(
      '[{"op":"add","path":"/spec/ids","value":[{"schedule":"a","limit":9007199254740993}]}]',
    );
  });

  test('keeps the digits of an integer beyond 2^53 that the old object has, after those of the object', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({
      name: 'jobs',
      resource: Job,
      mutate({ object, oldObject }) {
        object.spec.ids = [oldObject?.spec.limit, object.spec.limit];
      },
    });
    const text = JSON.stringify(
      reviewWith({
        operation: 'UPDATE',
        object: jobOf({ schedule: 'a', limit: 8 }),
        oldObject: jobOf({ schedule: 'a', limit: 7 }),
      }),
    );
    const sentWith = async (old: string, current: string): Promise<string> => {
      const body = text.replace('"limit":7', `"limit":${old}`);
      const { response } = await send(
        endpoints,
        body.replace('"limit":8', `"limit":${current}`),
        mutating,
      );
      return Buffer.from(String(response['patch']), 'base64').toString();
    };
    expect(await sentWith('9007199254740993', '1')).toContain('"value":[9007199254740993,1]');
    expect(await sentWith('9007199254740993', '9007199254740995')).toContain(
      '"value":[9007199254740993,9007199254740995]',
    );
    // Both are rounded to the same number, which the handler copies from an object that it sees as unchanged.
    expect(await sentWith('9007199254740993', '9007199254740992')).toContain(
      '"value":[9007199254740992,9007199254740992]',
    );
  });

  test('leaves the path of a patch as it is beside an integer beyond 2^53', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({
      name: 'jobs',
      resource: Job,
      mutate({ object }) {
        object.metadata = { ...object.metadata, annotations: { '9007199254740992': 'b' } };
      },
    });
    const object = jobOf({ limit: 7 }, { annotations: { '9007199254740992': 'a' } });
    const text = JSON.stringify(reviewWith({ object })).replace(':7', ':9007199254740993');
    const { response } = await send(endpoints, text, mutating);
    expect(patchOf(response)).toEqual([
      { op: 'replace', path: '/metadata/annotations/9007199254740992', value: 'b' },
    ]);
  });

  test('refuses a patch with a number to which two integers of the object are rounded', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({
      name: 'jobs',
      resource: Job,
      mutate: ({ original }) => ({ ...original, spec: { ...original.spec, copy: original.spec } }),
    });
    const text = JSON.stringify(reviewWith({ object: jobOf({ ids: ['a', 7, 8] }) }))
      .replace(',7,', ',9007199254740993,')
      .replace(',8]', ',9007199254740992]');
    const { status, body } = await send(endpoints, text, mutating);
    expect([status, body]).toEqual([
      500,
      expect.stringMatching(/^WEBHOOK_RESULT: .*9007199254740993/),
    ]);
  });

  test('sends no patch for an object that mutate leaves as it is', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', resource: Job, mutate: ({ object }) => object });
    const { response } = await send(endpoints, reviewWith(), mutating);
    expect(response).toEqual({ uid: 'u1', allowed: true });
  });

  test('reviews several kinds, and every kind with *', async () => {
    const { endpoints } = endpointsOf();
    const kinds: string[] = [];
    const pod = {
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
    };
    endpoints.add({
      name: 'some',
      resource: [Job, builtin.ConfigMap],
      validate: ({ request }) => void kinds.push(request.kind.kind),
    });
    endpoints.add({
      name: 'all',
      resource: '*',
      validate: ({ object }) => void kinds.push(object?.kind ?? ''),
    });
    expect((await send(endpoints, reviewWith(), { url: '/validate/some' })).status).toBe(200);
    expect((await send(endpoints, reviewWith(pod), { url: '/validate/some' })).status).toBe(400);
    expect((await send(endpoints, reviewWith(pod), { url: '/validate/all' })).status).toBe(200);
    expect(kinds).toEqual(['Job', 'Job']);
  });

  test.each([
    ['another kind', { resource: { group: '', version: 'v1', resource: 'pods' } }],
    [
      'another version',
      { resource: { group: 'batch.example.com', version: 'v2', resource: 'jobs' } },
    ],
    ['another operation', { operation: 'DELETE', oldObject: jobOf() }],
    ['a subresource', { subResource: 'status' }],
  ])('refuses a review of %s before the handler', async (_, members) => {
    const { endpoints } = endpointsOf();
    const validate = (): never => {
      throw new Error('called');
    };
    endpoints.add({ name: 'jobs', resource: Job, validate });
    const { status, body } = await send(endpoints, reviewWith(members));
    expect([status, body.split(':')[0]]).toEqual([400, 'REVIEW_UNEXPECTED']);
  });

  test('reviews a subresource', async () => {
    const { endpoints } = endpointsOf();
    const seen: unknown[] = [];
    endpoints.add({
      name: 'jobs',
      resource: Job,
      subresource: 'scale',
      validate: ({ object }) => void seen.push(object?.kind),
    });
    const object = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'nightly' } };
    await send(endpoints, reviewWith({ subResource: 'scale', object }));
    expect(seen).toEqual(['Scale']);
  });

  test('names the mistake of a handler that throws a denial', async () => {
    const { endpoints } = endpointsOf();
    const validate = (): never => {
      // oxlint-disable-next-line typescript/only-throw-error -- the mistake
      throw deny('no');
    };
    endpoints.add({ name: 'jobs', resource: Job, validate });
    const { status, body } = await send(endpoints, reviewWith());
    expect([status, body]).toEqual([500, expect.stringContaining('must be returned, not thrown')]);
  });

  test.each([
    ['true', () => true as never],
    ['a text', () => 'no' as never],
    ['an object', () => ({ allowed: false }) as never],
  ])('refuses %s as result of validate', async (_, validate) => {
    const { endpoints, lines } = endpointsOf();
    endpoints.add({ name: 'jobs', resource: Job, validate });
    const { status, body } = await send(endpoints, reviewWith());
    expect([status, body.split(':')[0]]).toEqual([500, 'WEBHOOK_RESULT']);
    expect(lines).toEqual([expect.objectContaining({ level: 'error', message: 'webhook failed' })]);
  });

  test.each([
    ['a text', () => 'changed'],
    ['a list', () => []],
    ['another kind', ({ original }) => ({ ...original, kind: 'Other' })],
    ['no metadata', ({ original }) => ({ ...original, metadata: undefined })],
    ['a function', ({ original }) => ({ ...original, spec: { schedule: () => 'x' } })],
    ['NaN', ({ original }) => ({ ...original, spec: { schedule: 'x', limit: Number.NaN } })],
    ['a promise inside', ({ original }) => ({ ...original, spec: { ids: Promise.resolve([1]) } })],
    ['a Map inside', ({ original }) => ({ ...original, spec: { ids: [new Map([['a', 1]])] } })],
    ['a bigint', ({ original }) => ({ ...original, spec: { schedule: 1n } })],
  ] as [string, (review: { original: object }) => unknown][])(
    'refuses %s as result of mutate',
    async (_, mutate) => {
      const { endpoints } = endpointsOf();
      endpoints.add({ name: 'jobs', resource: Job, mutate: mutate as never });
      const { status, body } = await send(endpoints, reviewWith(), mutating);
      expect([status, body.split(':')[0]]).toEqual([500, 'WEBHOOK_RESULT']);
    },
  );

  test('mutate of DELETE has no object to change, and may refuse the request', async () => {
    const { endpoints } = endpointsOf();
    const review = reviewWith({ operation: 'DELETE', object: null, oldObject: jobOf() });
    endpoints.add({
      name: 'jobs',
      resource: Job,
      operations: ['DELETE'],
      mutate: ({ oldObject }) => (oldObject.spec.limit === 1 ? oldObject : undefined),
    });
    expect((await send(endpoints, review, mutating)).response).toEqual({
      uid: 'u1',
      allowed: true,
    });
    const old = jobOf({ schedule: 'x', limit: 1 });
    const changed = reviewWith({ operation: 'DELETE', object: null, oldObject: old });
    expect((await send(endpoints, changed, mutating)).body).toContain('DELETE has no object');
  });

  test.each([
    ['an empty warning', ({ warn }) => warn('')],
    ['an audit key with a prefix', ({ audit }) => audit('a/b', 'c')],
    ['a denial with a code of success', () => void deny('no', { code: 200 })],
    ['a denial without a message', () => void deny('')],
  ] as [
    string,
    (review: { warn: (text: string) => void; audit: (key: string, value: string) => void }) => void,
  ][])('fails the review for %s', async (_, validate) => {
    const { endpoints, lines } = endpointsOf();
    endpoints.add({ name: 'jobs', resource: Job, validate });
    const { status } = await send(endpoints, reviewWith());
    const { err } = (lines[0]?.facts ?? {}) as { err?: Error };
    expect([status, err?.cause]).toEqual([
      500,
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    ]);
  });
});

describe('a webhook of a kind', () => {
  const refused = Object.assign(new Error('invalid'), {
    code: 'OBJECT_INVALID',
    causes: [
      { reason: 'FieldValueInvalid', field: 'spec.schedule', message: 'Invalid value: no cron' },
    ],
  });
  const parsed: unknown[] = [];
  const kind = {
    resource: Job,
    parse(object: unknown, options: unknown) {
      parsed.push(options);
      const { spec } = object as Job;
      if (spec.schedule === 'broken') throw new TypeError('a bug');
      if (spec.schedule === 'never') throw refused;
      return object as Job;
    },
  };

  test('refuses an object that the schema refuses, in the words of the API server', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', kind });
    const old = jobOf();
    const members = { operation: 'UPDATE', object: jobOf({ schedule: 'never' }), oldObject: old };
    const { response } = await send(endpoints, reviewWith(members));
    expect(response).toMatchObject({
      allowed: false,
      status: {
        code: 422,
        reason: 'Invalid',
        message:
          'Job.batch.example.com "nightly" is invalid: spec.schedule: Invalid value: no cron',
        details: { causes: refused.causes },
      },
    });
    expect(parsed).toEqual([{ unknownFields: 'drop', old }]);
    expect((await send(endpoints, reviewWith())).response).toMatchObject({ allowed: true });
  });

  test('accepts an invalid object that is being deleted, so that its finalizer can go', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', kind });
    const object = jobOf({ schedule: 'never' }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const members = { operation: 'UPDATE', object, oldObject: object };
    expect((await send(endpoints, reviewWith(members))).response).toMatchObject({ allowed: true });
  });

  test('calls validate after the schema, and fails for another error of it', async () => {
    const { endpoints } = endpointsOf();
    endpoints.add({ name: 'jobs', kind, validate: ({ object }) => deny(object.spec.schedule) });
    const { response } = await send(endpoints, reviewWith());
    expect(response).toMatchObject({ status: { message: '* * * * *', code: 403 } });
    const broken = await send(endpoints, reviewWith({ object: jobOf({ schedule: 'broken' }) }));
    expect([broken.status, broken.body.split(':')[0]]).toEqual([500, 'WEBHOOK_FAILED']);
  });
});
