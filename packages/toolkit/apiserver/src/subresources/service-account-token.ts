import type { StatusCause } from '@keelson/apimachinery';
import {
  apiAudience,
  type BoundObject,
  type ServiceAccountTokens,
} from '../auth/service-account-tokens.ts';
import type { NumberText } from '@keelson/structural-schema';
import { timestamp } from '../schema/clock.ts';
import { sendReview } from '../presentation/object-response.ts';
import type { SubresourceHandler } from './subresource-handler.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import { badRequest, conflict, invalid, notFound } from '../status-errors/status-errors.ts';
import type { ApiObject } from '../storage/api-object.ts';
import { orderedMetadata } from '../storage/metadata-order.ts';
import { keyOfMetadata, type StoredObject } from '../storage/stored-object.ts';
import type { AdmissionChain } from '../admission/admission-chain.ts';
import { admitBody } from '../verbs/writes/admit-body.ts';
import { postedBody } from '../verbs/writes/posted-body.ts';

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

/** Plural names of the kinds to which a token may be bound. */
const boundPlurals: ReadonlyMap<string, BoundObject['plural']> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
]);

/** The spec of a request. client-go sends null for unset fields. */
interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null;
  /** A `NumberText` if it has a fraction or exceeds 2^53. */
  readonly expirationSeconds?: number | NumberText | null;
  readonly boundObjectRef?: BoundObjectReference | null;
}

interface BoundObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface TokenContext {
  readonly tokens: ServiceAccountTokens;
  readonly registry: ResourceRegistry;
  readonly admission: AdmissionChain;
  readonly now: () => number;
}

const tokenRequestKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };

/** Creates the handler of `serviceaccounts/token`, which responds with a signed token. */
export function tokenHandler({
  tokens,
  registry,
  admission,
  now,
}: TokenContext): SubresourceHandler {
  return async (request, resource) => {
    const { value } = await postedBody(request, resource, tokenRequestKind);
    checkName(value, request.info.name);
    const account = resource.store.get(resource.key(request.info));
    if (account === undefined) throw notFound(resource.subject(request.info.name));
    const { namespace = '', name = '', uid = '' } = account.metadata;
    checkUid(value, { name, uid });
    const creationTimestamp = timestamp(now());
    const metadata = { ...value.metadata, name, namespace, uid, creationTimestamp };
    const { managedFields } = value.metadata;
    const owners = managedFields && { managedFields };
    const body = { kind: tokenRequestKind, value: { ...completed(value), metadata } };
    const { spec } = (await admitBody(admission, request, resource, body)) as CompletedRequest;
    const { expirationSeconds, audiences } = completed({ spec }).spec;
    const expires = Math.floor(now() / 1000) + expirationSeconds;
    const bound = spec.boundObjectRef
      ? boundObject(spec.boundObjectRef, { namespace, name }, registry)
      : undefined;
    const response = {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { ...orderedMetadata(metadata), ...owners },
      spec: { ...spec, audiences, expirationSeconds },
      status: {
        token: tokens.issue({ namespace, name, uid, audiences, expires, bound }),
        expirationTimestamp: timestamp(expires * 1000),
      },
    };
    await sendReview(request, 201, response);
  };
}

/** A request may name the account, which the URL names too. */
function checkName({ metadata }: ApiObject, name: string): void {
  const { name: own = '' } = metadata;
  if (own === '' || own === name) return;
  const message = `Invalid value: ${JSON.stringify(own)}: must match the service account name if specified`;
  const cause: StatusCause = { reason: 'FieldValueInvalid', message, field: 'metadata.name' };
  throw invalid({ ...tokenRequestKind, name }, [cause]);
}

/** A request may contain the uid of the account, so that it gets no token of a later account of the same name. */
function checkUid(
  { metadata }: ApiObject,
  { name, uid }: { readonly name: string; readonly uid: string },
): void {
  const { uid: own = '' } = metadata;
  if (own === '' || own === uid) return;
  const why = `the UID in the token request (${own}) does not match the UID of the service account (${uid})`;
  const { group, kind } = tokenRequestKind;
  throw conflict({ group, plural: kind, kind, name }, why);
}

/** A request with its defaults. */
interface CompletedRequest extends Record<string, unknown> {
  readonly spec: {
    readonly audiences: readonly string[];
    readonly expirationSeconds: number;
    readonly boundObjectRef: BoundObjectReference | null;
  };
}

/** Sets the defaults of a request. Throws 422 for an invalid lifetime. */
function completed(value: Record<string, unknown>): CompletedRequest {
  const spec = (value['spec'] as TokenRequestSpec | null | undefined) ?? {};
  const audiences = spec.audiences ?? [];
  return {
    ...value,
    spec: {
      ...spec,
      audiences: audiences.length === 0 ? [apiAudience] : audiences,
      expirationSeconds: secondsOf(spec),
      boundObjectRef: spec.boundObjectRef ?? null,
    },
    status: { token: '', expirationTimestamp: null },
  };
}

function secondsOf({ expirationSeconds }: TokenRequestSpec): number {
  const seconds = Number(expirationSeconds ?? DEFAULT_SECONDS);
  if (seconds < MIN_SECONDS) throw refused(seconds, 'less than 10 minutes');
  if (seconds > MAX_SECONDS) throw refused(seconds, 'larger than 2^32 seconds');
  return seconds;
}

function refused(seconds: number, why: string): Error {
  const message = `Invalid value: ${seconds}: may not specify a duration ${why}`;
  const cause: StatusCause = {
    reason: 'FieldValueInvalid',
    message,
    field: 'spec.expirationSeconds',
  };
  return invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name: '' }, [cause]);
}

/** Returns the object to which a token is bound. Throws unless it exists and has the requested uid. */
function boundObject(
  { apiVersion = '', kind = '', name = '', uid: wanted = '' }: BoundObjectReference,
  account: { readonly namespace: string; readonly name: string },
  registry: ResourceRegistry,
): BoundObject {
  const plural = boundPlurals.get(kind);
  if (plural === undefined || apiVersion !== 'v1') {
    throw badRequest(`cannot bind token to object of type ${typeOf(apiVersion)}, Kind=${kind}`);
  }
  const key = keyOfMetadata(plural === 'nodes' ? { name } : { ...account, name });
  const found = registry.find({ group: '', version: 'v1', plural })?.store.get(key);
  // kube-apiserver puts the plural in place of the kind here.
  if (found === undefined) throw notFound({ group: '', plural, kind: plural, name });
  const node = plural === 'pods' ? nodeUnder(found, account.name, registry) : undefined;
  const uid = found.metadata.uid ?? '';
  if (wanted !== '' && wanted !== uid) throw otherObject(kind, name, wanted);
  return { plural, name, uid, node };
}

/** Returns the node of the account's pod, if the pod is scheduled. */
function nodeUnder(
  pod: StoredObject,
  account: string,
  registry: ResourceRegistry,
): BoundObject['node'] {
  const { spec } = pod.parse() as { spec?: { serviceAccountName?: string; nodeName?: string } };
  if (spec?.serviceAccountName !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  if (!spec.nodeName) return undefined;
  const nodes = registry.find({ group: '', version: 'v1', plural: 'nodes' })?.store;
  const uid = nodes?.get(keyOfMetadata({ name: spec.nodeName }))?.metadata.uid;
  return { name: spec.nodeName, ...(uid !== undefined && { uid }) };
}

function otherObject(kind: string, name: string, uid: string): Error {
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return conflict({ group: '', plural: kind, kind, name }, why);
}

/** Formats a group and version as Go does. */
function typeOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
}
