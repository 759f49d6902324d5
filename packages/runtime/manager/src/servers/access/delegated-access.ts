import type { IncomingMessage } from 'node:http';
import { builtin } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { Logger } from '../../logging/logger.ts';
import { BoundedRequests } from '../bounded-requests.ts';
import type { PlainResponse } from '../http-server.ts';
import { certificateIdentity, sentToken, type Identity } from './identity.ts';
import { ReviewCache, TooManyReviews } from './review-cache.ts';

export interface DelegatedAccessOptions {
  /** The name of the server, for logs. */
  readonly server: string;
  readonly client: Pick<Client, 'create'>;
  readonly log: Logger;
}

/** Milliseconds for one review: the `TokenAccessReviewTimeout` of controller-runtime. */
const REVIEW_TIMEOUT_MS = 10_000;
/**
 * The most reviews that run at the same time. Clients without permission cause reviews too, and a hanging API server must
 * leave most of the 64 connections of the client to the operator.
 */
const MAX_RUNNING_REVIEWS = 8;

const UNAUTHORIZED: PlainResponse = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer' },
  body: 'unauthorized\n',
};
const FORBIDDEN: PlainResponse = { status: 403, body: 'forbidden\n' };
const UNAVAILABLE: PlainResponse = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: 'service unavailable\n',
};
/** The verb of a non-resource URL. A HEAD request counts as `get`. */
type Verb = 'get' | 'post';

interface ReviewedAccess {
  readonly identity: Identity;
  readonly path: string;
  readonly verb: Verb;
}

const FAILED: PlainResponse = { status: 500, body: 'internal error\n' };

/**
 * Asks the API server whether a client may read a path. A TokenReview names the user of a bearer token, and a
 * SubjectAccessReview decides whether the user may `get`, or for a POST request `post`, the path as non-resource URL. No response and no log contains
 * a token.
 */
export class DelegatedAccess {
  readonly #options: DelegatedAccessOptions;
  readonly #identities = new ReviewCache<Identity>();
  readonly #permissions = new ReviewCache<true>();
  /** No review ends with the connection of its client, because others wait for the same result. */
  readonly #reviews = new BoundedRequests({
    running: MAX_RUNNING_REVIEWS,
    timeout: REVIEW_TIMEOUT_MS,
  });
  /** The kinds of review whose last request failed; the first failure in a row is logged. */
  readonly #failing = new Set<string>();

  constructor(options: DelegatedAccessOptions) {
    this.#options = options;
  }

  /** Returns the response to a request that is not allowed, and `undefined` for an allowed one. */
  async refusalOf(
    { socket, headers, method }: IncomingMessage,
    path: string,
  ): Promise<PlainResponse | undefined> {
    try {
      const identity = certificateIdentity(socket) ?? (await this.#identityOf(sentToken(headers)));
      if (identity === undefined) return UNAUTHORIZED;
      const verb = method === 'POST' ? 'post' : 'get';
      if (await this.#isAllowed(identity, path, verb)) return undefined;
      const { server, log } = this.#options;
      log.debug({ server, user: identity.user, path }, 'access denied');
      return FORBIDDEN;
    } catch (error) {
      return error instanceof TooManyReviews ? UNAVAILABLE : FAILED;
    }
  }

  async #identityOf(token: string | undefined): Promise<Identity | undefined> {
    if (token === undefined) return undefined;
    return this.#identities.get(token, () =>
      this.#reviewed('TokenReview', (signal) => this.#reviewToken(token, signal)),
    );
  }

  async #isAllowed(identity: Identity, path: string, verb: Verb): Promise<boolean> {
    const facts = JSON.stringify([identity, path, verb]);
    const allowed = await this.#permissions.get(facts, () =>
      this.#reviewed('SubjectAccessReview', (signal) =>
        this.#reviewAccess({ identity, path, verb }, signal),
      ),
    );
    return allowed === true;
  }

  async #reviewToken(token: string, signal: AbortSignal): Promise<Identity | undefined> {
    const { status } = await this.#options.client.create(
      builtin.TokenReview,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
      { signal },
    );
    const { username = '', uid, groups, extra } = status?.user ?? {};
    if (status?.authenticated !== true || username === '') return undefined;
    return {
      user: username,
      ...(uid !== undefined && { uid }),
      ...(groups !== undefined && { groups }),
      ...(extra !== undefined && { extra }),
    };
  }

  async #reviewAccess(
    { identity, path, verb }: ReviewedAccess,
    signal: AbortSignal,
  ): Promise<true | undefined> {
    const { status } = await this.#options.client.create(
      builtin.SubjectAccessReview,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        // A HEAD request reads the same facts as a GET request.
        spec: { ...identity, nonResourceAttributes: { path, verb } },
      },
      { signal },
    );
    return status?.allowed === true && status.denied !== true ? true : undefined;
  }

  /** Logs the first failure since the last success, because scrapes arrive every few seconds. */
  async #reviewed<T>(kind: string, review: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { server, log } = this.#options;
    try {
      const result = await this.#reviews.run(review);
      this.#failing.delete(kind);
      return result;
    } catch (error) {
      if (!this.#failing.has(kind))
        log.error({ server, review: kind, err: error }, 'review failed');
      this.#failing.add(kind);
      throw error;
    }
  }
}
