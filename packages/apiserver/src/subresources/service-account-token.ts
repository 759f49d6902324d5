import { apiAudience, type ServiceAccountTokens } from '../auth/service-account-tokens.ts';
import { timestamp } from '../clock.ts';
import { answerValue } from '../http/object-answer.ts';
import type { SubresourceHandler } from '../http/resource-router.ts';
import { notFound } from '../status-answers.ts';
import { decodeObject } from '../verbs/object-body.ts';

const defaultSeconds = 3600;

/** client-go writes what it leaves open as null. */
interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null;
  readonly expirationSeconds?: number | null;
}

/** Answers a TokenRequest with a token of the service account, with which one may come back. */
export function tokenHandler(tokens: ServiceAccountTokens, now: () => number): SubresourceHandler {
  return async (request, resource) => {
    const contentType = request.headers['content-type'];
    const { value } = await decodeObject(await request.body(), contentType, 'TokenRequest');
    const account = resource.store.get(resource.key(request.info));
    if (account === undefined) throw notFound(resource.subject(request.info.name));
    const { spec } = value as { spec?: TokenRequestSpec | null };
    const expirationSeconds = spec?.expirationSeconds ?? defaultSeconds;
    const asked = spec?.audiences ?? [];
    const audiences = asked.length === 0 ? [apiAudience] : asked;
    const expires = Math.floor(now() / 1000) + expirationSeconds;
    const { namespace = '', name = '', uid = '' } = account.metadata;
    await answerValue(request, 201, {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, creationTimestamp: timestamp(now()) },
      spec: { ...spec, audiences, expirationSeconds },
      status: {
        token: tokens.issue({ namespace, name, uid, audiences, expires }),
        expirationTimestamp: timestamp(expires * 1000),
      },
    });
  };
}
