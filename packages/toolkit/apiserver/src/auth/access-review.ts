import { timestamp } from '../schema/clock.ts';
import type { Authenticator, TokenIdentity } from './authenticator.ts';
import type { AccessAttributes, Authorizer } from './authorizer.ts';
import { apiAudience } from './service-account-tokens.ts';
import { authenticatedGroup, type User } from './user.ts';

/** The action in the spec of an access review. */
interface AccessReviewSpec {
  resourceAttributes?: {
    namespace?: string;
    verb?: string;
    group?: string;
    version?: string;
    resource?: string;
    subresource?: string;
    name?: string;
  };
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  groups?: string[];
  uid?: string;
  extra?: Record<string, string[]>;
}

/** A SubjectAccessReview or its self or local form. */
export interface AccessReview {
  spec?: AccessReviewSpec;
}

/** An access review with its decision. */
export type CompletedReview<R> = R & { status: { allowed: boolean; reason?: string } };

export interface TokenReview {
  spec?: { token?: string; audiences?: string[] };
  /** Given by the client. The members that the review does not set are kept. */
  status?: { authenticated?: boolean; user?: object; audiences?: string[]; error?: string };
}

/** Decides whether the caller may perform the action of a SelfSubjectAccessReview. */
export function reviewSelfAccess<R extends AccessReview>(
  review: R,
  caller: User,
  authorizer: Authorizer,
): CompletedReview<R> {
  return withDecision(review, caller, authorizer);
}

/** Decides whether the user in the review may perform the action. */
export function reviewAccess<R extends AccessReview>(
  review: R,
  authorizer: Authorizer,
): CompletedReview<R> {
  const { user = '', groups = [], uid, extra } = review.spec ?? {};
  const subject = {
    name: user,
    groups,
    ...(uid !== undefined && { uid }),
    ...(extra && { extra }),
  };
  return withDecision(review, subject, authorizer);
}

function withDecision<R extends AccessReview>(
  review: R,
  user: User,
  authorizer: Authorizer,
): CompletedReview<R> {
  const { allowed, reason } = authorizer.authorize(attributesOf(review.spec ?? {}, user));
  return { ...review, status: { allowed, ...(reason !== '' && { reason }) } };
}

function attributesOf(spec: AccessReviewSpec, user: User): AccessAttributes {
  const path = spec.nonResourceAttributes;
  if (path !== undefined) {
    return { kind: 'path', user, verb: path.verb ?? '', path: path.path ?? '' };
  }
  const wanted = spec.resourceAttributes ?? {};
  return {
    kind: 'resource',
    user,
    verb: wanted.verb ?? '',
    group: wanted.group ?? '',
    resource: wanted.resource ?? '',
    subresource: wanted.subresource ?? '',
    namespace: wanted.namespace ?? '',
    name: wanted.name ?? '',
  };
}

/** Finds the user of a token; `authenticated` is missing for an unknown token and for one of other audiences. */
export function reviewToken<R extends TokenReview>(
  review: R,
  authenticator: Authenticator,
): R & { status: object } {
  const { token = '', audiences } = review.spec ?? {};
  const targets = audiences === undefined || audiences.length === 0 ? [apiAudience] : audiences;
  const { authenticated: _, ...given } = review.status ?? {};
  const status = tokenStatus(authenticator.identityOf(token), targets);
  return { ...review, status: { user: {}, ...given, ...status } };
}

function tokenStatus(identity: TokenIdentity | undefined, targets: readonly string[]): object {
  if (identity === undefined) return { error: 'invalid bearer token' };
  const audiences = targets.filter((name) => identity.audiences?.includes(name) ?? true);
  if (audiences.length > 0) {
    return { authenticated: true, user: userInfo(identity.user), audiences };
  }
  const [own, wanted] = [identity.audiences ?? [], targets].map(quotedList);
  const error = `[invalid bearer token, token audiences ${own} is invalid for the target audiences ${wanted}]`;
  return { error };
}

function quotedList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

/** Returns the caller (`kubectl auth whoami`) and the time of the request. */
export function reviewSelf<R extends object>(
  review: R,
  caller: User,
  now: number,
): R & { metadata: object; status: object } {
  const metadata = { creationTimestamp: timestamp(now) };
  return { ...review, metadata, status: { userInfo: userInfo(caller) } };
}

function userInfo(user: User): object {
  const groups = user.groups.length === 0 ? [authenticatedGroup] : user.groups;
  return {
    username: user.name,
    ...(user.uid !== undefined && user.uid !== '' && { uid: user.uid }),
    groups,
    ...(user.extra && { extra: user.extra }),
  };
}
