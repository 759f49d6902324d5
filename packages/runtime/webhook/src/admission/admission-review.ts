import type { Status } from '@keelson/apimachinery';
import { WebhookError } from '../errors.ts';
import { isRecord, type JsonRecord } from './json-value.ts';
import { operations, type Operation } from './operation.ts';

/** The only version of AdmissionReview since Kubernetes 1.22. */
const REVIEW_API_VERSION = 'admission.k8s.io/v1';

/** The group, version and kind of an object in a review. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The group, version and plural of a URL in a review. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** The user whose request the API server reviews. */
export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The request of an `AdmissionReview`, as the API server sends it (`k8s.io/api/admission/v1`). */
export interface AdmissionRequest {
  /** Identifies the review; the response repeats it. */
  readonly uid: string;
  /** The kind of `object` and `oldObject`, which may be a converted one (`matchPolicy`). */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  /** The kind of the request of the user, before a conversion. */
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  /** Missing for a CREATE whose name the server generates. */
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: UserInfo;
  readonly object?: JsonRecord | null;
  readonly oldObject?: JsonRecord | null;
  readonly dryRun?: boolean;
  /** The `CreateOptions`, `UpdateOptions`, `PatchOptions` or `DeleteOptions` of the request. */
  readonly options?: JsonRecord | null;
}

/** The response of an `AdmissionReview`. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Status;
  /** A JSON patch in base64. */
  readonly patch?: string;
  readonly patchType?: 'JSONPatch';
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** The body of a response to the API server. */
export interface AdmissionReview {
  readonly apiVersion: typeof REVIEW_API_VERSION;
  readonly kind: 'AdmissionReview';
  readonly response: AdmissionResponse;
}

/** Wraps a response in the review that the API server expects. */
export function reviewOf(response: AdmissionResponse): AdmissionReview {
  return { apiVersion: REVIEW_API_VERSION, kind: 'AdmissionReview', response };
}

/** The objects that a request of each operation has; for CONNECT `object` has the options of the connection. */
const requiredObjects: Readonly<Record<Operation, readonly ('object' | 'oldObject')[]>> = {
  CREATE: ['object'],
  UPDATE: ['object', 'oldObject'],
  DELETE: ['oldObject'],
  CONNECT: [],
};

/** Returns the request of a review. Throws `REVIEW_INVALID` with the member that is missing or invalid. */
export function admissionRequestOf(body: unknown): AdmissionRequest {
  const { apiVersion, kind, request } = isRecord(body) ? body : {};
  if (kind !== 'AdmissionReview' || apiVersion !== REVIEW_API_VERSION) {
    throw invalid('kind', `must be AdmissionReview of ${REVIEW_API_VERSION}`);
  }
  if (!isRecord(request)) throw invalid('request', 'must be an object');
  const { uid, operation, userInfo } = request;
  if (!isText(uid) || uid === '') throw invalid('request.uid', 'must be a text');
  checkName(request['kind'], 'kind', 'request.kind');
  checkName(request['resource'], 'resource', 'request.resource');
  if (!isOperation(operation)) {
    throw invalid('request.operation', `must be one of ${operations.join(' ')}`);
  }
  if (!isRecord(userInfo)) throw invalid('request.userInfo', 'must be an object');
  checkTexts(request);
  checkObjects(request, operation);
  return request as unknown as AdmissionRequest;
}

function checkName(name: unknown, last: 'kind' | 'resource', member: string): void {
  const texts = isRecord(name) ? [name['group'], name['version'], name[last]] : [];
  if (texts.length === 0 || !texts.every(isText)) {
    throw invalid(member, `must have group, version and ${last}`);
  }
}

function checkTexts(request: JsonRecord): void {
  for (const member of ['name', 'namespace', 'subResource']) {
    const value = request[member];
    if (value !== undefined && !isText(value)) throw invalid(`request.${member}`, 'must be a text');
  }
  const { dryRun = false } = request;
  if (typeof dryRun !== 'boolean') throw invalid('request.dryRun', 'must be true or false');
}

function checkObjects(request: JsonRecord, operation: Operation): void {
  for (const member of ['object', 'oldObject', 'options'] as const) {
    const value = request[member] ?? undefined;
    if (value !== undefined && !isRecord(value)) {
      throw invalid(`request.${member}`, 'must be an object');
    }
  }
  for (const member of requiredObjects[operation]) {
    if (!isRecord(request[member])) {
      throw invalid(`request.${member}`, `must be an object for ${operation}`);
    }
  }
}

function isOperation(value: unknown): value is Operation {
  return (operations as readonly unknown[]).includes(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function invalid(member: string, reason: string): WebhookError {
  return new WebhookError('REVIEW_INVALID', { member, reason });
}
