import type { StatusCause } from '@keelson/apimachinery';
import type { ResourceAttributes } from '../../auth/authorizer.ts';
import type { ResourceRequest } from '../../http/api-request.ts';
import { resourceAttributesOf } from '../../http/access.ts';
import { isTrue } from '../../http/request-info.ts';
import type { AdmittedRequest } from '../../admission/dynamic/admission-attributes.ts';
import { invalid as invalidValue, type JsonObject } from '@keelson/structural-schema';
import { invalid } from '../../status-errors/status-errors.ts';

export interface WriteOptions {
  readonly dryRun: boolean;
  /** The owner of the fields that the write sets. */
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Lets an apply take over fields of other managers. */
  readonly force: boolean;
  readonly requester: ResourceAttributes;
  /** The request as webhooks and policies see it. */
  readonly admitted: AdmittedRequest;
}

export type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';

/** Reads the options from the query of a write. Throws 422, naming the parameter. */
export function writeOptions(request: ResourceRequest, kind: WriteOptionsKind): WriteOptions {
  const { query } = request;
  if (query.size > 0) checkOptions(query, kind);
  const fieldValidation = query.get('fieldValidation') ?? '';
  return {
    dryRun: query.getAll('dryRun').length > 0,
    fieldManager: query.get('fieldManager') || managerOf(request.headers['user-agent']),
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as 'Strict'),
    force: isTrue(query.get('force')),
    requester: resourceAttributesOf(request.info, request.user),
    admitted: admittedRequest(request, givenOptions(query)),
  };
}

function checkOptions(query: URLSearchParams, kind: WriteOptionsKind): void {
  const causes = [
    ...dryRunCauses(query.getAll('dryRun')),
    ...managerCauses(query.get('fieldManager') ?? ''),
    ...validationCauses(query.get('fieldValidation') ?? ''),
  ];
  if (causes.length > 0) throw invalidOptions(kind, causes);
}

/** Returns a request as webhooks and policies see it; `options` are those that the client has given. */
export function admittedRequest(
  { info, user }: ResourceRequest,
  options: JsonObject,
): AdmittedRequest {
  const { name, namespace } = info;
  return { user, name, namespace, dryRun: options['dryRun'] !== undefined, options };
}

/** Returns the options that the query of a write contains. */
export function givenOptions(query: URLSearchParams): JsonObject {
  if (query.size === 0) return {};
  const dryRun = query.getAll('dryRun');
  const texts = ['fieldManager', 'fieldValidation'].flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  return { ...(dryRun.length > 0 && { dryRun }), ...Object.fromEntries(texts) };
}

/** The error for an invalid query or options body. */
export function invalidOptions(kind: string, causes: readonly StatusCause[]): Error {
  return invalid({ group: 'meta.k8s.io', kind, name: '' }, causes);
}

/** `dryRun` may only be `All`. */
export function dryRunCauses(values: readonly string[]): StatusCause[] {
  if (values.every((value) => value === 'All')) return [];
  return [notSupported('dryRun', JSON.stringify(values), ['All'])];
}

export function notSupported(
  field: string,
  value: string,
  supported: readonly string[],
): StatusCause {
  const list = supported.map((text) => JSON.stringify(text)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${value}: supported values: ${list}`,
    field,
  };
}

function managerCauses(manager: string): StatusCause[] {
  if (/^[\x20-\x7e]{0,128}$/.test(manager)) return [];
  const field = 'fieldManager';
  const causes: StatusCause[] = [];
  if (Buffer.byteLength(manager) > 128) {
    const message = 'Too long: may not be more than 128 bytes';
    causes.push({ reason: 'FieldValueTooLong', message, field });
  }
  for (const { 0: sign, index } of manager.matchAll(unprintable)) {
    const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const position = Buffer.byteLength(manager.slice(0, index));
    causes.push(
      invalidValue(field, manager, `invalid character U+${code} (at position ${position})`),
    );
  }
  return causes;
}

/** Characters that Go's `unicode.IsPrint` refuses. Of the spaces it prints only U+0020. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function validationCauses(value: string): StatusCause[] {
  if (['', 'Ignore', 'Strict', 'Warn'].includes(value)) return [];
  const supported = ['', 'Ignore', 'Strict', 'Warn'];
  return [notSupported('fieldValidation', JSON.stringify(value), supported)];
}

/** The default field manager is the program in the user agent: `kubectl/v1.36` → `kubectl`. */
function managerOf(userAgent = ''): string {
  const program = userAgent.split('/', 1)[0] ?? '';
  return (program === '' ? 'unknown' : program).slice(0, 128);
}

/** Refuses `force` for patches other than an apply. */
export function checkForce(query: URLSearchParams): void {
  if (!query.has('force')) return;
  const message = 'Forbidden: may not be specified for non-apply patch';
  throw invalidOptions('PatchOptions', [
    { reason: 'FieldValueForbidden', message, field: 'force' },
  ]);
}

/** An apply requires a field manager, which identifies its fields. */
export function checkManager(query: URLSearchParams): void {
  if (query.get('fieldManager')) return;
  const message = 'Required value: is required for apply patch';
  throw invalidOptions('PatchOptions', [
    { reason: 'FieldValueRequired', message, field: 'fieldManager' },
  ]);
}
