import { type Status, type StatusCause, StatusError } from '@keelson/apimachinery';

/** The object that a failed request refers to. */
export interface FailedObject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly name: string;
}

type Details = NonNullable<Status['details']>;

/** An error in the form of kube-apiserver; omits an empty `reason` and `details`. */
export function failure(
  code: number,
  reason: string,
  message: string,
  details?: Details,
): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason !== '' && { reason }),
    ...(details !== undefined && { details }),
    code,
  });
}

export function badRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message);
}

export function notFound(subject: FailedObject): StatusError {
  return failure(404, 'NotFound', `${titled(subject)} not found`, detailsOf(subject));
}

/** 404: the kind or its version is not served. */
export function resourceNotFound(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(subject: FailedObject, isDeleting = false): StatusError {
  const message = `${deleting(isDeleting)}${titled(subject)} already exists`;
  return failure(409, 'AlreadyExists', message, detailsOf(subject));
}

/** 409: the generated name exists; the client may retry. */
export function generatedNameTaken(subject: FailedObject, isDeleting = false): StatusError {
  const message = `${deleting(isDeleting)}${titled(subject)} already exists, the server was not able to generate a unique name for the object`;
  const details = { ...detailsOf(subject), retryAfterSeconds: 1 };
  return failure(409, 'AlreadyExists', message, details);
}

function deleting(isDeleting: boolean): string {
  return isDeleting ? 'object is being deleted: ' : '';
}

export function conflict(subject: FailedObject, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${titled(subject)}: ${why}`;
  return failure(409, 'Conflict', message, detailsOf(subject));
}

/** 409: the update is based on an older version. */
export function modified(subject: FailedObject): StatusError {
  return conflict(
    subject,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function forbidden(subject: FailedObject, why: string, causes?: StatusCause[]): StatusError {
  const details = { ...detailsOf(subject), ...(causes && { causes }) };
  return failure(403, 'Forbidden', `${titled(subject)} is forbidden: ${why}`, details);
}

/** 422: the object is invalid for these causes. */
export function invalid(
  subject: Omit<FailedObject, 'plural'>,
  causes: readonly StatusCause[],
): StatusError {
  const { group, kind, name } = subject;
  const title = group === '' ? kind : `${kind}.${group}`;
  // The message lists each cause once, even if it occurs twice.
  const list = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const shown = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  return failure(422, 'Invalid', `${title} ${JSON.stringify(name)} is invalid: ${shown}`, {
    ...(name !== '' && { name }),
    ...(group !== '' && { group }),
    ...(kind !== '' && { kind }),
    causes: [...causes],
  });
}

export function methodNotAllowed(
  message = 'the server does not allow this method on the requested resource',
): StatusError {
  return failure(405, 'MethodNotAllowed', message, {});
}

/** 405: a subresource of a custom resource does not support the verb. */
export function methodNotSupported(
  { group, plural }: Pick<FailedObject, 'group' | 'plural'>,
  verb: string,
): StatusError {
  const message = `${verb} is not supported on resources of kind "${plural}.${group}"`;
  return failure(405, 'MethodNotAllowed', message, { group, kind: plural });
}

/** 500: an error of the server or of a stored object. */
export function internalError(why: string): StatusError {
  const message = `Internal error occurred: ${why}`;
  return failure(500, 'InternalError', message, { causes: [{ message: why }] });
}

export function unauthorized(): StatusError {
  return failure(401, 'Unauthorized', 'Unauthorized');
}

export function expired(message: string): StatusError {
  return failure(410, 'Expired', message);
}

/** 504: the resourceVersion is higher than the current one. */
export function tooLargeResourceVersion(wanted: string, current: number): StatusError {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  return failure(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

export function unsupportedMediaType(message: string): StatusError {
  return failure(415, 'UnsupportedMediaType', message);
}

const forms = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

/** 406: the server supports no media type of the `Accept` header. */
export function notAcceptable(): StatusError {
  return noneOf(forms);
}

/** 406 for a watch. */
export function notAcceptableWatch(): StatusError {
  return noneOf(streams);
}

function noneOf(accepted: string): StatusError {
  const message = `only the following media types are accepted: ${accepted}`;
  return failure(406, 'NotAcceptable', message);
}

/**
 * 406 with the text of kube-apiserver's router, which rejects a header without any known media type before the
 * handler runs.
 */
export function noSuchForm(isCollection: boolean): StatusError {
  const available = isCollection ? `${forms}, ${streams}` : forms;
  const message = `406: Not Acceptable\n\nAvailable representations: ${available}`;
  return failure(406, 'NotAcceptable', message, {});
}

/** 500: the object is larger than the limit of etcd, with the message of etcd. */
export function tooLargeToStore(): StatusError {
  return failure(500, '', 'etcdserver: request is too large');
}

/** 413: the body is longer than the limit of the server. */
export function bodyTooLarge(limit: number): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}

/** The message for an unknown kind, as kube-apiserver prints it. */
export function notRegistered(apiVersion: unknown, kind: unknown): string {
  const [version, name] = [JSON.stringify(apiVersion), JSON.stringify(kind)];
  return `no kind ${name} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`;
}

function titled({ group, plural, name }: FailedObject): string {
  return `${group === '' ? plural : `${plural}.${group}`} ${JSON.stringify(name)}`;
}

function detailsOf({ group, plural, name }: FailedObject): Details {
  return { name, ...(group !== '' && { group }), kind: plural };
}
