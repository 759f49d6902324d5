import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  gate,
  nothing,
  recordingLogger,
  useFakeTime,
} from '../../testing/fixtures.test-support.ts';
import { DelegatedAccess } from './delegated-access.ts';

interface Review {
  readonly kind: string;
  readonly spec: { token?: string; user?: string; nonResourceAttributes?: object };
}

let reviews: Review[];
let lines: Record<string, unknown>[];
let access: DelegatedAccess;
/** Responds to the reviews; a test may replace it. */
let respond: (review: Review) => Promise<object>;

/** Tokens that begin with `valid` belong to users of the same name; those with `reader` in the name may read. */
async function reviewOf({ kind, spec: { token = '', user = '' } }: Review): Promise<object> {
  if (kind === 'SubjectAccessReview') return { allowed: user.includes('reader') };
  return token.startsWith('valid')
    ? {
        authenticated: true,
        user: { username: token, uid: '7', groups: ['g'], extra: { k: ['v'] } },
      }
    : { authenticated: false, error: 'secret reason' };
}

beforeEach(() => {
  reviews = [];
  respond = reviewOf;
  const recording = recordingLogger();
  lines = recording.lines;
  const create = async (_resource: unknown, review: Review): Promise<object> => {
    reviews.push(review);
    return { ...review, status: await respond(review) };
  };
  access = new DelegatedAccess({
    server: 'metrics',
    client: { create: create as never },
    log: recording.logger,
  });
});

afterEach(() => {
  jest.useRealTimers();
});

const refusalOf = (
  authorization: string | undefined,
  path = '/metrics',
): ReturnType<DelegatedAccess['refusalOf']> =>
  access.refusalOf({ socket: {}, headers: { authorization } } as IncomingMessage, path);

const statusOf = async (authorization?: string, path?: string): Promise<number> =>
  (await refusalOf(authorization, path))?.status ?? 200;

const countOf = (kind: string): number => reviews.filter((review) => review.kind === kind).length;

describe('delegated access', () => {
  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Bearer a b'])(
    'refuses the header %j with 401 and without a review',
    async (header) => {
      expect(await refusalOf(header)).toEqual({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        body: 'unauthorized\n',
      });
      expect(reviews).toEqual([]);
    },
  );

  test('refuses an invalid token with 401 and without the reason', async () => {
    expect(await refusalOf('Bearer stolen')).toMatchObject({ status: 401, body: 'unauthorized\n' });
  });

  test('refuses a user without permission with 403 and without details', async () => {
    expect(await refusalOf('Bearer valid')).toEqual({ status: 403, body: 'forbidden\n' });
  });

  test('asks whether the user of the token may get the path', async () => {
    expect(await statusOf('bearer valid-reader', '/metrics')).toBe(200);
    expect(reviews).toMatchObject([
      { kind: 'TokenReview', spec: { token: 'valid-reader' } },
      {
        kind: 'SubjectAccessReview',
        spec: {
          user: 'valid-reader',
          uid: '7',
          groups: ['g'],
          extra: { k: ['v'] },
          nonResourceAttributes: { path: '/metrics', verb: 'get' },
        },
      },
    ]);
  });

  test('reviews the token of X-Keelson-Token, which a proxy does not remove', async () => {
    const headers = { authorization: 'Bearer of-the-proxy', 'x-keelson-token': 'valid-reader' };
    const request = { socket: {}, headers: headers as object } as IncomingMessage;
    expect(await access.refusalOf(request, '/a')).toBeUndefined();
    expect(reviews[0]?.spec.token).toBe('valid-reader');
  });

  test('asks for the verb of a POST request, apart from that of a GET request', async () => {
    expect(await statusOf('bearer valid-reader', '/a')).toBe(200);
    const headers = { authorization: 'bearer valid-reader' };
    const post = { socket: {}, headers, method: 'POST' } as IncomingMessage;
    expect(await access.refusalOf(post, '/a')).toBeUndefined();
    const verbs = reviews.map(({ spec }) => spec.nonResourceAttributes).filter((one) => one);
    expect(verbs).toEqual([
      { path: '/a', verb: 'get' },
      { path: '/a', verb: 'post' },
    ]);
  });

  test('a denial of one authorizer overrides the permission of another', async () => {
    respond = async (review) => ({ ...(await reviewOf(review)), denied: true });
    expect(await statusOf('Bearer valid-reader')).toBe(403);
  });

  test('shares one review among 1000 concurrent requests, and keeps its result', async () => {
    const sent = gate();
    respond = async (review) => {
      await sent.opened;
      return reviewOf(review);
    };
    const statuses = Array.from({ length: 1000 }, () => statusOf('Bearer valid-reader'));
    sent.open();
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    for (let at = 0; at < 1000; at += 1) await statusOf('Bearer valid-reader');
    expect([countOf('TokenReview'), countOf('SubjectAccessReview')]).toEqual([1, 1]);
  });

  test('reviews each path apart', async () => {
    await statusOf('Bearer valid-reader', '/metrics');
    await statusOf('Bearer valid-reader', '/other');
    expect([countOf('TokenReview'), countOf('SubjectAccessReview')]).toEqual([1, 2]);
  });

  test.each([
    ['an accepted token and a permission', 'Bearer valid-reader', 60_000, [2, 2]],
    ['a refused token', 'Bearer stolen', 30_000, [2, 0]],
    ['a denied permission', 'Bearer valid', 30_000, [1, 2]],
  ])('keeps %s for its lifetime', async (_name, header, lifetime, counts) => {
    useFakeTime();
    const status = await statusOf(header);
    await jest.advanceTimersByTimeAsync(lifetime - 1);
    expect(await statusOf(header)).toBe(status);
    const before = reviews.length;
    await jest.advanceTimersByTimeAsync(1);
    expect(await statusOf(header)).toBe(status);
    expect(reviews.length).toBeGreaterThan(before);
    expect([countOf('TokenReview'), countOf('SubjectAccessReview')]).toEqual(counts);
  });

  test('responds with 500 while reviews fail, repeats them each second and logs the first failure', async () => {
    useFakeTime();
    respond = () => Promise.reject(new Error('the API server is away'));
    expect(await refusalOf('Bearer valid-reader')).toEqual({
      status: 500,
      body: 'internal error\n',
    });
    expect(await statusOf('Bearer valid-reader')).toBe(500);
    expect(reviews).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1000);
    expect(await statusOf('Bearer valid-reader')).toBe(500);
    expect(reviews).toHaveLength(2);
    expect(lines).toMatchObject([
      { level: 'error', server: 'metrics', review: 'TokenReview', message: 'review failed' },
    ]);
    respond = reviewOf;
    await jest.advanceTimersByTimeAsync(1000);
    expect(await statusOf('Bearer valid-reader')).toBe(200);
  });

  test('starts at most 30 reviews of a kind per second, and refuses further tokens with 503', async () => {
    useFakeTime();
    await statusOf('Bearer valid-reader');
    const statuses: number[] = [];
    for (let at = 0; at < 100; at += 1) statuses.push(await statusOf(`Bearer stolen-${at}`));
    expect(statuses.filter((status) => status === 401)).toHaveLength(29);
    expect(statuses.filter((status) => status === 503)).toHaveLength(71);
    expect(countOf('TokenReview')).toBe(30);
    expect(await statusOf('Bearer valid-reader')).toBe(200);
    await jest.advanceTimersByTimeAsync(1000);
    expect(await statusOf('Bearer stolen-99')).toBe(401);
  });

  test('runs at most 8 reviews at a time, each for 10 s, while the API server hangs', async () => {
    useFakeTime();
    const hangs = gate();
    respond = async () => {
      await hangs.opened;
      return {};
    };
    const statuses = Array.from({ length: 20 }, (_, at) => statusOf(`Bearer token-${at}`));
    await jest.advanceTimersByTimeAsync(9999);
    expect(countOf('TokenReview')).toBe(8);
    await jest.advanceTimersByTimeAsync(1);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([500]));
    hangs.open();
  });

  test('invalid tokens evict no valid one', async () => {
    useFakeTime();
    await statusOf('Bearer valid-reader');
    for (let at = 0; at < 1100; at += 1) {
      if (at % 29 === 0) await jest.advanceTimersByTimeAsync(1000);
      await statusOf(`Bearer stolen-${at}`);
    }
    const before = reviews.length;
    expect(await statusOf('Bearer valid-reader')).toBe(200);
    expect(reviews).toHaveLength(before);
  });

  test('keeps the results of the 1000 latest valid tokens', async () => {
    useFakeTime();
    for (let at = 0; at <= 1000; at += 1) {
      if (at % 29 === 0) await jest.advanceTimersByTimeAsync(1000);
      await statusOf(`Bearer valid-${at}`);
    }
    const before = countOf('TokenReview');
    await statusOf('Bearer valid-1');
    expect(countOf('TokenReview')).toBe(before);
    await statusOf('Bearer valid-0');
    expect(countOf('TokenReview')).toBe(before + 1);
  });

  test('writes no token to its log', async () => {
    respond = (review) =>
      review.kind === 'TokenReview' ? reviewOf(review) : Promise.reject(new Error('away'));
    await statusOf('Bearer stolen-secret');
    await statusOf('Bearer valid-secret').catch(nothing);
    // The user of this fake has the name of its token, and a review of access has no token.
    expect(JSON.stringify(lines)).not.toContain('stolen-secret');
    expect(JSON.stringify(lines)).not.toContain('valid-secret');
  });
});
