import { type Status, type StatusCause, StatusError } from '@keelson/apimachinery';

/** What an answer says the failed request was about. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly name: string;
}

type Details = NonNullable<Status['details']>;

/** A refusal in the form in which kube-apiserver makes it; empty `reason` and `details` are left out. */
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

export function notFound(subject: Subject): StatusError {
  return failure(404, 'NotFound', `${titled(subject)} not found`, detailsOf(subject));
}

/** The kind, or the whole version, is not served. */
export function resourceNotFound(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(subject: Subject, isDeleting = false): StatusError {
  const message = `${isDeleting ? 'object is being deleted: ' : ''}${titled(subject)} already exists`;
  return failure(409, 'AlreadyExists', message, detailsOf(subject));
}

/** The name that the server generated is taken: the client may try again. */
export function generatedNameTaken(subject: Subject): StatusError {
  const message = `${titled(subject)} already exists, the server was not able to generate a unique name for the object`;
  const details = { ...detailsOf(subject), retryAfterSeconds: 1 };
  return failure(409, 'AlreadyExists', message, details);
}

export function conflict(subject: Subject, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${titled(subject)}: ${why}`;
  return failure(409, 'Conflict', message, detailsOf(subject));
}

/** The update was made from an older state. */
export function modified(subject: Subject): StatusError {
  return conflict(
    subject,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function forbidden(subject: Subject, why: string, causes?: StatusCause[]): StatusError {
  const details = { ...detailsOf(subject), ...(causes && { causes }) };
  return failure(403, 'Forbidden', `${titled(subject)} is forbidden: ${why}`, details);
}

/** The object is refused for these causes. */
export function invalid(
  subject: Omit<Subject, 'plural'>,
  causes: readonly StatusCause[],
): StatusError {
  const { group, kind, name } = subject;
  const title = group === '' ? kind : `${kind}.${group}`;
  // A cause that comes twice is told once.
  const list = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const told = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  return failure(422, 'Invalid', `${title} ${JSON.stringify(name)} is invalid: ${told}`, {
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

/** What a subresource of a custom resource says to a verb that it does not have. */
export function methodNotSupported(
  { group, plural }: Pick<Subject, 'group' | 'plural'>,
  verb: string,
): StatusError {
  const message = `${verb} is not supported on resources of kind "${plural}.${group}"`;
  return failure(405, 'MethodNotAllowed', message, { group, kind: plural });
}

/** The server itself is at fault, or what it has stored. */
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

/** The resourceVersion lies in the future. */
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

/** No clause of `Accept` can be met. */
export function notAcceptable(): StatusError {
  return noneOf(forms);
}

/** The same of a watch. */
export function notAcceptableWatch(): StatusError {
  return noneOf(streams);
}

function noneOf(accepted: string): StatusError {
  const message = `only the following media types are accepted: ${accepted}`;
  return failure(406, 'NotAcceptable', message);
}

/** No clause even names a known media type: the router of kube-apiserver says so before the handler is asked. */
export function noSuchForm(isCollection: boolean): StatusError {
  const available = isCollection ? `${forms}, ${streams}` : forms;
  const message = `406: Not Acceptable\n\nAvailable representations: ${available}`;
  return failure(406, 'NotAcceptable', message, {});
}

/** The object is larger than etcd takes; kube-apiserver passes on what etcd says. */
export function tooLargeToStore(): StatusError {
  return failure(500, '', 'etcdserver: request is too large');
}

/** The body is longer than the server reads. */
export function bodyTooLarge(limit: number): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}

/** Why a kind cannot be read: no type of kube-apiserver has this name. */
export function notRegistered(apiVersion: string, kind: string): string {
  const [version, name] = [JSON.stringify(apiVersion), JSON.stringify(kind)];
  return `no kind ${name} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`;
}

function titled({ group, plural, name }: Subject): string {
  return `${group === '' ? plural : `${plural}.${group}`} ${JSON.stringify(name)}`;
}

function detailsOf({ group, plural, name }: Subject): Details {
  return { name, ...(group !== '' && { group }), kind: plural };
}
