// packages/client/src/verbs/create-client.ts
import {
  backoffDelays,
  checkObserver,
  checkOptions as checkOptions3,
  checkRuntime,
  invalidOption as invalidOption2,
} from '@keelson/apimachinery';

// packages/client/src/verbs/calls/deadline.ts
import { parseDuration, startTimer, withLinkedSignal } from '@keelson/apimachinery';

// packages/client/src/errors.ts
import { CodedError } from '@keelson/apimachinery';
var clientErrors = {
  KUBECONFIG_NOT_FOUND: 'no kubeconfig was found',
  KUBECONFIG_INVALID: 'the kubeconfig is invalid',
  NO_CURRENT_CONTEXT: 'the kubeconfig names no current context',
  CONTEXT_NOT_FOUND: 'the kubeconfig has no context of this name',
  INVALID_CLUSTER: 'the options of the cluster are invalid',
  CREDENTIALS_FAILED: 'the credentials for the cluster could not be obtained',
  UNAUTHORIZED: 'the API server refused the credentials',
  CERTIFICATE_NOT_TRUSTED: "the API server's certificate is not trusted",
  SERVER_UNREACHABLE: 'the API server cannot be reached',
  CONNECTION_LOST: 'the connection to the API server broke during a request',
  REQUEST_TIMEOUT: 'the request did not end in time',
  UNEXPECTED_RESPONSE: 'the response has an unexpected body',
  DISCOVERY_FAILED: 'the discovery of an API group failed',
  RESPONSE_TOO_LARGE: 'the response exceeds the memory limit of the client',
  CLIENT_CLOSED: 'the client is closed',
  INVALID_RESOURCE: 'the resource token lacks its group, version or plural',
  NAMESPACE_REQUIRED: 'the resource is namespaced and no namespace was given',
  NAMESPACE_NOT_ALLOWED: 'the resource is cluster-scoped and a namespace was given',
  NAME_REQUIRED: 'the object has no name',
  UNSAFE_PATH: 'the path is not a valid path of the API',
  UNSUPPORTED_BODY: 'unsupported request body',
  WRONG_OBJECT: 'the object does not match the resource',
};
var ClientError = class extends CodedError {
  name = 'ClientError';
  constructor(code, facts = {}, options = {}) {
    super(code, clientErrors[code], facts, options);
  }
};

// packages/client/src/verbs/calls/deadline.ts
async function withDeadline({ signal, timeout }, facts, run) {
  if (timeout === void 0) return run(signal);
  signal?.throwIfAborted();
  const limit = new AbortController();
  const stopTimer = startTimer(parseDuration(timeout, 'timeout'), () =>
    limit.abort(new ClientError('REQUEST_TIMEOUT', { ...facts, timeout })),
  );
  try {
    return await withLinkedSignal([signal, limit.signal], run);
  } finally {
    stopTimer();
  }
}

// packages/client/src/verbs/calls/json-body.ts
function jsonOf(body, facts) {
  const text4 = textOf(body, facts);
  if (text4 === void 0) throw unsupported(facts, 'the object has no JSON form');
  return text4;
}
function textOf(body, facts) {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw unsupported(facts, cause instanceof Error ? cause.message : 'it threw', cause);
  }
}
function unsupported({ method, path: path4 }, reason, cause) {
  return new ClientError('UNSUPPORTED_BODY', { method, path: path4, reason }, { cause });
}

// packages/client/src/values/option-check.ts
import {
  checkOptions,
  checkSignal,
  invalidOption,
  parseDuration as parseDuration2,
} from '@keelson/apimachinery';

// packages/client/src/values/record.ts
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// packages/client/src/values/option-check.ts
var checks = {
  signal: checkSignal,
  timeout: (value, option) => void parseDuration2(value, option),
  namespace: text,
  labelSelector: (value, option) =>
    refuseUnless(
      typeof value === 'string' || isRecord(value),
      option,
      'must be a string or a selector object',
    ),
  fieldSelector: text,
  limit: wholeNumber,
  continue: text,
  resourceVersion: text,
  resourceVersionMatch: oneOf('NotOlderThan', 'Exact'),
  sendInitialEvents: flag,
  allowWatchBookmarks: flag,
  timeoutSeconds: wholeNumber,
  dryRun: (value, option) =>
    refuseUnless(isDryRun(value) || value === false, option, "must be true, false or 'All'"),
  fieldManager,
  fieldValidation: oneOf('Strict', 'Warn', 'Ignore'),
  force: flag,
  gracePeriodSeconds: wholeNumber,
  propagationPolicy: oneOf('Orphan', 'Background', 'Foreground'),
  preconditions,
  projection: oneOf('full', 'metadata'),
};
function checkValues(options, known2, where) {
  checkOptions(options, known2, where);
  for (const [name, value] of Object.entries(options)) {
    if (value !== void 0) checks[name]?.(value, `${where}.${name}`);
  }
}
function isDryRun(value) {
  const isList = Array.isArray(value) && value.length === 1;
  return value === true || (isList ? value[0] : value) === 'All';
}
function wholeNumber(value, option) {
  const isWhole = Number.isSafeInteger(value) && value >= 0;
  refuseUnless(isWhole, option, 'must be a whole number, 0 or more');
}
function attempts(value, option) {
  const isCount = value === Infinity || (Number.isSafeInteger(value) && value >= 1);
  refuseUnless(isCount, option, 'must be a whole number, 1 or more');
}
function milliseconds(value, option) {
  const isTime = Number.isFinite(value) && value >= 0;
  refuseUnless(isTime, option, 'must be a number of milliseconds, 0 or more');
}
function text(value, option) {
  refuseUnless(typeof value === 'string', option, 'must be a string');
}
function flag(value, option) {
  refuseUnless(typeof value === 'boolean', option, 'must be true or false');
}
function headerText(value, option) {
  const isText2 = typeof value === 'string' && /^[\t\u0020-\u007e\u0080-\u00ff]+$/.test(value);
  refuseUnless(isText2, option, 'must be a string of one line that a header can hold');
}
function fieldManager(value, option) {
  const isName2 = typeof value === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,128}$/u.test(value);
  refuseUnless(isName2, option, 'must be a string of 1 to 128 printable characters');
}
function oneOf(...known2) {
  return (value, option) =>
    refuseUnless(known2.includes(value), option, `must be one of ${known2.join(', ')}`);
}
function preconditions(value, option) {
  const members3 = isRecord(value) ? Object.entries(value) : [];
  const isSet = members3.length > 0 && members3.every(([, member]) => typeof member === 'string');
  refuseUnless(isSet, option, 'must give a uid, a resourceVersion or both as strings');
  checkOptions(value, ['uid', 'resourceVersion'], option);
}
function refuseUnless(isRight, option, reason) {
  if (!isRight) throw invalidOption(option, reason);
}

// packages/client/src/verbs/calls/patch.ts
var patchMediaTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML, and servers before 1.32 do not accept an apply as JSON.
  apply: 'application/apply-patch+yaml',
};
var checkType = oneOf('json', 'merge', 'strategic');
function checkPatch(patch) {
  refuseUnless(isRecord(patch), 'patch', 'must be { type, body }');
  const { type, body } = patch;
  checkType(type, 'patch.type');
  if (type === 'json')
    refuseUnless(Array.isArray(body), 'patch.body', 'must be a list of operations');
  else refuseUnless(isRecord(body), 'patch.body', 'must be an object');
}

// packages/client/src/verbs/calls/request-options.ts
import { normalFieldSelector, normalLabelSelector } from '@keelson/apimachinery';

// packages/client/src/verbs/calls/resource-path.ts
import {
  apimachineryErrors,
  CodedError as CodedError2,
  objectNameProblem,
} from '@keelson/apimachinery';
var MAX_NAME_LENGTH = 253;
function checkResource(resource) {
  refuseUnless(isRecord(resource), 'resource', 'must be a resource token: builtin.X');
}
function objectPath(resource, object, subresource) {
  checkResource(resource);
  refuseUnless(isRecord(object), 'name', 'must be { namespace, name }');
  const { namespace, name } = object;
  checkScope(resource, namespace, name);
  const path4 = `${collectionPath(resource, namespace)}/${segment('name', name)}`;
  return subresource === void 0 ? path4 : `${path4}/${segment('subresource', subresource)}`;
}
function collectionPath(resource, namespace) {
  checkResource(resource);
  const { group, version, plural } = resource;
  if (!version || !plural || typeof group !== 'string') {
    throw new ClientError('INVALID_RESOURCE', { kind: resource.kind, group, version, plural });
  }
  const root =
    group === ''
      ? `/api/${segment('version', version)}`
      : `/apis/${segment('group', group)}/${segment('version', version)}`;
  const scope = namespace ? `/namespaces/${segment('namespace', namespace)}` : '';
  if (scope !== '' && !resource.namespaced) throw notAllowed(resource, namespace);
  return `${root}${scope}/${segment('plural', plural)}`;
}
function creationPath(resource, object) {
  const { namespace, name } = object.metadata ?? {};
  checkScope(resource, namespace, name);
  return collectionPath(resource, namespace);
}
function nameOf(resource, object) {
  const { namespace, name } = object.metadata ?? {};
  if (!name) throw new ClientError('NAME_REQUIRED', { kind: resource.kind, namespace });
  return namespace === void 0 ? { name } : { namespace, name };
}
function queryOf(parameters2) {
  let query = '';
  for (const [key, value] of Object.entries(parameters2)) {
    if (value === void 0) continue;
    query += `${query === '' ? '?' : '&'}${encodeURIComponent(key)}=${encodeURIComponent(value)}`;
  }
  return query;
}
function checkScope(resource, namespace, name) {
  if (resource.namespaced && !namespace) {
    throw new ClientError('NAMESPACE_REQUIRED', { kind: resource.kind, name });
  }
  if (!resource.namespaced && namespace) throw notAllowed(resource, namespace);
}
function notAllowed(resource, namespace) {
  return new ClientError('NAMESPACE_NOT_ALLOWED', { kind: resource.kind, namespace });
}
function segment(what, value) {
  if (typeof value !== 'string') throw invalidName(what, typeof value, 'must be a string');
  const reason = objectNameProblem(value);
  if (reason !== void 0) throw invalidName(what, value, reason);
  return encodeURIComponent(value);
}
function invalidName(what, value, reason) {
  const facts = { what, value: value.slice(0, MAX_NAME_LENGTH), reason };
  return new CodedError2('INVALID_NAME', apimachineryErrors.INVALID_NAME, facts);
}

// packages/client/src/verbs/calls/request-options.ts
var request = ['signal', 'timeout'];
var selection = ['namespace', 'labelSelector', 'fieldSelector'];
var page = [...selection, 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch'];
var write = [...request, 'dryRun', 'fieldManager', 'fieldValidation'];
var removal = [...request, 'dryRun', 'gracePeriodSeconds', 'propagationPolicy', 'preconditions'];
var known = {
  request,
  get: [...request, 'resourceVersion'],
  list: [...request, ...page],
  items: ['signal', ...page],
  watch: [
    'signal',
    ...selection,
    'resourceVersion',
    'resourceVersionMatch',
    'sendInitialEvents',
    'allowWatchBookmarks',
    'timeoutSeconds',
  ],
  write,
  apply: [...write, 'force'],
  delete: removal,
  deleteCollection: [...removal, ...selection],
};
function checkCall(call, options, name = call) {
  checkValues(options, known[call], name);
}
function getQuery({ resourceVersion }) {
  return queryOf({ resourceVersion });
}
function selectionParameters({ labelSelector, fieldSelector }) {
  return {
    labelSelector: labelSelector === void 0 ? void 0 : normalLabelSelector(labelSelector),
    fieldSelector: fieldSelector === void 0 ? void 0 : normalFieldSelector(fieldSelector),
  };
}
function listQuery(options) {
  const { limit, resourceVersion, resourceVersionMatch } = options;
  return queryOf({
    ...selectionParameters(options),
    limit,
    continue: options.continue,
    resourceVersion,
    resourceVersionMatch,
  });
}
function watchQuery(options) {
  const { resourceVersion, resourceVersionMatch, timeoutSeconds } = options;
  return queryOf({
    watch: 1,
    ...selectionParameters(options),
    resourceVersion,
    // The server requires it together with sendInitialEvents.
    resourceVersionMatch:
      resourceVersionMatch ?? (options.sendInitialEvents === true ? 'NotOlderThan' : void 0),
    sendInitialEvents: options.sendInitialEvents,
    allowWatchBookmarks: options.allowWatchBookmarks,
    timeoutSeconds,
  });
}
function writeQuery(options, fieldManager2) {
  return queryOf({
    dryRun: isDryRun(options.dryRun) ? 'All' : void 0,
    fieldManager: options.fieldManager ?? fieldManager2,
    fieldValidation: options.fieldValidation,
    force: options.force,
  });
}
function deleteBody(options) {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions: preconditions2 } = options;
  const members3 = {
    ...(isDryRun(dryRun) ? { dryRun: ['All'] } : {}),
    ...(gracePeriodSeconds === void 0 ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === void 0 ? {} : { propagationPolicy }),
    ...(preconditions2 === void 0 ? {} : { preconditions: preconditions2 }),
  };
  if (Object.keys(members3).length === 0) return void 0;
  return JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...members3 });
}

// packages/client/src/verbs/calls/expected-type.ts
import { apiVersionOf } from '@keelson/apimachinery';
var METADATA_LIST = 'PartialObjectMetadataList';
var METADATA_OBJECT = 'PartialObjectMetadata';
var GENERIC_LIST = 'List';
function namesOtherList(resource, { apiVersion, kind }) {
  if (kind === void 0 || kind === null || kind === GENERIC_LIST) return false;
  if (isUsualList(resource, kind)) return false;
  if (!resource.group.includes('.')) return true;
  return apiVersion !== void 0 && apiVersion !== apiVersionOf(resource);
}
function isListOf(resource, { hasItems, ...type }) {
  return (hasItems || isUsualList(resource, type.kind)) && !namesOtherList(resource, type);
}
function isOtherKind(resource, { kind }) {
  return kind !== void 0 && kind !== resource.kind && kind !== METADATA_OBJECT;
}
function isUsualList(resource, kind) {
  return kind === `${resource.kind}List` || kind === METADATA_LIST;
}

// packages/client/src/verbs/calls/response-object.ts
var NOT_A_LIST = 'the body is not a list of the resource';
async function readObject(response) {
  const object = await parsedObject(response);
  if (object.kind === 'Status') throw response.unexpected({ kind: object.kind });
  return object;
}
async function readConfirmation(response) {
  const object = await parsedObject(response);
  if (object.kind === 'Status' && object.status === 'Failure') {
    throw response.unexpected({ kind: object.kind, status: object.status });
  }
  return object;
}
function listReader(resource) {
  return async (response) => {
    const list = await parsedObject(response);
    const { apiVersion, kind } = list;
    const items = list.items ?? [];
    const isList = isListOf(resource, { apiVersion, kind, hasItems: list.items !== void 0 });
    if (!isList || !Array.isArray(items) || !items.every(isRecord)) {
      throw response.unexpected({ kind, reason: NOT_A_LIST });
    }
    return Object.assign(list, { items });
  };
}
async function parsedObject(response) {
  const parsed = await response.json();
  if (!isRecord(parsed)) throw response.unexpected({ reason: 'the body is not an object' });
  if (parsed['kind'] === 'Table') throw response.unexpected({ kind: parsed['kind'] });
  return parsed;
}

// packages/client/src/verbs/calls/write-observer.ts
import { inspect } from 'node:util';
function reportWrite(observers, target, { statusCode, response, sent }) {
  const { resource, deleted: name } = target;
  const object = response;
  const isDeletion = isGone(object, name !== void 0);
  const deleted = isDeletion ? deletedObject(object, name) : void 0;
  if (deleted === void 0 && (isDeletion || object.kind === 'Status')) return;
  for (const observer of observers) {
    try {
      if (deleted !== void 0) observer.deleted(resource, deleted);
      else observer.written(resource, object, { isCreation: statusCode === CREATED, sent });
    } catch (error) {
      process.emitWarning(`an observer of writes failed: ${inspect(error)}`, {
        type: 'KeelsonWarning',
        code: 'OBSERVER_FAILED',
      });
    }
  }
}
var CREATED = 201;
function isGone(response, isDelete) {
  return isReleased(response) || (isDelete && !isTerminating(response));
}
function deletedObject({ kind, metadata, details }, target) {
  if (kind === 'Status') return details?.uid && target ? { ...target, uid: details.uid } : void 0;
  const { namespace, name, uid, resourceVersion } = metadata ?? {};
  return uid ? { namespace, name, uid, resourceVersion } : void 0;
}
function isReleased(object) {
  const { finalizers, deletionGracePeriodSeconds = 0 } = object.metadata ?? {};
  const isHeld = [finalizers, object.spec?.finalizers].some(
    (list) => Array.isArray(list) && list.length > 0,
  );
  return isTerminating(object) && !isHeld && deletionGracePeriodSeconds === 0;
}
function isTerminating({ metadata }) {
  return metadata?.deletionTimestamp !== void 0;
}

// packages/client/src/http/retry.ts
import { StatusError } from '@keelson/apimachinery';

// packages/client/src/http/failure.ts
import { types as types2 } from 'node:util';
import { CodedError as CodedError3, hasCode } from '@keelson/apimachinery';

// packages/client/src/http/connect-error.ts
var ConnectError = class extends Error {
  name = 'ConnectError';
};
function markFailures(connect2) {
  return (options, done) =>
    connect2(options, (...[error, socket]) => {
      if (socket) done(null, socket);
      else done(new ConnectError('no connection was opened', { cause: error }), null);
    });
}

// packages/client/src/http/plain-cause.ts
import { types } from 'node:util';
var FACTS = ['code', 'errno', 'syscall', 'hostname', 'address', 'port', 'reason', 'library'];
var MAX_CAUSE_DEPTH = 8;
function plainCause(error, depth = 0) {
  if (!types.isNativeError(error) || depth > MAX_CAUSE_DEPTH) return void 0;
  const cause = plainCause(error.cause, depth + 1);
  const options = cause === void 0 ? {} : { cause };
  const copy = copyOf(error, depth, options);
  for (const name of ['name', 'stack']) {
    Object.defineProperty(copy, name, { value: error[name], configurable: true, writable: true });
  }
  for (const name of FACTS) {
    const value = Reflect.get(error, name);
    if (typeof value === 'string' || typeof value === 'number') Reflect.set(copy, name, value);
  }
  return copy;
}
function copyOf(error, depth, options) {
  const errors = causesOf(error);
  if (errors === void 0) return new Error(error.message, options);
  const copies = errors.map((each) => plainCause(each, depth + 1));
  return new AggregateError(copies, error.message, options);
}
function causesOf(error) {
  const errors = Reflect.get(error, 'errors');
  return Array.isArray(errors) ? errors : void 0;
}

// packages/client/src/http/failure.ts
var PROXY_FAILURES = /* @__PURE__ */ new Set([
  'UND_ERR_PRX_CONN',
  'UND_ERR_PRX_TLS',
  'UND_ERR_SOCKS5',
]);
var ARGUMENT_FAILURES = /* @__PURE__ */ new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'ERR_HTTP2_INVALID_CONNECTION_HEADERS',
]);
var CERTIFICATE_FAILURES = /* @__PURE__ */ new Map([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'give the authority that signed it (certificate-authority-data)'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'give the certificate itself (certificate-authority-data)'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'give the authority that signed it'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'give the authority that signed it'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'give the authority that signed it'],
  ['CERT_UNTRUSTED', 'give the authority that signed it'],
  ['CERT_SIGNATURE_FAILURE', 'the authority given did not sign it: was the cluster recreated?'],
  ['CERT_HAS_EXPIRED', 'renew the certificate of the server, or set the clock'],
  ['CERT_NOT_YET_VALID', 'set the clock'],
  ['CERT_REVOKED', 'renew the certificate of the server'],
  ['INVALID_CA', 'the authority given may not sign certificates'],
  ['HOSTNAME_MISMATCH', 'give the name it carries (tls-server-name)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'give the name it carries (tls-server-name)'],
]);
function failureOf(thrown, request2) {
  const isConnecting = thrown instanceof ConnectError;
  const error = isConnecting ? thrown.cause : thrown;
  if (error instanceof CodedError3 || !types2.isNativeError(error)) return error;
  const code = codeOf(error);
  const { server } = request2;
  const hint = CERTIFICATE_FAILURES.get(code);
  if (hint !== void 0) {
    return new ClientError(
      'CERTIFICATE_NOT_TRUSTED',
      { server, reason: code, hint },
      { cause: plainCause(error) },
    );
  }
  const handshake = server.startsWith('https:') ? 'tls' : 'connect';
  const step = connectStep(error, code) ?? (isConnecting ? handshake : void 0);
  if (step !== void 0) {
    return new ClientError(
      'SERVER_UNREACHABLE',
      { server, step, reason: code },
      { cause: plainCause(error) },
    );
  }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return new ClientError('CLIENT_CLOSED', {}, { cause: plainCause(error) });
  }
  if (!isSocketFailure(error, code)) return error;
  return new ClientError(
    'CONNECTION_LOST',
    { ...request2, reason: code },
    { cause: plainCause(error) },
  );
}
function isCutOff(error) {
  return hasCode(error, 'CONNECTION_LOST') || hasCode(error, 'TRUNCATED_RESPONSE');
}
function isUnsent(error) {
  return hasCode(error, 'SERVER_UNREACHABLE');
}
function connectStep(error, code) {
  const syscall = syscallOf(error);
  if (syscall === 'getaddrinfo') return 'resolve';
  if (PROXY_FAILURES.has(code) || isProxyRefusal(error)) return 'proxy';
  if (syscall === 'connect' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect';
  return void 0;
}
function codeOf(error) {
  if (error.name === 'HTTPParserError' || error.name === 'AssertionError') return 'HPE_INVALID';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = causesOf(error) ?? [];
  if (types2.isNativeError(first)) return codeOf(first);
  return '';
}
function isProxyRefusal(error) {
  return error.message.startsWith('Proxy response');
}
function syscallOf(error) {
  if ('syscall' in error && typeof error.syscall === 'string') return error.syscall;
  const [first] = causesOf(error) ?? [];
  return types2.isNativeError(first) ? syscallOf(first) : void 0;
}
function isSocketFailure(error, code) {
  if (ARGUMENT_FAILURES.has(code)) return false;
  return (
    syscallOf(error) !== void 0 ||
    ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EPROTO', 'ETIMEDOUT'].includes(code) ||
    code.startsWith('UND_ERR_') ||
    code.startsWith('HPE_') ||
    code.startsWith('ERR_HTTP2_') ||
    code.startsWith('ERR_SSL_') ||
    code.startsWith('ERR_STREAM_') ||
    code.startsWith('Z_')
  );
}

// packages/client/src/http/retry.ts
var defaultRetryPolicy = { attempts: 4, base: 100, max: 1e4 };
var LONGEST_RETRY_AFTER_MS = 3e4;
function retryDelay(error, request2, attempt, policy) {
  if (attempt >= policy.attempts || !mayRepeat(error, request2)) return void 0;
  const retryAfterMs = error instanceof StatusError ? error.retryAfter : void 0;
  if (retryAfterMs === void 0) return backoff(attempt, policy);
  return retryAfterMs > LONGEST_RETRY_AFTER_MS
    ? void 0
    : retryAfterMs + Math.random() * Math.min(retryAfterMs / 10, 500);
}
function backoff(failures, { base, max }) {
  return Math.min(base * 2 ** (failures - 1), max) * (0.5 + Math.random() / 2);
}
function mayRepeat(error, { method, noRetry }) {
  if (noRetry === true) return false;
  const isReading = isRead({ method });
  if (error instanceof StatusError) {
    return error.statusCode === 429 || (isReading && OVERLOAD_STATUS_CODES.has(error.statusCode));
  }
  return isUnsent(error) || (isReading && isCutOff(error));
}
function isRead({ method }) {
  return READ_METHODS.has(method);
}
var READ_METHODS = /* @__PURE__ */ new Set(['GET', 'HEAD', 'OPTIONS']);
var OVERLOAD_STATUS_CODES = /* @__PURE__ */ new Set([503, 504]);

// packages/client/src/http/write-guard.ts
import { withLinkedSignal as withLinkedSignal2 } from '@keelson/apimachinery';
function underGuard(guard, request2, send2) {
  return withLinkedSignal2([request2.signal, guard.signal], (signal) => {
    guard.check();
    return send2({ ...request2, signal, guard });
  });
}
function guardedDispatcher({ DecoratorHandler }, dispatcher, guard) {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const guarded = new DecoratorHandler(handler);
    guarded.onRequestStart = (controller, context) => {
      guard.check();
      handler.onRequestStart?.(controller, context);
    };
    return dispatch(options, guarded);
  });
}

// packages/client/src/verbs/calls/caller.ts
var defaultFieldManager = 'keelson';
var methods = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
var Caller = class {
  settings;
  constructor(settings) {
    this.settings = settings;
  }
  get transport() {
    return this.settings.transport;
  }
  get fieldManager() {
    return this.settings.fieldManager;
  }
  get compression() {
    return this.settings.compression;
  }
  /** Sends a request and reads its response; a write only while the guard permits it. */
  send(request2, read2) {
    const { guard } = this.settings;
    if (guard === void 0 || isRead(request2)) return this.transport.send(request2, read2);
    return underGuard(guard, request2, (guarded) => this.transport.send(guarded, read2));
  }
  call(call, options) {
    const { verb, path: path4, query, body, contentType = 'application/json' } = call;
    const method = methods[verb];
    const headers = {
      ...(body === void 0 ? {} : { 'content-type': contentType }),
      ...(call.accept === void 0 ? {} : { accept: call.accept }),
      ...(verb === 'list' && this.compression ? { 'accept-encoding': 'gzip' } : {}),
    };
    const text4 = typeof body === 'object' ? jsonOf(body, { method, path: path4 }) : body;
    const read2 = this.#readerOf(
      call,
      options,
      text4 === void 0 ? text4 : { contentType, text: text4 },
    );
    return withDeadline(options, { method, path: path4 }, (signal) => {
      const request2 = { verb, method, path: path4, query, headers, body: text4, signal };
      return this.send(request2, read2);
    });
  }
  patch({ path: path4, target }, patch, options) {
    checkPatch(patch);
    const { type, body } = patch;
    const query = writeQuery(options, this.fieldManager);
    const contentType = patchMediaTypes[type];
    const call = { verb: 'patch', path: path4, target, query, body, contentType };
    return this.call(call, options);
  }
  apply({ path: path4, target }, object, options) {
    const query = writeQuery(
      { ...options, force: options.force ?? true },
      this.fieldManager ?? defaultFieldManager,
    );
    const contentType = patchMediaTypes.apply;
    return this.call(
      { verb: 'patch', path: path4, target, query, body: object, contentType },
      options,
    );
  }
  /** Returns a reader of the response that also reports it to the observers of writes. */
  #readerOf({ target, read: read2 = readObject }, { dryRun }, sent) {
    const { writeObservers = [] } = this.settings;
    if (target === void 0 || writeObservers.length === 0 || isDryRun(dryRun)) return read2;
    return async (response) => {
      const object = await read2(response);
      reportWrite(writeObservers, target, {
        statusCode: response.statusCode,
        response: object,
        sent,
      });
      return object;
    };
  }
};

// packages/client/src/verbs/http-client.ts
import { checkMethods } from '@keelson/apimachinery';

// packages/client/src/verbs/discovery/discovery.ts
import {
  abortable,
  apiVersionOf as apiVersionOf2,
  checkOptions as checkOptions2,
  defineResource,
  resourceId,
} from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';

// packages/client/src/verbs/discovery/fetch-discovery.ts
import { isNotFound } from '@keelson/apimachinery';

// packages/client/src/verbs/discovery/served-resource.ts
function fromAggregated({ items }) {
  return (items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? []).flatMap(({ version, resources }) =>
      (resources ?? []).map((resource) => ({
        group: metadata?.name ?? '',
        version,
        kind: resource.responseKind?.kind ?? '',
        plural: resource.resource,
        singular: resource.singularResource ?? '',
        namespaced: resource.scope === 'Namespaced',
        verbs: resource.verbs ?? [],
        shortNames: resource.shortNames ?? [],
        categories: resource.categories ?? [],
        subresources: (resource.subresources ?? []).map((each) => ({
          name: each.subresource,
          kind: each.responseKind?.kind ?? '',
          verbs: each.verbs ?? [],
        })),
      })),
    ),
  );
}
function staleVersions({ items }) {
  return (items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? [])
      .filter(({ freshness }) => freshness === 'Stale')
      .map(({ version }) => ({ group: metadata?.name ?? '', version })),
  );
}
function fromListing(group, version, { resources }) {
  const all2 = resources ?? [];
  return all2
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      plural: resource.name,
      singular: resource.singularName ?? '',
      namespaced: resource.namespaced ?? false,
      verbs: resource.verbs ?? [],
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      subresources: all2
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(({ name, kind, verbs = [] }) => ({
          name: name.slice(resource.name.length + 1),
          kind,
          verbs,
        })),
    }));
}

// packages/client/src/verbs/discovery/fetch-discovery.ts
var accept = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');
var DISCOVERY_TIMEOUT = '32s';
async function fetchServed(caller) {
  return merge(await Promise.all([fetchRoot(caller, '/api'), fetchRoot(caller, '/apis')]));
}
async function fetchGroupVersion(caller, apiVersion) {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { ...nothing(), resources: await fetchListing(caller, { group, version }) };
}
async function fetchRoot(caller, path4) {
  const response = await read(caller, path4, accept);
  if (Array.isArray(response.items)) {
    return { ...nothing(), resources: fromAggregated(response), failures: staleVersions(response) };
  }
  const versions = path4 === '/api' ? coreVersions(response) : groupVersions(response);
  return merge(await Promise.all(versions.map((each) => tryListing(caller, each))));
}
function read(caller, path4, mediaTypes = 'application/json') {
  return caller.call(
    { verb: 'get', path: path4, query: '', accept: mediaTypes },
    { timeout: DISCOVERY_TIMEOUT },
  );
}
function nothing() {
  return { resources: [], failures: [], fetchedAt: performance.now() };
}
function merge(parts) {
  return {
    resources: parts.flatMap(({ resources }) => resources),
    failures: parts.flatMap(({ failures }) => failures),
    fetchedAt: performance.now(),
  };
}
function coreVersions({ versions }) {
  return (versions ?? []).map((version) => ({ group: '', version }));
}
function groupVersions({ groups }) {
  return (groups ?? []).flatMap(({ name, versions, preferredVersion }) => {
    const ordered = (versions ?? []).toSorted(
      (a, b) =>
        Number(b.version === preferredVersion?.version) -
        Number(a.version === preferredVersion?.version),
    );
    return ordered.map(({ version }) => ({ group: name, version }));
  });
}
async function tryListing(caller, groupVersion) {
  try {
    return { ...nothing(), resources: await fetchListing(caller, groupVersion) };
  } catch (error) {
    if (groupVersion.group === '') throw error;
    return { ...nothing(), failures: [{ ...groupVersion, error }] };
  }
}
async function fetchListing(caller, { group, version }) {
  const path4 = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    return fromListing(group, version, await read(caller, path4));
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

// packages/client/src/verbs/discovery/discovery.ts
var CACHE_MS = 5 * 6e4;
var FRESH_MS = 5e3;
var all = 'all';
var Discovery = class {
  #caller;
  #cache;
  constructor(caller) {
    this.#caller = caller;
    this.#cache = new LRUCache({
      max: 500,
      ttl: CACHE_MS,
      fetchMethod: (key) => (key === all ? fetchServed(caller) : fetchGroupVersion(caller, key)),
    });
  }
  /**
   * Returns every resource in every version, the preferred version of a group first. Lacks the resources of
   * `failures`.
   */
  async resources(options = {}) {
    checkCall('request', options, 'discovery.resources');
    return (await this.#served(all, options)).resources;
  }
  /**
   * Returns the group versions whose servers did not respond. `resources` lacks their resources or lists
   * outdated ones.
   */
  async failures(options = {}) {
    checkCall('request', options, 'discovery.failures');
    return (await this.#served(all, options)).failures;
  }
  /**
   * Returns the token of a resource that is known by name only, or `undefined` if the server does not serve
   * it. Throws `DISCOVERY_FAILED` if that is unknown because the server of its group did not respond.
   */
  async find(query, options = {}) {
    checkQuery(query);
    checkCall('request', options, 'discovery.find');
    return withDeadline(options, deadlineFacts, async (signal) => {
      const known2 = await this.#served(all, { signal });
      const token = tokenIn(known2, query);
      if (token !== void 0) return token;
      if (!isFresh(known2)) this.#forget(all, known2);
      const served = await this.#served(all, { signal });
      return tokenIn(served, query) ?? unserved(served, query);
    });
  }
  /** Returns whether the server serves this group, version and plural. A negative result is not cached. */
  async serves(resource, options = {}) {
    checkCall('request', options, 'discovery.serves');
    const key = apiVersionOf2(resource);
    const served = await this.#served(key, options);
    if (served.resources.some((each) => resourceId(each) === resourceId(resource))) return true;
    this.#forget(key, served);
    return false;
  }
  /** Clears the cache. The next call fetches again. */
  invalidate() {
    this.#cache.clear();
  }
  async version(options = {}) {
    checkCall('request', options, 'discovery.version');
    return this.#caller.call(
      { verb: 'get', path: '/version', query: '' },
      { timeout: DISCOVERY_TIMEOUT, ...options },
    );
  }
  async #served(key, options) {
    options.signal?.throwIfAborted();
    const known2 = this.#cache.peek(key);
    if (known2 !== void 0 && known2.failures.length > 0 && !isFresh(known2))
      this.#forget(key, known2);
    const fetched = this.#cache.fetch(key);
    return withDeadline(options, deadlineFacts, (signal) => abortable(fetched, [signal]));
  }
  /** Deletes a cached response unless it has been fetched again in the meantime. */
  #forget(key, served) {
    if (this.#cache.peek(key) === served) this.#cache.delete(key);
  }
};
var deadlineFacts = { step: 'discovery' };
function isFresh({ fetchedAt }) {
  return performance.now() - fetchedAt < FRESH_MS;
}
function checkQuery(query) {
  checkOptions2(query, ['group', 'version', 'kind', 'plural'], 'discovery.find');
  text(query.group, 'discovery.find.group');
}
function tokenIn({ resources }, query) {
  const found = resources.find((resource) => matches(resource, query));
  if (found === void 0) return void 0;
  const { group, version, kind, plural, namespaced } = found;
  return defineResource({
    group,
    version,
    kind,
    plural,
    scope: namespaced ? 'Namespaced' : 'Cluster',
  });
}
function matches(resource, query) {
  return (
    resource.group === query.group &&
    (query.version === void 0 || resource.version === query.version) &&
    (query.kind === void 0 || resource.kind === query.kind) &&
    (query.plural === void 0 || resource.plural === query.plural)
  );
}
function unserved({ failures }, { group, version }) {
  const failure = failures.find(
    (each) => each.group === group && (version === void 0 || each.version === version),
  );
  if (failure === void 0) return;
  const { error } = failure;
  throw new ClientError('DISCOVERY_FAILED', { group, version: failure.version }, { cause: error });
}

// packages/client/src/verbs/lists/lister-watcher.ts
import { jsonFormat as jsonFormat2 } from '@keelson/apimachinery';

// packages/client/src/verbs/lists/frame-stream.ts
import { jsonFormat, StatusError as StatusError3 } from '@keelson/apimachinery';

// packages/client/src/http/error-response.ts
import { StatusError as StatusError2 } from '@keelson/apimachinery';

// packages/client/src/values/parse-json.ts
function parseJson(text4) {
  try {
    return JSON.parse(text4);
  } catch {
    return void 0;
  }
}

// packages/client/src/values/redacted.ts
var MAX_TEXT_LENGTH = 300;
var MIN_SECRET_LENGTH = 4;
var QUOTED = /(["'`]).*?\1/g;
var NAMED = /((?:pass|secret|token|key|credential|auth|cookie)[\w-]*["']?\s*[=:]).*/gi;
var SCHEME = /\b(bearer|basic)\s+\S+/gi;
var WORD = /^([([{<-]*)(.*?)([)\]}>.,;:!?]*)$/;
var NUMBER = /^\d{1,5}$/;
var PROSE = /^(?:[A-Z]?[a-z]{1,16}|[A-Z]{1,12}|[A-Za-z][a-z]{1,12}(?:[A-Z][a-z]{1,12}){1,3})$/;
var MAX_COMPOUND_PARTS = 2;
var MAX_COMPOUND_LENGTH = 24;
function redacted(text4, secrets = []) {
  const [line = ''] = withoutSecrets(text4, secrets)
    .trim()
    .split(/[\r\n]/, 1);
  const words = line
    .slice(0, MAX_TEXT_LENGTH)
    .replaceAll(QUOTED, '\u2026')
    .replaceAll(NAMED, '$1 \u2026')
    .replaceAll(SCHEME, '$1 \u2026')
    .split(/\s+/);
  return words.map(shown).join(' ');
}
function withoutSecrets(text4, secrets) {
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '\u2026'), text4);
}
function withoutSecretsIn(value, secrets) {
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((each) => withoutSecretsIn(each, secrets));
  if (typeof value !== 'object' || value === null) return value;
  const members3 = Object.entries(value).map(([name, member]) => [
    withoutSecrets(name, secrets),
    withoutSecretsIn(member, secrets),
  ]);
  return Object.fromEntries(members3);
}
function shown(word) {
  const [, before = '', core = '', after = ''] = WORD.exec(word) ?? [];
  return isHarmless(core) ? word : `${before}\u2026${after}`;
}
function isHarmless(core) {
  if (core === '' || core === '\u2026' || NUMBER.test(core)) return true;
  return core.split('/').every((segment2) => segment2 === '' || isName(segment2));
}
function isName(segment2) {
  const parts = segment2.split(/[-_.=:]/).filter(Boolean);
  if (
    parts.length > MAX_COMPOUND_PARTS ||
    (parts.length > 1 && segment2.length > MAX_COMPOUND_LENGTH)
  )
    return false;
  return parts.every((part) => part === '\u2026' || PROSE.test(part));
}

// packages/client/src/http/error-response.ts
var REASONS = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
var PLAIN_MESSAGE_LIMIT = 1024;
var MESSAGE_LIMIT = 4096;
var REASON_LIMIT = 128;
function statusErrorOf(response) {
  const { statusCode, method, path: path4 } = response;
  const sent = sentStatus(response) ?? { message: plainMessage(response) };
  const seconds = sent.details?.retryAfterSeconds ?? retryAfterSeconds(response.retryAfter);
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    ...sent,
    reason: sent.reason ?? REASONS[statusCode] ?? 'Unknown',
    code: statusCode,
    ...(seconds === void 0 ? {} : { details: { ...sent.details, retryAfterSeconds: seconds } }),
  };
  return new StatusError2(status, { method, path: path4 });
}
function retryAfterSeconds(header) {
  if (header === void 0) return void 0;
  if (/^\d+(\.\d+)?$/.test(header)) return Math.ceil(Number(header));
  const date = /^[A-Z][a-z]{2}/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? void 0 : Math.max(0, Math.ceil((date - Date.now()) / 1e3));
}
function isTruncatedJson(contentType, body) {
  return contentType.includes('json') && body.startsWith('{') && parseJson(body) === void 0;
}
function validStatus(sent) {
  const { message, reason, details, code, ...others } = sent;
  return {
    ...others,
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof message === 'string' ? { message: cut(message, MESSAGE_LIMIT) } : {}),
    ...(typeof reason === 'string' && reason !== '' ? { reason: cut(reason, REASON_LIMIT) } : {}),
    ...(isRecord(details) ? { details: validDetails(details) } : {}),
  };
}
function validDetails({ retryAfterSeconds: seconds, ...others }) {
  const isTime = typeof seconds === 'number' && seconds >= 0;
  return isTime ? { ...others, retryAfterSeconds: seconds } : others;
}
function sentStatus({ contentType, body, secrets }) {
  if (!contentType.includes('json')) return void 0;
  const parsed = withoutSecretsIn(parseJson(body), secrets);
  if (!isRecord(parsed)) return void 0;
  if (parsed['kind'] === 'Status') return validStatus(parsed);
  const { message } = parsed;
  return typeof message === 'string' ? { message: cut(message, PLAIN_MESSAGE_LIMIT) } : void 0;
}
function plainMessage({ statusCode, contentType, body, secrets }) {
  const text4 = contentType.includes('html') ? titleOf(body) : body;
  const readable = contentType.startsWith('text/') || contentType === '';
  const shown2 = withoutSecrets(text4.trim(), secrets);
  const message = readable ? cut(shown2, PLAIN_MESSAGE_LIMIT) : '';
  return message === '' ? `the server responded with HTTP status ${statusCode}` : message;
}
function titleOf(html) {
  return /<title>([^<]*)<\/title>/i.exec(html)?.[1] ?? '';
}
function cut(text4, limit) {
  return text4.length <= limit ? text4 : `${text4.slice(0, limit - 1)}\u2026`.toWellFormed();
}

// packages/client/src/verbs/lists/frame-stream.ts
var none = [];
async function* listFrames(transport, resource, request2, protobuf) {
  yield* splitList(resource, await transport.open(request2), protobuf);
}
async function* splitList(resource, response, protobuf) {
  const splitter = formatOf(response, protobuf).listSplitter();
  try {
    for (;;) {
      const chunk = await response.read();
      if (chunk === void 0) break;
      const batch = { frames: splitter.push(chunk), receivedAt: performance.now() };
      if (namesOtherList(resource, splitter)) throw notAList(response, splitter);
      yield batch;
    }
  } finally {
    response.discard();
  }
  splitter.end();
  if (!isListOf(resource, splitter)) throw notAList(response, splitter);
  const listMetadata = splitter.metadata ?? {};
  yield { frames: none, receivedAt: performance.now(), listMetadata };
}
async function* watchFrames(transport, resource, request2, protobuf) {
  const response = await transport.open(request2);
  const splitter = formatOf(response, protobuf).watchSplitter();
  let isOpening = true;
  try {
    yield { frames: none, receivedAt: performance.now() };
    for (;;) {
      const chunk = await response.read();
      if (chunk === void 0) break;
      const frames = withoutSecrets2(response, splitter.push(chunk));
      if (isOpening && frames[0] !== void 0) {
        isOpening = false;
        checkFirst(resource, { request: request2, response }, frames[0]);
      }
      yield { frames, receivedAt: performance.now() };
    }
  } finally {
    response.discard();
  }
  splitter.end();
}
function checkFirst(resource, { request: request2, response }, first) {
  if (first.type === 'ERROR') throw statusOfFrame(first, request2);
  checkOpening(resource, response, first);
}
function withoutSecrets2(response, frames) {
  if (!frames.some(isError)) return frames;
  return frames.map((frame) =>
    isError(frame)
      ? { ...frame, format: void 0, object: response.redacted(statusIn(frame)) }
      : frame,
  );
}
function isError({ type }) {
  return type === 'ERROR';
}
function statusOfFrame(frame, { method, path: path4 }) {
  return new StatusError3(statusIn(frame), { method, path: path4 });
}
function statusIn(frame) {
  const sent = decoded(frame);
  return typeof sent === 'object' && sent !== null ? validStatus(sent) : {};
}
function decoded({ format, buffer, from, to, object }) {
  return format === void 0 ? object : format.decode(buffer, from, to);
}
function checkOpening(resource, response, frame) {
  const kind = kindOf(frame);
  if (!isOtherKind(resource, { kind })) return;
  throw response.unexpected({ kind, expected: resource.kind });
}
function kindOf(frame) {
  const { format, buffer, from, to } = frame;
  if (format === void 0 || format === jsonFormat) {
    return decoded(frame)?.kind;
  }
  const positions = format.positions();
  format.scan(buffer, from, to, positions);
  return format.identity(buffer, from, to, positions).kind;
}
function notAList(response, { kind }) {
  return response.unexpected({ kind, reason: NOT_A_LIST });
}
function formatOf(response, protobuf) {
  const { mediaType } = response;
  if (mediaType === jsonFormat.mediaType) return jsonFormat;
  if (protobuf !== void 0 && mediaType === protobuf.mediaType) return protobuf;
  throw response.unexpected();
}

// packages/client/src/verbs/lists/abortable-iterator.ts
var AbortableIterator = class {
  #signal;
  #open;
  #stop = new AbortController();
  #forward = () => this.#stop.abort(this.#signal?.reason);
  #items;
  #isReturned = false;
  constructor(signal, open2) {
    this.#signal = signal;
    this.#open = open2;
  }
  async next() {
    if (this.#isReturned) return { done: true, value: void 0 };
    this.#items ??= this.#start();
    try {
      const result = await this.#items.next();
      if (result.done === true) this.#release();
      return result;
    } catch (error) {
      this.#release();
      if (this.#isReturned) return { done: true, value: void 0 };
      throw error;
    }
  }
  async return() {
    this.#isReturned = true;
    this.#stop.abort();
    this.#release();
    await this.#items?.return();
    return { done: true, value: void 0 };
  }
  [Symbol.asyncIterator]() {
    return this;
  }
  async [Symbol.asyncDispose]() {
    await this.return();
  }
  /**
   * Listens to the caller's signal only while items are read, because the signal may outlive many iterators.
   */
  #start() {
    if (this.#signal?.aborted === true) this.#forward();
    this.#signal?.addEventListener('abort', this.#forward, { once: true });
    return this.#open(this.#stop.signal);
  }
  #release() {
    this.#signal?.removeEventListener('abort', this.#forward);
  }
};

// packages/client/src/verbs/discovery/is-served.ts
import { isNotFound as isNotFound2 } from '@keelson/apimachinery';
async function isServed(caller, resource, signal) {
  const { group, version, plural } = resource;
  try {
    const path4 = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const listing = await readDocument(caller, path4, 'APIResourceList', signal);
    return (listing.resources ?? []).some(({ name }) => name === plural);
  } catch (error) {
    if (group === '' || !isNotFound2(error)) throw error;
    return hasVersion(await readDocument(caller, '/apis', 'APIGroupList', signal), resource);
  }
}
function hasVersion({ groups }, { group, version }) {
  return (groups ?? []).some(
    ({ name, versions }) => name === group && versions?.some((each) => each.version === version),
  );
}
async function readDocument(caller, path4, kind, signal) {
  const read2 = async (response) => {
    const document = await readObject(response);
    if (document.kind !== kind) throw response.unexpected({ kind: document.kind });
    return document;
  };
  const call = { verb: 'get', path: path4, query: '', accept: 'application/json', read: read2 };
  return caller.call(call, { timeout: DISCOVERY_TIMEOUT, signal });
}

// packages/client/src/verbs/lists/missing-rule.ts
var PATH = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
var REVIEW_TTL_MS = 5 * 6e4;
var REVIEW_TIMEOUT = '10s';
var ANY_NAMESPACE = 'default';
var needed = ['list', 'watch'];
var MissingRule = class {
  #caller;
  #resource;
  #namespace;
  #reviews = /* @__PURE__ */ new Map();
  constructor(caller, resource, namespace = ANY_NAMESPACE) {
    this.#caller = caller;
    this.#resource = resource;
    this.#namespace = namespace;
  }
  /** Returns the rule after the server denied `verb`. Rejects if the review fails. */
  find(verb, signal) {
    const known2 = this.#reviews.get(verb);
    if (known2 !== void 0 && performance.now() - known2.at < REVIEW_TTL_MS) return known2.rule;
    const rule = this.#review(verb, signal);
    this.#reviews.set(verb, { at: performance.now(), rule });
    return rule;
  }
  async #review(denied, signal) {
    const { group, plural } = this.#resource;
    const body = {
      kind: 'SelfSubjectRulesReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec: { namespace: this.#namespace },
    };
    const { status } = await this.#caller.call(
      { verb: 'create', path: PATH, query: '', body },
      { timeout: REVIEW_TIMEOUT, signal },
    );
    const held = status?.resourceRules ?? [];
    const verbs = needed.filter(
      (verb) => verb === denied || !held.some((rule) => covers(rule, this.#resource, verb)),
    );
    return { apiGroups: [group], resources: [plural], verbs };
  }
};
function covers(rule, { group, plural }, verb) {
  const { apiGroups, resources, verbs, resourceNames } = rule;
  if ((resourceNames ?? []).length > 0) return false;
  return has(apiGroups, group) && has(resources, plural) && has(verbs, verb);
}
function has(list, value) {
  return list?.some((each) => each === value || each === '*') ?? false;
}

// packages/client/src/verbs/lists/lister-watcher.ts
var parameters = {
  full: { list: '', watch: '' },
  metadata: {
    list: ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    watch: ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  },
};
var queryMembers = ['resource', 'namespace', 'labelSelector', 'fieldSelector', 'projection'];
function createListerWatcher(caller, query) {
  const { transport, compression } = caller;
  const { protobufReads: reads } = caller.settings;
  checkValues(query, queryMembers, 'listerWatcher');
  const { resource, labelSelector, fieldSelector } = query;
  const selection2 = { labelSelector, fieldSelector };
  const path4 = collectionPath(resource, query.namespace);
  const missingRule = new MissingRule(caller, resource, query.namespace);
  const read2 = { resource, projection: query.projection ?? 'full' };
  const formatFor = async (signal) => reads?.formatFor(read2, signal);
  const accept2 = (verb, format) =>
    [...(format === void 0 ? [] : [format.mediaType]), jsonFormat2.mediaType]
      .map((mediaType) => mediaType + parameters[read2.projection][verb])
      .join(',');
  const zip = compression ? { 'accept-encoding': 'gzip' } : {};
  listQuery(selection2);
  return {
    list: (request2) =>
      new AbortableIterator(request2.signal, async function* list(signal) {
        const format = await formatFor(signal);
        const sent = {
          ...frameRequest('list', pathOf(query, request2.name), signal),
          query: listQuery({ ...named(selection2, request2.name), ...request2 }),
          headers: { accept: accept2('list', format), ...zip },
        };
        const batches = listFrames(transport, resource, sent, format);
        yield* format === void 0 || reads === void 0 ? batches : reads.accepted(read2, batches);
      }),
    watch: (request2) =>
      new AbortableIterator(request2.signal, async function* watch(signal) {
        const format = await formatFor(signal);
        const sent = {
          ...frameRequest('watch', path4, signal),
          query: watchQuery({ ...selection2, ...request2 }),
          headers: { accept: accept2('watch', format) },
        };
        const batches = watchFrames(transport, resource, sent, format);
        yield* format === void 0 || reads === void 0 ? batches : reads.watch(read2, batches);
      }),
    missingRule: (verb, signal) => missingRule.find(verb, signal),
    isServed: async (signal) => isServed(caller, resource, signal),
  };
}
function pathOf({ resource, namespace }, name) {
  return collectionPath(resource, name?.namespace ?? namespace);
}
function named(selection2, name) {
  if (name === void 0) return selection2;
  const { fieldSelector } = selection2;
  const byName = `metadata.name=${name.name}`;
  return { ...selection2, fieldSelector: fieldSelector ? `${fieldSelector},${byName}` : byName };
}
function frameRequest(verb, path4, signal) {
  const pool = verb === 'watch' ? 'watches' : 'streams';
  return { verb, method: 'GET', path: path4, signal, noRetry: true, pool };
}

// packages/client/src/cluster/invalid-member.ts
function unknownMember(given, known2, path4) {
  const unknown = Object.keys(given).find((name) => !known2.includes(name));
  return unknown === void 0
    ? void 0
    : { option: path4 + unknown, expected: `one of ${known2.join(', ')}` };
}
var isBytes = (value) => value instanceof Uint8Array;
var isText = (value) => typeof value === 'string';
var isPem = (value) => isText(value) || isBytes(value);
var pem = {
  expected: 'PEM as a string or as bytes',
  accepts: (value) =>
    isPem(value) || (Array.isArray(value) && value.length > 0 && value.every(isPem)),
};
var text2 = { expected: 'a string', accepts: isText };
var tlsMembers = {
  ca: pem,
  cert: pem,
  key: pem,
  pfx: { expected: 'bytes', accepts: isBytes },
  passphrase: text2,
  servername: text2,
  rejectUnauthorized: {
    expected: 'true or false',
    accepts: (value) => typeof value === 'boolean',
  },
};
function invalidTls(tls) {
  if (tls === void 0) return void 0;
  if (!isRecord(tls)) return { option: 'tls', expected: 'an object' };
  const unknown = unknownMember(tls, Object.keys(tlsMembers), 'tls.');
  if (unknown !== void 0) return unknown;
  for (const [name, { expected, accepts }] of Object.entries(tlsMembers)) {
    const value = tls[name];
    if (value !== void 0 && !accepts(value)) return { option: `tls.${name}`, expected };
  }
  return void 0;
}
var RESERVED_HEADERS = /* @__PURE__ */ new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);
function isHeaderName(name) {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !RESERVED_HEADERS.has(name.toLowerCase());
}
function isHeaderValue(value) {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}
function invalidHeader(headers) {
  if (headers === void 0) return void 0;
  if (!isRecord(headers)) return { option: 'headers', expected: 'an object' };
  for (const [name, value] of Object.entries(headers)) {
    const values = Array.isArray(value) ? value : [value];
    const isEmpty =
      values.length === 0 || (/^authorization$/i.test(name) && !values.every(Boolean));
    if (!isHeaderName(name)) return { option: 'headers', expected: 'names that HTTP allows' };
    if (isEmpty || !values.every(isHeaderValue)) {
      return { option: `headers.${name}`, expected: 'a string of one line that a header can hold' };
    }
  }
  return void 0;
}

// packages/client/src/verbs/check-path.ts
import { objectNameProblem as objectNameProblem2 } from '@keelson/apimachinery';
function checkEndpoint(endpoint) {
  const [first, ...segments] = endpoint.split('/').slice(1).map(decoded2);
  const isRoot = segments.length <= (first === 'api' ? 2 : 3);
  if (isRoot && segments.at(-1) === '') segments.pop();
  const count = nameCount(first ?? '', segments);
  for (const name of segments.slice(0, count)) {
    const reason = objectNameProblem2(name);
    if (reason !== void 0) throw invalidName('path segment', name, reason);
  }
  const beyond = segments.slice(count).join('/');
  if (beyond.split('/').some(isDots))
    throw invalidName('path', beyond, 'must not contain "." or ".." as segments');
}
function nameCount(first, segments) {
  if (first === 'logs') return 0;
  const place = { namespaces: 5, nodes: 3 }[segments[1] ?? ''];
  const isProxied2 = first === 'api' && place !== void 0 && segments[place] === 'proxy';
  return isProxied2 ? place : segments.length;
}
function checkRawPath(path4) {
  if (!path4.startsWith('/')) throw unsafe(path4, 'a path that begins with "/"');
  const [plain = ''] = path4.split('?', 1);
  if (plain.split('/').some((segment2) => isDots(decoded2(segment2)))) {
    throw unsafe(path4, 'a path without "." and ".." as segments');
  }
  if (/[^\u0021-\u00ff]|\u007f/.test(path4)) throw unsafe(path4, 'a path that is encoded');
}
function unsafe(path4, expected) {
  return new ClientError('UNSAFE_PATH', { path: path4.split('?', 1)[0], expected });
}
function isDots(segment2) {
  return segment2 === '.' || segment2 === '..';
}
function decoded2(segment2) {
  try {
    return decodeURIComponent(segment2);
  } catch {
    return segment2;
  }
}

// packages/client/src/http/observer.ts
var observerMethods = [
  'requestStarted',
  'requestEnded',
  'requestRetried',
  'credentialsRefreshed',
  'credentialsFailed',
  'warning',
  'protobufRefused',
];
var verbOfMethod = {
  GET: 'get',
  HEAD: 'get',
  OPTIONS: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

// packages/client/src/verbs/raw-request.ts
var members = ['method', 'path', 'query', 'headers', 'body', 'signal', 'timeout'];
async function sendRaw(caller, raw) {
  checkValues(raw, members, 'request');
  checkForm(raw);
  checkRawPath(raw.path);
  const { method = 'GET', query = {}, body, headers } = raw;
  const [path4 = '', ...given] = raw.path.split(/(?=\?)/);
  const json = typeof body === 'object' ? { 'content-type': 'application/json' } : {};
  return withDeadline(raw, { method, path: path4 }, async (signal) => {
    const request2 = {
      verb: verbOfMethod[method],
      method,
      path: path4,
      signal,
      query: joined(given.join(''), queryOf(query)),
      headers: { accept: '*/*', ...json, ...headers },
      body: typeof body === 'object' ? jsonOf(body, { method, path: path4 }) : body,
    };
    return caller.send(request2, async (response) => ({
      statusCode: response.statusCode,
      headers: response.headers,
      contentType: response.contentType,
      body: await response.text(),
    }));
  });
}
var checkMethod = oneOf(...Object.keys(verbOfMethod));
function checkForm({ method = 'GET', path: path4, query = {}, headers = {}, body = '' }) {
  checkMethod(method, 'request.method');
  text(path4, 'request.path');
  refuseUnless(isRecord(query), 'request.query', 'must be an object');
  for (const [name, value] of Object.entries(query)) {
    const isPlain = ['string', 'boolean', 'undefined'].includes(typeof value);
    const reason = 'must be a string, a finite number, true or false';
    refuseUnless(isPlain || Number.isFinite(value), `request.query.${name}`, reason);
  }
  refuseUnless(isRecord(headers), 'request.headers', 'must be an object');
  for (const [name, value] of Object.entries(headers)) {
    refuseUnless(isHeaderName(name), 'request.headers', 'must have names that HTTP allows');
    headerText(value, `request.headers.${name}`);
  }
  const isBody = typeof body === 'string' || (typeof body === 'object' && body !== null);
  refuseUnless(isBody, 'request.body', 'must be an object or a string');
}
function joined(first, second) {
  return first === '' ? second : first + second.replace('?', '&');
}

// packages/client/src/verbs/lists/read-items.ts
import {
  CycleDetector,
  isGone as isGone2,
  StatusError as StatusError4,
} from '@keelson/apimachinery';

// packages/client/src/verbs/calls/typed-object.ts
import { apiVersionOf as apiVersionOf3 } from '@keelson/apimachinery';
function typedObject(resource, object) {
  checkResource(resource);
  refuseUnless(isRecord(object), 'object', 'must be an object of the API');
  const apiVersion = apiVersionOf3(resource);
  const { kind } = resource;
  if ((object.apiVersion ?? apiVersion) !== apiVersion || (object.kind ?? kind) !== kind) {
    throw new ClientError('WRONG_OBJECT', {
      expected: `${apiVersion} ${kind}`,
      object: `${object.apiVersion} ${object.kind}`,
    });
  }
  return object.apiVersion === void 0 || object.kind === void 0
    ? { apiVersion, kind, ...object }
    : object;
}
function fillType(resource, object) {
  object.apiVersion ??= apiVersionOf3(resource);
  object.kind ??= resource.kind;
  return object;
}

// packages/client/src/verbs/lists/read-items.ts
var DEFAULT_PAGE_SIZE = 500;
var MAX_EXPIRED_TOKENS = 4;
function readItems(caller, resource, options) {
  const request2 = {
    verb: 'list',
    method: 'GET',
    pool: 'streams',
    path: collectionPath(resource, options.namespace),
    query: listQuery(options),
    headers: caller.compression ? { 'accept-encoding': 'gzip' } : {},
  };
  return new AbortableIterator(options.signal, (signal) =>
    readPages(caller, resource, { options, request: { ...request2, signal } }),
  );
}
async function* readPages({ transport }, resource, { options, request: request2 }) {
  const limit = options.limit ?? DEFAULT_PAGE_SIZE;
  const tokens = new CycleDetector(options.continue);
  let token = options.continue;
  let emptyPages = 0;
  let expiredTokens = 0;
  do {
    const query = listQuery({ ...options, limit, continue: token });
    const page2 = yield* readPage(transport, resource, { ...request2, query });
    if (page2.expired !== void 0 && (token === void 0 || ++expiredTokens > MAX_EXPIRED_TOKENS)) {
      throw page2.expired;
    }
    if (page2.expired === void 0) expiredTokens = 0;
    token = page2.next;
    emptyPages = page2.count > 0 ? 0 : emptyPages + 1;
    if (token === void 0) return;
    if (page2.expired === void 0 && tokens.repeats(token)) throw repeated(request2);
    if (emptyPages > 0) await transport.backOff(emptyPages, request2.signal);
  } while (true);
}
async function* readPage(transport, resource, request2) {
  let count = 0;
  let next;
  const open2 = (response) => openPage(resource, response);
  try {
    for await (const batch of await transport.send(request2, open2)) {
      count += batch.frames.length;
      for (const frame of batch.frames) yield fillType(resource, decoded(frame));
      next = batch.listMetadata?.continue;
    }
  } catch (error) {
    next = freshToken(error);
    if (next === void 0) throw error;
    return { count, next, expired: error };
  }
  return { count, next: next === '' ? void 0 : next };
}
async function openPage(resource, response) {
  const batches = splitList(resource, response);
  let first;
  do {
    const { done, value } = await batches.next();
    if (done === true) return batches;
    first = value;
  } while (first.frames.length === 0 && first.listMetadata === void 0);
  return startingWith(first, batches);
}
async function* startingWith(first, rest) {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return();
  }
}
function freshToken(error) {
  if (!(error instanceof StatusError4) || !isGone2(error)) return void 0;
  const token = error.status.metadata?.continue;
  return typeof token === 'string' && token !== '' ? token : void 0;
}
function repeated({ method, path: path4 }) {
  const reason = 'the server repeats a continue token';
  return new ClientError('UNEXPECTED_RESPONSE', { method, path: path4, reason });
}

// packages/client/src/verbs/lists/read-watch.ts
function readWatch(transport, resource, options) {
  const request2 = {
    verb: 'watch',
    method: 'GET',
    pool: 'watches',
    path: collectionPath(resource, options.namespace),
    query: watchQuery(options),
  };
  return new AbortableIterator(options.signal, (signal) =>
    readEvents(transport, resource, { ...request2, signal }),
  );
}
async function* readEvents(transport, resource, request2) {
  for await (const { frames } of watchFrames(transport, resource, request2)) {
    for (const frame of frames) {
      if (frame.type === 'ERROR') throw statusOfFrame(frame, request2);
      const object = decoded(frame);
      yield frame.type === 'BOOKMARK' ? { type: 'BOOKMARK', object } : { type: frame.type, object };
    }
  }
}

// packages/client/src/verbs/subresource.ts
function createSubresourceClient(caller, resource, subresource) {
  checkResource(resource);
  objectPath(
    resource,
    resource.namespaced ? { namespace: 'n', name: 'n' } : { name: 'n' },
    subresource,
  );
  const pathOf2 = (name) => objectPath(resource, name, subresource);
  const target = { resource };
  return {
    get(name, options = {}) {
      checkCall('get', options);
      return caller.call({ verb: 'get', path: pathOf2(name), query: getQuery(options) }, options);
    },
    create(name, object, options = {}) {
      checkCall('write', options, 'create');
      const query = writeQuery(options, caller.fieldManager);
      return caller.call(
        {
          verb: 'create',
          path: pathOf2(name),
          query,
          body: object,
          target,
          read: readConfirmation,
        },
        options,
      );
    },
    update(name, object, options = {}) {
      checkCall('write', options, 'update');
      const query = writeQuery(options, caller.fieldManager);
      return caller.call(
        { verb: 'update', path: pathOf2(name), query, body: object, target },
        options,
      );
    },
    patch(name, patch, options = {}) {
      checkCall('write', options, 'patch');
      return caller.patch({ path: pathOf2(name), target }, patch, options);
    },
    apply(name, object, options = {}) {
      checkCall('apply', options);
      return caller.apply({ path: pathOf2(name), target }, object, options);
    },
  };
}
function createStatusClient(caller, resource) {
  const status = createSubresourceClient(caller, resource, 'status');
  return {
    get: (name, options) => status.get(name, options),
    patch: (name, patch, options) => status.patch(name, patch, options),
    update(object, options) {
      const whole = typedObject(resource, object);
      return status.update(nameOf(resource, whole), whole, options);
    },
    apply(object, options) {
      const whole = typedObject(resource, object);
      return status.apply(nameOf(resource, whole), whole, options);
    },
  };
}

// packages/client/src/verbs/typed-api.ts
import { StatusError as StatusError5 } from '@keelson/apimachinery';

// packages/client/src/cluster/kubeconfig/client-node.ts
function loadClientNode() {
  return import('@kubernetes/client-node');
}

// packages/client/src/verbs/typed-api.ts
async function createTypedApi(caller, constructor) {
  const { createConfiguration, RequestContext, ResponseContext, wrapHttpLibrary } =
    await loadClientNode();
  const baseServer = {
    makeRequestContext(endpoint, method) {
      checkEndpoint(endpoint);
      return new RequestContext(placeholder + endpoint, method);
    },
  };
  const httpApi = wrapHttpLibrary({
    send: (request2) => send(caller, request2, ResponseContext),
  });
  return new constructor(createConfiguration({ baseServer, httpApi }));
}
var placeholder = 'http://cluster';
async function send(caller, context, Response) {
  const { pathname, search } = new URL(context.getUrl());
  const method = context.getHttpMethod();
  const request2 = {
    verb: verbOfMethod[method],
    method,
    path: pathname,
    query: search,
    headers: context.getHeaders(),
    body: textOf2(context.getBody()),
    signal: context.getSignal(),
  };
  try {
    return await caller.send(request2, async (response) =>
      responseOf(Response, response.statusCode, flat(response.headers), await response.bytes()),
    );
  } catch (error) {
    const failure = error instanceof ClientError ? error.cause : error;
    if (!(failure instanceof StatusError5)) throw error;
    const { status, statusCode } = failure;
    const body = Buffer.from(JSON.stringify(status));
    return responseOf(Response, statusCode, { 'content-type': 'application/json' }, body);
  }
}
function responseOf(Response, statusCode, headers, body) {
  return new Response(statusCode, headers, {
    text: async () => body.toString('utf8'),
    binary: async () => body,
    stream: () => null,
  });
}
function textOf2(body) {
  if (body === void 0 || typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new ClientError('UNSUPPORTED_BODY', { expected: 'JSON or a string' });
}
function flat(headers) {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === void 0 ? [] : [[name, String(value)]],
    ),
  );
}

// packages/client/src/verbs/http-client.ts
var HttpClient = class _HttpClient {
  discovery;
  #caller;
  /** False for a derived client, which does not own the connections. */
  #owner;
  constructor(caller, discovery = new Discovery(caller), owner = true) {
    this.#caller = caller;
    this.discovery = discovery;
    this.#owner = owner;
  }
  async get(resource, name, options = {}) {
    checkCall('get', options);
    const path4 = objectPath(resource, name);
    return this.#caller.call({ verb: 'get', path: path4, query: getQuery(options) }, options);
  }
  async list(resource, options = {}) {
    checkCall('list', options);
    const path4 = collectionPath(resource, options.namespace);
    const list = await this.#caller.call(
      { verb: 'list', path: path4, query: listQuery(options), read: listReader(resource) },
      options,
    );
    for (const item of list.items) fillType(resource, item);
    return list;
  }
  items(resource, options = {}) {
    checkCall('items', options);
    return readItems(this.#caller, resource, options);
  }
  async create(resource, object, options = {}) {
    checkCall('write', options, 'create');
    const body = typedObject(resource, object);
    const path4 = creationPath(resource, body);
    const query = writeQuery(options, this.#caller.fieldManager);
    return this.#caller.call(
      { verb: 'create', path: path4, query, body, target: { resource } },
      options,
    );
  }
  async update(resource, object, options = {}) {
    checkCall('write', options, 'update');
    const body = typedObject(resource, object);
    const path4 = objectPath(resource, nameOf(resource, body));
    const query = writeQuery(options, this.#caller.fieldManager);
    return this.#caller.call(
      { verb: 'update', path: path4, query, body, target: { resource } },
      options,
    );
  }
  async patch(resource, name, patch, options = {}) {
    checkCall('write', options, 'patch');
    const path4 = objectPath(resource, name);
    return this.#caller.patch({ path: path4, target: { resource } }, patch, options);
  }
  async apply(resource, object, options = {}) {
    checkCall('apply', options);
    const body = typedObject(resource, object);
    const path4 = objectPath(resource, nameOf(resource, body));
    return this.#caller.apply({ path: path4, target: { resource } }, body, options);
  }
  async delete(resource, name, options = {}) {
    checkCall('delete', options);
    const path4 = objectPath(resource, name);
    const body = deleteBody(options);
    const target = { resource, deleted: name };
    const response = await this.#caller.call(
      { verb: 'delete', path: path4, query: '', body, target, read: readConfirmation },
      options,
    );
    return response.kind === 'Status' ? void 0 : response;
  }
  async deleteCollection(resource, options = {}) {
    checkCall('deleteCollection', options);
    const path4 = collectionPath(resource, options.namespace);
    const query = queryOf(selectionParameters(options));
    const body = deleteBody(options);
    const call = { verb: 'deletecollection', path: path4, query, body, read: readConfirmation };
    await this.#caller.call(call, options);
  }
  watch(resource, options = {}) {
    checkCall('watch', options);
    return readWatch(this.#caller.transport, resource, options);
  }
  status(resource) {
    return createStatusClient(this.#caller, resource);
  }
  subresource(resource, name) {
    return createSubresourceClient(this.#caller, resource, name);
  }
  async request(request2) {
    return sendRaw(this.#caller, request2);
  }
  listerWatcher(query) {
    return createListerWatcher(this.#caller, query);
  }
  async apiClient(constructor) {
    return createTypedApi(this.#caller, constructor);
  }
  withFieldManager(fieldManager2) {
    fieldManager(fieldManager2, 'withFieldManager');
    return this.#derived({ ...this.#caller.settings, fieldManager: fieldManager2 });
  }
  withWriteGuard(guard) {
    checkMethods(guard, ['check'], 'withWriteGuard');
    checkMethods(guard.signal, ['addEventListener'], 'withWriteGuard.signal');
    return this.#derived({ ...this.#caller.settings, guard });
  }
  withWriteObserver(observer) {
    checkMethods(observer, ['written', 'deleted'], 'withWriteObserver');
    const { writeObservers = [] } = this.#caller.settings;
    return this.#derived({
      ...this.#caller.settings,
      writeObservers: [...writeObservers, observer],
    });
  }
  async close() {
    if (this.#owner) await this.#caller.transport.close();
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
  #derived(settings) {
    return new _HttpClient(new Caller(settings), this.discovery, false);
  }
};

// packages/client/src/http/protobuf/protobuf-reads.ts
import {
  abortable as abortable2,
  apiVersionOf as apiVersionOf4,
  loadProtobufFormats,
  statusOf,
} from '@keelson/apimachinery';
var KNOWN_MS = 5 * 6e4;
var UNKNOWN_MS = 3e4;
var TIMEOUT_MS = 5e3;
var ProtobufReads = class {
  #options;
  #loading;
  #version;
  /** The kinds that are read as JSON from now on, as `apiVersion kind`. */
  #refused = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#options = options;
  }
  /** Returns the format for a read; `undefined` for JSON. Rejects only with the reason of the signal. */
  async formatFor(read2, signal) {
    const kind = kindOf2(read2);
    if (!isBuiltin(kind) || this.isRefused(read2)) return void 0;
    this.#loading ??= this.#load();
    const format = (await this.#loading).find(kind.apiVersion, kind.kind);
    if (format === void 0) return void 0;
    const isCovered = await abortable2(this.#isServerCovered(), [signal]);
    return isCovered ? format : void 0;
  }
  isRefused(read2) {
    return this.#refused.has(nameOf2(kindOf2(read2)));
  }
  /**
   * Passes batches on. A 406 makes later reads of the kind use JSON: a server or proxy does not accept the two media types,
   * although JSON is one of them. A 406 for metadata refuses the projection, which JSON has too.
   */
  async *accepted(read2, batches) {
    try {
      yield* batches;
    } catch (error) {
      if (read2.projection === 'full' && statusOf(error)?.code === 406) {
        this.#refuse(kindOf2(read2), error);
      }
      throw error;
    }
  }
  /** As `accepted`, for a watch. Ends it once an object of the kind was refused, so that it continues as JSON. */
  async *watch(read2, batches) {
    for await (const batch of this.accepted(read2, batches)) {
      yield batch;
      if (this.isRefused(read2)) return;
    }
  }
  async #load() {
    const formats = await loadProtobufFormats();
    return formats.observed((kind, error) => this.#refuse(kind, error));
  }
  #refuse({ apiVersion, kind }, error) {
    const name = nameOf2({ apiVersion, kind });
    if (this.#refused.has(name)) return;
    this.#refused.add(name);
    this.#options.onRefused({ apiVersion, kind, error });
  }
  /** True if the table has the fields of the server's version. Concurrent callers share one request. */
  #isServerCovered() {
    if (this.#version === void 0 || performance.now() >= this.#version.until) {
      const version = {
        isCovered: this.#compareVersions().then(
          (isCovered) => {
            version.until = performance.now() + KNOWN_MS;
            return isCovered;
          },
          () => false,
        ),
        until: performance.now() + UNKNOWN_MS,
      };
      this.#version = version;
    }
    return this.#version.isCovered;
  }
  async #compareVersions() {
    const { kubernetesVersion } = await loadProtobufFormats();
    const response = await this.#options.fetchVersion(AbortSignal.timeout(TIMEOUT_MS));
    const { major, minor } = response;
    const [most = 0, mostMinor = 0] = kubernetesVersion.split('.').map(Number);
    const given = [major, minor].map((part) => Number.parseInt(String(part), 10));
    return given[0] === most && (given[1] ?? Number.NaN) <= mostMinor;
  }
};
function kindOf2({ resource, projection }) {
  return projection === 'metadata'
    ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }
    : { apiVersion: apiVersionOf4(resource), kind: resource.kind };
}
function nameOf2({ apiVersion, kind }) {
  return `${apiVersion} ${kind}`;
}
function isBuiltin({ apiVersion }) {
  const [group = ''] = apiVersion.split('/');
  return !group.includes('.') || group.endsWith('.k8s.io');
}

// packages/client/src/http/transport.ts
import { setMaxListeners } from 'node:events';
import {
  abortable as abortable3,
  CodedError as CodedError5,
  pause,
  StatusError as StatusError6,
} from '@keelson/apimachinery';

// packages/client/src/cluster/cluster.ts
var clusterMembers = ['server', 'namespace', 'tls', 'token', 'proxy', 'credentials'];
function checkMembers(cluster) {
  if (!isRecord(cluster)) refuse({ option: 'cluster', expected: 'an object' });
  refuse(unknownMember(cluster, clusterMembers, ''));
  const { namespace = '', proxy = '', tls } = cluster;
  for (const [option, value] of Object.entries({ namespace, proxy })) {
    if (typeof value !== 'string') refuse({ option, expected: 'a string' });
  }
  if (!['function', 'undefined'].includes(typeof cluster.credentials)) {
    refuse({ option: 'credentials', expected: 'a function' });
  }
  refuse(invalidTls(tls));
}
function refuse(invalid2) {
  if (invalid2 !== void 0) throw new ClientError('INVALID_CLUSTER', { ...invalid2 });
}
function serverUrl(server) {
  const url = URL.canParse(server) ? new URL(server) : void 0;
  if (url === void 0 || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ClientError('INVALID_CLUSTER', { option: 'server', expected: 'an http(s) URL' });
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new ClientError('INVALID_CLUSTER', {
      option: 'server',
      expected: 'a URL without user, query and fragment',
    });
  }
  return url;
}
function checkToken(token) {
  if (token === void 0 || (isHeaderValue(token) && token !== '')) return;
  refuse({ option: 'token', expected: 'a string of one line that a header can hold' });
}
var credentialMembers = ['headers', 'tls'];
function checkCredentials(given) {
  const invalid2 = isRecord(given)
    ? (unknownMember(given, credentialMembers, '') ??
      invalidHeader(given['headers']) ??
      invalidTls(given['tls']))
    : { option: 'credentials', expected: 'an object' };
  if (invalid2 === void 0) return;
  const reason = 'the credentials function returned an invalid value';
  throw new ClientError('CREDENTIALS_FAILED', { reason, ...invalid2 });
}

// packages/client/src/http/connection-pools.ts
import { startTimer as startTimer2 } from '@keelson/apimachinery';

// packages/client/src/http/http2/pings.ts
var PING_INTERVAL_MS = 6e3;
var SILENT_INTERVALS = 2;
function startPings(connection, onLost) {
  let received = connection.bytesRead;
  let silent = 0;
  const timer = setInterval(() => {
    silent = connection.bytesRead === received ? silent + 1 : 0;
    received = connection.bytesRead;
    if (silent < SILENT_INTERVALS) return connection.ping();
    clearInterval(timer);
    return onLost();
  }, PING_INTERVAL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

// packages/client/src/http/body/chunk-queue.ts
var PAUSE_ABOVE_BYTES = 128 * 1024;
var ChunkQueue = class {
  #source;
  #chunks = [];
  #bytes = 0;
  #isPaused = false;
  /** The last chunk has arrived, or an error. */
  #isComplete = false;
  #error;
  #reader;
  constructor(source) {
    this.#source = source;
  }
  push(chunk) {
    if (this.#isComplete) return;
    const reader = this.#reader;
    if (reader !== void 0) {
      this.#reader = void 0;
      reader.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= PAUSE_ABOVE_BYTES || this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause();
  }
  /** The body has arrived completely. */
  end() {
    this.#complete(void 0);
  }
  /** The body breaks off. */
  fail(error) {
    this.#complete(error);
  }
  take() {
    const chunk = this.#chunks.shift();
    if (chunk === void 0) return void 0;
    this.#bytes -= chunk.length;
    if (this.#isPaused && this.#bytes === 0) {
      this.#isPaused = false;
      this.#source.resume();
    }
    return chunk;
  }
  next() {
    const chunk = this.take();
    if (chunk !== void 0) return Promise.resolve(chunk);
    if (this.#error !== void 0) return Promise.reject(this.#error);
    if (this.#isComplete) return Promise.resolve(void 0);
    this.#reader ??= Promise.withResolvers();
    return this.#reader.promise;
  }
  destroy(reason = new Error('the body was discarded')) {
    this.#chunks.length = 0;
    this.#bytes = 0;
    if (this.#isComplete) return;
    this.#complete(reason);
    this.#source.abort(reason);
  }
  #complete(error) {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#error = error;
    const reader = this.#reader;
    this.#reader = void 0;
    if (error === void 0) reader?.resolve(void 0);
    else reader?.reject(error);
  }
};

// packages/client/src/http/body/body-of-stream.ts
function bodyOfStream(stream, errorAtEnd) {
  const queue = new ChunkQueue({
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    abort: () => void stream.destroy(),
  });
  stream.on('data', (chunk) => queue.push(chunk));
  stream.on('error', (error) => queue.fail(error));
  stream.once('close', () => {
    const error = stream.readableEnded ? errorAtEnd?.() : closedEarly();
    if (error === void 0) queue.end();
    else queue.fail(error);
  });
  return queue;
}
function closedEarly() {
  return Object.assign(new Error('the stream closed before its end'), {
    code: 'ERR_STREAM_PREMATURE_CLOSE',
  });
}

// packages/client/src/http/http2/http2-connection.ts
var MAX_STREAMS = 100;
var STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
var CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
var SESSION_MEMORY_MB = 256;
var IDLE_TIMEOUT_MS = 6e4;
var Http2Connection = class _Http2Connection {
  #session;
  #socketClosed;
  #maxStreams;
  #streams = 0;
  #idleTimer;
  /** Resolves when the server has sent its limits. Destroys the socket if it rejects. */
  static async open(url, socket) {
    const { connect: connect2 } = await import('node:http2');
    const session = connect2(url, {
      createConnection: () => socket,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    session.on('error', () => void 0);
    const { maxConcurrentStreams = MAX_STREAMS } = await settingsOf(session);
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    return new _Http2Connection(session, socket, Math.min(maxConcurrentStreams, MAX_STREAMS));
  }
  constructor(session, socket, maxStreams) {
    this.#session = session;
    this.#socketClosed = new Promise((resolve) => {
      socket.once('close', resolve);
    });
    this.#maxStreams = maxStreams;
    const pinged = {
      // A session is destroyed some time before it emits `close`.
      ping: () => void (session.destroyed || session.ping(() => void 0)),
      get bytesRead() {
        return socket.bytesRead;
      },
    };
    const pings = startPings(pinged, () => session.destroy(lost('ETIMEDOUT')));
    session.on('goaway', () => session.close());
    session.once('close', () => {
      pings[Symbol.dispose]();
      clearTimeout(this.#idleTimer);
    });
    this.#idle();
  }
  /** False for a server that allows no stream. */
  get isUsable() {
    return this.#maxStreams > 0;
  }
  get hasRoom() {
    return !this.#session.closed && !this.#session.destroyed && this.#streams < this.#maxStreams;
  }
  /** Calls the listener when the connection takes no more requests. */
  onceClosed(listener) {
    this.#session.once('close', listener);
  }
  /** Resolves when the response has started. */
  async request({ path: path4, headers, signal, headersTimeout }) {
    signal?.throwIfAborted();
    const stream = this.#session.request(
      { ...headers, ':method': 'GET', ':path': path4 },
      { endStream: true, ...(signal === null ? {} : { signal }) },
    );
    this.#began(stream);
    const timer = setTimeout(() => stream.destroy(lost('ETIMEDOUT')), headersTimeout);
    stream.once('response', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    const { ':status': statusCode = 0, ...received } = await responseOf2(stream);
    return { statusCode, headers: received, body: bodyOfStream(stream, () => cutOff(stream)) };
  }
  /** Takes no more requests; resolves when the streams have ended and the socket is closed. */
  async close() {
    this.#session.close();
    await this.#socketClosed;
  }
  /** Ends every stream with this error; resolves when the socket is closed. */
  async destroy(reason) {
    this.#session.destroy(reason);
    await this.#socketClosed;
  }
  #began(stream) {
    this.#streams++;
    this.#session.ref();
    clearTimeout(this.#idleTimer);
    stream.once('close', () => {
      this.#streams--;
      if (this.#streams === 0 && !this.#session.destroyed) this.#idle();
    });
  }
  #idle() {
    this.#session.unref();
    this.#idleTimer = setTimeout(() => this.#session.close(), IDLE_TIMEOUT_MS);
    this.#idleTimer.unref();
  }
};
function settingsOf(session) {
  const { promise, resolve, reject } = Promise.withResolvers();
  session.once('remoteSettings', resolve);
  session.once('error', reject);
  session.once('close', () => reject(lost('ECONNRESET')));
  return promise;
}
function responseOf2(stream) {
  const { promise, resolve, reject } = Promise.withResolvers();
  stream.on('error', reject);
  stream.once('response', resolve);
  stream.once('close', () => reject(lost('ERR_HTTP2_STREAM_CANCEL')));
  return promise;
}
function cutOff({ rstCode }) {
  return rstCode === 0 ? void 0 : lost('ERR_HTTP2_STREAM_CANCEL');
}
function lost(code) {
  return Object.assign(new Error('the connection was lost'), { code });
}

// packages/client/src/http/body/undici-exchange.ts
function exchange(dispatcher, { signal, ...request2 }) {
  const handler = new UndiciExchange(signal);
  try {
    dispatcher.dispatch(request2, handler);
  } catch (error) {
    handler.onResponseError(void 0, error);
  }
  return handler.response;
}
var UndiciExchange = class {
  response;
  #signal;
  #started = Promise.withResolvers();
  #abort = () => this.#aborted();
  #controller;
  #body;
  constructor(signal) {
    this.#signal = signal;
    this.response = this.#started.promise;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }
  onRequestStart(controller) {
    this.#controller = controller;
    if (this.#signal?.aborted === true) controller.abort(reasonOf(this.#signal));
  }
  onResponseStart(controller, statusCode, headers) {
    if (statusCode < 200) return;
    this.#body = new ChunkQueue(controller);
    this.#started.resolve({ statusCode, headers, body: this.#body });
  }
  onResponseData(_controller, chunk) {
    this.#body?.push(chunk);
  }
  onResponseEnd() {
    this.#release();
    this.#body?.end();
  }
  onResponseError(_controller, error) {
    this.#release();
    this.#started.reject(error);
    this.#body?.fail(error);
  }
  /** Chunks that have arrived are not read any more. */
  #aborted() {
    const reason = reasonOf(this.#signal);
    if (this.#body === void 0) this.#controller?.abort(reason);
    else this.#body.destroy(reason);
  }
  #release() {
    this.#signal?.removeEventListener('abort', this.#abort);
  }
};
function reasonOf(signal) {
  const reason = signal?.reason;
  return reason instanceof Error ? reason : new Error('the request was aborted', { cause: reason });
}

// packages/client/src/http/open-sockets.ts
import { Socket } from 'node:net';
var OpenSockets = class {
  #sockets = /* @__PURE__ */ new Set();
  #reason;
  get size() {
    return this.#sockets.size;
  }
  /** Returns a connector whose sockets belong to this set from the start of the connection. */
  tracked(connector) {
    return (options, done) => {
      const socket = connector(options, done);
      if (socket instanceof Socket) this.#add(socket);
      return socket;
    };
  }
  /** Destroys the sockets, and those that are opened later. */
  destroy(reason) {
    this.#reason = reason;
    for (const socket of this.#sockets) socket.destroy(reason);
  }
  #add(socket) {
    if (this.#reason !== void 0) {
      socket.destroy(this.#reason);
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
};

// packages/client/src/cluster/tls-options.ts
import { createSecureContext } from 'node:tls';
function tlsOptions(tls) {
  return Object.fromEntries(
    Object.entries(tls).flatMap(([key, value]) => (value === void 0 ? [] : [[key, pem2(value)]])),
  );
}
function checkTls(tls) {
  const { cert, key, pfx, passphrase } = tlsOptions(tls);
  if (cert !== void 0) check('tls.cert', { cert });
  if (key !== void 0) check('tls.key', { key, passphrase });
  if (pfx !== void 0) check('tls.pfx', { pfx, passphrase });
  if (cert !== void 0 && key !== void 0) check('tls.key', { cert, key, passphrase });
}
function isPair(cert, key) {
  try {
    createSecureContext({ cert, key, ca: [] });
    return true;
  } catch {
    return false;
  }
}
function check(option, material) {
  try {
    createSecureContext({ ...material, ca: [] });
  } catch (cause) {
    const expected =
      option === 'tls.pfx' ? 'a PKCS#12 archive' : 'PEM, and a key of the certificate';
    throw new ClientError('INVALID_CLUSTER', { option, expected }, { cause });
  }
}
function pem2(value) {
  if (Array.isArray(value)) return value.map(pem2);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}

// packages/client/src/http/http2/watch-connections.ts
var HTTP1_TTL_MS = 10 * 6e4;
var WatchConnections = class {
  #options;
  #connections = /* @__PURE__ */ new Set();
  #opening;
  #isHttp1Until = 0;
  #closed;
  constructor(options) {
    this.#options = options;
  }
  /** Sends a GET request. Resolves when the response has started. */
  async request(request2) {
    for (;;) {
      if (performance.now() < this.#isHttp1Until) return this.#options.http1(request2);
      for (const connection of this.#connections) {
        if (connection.hasRoom) return connection.request(request2);
      }
      this.#opening ??= this.#open().finally(() => (this.#opening = void 0));
      await this.#opening;
    }
  }
  /** Resolves when every response has ended and every connection is closed. */
  async close() {
    while (this.#opening !== void 0) await this.#opening.catch(() => void 0);
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()));
  }
  /** Aborts every response; resolves when every socket is closed. */
  async destroy(reason) {
    this.#closed = reason;
    await Promise.all(Array.from(this.#connections, (connection) => connection.destroy(reason)));
    await this.#opening?.catch(() => void 0);
  }
  async #open() {
    const connection = await this.#options.open();
    if (connection?.isUsable !== true) this.#isHttp1Until = performance.now() + HTTP1_TTL_MS;
    if (this.#closed !== void 0) await connection?.destroy(this.#closed);
    if (this.#closed !== void 0) throw this.#closed;
    if (connection === void 0) return;
    this.#connections.add(connection);
    connection.onceClosed(() => this.#connections.delete(connection));
  }
};

// packages/client/src/undici/load-undici.ts
async function loadUndici() {
  const modules = await Promise.all([
    // @ts-expect-error undici has types for its main module only
    import('undici/lib/dispatcher/dispatcher.js'),
    // @ts-expect-error the same
    import('undici/lib/api/index.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/agent.js'),
    // @ts-expect-error the same
    import('undici/lib/handler/decorator-handler.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/pool.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/proxy-agent.js'),
    // @ts-expect-error the same
    import('undici/lib/dispatcher/socks5-proxy-agent.js'),
    // @ts-expect-error the same
    import('undici/lib/core/connect.js'),
    // @ts-expect-error the same
    import('undici/lib/core/errors.js'),
  ]);
  const [dispatcher, api, ...parts] = modules.map((module) => module.default);
  const [Agent, DecoratorHandler, Pool, ProxyAgent, Socks5ProxyAgent, buildConnector, errors] =
    parts;
  Object.assign(dispatcher.prototype, api);
  const all2 = { Agent, DecoratorHandler, Pool, ProxyAgent, Socks5ProxyAgent };
  return { ...all2, buildConnector, errors };
}

// packages/client/src/http/connection-pools.ts
var CONNECT_TIMEOUT_MS = 1e4;
var TCP_KEEPALIVE_MS = 9e3;
var IDLE_CONNECTION_TIMEOUT_MS = 6e4;
var MAX_REQUEST_CONNECTIONS = 64;
var ConnectionPools = class {
  #target;
  #undici;
  #current;
  #retired = /* @__PURE__ */ new Set();
  #sockets = new OpenSockets();
  #isClosed = false;
  constructor(target) {
    this.#target = target;
    if (target.proxy !== void 0) checkProxy(target.proxy);
  }
  async for(held, kind, guard) {
    this.#undici ??= await loadUndici();
    if (this.#isClosed) throw new ClientError('CLIENT_CLOSED');
    if (this.#current?.tlsFingerprint !== held.tlsFingerprint) this.#renew(this.#undici, held);
    const pools = this.#current;
    if (kind === 'watches') return pools.watches;
    const pool =
      guard === void 0 ? pools[kind] : guardedDispatcher(this.#undici, pools[kind], guard);
    return { request: (sent) => exchange(pool, sent) };
  }
  /** Aborts pending requests; settles when every socket is closed. */
  async close(reason) {
    const generations = [...this.#retired, ...(this.#current === void 0 ? [] : [this.#current])];
    const ended = generations.flatMap(({ requests, streams, watches }) => [
      requests.destroy(reason),
      streams.destroy(reason),
      watches.destroy(reason),
    ]);
    this.#isClosed = true;
    this.#sockets.destroy(reason);
    await Promise.all(ended);
  }
  #renew(undici, held) {
    const old = this.#current;
    const route = { ...this.#target, tls: held.tls, sockets: this.#sockets };
    const streams = connect(undici, route, null);
    this.#current = {
      tlsFingerprint: held.tlsFingerprint,
      requests: connect(undici, route, MAX_REQUEST_CONNECTIONS),
      streams,
      watches: new WatchConnections({
        open: () => openHttp2(undici, route),
        http1: (sent) => exchange(streams, sent),
      }),
    };
    if (old !== void 0) this.#retire(old);
  }
  #retire(generation) {
    this.#retired.add(generation);
    const { requests, streams, watches } = generation;
    const ended = Promise.allSettled([requests.close(), streams.close(), watches.close()]);
    void ended.then(() => this.#retired.delete(generation));
  }
};
var socketOptions = {
  keepAlive: true,
  keepAliveInitialDelay: TCP_KEEPALIVE_MS,
  timeout: CONNECT_TIMEOUT_MS,
};
async function openHttp2(undici, route) {
  const { url, proxy, http2, tls, sockets } = route;
  if (!http2 || proxy !== void 0 || url.protocol !== 'https:') return void 0;
  const attempt = new OpenSockets();
  let timeout;
  const stop = startTimer2(CONNECT_TIMEOUT_MS, () => {
    timeout = new undici.errors.ConnectTimeoutError();
    attempt.destroy(timeout);
  });
  try {
    const options = { ...tlsOptions(tls), ...socketOptions, allowH2: true, preferH2: true };
    const connector = attempt.tracked(undici.buildConnector(options));
    const opened = await connected(sockets.tracked(connector), url);
    if (opened.alpnProtocol === 'h2') return await Http2Connection.open(url, opened);
    opened.destroy();
    return void 0;
  } catch (error) {
    throw new ConnectError('no connection was opened', { cause: timeout ?? error });
  } finally {
    stop();
  }
}
function connected(connector, { protocol, host, hostname, port }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  connector({ protocol, host, hostname: address, port }, (error, socket) => {
    if (error === null) resolve(socket);
    else reject(error);
  });
  return promise;
}
function connect(undici, route, connections) {
  const { url, proxy, tls, sockets } = route;
  const common = {
    allowH2: false,
    connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_CONNECTION_TIMEOUT_MS,
  };
  const connector = { ...tlsOptions(tls), ...socketOptions };
  const open2 = (origin, options, connects) =>
    new undici.Pool(origin, { ...options, connect: markFailures(sockets.tracked(connects)) });
  if (proxy === void 0) {
    return open2(url.origin, common, undici.buildConnector({ ...connector, allowH2: false }));
  }
  if (proxy.startsWith('socks')) {
    return new undici.Socks5ProxyAgent(proxy.replace(/^socks5?h?:/, 'socks5:'), {
      ...common,
      connect: markFailures(sockets.tracked(undici.buildConnector(socketOptions))),
      requestTls: connector,
    });
  }
  return new undici.ProxyAgent({
    ...common,
    uri: proxy,
    requestTls: connector,
    proxyTls: socketOptions,
    clientFactory(origin, options) {
      const { connect: connects, ...rest } = options;
      return new undici.Pool(origin, { ...rest, connect: sockets.tracked(connects) });
    },
    factory: (origin, options) => {
      const tunnelled = options;
      return open2(origin, tunnelled, tunnelled.connect);
    },
  });
}
function checkProxy(proxy) {
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : '';
  if (['http:', 'https:', 'socks:', 'socks5:', 'socks5h:'].includes(protocol)) return;
  throw new ClientError('INVALID_CLUSTER', {
    option: 'proxy',
    expected: 'an http, https or socks5 URL',
  });
}

// packages/client/src/http/credential-cache.ts
import { createHash } from 'node:crypto';
import { CodedError as CodedError4, endsWithin } from '@keelson/apimachinery';
var REUSE_MS = 1e4;
var INEFFECTIVE_REFRESH_PAUSE_MS = 5e3;
var CLOSE_TIMEOUT_MS = 1e3;
var MIN_SECRET_LENGTH2 = 8;
var CredentialCache = class {
  #cluster;
  #options;
  #now;
  #held;
  #heldAt = 0;
  #pending;
  #forcing;
  #ineffective;
  /** True if the last fetch failed. */
  #hasFailed = false;
  #stop = new AbortController();
  constructor(cluster, options = {}) {
    this.#cluster = cluster;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }
  /** Returns the credentials for the next request, synchronously if no fetch is necessary. */
  get() {
    const held = this.#held;
    if (this.#forcing !== void 0)
      return held === void 0 ? this.#forcing : this.#forcing.catch(() => held);
    if (held !== void 0 && this.#isFresh()) return held;
    this.#pending ??= this.#fetchAgain().finally(() => (this.#pending = void 0));
    return this.#pending;
  }
  /**
   * Refreshes credentials that the server refused. Returns the new ones, or `undefined` if the refresh returns the
   * same ones.
   * If the refresh fails, rejects for every request that waited for it.
   */
  async renew(refused) {
    if (this.#forcing === void 0 && this.#held?.fingerprint === refused.fingerprint) {
      const ineffective = this.#ineffectiveFor(refused);
      if (ineffective?.error !== void 0) throw ineffective.error;
      if (ineffective !== void 0) return void 0;
      this.#forcing = this.#force(refused).finally(() => (this.#forcing = void 0));
    }
    const held = (await this.#forcing) ?? this.#held;
    return held?.fingerprint === refused.fingerprint ? void 0 : held;
  }
  /** Records that the server refused credentials that a refresh had just returned. */
  recordRefusal(held) {
    this.#ineffective = { fingerprint: held.fingerprint, at: this.#now() };
  }
  /** Aborts a running fetch; settles when it has ended, after 1 s at the latest. */
  async close(reason) {
    this.#stop.abort(reason);
    const running = Promise.allSettled([this.#pending, this.#forcing]);
    await endsWithin(running, CLOSE_TIMEOUT_MS);
  }
  async #force(refused) {
    await this.#pending?.catch(() => void 0);
    if (this.#held !== void 0 && this.#held.fingerprint !== refused.fingerprint) return this.#held;
    const held = await this.#refresh(refused);
    const changed = held.fingerprint !== refused.fingerprint;
    if (!changed) this.recordRefusal(held);
    this.#refreshed(changed);
    return held;
  }
  async #refresh({ fingerprint }) {
    try {
      return await this.#fetch(true);
    } catch (error) {
      this.#ineffective = { fingerprint, at: this.#now(), error };
      this.#failed(error);
      throw error;
    }
  }
  /**
   * Fetches again without force. Only the first fetch must succeed: later failures keep the held credentials.
   */
  async #fetchAgain() {
    const before = this.#held;
    try {
      const held = await this.#fetch(false);
      if (this.#hasFailed) this.#refreshed(held.fingerprint !== before?.fingerprint);
      return held;
    } catch (error) {
      if (before === void 0 || this.#stop.signal.aborted) throw error;
      this.#heldAt = this.#now();
      this.#failed(error);
      return before;
    }
  }
  #refreshed(changed) {
    this.#hasFailed = false;
    this.#options.onRefresh?.({ changed });
  }
  #failed(error) {
    this.#hasFailed = true;
    this.#options.onFailure?.(error);
  }
  async #fetch(force) {
    const { signal } = this.#stop;
    signal.throwIfAborted();
    const held = currentCredentials(this.#cluster, await this.#fetched(force));
    if (held.tlsFingerprint !== this.#held?.tlsFingerprint) checkTls(held.tls);
    this.#held = held;
    this.#heldAt = this.#now();
    return held;
  }
  async #fetched(force) {
    const cluster = this.#cluster;
    if (cluster.credentials === void 0) return {};
    const fetched = await this.#call(cluster.credentials.bind(cluster), force);
    checkCredentials(fetched);
    return fetched;
  }
  /** Calls the function of the user. */
  async #call(credentials, force) {
    const { signal } = this.#stop;
    try {
      return await credentials({ force, signal });
    } catch (cause) {
      if (cause instanceof CodedError4 || signal.aborted) throw cause;
      const reason = 'the credentials function threw an error';
      throw new ClientError('CREDENTIALS_FAILED', { reason }, { cause });
    }
  }
  #isFresh() {
    return this.#cluster.credentials === void 0 || this.#now() - this.#heldAt < REUSE_MS;
  }
  #ineffectiveFor({ fingerprint }) {
    const ineffective = this.#ineffective;
    if (ineffective === void 0 || ineffective.fingerprint !== fingerprint) return void 0;
    return this.#now() - ineffective.at < INEFFECTIVE_REFRESH_PAUSE_MS ? ineffective : void 0;
  }
};
function currentCredentials(cluster, fetched) {
  const token = cluster.token === void 0 ? {} : { authorization: `Bearer ${cluster.token}` };
  const given = Object.entries(fetched.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);
  const headers = { ...token, ...Object.fromEntries(given) };
  const tls = { ...cluster.tls, ...fetched.tls };
  const tlsFingerprint = fingerprintOf(tls);
  const fingerprint = fingerprintOf({ headers, tlsFingerprint });
  return { headers, tls, tlsFingerprint, fingerprint, secrets: secretsOf(headers) };
}
function secretsOf(headers) {
  return Object.entries(headers)
    .filter(([name]) => !name.toLowerCase().startsWith('impersonate-'))
    .flatMap(([, value]) => value)
    .flatMap((value) => {
      const [scheme = '', proof = ''] = value.split(/\s+(.*)/s);
      const pair = /^basic$/i.test(scheme) ? Buffer.from(proof, 'base64').toString() : '';
      return [proof === '' ? scheme : proof, pair, pair.replace(/^[^:]*:/, '')];
    })
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH2);
}
function fingerprintOf(value) {
  const hash = createHash('sha256');
  for (const [key, part] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${key}\0`);
    feed(hash, part);
  }
  return hash.digest('base64');
}
function feed(hash, part) {
  if (Array.isArray(part)) {
    for (const each of part) feed(hash, each);
    return;
  }
  if (typeof part === 'string' || part instanceof Uint8Array) hash.update(part);
  else hash.update(JSON.stringify(part) ?? '');
  hash.update('\0');
}

// packages/client/src/http/connection.ts
var Connection = class {
  origin;
  host;
  /** Path before `/api` and `/apis`. Empty for most servers. */
  prefix;
  pools;
  credentials;
  constructor(cluster, { observer, http2 }) {
    checkMembers(cluster);
    const url = serverUrl(cluster.server);
    checkToken(cluster.token);
    this.origin = url.origin;
    this.host = url.host;
    this.prefix = url.pathname.replace(/\/+$/, '');
    this.pools = new ConnectionPools({ url, proxy: cluster.proxy, http2 });
    this.credentials = new CredentialCache(cluster, {
      onRefresh: (refresh) => observer?.credentialsRefreshed?.(refresh),
      onFailure: (error) => observer?.credentialsFailed?.(error),
    });
  }
  /**
   * Aborts every request and watch; settles when all sockets are closed and no credentials are being fetched.
   */
  async close(reason) {
    await Promise.all([this.credentials.close(reason), this.pools.close(reason)]);
  }
  get server() {
    return this.origin + this.prefix;
  }
};

// packages/client/src/http/body/gunzipped.ts
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

// packages/client/src/http/body/response-body.ts
async function* chunksOf(body) {
  try {
    for (;;) {
      const chunk = body.take() ?? (await body.next());
      if (chunk === void 0) return;
      yield chunk;
    }
  } finally {
    body.destroy();
  }
}

// packages/client/src/http/body/gunzipped.ts
var UNZIPPED_CHUNK_BYTES = 64 * 1024;
function gunzipped(body) {
  const gunzip = createGunzip({ chunkSize: UNZIPPED_CHUNK_BYTES });
  const unzipped = bodyOfStream(gunzip);
  gunzip.once('close', () => body.destroy());
  pipeline(chunksOf(body), gunzip, () => void 0);
  return unzipped;
}

// packages/client/src/http/protobuf/error-body.ts
import { loadProtobufFormats as loadProtobufFormats2 } from '@keelson/apimachinery';
async function errorBodyOf(contentType, bytes) {
  if (!contentType.startsWith('application/vnd.kubernetes.protobuf')) {
    return { contentType, text: bytes.toString('utf8') };
  }
  const format = (await loadProtobufFormats2()).find('v1', 'Status');
  try {
    const status = format?.decode(bytes, 0, bytes.length);
    return { contentType: 'application/json', text: JSON.stringify(status) };
  } catch {
    return { contentType, text: '' };
  }
}

// packages/client/src/http/http-response.ts
var WHOLE_BODY_LIMIT_BYTES = 256 * 1024 * 1024;
var ERROR_BODY_LIMIT_BYTES = 1024 * 1024;
var FACT_LIMIT = 256;
var COMPLETE_WITHOUT_BODY = /* @__PURE__ */ new Set([401, 429]);
var HttpResponse = class {
  statusCode;
  headers;
  #body;
  #request;
  #failureOf;
  #secrets;
  constructor(request2, { statusCode, headers, body }, { failureOf: failureOf2, secrets }) {
    this.statusCode = statusCode;
    this.headers = headers;
    const isZipped = String(headers['content-encoding']).toLowerCase() === 'gzip';
    this.#body = isZipped ? gunzipped(body) : body;
    this.#request = request2;
    this.#failureOf = failureOf2;
    this.#secrets = secrets;
  }
  get contentType() {
    return String(this.headers['content-type'] ?? '');
  }
  /** The media type without its parameters. It is lower case, because its case has no meaning. */
  get mediaType() {
    return (this.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  }
  get isSuccess() {
    return this.statusCode >= 200 && this.statusCode < 300;
  }
  /**
   * Resolves with the next chunk of the decompressed body, or with `undefined` at its end. Reading is lazy, so a slow reader
   * leads to backpressure on the server. A caller that stops earlier calls `discard`.
   */
  async read() {
    try {
      return this.#body.take() ?? (await this.#body.next());
    } catch (error) {
      throw this.#failureOf(error);
    }
  }
  /** Discards the rest of the body, which ends the request. */
  discard() {
    this.#body.destroy();
  }
  /** Reads the whole body, decompressed. Throws `RESPONSE_TOO_LARGE` above 256 MiB. */
  async bytes() {
    try {
      return await collect(this.#body, this.#request);
    } catch (error) {
      throw this.#failureOf(error);
    }
  }
  async text() {
    return (await this.bytes()).toString('utf8');
  }
  /** Reads the whole body and parses it. Throws `UNEXPECTED_RESPONSE` if it is not JSON. */
  async json() {
    if (!this.mediaType.includes('json')) throw this.unexpected();
    const text4 = await this.text();
    try {
      return JSON.parse(text4);
    } catch {
      throw this.unexpected({ reason: 'the body is not JSON' });
    }
  }
  /**
   * Reads the body of an error response and returns it as a `StatusError`. The body is necessary because the
   * code 409 alone does not distinguish a conflict from an object that already exists. A body that is cut off
   * is thrown as a failed request.
   */
  async statusError() {
    const { method, path: path4 } = this.#request;
    const { bytes, isWhole } = await this.#errorBytes();
    const { contentType, text: text4 } = await errorBodyOf(this.mediaType, bytes);
    const facts = {
      statusCode: this.statusCode,
      contentType,
      retryAfter: this.headers['retry-after']?.toString(),
      method,
      path: path4,
    };
    if (isWhole && !this.#isCompleteWithoutBody && isTruncatedJson(contentType, text4)) {
      throw new ClientError('CONNECTION_LOST', {
        method,
        path: path4,
        reason: 'the body is cut off',
      });
    }
    return statusErrorOf({ ...facts, body: text4, secrets: this.#secrets });
  }
  /** Copies parsed JSON of this response without the credentials that were sent, for an error or a warning. */
  redacted(value) {
    return withoutSecretsIn(value, this.#secrets);
  }
  /** Discards the unread body and returns an `UNEXPECTED_RESPONSE` error with the facts. */
  unexpected(facts = {}) {
    this.discard();
    const { method, path: path4 } = this.#request;
    const sent = this.redacted({ contentType: this.contentType, ...facts });
    const short = Object.entries(sent).map(([name, fact]) => [name, shortened(fact)]);
    return new ClientError('UNEXPECTED_RESPONSE', {
      method,
      path: path4,
      ...Object.fromEntries(short),
    });
  }
  get #isCompleteWithoutBody() {
    return COMPLETE_WITHOUT_BODY.has(this.statusCode);
  }
  /** Reads the body up to the limit and discards the rest. */
  async #errorBytes() {
    const chunks = [];
    let left = ERROR_BODY_LIMIT_BYTES;
    try {
      while (left >= 0) {
        const chunk = await this.read();
        if (chunk === void 0) break;
        chunks.push(chunk);
        left -= chunk.length;
      }
    } catch (error) {
      if (this.#request.signal?.aborted === true || !this.#isCompleteWithoutBody) throw error;
    } finally {
      this.discard();
    }
    return { bytes: Buffer.concat(chunks), isWhole: left >= 0 };
  }
};
function shortened(fact) {
  if (typeof fact === 'string') return cut(fact, FACT_LIMIT);
  return typeof fact === 'object' && fact !== null ? 'not a text' : fact;
}
async function collect(body, { method, path: path4 }) {
  const chunks = [];
  let length = 0;
  for await (const chunk of chunksOf(body)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= WHOLE_BODY_LIMIT_BYTES) continue;
    const facts = { method, path: path4, limitBytes: WHOLE_BODY_LIMIT_BYTES };
    throw new ClientError('RESPONSE_TOO_LARGE', facts);
  }
  return Buffer.concat(chunks);
}

// packages/client/src/http/warning-header.ts
var WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;
function reportWarnings(observer, request2, response) {
  if (observer?.warning === void 0) return;
  for (const text4 of warningsIn(response.headers['warning'])) {
    observer.warning({
      method: request2.method,
      path: request2.path,
      text: response.redacted(text4),
    });
  }
}
function warningsIn(header) {
  const lines = Array.isArray(header) ? header : [header ?? ''];
  return lines.flatMap((line) =>
    [...line.matchAll(WARNING)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1')),
  );
}

// packages/client/src/http/transport.ts
var SILENCE_TIMEOUT_MS = 65e3;
var Transport = class {
  #options;
  #connection;
  #connecting;
  #closing;
  /** Aborted by `close`. Ends waits for credentials, for the cluster and for the next attempt. */
  #stop = new AbortController();
  constructor(options) {
    this.#options = options;
    setMaxListeners(0, this.#stop.signal);
    if (typeof options.cluster === 'object') {
      this.#connection = new Connection(options.cluster, options);
    }
  }
  /**
   * Resolves with a successful response, whose body the caller must read or discard. Any other response
   * throws.
   */
  open(request2) {
    return this.send(request2, (response) => response);
  }
  /**
   * Sends a request, with retries, and reads its response. A body that is cut off counts as a failed attempt and is retried
   * by the same rules.
   */
  async send(request2, read2) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read2(await this.#sendAuthorized(request2));
      } catch (error) {
        const delay = retryDelay(error, request2, attempt, this.#options.retry);
        if (delay === void 0) throw error;
        this.#observeRetry(request2, error, delay, attempt);
        await pause(delay, [request2.signal, this.#stop.signal]);
      }
    }
  }
  /** Waits for the backoff delay that follows `failures` failed attempts. */
  backOff(failures, signal) {
    return pause(backoff(failures, this.#options.retry), [signal, this.#stop.signal]);
  }
  /** Aborts every request and watch; settles when all sockets are closed. */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }
  async #close() {
    this.#stop.abort(new ClientError('CLIENT_CLOSED'));
    await this.#connection?.close(new ClientError('CLIENT_CLOSED'));
  }
  #connected() {
    if (this.#closing !== void 0) throw new ClientError('CLIENT_CLOSED');
    if (this.#connection !== void 0) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = void 0));
    return this.#connecting;
  }
  async #connect() {
    const { cluster } = this.#options;
    const loaded = typeof cluster === 'function' ? await loadedBy(cluster) : cluster;
    this.#connection = new Connection(loaded, this.#options);
    return this.#connection;
  }
  /** Sends the request, and once more if the server responds with 401 and a refresh returns new credentials. */
  async #sendAuthorized(request2) {
    const connection = await this.#unlessAborted(request2, this.#connected());
    const { credentials } = connection;
    const held = await this.#unlessAborted(request2, credentials.get());
    const response = await this.#attempt(connection, request2, held);
    if (response.statusCode !== 401) return this.#requireSuccess(request2, response);
    const refusal = await response.statusError();
    const renewed = await this.#unlessAborted(request2, credentials.renew(held));
    if (renewed === void 0) throw unauthorized(connection, refusal);
    const second = await this.#attempt(connection, request2, renewed);
    if (second.statusCode !== 401) return this.#requireSuccess(request2, second);
    credentials.recordRefusal(renewed);
    throw unauthorized(connection, await second.statusError());
  }
  /** Awaits a promise, but rejects as soon as the request is aborted or the transport is closed. */
  #unlessAborted({ signal }, awaited) {
    return awaited instanceof Promise ? abortable3(awaited, [signal, this.#stop.signal]) : awaited;
  }
  /** Sends the request once, and reports it to the observer. */
  async #attempt(connection, request2, held) {
    request2.signal?.throwIfAborted();
    if (this.#closing !== void 0) throw new ClientError('CLIENT_CLOSED');
    const { observer, userAgent } = this.#options;
    if (observer === void 0) return this.#request(connection, request2, held, userAgent);
    const observed = observedOf(connection, request2);
    const startedAt = performance.now();
    let code = '<error>';
    observer.requestStarted?.(observed);
    try {
      const response = await this.#request(connection, request2, held, userAgent);
      code = response.statusCode;
      return response;
    } finally {
      observer.requestEnded?.(observed, { code, duration: performance.now() - startedAt });
    }
  }
  async #request(connection, request2, held, userAgent) {
    const isWatch = request2.verb === 'watch';
    try {
      const pool = await connection.pools.for(held, request2.pool ?? 'requests', request2.guard);
      const response = pool.request({
        origin: connection.origin,
        path: connection.prefix + request2.path + (request2.query ?? ''),
        method: request2.method,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...request2.headers,
          ...held.headers,
        },
        body: request2.body ?? null,
        signal: request2.signal ?? null,
        headersTimeout: SILENCE_TIMEOUT_MS,
        bodyTimeout: isWatch ? 0 : SILENCE_TIMEOUT_MS,
      });
      const data = await abortable3(response, [request2.signal]);
      return new HttpResponse(request2, data, {
        failureOf: (error) => this.#failureOf(error, request2),
        secrets: held.secrets,
      });
    } catch (error) {
      throw this.#failureOf(error, request2);
    }
  }
  async #requireSuccess(request2, response) {
    if (!response.isSuccess) throw await response.statusError();
    const hasWarnings = response.headers['warning'] !== void 0;
    if (hasWarnings) reportWarnings(this.#options.observer, request2, response);
    return response;
  }
  /** Maps an error of undici, of the socket or of the body's reader to the error that the caller receives. */
  #failureOf(error, request2) {
    if (request2.signal?.aborted === true) return request2.signal.reason;
    if (this.#stop.signal.aborted) return this.#stop.signal.reason;
    const { method, path: path4 } = request2;
    return failureOf(error, { server: this.#connection?.server ?? '', method, path: path4 });
  }
  #observeRetry(request2, error, delay, attempt) {
    if (this.#connection === void 0) return;
    const observed = observedOf(this.#connection, request2);
    const code = error instanceof StatusError6 ? error.statusCode : '<error>';
    this.#options.observer?.requestRetried?.(observed, { code, delay, attempt });
  }
};
async function loadedBy(load) {
  try {
    return await load();
  } catch (cause) {
    if (cause instanceof CodedError5) throw cause;
    const reason = 'the cluster function threw an error';
    throw new ClientError('INVALID_CLUSTER', { option: 'cluster', reason }, { cause });
  }
}
function observedOf(connection, { verb, method }) {
  return { verb, method, host: connection.host };
}
function unauthorized(connection, refusal) {
  const facts = { server: connection.server, reason: refusal.reason };
  return new ClientError('UNAUTHORIZED', facts, { cause: refusal });
}

// packages/client/src/verbs/create-client.ts
var members2 = [
  'cluster',
  'fieldManager',
  'userAgent',
  'observer',
  'compression',
  'http2',
  'protobuf',
  'retry',
];
function createClient(options) {
  checkRuntime();
  checkOptions3(options, members2, 'createClient');
  const {
    cluster,
    fieldManager: fieldManager2,
    userAgent = 'keelson',
    observer,
    compression = false,
  } = options;
  const { http2 = true, protobuf = true } = options;
  if (typeof cluster !== 'function' && !isRecord(cluster)) {
    throw invalidOption2('createClient.cluster', 'must be a cluster or a function that loads one');
  }
  checkTexts(options);
  const retry = retryPolicy(options.retry);
  const transport = new Transport({ cluster, userAgent, observer, http2, retry });
  const protobufReads = protobuf ? protobufReadsOf(transport, observer) : void 0;
  return new HttpClient(
    new Caller({ transport, fieldManager: fieldManager2, compression, protobufReads }),
  );
}
function protobufReadsOf(transport, observer) {
  const request2 = { verb: 'get', method: 'GET', path: '/version', noRetry: true };
  return new ProtobufReads({
    fetchVersion: (signal) =>
      transport.send({ ...request2, signal }, (response) => response.json()),
    onRefused: (refusal) => observer?.protobufRefused?.(refusal),
  });
}
function checkTexts(options) {
  const {
    fieldManager: fieldManager2,
    userAgent,
    compression,
    http2,
    observer,
    protobuf,
  } = options;
  if (fieldManager2 !== void 0) fieldManager(fieldManager2, 'createClient.fieldManager');
  if (userAgent !== void 0) headerText(userAgent, 'createClient.userAgent');
  if (compression !== void 0) flag(compression, 'createClient.compression');
  if (http2 !== void 0) flag(http2, 'createClient.http2');
  if (protobuf !== void 0) flag(protobuf, 'createClient.protobuf');
  checkObserver(observer, observerMethods, 'createClient.observer');
}
function retryPolicy(retry) {
  if (retry === false) return { ...defaultRetryPolicy, attempts: 1 };
  if (retry === void 0) return defaultRetryPolicy;
  checkOptions3(retry, ['attempts', 'base', 'max'], 'createClient.retry');
  const { attempts: attempts2 = defaultRetryPolicy.attempts, base, max } = retry;
  attempts(attempts2, 'createClient.retry.attempts');
  if (base !== void 0) milliseconds(base, 'createClient.retry.base');
  if (max !== void 0) milliseconds(max, 'createClient.retry.max');
  return {
    attempts: attempts2,
    ...backoffDelays({ base, max }, defaultRetryPolicy, 'createClient.retry'),
  };
}

// packages/client/src/cluster/kubeconfig/kubeconfig.ts
import { homedir } from 'node:os';
import {
  checkOptions as checkOptions4,
  invalidOption as invalidOption3,
  parseDuration as parseDuration3,
} from '@keelson/apimachinery';

// packages/client/src/cluster/credentials/credential-error.ts
import { types as types3 } from 'node:util';
var CredentialError = class extends Error {
  facts;
  constructor(reason, facts = {}) {
    super(reason);
    this.facts = facts;
  }
};
function factsOfFailure(error, secrets) {
  if (error instanceof CredentialError) return { reason: error.message, ...error.facts };
  if (!types3.isNativeError(error)) return { reason: 'unknown' };
  if (
    'code' in error &&
    typeof error.code === 'string' &&
    /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)
  )
    return { reason: error.code };
  return { reason: redacted(error.message, secrets) || 'it failed without a message' };
}

// packages/client/src/cluster/credentials/plugin-process.ts
import { spawn } from 'node:child_process';
import { abortable as abortable4 } from '@keelson/apimachinery';
var STDOUT_LIMIT_BYTES = 1024 * 1024;
var STDERR_LIMIT_BYTES = 4096;
var OUTPUT_GRACE_MS = 1e3;
var isWindows = process.platform === 'win32';
async function runPlugin(options) {
  const { command, args, environment, signal, timeout } = options;
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: !isWindows,
    windowsHide: true,
  });
  const deadline = new AbortController();
  const late = new CredentialError('the plugin did not end in time', { timeout });
  const timer = setTimeout(() => deadline.abort(late), timeout);
  const end = () => endGroup(child);
  process.on('exit', end);
  try {
    return await abortable4(outputOf(child, options), [signal, deadline.signal]);
  } finally {
    clearTimeout(timer);
    process.off('exit', end);
    endGroup(child);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
function parsePluginOutput(output) {
  const parsed = parseJson(output);
  if (parsed === void 0) throw new CredentialError('the output is not JSON');
  return parsed;
}
async function outputOf(child, { secrets }) {
  const stdout = collect2(child.stdout, STDOUT_LIMIT_BYTES);
  const stderr = collect2(child.stderr, STDERR_LIMIT_BYTES);
  const ended = endOf(child);
  const tooLong = stdout.overflow.then(() => {
    throw new CredentialError('the output is too long', { limit: STDOUT_LIMIT_BYTES });
  });
  const end = await Promise.race([ended, tooLong]);
  if (end.code === 0) return stdout.text();
  const message = redacted(stderr.text(), secrets);
  const facts = end.code === null ? { signal: end.signal } : { exitCode: end.code };
  throw new CredentialError(message || 'it failed without a message', facts);
}
function endOf(child) {
  const { promise, resolve, reject } = Promise.withResolvers();
  let grace;
  child.on('error', reject);
  child.on('exit', (code, signal) => {
    endGroup(child);
    grace = setTimeout(() => resolve({ code, signal }), OUTPUT_GRACE_MS);
  });
  child.on('close', (code, signal) => {
    clearTimeout(grace);
    resolve({ code, signal });
  });
  return promise;
}
function collect2(stream, limit) {
  const chunks = [];
  let length = 0;
  const overflow = Promise.withResolvers();
  stream.on('data', (chunk) => {
    if (length < limit) chunks.push(chunk.subarray(0, limit - length));
    length += chunk.length;
    if (length > limit) overflow.resolve();
  });
  stream.on('error', () => void 0);
  return { text: () => Buffer.concat(chunks).toString('utf8'), overflow: overflow.promise };
}
function endGroup(child) {
  if (child.pid === void 0) return;
  try {
    if (isWindows) child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {}
}

// packages/client/src/cluster/credentials/token-source.ts
function isToken(text4) {
  return typeof text4 === 'string' && /^[\x21-\x7e]+$/.test(text4);
}

// packages/client/src/cluster/credentials/command-tokens.ts
var CommandTokens = class {
  #config;
  #settings;
  #token;
  #expiresAt;
  constructor(config, settings) {
    this.#config = config;
    this.#settings = settings;
    this.#token = textOf3(config, 'access-token');
    this.#expiresAt = expiryOf(config);
  }
  async present({ force, signal }) {
    const command = textOf3(this.#config, 'cmd-path');
    const isValid = this.#token !== void 0 && Date.now() < this.#expiresAt;
    if (isValid && (!force || command === void 0)) return { token: this.#token };
    if (command === void 0) {
      throw new CredentialError('the token has expired and cmd-path is missing');
    }
    await this.#run(command, signal);
    return { token: this.#token };
  }
  async #run(command, signal) {
    const args = (textOf3(this.#config, 'cmd-args') ?? '').split(/\s+/).filter(Boolean);
    const output = parsePluginOutput(await runPlugin({ ...this.#settings, command, args, signal }));
    const token = memberAt(output, textOf3(this.#config, 'token-key') ?? '{.access_token}');
    if (!isToken(token)) throw new CredentialError('the output has no token at token-key');
    const expiry = memberAt(output, textOf3(this.#config, 'expiry-key') ?? '{.token_expiry}');
    const expiresAt = typeof expiry === 'string' ? Date.parse(expiry) : Number.NaN;
    this.#token = token;
    this.#expiresAt = Number.isNaN(expiresAt) ? Infinity : expiresAt;
  }
};
function expiryOf(config) {
  const expiry = Date.parse(textOf3(config, 'expiry') ?? '');
  const seconds = Number(textOf3(config, 'expires-on') ?? Number.NaN);
  if (!Number.isNaN(expiry)) return expiry;
  return Number.isNaN(seconds) ? Infinity : seconds * 1e3;
}
function memberAt(value, path4) {
  const names = /^\{((?:\.[\w-]+)+)\}$/.exec(path4)?.[1]?.split('.').slice(1);
  if (names === void 0) {
    throw new CredentialError('token-key and expiry-key must be paths such as {.access_token}');
  }
  return names.reduce(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : void 0),
    value,
  );
}
function textOf3(config, name) {
  const value = config[name];
  return typeof value === 'string' && value !== '' ? value : void 0;
}

// packages/client/src/cluster/credentials/exec-tokens.ts
import { readFile } from 'node:fs/promises';

// packages/client/src/cluster/credentials/exec-credential.ts
function readExecCredential(output, apiVersion) {
  const credential = parsePluginOutput(output);
  if (!isRecord(credential) || (credential['kind'] ?? 'ExecCredential') !== 'ExecCredential') {
    throw new CredentialError('the output is not an ExecCredential');
  }
  if (apiVersion !== void 0 && (credential['apiVersion'] ?? apiVersion) !== apiVersion) {
    throw new CredentialError('the output is of another apiVersion than the kubeconfig names');
  }
  const { status } = credential;
  if (!isRecord(status)) throw new CredentialError('the output has no status');
  const token = tokenOf(status);
  const pair = pairOf(status);
  if (token === void 0 && pair === void 0) {
    throw new CredentialError('the output has neither a token nor a certificate');
  }
  return { token, ...pair, expiresAt: expiryOf2(status) };
}
function tokenOf({ token }) {
  if (token === void 0 || token === null || token === '') return void 0;
  if (!isToken(token)) throw new CredentialError('status.token is not a string of one line');
  return token;
}
function pairOf(status) {
  const cert = status['clientCertificateData'] || void 0;
  const key = status['clientKeyData'] || void 0;
  if (cert === void 0 && key === void 0) return void 0;
  if (cert === void 0 || key === void 0) {
    throw new CredentialError(
      'the output has a certificate without its key, or a key without its certificate',
    );
  }
  if (typeof cert === 'string' && typeof key === 'string' && isPair(cert, key))
    return { cert, key };
  throw new CredentialError(
    'the certificate or its key is invalid, or they do not belong together',
  );
}
function expiryOf2({ expirationTimestamp }) {
  if (expirationTimestamp === void 0 || expirationTimestamp === null) return Infinity;
  const at = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  if (Number.isNaN(at)) throw new CredentialError('status.expirationTimestamp is not a time');
  return at;
}

// packages/client/src/cluster/credentials/exec-tokens.ts
var ExecTokens = class {
  #exec;
  #cluster;
  #settings;
  #held;
  constructor(exec2, cluster, settings) {
    this.#exec = exec2;
    this.#cluster = cluster;
    this.#settings = settings;
  }
  async present({ force, signal }) {
    if (!force && this.#held !== void 0 && Date.now() < this.#held.expiresAt) return this.#held;
    const { command, args, interactiveMode, apiVersion } = this.#exec;
    if (!command) throw new CredentialError('exec.command is missing');
    if (interactiveMode === 'Always') {
      throw new CredentialError('the plugin needs a terminal (interactiveMode=Always)');
    }
    const environment = await this.#environment();
    const options = { ...this.#settings, command, args: args ?? [], environment, signal };
    this.#held = readExecCredential(await runPlugin(options), apiVersion ?? void 0);
    return this.#held;
  }
  async #environment() {
    const { apiVersion, env, provideClusterInfo } = this.#exec;
    const given = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    if (!apiVersion) return { ...this.#settings.environment, ...given };
    const cluster = provideClusterInfo === true ? await clusterInfo(this.#cluster) : void 0;
    const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, cluster } };
    return {
      ...this.#settings.environment,
      ...given,
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    };
  }
};
async function clusterInfo(cluster) {
  const { caFile, caData } = cluster;
  const data = caFile ? (await readFile(caFile)).toString('base64') : caData;
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify,
    'certificate-authority-data': data,
    'proxy-url': cluster.proxyUrl,
  };
}

// packages/client/src/cluster/credentials/oidc-tokens.ts
import { readFile as readFile2 } from 'node:fs/promises';

// packages/client/src/cluster/proxy-environment.ts
import { BlockList, isIP } from 'node:net';
function proxyFor(url, environment) {
  const isSecure = url.protocol === 'https:';
  const proxy = variable(environment, isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '' || !isProxied(url, variable(environment, 'NO_PROXY'))) return void 0;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}
function variable(environment, name) {
  return (environment[name] || environment[name.toLowerCase()] || '').trim();
}
function isProxied(url, exceptions) {
  const host = hostOf(url);
  if (isLoopback(host)) return false;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const entries2 = exceptions.split(',').map((entry) => entry.trim().toLowerCase());
  return !entries2.some((entry) => entry !== '' && matches2(entry, host, port));
}
function isLoopback(host) {
  if (host === 'localhost') return true;
  return isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
function hostOf({ hostname }) {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
var loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
function matches2(entry, host, port) {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInSubnet(entry, host);
  const { name, port: only } = splitPort(entry);
  if (only !== void 0 && only !== port) return false;
  if (isIP(name) !== 0) return isSameAddress(name, host);
  if (isIP(host) !== 0) return false;
  const suffix = name.replace(/^\*?\./, '');
  return (name === suffix && host === suffix) || host.endsWith(`.${suffix}`);
}
function splitPort(entry) {
  if (isIP(entry) === 6) return { name: entry };
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return port === void 0 ? { name: bare } : { name: bare, port };
}
function isInSubnet(entry, host) {
  const [network = '', length = ''] = entry.split('/');
  const bits = isIP(network) === 6 ? 128 : 32;
  const family = isIP(network);
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(length) || Number(length) > bits)
    return false;
  const subnet = new BlockList();
  subnet.addSubnet(network, Number(length), family === 6 ? 'ipv6' : 'ipv4');
  return subnet.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
function isSameAddress(address, host) {
  if (isIP(address) !== isIP(host)) return false;
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const only = new BlockList();
  only.addAddress(address, family);
  return only.check(host, family);
}

// packages/client/src/cluster/credentials/issuer-request.ts
var RESPONSE_LIMIT_BYTES = 1024 * 1024;
function secureUrl(text4, what) {
  const url = URL.canParse(text4) ? new URL(text4) : void 0;
  if (url === void 0) throw new CredentialError(`${what} is not a URL`);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url)));
  if (!isSafe) throw new CredentialError(`${what} is not an https URL`);
  return url;
}
async function requestIssuer(issuerRequest) {
  const { url, signal, form, headers } = issuerRequest;
  const dispatcher = open(await loadUndici(), issuerRequest);
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = { method: 'POST', headers: { ...type, ...headers }, body: String(form) };
  const { origin, pathname, search } = url;
  const target = { origin, path: pathname + search, method: 'GET', signal };
  try {
    const { statusCode, body } = await dispatcher.request({ ...target, ...(form && post) });
    const text4 = await readText(body);
    if (statusCode === 200) return membersOf(text4);
    throw new CredentialError(`the identity provider responded with HTTP status ${statusCode}`);
  } finally {
    await dispatcher.destroy();
  }
}
function open({ Agent, ProxyAgent, Socks5ProxyAgent }, { ca, proxy }) {
  const tls = ca === void 0 ? {} : { ca };
  if (proxy === void 0) return new Agent({ connect: tls });
  if (proxy.startsWith('socks')) {
    return new Socks5ProxyAgent(proxy.replace(/^socks5?h?:/, 'socks5:'), { requestTls: tls });
  }
  return new ProxyAgent({ uri: proxy, requestTls: tls });
}
async function readText(body) {
  const chunks = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > RESPONSE_LIMIT_BYTES) {
      throw new CredentialError('the response of the identity provider is too long');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
function membersOf(text4) {
  const value = parseJson(text4);
  if (isRecord(value)) return value;
  throw new CredentialError('the response of the identity provider is not a JSON object');
}

// packages/client/src/cluster/credentials/oidc-tokens.ts
var OidcTokens = class {
  #config;
  #settings;
  #idToken;
  #refreshToken;
  constructor(config, settings) {
    this.#config = config;
    this.#settings = settings;
    this.#idToken = textOf4(config, 'id-token');
    this.#refreshToken = textOf4(config, 'refresh-token');
  }
  async present({ force, signal }) {
    if (force || isExpired(this.#idToken)) await this.#refresh(signal);
    return { token: this.#idToken };
  }
  async #refresh(signal) {
    const { timeout } = this.#settings;
    const timeLimit = AbortSignal.timeout(timeout);
    try {
      const either = signal === void 0 ? timeLimit : AbortSignal.any([signal, timeLimit]);
      await this.#exchange(either);
    } catch (error) {
      if (!timeLimit.aborted || signal?.aborted === true) throw error;
      throw new CredentialError('the identity provider did not respond in time', { timeout });
    }
  }
  async #exchange(signal) {
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: required(this.#refreshToken, 'refresh-token'),
      client_id: required(textOf4(this.#config, 'client-id'), 'client-id'),
    });
    const ca = await certificateAuthorityOf(this.#config);
    const url = await this.#tokenEndpoint(ca, signal);
    const headers = secretOf(this.#config);
    const granted = await requestIssuer({ ...this.#route(url), ca, signal, form, headers });
    const idToken = granted['id_token'];
    if (!isToken(idToken)) throw new CredentialError('the identity provider gave no id_token');
    this.#idToken = idToken;
    this.#refreshToken = textOf4(granted, 'refresh_token') || this.#refreshToken;
  }
  /** Discovers the token endpoint (OpenID Connect Discovery 4). */
  async #tokenEndpoint(ca, signal) {
    const text4 = required(textOf4(this.#config, 'idp-issuer-url'), 'idp-issuer-url');
    const issuer = secureUrl(text4.replace(/\/$/, ''), 'idp-issuer-url');
    const url = new URL(`${issuer.href.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const discovered = await requestIssuer({ ...this.#route(url), ca, signal });
    const endpoint = secureUrl(textOf4(discovered, 'token_endpoint'), 'token_endpoint');
    if (endpoint.host === issuer.host && endpoint.protocol === issuer.protocol) return endpoint;
    throw new CredentialError('token_endpoint is not on the host of idp-issuer-url');
  }
  #route(url) {
    return { url, proxy: proxyFor(url, this.#settings.environment) };
  }
};
function isExpired(token) {
  try {
    const [, claims = ''] = token.split('.');
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return typeof exp !== 'number' || exp * 1e3 <= Date.now();
  } catch {
    return true;
  }
}
function secretOf(config) {
  const secret = textOf4(config, 'client-secret');
  if (secret === '') return {};
  const pair = [textOf4(config, 'client-id'), secret].map(encodeURIComponent).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
async function certificateAuthorityOf(config) {
  const data = textOf4(config, 'idp-certificate-authority-data');
  if (data !== '') return Buffer.from(data, 'base64').toString();
  const file = textOf4(config, 'idp-certificate-authority');
  return file === '' ? void 0 : readFile2(file, 'utf8');
}
function required(value, name) {
  if (value !== '') return value;
  throw new CredentialError(`the token has expired and ${name} is missing`);
}
function textOf4(config, name) {
  const value = config[name];
  return typeof value === 'string' ? value : '';
}

// packages/client/src/cluster/credentials/token-file.ts
import { readFile as readFile3 } from 'node:fs/promises';
var TokenFile = class {
  #file;
  #token;
  constructor(file) {
    this.#file = file;
  }
  async present({ signal }) {
    try {
      this.#token = await readToken(this.#file, signal);
    } catch (error) {
      if (this.#token === void 0 || signal?.aborted === true) throw error;
    }
    return { token: this.#token };
  }
};
async function readToken(file, signal) {
  const text4 = await readFile3(file, { encoding: 'utf8', ...(signal && { signal }) });
  const token = text4.trim();
  if (token === '') throw new CredentialError('the token file is empty', { file });
  if (!isToken(token)) throw new CredentialError('the token file is not one line', { file });
  return token;
}

// packages/client/src/cluster/kubeconfig/user-tokens.ts
function tokenSourceOf(user, cluster, settings) {
  const exec2 = execOf(user);
  if (exec2 !== void 0) return new ExecTokens(exec2, cluster, settings);
  const provider = providerOf(user);
  const config = provider?.config ?? {};
  const tokenFile = config['tokenFile'];
  if (typeof tokenFile === 'string') return new TokenFile(tokenFile);
  if (provider?.name === 'oidc') return new OidcTokens(config, settings);
  if (provider?.name === 'gcp' || provider?.name === 'azure') {
    return new CommandTokens(config, settings);
  }
  return void 0;
}
function providerOf(user) {
  return user.authProvider ?? void 0;
}
function execOf(user) {
  const exec2 = user.exec ?? providerOf(user)?.config?.['exec'];
  return exec2 ?? void 0;
}
function kindOf3(user) {
  return execOf(user) === void 0 ? (providerOf(user)?.name ?? 'static') : 'exec';
}
function secretsOf2(user) {
  const exec2 = execOf(user);
  const given = [
    user.token,
    user.password,
    user.keyData,
    ...(exec2?.env ?? []).map(({ value }) => value),
    ...(exec2?.args ?? []).map((argument) => argument.replace(/^--?[\w-]+=?/, '')),
    ...Object.values(providerOf(user)?.config ?? {}),
  ];
  return given.filter((value) => typeof value === 'string');
}

// packages/client/src/cluster/kubeconfig/kubeconfig-credentials.ts
var KubeConfigCredentials = class {
  #kubeConfig;
  #cluster;
  #user;
  #source;
  #secrets;
  constructor({ kubeConfig, cluster, user, plugins }) {
    this.#kubeConfig = kubeConfig;
    const isPlain = cluster.server.startsWith('http:');
    this.#cluster = { ...without(cluster, 'proxyUrl'), ...(isPlain && { skipTLSVerify: true }) };
    this.#user = structuredClone(user);
    this.#secrets = secretsOf2(user);
    this.#source = tokenSourceOf(this.#user, cluster, { ...plugins, secrets: this.#secrets });
  }
  async fetch(request2) {
    try {
      const presented = await this.#source?.present(request2);
      const view = this.#view(presented);
      const options = {};
      await view.applyToHTTPSOptions(options);
      return { headers: this.#headers(options), tls: this.#tls(view, options) };
    } catch (error) {
      if (request2.signal?.aborted === true) throw request2.signal.reason;
      throw this.#failed(error);
    }
  }
  /**
   * Returns a view of the kubeconfig with only this cluster and this user. The caches of the original are not
   * used.
   */
  #view(presented) {
    const view = Object.create(this.#kubeConfig);
    view.getCurrentCluster = () => this.#cluster;
    view.getCurrentUser = () => this.#user;
    Reflect.set(view, 'agentCache', /* @__PURE__ */ new Map());
    Reflect.set(view, 'authenticators', presented === void 0 ? [] : [present(presented)]);
    if (presented === void 0) this.#checkProvider(view);
    return view;
  }
  /** Refuses an unknown auth-provider, for which client-node would send requests without credentials. */
  #checkProvider(view) {
    if (providerOf(this.#user) === void 0) return;
    const added = Reflect.get(view, 'custom_authenticators');
    const knows = (each) => each.isAuthProvider(this.#user);
    if (Array.isArray(added) && added.some(knows)) return;
    throw new CredentialError('no authenticator knows this auth-provider');
  }
  #headers({ headers = {}, auth }) {
    const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === void 0 ? [] : [[name.toLowerCase(), String(value).trim()]],
    );
    const all2 = { ...basic, ...Object.fromEntries(given), ...this.#user.impersonation };
    for (const [name, value] of Object.entries(all2)) {
      if (![value].flat().every(isHeaderValue)) {
        throw new CredentialError('the value of a header is not a string of one line', {
          header: name,
        });
      }
    }
    return all2;
  }
  #tls(view, options) {
    if (this.#cluster.server.startsWith('http:')) return {};
    const dispatcher = view.createDispatcherOptions(this.#cluster, options);
    return dispatcher.type === 'agent' ? tlsOf(dispatcher.connect) : {};
  }
  #failed(error) {
    const exec2 = execOf(this.#user);
    const facts = { user: this.#user.name, kind: kindOf3(this.#user) };
    const command = exec2?.command ? { command: exec2.command } : {};
    const hint = exec2?.installHint ? { hint: exec2.installHint } : {};
    const why = factsOfFailure(error, this.#secrets);
    return new ClientError('CREDENTIALS_FAILED', { ...facts, ...why, ...command, ...hint });
  }
};
function present({ token, cert, key }) {
  return {
    isAuthProvider: () => true,
    async applyAuthentication(_user, options) {
      const authorization = token === void 0 ? {} : { Authorization: `Bearer ${token}` };
      options.headers = { ...options.headers, ...authorization };
      if (cert !== void 0 && key !== void 0) Object.assign(options, { cert, key });
    },
  };
}
function without(object, name) {
  const { [name]: _, ...rest } = object;
  return rest;
}
var tlsMembers2 = ['ca', 'cert', 'key', 'pfx', 'passphrase', 'servername', 'rejectUnauthorized'];
function tlsOf(options) {
  const members3 = tlsMembers2.flatMap((name) =>
    options[name] === void 0 ? [] : [[name, options[name]]],
  );
  return Object.fromEntries(members3);
}

// packages/client/src/cluster/kubeconfig/kubeconfig-cluster.ts
function clusterOf(kubeConfig, contextName, plugins) {
  const context = contextOf(kubeConfig, contextName);
  const cluster = named2(kubeConfig.clusters, context.cluster);
  if (cluster === void 0) throw missing(context, 'cluster', context.cluster);
  const url = serverUrl(cluster.server);
  const user = userOf(kubeConfig, context);
  const credentials = new KubeConfigCredentials({ kubeConfig, cluster, user, plugins });
  const proxy = cluster.proxyUrl || proxyFor(url, plugins.environment);
  return {
    server: cluster.server,
    ...(context.namespace === void 0 ? {} : { namespace: namespaceOf(context) }),
    ...(proxy === void 0 ? {} : { proxy }),
    credentials: (request2) => credentials.fetch(request2),
  };
}
function namespaceOf({ name, namespace }) {
  if (typeof namespace === 'string') return namespace.trim();
  const reason = 'the namespace of the context is not a string';
  throw new ClientError('KUBECONFIG_INVALID', { context: name, reason });
}
function contextOf(kubeConfig, contextName) {
  const name = contextName ?? kubeConfig.currentContext;
  const known2 = kubeConfig.contexts.map((each) => each.name);
  if (!name) throw new ClientError('NO_CURRENT_CONTEXT', { contexts: known2 });
  const context = named2(kubeConfig.contexts, name);
  if (context === void 0) {
    throw new ClientError('CONTEXT_NOT_FOUND', { context: name, contexts: known2 });
  }
  return context;
}
function userOf(kubeConfig, context) {
  if (!context.user) return { name: '' };
  const user = named2(kubeConfig.users, context.user);
  if (user === void 0) throw missing(context, 'user', context.user);
  return user;
}
function named2(all2, name) {
  return all2.find((each) => each.name === name);
}
function missing(context, what, name) {
  return new ClientError('KUBECONFIG_INVALID', {
    context: context.name,
    reason: `the context names a ${what} that does not exist`,
    [what]: name,
  });
}

// packages/client/src/cluster/kubeconfig/kubeconfig-place.ts
import { access, readFile as readFile5 } from 'node:fs/promises';
import path2 from 'node:path';
import { types as types4 } from 'node:util';

// packages/client/src/cluster/credentials/service-account.ts
import { readFile as readFile4 } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import path from 'node:path';
var serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
function serviceUrl(environment) {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  const port = environment['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) return void 0;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
async function serviceAccountCluster(server, environment, folder = serviceAccountFolder) {
  const credentials = new ServiceAccount(folder);
  const namespace = await readFile4(path.join(folder, 'namespace'), 'utf8').catch(() => '');
  const proxy = proxyFor(new URL(server), environment);
  return {
    server,
    ...(namespace.trim() === '' ? {} : { namespace: namespace.trim() }),
    ...(proxy === void 0 ? {} : { proxy }),
    credentials: (request2) => credentials.fetch(request2),
  };
}
var ServiceAccount = class {
  #folder;
  #token;
  #ca;
  constructor(folder) {
    this.#folder = folder;
    this.#token = new TokenFile(path.join(folder, 'token'));
  }
  async fetch(request2) {
    try {
      const { token } = await this.#token.present(request2);
      const ca = await this.#authority();
      return { headers: { authorization: `Bearer ${token}` }, tls: { ca } };
    } catch (error) {
      if (request2.signal?.aborted === true) throw request2.signal.reason;
      const facts = { kind: 'serviceAccount', ...factsOfFailure(error, []), folder: this.#folder };
      throw new ClientError('CREDENTIALS_FAILED', facts);
    }
  }
  /** While the file is missing or empty, the last certificate authority stays in use. */
  async #authority() {
    try {
      const text4 = await readFile4(path.join(this.#folder, 'ca.crt'), 'utf8');
      if (text4.trim() === '') throw new CredentialError('ca.crt is empty');
      this.#ca = text4;
    } catch (error) {
      if (this.#ca === void 0) throw error;
    }
    return this.#ca;
  }
};

// packages/client/src/cluster/kubeconfig/kubeconfig-place.ts
async function findKubeConfig(
  environment,
  home,
  tokenFile = path2.join(serviceAccountFolder, 'token'),
) {
  const named3 = (environment['KUBECONFIG'] ?? '').split(path2.delimiter).filter(Boolean);
  const candidates = named3.length > 0 ? named3 : [path2.join(home, '.kube', 'config')];
  const files = await existing(candidates);
  if (files.length > 0) return { files };
  const server = serviceUrl(environment);
  if (named3.length === 0 && server !== void 0 && (await exists(tokenFile))) return { server };
  const inCluster = server !== void 0;
  throw new ClientError('KUBECONFIG_NOT_FOUND', { looked: candidates, inCluster });
}
async function readKubeConfig(file) {
  try {
    return { file, text: await readFile5(file, 'utf8') };
  } catch (error) {
    const reason = types4.isNativeError(error) && 'code' in error ? error.code : 'unreadable';
    if (reason === 'ENOENT') throw new ClientError('KUBECONFIG_NOT_FOUND', { looked: [file] });
    throw new ClientError('KUBECONFIG_INVALID', { file, reason }, { cause: error });
  }
}
async function existing(files) {
  const found = await Promise.all(files.map(exists));
  return files.filter((_, index) => found[index]);
}
async function exists(file) {
  return access(file).then(
    () => true,
    () => false,
  );
}

// packages/client/src/cluster/kubeconfig/kubeconfig-text.ts
import path3 from 'node:path';
import { types as types5 } from 'node:util';

// packages/client/src/cluster/kubeconfig/kubeconfig-shape.ts
var KubeConfigError = class extends Error {};
function checkShape(raw) {
  if (!isRecord(raw)) throw new KubeConfigError('it is not a mapping');
  optional(text3)(raw['current-context'], 'current-context');
  for (const [list, entry] of Object.entries(entries)) {
    optional(listOf(entryOf(entry)))(raw[list], list);
  }
}
var text3 = (value, at) => {
  if (typeof value !== 'string') throw new KubeConfigError(`${at} is not a string`);
};
var flag2 = (value, at) => {
  if (typeof value !== 'boolean') throw new KubeConfigError(`${at} is neither true nor false`);
};
function optional(check2) {
  return (value, at) => {
    if (value !== void 0 && value !== null) check2(value, at);
  };
}
function listOf(check2) {
  return (value, at) => {
    if (!Array.isArray(value)) throw new KubeConfigError(`${at} is not a list`);
    for (const [index, each] of value.entries()) check2(each, `${at}[${index}]`);
  };
}
function mapOf(check2) {
  return (value, at) => {
    if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
    for (const each of Object.values(value)) check2(each, `a value of ${at}`);
  };
}
function mappingOf(members3) {
  return (value, at) => {
    if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
    for (const [name, check2] of Object.entries(members3)) {
      optional(check2)(value[name], `${at}.${name}`);
    }
  };
}
function entryOf({ holds, required: required2 = [], members: members3 }) {
  return (value, at) => {
    if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
    present2(value['name'], `${at}.name`);
    optional(mappingOf(members3))(value[holds], `${at}.${holds}`);
    for (const name of required2) {
      const held = value[holds];
      present2(held?.[name], `${at}.${holds}.${name}`);
    }
  };
}
function present2(value, at) {
  if (value === void 0 || value === null || value === '') {
    throw new KubeConfigError(`${at} is missing`);
  }
  text3(value, at);
}
function texts(...names) {
  return Object.fromEntries(names.map((name) => [name, text3]));
}
var scalar = (value, at) => {
  if (!(value instanceof Date)) text3(value, at);
};
var exec = mappingOf({
  ...texts('apiVersion', 'command', 'installHint', 'interactiveMode'),
  args: listOf(text3),
  env: listOf(mappingOf(texts('name', 'value'))),
  provideClusterInfo: flag2,
});
var providerConfig = (value, at) => {
  if (!isRecord(value)) throw new KubeConfigError(`${at} is not a mapping`);
  const { exec: nested, ...others } = value;
  optional(exec)(nested, `${at}.exec`);
  mapOf(optional(scalar))(others, at);
};
var entries = {
  clusters: {
    holds: 'cluster',
    required: ['server'],
    members: {
      ...texts('server', 'tls-server-name', 'certificate-authority', 'certificate-authority-data'),
      ...texts('proxy-url'),
      'insecure-skip-tls-verify': flag2,
      'disable-compression': flag2,
    },
  },
  users: {
    holds: 'user',
    members: {
      ...texts('client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'),
      ...texts('token', 'tokenFile', 'token-file', 'username', 'password', 'as', 'as-uid'),
      'as-groups': listOf(text3),
      'as-user-extra': mapOf(listOf(text3)),
      'auth-provider': mappingOf({ name: text3, config: providerConfig }),
      exec,
    },
  },
  contexts: {
    holds: 'context',
    required: ['cluster'],
    members: texts('cluster', 'user', 'namespace'),
  },
};

// packages/client/src/cluster/kubeconfig/kubeconfig-text.ts
function parseKubeConfig(clientNode, { text: text4, file }) {
  const kubeConfig = new clientNode.KubeConfig();
  try {
    const raw = clientNode.loadYaml(text4);
    checkShape(raw);
    const users = usersOf(raw);
    const directory = file === void 0 ? void 0 : path3.dirname(path3.resolve(file));
    for (const user of users.values()) rewriteUser(user, directory);
    kubeConfig.loadFromString(JSON.stringify(raw));
    if (directory !== void 0) kubeConfig.makePathsAbsolute(directory);
    for (const user of kubeConfig.users) addImpersonation(user, users.get(user.name));
    return kubeConfig;
  } catch (error) {
    throw invalid(error, file);
  }
}
function mergeKubeConfig(kubeConfigs) {
  const [merged, ...others] = kubeConfigs;
  if (merged === void 0) throw new ClientError('KUBECONFIG_NOT_FOUND', { looked: [] });
  for (const other of others) {
    for (const each of absent(merged.clusters, other.clusters)) merged.addCluster(each);
    for (const each of absent(merged.users, other.users)) merged.addUser(each);
    for (const each of absent(merged.contexts, other.contexts)) merged.addContext(each);
    merged.currentContext ||= other.currentContext;
  }
  return merged;
}
function absent(known2, more) {
  return more.filter(({ name }) => !known2.some((each) => each.name === name));
}
function usersOf(raw) {
  const entries2 = Array.isArray(raw['users']) ? raw['users'].filter(isRecord) : [];
  return new Map(
    entries2.flatMap(({ name, user }) => (isRecord(user) ? [[String(name), user]] : [])),
  );
}
function rewriteUser(user, directory) {
  const tokenFile = user['tokenFile'] ?? user['token-file'];
  if (typeof tokenFile === 'string') {
    user['auth-provider'] = {
      name: 'tokenFile',
      config: { tokenFile: absolute(directory, tokenFile) },
    };
    delete user['token-file'];
    delete user['token'];
  }
  const exec2 = user['exec'];
  if (isRecord(exec2) && typeof exec2['command'] === 'string' && /[\\/]/.test(exec2['command'])) {
    exec2['command'] = absolute(directory, exec2['command']);
  }
}
function absolute(directory, file) {
  return directory === void 0 ? file : path3.resolve(directory, file);
}
function addImpersonation(user, raw) {
  const headers = {};
  if (typeof raw?.['as'] === 'string') headers['impersonate-user'] = utf8(raw['as']);
  if (typeof raw?.['as-uid'] === 'string') headers['impersonate-uid'] = utf8(raw['as-uid']);
  if (Array.isArray(raw?.['as-groups'])) headers['impersonate-group'] = raw['as-groups'].map(utf8);
  if (isRecord(raw?.['as-user-extra'])) {
    for (const [key, values] of Object.entries(raw['as-user-extra'])) {
      if (!Array.isArray(values)) continue;
      headers[`impersonate-extra-${headerKey(key)}`] = values.map(utf8);
    }
  }
  if (Object.keys(headers).length > 0) Object.assign(user, { impersonation: headers });
}
function utf8(value) {
  return Buffer.from(String(value)).toString('latin1');
}
function headerKey(key) {
  return encodeURIComponent(key).replaceAll('(', '%28').replaceAll(')', '%29');
}
function invalid(error, file) {
  const place = file === void 0 ? {} : { file };
  const reason = error instanceof KubeConfigError ? error.message : redacted(reasonOf2(error));
  return new ClientError('KUBECONFIG_INVALID', { ...place, reason, ...lineOf(error) });
}
function reasonOf2(error) {
  if (isRecord(error) && typeof error['reason'] === 'string') return error['reason'];
  return types5.isNativeError(error) ? error.message : 'it cannot be read';
}
function lineOf(error) {
  const mark = isRecord(error) ? error['mark'] : void 0;
  return isRecord(mark) && typeof mark['line'] === 'number' ? { line: mark['line'] + 1 } : {};
}

// packages/client/src/cluster/kubeconfig/kubeconfig.ts
var PLUGIN_TIMEOUT = '60s';
async function loadCluster(source = {}) {
  checkClusterSource(source, 'loadCluster');
  const { context, pluginTimeout = PLUGIN_TIMEOUT } = source;
  const environment = process.env;
  const timeout = parseDuration3(pluginTimeout, 'loadCluster.pluginTimeout');
  const place = await placeOf(source);
  if ('server' in place) return serviceAccountCluster(place.server, environment);
  const loaded = await kubeConfigOf(await loadClientNode(), place);
  return clusterOf(loaded, context, { environment, timeout });
}
function checkClusterSource(source, where) {
  checkOptions4(source, ['kubeConfig', 'file', 'context', 'pluginTimeout'], where);
  const { kubeConfig, file, context, pluginTimeout } = source;
  const isLoaded = isRecord(kubeConfig) && Array.isArray(kubeConfig['clusters']);
  if (kubeConfig !== void 0 && typeof kubeConfig !== 'string' && !isLoaded) {
    throw invalidOption3(`${where}.kubeConfig`, 'must be a KubeConfig of client-node, or a string');
  }
  if (kubeConfig !== void 0 && file !== void 0) {
    throw invalidOption3(`${where}.file`, 'cannot be combined with kubeConfig');
  }
  if (file !== void 0) text(file, `${where}.file`);
  if (context !== void 0) text(context, `${where}.context`);
  if (pluginTimeout !== void 0) parseDuration3(pluginTimeout, `${where}.pluginTimeout`);
}
async function placeOf({ kubeConfig, file }) {
  if (kubeConfig !== void 0) return { kubeConfig };
  return file === void 0 ? findKubeConfig(process.env, homedir()) : { files: [file] };
}
async function kubeConfigOf(clientNode, place) {
  if ('files' in place) {
    const texts2 = await Promise.all(place.files.map(readKubeConfig));
    return mergeKubeConfig(texts2.map((text4) => parseKubeConfig(clientNode, text4)));
  }
  const { kubeConfig } = place;
  if (typeof kubeConfig !== 'string') return kubeConfig;
  return parseKubeConfig(clientNode, { text: kubeConfig });
}

// packages/client/src/verbs/retry-on-conflict.ts
import { checkFunction, isConflict, pause as pause2 } from '@keelson/apimachinery';
async function retryOnConflict(change, options = {}) {
  checkFunction(change, 'retryOnConflict.change');
  checkValues(options, ['attempts', 'delay', 'signal'], 'retryOnConflict');
  const { attempts: attempts2 = 5, delay = 10, signal } = options;
  attempts(attempts2, 'retryOnConflict.attempts');
  milliseconds(delay, 'retryOnConflict.delay');
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await change();
    } catch (error) {
      if (attempt >= attempts2 || !isConflict(error)) throw error;
    }
    await pause2(delay * (1 + Math.random() / 10), [signal]);
  }
}

// packages/client/src/index.ts
import {
  isAlreadyExists,
  isConflict as isConflict2,
  isForbidden,
  isGone as isGone3,
  isInvalid,
  isNotFound as isNotFound3,
  isResourceVersionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  StatusError as StatusError7,
} from '@keelson/apimachinery';
export {
  ClientError,
  StatusError7 as StatusError,
  checkClusterSource,
  clientErrors,
  createClient,
  isAlreadyExists,
  isConflict2 as isConflict,
  isForbidden,
  isGone3 as isGone,
  isInvalid,
  isNotFound3 as isNotFound,
  isResourceVersionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  loadCluster,
  retryOnConflict,
};
//# sourceMappingURL=index.js.map
