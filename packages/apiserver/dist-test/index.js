// packages/apiserver/src/server/api-server.ts
import { randomBytes as randomBytes2 } from 'node:crypto';
import { parseDuration as parseDuration4 } from '@keelson/apimachinery';

// packages/apiserver/src/status-errors/api-server-error.ts
import { CodedError } from '@keelson/apimachinery';

// packages/apiserver/src/errors.ts
var apiserverErrors = {
  LISTEN_FAILED: 'the server cannot listen on its address',
  PORT_IN_USE: 'another process listens on the port',
  RESOURCE_NOT_SERVED: 'the resource is not served',
  SERVER_CLOSED: 'the server is closed',
  TOKEN_FILE_INVALID: 'a line of the token file is invalid',
};

// packages/apiserver/src/status-errors/api-server-error.ts
var ApiServerError = class extends CodedError {
  name = 'ApiServerError';
  constructor(code, facts = {}, options = {}) {
    super(code, apiserverErrors[code], facts, options);
  }
};

// packages/apiserver/src/server/api-server-options.ts
import { checkOptions, invalidOption, parseDuration } from '@keelson/apimachinery';

// packages/apiserver/src/resources/address-range.ts
import { isIPv4 } from 'node:net';
var SMALLEST_PREFIX = 12;
var LARGEST_PREFIX = 29;
function parseAddressRange(text3) {
  const [, address = '', bits = ''] = /^([\d.]+)\/(\d+)$/.exec(text3) ?? [];
  const prefix2 = Number(bits);
  if (!isIPv4(address) || prefix2 < SMALLEST_PREFIX || prefix2 > LARGEST_PREFIX) return void 0;
  const size = 2 ** (32 - prefix2);
  const network = Math.floor(readAddress(address) / size) * size;
  return { text: text3, first: network + 1, last: network + size - 2 };
}
function isInRange(address, { first, last }) {
  if (!isIPv4(address)) return false;
  const value = readAddress(address);
  return value >= first && value <= last;
}
function showAddress(value) {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
function readAddress(address) {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

// packages/apiserver/src/lifecycle/server-controllers.ts
var serverControllers = [
  'cluster-role-aggregation',
  'garbage-collector',
  'namespace',
  'resource-quota',
  'storage-protection',
];

// packages/apiserver/src/server/api-server-options.ts
var names = [
  'port',
  'host',
  'tls',
  'clientCa',
  'tokens',
  'authorizationMode',
  'anonymousAuth',
  'serviceClusterIpRange',
  'controllers',
  'historyLimit',
  'historyBytes',
  'bookmarkInterval',
  'freshnessTimeout',
  'now',
];
function serverSettings(options) {
  checkOptions(options, names, 'createApiServer');
  const { bookmarkInterval = '1m', freshnessTimeout = '3s' } = options;
  const settings = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    tls: options.tls ?? false,
    clientCa: options.clientCa,
    tokens: options.tokens ?? /* @__PURE__ */ new Map(),
    authorizationMode: options.authorizationMode ?? 'AlwaysAllow',
    anonymousAuth: options.anonymousAuth ?? true,
    serviceClusterIpRange: addressRange(options.serviceClusterIpRange ?? '10.96.0.0/16'),
    controllers: chosenControllers(options.controllers ?? serverControllers),
    historyLimit: options.historyLimit ?? 1e4,
    historyBytes: options.historyBytes ?? 8 * 1024 * 1024,
    bookmarkInterval: parseDuration(bookmarkInterval, 'createApiServer.bookmarkInterval'),
    freshnessTimeout: parseDuration(freshnessTimeout, 'createApiServer.freshnessTimeout'),
    now: options.now ?? Date.now,
  };
  check(settings);
  return settings;
}
function addressRange(text3) {
  const range = parseAddressRange(text3);
  if (range !== void 0) return range;
  const option = 'createApiServer.serviceClusterIpRange';
  throw invalidOption(option, 'must be a network of IPv4 with a prefix of 12 to 29 bits');
}
function chosenControllers(chosen) {
  if (Array.isArray(chosen) && chosen.every((name) => serverControllers.includes(name))) {
    return new Set(chosen);
  }
  const known2 = serverControllers.join(', ');
  throw invalidOption('createApiServer.controllers', `must be names out of ${known2}`);
}
function check(settings) {
  const { port, authorizationMode } = settings;
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw invalidOption('createApiServer.port', 'must be a port, or 0 for any');
  }
  for (const name of ['historyLimit', 'historyBytes']) {
    if (Number.isInteger(settings[name]) && settings[name] > 0) continue;
    throw invalidOption(`createApiServer.${name}`, 'must be a positive integer');
  }
  if (settings.clientCa !== void 0 && settings.tls === false) {
    throw invalidOption('createApiServer.clientCa', 'needs tls: certificates come with it');
  }
  if (authorizationMode !== 'AlwaysAllow' && authorizationMode !== 'RBAC') {
    throw invalidOption('createApiServer.authorizationMode', 'must be AlwaysAllow or RBAC');
  }
}

// packages/apiserver/src/auth/user.ts
var authenticatedGroup = 'system:authenticated';
var unauthenticatedGroup = 'system:unauthenticated';
var anonymous = { name: 'system:anonymous', groups: [unauthenticatedGroup] };
var mastersGroup = 'system:masters';

// packages/apiserver/src/server/wait-until.ts
async function waitUntil(condition, subscribe, closed) {
  if (condition()) return;
  const { promise, resolve: resolve2 } = Promise.withResolvers();
  const stop = subscribe(() => {
    if (condition()) resolve2();
  });
  try {
    await Promise.race([promise, closed]);
  } finally {
    stop();
  }
}

// packages/apiserver/src/json/json-members.ts
import { isJsonObject } from '@keelson/structural-schema';
function objectAt(parent, key) {
  const value = parent[key];
  return isJsonObject(value) ? value : {};
}
function ensureObject(parent, key) {
  const value = parent[key];
  if (isJsonObject(value)) return value;
  const made = {};
  parent[key] = made;
  return made;
}
function objectsAt(parent, key) {
  const value = parent[key];
  return Array.isArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}
function textAt(object, key, fallback = '') {
  const value = object[key];
  return typeof value === 'string' ? value : fallback;
}
function textsAt(parent, key) {
  const value = parent[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

// packages/apiserver/src/admission/admission-chain.ts
var AdmissionChain = class {
  #plugins;
  constructor(plugins) {
    this.#plugins = plugins;
  }
  mutate(request) {
    for (const plugin of this.#plugins) plugin.mutate?.(request);
  }
  validate(request) {
    for (const plugin of this.#plugins) plugin.validate?.(request);
  }
  charge(request) {
    for (const plugin of this.#plugins) plugin.charge?.(request);
  }
};

// packages/apiserver/src/admission/claim-resize.ts
import { compareQuantities } from '@keelson/cel/internal';
import { asJson } from '@keelson/structural-schema';

// packages/apiserver/src/storage/stored-object.ts
import { objectKey } from '@keelson/apimachinery';

// packages/apiserver/src/storage/metadata-order.ts
var order = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];
function orderedMetadata(metadata) {
  return Object.fromEntries(
    order.filter((name) => metadata[name] !== void 0).map((name) => [name, metadata[name]]),
  );
}

// packages/apiserver/src/storage/stored-object.ts
import { exactText, parseExact } from '@keelson/structural-schema';
var StoredObject = class _StoredObject {
  key;
  revision;
  /** The metadata without `managedFields`. */
  metadata;
  fields;
  /** True if an integer exceeds 2^53, which needs a slower parser. */
  #hasBigints;
  #bytes;
  /** Stores the bytes in `arena`; without one they get their own block. */
  constructor(object, revision, fields, arena) {
    const { apiVersion: _apiVersion, kind: _kind, metadata: given, ...rest } = object;
    const metadata = orderedMetadata(given);
    const { managedFields: _managedFields, ...head } = metadata;
    this.key = keyOfMetadata(metadata);
    this.revision = revision;
    this.metadata = head;
    this.fields = fields;
    const { json, hasBigints } = exactText({ metadata, ...rest });
    this.#hasBigints = hasBigints;
    this.#bytes = arena?.store(json) ?? Buffer.from(json);
  }
  /** The JSON of the stored form, without `apiVersion` and `kind`. */
  get bytes() {
    return this.#bytes;
  }
  /** Moves the bytes to their own block, so that a long-lived object does not retain a shared block. */
  moveToOwnBlock() {
    if (this.#bytes.length === this.#bytes.buffer.byteLength) return;
    const own = Buffer.allocUnsafeSlow(this.#bytes.length);
    this.#bytes.copy(own);
    this.#bytes = own;
  }
  /** Returns a new copy of the object, without `apiVersion` and `kind`. */
  parse() {
    const json = this.bytes.toString();
    return this.#hasBigints ? parseExact(json) : JSON.parse(json);
  }
  /** Returns the same content with a later revision, as deletions need it. */
  at(revision, arena) {
    const object = this.parse();
    object.metadata.resourceVersion = String(revision);
    return new _StoredObject(object, revision, this.fields, arena);
  }
};
function keyOfMetadata({ namespace = '', name = '' }) {
  return objectKey({ namespace, name });
}

// packages/apiserver/src/status-errors/status-errors.ts
import { StatusError } from '@keelson/apimachinery';
function failure(code, reason, message2, details) {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message2,
    ...(reason !== '' && { reason }),
    ...(details !== void 0 && { details }),
    code,
  });
}
function badRequest(message2) {
  return failure(400, 'BadRequest', message2);
}
function notFound(subject) {
  return failure(404, 'NotFound', `${titled(subject)} not found`, detailsOf(subject));
}
function resourceNotFound() {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}
function alreadyExists(subject, isDeleting2 = false) {
  const message2 = `${deleting(isDeleting2)}${titled(subject)} already exists`;
  return failure(409, 'AlreadyExists', message2, detailsOf(subject));
}
function generatedNameTaken(subject, isDeleting2 = false) {
  const message2 = `${deleting(isDeleting2)}${titled(subject)} already exists, the server was not able to generate a unique name for the object`;
  const details = { ...detailsOf(subject), retryAfterSeconds: 1 };
  return failure(409, 'AlreadyExists', message2, details);
}
function deleting(isDeleting2) {
  return isDeleting2 ? 'object is being deleted: ' : '';
}
function conflict(subject, why) {
  const message2 = `Operation cannot be fulfilled on ${titled(subject)}: ${why}`;
  return failure(409, 'Conflict', message2, detailsOf(subject));
}
function modified(subject) {
  return conflict(
    subject,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}
function forbidden(subject, why, causes) {
  const details = { ...detailsOf(subject), ...(causes && { causes }) };
  return failure(403, 'Forbidden', `${titled(subject)} is forbidden: ${why}`, details);
}
function invalid(subject, causes) {
  const { group: group2, kind, name } = subject;
  const title = group2 === '' ? kind : `${kind}.${group2}`;
  const list2 = [...new Set(causes.map(({ field, message: message2 }) => `${field}: ${message2}`))];
  const shown2 = list2.length === 1 ? list2[0] : `[${list2.join(', ')}]`;
  return failure(422, 'Invalid', `${title} ${JSON.stringify(name)} is invalid: ${shown2}`, {
    ...(name !== '' && { name }),
    ...(group2 !== '' && { group: group2 }),
    ...(kind !== '' && { kind }),
    causes: [...causes],
  });
}
function methodNotAllowed(
  message2 = 'the server does not allow this method on the requested resource',
) {
  return failure(405, 'MethodNotAllowed', message2, {});
}
function methodNotSupported({ group: group2, plural: plural2 }, verb) {
  const message2 = `${verb} is not supported on resources of kind "${plural2}.${group2}"`;
  return failure(405, 'MethodNotAllowed', message2, { group: group2, kind: plural2 });
}
function internalError(why) {
  const message2 = `Internal error occurred: ${why}`;
  return failure(500, 'InternalError', message2, { causes: [{ message: why }] });
}
function unauthorized() {
  return failure(401, 'Unauthorized', 'Unauthorized');
}
function expired(message2) {
  return failure(410, 'Expired', message2);
}
function tooLargeResourceVersion(wanted2, current) {
  const message2 = `Timeout: Too large resource version: ${wanted2}, current: ${current}`;
  return failure(504, 'Timeout', message2, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
function unsupportedMediaType(message2) {
  return failure(415, 'UnsupportedMediaType', message2);
}
var forms = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
var streams = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
function notAcceptable() {
  return noneOf(forms);
}
function notAcceptableWatch() {
  return noneOf(streams);
}
function noneOf(accepted3) {
  const message2 = `only the following media types are accepted: ${accepted3}`;
  return failure(406, 'NotAcceptable', message2);
}
function noSuchForm(isCollection) {
  const available2 = isCollection ? `${forms}, ${streams}` : forms;
  const message2 = `406: Not Acceptable

Available representations: ${available2}`;
  return failure(406, 'NotAcceptable', message2, {});
}
function tooLargeToStore() {
  return failure(500, '', 'etcdserver: request is too large');
}
function bodyTooLarge(limit) {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}
function notRegistered(apiVersion2, kind) {
  const [version, name] = [JSON.stringify(apiVersion2), JSON.stringify(kind)];
  return `no kind ${name} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`;
}
function titled({ group: group2, plural: plural2, name }) {
  return `${group2 === '' ? plural2 : `${plural2}.${group2}`} ${JSON.stringify(name)}`;
}
function detailsOf({ group: group2, plural: plural2, name }) {
  return { name, ...(group2 !== '' && { group: group2 }), kind: plural2 };
}

// packages/apiserver/src/admission/admission-plugin.ts
function refused({ resource, object }, why) {
  return forbidden(resource.subject(object.metadata.name ?? ''), why);
}
function refusedUnnamed(request, why) {
  const { generateName = '', name = '' } = request.object.metadata;
  const isGenerated =
    request.old === void 0 && generateName !== '' && name.startsWith(generateName);
  return forbidden(request.resource.subject(isGenerated ? generateName : name), why);
}
function writes({ resource, scope }, group2, plural2) {
  return scope === '' && resource.store.group === group2 && resource.store.plural === plural2;
}

// packages/apiserver/src/admission/claim-resize.ts
function persistentVolumeClaimResize(classes) {
  return {
    validate(request) {
      const { object, old } = request;
      if (old === void 0 || !writes(request, '', 'persistentvolumeclaims')) return;
      if (compareQuantities(sizeOf(object), sizeOf(old)) <= 0) return;
      if (textAt(objectAt(asJson(old), 'status'), 'phase') !== 'Bound') {
        throw refused(request, 'Only bound persistent volume claims can be expanded');
      }
      if (classOf(object) === classOf(old) && allowsExpansion(classes, classOf(object))) return;
      throw refused(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}
function specOf(claim) {
  return objectAt(asJson(claim), 'spec');
}
function sizeOf(claim) {
  return textAt(objectAt(objectAt(specOf(claim), 'resources'), 'requests'), 'storage');
}
function classOf(claim) {
  const former = claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return former ?? textAt(specOf(claim), 'storageClassName');
}
function allowsExpansion(classes, name) {
  return classes.get(keyOfMetadata({ name }))?.parse()['allowVolumeExpansion'] === true;
}

// packages/apiserver/src/admission/default-class.ts
import { asJson as asJson2 } from '@keelson/structural-schema';
var storageClass = {
  group: '',
  plural: 'persistentvolumeclaims',
  member: 'storageClassName',
  formerAnnotation: 'volume.beta.kubernetes.io/storage-class',
  isDefault: [
    'storageclass.kubernetes.io/is-default-class',
    'storageclass.beta.kubernetes.io/is-default-class',
  ],
};
var ingressClass = {
  group: 'networking.k8s.io',
  plural: 'ingresses',
  member: 'ingressClassName',
  formerAnnotation: 'kubernetes.io/ingress.class',
  isDefault: ['ingressclass.kubernetes.io/is-default-class'],
};
function defaultStorageClass(classes) {
  return defaultClass(storageClass, classes);
}
function defaultIngressClass(classes) {
  return defaultClass(ingressClass, classes);
}
function defaultClass(rule, classes) {
  return {
    mutate(request) {
      if (request.old !== void 0 || !writes(request, rule.group, rule.plural)) return;
      if (request.object.metadata.annotations?.[rule.formerAnnotation] !== void 0) return;
      const spec = ensureObject(asJson2(request.object), 'spec');
      if (spec[rule.member] !== void 0) return;
      const name = newestDefault(rule, classes);
      if (name !== void 0) spec[rule.member] = name;
    },
  };
}
function newestDefault(rule, classes) {
  const defaults = [...classes.values()]
    .map(({ metadata }) => metadata)
    .filter(({ annotations: annotations2 = {} }) =>
      rule.isDefault.some((name) => annotations2[name] === 'true'),
    );
  const [newest] = defaults.toSorted(
    (one, other) =>
      (other.creationTimestamp ?? '').localeCompare(one.creationTimestamp ?? '') ||
      (one.name ?? '').localeCompare(other.name ?? ''),
  );
  return newest?.name;
}

// packages/apiserver/src/admission/limit-ranger.ts
import { asJson as asJson3 } from '@keelson/structural-schema';

// packages/apiserver/src/admission/limit-constraint.ts
import { nanosOfQuantity } from '@keelson/cel/internal';
var minimum = ({ type, resource, bound, requests, limits: limits3 }) => {
  const [request, limit] = [requests[resource], limits3[resource]];
  const head = `minimum ${resource} usage per ${type} is ${bound}`;
  if (request === void 0) return `${head}.  No request is specified`;
  if (milli(request) < milli(bound)) return `${head}, but request is ${request}`;
  if (limit !== void 0 && milli(limit) < milli(bound)) return `${head}, but limit is ${limit}`;
  return void 0;
};
var maximum = ({ type, resource, bound, requests, limits: limits3 }) => {
  const [request, limit] = [requests[resource], limits3[resource]];
  const head = `maximum ${resource} usage per ${type} is ${bound}`;
  if (limit === void 0) return `${head}.  No limit is specified`;
  if (milli(limit) > milli(bound)) return `${head}, but limit is ${limit}`;
  if (request !== void 0 && milli(request) > milli(bound)) {
    return `${head}, but request is ${request}`;
  }
  return void 0;
};
var maximumRequest = ({ type, resource, bound, requests }) => {
  const request = requests[resource];
  const head = `maximum ${resource} usage per ${type} is ${bound}`;
  if (request === void 0) return `${head}.  No request is specified`;
  return milli(request) > milli(bound) ? `${head}, but request is ${request}` : void 0;
};
var ratio = ({ type, resource, bound, requests, limits: limits3 }) => {
  const [request, limit] = [milli(requests[resource] ?? '0'), milli(limits3[resource] ?? '0')];
  const head = `${resource} max limit to request ratio per ${type} is ${bound}`;
  if (request === 0n) return `${head}, but no request is specified or request is 0`;
  if (limit === 0n) return `${head}, but no limit is specified or limit is 0`;
  const observed = Number(limit) / Number(request);
  if (observed * 1e3 <= Number(milli(bound))) return void 0;
  return `${head}, but provided ratio is ${observed.toFixed(6)}`;
};
function milli(quantity) {
  const nanos = nanosOfQuantity(quantity) ?? 0n;
  return (nanos + 999999n) / 1000000n;
}

// packages/apiserver/src/admission/resource-list.ts
import { addQuantities, compareQuantities as compareQuantities2 } from '@keelson/cel/internal';
function resourceList(value) {
  const entries = Object.entries(value).filter((entry) => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}
function addLists(left, right) {
  const sum = { ...left };
  for (const [name, quantity] of Object.entries(right)) {
    sum[name] = sum[name] === void 0 ? quantity : addQuantities(sum[name], quantity);
  }
  return sum;
}
function largestOf(left, right) {
  const largest = { ...left };
  for (const [name, quantity] of Object.entries(right)) {
    const present = largest[name];
    if (present === void 0 || compareQuantities2(quantity, present) > 0) largest[name] = quantity;
  }
  return largest;
}
function pickFrom(list2, names5) {
  const wanted2 = new Set(names5);
  return Object.fromEntries(Object.entries(list2).filter(([name]) => wanted2.has(name)));
}

// packages/apiserver/src/admission/pod-resources.ts
var podLevelResources = ['cpu', 'memory'];
function podResources(spec, side) {
  const containers = objectsAt(spec, 'containers').map((container) => sideOf(container, side));
  const init = initResources(spec, side);
  const running = [...containers, init.sidecars].reduce(addLists, {});
  const own = pickFrom(sideOf(spec, side), podLevelResources);
  return { ...largestOf(running, init.largest), ...own };
}
function initResources(spec, side) {
  let sidecars = {};
  let largest = {};
  for (const container of objectsAt(spec, 'initContainers')) {
    const needed = addLists(sidecars, sideOf(container, side));
    if (container.restartPolicy === 'Always') sidecars = needed;
    largest = largestOf(largest, needed);
  }
  return { sidecars, largest };
}
function sideOf(holder, side) {
  return resourceList(objectAt(objectAt(holder, 'resources'), side));
}

// packages/apiserver/src/admission/stored-objects.ts
import { apiVersionOf } from '@keelson/apimachinery';
function storeOf(registry, name) {
  const resource = registry.find(name);
  if (resource === void 0) throw new Error(`${apiVersionOf(name)} ${name.plural} are not served`);
  return resource.store;
}
function objectsIn(store, namespace) {
  if (store.size === 0) return [];
  const found = [...store.values()].filter(({ metadata }) => metadata.namespace === namespace);
  return found
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map((stored) => stored.parse());
}

// packages/apiserver/src/admission/limit-ranger.ts
var annotation = 'kubernetes.io/limit-ranger';
function limitRanger(limitRanges) {
  return {
    mutate(request) {
      if (!isNewPod(request)) return;
      for (const range of objectsIn(limitRanges, request.object.metadata.namespace)) {
        setDefaults(asJson3(request.object), limitsOf(asJson3(range)));
      }
    },
    validate(request) {
      if (!isBounded(request)) return;
      for (const range of objectsIn(limitRanges, request.object.metadata.namespace)) {
        const problems = limitsOf(asJson3(range)).flatMap((item) => problemsOf(request, item));
        if (problems.length > 0) throw refused(request, aggregate(problems));
      }
    },
  };
}
function isNewPod(request) {
  return writes(request, '', 'pods') && request.old === void 0;
}
function isBounded(request) {
  if (request.old?.metadata.deletionTimestamp !== void 0) return false;
  if (isNewPod(request) || writes(request, '', 'persistentvolumeclaims')) return true;
  return request.resource.id === 'v1/pods' && request.scope === 'resize';
}
function limitsOf(range) {
  return objectsAt(objectAt(range, 'spec'), 'limits');
}
function setDefaults(pod, items) {
  const ofContainers = items.filter(({ type }) => type === 'Container');
  const defaults = {
    requests: Object.assign({}, ...ofContainers.map((item) => objectAt(item, 'defaultRequest'))),
    limits: Object.assign({}, ...ofContainers.map((item) => objectAt(item, 'default'))),
  };
  const spec = objectAt(pod, 'spec');
  const added = [
    ...objectsAt(spec, 'containers').flatMap((each2) => complete(each2, 'container', defaults)),
    ...objectsAt(spec, 'initContainers').flatMap((each2) =>
      complete(each2, 'init container', defaults),
    ),
  ];
  if (added.length === 0) return;
  const annotations2 = ensureObject(ensureObject(pod, 'metadata'), 'annotations');
  annotations2[annotation] = `LimitRanger plugin set: ${added.join('; ')}`;
}
function complete(container, title, defaults) {
  return ['requests', 'limits'].flatMap((side) => {
    const present = objectAt(objectAt(container, 'resources'), side);
    const missing2 = Object.keys(defaults[side]).filter((name) => present[name] === void 0);
    if (missing2.length === 0) return [];
    const list2 = ensureObject(ensureObject(container, 'resources'), side);
    for (const name of missing2) list2[name] = textAt(defaults[side], name);
    const what = side === 'requests' ? 'request' : 'limit';
    return [`${missing2.toSorted().join(', ')} ${what} for ${title} ${textAt(container, 'name')}`];
  });
}
function problemsOf({ resource, object }, item) {
  const spec = objectAt(asJson3(object), 'spec');
  const type = textAt(item, 'type');
  const isPod = resource.store.plural === 'pods';
  if (type === 'Container' && isPod) {
    const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
    return containers.flatMap((container) =>
      broken(item, podBounds, { type, ...sidesOf((side) => sideOf(container, side)) }),
    );
  }
  if (type === 'Pod' && isPod) {
    return broken(item, podBounds, { type, ...sidesOf((side) => podResources(spec, side)) });
  }
  if (type !== 'PersistentVolumeClaim' || isPod) return [];
  return broken(item, claimBounds, { type, requests: sideOf(spec, 'requests'), limits: {} });
}
function sidesOf(of) {
  return { requests: of('requests'), limits: of('limits') };
}
var podBounds = [
  ['min', minimum],
  ['max', maximum],
  ['maxLimitRequestRatio', ratio],
];
var claimBounds = [
  ['min', minimum],
  ['max', maximumRequest],
];
function broken(item, bounds, measured4) {
  return bounds.flatMap(([member, constraint2]) =>
    Object.entries(resourceList(objectAt(item, member))).flatMap(
      ([resource, bound]) => constraint2({ ...measured4, resource, bound }) ?? [],
    ),
  );
}
function aggregate(problems) {
  const distinct2 = [...new Set(problems)];
  return distinct2.length === 1 ? (distinct2[0] ?? '') : `[${distinct2.join(', ')}]`;
}

// packages/apiserver/src/admission/pod-security/pod-security.ts
import { asJson as asJson5 } from '@keelson/structural-schema';

// packages/apiserver/src/admission/pod-security/namespace-warnings.ts
import { asJson as asJson4 } from '@keelson/structural-schema';

// packages/apiserver/src/admission/pod-security/pod-security-policy.ts
import { keyPath } from '@keelson/structural-schema';
var levels = ['privileged', 'baseline', 'restricted'];
var prefix = 'pod-security.kubernetes.io/';
var modes = ['enforce', 'audit', 'warn'];
function policyOf(labels = {}) {
  const enforce = levelVersion(labels, 'enforce', 'restricted');
  const asked = levelVersion(labels, 'warn', 'privileged');
  const followsEnforce =
    labels[`${prefix}warn`] === void 0 &&
    levels.includes(labels[`${prefix}enforce`]) &&
    isStricter(enforce.level, asked.level);
  const { version } = labels[`${prefix}warn-version`] === void 0 ? enforce : asked;
  const warn = followsEnforce ? { level: enforce.level, version } : asked;
  return { enforce, warn, causes: modes.flatMap((mode) => causesOf(labels, mode)) };
}
function isStricter(level, than) {
  return levels.indexOf(level) > levels.indexOf(than);
}
function showLevel({ level, version }) {
  return `${level}:${version === 'latest' ? version : `v1.${version}`}`;
}
function levelVersion(labels, mode, unreadable2) {
  const text3 = labels[`${prefix}${mode}`] ?? 'privileged';
  const level = levels.find((known2) => known2 === text3) ?? unreadable2;
  return { level, version: versionOf(labels[`${prefix}${mode}-version`]) ?? 'latest' };
}
function versionOf(text3) {
  if (text3 === void 0 || text3 === 'latest') return 'latest';
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text3)?.[1];
  return minor === void 0 ? void 0 : Number(minor);
}
function causesOf(labels, mode) {
  const level = labels[`${prefix}${mode}`];
  const version = labels[`${prefix}${mode}-version`];
  const isLevel = level === void 0 || levels.some((known2) => known2 === level);
  return [
    ...(isLevel ? [] : [cause(mode, level, `must be one of ${levels.join(', ')}`)]),
    ...(versionOf(version) === void 0
      ? [cause(`${mode}-version`, version ?? '', 'must be "latest" or "v1.x"')]
      : []),
  ];
}
function cause(label, value, why) {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
    field: keyPath('metadata.labels', `${prefix}${label}`),
  };
}

// packages/apiserver/src/admission/pod-security/security-check.ts
function containersOf(spec) {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((member) =>
    objectsAt(spec, member),
  );
}
function securityContext(holder) {
  return objectAt(holder, 'securityContext');
}
function namesOf(spec, isBad) {
  return containersOf(spec)
    .filter(isBad)
    .map((container) => textAt(container, 'name'));
}
function titled2(names5) {
  return `${plural(names5, 'container')} ${quoted(names5)}`;
}
function plural(items, singular) {
  return items.length === 1 ? singular : `${singular}s`;
}
function quoted(items) {
  return items.map((item) => `"${item}"`).join(', ');
}
function distinct(items) {
  return [...new Set(items)].toSorted();
}
function settersOf({ spec }, isBad) {
  const names5 = namesOf(spec, (container) => isBad(securityContext(container)));
  const setters = [
    ...(isBad(securityContext(spec)) ? ['pod'] : []),
    ...(names5.length > 0 ? [titled2(names5)] : []),
  ];
  return setters.length === 0 ? void 0 : setters.join(' and ');
}
function contextsOf({ spec }) {
  return [securityContext(spec), ...containersOf(spec).map(securityContext)];
}

// packages/apiserver/src/admission/pod-security/profile-checks.ts
var confining = /* @__PURE__ */ new Set(['Localhost', 'RuntimeDefault']);
var seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';
var seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
var appArmorContainer = 'container.apparmor.security.beta.kubernetes.io/';
function appArmorProfile(pod) {
  const isBad = isUnconfined('appArmorProfile');
  const annotations2 = Object.entries(pod.annotations)
    .filter(([name, value]) => name.startsWith(appArmorContainer) && !isAllowedProfile(value))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const setters = [
    ...[settersOf(pod, isBad) ?? []].flat(),
    ...(annotations2.length > 0 ? [plural(annotations2, 'annotation')] : []),
  ];
  if (setters.length === 0) return void 0;
  const types3 = typesOf(pod, 'appArmorProfile', isBad);
  const values = [...types3, ...annotations2.toSorted()];
  return {
    reason: plural(values, 'forbidden AppArmor profile'),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}
function isAllowedProfile(value) {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}
function seLinuxOptions(allowed2) {
  const isBadType = (type) => !allowed2.includes(type);
  const isBad = (context) =>
    isBadType(seLinuxOption(context, 'type')) ||
    seLinuxOption(context, 'user') !== '' ||
    seLinuxOption(context, 'role') !== '';
  return (pod) => {
    const setters = settersOf(pod, isBad);
    if (setters === void 0) return void 0;
    const contexts = contextsOf(pod);
    const types3 = distinct(
      contexts.map((context) => seLinuxOption(context, 'type')).filter(isBadType),
    );
    const forbidden18 = ['user', 'role'].filter((name) =>
      contexts.some((context) => seLinuxOption(context, name) !== ''),
    );
    const problems = [
      ...(types3.length > 0 ? [`${plural(types3, 'type')} ${quoted(types3)}`] : []),
      ...forbidden18.map((name) => `${name} may not be set`),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`,
    };
  };
}
function seccompAnnotations({ annotations: annotations2, spec }) {
  const names5 = [
    seccompPod,
    ...containersOf(spec).map((container) => `${seccompContainer}${textAt(container, 'name')}`),
  ];
  const allowed2 = /* @__PURE__ */ new Set(['runtime/default', 'docker/default']);
  const bad = names5.flatMap((name) => {
    const value = annotations2[name];
    if (value === void 0 || allowed2.has(value) || value.startsWith('localhost/')) return [];
    return [`${name}=${JSON.stringify(value)}`];
  });
  if (bad.length === 0) return void 0;
  const list2 = distinct(bad);
  const detail2 = `forbidden ${plural(list2, 'annotation')} ${list2.join(', ')}`;
  return { reason: 'seccompProfile', detail: detail2 };
}
function seccompProfile(pod) {
  const isBad = isUnconfined('seccompProfile');
  const setters = settersOf(pod, isBad);
  if (setters === void 0) return void 0;
  const types3 = quoted(typesOf(pod, 'seccompProfile', isBad));
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${types3}`,
  };
}
function profileType(context, member) {
  return textAt(objectAt(context, member), 'type', 'RuntimeDefault');
}
function isUnconfined(member) {
  return (context) => !confining.has(profileType(context, member));
}
function typesOf(pod, member, isBad) {
  const bad = contextsOf(pod).filter(isBad);
  return distinct(bad.map((context) => profileType(context, member)));
}
function seLinuxOption(context, name) {
  return textAt(objectAt(context, 'seLinuxOptions'), name);
}

// packages/apiserver/src/admission/pod-security/baseline-checks.ts
var defaultCapabilities = /* @__PURE__ */ new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
var seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
var sysctlsSince = {
  0: [
    'kernel.shm_rmid_forced',
    'net.ipv4.ip_local_port_range',
    'net.ipv4.tcp_syncookies',
    'net.ipv4.ping_group_range',
    'net.ipv4.ip_unprivileged_port_start',
  ],
  27: ['net.ipv4.ip_local_reserved_ports'],
  29: [
    'net.ipv4.tcp_keepalive_time',
    'net.ipv4.tcp_fin_timeout',
    'net.ipv4.tcp_keepalive_intvl',
    'net.ipv4.tcp_keepalive_probes',
  ],
  32: ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'],
};
var baselineChecks = [
  baseline('appArmorProfile', { 0: appArmorProfile }),
  baseline('capabilities_baseline', { 0: capabilities }),
  baseline('hostNamespaces', { 0: hostNamespaces }),
  baseline('hostPathVolumes', { 0: hostPathVolumes }),
  baseline('hostPorts', { 0: hostPorts }),
  baseline('hostProbesAndHostLifecycle', { 34: hostProbes }),
  baseline('privileged', { 0: privileged }),
  baseline('procMount', {
    0: procMount,
    35: (pod) => (pod.spec.hostUsers === false ? void 0 : procMount(pod)),
  }),
  baseline('seLinuxOptions', {
    0: seLinuxOptions(seLinuxTypes),
    31: seLinuxOptions([...seLinuxTypes, 'container_engine_t']),
  }),
  baseline('seccompProfile_baseline', { 0: seccompAnnotations, 19: seccompProfile }),
  baseline('sysctls', { 0: sysctls(0), 27: sysctls(27), 29: sysctls(29), 32: sysctls(32) }),
  baseline('windowsHostProcess', { 0: windowsHostProcess }),
];
function baseline(id, checks2) {
  const versions = Object.entries(checks2).map(([since, check3]) => ({
    since: Number(since),
    check: check3,
  }));
  return { id, level: 'baseline', versions };
}
function capabilities({ spec }) {
  const bad = namesOf(spec, (container) => addedCapabilities(container).length > 0);
  if (bad.length === 0) return void 0;
  const names5 = quoted(distinct(containersOf(spec).flatMap(addedCapabilities)));
  return {
    reason: 'non-default capabilities',
    detail: `${titled2(bad)} must not include ${names5} in securityContext.capabilities.add`,
  };
}
function addedCapabilities(container) {
  return textsAt(objectAt(securityContext(container), 'capabilities'), 'add').filter(
    (name) => !defaultCapabilities.has(name),
  );
}
function hostNamespaces({ spec }) {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((member) => spec[member] === true);
  if (shared.length === 0) return void 0;
  const detail2 = shared.map((member) => `${member}=true`).join(', ');
  return { reason: 'host namespaces', detail: detail2 };
}
function hostPathVolumes({ spec }) {
  const volumes2 = objectsAt(spec, 'volumes').filter(({ hostPath }) => hostPath !== void 0);
  if (volumes2.length === 0) return void 0;
  const names5 = quoted(volumes2.map((volume) => textAt(volume, 'name')));
  return { reason: 'hostPath volumes', detail: `${plural(volumes2, 'volume')} ${names5}` };
}
function hostPorts({ spec }) {
  const bad = namesOf(spec, (container) => hostPortsOf(container).length > 0);
  if (bad.length === 0) return void 0;
  const ports = distinct(containersOf(spec).flatMap(hostPortsOf));
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'hostPort',
    detail: `${titled2(bad)} ${verb} ${plural(ports, 'hostPort')} ${ports.join(', ')}`,
  };
}
function hostPortsOf(container) {
  const ports = objectsAt(container, 'ports').map(({ hostPort }) => hostPort);
  return ports.filter((port) => typeof port === 'number' && port !== 0).map((port) => `${port}`);
}
function hostProbes({ spec }) {
  const bad = distinct(namesOf(spec, (container) => hostsOf(container).length > 0));
  if (bad.length === 0) return void 0;
  const hosts = distinct(containersOf(spec).flatMap(hostsOf));
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'probe or lifecycle host',
    detail: `${titled2(bad)} ${verb} ${plural(hosts, 'probe or lifecycle host')} ${quoted(hosts)}`,
  };
}
function hostsOf(container) {
  const lifecycle = objectAt(container, 'lifecycle');
  const handlers2 = [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((name) => objectAt(container, name)),
    ...['postStart', 'preStop'].map((name) => objectAt(lifecycle, name)),
  ];
  return handlers2
    .flatMap((handler) => [objectAt(handler, 'httpGet'), objectAt(handler, 'tcpSocket')])
    .map((action) => textAt(action, 'host'))
    .filter((host) => host !== '');
}
function privileged({ spec }) {
  const bad = namesOf(spec, (container) => securityContext(container).privileged === true);
  if (bad.length === 0) return void 0;
  return {
    reason: 'privileged',
    detail: `${titled2(bad)} must not set securityContext.privileged=true`,
  };
}
function procMount({ spec }) {
  const bad = namesOf(spec, (container) => procMountOf(container) !== 'Default');
  if (bad.length === 0) return void 0;
  const types3 = distinct(containersOf(spec).map(procMountOf)).filter((type) => type !== 'Default');
  return {
    reason: 'procMount',
    detail: `${titled2(bad)} must not set securityContext.procMount to ${quoted(types3)}`,
  };
}
function procMountOf(container) {
  return textAt(securityContext(container), 'procMount', 'Default');
}
function sysctls(minor) {
  const allowed2 = new Set(
    Object.entries(sysctlsSince).flatMap(([since, names5]) =>
      Number(since) <= minor ? names5 : [],
    ),
  );
  return ({ spec }) => {
    const names5 = objectsAt(securityContext(spec), 'sysctls').map((each2) =>
      textAt(each2, 'name'),
    );
    const bad = names5.filter((name) => !allowed2.has(name));
    return bad.length === 0 ? void 0 : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}
function windowsHostProcess(pod) {
  const setters = settersOf(
    pod,
    (context) => objectAt(context, 'windowsOptions').hostProcess === true,
  );
  if (setters === void 0) return void 0;
  return {
    reason: 'hostProcess',
    detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}

// packages/apiserver/src/admission/pod-security/restricted-checks.ts
var allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
var restrictedChecks = [
  restricted('allowPrivilegeEscalation', {
    8: allowPrivilegeEscalation,
    25: onlyOnLinux(allowPrivilegeEscalation),
  }),
  restricted(
    'capabilities_restricted',
    { 22: capabilities2, 25: onlyOnLinux(capabilities2) },
    'capabilities_baseline',
  ),
  restricted('procMount_restricted', { 35: procMount }, 'procMount'),
  restricted('restrictedVolumes', { 0: restrictedVolumes }, 'hostPathVolumes'),
  restricted('runAsNonRoot', { 0: runAsNonRoot, 35: onlyOnHostUsers(runAsNonRoot) }),
  restricted('runAsUser', { 23: runAsUser, 35: onlyOnHostUsers(runAsUser) }),
  restricted(
    'seccompProfile_restricted',
    { 19: seccompRequired, 25: onlyOnLinux(seccompRequired) },
    'seccompProfile_baseline',
  ),
];
function restricted(id, checks2, overrides) {
  const versions = Object.entries(checks2).map(([since, check3]) => ({
    since: Number(since),
    check: check3,
  }));
  return { id, level: 'restricted', versions, ...(overrides !== void 0 && { overrides }) };
}
function onlyOnLinux(check3) {
  return (pod) => (textAt(objectAt(pod.spec, 'os'), 'name') === 'windows' ? void 0 : check3(pod));
}
function onlyOnHostUsers(check3) {
  return (pod) => (pod.spec.hostUsers === false ? void 0 : check3(pod));
}
function allowPrivilegeEscalation({ spec }) {
  const bad = namesOf(
    spec,
    (container) => securityContext(container).allowPrivilegeEscalation !== false,
  );
  if (bad.length === 0) return void 0;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${titled2(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}
function capabilities2({ spec }) {
  const keeping = namesOf(spec, (container) => !capabilityNames(container, 'drop').includes('ALL'));
  const adding = namesOf(spec, (container) => forbiddenCapabilities(container).length > 0);
  const names5 = quoted(distinct(containersOf(spec).flatMap(forbiddenCapabilities)));
  const details = [
    ...(keeping.length > 0
      ? [`${titled2(keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [`${titled2(adding)} must not include ${names5} in securityContext.capabilities.add`]
      : []),
  ];
  if (details.length === 0) return void 0;
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
}
function capabilityNames(container, member) {
  return textsAt(objectAt(securityContext(container), 'capabilities'), member);
}
function forbiddenCapabilities(container) {
  return capabilityNames(container, 'add').filter((name) => name !== 'NET_BIND_SERVICE');
}
function restrictedVolumes({ spec }) {
  const bad = objectsAt(spec, 'volumes').filter(
    (volume) => !allowedVolumes.some((type) => volume[type] !== void 0),
  );
  if (bad.length === 0) return void 0;
  const names5 = quoted(bad.map((volume) => textAt(volume, 'name')));
  const types3 = distinct(
    bad.map((volume) => Object.keys(volume).find((member) => member !== 'name') ?? 'unknown'),
  );
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'restricted volume types',
    detail: `${plural(bad, 'volume')} ${names5} ${verb} ${plural(types3, 'restricted volume type')} ${quoted(types3)}`,
  };
}
function runAsNonRoot(pod) {
  const reason = 'runAsNonRoot != true';
  const setters = settersOf(pod, ({ runAsNonRoot: value }) => value === false);
  if (setters !== void 0) {
    return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  }
  if (securityContext(pod.spec).runAsNonRoot === true) return void 0;
  const bad = namesOf(pod.spec, (each2) => securityContext(each2).runAsNonRoot === void 0);
  if (bad.length === 0) return void 0;
  return { reason, detail: `pod or ${titled2(bad)} must set securityContext.runAsNonRoot=true` };
}
function runAsUser(pod) {
  const setters = settersOf(pod, ({ runAsUser: user }) => user === 0);
  if (setters === void 0) return void 0;
  return { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
}
function seccompRequired(pod) {
  const forbidden18 = seccompProfile(pod);
  if (forbidden18 !== void 0) return forbidden18;
  if (securityContext(pod.spec).seccompProfile !== void 0) return void 0;
  const bad = namesOf(pod.spec, (each2) => securityContext(each2).seccompProfile === void 0);
  if (bad.length === 0) return void 0;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${titled2(bad)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

// packages/apiserver/src/admission/pod-security/violations.ts
function violationsOf(pod, { level, version }) {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? Number.POSITIVE_INFINITY : version;
  return checksOf(level, minor).flatMap((check3) => latest(check3, minor)?.check(pod) ?? []);
}
function showViolations(violations) {
  return violations.map(({ reason, detail: detail2 }) => `${reason} (${detail2})`).join(', ');
}
function checksOf(level, minor) {
  if (level === 'baseline') return baselineChecks;
  const active = restrictedChecks.filter((check3) => latest(check3, minor) !== void 0);
  const overridden = new Set(active.map(({ overrides }) => overrides));
  return [...baselineChecks.filter(({ id }) => !overridden.has(id)), ...active];
}
function latest({ versions }, minor) {
  return versions.findLast(({ since }) => since <= minor);
}

// packages/apiserver/src/admission/pod-security/namespace-warnings.ts
function namespaceWarnings(pods, namespace, enforce) {
  const names5 = /* @__PURE__ */ new Map();
  for (const pod of objectsIn(pods, namespace)) {
    const reasons2 = reasonsOf(pod, enforce);
    if (reasons2 === '') continue;
    names5.set(reasons2, [...(names5.get(reasons2) ?? []), pod.metadata.name ?? '']);
  }
  if (names5.size === 0) return [];
  const level = showLevel(enforce);
  return [
    `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${level}"`,
    ...[...names5].map(([reasons2, found]) => `${counted(found)}: ${reasons2}`).toSorted(),
  ];
}
function reasonsOf({ metadata, ...rest }, enforce) {
  const pod = { annotations: metadata.annotations ?? {}, spec: objectAt(asJson4(rest), 'spec') };
  const violations = violationsOf(pod, enforce);
  return violations.map(({ reason }) => reason).join(', ');
}
function counted([first = '', ...others]) {
  if (others.length === 0) return first;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}

// packages/apiserver/src/admission/pod-security/pod-security.ts
var templates = {
  'v1/podtemplates': ['template'],
  'v1/replicationcontrollers': ['spec', 'template'],
  'apps/v1/daemonsets': ['spec', 'template'],
  'apps/v1/deployments': ['spec', 'template'],
  'apps/v1/replicasets': ['spec', 'template'],
  'apps/v1/statefulsets': ['spec', 'template'],
  'batch/v1/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
  'batch/v1/jobs': ['spec', 'template'],
};
var checkedScopes = /* @__PURE__ */ new Set(['', 'ephemeralcontainers', 'resize']);
function podSecurity(stores) {
  return {
    validate(request) {
      if (writes(request, '', 'namespaces')) validateNamespace(request, stores.pods);
      else if (request.resource.id === 'v1/pods') validatePod(request, stores.namespaces);
      else validateTemplate(request, stores.namespaces);
    },
  };
}
function validateNamespace(request, pods) {
  const { object, old } = request;
  const next = policyOf(object.metadata.labels);
  const before = old && policyOf(old.metadata.labels);
  const isNews = JSON.stringify(next.causes) !== JSON.stringify(before?.causes ?? []);
  if (next.causes.length > 0 && isNews) {
    throw invalid(request.resource.subject(object.metadata.name ?? ''), next.causes);
  }
  if (before === void 0 || showLevel(next.enforce) === showLevel(before.enforce)) return;
  const isSameVersion = next.enforce.version === before.enforce.version;
  if (isSameVersion && !isStricter(next.enforce.level, before.enforce.level)) return;
  request.warnings.push(...namespaceWarnings(pods, object.metadata.name ?? '', next.enforce));
}
function validatePod(request, namespaces2) {
  const { object, old, scope } = request;
  if (!checkedScopes.has(scope)) return;
  if (old !== void 0 && !isSignificant(specOf2(object), specOf2(old))) return;
  const pod = { annotations: object.metadata.annotations ?? {}, spec: specOf2(object) };
  evaluate(request, namespaces2, pod, true);
}
function validateTemplate(request, namespaces2) {
  const path = templates[request.resource.id];
  if (path === void 0 || request.scope !== '') return;
  const template2 = path.reduce(objectAt, asJson5(request.object));
  if (template2.spec === void 0) return;
  const annotations2 = objectAt(objectAt(template2, 'metadata'), 'annotations');
  const pod = { annotations: annotations2, spec: specOf2(template2) };
  evaluate(request, namespaces2, pod, false);
}
function evaluate(request, namespaces2, pod, enforces) {
  const { namespace = '' } = request.object.metadata;
  const labels = namespaces2.get(keyOfMetadata({ name: namespace }))?.metadata.labels;
  const { enforce, warn } = policyOf(labels);
  const forbidden18 = enforces ? violationsOf(pod, enforce) : [];
  if (forbidden18.length > 0) {
    const why = showViolations(forbidden18);
    throw refused(request, `violates PodSecurity "${showLevel(enforce)}": ${why}`);
  }
  const violations = violationsOf(pod, warn);
  if (violations.length === 0) return;
  const text3 = `would violate PodSecurity "${showLevel(warn)}": ${showViolations(violations)}`;
  request.warnings.push(text3);
}
function specOf2(object) {
  return objectAt(asJson5(object), 'spec');
}
function isSignificant(next, before) {
  const counts2 = ['containers', 'initContainers'].some(
    (member) => objectsAt(next, member).length !== objectsAt(before, member).length,
  );
  const images = new Map(
    containersOf(before).map((each2) => [textAt(each2, 'name'), textAt(each2, 'image')]),
  );
  return (
    counts2 ||
    containersOf(next).some((each2) => images.get(textAt(each2, 'name')) !== textAt(each2, 'image'))
  );
}

// packages/apiserver/src/admission/priority.ts
import { asJson as asJson6 } from '@keelson/structural-schema';
function priority(priorityClasses) {
  return {
    mutate(request) {
      if (!writes(request, '', 'pods')) return;
      if (request.old === void 0) resolve(request, priorityClasses);
      else keep(ensureObject(asJson6(request.object), 'spec'), asJson6(request.old));
    },
    validate(request) {
      if (!writes(request, 'scheduling.k8s.io', 'priorityclasses')) return;
      if (asJson6(request.object).globalDefault === true) checkUnique(request, priorityClasses);
    },
  };
}
function resolve(request, classes) {
  const spec = ensureObject(asJson6(request.object), 'spec');
  const { metadata, value = 0, preemptionPolicy } = classOf2(request, spec, classes);
  if (metadata.name !== void 0) spec.priorityClassName = metadata.name;
  if (spec.priority !== void 0 && spec.priority !== value) {
    throw refusedUnnamed(
      request,
      `the integer value of priority (${JSON.stringify(spec.priority)}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  if (preemptionPolicy === void 0) return;
  const given = textAt(spec, 'preemptionPolicy', preemptionPolicy);
  if (given !== preemptionPolicy) {
    throw refusedUnnamed(
      request,
      `the string value of PreemptionPolicy (${given}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = preemptionPolicy;
}
function classOf2(request, spec, classes) {
  const name = textAt(spec, 'priorityClassName');
  const all2 = parsed(classes);
  if (name === '')
    return defaultOf(all2) ?? { metadata: {}, preemptionPolicy: 'PreemptLowerPriority' };
  const found = all2.find(({ metadata }) => metadata.name === name);
  if (found === void 0)
    throw refusedUnnamed(request, `no PriorityClass with name ${name} was found`);
  return found;
}
function parsed(classes) {
  return [...classes.values()].map((stored) => stored.parse());
}
function defaultOf(classes) {
  const defaults = classes.filter(({ globalDefault }) => globalDefault === true);
  return defaults.toSorted((one, other) => (one.value ?? 0) - (other.value ?? 0))[0];
}
function keep(spec, old) {
  const before = ensureObject(old, 'spec');
  for (const name of ['priority', 'preemptionPolicy']) {
    const value = before[name];
    if (spec[name] === void 0 && value !== void 0) spec[name] = value;
  }
}
function checkUnique(request, classes) {
  const { name } = defaultOf(parsed(classes))?.metadata ?? {};
  if (name === void 0) return;
  if (request.old !== void 0 && name === request.object.metadata.name) return;
  throw refused(
    request,
    `PriorityClass ${name} is already marked as default. Only one default can exist`,
  );
}

// packages/apiserver/src/admission/quota/resource-quota.ts
import { compareQuantities as compareQuantities5, subtractQuantities } from '@keelson/cel/internal';
import { asJson as asJson8 } from '@keelson/structural-schema';

// packages/apiserver/src/admission/quota/claim-evaluator.ts
import { compareQuantities as compareQuantities3 } from '@keelson/cel/internal';

// packages/apiserver/src/admission/quota/quota-evaluator.ts
function countName({ group: group2, plural: plural2 }) {
  return group2 === '' ? `count/${plural2}` : `count/${plural2}.${group2}`;
}
function countEvaluator(resource) {
  const alias = resource.group === '' && countedByPlural.has(resource.plural);
  const names5 = [countName(resource), ...(alias ? [resource.plural] : [])];
  return {
    handles: ({ scope, old }) => scope === '' && old === void 0,
    matching: (wanted2) => wanted2.filter((name) => names5.includes(name)),
    matchesScope: () => false,
    constraint: () => void 0,
    usage: () => Object.fromEntries(names5.map((name) => [name, '1'])),
  };
}
var countedByPlural = /* @__PURE__ */ new Set([
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
]);

// packages/apiserver/src/admission/quota/claim-evaluator.ts
var count = countName({ group: '', plural: 'persistentvolumeclaims' });
var names2 = ['persistentvolumeclaims', 'requests.storage'];
var ofClass = '.storageclass.storage.k8s.io/';
var claimEvaluator = {
  handles: ({ scope, object, old }) =>
    scope === '' || (scope === 'status' && old !== void 0 && allocated(object) !== allocated(old)),
  matching: (wanted2) =>
    wanted2.filter(
      (name) =>
        name === count ||
        names2.includes(name) ||
        names2.some((suffix) => name.endsWith(`${ofClass}${suffix}`)),
    ),
  matchesScope: () => false,
  constraint: () => void 0,
  usage: (claim) => {
    const own = { persistentvolumeclaims: '1', ...storageOf(claim) };
    return { [count]: '1', ...own, ...byClass(classOf3(claim), own) };
  },
};
function byClass(storageClass2, usage) {
  if (storageClass2 === '') return {};
  const entries = Object.entries(usage);
  return Object.fromEntries(
    entries.map(([name, value]) => [`${storageClass2}${ofClass}${name}`, value]),
  );
}
function classOf3(claim) {
  const annotations2 = objectAt(objectAt(claim, 'metadata'), 'annotations');
  const former = textAt(annotations2, 'volume.beta.kubernetes.io/storage-class');
  return former === '' ? textAt(objectAt(claim, 'spec'), 'storageClassName') : former;
}
function storageOf(claim) {
  const requests = objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests');
  const requested = textAt(requests, 'storage');
  if (requested === '') return {};
  const isLess = compareQuantities3(requested, allocated(claim)) < 0;
  return { 'requests.storage': isLess ? allocated(claim) : requested };
}
function allocated(claim) {
  return textAt(objectAt(objectAt(claim, 'status'), 'allocatedResources'), 'storage');
}

// packages/apiserver/src/admission/quota/pod-evaluator.ts
import { isJsonObject as isJsonObject2, isNumeric } from '@keelson/structural-schema';

// packages/apiserver/src/kinds/pods/qos-class.ts
import { compareQuantities as compareQuantities4 } from '@keelson/cel/internal';
function qosClassOf(spec) {
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const all2 = containers.map((container) => objectAt(container, 'resources'));
  if (
    !all2.some((each2) => isSet(objectAt(each2, 'requests')) || isSet(objectAt(each2, 'limits')))
  ) {
    return 'BestEffort';
  }
  return all2.every((each2) => isGuaranteed(each2)) ? 'Guaranteed' : 'Burstable';
}
function isSet(list2) {
  return ['cpu', 'memory'].some((name) => compareQuantities4(textAt(list2, name), '0') !== 0);
}
function isGuaranteed(resources) {
  const [limits3, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  return ['cpu', 'memory'].every(
    (name) =>
      compareQuantities4(textAt(limits3, name), '0') !== 0 &&
      compareQuantities4(textAt(limits3, name), textAt(requests, name, textAt(limits3, name))) ===
        0,
  );
}

// packages/apiserver/src/admission/quota/quota-scope.ts
function scopesOf(quota) {
  const spec = objectAt(quota, 'spec');
  const expressions = objectsAt(objectAt(spec, 'scopeSelector'), 'matchExpressions');
  return [
    ...textsAt(spec, 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists', values: [] })),
    ...expressions.map((each2) => ({
      scopeName: textAt(each2, 'scopeName'),
      operator: textAt(each2, 'operator'),
      values: textsAt(each2, 'values'),
    })),
  ];
}
function selects({ operator, values }, value) {
  switch (operator) {
    case 'Exists':
      return value !== '';
    case 'DoesNotExist':
      return value === '';
    case 'In':
      return value !== '' && values.includes(value);
    default:
      return !values.includes(value);
  }
}

// packages/apiserver/src/admission/quota/pod-evaluator.ts
var count2 = countName({ group: '', plural: 'pods' });
var measured = ['cpu', 'memory', 'ephemeral-storage'];
var names3 = /* @__PURE__ */ new Set([
  count2,
  'pods',
  ...measured,
  ...measured.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
var mustBeNamed = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);
var podEvaluator = {
  handles: ({ scope, object, old }) => {
    if (scope === 'resize') return old !== void 0;
    return scope === '' && (old === void 0 || hasDeadline(object) !== hasDeadline(old));
  },
  matching: (wanted2) => wanted2.filter((name) => names3.has(name) || isExtended(name)),
  matchesScope,
  constraint,
  usage: (pod, now) =>
    hasEnded(pod, now) ? { [count2]: '1' } : { [count2]: '1', ...usageOf(totals(pod)) },
};
function isExtended(name) {
  return /^(requests\.)?hugepages-/.test(name) || /^requests\.[^/]+\/./.test(name);
}
function matchesScope(selector, pod) {
  const spec = objectAt(pod, 'spec');
  switch (selector.scopeName) {
    case 'Terminating':
      return hasDeadline(pod);
    case 'NotTerminating':
      return !hasDeadline(pod);
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort';
    case 'PriorityClass':
      return selects(selector, textAt(spec, 'priorityClassName'));
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(spec);
    default:
      return false;
  }
}
function hasDeadline(pod) {
  const { activeDeadlineSeconds } = objectAt(pod, 'spec');
  return isNumeric(activeDeadlineSeconds) && activeDeadlineSeconds >= 0;
}
function reachesOtherNamespaces(spec) {
  const affinity = objectAt(spec, 'affinity');
  const rules4 = ['podAffinity', 'podAntiAffinity'].map((member) => objectAt(affinity, member));
  const terms = rules4.flatMap((rule) => [
    ...objectsAt(rule, 'requiredDuringSchedulingIgnoredDuringExecution'),
    ...objectsAt(rule, 'preferredDuringSchedulingIgnoredDuringExecution').map((term) =>
      objectAt(term, 'podAffinityTerm'),
    ),
  ]);
  return terms.some(
    ({ namespaces: namespaces2, namespaceSelector }) =>
      (Array.isArray(namespaces2) && namespaces2.length > 0) || isJsonObject2(namespaceSelector),
  );
}
function constraint(wanted2, pod) {
  const spec = objectAt(pod, 'spec');
  const own = objectAt(spec, 'resources');
  if (own.requests !== void 0 || own.limits !== void 0) return void 0;
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const problems = mustBeNamed.toSorted().flatMap((name) => {
    if (!wanted2.includes(name)) return [];
    const silent = containers.filter((each2) => usageOf(ofContainer(each2))[name] === void 0);
    const missing2 = silent.map((container) => textAt(container, 'name')).toSorted();
    return missing2.length === 0 ? [] : [`${name} for: ${missing2.join(',')}`];
  });
  return problems.length === 0 ? void 0 : `must specify ${problems.join('; ')}`;
}
function ofContainer(container) {
  return { requests: sideOf(container, 'requests'), limits: sideOf(container, 'limits') };
}
function totals(pod) {
  const spec = objectAt(pod, 'spec');
  const overhead = resourceList(objectAt(spec, 'overhead'));
  const limits3 = podResources(spec, 'limits');
  return {
    requests: addLists(podResources(spec, 'requests'), overhead),
    limits: addLists(limits3, pickFrom(overhead, Object.keys(limits3))),
  };
}
function usageOf({ requests, limits: limits3 }) {
  const usage = { pods: '1' };
  for (const name of measured) {
    const [request, limit] = [requests[name], limits3[name]];
    if (request !== void 0)
      Object.assign(usage, { [name]: request, [`requests.${name}`]: request });
    if (limit !== void 0) usage[`limits.${name}`] = limit;
  }
  for (const [name, request] of Object.entries(requests)) {
    if (name.startsWith('hugepages-')) usage[name] = request;
    if (name.startsWith('hugepages-') || name.includes('/')) usage[`requests.${name}`] = request;
  }
  return usage;
}
function hasEnded(pod, now) {
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = objectAt(pod, 'metadata');
  if (typeof deletionTimestamp !== 'string') return false;
  if (!isNumeric(deletionGracePeriodSeconds)) return false;
  return now > Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1e3;
}

// packages/apiserver/src/admission/quota/service-evaluator.ts
var count3 = countName({ group: '', plural: 'services' });
var names4 = /* @__PURE__ */ new Set([
  count3,
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);
var serviceEvaluator = {
  handles: ({ scope }) => scope === '',
  matching: (wanted2) => wanted2.filter((name) => names4.has(name)),
  matchesScope: () => false,
  constraint: () => void 0,
  usage: (service) => usageOf2(objectAt(service, 'spec')),
};
function usageOf2(spec) {
  return {
    [count3]: '1',
    services: '1',
    'services.nodeports': String(nodePortsOf(spec)),
    'services.loadbalancers': spec.type === 'LoadBalancer' ? '1' : '0',
  };
}
function nodePortsOf(spec) {
  const ports = objectsAt(spec, 'ports');
  if (spec.type === 'NodePort') return ports.length;
  if (spec.type !== 'LoadBalancer') return 0;
  const { allocateLoadBalancerNodePorts: allocates } = spec;
  return allocates === false
    ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
    : ports.length;
}

// packages/apiserver/src/admission/quota/evaluator-of.ts
var measured2 = {
  persistentvolumeclaims: claimEvaluator,
  pods: podEvaluator,
  services: serviceEvaluator,
};
function evaluatorOf(resource) {
  if (resource.plural === 'events') return void 0;
  return (resource.group === '' ? measured2[resource.plural] : void 0) ?? countEvaluator(resource);
}

// packages/apiserver/src/admission/quota/quota-usage.ts
import { asJson as asJson7 } from '@keelson/structural-schema';
function quotaUsage(storage, quota, now) {
  const { namespace } = objectAt(quota, 'metadata');
  const hard = Object.keys(resourceList(objectAt(objectAt(quota, 'spec'), 'hard')));
  let used = {};
  for (const store of storage.stores()) {
    const evaluator = evaluatorOf(store);
    const names5 = evaluator?.matching(hard) ?? [];
    if (evaluator === void 0 || names5.length === 0) continue;
    used = addLists(used, Object.fromEntries(names5.map((name) => [name, '0'])));
    for (const stored of store.values()) {
      if (stored.metadata.namespace !== namespace) continue;
      const object = asJson7(stored.parse());
      if (isIncluded(evaluator, quota, object)) {
        used = addLists(used, pickFrom(evaluator.usage(object, now), names5));
      }
    }
  }
  return used;
}
function isIncluded(evaluator, quota, object) {
  return scopesOf(quota).every((selector) => evaluator.matchesScope(selector, object));
}

// packages/apiserver/src/admission/quota/resource-quota.ts
function resourceQuota(context) {
  return {
    validate(request) {
      for (const charge of chargesOf(request, context)) {
        if (request.scope !== 'status') check2(request, charge);
      }
    },
    charge(request) {
      for (const { quota, requested, used } of chargesOf(request, context)) {
        context.setUsed(quota, addLists(used, requested));
      }
    },
  };
}
function chargesOf(request, context) {
  const { object, old, resource, scope } = request;
  if (context.quotas.size === 0 || !resource.facts.namespaced) return [];
  const evaluator = evaluatorOf(resource.store);
  const write2 = { scope, object: asJson8(object), old: old && asJson8(old) };
  if (evaluator?.handles(write2) !== true) return [];
  return objectsIn(context.quotas, object.metadata.namespace)
    .map(asJson8)
    .filter((quota) => applies(request, evaluator, quota))
    .flatMap((quota) => chargeOf(request, { evaluator, quota, now: context.now() }) ?? []);
}
function applies(request, evaluator, quota) {
  const { hard, used } = statusOf(quota);
  const restricted2 = evaluator.matching(Object.keys(hard));
  const object = asJson8(request.object);
  if (restricted2.length === 0 || !isIncluded(evaluator, quota, object)) return false;
  const name = textAt(objectAt(quota, 'metadata'), 'name');
  const problem = evaluator.constraint(restricted2, object);
  if (problem !== void 0) throw refused(request, `failed quota: ${name}: ${problem}`);
  if (restricted2.every((resource) => used[resource] !== void 0)) return true;
  const names5 = restricted2.toSorted().join(',');
  throw refused(request, `status unknown for quota: ${name}, resources: ${names5}`);
}
function chargeOf({ object, old }, { evaluator, quota, now }) {
  const { hard, used } = statusOf(quota);
  const usage = evaluator.usage(asJson8(object), now);
  const counted4 = old !== void 0 && isIncluded(evaluator, quota, asJson8(old));
  const before = counted4 ? evaluator.usage(asJson8(old), now) : {};
  const more = Object.entries(usage)
    .map(([name, value]) => [name, subtractQuantities(value, before[name] ?? '0')])
    .filter(([, value]) => compareQuantities5(value, '0') > 0);
  const requested = pickFrom(Object.fromEntries(more), Object.keys(hard));
  return Object.keys(requested).length === 0 ? void 0 : { quota, requested, used };
}
function check2(request, { quota, requested, used }) {
  const { hard } = statusOf(quota);
  const total = addLists(used, requested);
  const exceeded = Object.keys(requested).filter(
    (name2) => compareQuantities5(total[name2] ?? '0', hard[name2] ?? '0') > 0,
  );
  if (exceeded.length === 0) return;
  const show = (list2) =>
    exceeded
      .toSorted()
      .map((name2) => `${name2}=${list2[name2] ?? '0'}`)
      .join(',');
  const name = textAt(objectAt(quota, 'metadata'), 'name');
  throw refused(
    request,
    `exceeded quota: ${name}, requested: ${show(requested)}, used: ${show(used)}, limited: ${show(hard)}`,
  );
}
function statusOf(quota) {
  const status3 = objectAt(quota, 'status');
  return {
    hard: resourceList(objectAt(status3, 'hard')),
    used: resourceList(objectAt(status3, 'used')),
  };
}

// packages/apiserver/src/admission/runtime-class.ts
import { asJson as asJson9, jsonEquals } from '@keelson/structural-schema';
var different = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
var undefinedOverhead =
  'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
function runtimeClass(classes) {
  return {
    mutate(request) {
      if (!creates(request)) return;
      const spec = specOf3(request);
      const overhead = overheadOf(request, classes);
      if (overhead === void 0) return;
      if (spec.overhead !== void 0 && !jsonEquals(spec.overhead, overhead)) {
        throw refusedUnnamed(request, different);
      }
      spec.overhead = structuredClone(overhead);
    },
    validate(request) {
      if (!creates(request)) return;
      const { overhead } = specOf3(request);
      const wanted2 = overheadOf(request, classes);
      if (wanted2 === void 0 && overhead !== void 0) throw refused(request, undefinedOverhead);
      if (!jsonEquals(wanted2, overhead)) throw refused(request, different);
    },
  };
}
function creates(request) {
  return request.old === void 0 && writes(request, '', 'pods');
}
function specOf3(request) {
  return objectAt(asJson9(request.object), 'spec');
}
function overheadOf(request, classes) {
  const name = textAt(specOf3(request), 'runtimeClassName');
  if (name === '') return void 0;
  const found = classes.get(keyOfMetadata({ name }));
  if (found === void 0) {
    throw refusedUnnamed(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  }
  const { podFixed } = objectAt(asJson9(found.parse()), 'overhead');
  return podFixed;
}

// packages/apiserver/src/admission/services/service-networking.ts
import { isIP as isIP3 } from 'node:net';
import { asJson as asJson10 } from '@keelson/structural-schema';

// packages/apiserver/src/resources/address-allocator.ts
var nodePorts = { first: 3e4, last: 32767 };
function addressAllocator(services, range) {
  const hosts = { first: range.first + 1, last: range.last };
  let host = range.first;
  let port = nodePorts.first - 1;
  return {
    allocateClusterIp() {
      const taken = new Set([...services.values()].map(({ fields }) => fields['spec.clusterIP']));
      host = nextFree(host, hosts, (candidate) => taken.has(showAddress(candidate)));
      return showAddress(host);
    },
    allocateNodePort() {
      const taken = takenPorts(services);
      port = nextFree(port, nodePorts, (candidate) => taken.has(candidate));
      return port;
    },
  };
}
function nextFree(last, range, isTaken) {
  const size = range.last - range.first + 1;
  for (let step = 1; step <= size; step++) {
    const candidate = range.first + ((last - range.first + step) % size);
    if (!isTaken(candidate)) return candidate;
  }
  throw failure(500, 'InternalError', 'Internal error occurred: the range is full');
}
function takenPorts(services) {
  const exposed = [...services.values()].filter(
    ({ fields }) => fields['spec.type'] !== 'ClusterIP',
  );
  return new Set(exposed.flatMap((stored) => portsOf(stored.parse())));
}
function portsOf({ spec = {} }) {
  return [...(spec.ports ?? []).map(({ nodePort }) => nodePort), spec.healthCheckNodePort];
}

// packages/apiserver/src/admission/services/address-families.ts
import { isIP as isIP2 } from 'node:net';
import {
  indexPath as indexPath2,
  invalid as invalidField,
  jsonEquals as jsonEquals2,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/services/rules-service-addresses.ts
import { isIP } from 'node:net';
import {
  duplicate,
  indexPath,
  invalid as invalid2,
  notSupported,
  required,
} from '@keelson/structural-schema';
var families = ['IPv4', 'IPv6'];
var familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
var addressDetail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
function validateServiceAddresses(spec) {
  if (spec.type === 'ExternalName') return [];
  const [address, addresses] = [textAt(spec, 'clusterIP'), textsAt(spec, 'clusterIPs')];
  const policy = textAt(spec, 'ipFamilyPolicy', 'SingleStack');
  const isInSync = (addresses[0] ?? '') === address;
  return [
    ...(isInSync ? [] : [mismatch(spec, addresses)]),
    ...validateFamilies(textsAt(spec, 'ipFamilies')),
    ...(familyPolicies.includes(policy)
      ? []
      : [notSupported('spec.ipFamilyPolicy', policy, familyPolicies)]),
    ...validateAddresses(addresses),
    ...matchFamilies(addresses, textsAt(spec, 'ipFamilies')),
  ];
}
function mismatch(spec, addresses) {
  const field = 'spec.clusterIPs';
  if (addresses.length === 0) return required(field);
  if (textAt(spec, 'clusterIP') === '') {
    return invalid2(field, addresses, 'must be empty when `clusterIP` is not specified');
  }
  return invalid2(field, addresses, 'first value must match `clusterIP`');
}
function validateFamilies(found) {
  return found.flatMap((family, index) => {
    const field = indexPath('spec.ipFamilies', index);
    return [
      ...(families.includes(family) ? [] : [notSupported(field, family, families)]),
      ...(found.indexOf(family) < index ? [duplicate(field, family)] : []),
    ];
  });
}
function validateAddresses(addresses) {
  const field = 'spec.clusterIPs';
  const causes = addresses.flatMap((address, index) => {
    if (index > 0 || address !== 'None') {
      return isIP(address) === 0 ? [invalid2(indexPath(field, index), address, addressDetail)] : [];
    }
    if (addresses.length === 1) return [];
    return [invalid2(field, addresses, "'None' must be the first and only value")];
  });
  if (addresses.length > 2) {
    causes.push(invalid2(field, addresses, 'may only hold up to 2 values'));
  }
  if (causes.length > 0 || addresses.length < 2) return causes;
  const isDual = new Set(addresses.map((address) => isIP(address))).size === 2;
  const detail2 = 'may specify no more than one IP for each IP family';
  return isDual ? [] : [invalid2(field, addresses, detail2)];
}
function matchFamilies(addresses, wanted2) {
  if (addresses[0] === 'None' || addresses.some((address) => isIP(address) === 0)) return [];
  return addresses.flatMap((address, index) => {
    const family = wanted2[index];
    if (family === void 0 || family === `IPv${isIP(address)}`) return [];
    const detail2 = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalid2(indexPath('spec.clusterIPs', index), address, detail2)];
  });
}

// packages/apiserver/src/admission/services/address-families.ts
function setAddressFamilies(request, spec, before = {}) {
  if (keepsPreferred(spec, before)) return;
  const isOpen = isHeadlessWithoutSelector(spec);
  spec.ipFamilyPolicy ??= before.ipFamilyPolicy ?? (isOpen ? 'RequireDualStack' : 'SingleStack');
  refuse(request, validateServiceAddresses(spec));
  refuse(request, [...releaseSecond(spec, before), ...inferFamilies(spec)]);
  if (isOpen) {
    completeOpenFamilies(spec);
    return;
  }
  refuse(request, unconfigured(spec));
  if (textsAt(spec, 'ipFamilies').length === 0) spec.ipFamilies = ['IPv4'];
}
function invalidService(request, field, value, detail2) {
  return refusal(request, [invalidField(field, value, detail2)]);
}
function refuse(request, causes) {
  if (causes.length > 0) throw refusal(request, causes);
}
function refusal({ resource, object }, causes) {
  return invalid(resource.subject(object.metadata.name ?? ''), [...causes]);
}
function isHeadlessWithoutSelector(spec) {
  return spec.clusterIP === 'None' && Object.keys(objectAt(spec, 'selector')).length === 0;
}
function keepsPreferred(spec, before) {
  const same = ['type', 'clusterIPs', 'ipFamilies'];
  const { ipFamilyPolicy: former = 'PreferDualStack' } = before;
  return (
    [former, spec.ipFamilyPolicy].every((policy) => policy === 'PreferDualStack') &&
    same.every((name) => jsonEquals2(spec[name], before[name]))
  );
}
function releaseSecond(spec, before) {
  const causes = [];
  const policy = textAt(spec, 'ipFamilyPolicy');
  for (const [member, what] of [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ]) {
    const [now, former] = [textsAt(spec, member), textsAt(before, member)];
    if (policy === 'SingleStack') {
      if (now.length > 1 && jsonEquals2(now, former)) spec[member] = now.slice(0, 1);
    } else if (now.length > 0 && now.length < former.length) {
      const detail2 = `must be 'SingleStack' to release the secondary ${what}`;
      causes.push(invalidField('spec.ipFamilyPolicy', policy, detail2));
    }
  }
  return [...causes, ...tooMany(spec, policy)];
}
function tooMany(spec, policy) {
  if (policy !== 'SingleStack') return [];
  const kinds = [
    ['clusterIPs', 'cluster IPs'],
    ['ipFamilies', 'IP families'],
  ];
  return kinds
    .filter(([member]) => textsAt(spec, member).length === 2)
    .map(([, what]) => {
      const detail2 = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
      return invalidField('spec.ipFamilyPolicy', policy, detail2);
    });
}
function inferFamilies(spec) {
  const addresses = textsAt(spec, 'clusterIPs');
  const families2 = textsAt(spec, 'ipFamilies');
  if (addresses[0] === 'None') return [];
  const causes = [];
  for (const [index, address] of addresses.entries()) {
    if (index < families2.length) continue;
    if (isIP2(address) === 6) {
      const field = indexPath2('spec.clusterIPs', index);
      causes.push(invalidField(field, addresses, 'IPv6 is not configured on this cluster'));
    } else {
      families2.push('IPv4');
      spec.ipFamilies = families2;
    }
  }
  return causes;
}
function completeOpenFamilies(spec) {
  const [first = 'IPv4', second] = textsAt(spec, 'ipFamilies');
  const other = first === 'IPv4' ? 'IPv6' : 'IPv4';
  const isSingle = spec.ipFamilyPolicy === 'SingleStack';
  spec.ipFamilies = [first, ...(second !== void 0 ? [second] : isSingle ? [] : [other])];
}
function unconfigured(spec) {
  const policy = textAt(spec, 'ipFamilyPolicy');
  const detail2 = 'this cluster is not configured for dual-stack services';
  return [
    ...(policy === 'RequireDualStack'
      ? [invalidField('spec.ipFamilyPolicy', policy, detail2)]
      : []),
    ...textsAt(spec, 'ipFamilies').flatMap((family, index) => {
      const field = indexPath2('spec.ipFamilies', index);
      return family === 'IPv4'
        ? []
        : [invalidField(field, family, 'not configured on this cluster')];
    }),
  ];
}

// packages/apiserver/src/admission/services/keep-service-values.ts
import { jsonEquals as jsonEquals3 } from '@keelson/structural-schema';

// packages/apiserver/src/admission/services/service-spec.ts
function needsClusterIp(spec) {
  return spec.type !== 'ExternalName';
}
function needsNodePort(spec) {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}
function needsHealthPort(spec) {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
function isExternal(spec) {
  const externals = Array.isArray(spec.externalIPs) ? spec.externalIPs : [];
  return needsNodePort(spec) || (spec.type === 'ClusterIP' && externals.length > 0);
}
function nodePortOf(port) {
  return typeof port.nodePort === 'number' ? port.nodePort : 0;
}
function nodePortsOf2(spec) {
  return new Set(
    objectsAt(spec, 'ports')
      .map(nodePortOf)
      .filter((port) => port !== 0),
  );
}
function addressesOf(spec) {
  if (Array.isArray(spec.clusterIPs))
    return spec.clusterIPs.filter((each2) => typeof each2 === 'string');
  const single = textAt(spec, 'clusterIP');
  return single === '' ? [] : [single];
}

// packages/apiserver/src/admission/services/keep-service-values.ts
function keepServiceValues(spec, before) {
  if (needsClusterIp(spec) && needsClusterIp(before)) {
    keep2(spec, before, 'clusterIP');
    if (isEmpty(spec.clusterIPs)) keepList(spec, before);
  }
  followSingleAddress(spec, before);
  if (needsNodePort(spec) && needsNodePort(before)) keepNodePorts(spec, before);
  if (needsHealthPort(spec) && needsHealthPort(before)) keep2(spec, before, 'healthCheckNodePort');
}
function dropUnusedServiceValues(spec, before) {
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    drop(spec, before, 'clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy');
    delete spec.internalTrafficPolicy;
  }
  const known2 = nodePortsOf2(before);
  const isKnown2 = [...nodePortsOf2(spec)].every((port) => known2.has(port));
  if (needsNodePort(before) && !needsNodePort(spec) && isKnown2) {
    for (const port of objectsAt(spec, 'ports')) delete port.nodePort;
  }
  if (needsHealthPort(before) && !needsHealthPort(spec)) drop(spec, before, 'healthCheckNodePort');
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    drop(spec, before, 'allocateLoadBalancerNodePorts', 'loadBalancerClass');
  }
  if (isExternal(before) && !isExternal(spec)) drop(spec, before, 'externalTrafficPolicy');
}
function followSingleAddress(spec, before) {
  const [now, former] = [textAt(spec, 'clusterIP'), textAt(before, 'clusterIP')];
  if (now === former) {
    if (isEmpty(spec.clusterIPs)) keepList(spec, before);
    return;
  }
  const isSame = jsonEquals3(spec.clusterIPs ?? [], before.clusterIPs ?? []);
  if (!isSame) return;
  if (now === '') delete spec.clusterIPs;
  else spec.clusterIPs = [now];
}
function isEmpty(list2) {
  return !Array.isArray(list2) || list2.length === 0;
}
function keepList(spec, before) {
  if (before.clusterIPs !== void 0) spec.clusterIPs = before.clusterIPs;
}
function keepNodePorts(spec, before) {
  const present = nodePortsOf2(spec);
  const used = new Set([...nodePortsOf2(before)].filter((port) => present.has(port)));
  const former = new Map(
    objectsAt(before, 'ports').map((port) => [textAt(port, 'name'), nodePortOf(port)]),
  );
  for (const port of objectsAt(spec, 'ports')) {
    const value = former.get(textAt(port, 'name')) ?? 0;
    if (nodePortOf(port) !== 0 || value === 0 || used.has(value)) continue;
    port.nodePort = value;
  }
}
function keep2(spec, before, member) {
  const value = before[member];
  const present = spec[member];
  if (value !== void 0 && (present === void 0 || present === '' || present === 0)) {
    spec[member] = value;
  }
}
function drop(spec, before, ...members2) {
  for (const member of members2) {
    if (jsonEquals3(spec[member], before[member])) delete spec[member];
  }
}

// packages/apiserver/src/admission/services/service-networking.ts
function serviceNetworking(network) {
  return {
    mutate(request) {
      if (!writes(request, '', 'services')) return;
      const service = asJson10(request.object);
      const spec = ensureObject(service, 'spec');
      const before = request.old && objectAt(asJson10(request.old), 'spec');
      if (before !== void 0) keepServiceValues(spec, before);
      else if (addressesOf(spec).length > 0) spec.clusterIPs ??= addressesOf(spec);
      if (needsClusterIp(spec)) allocateAddresses(request, spec, network, before);
      allocateNodePorts(request, spec, network, before);
      if (before === void 0) return;
      dropUnusedServiceValues(spec, before);
      if (spec.type !== 'LoadBalancer') clearLoadBalancerStatus(service);
    },
  };
}
function clearLoadBalancerStatus(service) {
  if (service.status !== void 0) {
    service.status = { ...objectAt(service, 'status'), loadBalancer: {} };
  }
}
function allocateAddresses(request, spec, network, before) {
  setAddressFamilies(request, spec, before);
  const [address = ''] = addressesOf(spec);
  if (before !== void 0 && needsClusterIp(before)) return;
  if (address === '') {
    spec.clusterIP = network.allocator.allocateClusterIp();
  } else if (address !== 'None' && isIP3(address) !== 0) {
    checkAddress(request, address, network);
  }
  spec.clusterIPs ??= [textAt(spec, 'clusterIP', address)];
}
function checkAddress(request, address, network) {
  const { services, range } = network;
  const isInside = isInRange(address, range);
  const isTaken = [...services.values()].some(({ fields }) => fields['spec.clusterIP'] === address);
  if (isInside && !isTaken) return;
  const why = isInside
    ? 'provided IP is already allocated'
    : 'the provided network does not match the current range';
  const detail2 = `failed to allocate IP ${address}: ${why}`;
  throw invalidService(request, 'spec.clusterIPs', [address], detail2);
}
function allocateNodePorts(request, spec, { services, allocator }, before) {
  if (!needsNodePort(spec)) return;
  const taken = takenPorts(services);
  if (before === void 0) allocateNewPorts(request, spec, allocator, new Set(taken));
  else allocateChangedPorts(request, spec, allocator, { taken: new Set(taken), before });
  if (needsHealthPort(spec)) spec.healthCheckNodePort ??= allocator.allocateNodePort();
}
function allocateNewPorts(request, spec, allocator, taken) {
  const byPort = /* @__PURE__ */ new Map();
  for (const [index, port] of objectsAt(spec, 'ports').entries()) {
    const asked = nodePortOf(port);
    const shared = byPort.get(port.port);
    if (asked !== 0 && asked !== shared) checkNodePort(request, index, asked, taken);
    if (asked === 0 && spec.allocateLoadBalancerNodePorts === false) continue;
    const value = asked === 0 ? (shared ?? allocator.allocateNodePort()) : asked;
    port.nodePort = value;
    taken.add(value);
    byPort.set(port.port, value);
  }
}
function allocateChangedPorts(request, spec, allocator, { taken, before }) {
  const kept = nodePortsOf2(before);
  const ports = objectsAt(spec, 'ports');
  for (const [index, port] of ports.entries()) {
    const asked = nodePortOf(port);
    if (asked === 0 && spec.allocateLoadBalancerNodePorts === false) continue;
    if (asked === 0) port.nodePort = allocator.allocateNodePort();
    else if (!kept.has(asked)) checkNodePort(request, index, asked, taken);
    checkSingle(ports.slice(0, index), port);
  }
}
function checkSingle(earlier, port) {
  const pair = pairOf(port);
  if (earlier.some((one) => pairOf(one) === pair))
    throw failure(500, '', `duplicate nodePort: {${pair}}`);
}
function pairOf(port) {
  return `${textAt(port, 'protocol')} ${nodePortOf(port)}`;
}
function checkNodePort(request, index, port, taken) {
  const isOutside = port < nodePorts.first || port > nodePorts.last;
  if (!isOutside && !taken.has(port)) return;
  const range = `${nodePorts.first}-${nodePorts.last}`;
  const detail2 = isOutside
    ? `provided port is not in the valid range. The range of valid ports is ${range}`
    : 'provided port is already allocated';
  throw invalidService(request, `spec.ports[${index}].nodePort`, port, detail2);
}

// packages/apiserver/src/server/default-plugins.ts
function defaultPlugins(context) {
  const { registry, now, setUsed, range, allocator } = context;
  const core = (plural2) => storeOf(registry, { group: '', version: 'v1', plural: plural2 });
  const of = (group2, plural2) =>
    storeOf(registry, { group: group2, version: 'v1', plural: plural2 });
  const storageClasses = of('storage.k8s.io', 'storageclasses');
  return new AdmissionChain([
    limitRanger(core('limitranges')),
    podSecurity({ namespaces: core('namespaces'), pods: core('pods') }),
    priority(of('scheduling.k8s.io', 'priorityclasses')),
    runtimeClass(of('node.k8s.io', 'runtimeclasses')),
    defaultStorageClass(storageClasses),
    persistentVolumeClaimResize(storageClasses),
    defaultIngressClass(of('networking.k8s.io', 'ingressclasses')),
    resourceQuota({ quotas: core('resourcequotas'), now, setUsed }),
    serviceNetworking({ services: core('services'), range, allocator }),
  ]);
}

// packages/apiserver/src/auth/authorizer.ts
var alwaysAllow = {
  authorize: () => ({ allowed: true, reason: '' }),
};

// packages/apiserver/src/auth/authenticator.ts
import { timingSafeEqual, createHash } from 'node:crypto';
function tokenAuthenticator(options) {
  const users = [...options.tokens].map(([token, user]) => ({ digest: digest(token), user }));
  const userOf = (token) => {
    const wanted2 = digest(token);
    const found = users.find((entry) => timingSafeEqual(entry.digest, wanted2));
    return found && withGroup(found.user);
  };
  return {
    userOf,
    add: (token, user) => void users.push({ digest: digest(token), user }),
    authenticate(authorization) {
      if (authorization === void 0) return options.anonymousAuth ? anonymous : void 0;
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
      return token === void 0 ? void 0 : userOf(token);
    },
  };
}
function withGroup(user) {
  if (user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}
function digest(text3) {
  return createHash('sha256').update(text3).digest();
}

// packages/apiserver/src/storage/sorted-keys.ts
var SortedKeys = class {
  #sorted = [];
  #added = [];
  #removed = /* @__PURE__ */ new Set();
  /** Adds a key that is not present yet. */
  add(key) {
    if (!this.#removed.delete(key)) this.#added.push(key);
  }
  remove(key) {
    this.#removed.add(key);
  }
  /**
   * Returns all keys in ascending order. The caller must not modify the array, which is valid until the next change.
   */
  all() {
    if (this.#added.length > 0 || this.#removed.size > 0) this.#settle();
    return this.#sorted;
  }
  #settle() {
    const kept =
      this.#removed.size === 0
        ? this.#sorted
        : this.#sorted.filter((key) => !this.#removed.has(key));
    const added = this.#added.filter((key) => !this.#removed.has(key)).toSorted(byCodeUnit);
    this.#sorted = merge(kept, added);
    this.#added = [];
    this.#removed = /* @__PURE__ */ new Set();
  }
};
function lowerBound(keys, key) {
  let from = 0;
  let to = keys.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] ?? '') < key) from = middle + 1;
    else to = middle;
  }
  return from;
}
function byCodeUnit(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
function merge(left, right) {
  if (left.length === 0 || right.length === 0) return [...left, ...right];
  const merged2 = [];
  let at2 = 0;
  for (const key of left) {
    for (; at2 < right.length && (right[at2] ?? '') < key; at2++) merged2.push(right[at2] ?? '');
    merged2.push(key);
  }
  for (; at2 < right.length; at2++) merged2.push(right[at2] ?? '');
  return merged2;
}

// packages/apiserver/src/auth/observed/access-record.ts
var MAX_ACCESSES = 1e4;
var MAX_NAMES = 16;
var Entry = class {
  attributes;
  cause;
  /** `undefined` while the resource is not served. */
  isNamespaced;
  names = /* @__PURE__ */ new Set();
  allowed = false;
  refused = false;
  constructor(attributes, cause2) {
    this.attributes = attributes;
    this.cause = cause2;
  }
  addName(name) {
    this.names?.add(name);
    if (this.names !== void 0 && this.names.size > MAX_NAMES) this.names = void 0;
  }
  get observed() {
    const { attributes, cause: cause2 } = this;
    const isRefused = this.refused && !this.allowed;
    if (attributes.kind === 'path') {
      const { kind, verb, path } = attributes;
      return { kind, cause: cause2, verb, path, isRefused };
    }
    const { user: _user, name: _name, ...access } = attributes;
    const names5 = this.names && [...this.names].toSorted(byCodeUnit);
    return {
      ...access,
      cause: cause2,
      isNamespaced: this.isNamespaced ?? false,
      names: names5,
      isRefused,
    };
  }
};
var AccessRecord = class {
  #findScope;
  #users = /* @__PURE__ */ new Map();
  #size = 0;
  constructor(findScope) {
    this.#findScope = findScope;
  }
  /** Records an access. Returns a function that takes the decision of the authorizer. */
  add(attributes, cause2 = 'request') {
    const entry = this.#entry(attributes, cause2);
    if (entry === void 0) return () => {};
    if (attributes.kind === 'resource') {
      entry.addName(attributes.name);
      entry.isNamespaced ??= this.#findScope(attributes.group, attributes.resource);
    }
    return (allowed2) => {
      if (allowed2) entry.allowed = true;
      else entry.refused = true;
    };
  }
  /** The accesses of a user; `undefined` if the user sent no request. */
  of(user) {
    const found = this.#users.get(user);
    if (found === void 0) return void 0;
    const accesses = [...found.entries.values()].map(({ observed }) => observed);
    return { accesses, isComplete: found.isComplete };
  }
  /** The names of the users that sent requests. */
  get users() {
    return [...this.#users.keys()];
  }
  #entry(attributes, cause2) {
    const key = `${cause2} ${keyOf(attributes)}`;
    const user = this.#users.get(attributes.user.name);
    const known2 = user?.entries.get(key);
    if (known2 !== void 0) return known2;
    if (this.#size >= MAX_ACCESSES) {
      if (user !== void 0) user.isComplete = false;
      return void 0;
    }
    this.#size++;
    const entry = new Entry(attributes, cause2);
    const entries = user ?? { entries: /* @__PURE__ */ new Map(), isComplete: true };
    entries.entries.set(key, entry);
    this.#users.set(attributes.user.name, entries);
    return entry;
  }
};
function keyOf(attributes) {
  if (attributes.kind === 'path') return `${attributes.verb} ${attributes.path}`;
  const { verb, group: group2, resource, subresource, namespace } = attributes;
  return `${verb} ${group2}/${resource}/${subresource} ${namespace}`;
}

// packages/apiserver/src/auth/client-certificates.ts
import { TLSSocket } from 'node:tls';
var ClientCertificates = class {
  /** Results by connection: a certificate never changes, and parsing one takes longer than a small request. */
  #found = /* @__PURE__ */ new WeakMap();
  /** Returns `undefined` if the connection has no certificate. */
  find(socket) {
    const known2 = this.#found.get(socket);
    if (known2 !== void 0) return known2.finding;
    const finding = socket instanceof TLSSocket ? findingOf(socket) : void 0;
    this.#found.set(socket, { finding });
    return finding;
  }
};
function findingOf(socket) {
  const { subject, fingerprint256 = '' } = socket.getPeerCertificate();
  if (subject === void 0) return void 0;
  if (!socket.authorized) return 'refused';
  const { CN: name, O: groups } = subject;
  if (typeof name !== 'string' || name === '') return 'refused';
  const credential = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`;
  return {
    name,
    groups: [...[groups ?? []].flat(), authenticatedGroup],
    extra: { 'authentication.kubernetes.io/credential-id': [credential] },
  };
}

// packages/apiserver/src/auth/rbac/policy-store.ts
function policyStore(registry) {
  const parsed4 = /* @__PURE__ */ new WeakMap();
  const resourceOf2 = (plural2) => {
    const group2 = 'rbac.authorization.k8s.io';
    const resource = registry.find({ group: group2, version: 'v1', plural: plural2 });
    if (resource === void 0) throw new Error(`${plural2} are not served`);
    return resource;
  };
  const read6 = (stored) => {
    const known2 = parsed4.get(stored);
    if (known2 !== void 0) return known2;
    const object = stored.parse();
    parsed4.set(stored, object);
    return object;
  };
  const all2 = (plural2) => [...resourceOf2(plural2).store.values()];
  return {
    role(plural2, namespace, name) {
      const stored = resourceOf2(plural2).store.get(keyOfMetadata({ namespace, name }));
      return stored && read6(stored);
    },
    clusterRoles: () => all2('clusterroles').map((stored) => read6(stored)),
    bindings: (plural2, namespace) =>
      all2(plural2)
        .filter(({ metadata }) => namespace === '' || metadata.namespace === namespace)
        .map((stored) => read6(stored)),
  };
}

// packages/apiserver/src/auth/rbac/rbac-authorizer.ts
function rbacAuthorizer(source) {
  return {
    authorize: (attributes) => {
      if (attributes.user.groups.includes(mastersGroup)) return { allowed: true, reason: '' };
      const namespace = attributes.kind === 'resource' ? attributes.namespace : '';
      for (const { rule, because } of grantedRules(source, attributes.user, namespace)) {
        if (ruleAllows(rule, attributes)) return { allowed: true, reason: `RBAC: ${because}` };
      }
      const missing2 = missingRoles(source, attributes.user, namespace);
      return { allowed: false, reason: missing2 === '' ? '' : `RBAC: ${missing2}` };
    },
  };
}
function* grantedRules(source, user, namespace) {
  yield* rulesOf(source, user, source.clusterRoleBindings(), 'ClusterRoleBinding');
  if (namespace === '') return;
  yield* rulesOf(source, user, source.roleBindings(namespace), 'RoleBinding');
}
function missingRoles(source, user, namespace) {
  const bindings2 = [
    ...source.clusterRoleBindings(),
    ...(namespace === '' ? [] : source.roleBindings(namespace)),
  ];
  const missing2 = bindings2
    .filter(({ metadata, subjects: subjects2 = [] }) =>
      subjects2.some((subject) => includesUser(subject, user, metadata.namespace ?? '')),
    )
    .filter(({ metadata, roleRef }) => {
      return rulesBehind(source, roleRef, metadata.namespace ?? '') === void 0;
    })
    .map(({ roleRef: { kind, name } }) => {
      return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
    });
  const distinct2 = [...new Set(missing2)];
  return distinct2.length > 1 ? `[${distinct2.join(', ')}]` : distinct2.join('');
}
function* rulesOf(source, user, bindings2, kind) {
  for (const binding of bindings2) {
    const { name = '', namespace = '' } = binding.metadata;
    const subject = binding.subjects?.find((candidate) => includesUser(candidate, user, namespace));
    if (subject === void 0) continue;
    const { roleRef } = binding;
    const title = namespace === '' ? name : `${name}/${namespace}`;
    const because = `allowed by ${kind} "${title}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${subjectTitle(subject)}"`;
    for (const rule of rulesBehind(source, roleRef, namespace) ?? []) yield { rule, because };
  }
}
function rulesBehind(source, roleRef, namespace) {
  return roleRef.kind === 'ClusterRole'
    ? source.clusterRoleRules(roleRef.name)
    : source.roleRules(namespace, roleRef.name);
}
function includesUser(subject, user, bindingNamespace) {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.name;
    case 'Group':
      return user.groups.includes(subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace ?? bindingNamespace;
      return namespace !== '' && user.name === `system:serviceaccount:${namespace}:${subject.name}`;
    }
    default:
      return false;
  }
}
function subjectTitle(subject) {
  return subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace}` : subject.name;
}
function ruleAllows(rule, attributes) {
  if (!contains(rule.verbs, attributes.verb)) return false;
  return attributes.kind === 'path'
    ? allowsPath(rule, attributes)
    : allowsResource(rule, attributes);
}
function allowsResource(rule, wanted2) {
  const names5 = rule.resourceNames ?? [];
  return (
    contains(rule.apiGroups, wanted2.group) &&
    namesResource(rule.resources ?? [], wanted2) &&
    (names5.length === 0 || names5.includes(wanted2.name))
  );
}
function namesResource(resources, wanted2) {
  const combined =
    wanted2.subresource === '' ? wanted2.resource : `${wanted2.resource}/${wanted2.subresource}`;
  return resources.some(
    (resource) =>
      resource === '*' ||
      resource === combined ||
      (wanted2.subresource !== '' && resource === `*/${wanted2.subresource}`),
  );
}
function allowsPath(rule, wanted2) {
  return (rule.nonResourceURLs ?? []).some(
    (url) =>
      url === '*' ||
      url === wanted2.path ||
      (url.endsWith('*') && wanted2.path.startsWith(url.slice(0, -1))),
  );
}
function contains(list2, wanted2) {
  return list2 !== void 0 && (list2.includes('*') || list2.includes(wanted2));
}

// packages/apiserver/src/auth/service-account-tokens.ts
import {
  createHmac,
  randomBytes,
  randomUUID,
  timingSafeEqual as timingSafeEqual2,
} from 'node:crypto';

// packages/apiserver/src/auth/system-user.ts
import { isDnsLabel, isDnsSubdomain } from '@keelson/apimachinery';
var nodesGroup = 'system:nodes';
function serviceAccountOf(username) {
  const [, namespace = '', name = ''] =
    /^system:serviceaccount:([^:]*):([^:]*)$/.exec(username) ?? [];
  return isDnsLabel(namespace) && isDnsSubdomain(name) ? { namespace, name } : void 0;
}
function serviceAccountGroups(namespace) {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}
function nodeOf(username) {
  const name = /^system:node:(.*)$/.exec(username)?.[1] ?? '';
  return isDnsSubdomain(name) ? name : void 0;
}

// packages/apiserver/src/auth/service-account-tokens.ts
var apiAudience = 'https://kubernetes.default.svc';
var ServiceAccountTokens = class {
  #key = randomBytes(32);
  /** Milliseconds since the epoch. */
  #now;
  #isThere;
  constructor(now, isThere) {
    this.#now = now;
    this.#isThere = isThere;
  }
  issue({ namespace, name, uid, audiences, expires, bound }) {
    const head = encoded({ alg: 'HS256', typ: 'JWT' });
    const claims = encoded({
      iss: 'keelson-apiserver',
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: audiences,
      exp: expires,
      jti: randomUUID(),
      'kubernetes.io': { namespace, serviceaccount: { name, uid }, bound },
    });
    return `${head}.${claims}.${this.#signature(`${head}.${claims}`)}`;
  }
  /**
   * The service account of a token that this server issued for its own audience. Returns `undefined` if an object in
   * the token no longer exists.
   */
  userOf(token) {
    const [head = '', claims = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(`${head}.${claims}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual2(given, expected)) return void 0;
    const payload = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return this.#isGood(payload) ? serviceAccountUser(payload) : void 0;
  }
  #isGood({ aud, exp, 'kubernetes.io': { namespace, serviceaccount, bound } }) {
    if (!aud.includes(apiAudience) || exp * 1e3 <= this.#now()) return false;
    if (!this.#isThere({ plural: 'serviceaccounts', namespace, ...serviceaccount })) return false;
    if (bound === void 0) return true;
    return this.#isThere(bound.plural === 'nodes' ? bound : { ...bound, namespace });
  }
  #signature(text3) {
    return createHmac('sha256', this.#key).update(text3).digest('base64url');
  }
};
function withServiceAccounts(users, tokens2) {
  const userOf = (token) => users.userOf(token) ?? tokens2.userOf(token);
  return {
    userOf,
    authenticate(authorization) {
      const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      return users.authenticate(authorization) ?? (token === void 0 ? void 0 : userOf(token));
    },
  };
}
function serviceAccountUser({ sub: name, jti, 'kubernetes.io': claims }) {
  const { namespace, serviceaccount, bound } = claims;
  return {
    name,
    uid: serviceaccount.uid,
    groups: [...serviceAccountGroups(namespace), authenticatedGroup],
    extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`], ...extraOf(bound) },
  };
}
function extraOf(bound) {
  if (bound === void 0 || bound.plural === 'secrets') return {};
  if (bound.plural === 'nodes') return namesOf2('node', bound);
  return { ...(bound.node && namesOf2('node', bound.node)), ...namesOf2('pod', bound) };
}
function namesOf2(kind, { name, uid }) {
  const prefix2 = `authentication.kubernetes.io/${kind}`;
  return { [`${prefix2}-name`]: [name], ...(uid !== void 0 && { [`${prefix2}-uid`]: [uid] }) };
}
function encoded(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

// packages/apiserver/src/auth/rbac/rbac-source.ts
import { labelRequirementsOf, matchesLabels } from '@keelson/apimachinery';
function rbacSource(store, { aggregates = true } = {}) {
  return {
    clusterRoleRules(name) {
      const role = store.role('clusterroles', '', name);
      return role && (aggregates ? rulesOf2(role, store) : (role.rules ?? []));
    },
    roleRules(namespace, name) {
      const role = store.role('roles', namespace, name);
      return role && (role.rules ?? []);
    },
    clusterRoleBindings: () => store.bindings('clusterrolebindings', ''),
    roleBindings: (namespace) => store.bindings('rolebindings', namespace),
  };
}
function rulesOf2(role, store, visited = /* @__PURE__ */ new Set()) {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (selectors === void 0) return role.rules ?? [];
  const wanted2 = selectors.map(labelRequirementsOf);
  const seen = new Set(visited).add(role.metadata?.name);
  return [...store.clusterRoles()]
    .filter(({ metadata }) => !seen.has(metadata?.name))
    .filter(({ metadata }) => wanted2.some((selector) => matchesLabels(selector, metadata?.labels)))
    .flatMap((candidate) => rulesOf2(candidate, store, seen));
}

// packages/apiserver/src/auth/rbac/write-access.ts
import { StatusError as StatusError2 } from '@keelson/apimachinery';

// packages/apiserver/src/auth/forbidden.ts
function forbiddenStatus(attributes, decision) {
  const because = decision.reason === '' ? '' : `: ${decision.reason}`;
  const user = JSON.stringify(attributes.user.name);
  if (attributes.kind === 'path') {
    return failure2(
      `forbidden: User ${user} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}${because}`,
      {},
    );
  }
  const { group: group2, resource, name } = attributes;
  const subject = group2 === '' ? resource : `${resource}.${group2}`;
  const named = name === '' ? subject : `${subject} ${JSON.stringify(name)}`;
  const message2 = `${named} is forbidden: User ${user} cannot ${attributes.verb} resource ${JSON.stringify(titleOf(attributes))} in API group ${JSON.stringify(group2)} ${scopeOf(attributes)}${because}`;
  return failure2(message2, {
    ...(name !== '' && { name }),
    ...(group2 !== '' && { group: group2 }),
    kind: resource,
  });
}
function failure2(message2, details) {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: message2,
    reason: 'Forbidden',
    details,
    code: 403,
  };
}
function titleOf({ resource, subresource }) {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}
function scopeOf({ namespace }) {
  return namespace === ''
    ? 'at the cluster scope'
    : `in the namespace ${JSON.stringify(namespace)}`;
}

// packages/apiserver/src/auth/rbac/grant-check.ts
import { jsonEquals as jsonEquals4 } from '@keelson/structural-schema';

// packages/apiserver/src/auth/rbac/rule-cover.ts
function uncovered(held, wanted2) {
  return wanted2.flatMap(partsOf).filter((part) => !held.some((rule) => covers(rule, part)));
}
function accessesOfRules(rules4, { user, namespace }) {
  return rules4
    .map(completed)
    .flatMap(partsOf)
    .map((part) => {
      const {
        verbs: verbs2,
        apiGroups,
        resources,
        resourceNames: resourceNames2,
        nonResourceURLs,
      } = part;
      const [verb = ''] = verbs2;
      const [path] = nonResourceURLs ?? [];
      if (path !== void 0) return { kind: 'path', user, verb, path };
      const [resource = '', subresource = ''] = (resources?.[0] ?? '').split(/\/(.*)/s);
      const [[group2 = ''] = [], [name = ''] = []] = [apiGroups, resourceNames2];
      return {
        kind: 'resource',
        user,
        verb,
        group: group2,
        resource,
        subresource,
        namespace,
        name,
      };
    });
}
function completed(rule) {
  return {
    verbs: rule.verbs ?? [],
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    resourceNames: rule.resourceNames ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
  };
}
function partsOf(rule) {
  const {
    verbs: verbs2,
    apiGroups = [],
    resources = [],
    resourceNames: resourceNames2 = [],
    nonResourceURLs = [],
  } = rule;
  const names5 = resourceNames2.length === 0 ? [[]] : resourceNames2.map((name) => [name]);
  const ofResources = apiGroups.flatMap((group2) =>
    resources.flatMap((resource) =>
      verbs2.flatMap((verb) =>
        names5.map((each2) => ({
          apiGroups: [group2],
          resources: [resource],
          resourceNames: each2,
          verbs: [verb],
        })),
      ),
    ),
  );
  const ofUrls = nonResourceURLs.flatMap((url) =>
    verbs2.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...ofResources, ...ofUrls];
}
function covers(rule, part) {
  const { resourceNames: resourceNames2 = [] } = rule;
  const { resourceNames: names5 = [], nonResourceURLs: urls = [] } = part;
  return (
    holdsAll(rule.verbs, part.verbs) &&
    holdsAll(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (resourceNames2.length === 0 ||
      (names5.length > 0 && names5.every((name) => resourceNames2.includes(name)))) &&
    urls.every((url) => (rule.nonResourceURLs ?? []).some((held) => coversUrl(held, url)))
  );
}
function holdsAll(held = [], wanted2 = []) {
  return held.includes('*') || wanted2.every((each2) => held.includes(each2));
}
function coversResource(held, resource) {
  if (held.includes('*') || held.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}
function coversUrl(held, url) {
  return held === url || (held.endsWith('*') && url.startsWith(held.replace(/\*+$/, '')));
}
function printedRules(parts) {
  const merged2 = /* @__PURE__ */ new Map();
  for (const part of parts) {
    const { verbs: verbs2, ...rest } = part;
    const key = JSON.stringify(part.nonResourceURLs === void 0 ? rest : part);
    const before = merged2.get(key)?.verbs ?? [];
    merged2.set(key, { ...rest, verbs: [...before, ...verbs2] });
  }
  const lines = [...merged2.values()].map(printedRule);
  return [...new Set(lines)].toSorted(byCodeUnit).join('\n');
}
function printedRule(rule) {
  const members2 = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const printed2 = members2.flatMap(([name, values = []]) =>
    values.length === 0 ? [] : [`${name}:${quotedList(values)}`],
  );
  return `{${printed2.join(', ')}}`;
}
function quotedList(values) {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

// packages/apiserver/src/auth/rbac/grant-check.ts
var rbacGroup = 'rbac.authorization.k8s.io';
var everything = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
var GrantCheck = class {
  #authorizer;
  #source;
  #accesses;
  constructor({ authorizer, source, accesses }) {
    this.#authorizer = authorizer;
    this.#source = source;
    this.#accesses = accesses;
  }
  /** Throws 403 if the requester would grant permissions that it does not hold. */
  check(grant) {
    const { resource, requester } = grant;
    if (resource.facts.group !== rbacGroup || requester.subresource !== '') return;
    this.#record(grant);
    if (requester.user.groups.includes(mastersGroup)) return;
    if (resource.facts.plural.endsWith('bindings')) this.#checkBinding(grant);
    else this.#checkRole(grant);
  }
  /** A writer with `escalate` or `bind` uses that verb; another one needs what it grants. */
  #record({ resource, object, before, requester }) {
    if (isCollectorsUpdate(object, before)) return;
    const verb = resource.facts.plural.endsWith('bindings') ? 'bind' : 'escalate';
    const { rules: rules4, roleRef } = object;
    const target =
      verb === 'bind'
        ? { resource: roleResources[roleRef?.kind ?? ''] ?? '', name: roleRef?.name ?? '' }
        : { name: object.metadata.name ?? '' };
    const special = { ...requester, verb, group: rbacGroup, ...target };
    const isMaster = requester.user.groups.includes(mastersGroup);
    if (!isMaster && this.#may(special)) {
      this.#accesses.add(special, 'grant');
      return;
    }
    const granted = verb === 'bind' ? this.#rulesBehind(requester.namespace, roleRef) : rules4;
    for (const access of accessesOfRules(granted ?? [], requester)) {
      this.#accesses.add(access, 'grant');
    }
  }
  #rulesBehind(namespace, { kind, name = '' } = {}) {
    if (kind === 'Role') return this.#source.roleRules(namespace, name);
    return kind === 'ClusterRole' ? this.#source.clusterRoleRules(name) : void 0;
  }
  #checkRole(grant) {
    const { object, before, requester } = grant;
    if (this.#may({ ...requester, subresource: '', verb: 'escalate' })) return;
    if (isCollectorsUpdate(object, before)) return;
    const { rules: rules4 } = object;
    this.#confirm(grant, rules4 ?? []);
    if (!isAggregated(object) && !isAggregated(before)) return;
    if (this.#missing(requester, everything).length === 0) return;
    const why = 'must have cluster-admin privileges to use the aggregationRule';
    throw forbidden(grant.resource.subject(object.metadata.name ?? ''), why);
  }
  #checkBinding(grant) {
    const { object, before, requester } = grant;
    if (isCollectorsUpdate(object, before)) return;
    const { roleRef } = object;
    const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
    const reference3 = { apiGroup, kind, name };
    if (this.#mayBind(requester, reference3)) return;
    this.#confirm(grant, this.#rulesOf(grant, reference3));
  }
  #mayBind(requester, { apiGroup, kind, name }) {
    const resource = roleResources[kind];
    if (apiGroup !== rbacGroup || resource === void 0) return false;
    const wanted2 = {
      ...requester,
      verb: 'bind',
      group: apiGroup,
      subresource: '',
      resource,
      name,
    };
    return this.#may(wanted2);
  }
  #rulesOf({ resource, requester }, { kind, name }) {
    if (roleResources[kind] === void 0) {
      throw failure(500, '', `unsupported role reference kind: ${JSON.stringify(kind)}`);
    }
    const { namespace } = requester;
    if (kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
    const rules4 = this.#rulesBehind(namespace, { kind, name });
    if (rules4 === void 0) throw notFound(resource.subject(name));
    return rules4;
  }
  #confirm({ resource, object, requester }, rules4) {
    const missing2 = this.#missing(requester, rules4);
    if (missing2.length === 0) return;
    const { user, namespace } = requester;
    const unresolved = missingRoles(this.#source, user, namespace);
    const why = [
      `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)})`,
      ` is attempting to grant RBAC permissions not currently held:
${printedRules(missing2)}`,
      ...(unresolved === '' ? [] : [`; resolution errors: [${unresolved}]`]),
    ];
    throw forbidden(resource.subject(object.metadata.name ?? ''), why.join(''));
  }
  #missing({ user, namespace }, wanted2) {
    const held = [...grantedRules(this.#source, user, namespace)].map(({ rule }) => rule);
    return uncovered(held, wanted2);
  }
  #may(attributes) {
    return this.#authorizer.authorize(attributes).allowed;
  }
};
var roleResources = {
  ClusterRole: 'clusterroles',
  Role: 'roles',
};
function isAggregated(object) {
  return object?.['aggregationRule'] !== void 0;
}
function isCollectorsUpdate(object, before) {
  return before !== void 0 && jsonEquals4(withoutOwners(object), withoutOwners(before));
}
function withoutOwners(object) {
  const { ownerReferences: _owners, finalizers: _finalizers, ...rest } = object.metadata;
  const { selfLink: _selfLink, managedFields: _managedFields, ...metadata } = rest;
  return { ...object, metadata };
}

// packages/apiserver/src/auth/rbac/owner-access.ts
import { isDeepStrictEqual } from 'node:util';
function recordBlockedOwners({ object, before, requester }, findKind, accesses) {
  const known2 = blockedOwners(before);
  for (const owner of blockedOwners(object)) {
    if (known2.some((each2) => isDeepStrictEqual(each2, owner))) continue;
    const found = findKind(owner.apiVersion, owner.kind);
    if (found === void 0) continue;
    const { group: group2, plural: resource, namespaced } = found;
    const namespace = namespaced ? requester.namespace : '';
    const { name } = owner;
    accesses.add(
      {
        ...requester,
        verb: 'update',
        group: group2,
        resource,
        subresource: 'finalizers',
        namespace,
        name,
      },
      'ownerReference',
    );
  }
}
function blockedOwners(object) {
  const { ownerReferences: owners } = object?.metadata ?? {};
  if (!Array.isArray(owners)) return [];
  return owners.filter((owner) => owner?.blockOwnerDeletion === true);
}

// packages/apiserver/src/auth/rbac/write-access.ts
var WriteAccess = class {
  #authorizer;
  #accesses;
  #findKind;
  /** `undefined` without RBAC: every requester holds every permission. */
  #grants;
  constructor({ authorizer, rbac, accesses, findKind }) {
    this.#authorizer = authorizer;
    this.#accesses = accesses;
    this.#findKind = findKind;
    this.#grants = rbac && new GrantCheck({ authorizer, source: rbac, accesses });
  }
  /** Throws 403 if an apply or PUT would create an object without the permission to create. */
  checkCreate(requester) {
    if (requester.verb === 'create') return;
    const attributes = { ...requester, verb: 'create' };
    const decided = this.#accesses.add(attributes);
    const decision = this.#authorizer.authorize(attributes);
    decided(decision.allowed);
    if (!decision.allowed) throw new StatusError2(forbiddenStatus(attributes, decision));
  }
  /** Throws 403 for a role or binding that grants more than the requester holds. Records the owners of the object. */
  checkObject(grant) {
    recordBlockedOwners(grant, this.#findKind, this.#accesses);
    this.#grants?.check(grant);
  }
};

// packages/apiserver/src/auth/rbac/bootstrap-policy.ts
var read = 'get list watch';
var write = 'create delete deletecollection patch update';
var all = 'create delete deletecollection get list patch update watch';
var roleRows = {
  'system:aggregate-to-admin': [
    ['authorization.k8s.io', 'localsubjectaccessreviews', 'create'],
    ['rbac.authorization.k8s.io', 'rolebindings roles', all],
  ],
  'system:aggregate-to-edit': [
    ['', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy', read],
    ['', 'serviceaccounts', 'impersonate'],
    ['', 'pods pods/attach pods/exec pods/portforward pods/proxy', write],
    ['', 'pods/eviction', 'create'],
    [
      '',
      'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      write,
    ],
    ['', 'serviceaccounts/token', 'create'],
    [' events.k8s.io', 'events', write],
    [
      'apps',
      'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      write,
    ],
    ['autoscaling', 'horizontalpodautoscalers', write],
    ['batch', 'cronjobs jobs', write],
    [
      'extensions',
      'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      write,
    ],
    ['policy', 'poddisruptionbudgets', write],
    ['networking.k8s.io', 'ingresses networkpolicies', write],
    ['coordination.k8s.io', 'leases', all],
    ['resource.k8s.io', 'resourceclaims resourceclaimtemplates', write],
  ],
  'system:aggregate-to-view': [
    [
      '',
      'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      read,
    ],
    [
      '',
      'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      read,
    ],
    ['', 'namespaces', read],
    [' events.k8s.io', 'events', read],
    ['discovery.k8s.io', 'endpointslices', read],
    [
      'apps',
      'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      read,
    ],
    ['autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status', read],
    ['batch', 'cronjobs cronjobs/status jobs jobs/status', read],
    [
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      read,
    ],
    ['policy', 'poddisruptionbudgets poddisruptionbudgets/status', read],
    ['networking.k8s.io', 'ingresses ingresses/status networkpolicies', read],
    ['resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates', read],
  ],
  'system:basic-user': [
    ['authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'create'],
    ['authentication.k8s.io', 'selfsubjectreviews', 'create'],
  ],
  'system:auth-delegator': [
    ['authentication.k8s.io', 'tokenreviews', 'create'],
    ['authorization.k8s.io', 'subjectaccessreviews', 'create'],
  ],
  'cluster-admin': [
    ['*', '*', '*'],
    ['*', '*'],
  ],
  'system:discovery': [
    [
      '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      'get',
    ],
  ],
  'system:public-info-viewer': [['/healthz /livez /readyz /version /version/', 'get']],
  'system:monitoring': [
    [
      '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz',
      'get',
    ],
    ['', 'nodes/metrics', 'get'],
  ],
};
var aggregated = {
  admin: 'system:aggregate-to-admin',
  edit: 'system:aggregate-to-edit',
  view: 'system:aggregate-to-view',
};
var feeds = { edit: 'admin', view: 'edit' };
var bindings = {
  'cluster-admin': ['system:masters'],
  'system:basic-user': ['system:authenticated'],
  'system:discovery': ['system:authenticated'],
  'system:monitoring': ['system:monitoring'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
};
function bootstrapPolicy() {
  return [
    ...Object.keys(roleRows).map((name) => clusterRole(name, { rules: rulesOf3(name) })),
    ...Object.entries(aggregated).map(([name]) => clusterRole(name, aggregation(name))),
    ...Object.entries(bindings).map(([name, groups]) => clusterRoleBinding(name, groups)),
  ];
}
function rulesOf3(name) {
  return (roleRows[name] ?? []).map((row) => {
    const [first = [], second = [], verbs2] = row.map((names5) => names5.split(' '));
    if (verbs2 === void 0) return { nonResourceURLs: first, verbs: second };
    return { apiGroups: first, resources: second, verbs: verbs2 };
  });
}
function aggregation(name) {
  const matchLabels = { [aggregateLabel(name)]: 'true' };
  return { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] }, rules: allRulesOf(name) };
}
function allRulesOf(name) {
  const feeders = Object.keys(feeds).filter((feeder) => feeds[feeder] === name);
  return [...rulesOf3(aggregated[name] ?? ''), ...feeders.flatMap(allRulesOf)];
}
function clusterRole(name, body) {
  const target = feeds[name] ?? Object.keys(aggregated).find((role) => aggregated[role] === name);
  const labels = target === void 0 ? {} : { [aggregateLabel(target)]: 'true' };
  return { ...header('ClusterRole', name, labels), ...body };
}
function clusterRoleBinding(name, groups) {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    ...header('ClusterRoleBinding', name, {}),
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: groups.map((group2) => ({ apiGroup, kind: 'Group', name: group2 })),
  };
}
function header(kind, name, labels) {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: {
      name,
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
  };
}
function aggregateLabel(role) {
  return `rbac.authorization.k8s.io/aggregate-to-${role}`;
}

// packages/apiserver/src/server/bootstrap.ts
var namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];
function bootstrap(registry, writer, options) {
  for (const name of namespaces) {
    create(registry, writer, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  create(registry, writer, kubernetesService(showAddress(options.services.first)));
  for (const priority2 of systemPriorities) create(registry, writer, priority2);
  if (!options.rbac) return;
  for (const policy of bootstrapPolicy()) create(registry, writer, policy);
}
var kubernetesService = (clusterIP) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP,
    clusterIPs: [clusterIP],
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  },
});
var systemPriorities = [
  systemPriority(
    'system-node-critical',
    2000001e3,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  systemPriority(
    'system-cluster-critical',
    2e9,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
];
function systemPriority(name, value, description) {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description,
  };
}
function create(registry, writer, object) {
  const { apiVersion: apiVersion2 = '', kind = '' } = object;
  const resource = registry.byKind(apiVersion2, kind);
  if (resource === void 0) throw new Error(`no resource for ${apiVersion2} ${kind}`);
  const complete2 = { ...structuredClone(object) };
  resource.schema.decode(complete2);
  resource.schema.setDefaults(complete2);
  const options = { dryRun: false, fieldManager: 'kube-apiserver' };
  writer.create(resource, complete2, { options });
}

// packages/apiserver/src/crd/custom-resources.ts
import { jsonEquals as jsonEquals6 } from '@keelson/structural-schema';

// packages/apiserver/src/lifecycle/for-each.ts
function forEach(items, act) {
  throwAll(errorsOf(items, act));
}
function errorsOf(items, act) {
  const errors = [];
  for (const item of items) {
    try {
      act(item);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}
function throwAll(errors) {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} objects failed`);
}

// packages/apiserver/src/schema/clock.ts
var LAST_TIME_MS = 253402300799e3;
function timestamp(now) {
  return `${new Date(Math.min(now, LAST_TIME_MS)).toISOString().slice(0, 19)}Z`;
}

// packages/apiserver/src/resources/deletion-strategy.ts
function builtinDeletion(id) {
  return { ...plainDeletion, ...deletions[id] };
}
var plainDeletion = {
  refusalOf: () => void 0,
  gracePeriodOf: () => 0,
  finalizer: void 0,
  mark: () => {},
  isKept: ({ metadata }) => (metadata.deletionGracePeriodSeconds ?? 0) !== 0,
  showsMark: false,
};
var definitionFinalizer = 'customresourcecleanup.apiextensions.k8s.io';
var deletions = {
  'v1/namespaces': {
    refusalOf: (name) =>
      undeletableNamespaces.has(name) ? 'this namespace may not be deleted' : void 0,
    mark: markNamespace,
    isKept: (namespace) => namespaceFinalizers(namespace).length > 0,
  },
  'v1/pods': { gracePeriodOf: gracePeriodOfPod, showsMark: true },
  'scheduling.k8s.io/v1/priorityclasses': {
    refusalOf: (name) =>
      name.startsWith('system-') ? 'this is a system priority class and cannot be deleted' : void 0,
  },
  'apiextensions.k8s.io/v1/customresourcedefinitions': {
    finalizer: definitionFinalizer,
    mark: markDefinition,
  },
};
var undeletableNamespaces = /* @__PURE__ */ new Set(['default', 'kube-public', 'kube-system']);
function namespaceFinalizers(namespace) {
  const { spec } = namespace;
  return Array.isArray(spec?.finalizers) ? spec.finalizers : [];
}
function gracePeriodOfPod(object, requested) {
  const pod = object;
  if ((pod.spec?.nodeName ?? '') === '') return 0;
  if (['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) return 0;
  return Math.max(0, Number(requested ?? pod.spec?.terminationGracePeriodSeconds ?? 30));
}
function markNamespace(namespace) {
  const { status: status3 } = namespace;
  namespace['status'] = { ...status3, phase: 'Terminating' };
  delete namespace.metadata.deletionGracePeriodSeconds;
}
function markDefinition(definition, now) {
  const { status: status3 } = definition;
  const conditions2 = status3?.conditions ?? [];
  if (conditions2.some(({ type }) => type === 'Terminating')) return;
  const { metadata } = definition;
  delete metadata.deletionGracePeriodSeconds;
  if (metadata.generation !== void 0) metadata.generation -= 1;
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(now),
    reason: 'InstanceDeletionPending',
    message:
      'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  definition['status'] = { ...status3, conditions: [...conditions2, terminating] };
}

// packages/apiserver/src/resources/selectable-fields.ts
import { isJsonNumber } from '@keelson/structural-schema';
function builtinSelectableFields(id) {
  return fieldsOf(builtinPaths[id] ?? []);
}
function fieldsOf(paths) {
  const split = paths.map((path) => [path, path.split('.')]);
  if (split.length === 0) return none;
  return {
    paths,
    valuesOf: (object) =>
      Object.fromEntries(split.map(([path, members2]) => [path, textAt2(object, path, members2)])),
  };
}
var none = { paths: [], valuesOf: () => noValues };
var noValues = {};
function textAt2(object, path, members2) {
  const value = valueAt(object, path === 'source' ? ['source', 'component'] : members2);
  if (typeof value === 'string') return value;
  if (isJsonNumber(value) || typeof value === 'boolean') return String(value);
  return zeroValues[path] ?? '';
}
var zeroValues = {
  'spec.hostNetwork': 'false',
  'spec.unschedulable': 'false',
  'status.replicas': '0',
  'status.successful': '0',
};
function valueAt(object, members2) {
  let value = object;
  for (const member of members2) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, member)) return void 0;
    value = Reflect.get(value, member);
  }
  return value;
}
var involved = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];
var builtinPaths = {
  'v1/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  'v1/nodes': ['spec.unschedulable'],
  'v1/replicationcontrollers': ['status.replicas'],
  'v1/events': [
    ...involved.map((member) => `involvedObject.${member}`),
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'v1/namespaces': ['status.phase'],
  'v1/secrets': ['type'],
  'v1/services': ['spec.clusterIP', 'spec.type'],
  'apps/v1/replicasets': ['status.replicas'],
  'batch/v1/jobs': ['status.successful'],
  'certificates.k8s.io/v1/certificatesigningrequests': ['spec.signerName'],
  'resource.k8s.io/v1/resourceslices': ['spec.nodeName', 'spec.driver'],
};

// packages/apiserver/src/resources/served-resource.ts
import {
  apiVersionOf as apiVersionOf2,
  objectKey as objectKey2,
  resourceId,
} from '@keelson/apimachinery';
import { jsonText } from '@keelson/structural-schema';
var ServedResource = class {
  id;
  apiVersion;
  facts;
  store;
  strategy;
  #conversion;
  #readSchema;
  #head;
  #converted = /* @__PURE__ */ new WeakMap();
  #schema;
  constructor(options) {
    const { schema: schema3, store, strategy, conversion, ...facts } = options;
    this.id = resourceId(facts);
    this.apiVersion = apiVersionOf2(facts);
    this.facts = facts;
    this.store = store;
    this.strategy = strategy;
    this.#readSchema = schema3;
    this.#conversion = conversion;
    this.#head = Buffer.from(this.#headText());
  }
  get schema() {
    this.#schema ??= this.#readSchema();
    return this.#schema;
  }
  subresource(name) {
    return this.facts.subresources.find((subresource) => subresource.name === name);
  }
  /** Returns the key of the object that a URL names. The key of a cluster-scoped object has no namespace. */
  key({ namespace, name }) {
    return objectKey2(this.facts.namespaced ? { namespace, name } : { name });
  }
  subject(name) {
    const { group: group2, plural: plural2, kind } = this.facts;
    return { group: group2, plural: plural2, kind, name };
  }
  /** Returns a new copy of an object in this version, with `apiVersion` and `kind`. */
  read(stored) {
    const { kind } = this.facts;
    const object = stored.parse();
    const served = this.#conversion?.fromStored(object) ?? object;
    return { kind, apiVersion: this.apiVersion, ...served };
  }
  /** Converts an object of this version to the stored form. Takes ownership of the object. */
  toStored(object) {
    return this.#conversion?.toStored(object) ?? object;
  }
  /** Returns the JSON of an object in this version. */
  bytes(stored) {
    return Buffer.concat([this.#head, this.#bodyBytes(stored).subarray(1)]);
  }
  /** Returns the JSON of a list item; items of built-in kinds have no `kind` and `apiVersion`. */
  itemBytes(stored) {
    return this.facts.custom ? this.bytes(stored) : this.#bodyBytes(stored);
  }
  #bodyBytes(stored) {
    if (this.#conversion === void 0) return stored.bytes;
    let bytes = this.#converted.get(stored);
    if (bytes === void 0) {
      bytes = Buffer.from(jsonText(this.#conversion.fromStored(stored.parse())));
      this.#converted.set(stored, bytes);
    }
    return bytes;
  }
  /** The JSON of a typed object starts with its kind; an untyped one has its members in alphabetical order. */
  #headText() {
    const kind = `"kind":${JSON.stringify(this.facts.kind)}`;
    const apiVersion2 = `"apiVersion":${JSON.stringify(this.apiVersion)}`;
    return this.facts.custom ? `{${apiVersion2},${kind},` : `{${kind},${apiVersion2},`;
  }
};

// packages/apiserver/src/resources/version-order.ts
var pattern = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
var stages = ['alpha', 'beta', void 0];
function compareVersions(a, b) {
  const left = pattern.exec(a);
  const right = pattern.exec(b);
  if (left === null || right === null) {
    if (left !== null) return -1;
    if (right !== null) return 1;
    return a < b ? -1 : Number(a > b);
  }
  return (
    stages.indexOf(right[2]) - stages.indexOf(left[2]) ||
    Number(right[1]) - Number(left[1]) ||
    Number(right[3] ?? 0) - Number(left[3] ?? 0)
  );
}

// packages/apiserver/src/resources/strategy.ts
import { jsonEquals as jsonEquals5 } from '@keelson/structural-schema';
function builtinStrategy(id, hasStatus2) {
  const generation = generations[id];
  return {
    hasStatus: hasStatus2,
    firstGeneration: generation?.first ?? 0,
    changesGeneration: (next, current) =>
      generation?.fields.some((path) => differs(next, current, path)) ?? false,
    statusWritesKeepLabels: statusWritesKeepLabels.has(id),
    labelsFollowTemplate: id === 'batch/v1/jobs' || id === 'v1/replicationcontrollers',
    createsOnUpdate: createsOnUpdate.has(id),
    allowsUnconditionalUpdate: !conditionalUpdates.has(id),
    returnsDeleted: returnsDeleted.has(id),
    orphansByDefault: id === 'batch/v1/jobs' || id === 'v1/replicationcontrollers',
    deletion: builtinDeletion(id),
  };
}
function customStrategy(hasStatus2) {
  return {
    hasStatus: hasStatus2,
    firstGeneration: 1,
    changesGeneration: (next, current) => contentDiffers(next, current, hasStatus2),
    statusWritesKeepLabels: true,
    labelsFollowTemplate: false,
    createsOnUpdate: false,
    allowsUnconditionalUpdate: false,
    returnsDeleted: false,
    orphansByDefault: false,
    deletion: plainDeletion,
  };
}
function contentDiffers(next, current, hasStatus2) {
  const ignored = /* @__PURE__ */ new Set([
    'apiVersion',
    'kind',
    'metadata',
    ...(hasStatus2 ? ['status'] : []),
  ]);
  const names5 = /* @__PURE__ */ new Set([...Object.keys(next), ...Object.keys(current)]);
  return [...names5].some((name) => !ignored.has(name) && !jsonEquals5(next[name], current[name]));
}
var bySpec = { first: 1, fields: ['spec'] };
var byWebhooks = { first: 1, fields: ['webhooks'] };
var generations = {
  'v1/pods': bySpec,
  'v1/replicationcontrollers': bySpec,
  'v1/podtemplates': { first: 1, fields: ['template'] },
  'apps/v1/daemonsets': bySpec,
  'apps/v1/deployments': { first: 1, fields: ['spec', 'metadata.annotations'] },
  'apps/v1/replicasets': bySpec,
  'apps/v1/statefulsets': bySpec,
  'batch/v1/cronjobs': bySpec,
  'batch/v1/jobs': bySpec,
  'networking.k8s.io/v1/ingressclasses': bySpec,
  'networking.k8s.io/v1/ingresses': bySpec,
  'networking.k8s.io/v1/networkpolicies': bySpec,
  'policy/v1/poddisruptionbudgets': bySpec,
  'discovery.k8s.io/v1/endpointslices': {
    first: 1,
    fields: ['addressType', 'endpoints', 'ports', 'metadata.labels'],
  },
  'apiextensions.k8s.io/v1/customresourcedefinitions': bySpec,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': bySpec,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': bySpec,
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': byWebhooks,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': bySpec,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': bySpec,
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': byWebhooks,
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': bySpec,
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': bySpec,
  'resource.k8s.io/v1/deviceclasses': bySpec,
  'resource.k8s.io/v1/resourceslices': bySpec,
  'scheduling.k8s.io/v1/priorityclasses': { first: 1, fields: [] },
  'storage.k8s.io/v1/csidrivers': { first: 0, fields: ['spec'] },
};
function differs(next, current, path) {
  return !jsonEquals5(valueAt2(next, path), valueAt2(current, path));
}
function valueAt2(object, path) {
  switch (path) {
    case 'metadata.annotations':
      return object.metadata.annotations;
    case 'metadata.labels':
      return object.metadata.labels;
    default:
      return object[path];
  }
}
var statusWritesKeepLabels = /* @__PURE__ */ new Set(['apps/v1/deployments']);
var createsOnUpdate = /* @__PURE__ */ new Set([
  'v1/endpoints',
  'v1/events',
  'v1/limitranges',
  'v1/services',
  'coordination.k8s.io/v1/leases',
  'events.k8s.io/v1/events',
  'node.k8s.io/v1/runtimeclasses',
  'rbac.authorization.k8s.io/v1/clusterrolebindings',
  'rbac.authorization.k8s.io/v1/clusterroles',
  'rbac.authorization.k8s.io/v1/rolebindings',
  'rbac.authorization.k8s.io/v1/roles',
]);
var conditionalUpdates = /* @__PURE__ */ new Set([
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  'apiextensions.k8s.io/v1/customresourcedefinitions',
  'apiregistration.k8s.io/v1/apiservices',
  'coordination.k8s.io/v1/leases',
  'node.k8s.io/v1/runtimeclasses',
  'policy/v1/poddisruptionbudgets',
  'storage.k8s.io/v1/csidrivers',
  'storage.k8s.io/v1/csinodes',
  'storage.k8s.io/v1/csistoragecapacities',
  'storage.k8s.io/v1/volumeattachments',
]);
var returnsDeleted = /* @__PURE__ */ new Set([
  'v1/namespaces',
  'v1/persistentvolumeclaims',
  'v1/persistentvolumes',
  'v1/pods',
  'v1/podtemplates',
  'v1/resourcequotas',
  'v1/serviceaccounts',
  'v1/services',
  'resource.k8s.io/v1/deviceclasses',
  'resource.k8s.io/v1/resourceclaims',
  'resource.k8s.io/v1/resourceclaimtemplates',
  'resource.k8s.io/v1/resourceslices',
  'storage.k8s.io/v1/csidrivers',
  'storage.k8s.io/v1/csinodes',
  'storage.k8s.io/v1/storageclasses',
  'storage.k8s.io/v1/volumeattachments',
  'storage.k8s.io/v1/volumeattributesclasses',
]);

// packages/apiserver/src/crd/crd-kind-schema.ts
import { StatusError as StatusError3 } from '@keelson/apimachinery';
import {
  celLibrary,
  checkedRules,
  compileRules,
  defaultValues,
  dropNulls,
  isJsonObject as isJsonObject6,
  lazy as lazy3,
  PatternMatcher,
  validateMetadata,
  validateMetadataChange,
  validateValue,
} from '@keelson/structural-schema';

// packages/apiserver/src/data-file.ts
import { readFileSync } from 'node:fs';
function readDataFile(name) {
  return readFileSync(new URL(`../data/${name}`, import.meta.url));
}

// packages/apiserver/src/schema/builtin-types.ts
import { lazy } from '@keelson/structural-schema';

// packages/apiserver/src/schema/schema-type.ts
var untyped = { kind: 'untyped', atomic: false };
var rawJson = { kind: 'untyped', atomic: true };

// packages/apiserver/src/schema/builtin-types.ts
var read2 = lazy(() => JSON.parse(readDataFile('kinds.json').toString()));
var structs = lazy(() => /* @__PURE__ */ new Map());
function builtinType(group2, version, kind) {
  const name = read2().kinds[`${group2}/${version}/${kind}`];
  return name === void 0 ? void 0 : builtinStruct(name);
}
function objectMetaType() {
  return builtinStruct('meta.v1.ObjectMeta');
}
function builtinStruct(name) {
  const known2 = structs().get(name);
  if (known2 !== void 0) return known2;
  const entry = read2().types[name];
  if (entry === void 0) throw new Error(`kinds.json has no type ${name}`);
  const struct = new BuiltinStruct(name, entry, entry.atomic === true);
  structs().set(name, struct);
  return struct;
}
var BuiltinStruct = class {
  kind = 'struct';
  name;
  atomic;
  open = false;
  #entry;
  #fields;
  #present;
  constructor(name, entry, atomic) {
    this.name = name;
    this.atomic = atomic;
    this.#entry = entry;
  }
  get fields() {
    this.#fields ??= fieldsOf2(this.#entry);
    return this.#fields;
  }
  get present() {
    this.#present ??= [...this.fields].filter(
      ([, field]) => field.empty === 'zero' || field.empty === 'null',
    );
    return this.#present;
  }
};
function fieldsOf2(entry) {
  return new Map(
    Object.entries(entry.fields).map(([name, field]) => [
      name,
      typeof field === 'object' && 'type' in field ? fieldOf(field) : fieldOf({ type: field }),
    ]),
  );
}
function fieldOf(entry) {
  const isStruct = typeof entry.type === 'string' && /^[#!]/.test(entry.type);
  return {
    type: typeOf(entry.type),
    required: entry.required === true,
    empty: entry.empty ?? (isStruct ? 'optional' : 'dropped'),
    patch: {
      merge: entry.patch?.includes('merge') === true,
      replace: entry.patch === 'replace',
      retainKeys: entry.patch?.includes('retainKeys') === true,
    },
    ...(entry.default !== void 0 && { default: entry.default }),
    ...(entry.enum !== void 0 && { enum: entry.enum }),
    ...(entry.mergeKey !== void 0 && { mergeKey: entry.mergeKey }),
  };
}
function typeOf(entry) {
  if (typeof entry === 'object') return 'list' in entry ? listOf(entry) : mapOf(entry);
  if (entry.startsWith('#')) return builtinStruct(entry.slice(1));
  if (entry.startsWith('!')) return atomicStruct(entry.slice(1));
  return entry === 'untyped' ? rawJson : { kind: 'scalar', scalar: entry };
}
function listOf(entry) {
  return { kind: 'list', list: entry.list, keys: entry.keys ?? [], item: typeOf(entry.of) };
}
function mapOf(entry) {
  return { kind: 'map', atomic: entry.map === 'atomic', value: typeOf(entry.of) };
}
function atomicStruct(name) {
  const entry = read2().types[name];
  if (entry === void 0) throw new Error(`kinds.json has no type ${name}`);
  return new BuiltinStruct(name, entry, true);
}

// packages/apiserver/src/schema/decode-error.ts
var DecodeError = class extends Error {
  name = 'DecodeError';
  /** The message of Go's converter, which decodes the results of strategic patches and applies. */
  converted;
  constructor(message2, converted = message2) {
    super(message2);
    this.converted = converted;
  }
};

// packages/apiserver/src/schema/decode.ts
import { canonicalQuantity, quantitySyntaxMessage } from '@keelson/cel/internal';

// packages/apiserver/src/json/json-syntax-error.ts
import { isJsonNumber as isJsonNumber2 } from '@keelson/structural-schema';
function jsonSyntaxError(text3) {
  try {
    new Scanner(typeof text3 === 'string' ? Buffer.from(text3) : text3).scan();
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
  return 'invalid JSON';
}
function goKind(value) {
  if (Array.isArray(value)) return 'array';
  if (isJsonNumber2(value)) return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
var space = /* @__PURE__ */ new Set([32, 9, 13, 10]);
var whole = /^(?:0|[1-9]\d*)/;
var Scanner = class {
  #bytes;
  #open = [];
  #at = 0;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  scan() {
    let expected = 'value';
    for (;;) {
      while (space.has(this.#bytes[this.#at] ?? 0)) this.#at++;
      const isEnd = this.#at >= this.#bytes.length;
      if (isEnd && expected === 'end of value' && this.#open.length === 0) return;
      expected = this.#step(expected, this.#peek());
    }
  }
  #step(expected, character) {
    switch (expected) {
      case 'key':
      case 'key or }':
        if (expected === 'key or }' && character === '}') return this.#close();
        if (character !== '"') throw this.#wrong('looking for beginning of object key string');
        this.#string();
        return 'colon';
      case 'colon':
        if (character !== ':') throw this.#wrong('after object key');
        this.#at++;
        return 'value';
      case 'end of value':
        return this.#afterValue(character);
      default:
        if (expected === 'value or ]' && character === ']') return this.#close();
        return this.#value(character);
    }
  }
  #afterValue(character) {
    const inside = this.#open.at(-1);
    if (inside === void 0) throw this.#wrong('after top-level value');
    if (character === (inside === '{' ? '}' : ']')) return this.#close();
    if (character !== ',') {
      throw this.#wrong(inside === '{' ? 'after object key:value pair' : 'after array element');
    }
    this.#at++;
    return inside === '{' ? 'key' : 'value';
  }
  #value(character) {
    if (character === '{' || character === '[') {
      this.#open.push(character);
      this.#at++;
      return character === '{' ? 'key or }' : 'value or ]';
    }
    if (character === '"') this.#string();
    else if (/[-\d]/.test(character)) this.#number();
    else this.#literal(character);
    return 'end of value';
  }
  #close() {
    this.#open.pop();
    this.#at++;
    return 'end of value';
  }
  #literal(first) {
    const literal = ['true', 'false', 'null'].find((word) => word.startsWith(first));
    if (literal === void 0) throw this.#wrong('looking for beginning of value');
    for (const expected of literal) {
      if (this.#peek() !== expected) {
        throw this.#wrong(`in literal ${literal} (expecting '${expected}')`);
      }
      this.#at++;
    }
  }
  #number() {
    if (this.#peek() === '-') this.#at++;
    if (!/\d/.test(this.#peek())) throw this.#wrong('in numeric literal');
    const digits = whole.exec(this.#bytes.toString('latin1', this.#at))?.[0] ?? '';
    this.#at += digits.length;
    if (this.#current() === '.') {
      this.#at++;
      this.#digits('after decimal point in numeric literal');
    }
    if (this.#current().toLowerCase() !== 'e') return;
    this.#at++;
    if (/[-+]/.test(this.#peek())) this.#at++;
    this.#digits('in exponent of numeric literal');
  }
  #digits(context) {
    if (!/\d/.test(this.#peek())) throw this.#wrong(context);
    while (/\d/.test(this.#current())) this.#at++;
  }
  #string() {
    this.#at++;
    for (let character = this.#peek(); character !== '"'; character = this.#peek()) {
      if (character < ' ') throw this.#wrong('in string literal');
      this.#at++;
      if (character === '\\') this.#escape();
    }
    this.#at++;
  }
  #escape() {
    const code = this.#peek();
    if (!/[bfnrt\\/"u]/.test(code)) throw this.#wrong('in string escape code');
    this.#at++;
    for (let count7 = code === 'u' ? 4 : 0; count7 > 0; count7--) {
      if (!/[\da-f]/i.test(this.#peek())) {
        throw this.#wrong('in \\u hexadecimal character escape');
      }
      this.#at++;
    }
  }
  /** The next byte as a character; empty at the end. */
  #current() {
    const byte = this.#bytes[this.#at];
    return byte === void 0 ? '' : String.fromCharCode(byte);
  }
  /** The next byte. Throws at the end of the text. */
  #peek() {
    const character = this.#current();
    if (character === '') throw new SyntaxError('unexpected end of JSON input');
    return character;
  }
  #wrong(context) {
    return new SyntaxError(`invalid character ${quoted2(this.#peek())} ${context}`);
  }
};
var escapes = {
  "'": "'\\''",
  '\\': "'\\\\'",
  '\x07': "'\\a'",
  '\b': "'\\b'",
  '\f': "'\\f'",
  '\n': "'\\n'",
  '\r': "'\\r'",
  '	': "'\\t'",
  '\v': "'\\v'",
};
function quoted2(character) {
  const escape = escapes[character];
  if (escape !== void 0) return escape;
  const code = character.charCodeAt(0);
  if (code < 32 || code === 127) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  return (code > 127 && code < 161) || code === 173
    ? `'\\u${code.toString(16).padStart(4, '0')}'`
    : `'${character}'`;
}

// packages/apiserver/src/schema/decode.ts
import {
  isJsonNumber as isJsonNumber3,
  isJsonObject as isJsonObject3,
  NumberText as NumberText2,
} from '@keelson/structural-schema';

// packages/apiserver/src/schema/time.ts
var rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
var withMicros = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})(Z|[+-]\d\d:\d\d)$/;
function canonicalTime(text3) {
  if (text3 === '') return null;
  if (!rfc3339.test(text3)) throw notATime(text3, '2006-01-02T15:04:05Z07:00', text3, '2006');
  return `${inUtc(text3)}Z`;
}
function canonicalMicroTime(text3) {
  if (text3 === '') return null;
  const fraction = withMicros.exec(text3)?.[1];
  if (fraction === void 0) {
    const rest = rfc3339.test(text3) ? text3.slice(19) : text3;
    const expected = rfc3339.test(text3) ? '.000000' : '2006';
    throw notATime(text3, '2006-01-02T15:04:05.000000Z07:00', rest, expected);
  }
  return `${inUtc(text3)}${fraction}Z`;
}
function inUtc(text3) {
  const date = new Date(text3);
  if (Number.isNaN(date.getTime())) throw new DecodeError(`parsing time "${text3}": out of range`);
  return date.toISOString().slice(0, 19);
}
function notATime(text3, layout, rest, expected) {
  return new DecodeError(
    `parsing time "${text3}" as "${layout}": cannot parse "${rest}" as "${expected}"`,
  );
}

// packages/apiserver/src/json/decode-numbers.ts
import { NumberText } from '@keelson/structural-schema';
var NumberRangeError = class extends SyntaxError {
  name = 'NumberRangeError';
  constructor(text3, target = 'Go value') {
    super(`json: cannot unmarshal number ${text3} into ${target} of type float64`);
  }
};
function decodeNumbers(value, overflow = throwRangeError) {
  if (value instanceof NumberText) return decoded(value, overflow);
  visitNumbers(value, (number2, members2, key) => {
    members2[key] = decoded(number2, overflow);
  });
  return value;
}
function checkRange(value, target) {
  const reject = (text3) => {
    throw new NumberRangeError(text3, target);
  };
  visitNumbers(value, (number2) => decoded(number2, reject));
}
function decoded({ value, text: text3 }, overflow) {
  return Number.isFinite(Number(value)) ? value : overflow(text3);
}
function throwRangeError(text3) {
  throw new NumberRangeError(text3);
}
function visitNumbers(root, visit3) {
  const open = [root];
  while (open.length > 0) {
    const members2 = open.pop();
    if (typeof members2 !== 'object' || members2 === null) continue;
    for (const [key, member] of Object.entries(members2)) {
      if (member instanceof NumberText) visit3(member, members2, key);
      else if (typeof member === 'object') open.push(member);
    }
  }
}

// packages/apiserver/src/schema/decode.ts
function decode(type, object) {
  decodeStruct(type, object, { struct: localName(type.name), path: '' });
}
var keptWhenEmpty = /* @__PURE__ */ new Set(['autoscaling.v2.HPAScalingRules.policies']);
function decodeStruct(type, object, place) {
  for (const key of Object.keys(object)) {
    const field = type.fields.get(key);
    if (field === void 0 || object[key] === null) {
      delete object[key];
      continue;
    }
    const path = place.path === '' ? key : `${place.path}.${key}`;
    const value = decodeValue(field.type, object[key], { struct: place.struct, path });
    const isKept = keptWhenEmpty.has(`${type.name}.${key}`) && Array.isArray(value);
    if (field.empty === 'dropped' && isZero(value) && !isKept) delete object[key];
    else object[key] = value;
  }
  for (const [key, field] of type.present) {
    if (object[key] === void 0) object[key] = zeroOf(field);
  }
}
function decodeValue(type, value, place) {
  switch (type.kind) {
    case 'untyped':
      return decodeNumbers(value);
    case 'scalar':
      return value === null ? zeroScalar(type.scalar) : decodeScalar(type.scalar, value, place);
    case 'list':
      if (value === null) return null;
      if (!Array.isArray(value)) throw mismatch2(value, type, place);
      return value.map((item) => decodeValue(type.item, item, place));
    case 'map':
      if (value === null) return null;
      if (!isJsonObject3(value)) throw mismatch2(value, type, place);
      for (const key of Object.keys(value)) {
        value[key] = decodeValue(type.value, value[key], place);
      }
      return value;
    case 'struct':
      return decodeStructValue(type, value ?? {}, place);
  }
}
function decodeStructValue(type, value, place) {
  if (!isJsonObject3(value)) throw mismatch2(value, type, place);
  decodeStruct(type, value, { struct: localName(type.name), path: place.path });
  return value;
}
function decodeScalar(scalar, value, place) {
  switch (scalar) {
    case 'string':
      return expectType(value, 'string', 'string', place);
    case 'boolean':
      return expectType(value, 'boolean', 'bool', place);
    case 'double':
      return expectDouble(value, place);
    case 'int32':
    case 'int64':
      return expectInteger(value, scalar, place);
    case 'intOrString':
      return typeof value === 'string' ? value : expectInteger(value, 'int32', place);
    case 'bytes':
      return decodeBytes(expectType(value, 'string', '[]uint8', place));
    case 'quantity':
      return decodeQuantity(value);
    case 'time':
      return canonicalTime(expectType(value, 'string', 'string', place));
    case 'microTime':
      return canonicalMicroTime(expectType(value, 'string', 'string', place));
  }
}
function expectType(value, type, goType3, place) {
  if (typeof value !== type) throw cannotUnmarshal(value, goType3, place);
  return value;
}
function expectDouble(value, place) {
  if (!isJsonNumber3(value)) throw cannotUnmarshal(value, 'float64', place);
  const number2 = Number(value);
  if (Number.isFinite(number2)) return number2;
  throw cannotUnmarshal(value, 'float64', place, `number ${String(value)}`);
}
function expectInteger(value, scalar, place) {
  if (!isJsonNumber3(value)) throw cannotUnmarshal(value, scalar, place);
  const number2 = value instanceof NumberText2 ? value.value : value;
  const isWritten = !(value instanceof NumberText2) || value.isInteger;
  if (isWritten && isWhole(number2) && fitsBits(number2, scalar === 'int32' ? 31 : 63)) {
    return number2;
  }
  throw cannotUnmarshal(value, scalar, place, `number ${String(value)}`);
}
function isWhole(number2) {
  return typeof number2 === 'bigint' || Number.isInteger(number2);
}
function fitsBits(number2, bits) {
  return number2 >= -(2 ** bits) && number2 < 2 ** bits;
}
function decodeBytes(text3) {
  const bad = text3.search(/[^A-Za-z0-9+/=\r\n]/);
  if (bad !== -1) throw notBase64(bad);
  const plain3 = text3.replaceAll(/[\r\n]/g, '');
  if (plain3.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(plain3)) {
    throw notBase64(plain3.length - (plain3.length % 4));
  }
  return plain3;
}
function notBase64(at2) {
  const message2 = `illegal base64 data at input byte ${at2}`;
  return new DecodeError(message2, `error decoding from json: ${message2}`);
}
function decodeQuantity(value) {
  const text3 = isJsonNumber3(value) ? String(value) : value;
  const quantity = typeof text3 === 'string' ? canonicalQuantity(text3) : void 0;
  if (quantity === void 0) throw new DecodeError(quantitySyntaxMessage);
  return quantity;
}
function isZero(value) {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
function zeroOf(field) {
  if (field.empty === 'null') return null;
  const { type } = field;
  if (type.kind === 'scalar') return zeroScalar(type.scalar);
  return type.kind === 'struct' ? zeroObject(type) : null;
}
function zeroObject(type) {
  const object = {};
  for (const [key, field] of type.present) object[key] = zeroOf(field);
  return object;
}
function zeroScalar(scalar) {
  switch (scalar) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'quantity':
      return '0';
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'bytes':
    case 'time':
    case 'microTime':
      return null;
  }
}
function mismatch2(value, type, place) {
  const wanted2 = type.kind === 'list' ? 'slice from' : `${type.kind} from`;
  const read6 = convertedKind(value);
  const converted = `cannot restore ${wanted2}${type.kind === 'struct' ? ':' : ''} ${read6}`;
  return new DecodeError(unmarshalText(goKind(value), goTypeOf(type), place), converted);
}
function cannotUnmarshal(value, goType3, place, what = goKind(value)) {
  return new DecodeError(unmarshalText(what, goType3, place), convertText(value, goType3));
}
function unmarshalText(what, goType3, { struct, path }) {
  return `json: cannot unmarshal ${what} into Go struct field ${struct}.${path} of type ${goType3}`;
}
function convertText(value, goType3) {
  if (goType3 === '[]uint8') return `cannot restore slice from ${convertedKind(value)}`;
  const kind = convertedKind(value);
  const isClose = isJsonNumber3(value) && (goType3 !== 'string' || kind === 'int64');
  return isClose && goType3 !== 'bool'
    ? `cannot convert ${kind} to ${goType3}`
    : `unrecognized type: ${goType3}`;
}
function convertedKind(value) {
  if (isJsonNumber3(value))
    return isWhole(value instanceof NumberText2 ? value.value : value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return 'slice';
  return typeof value === 'string' ? 'string' : 'map';
}
function goTypeOf(type) {
  switch (type.kind) {
    case 'struct':
      return type.name.slice(type.name.indexOf('.') + 1);
    case 'list':
      return `[]${goTypeOf(type.item)}`;
    case 'map':
      return `map[string]${goTypeOf(type.value)}`;
    case 'scalar':
      return goScalars[type.scalar];
    case 'untyped':
      return 'interface {}';
  }
}
var goScalars = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
};
function localName(name) {
  return name.slice(name.lastIndexOf('.') + 1);
}

// packages/apiserver/src/schema/prune.ts
import {
  childPath,
  indexPath as indexPath3,
  isJsonObject as isJsonObject4,
} from '@keelson/structural-schema';
function prune(type, value) {
  const removed = [];
  visit(type, value, '', removed);
  return removed;
}
function visit(type, value, path, removed) {
  if (typeof value !== 'object' || value === null) return;
  if (type.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) {
      visit(type.item, item, indexPath3(path, index), removed);
    }
  } else if (isJsonObject4(value)) {
    if (type.kind === 'struct') visitStruct(type, value, path, removed);
    else if (type.kind === 'map') {
      for (const key of Object.keys(value)) {
        visit(type.value, value[key], childPath(path, key), removed);
      }
    }
  }
}
function visitStruct(type, object, path, removed) {
  for (const key of Object.keys(object)) {
    const field = type.fields.get(key);
    if (field !== void 0) {
      visit(field.type, object[key], childPath(path, key), removed);
    } else if (!type.open) {
      delete object[key];
      removed.push(childPath(path, key));
    }
  }
}

// packages/apiserver/src/schema/structural/structural-schema.ts
import { lazy as lazy2 } from '@keelson/structural-schema';
function customResourceType(schema3) {
  const root = schema3 ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return structOf(root, embeddedFields());
}
function typeOfSchema(schema3) {
  if (schema3['x-kubernetes-int-or-string'] === true) return scalarType('intOrString');
  switch (schema3.type) {
    case 'object':
      return objectType(schema3);
    case 'array':
      return listType(schema3);
    case 'string':
      return scalarType('string');
    case 'integer':
      return scalarType('int64');
    case 'number':
      return scalarType('double');
    case 'boolean':
      return scalarType('boolean');
    default:
      return untyped;
  }
}
function objectType(schema3) {
  if (schema3['x-kubernetes-embedded-resource'] === true)
    return structOf(schema3, embeddedFields());
  const { additionalProperties } = schema3;
  if (schema3.properties !== void 0) return structOf(schema3, {});
  if (additionalProperties === true) return untyped;
  if (additionalProperties !== void 0 && additionalProperties !== false) {
    return mapOf2(schema3, additionalProperties);
  }
  return schema3['x-kubernetes-preserve-unknown-fields'] === true ? untyped : structOf(schema3, {});
}
function structOf(schema3, implied) {
  const fields = lazy2(() => {
    const own = Object.entries(schema3.properties ?? {}).map(([name, property]) => [
      name,
      fieldOf2(property, schema3.required?.includes(name) === true),
    ]);
    return new Map([...own, ...Object.entries(implied)]);
  });
  return {
    kind: 'struct',
    name: '',
    atomic: schema3['x-kubernetes-map-type'] === 'atomic',
    open: schema3['x-kubernetes-preserve-unknown-fields'] === true,
    present: [],
    get fields() {
      return fields();
    },
  };
}
function mapOf2(schema3, values) {
  const value = lazy2(() => typeOfSchema(values));
  return {
    kind: 'map',
    atomic: schema3['x-kubernetes-map-type'] === 'atomic',
    get value() {
      return value();
    },
  };
}
function listType(schema3) {
  const item = lazy2(() => typeOfSchema(schema3.items ?? {}));
  const list2 = schema3['x-kubernetes-list-type'];
  return {
    kind: 'list',
    list: list2 === 'map' || list2 === 'set' ? list2 : 'atomic',
    keys: schema3['x-kubernetes-list-map-keys'] ?? [],
    get item() {
      return item();
    },
  };
}
function fieldOf2(schema3, required28) {
  const type = lazy2(() => typeOfSchema(schema3));
  return {
    get type() {
      return type();
    },
    required: required28,
    empty: 'optional',
    patch: { merge: false, retainKeys: false },
    ...(schema3.default !== void 0 && { default: schema3.default }),
  };
}
function scalarType(scalar) {
  return { kind: 'scalar', scalar };
}
function embeddedFields() {
  const plain3 = {
    required: false,
    empty: 'optional',
    patch: { merge: false, retainKeys: false },
  };
  return {
    apiVersion: { ...plain3, type: scalarType('string') },
    kind: { ...plain3, type: scalarType('string') },
    metadata: { ...plain3, type: objectMetaType() },
  };
}

// packages/apiserver/src/crd/validate-scale.ts
import {
  invalid as invalid3,
  isJsonObject as isJsonObject5,
  jsonText as jsonText2,
} from '@keelson/structural-schema';
var MAX_INT32 = 2147483647;
function validateScale(object, paths) {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = paths;
  return [
    ...validateReplicas(object, specReplicasPath),
    ...validateReplicas(object, statusReplicasPath),
    ...(labelSelectorPath === '' ? [] : validateSelector(object, labelSelectorPath)),
  ];
}
function validateReplicas(object, path) {
  const { value, problem } = read3(object, path, 'int64');
  if (problem !== void 0) return [invalid3(path, 0, problem)];
  if (typeof value !== 'number' && typeof value !== 'bigint') return [];
  if (value < 0) return [invalid3(path, value, 'should be a non-negative integer')];
  return value > MAX_INT32
    ? [invalid3(path, value, `should be less than or equal to ${MAX_INT32}`)]
    : [];
}
function validateSelector(object, path) {
  const { problem } = read3(object, path, 'string');
  return problem === void 0 ? [] : [invalid3(path, '', problem)];
}
function read3(object, path, wanted2) {
  const members2 = path.split('.').filter((member) => member !== '');
  let value = object;
  for (const [index, member] of members2.entries()) {
    if (value === void 0) return {};
    if (!isJsonObject5(value)) {
      return inaccessible(members2.slice(0, index + 1), value, 'map[string]interface{}');
    }
    value = value[member];
  }
  if (value === void 0) return {};
  return goType(value) === wanted2 ? { value } : inaccessible(members2, value, wanted2);
}
function inaccessible(members2, value, wanted2) {
  const found = `${goPrint(value)} is of the type ${goType(value)}, expected ${wanted2}`;
  return { problem: `.${members2.join('.')} accessor error: ${found}` };
}
function goType(value) {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
function goPrint(value) {
  if (value === null) return '<nil>';
  return typeof value === 'object' ? jsonText2(value) : String(value);
}

// packages/apiserver/src/crd/crd-kind-schema.ts
function crdKindSchema(definition) {
  return new CustomKindSchema(definition);
}
var CustomKindSchema = class {
  type;
  #definition;
  #patterns = new PatternMatcher();
  /** Compiled on the first validation of an object, since every write is validated. */
  #rules;
  constructor(definition) {
    this.#definition = definition;
    this.type = customResourceType(definition.schema);
    this.#rules = lazy3(() => definition.schema && compileRules(celLibrary(), definition.schema));
  }
  prune(object) {
    return prune(this.type, object);
  }
  /** Decodes only metadata, which has Go types. The schema checks all other fields at validation. */
  decode(object) {
    try {
      decodeNumbers(object);
      const metadata = object.metadata ?? {};
      if (!isJsonObject6(metadata)) throw new DecodeError('metadata is not an object');
      decode(objectMetaType(), metadata);
      object.metadata = metadata;
    } catch (error) {
      if (error instanceof DecodeError || error instanceof NumberRangeError)
        throw this.#undecodable(error);
      throw error;
    }
  }
  setDefaults(object, isApplied = false) {
    const { schema: schema3 } = this.#definition;
    if (schema3 === void 0) return;
    if (!isApplied) dropNulls(schema3, object);
    defaultValues(schema3, object);
  }
  prepareForCreate(object) {
    if (this.#definition.hasStatus) delete object.status;
  }
  validate(object, old, warnings = [], part = 'object') {
    const { causes, ratcheted } = checkedRules(this.#rules(), this.#newCauses(object, old, part), {
      value: object,
      old,
      unchanged: () => false,
    });
    warnings.push(...ratcheted.map(({ field, message: message2 }) => `${field}: ${message2}`));
    return [...causes];
  }
  /** The causes that the write adds. Duplicate list items come last, as in kube-apiserver. */
  #newCauses(object, old, part) {
    const metadata =
      old === void 0 ? validateMetadata(object) : validateMetadataChange(object, old);
    const content2 = this.#validateSchema(object, old);
    const { scale } = this.#definition;
    return [
      ...metadata,
      ...(part === 'status' ? ofStatus(content2) : content2).filter(
        (cause2) => !isDuplicate(cause2),
      ),
      ...(scale === void 0 ? [] : validateScale(object, scale)),
      ...(this.#hadDuplicates(content2, old) ? [] : content2.filter(isDuplicate)),
    ];
  }
  /** True if the old object already has duplicate list items; then duplicates are allowed in every list. */
  #hadDuplicates(content2, old) {
    if (old === void 0 || !content2.some(isDuplicate)) return false;
    return this.#validateSchema(old).some(isDuplicate);
  }
  #validateSchema(object, old) {
    const { schema: schema3 } = this.#definition;
    if (schema3 === void 0) return [];
    const { metadata: _, ...properties } = schema3.properties ?? {};
    const whole2 = { ...schema3, properties };
    return validateValue(whole2, object, '', this.#patterns, old);
  }
  #undecodable(error) {
    const { kind, version } = this.#definition;
    const message2 = `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`;
    return new StatusError3(
      { status: 'Failure', message: message2, reason: 'BadRequest', code: 400 },
      {},
      { cause: error },
    );
  }
};
function ofStatus(causes) {
  return causes
    .filter(({ field = '' }) => /^status\b/.test(field))
    .map((cause2) => {
      const { field = '', message: message2 = '' } = cause2;
      const inner = field.replace(/^status\./, '');
      return { ...cause2, message: message2.replace(`${field} in body`, `${inner} in body`) };
    });
}
function isDuplicate({ reason }) {
  return reason === 'FieldValueDuplicate';
}

// packages/apiserver/src/tables/column-definition.ts
import { brotliDecompressSync } from 'node:zlib';
import { lazy as lazy4 } from '@keelson/structural-schema';
var recorded = lazy4(() => {
  const text3 = brotliDecompressSync(readDataFile('columns.json.br')).toString();
  return JSON.parse(text3);
});
function recordedDefinitions(resourceId4) {
  return recorded()[resourceId4] ?? [];
}
function usualDefinitions() {
  const [name, created] = recordedDefinitions('v1/limitranges');
  if (name === void 0 || created === void 0) throw new Error('columns.json.br is incomplete');
  return { name, created };
}

// packages/apiserver/src/tables/human-duration.ts
var minute = 60;
var hour = 60 * minute;
var day = 24 * hour;
var year = 365 * day;
function humanDuration(seconds) {
  const whole2 = Math.trunc(seconds);
  if (whole2 < -1) return '<invalid>';
  if (whole2 < 0) return '0s';
  if (whole2 < 2 * minute) return `${whole2}s`;
  if (whole2 < 10 * minute) return units(whole2, minute, 'm', 1, 's');
  if (whole2 < 3 * hour) return `${Math.floor(whole2 / minute)}m`;
  if (whole2 < 8 * hour) return units(whole2, hour, 'h', minute, 'm');
  if (whole2 < 2 * day) return `${Math.floor(whole2 / hour)}h`;
  if (whole2 < 8 * day) return units(whole2, day, 'd', hour, 'h');
  if (whole2 < 2 * year) return `${Math.floor(whole2 / day)}d`;
  if (whole2 < 8 * year) return units(whole2, year, 'y', day, 'd');
  return `${Math.floor(whole2 / year)}y`;
}
function units(seconds, large, largeName, small, smallName) {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
function ageOf(timestamp2, now) {
  if (timestamp2 === void 0 || timestamp2 === '') return '<unknown>';
  return humanDuration((now - Date.parse(timestamp2)) / 1e3);
}

// packages/apiserver/src/tables/column.ts
function column(name, cell) {
  return { name, cell };
}
var nameColumn = column('Name', (object) => object.metadata?.name ?? '');
var ageColumn = column('Age', (object, now) => ageOf(object.metadata?.creationTimestamp, now));
var createdAtColumn = column('Created At', (object) => object.metadata?.creationTimestamp ?? '');
function at(object, ...path) {
  let value = object;
  for (const member of path) {
    if (typeof value !== 'object' || value === null) return void 0;
    value = Object.hasOwn(value, member) ? Reflect.get(value, member) : void 0;
  }
  return value;
}
function listAt(object, ...path) {
  const value = at(object, ...path);
  return Array.isArray(value) ? value : [];
}
function numberAt(object, path, otherwise = 0) {
  const value = at(object, ...path);
  return typeof value === 'number' ? value : otherwise;
}
function textAt3(object, path, otherwise = '') {
  const value = at(object, ...path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : otherwise;
}
function orNone(value) {
  return value === '' ? '<none>' : value;
}

// packages/apiserver/src/tables/json-path.ts
var steps =
  /\.((?:\\.|[^.[\]\\])+)|\[(-?\d+)\]|\[(\*)\]|\['((?:\\.|[^'\\])*)'\]|\[\?\(@((?:\.(?:\\.|[^.=\s\\])+)+)\s*==\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\)\]/y;
function parseJsonPath(text3) {
  const found = [];
  const source = text3.replace(/^\{|\}$/g, '').replace(/^\$/, '');
  const pattern2 = new RegExp(steps);
  while (pattern2.lastIndex < source.length) {
    const match = pattern2.exec(source);
    if (match === null) return void 0;
    found.push(stepOf(match));
  }
  return found;
}
function stepOf(match) {
  const [, member, index, all2, quoted4, filter, double2, single, bare] = match;
  if (index !== void 0) return { type: 'index', index: Number(index) };
  if (all2 !== void 0 || member === '*') return { type: 'all' };
  if (filter !== void 0) {
    const path = filter
      .slice(1)
      .split(/(?<!\\)\./)
      .map(unescape);
    return { type: 'filter', path, equals: double2 ?? single ?? bare ?? '' };
  }
  return { type: 'member', name: unescape(member ?? quoted4 ?? '') };
}
function unescape(name) {
  return name.replace(/\\(.)/g, '$1');
}
function evaluateJsonPath(path, root) {
  if (path === void 0) return [];
  return path.reduce((values, step) => values.flatMap((value) => take(value, step)), [root]);
}
function take(value, step) {
  switch (step.type) {
    case 'member':
      return memberOf(value, step.name);
    case 'index':
      return Array.isArray(value) && value.length > 0 ? [value.at(step.index)] : [];
    case 'all':
      return typeof value === 'object' && value !== null ? Object.values(value) : [];
    case 'filter':
      return Array.isArray(value)
        ? value.filter((item) => String(descend(item, step.path)) === step.equals)
        : [];
  }
}
function descend(value, path) {
  return path.reduce((inner, name) => memberOf(inner, name)[0], value);
}
function memberOf(value, name) {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? [Reflect.get(value, name)]
    : [];
}

// packages/apiserver/src/tables/custom-columns.ts
import { jsonText as jsonText3 } from '@keelson/structural-schema';
function customColumns(columns = []) {
  if (columns.length === 0) {
    return { columns: [nameColumn, ageColumn], definitions: () => definitionsOf([agePrinter()]) };
  }
  return {
    columns: [nameColumn, ...columns.map(customColumn)],
    definitions: () => definitionsOf(columns),
  };
}
function definitionsOf(columns) {
  return [usualDefinitions().name, ...columns.map(definitionOf)];
}
function definitionOf(printer) {
  const { name, type, format = '', priority: priority2 = 0, jsonPath } = printer;
  const description =
    printer.description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return { name, type, format, description, priority: priority2 };
}
function agePrinter() {
  const { description } = usualDefinitions().created;
  return { name: 'Age', type: 'date', description, jsonPath: '.metadata.creationTimestamp' };
}
function customColumn(printer) {
  const path = parseJsonPath(printer.jsonPath);
  return column(printer.name, (object, now) =>
    cellOf(evaluateJsonPath(path, object)[0], printer.type, now),
  );
}
function cellOf(value, type, now) {
  if (value === void 0 || value === null) return null;
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now);
    default:
      return typeof value === 'string' ? value : jsonText3(value);
  }
}

// packages/apiserver/src/crd/custom-served.ts
var verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
var subresourceVerbs = ['get', 'patch', 'update'];
function customServed(definition, options) {
  const { versions } = definition.spec;
  const schemas = new Map(versions.map((version) => [version.name, schemaOf(definition, version)]));
  return versions
    .filter((version) => version.served)
    .map((version) => servedVersion(definition, version, schemas, options));
}
function schemaOf({ spec }, version) {
  return crdKindSchema({
    group: spec.group,
    version: version.name,
    kind: spec.names.kind,
    schema: version.schema?.openAPIV3Schema,
    hasStatus: version.subresources?.status !== void 0,
    scale: version.subresources?.scale,
  });
}
function selectablePathsOf(definition) {
  const paths = definition.spec.versions.flatMap((version) => pathsOf(version));
  return [...new Set(paths)];
}
function servedVersion(
  definition,
  version,
  schemas,
  { store, changed, isTerminating, storageHistory },
) {
  const { group: group2, scope, names: names5 } = definition.spec;
  const { plural: plural2, kind, singular = kind.toLowerCase(), listKind = `${kind}List` } = names5;
  const hasStatus2 = version.subresources?.status !== void 0;
  const schema3 = schemas.get(version.name) ?? schemaOf(definition, version);
  const storage = storageVersionOf(definition);
  const storedBy = (object) => schemas.get(versionAt(object, storageHistory) ?? storage);
  return new ServedResource({
    group: group2,
    version: version.name,
    kind,
    listKind,
    plural: plural2,
    singular,
    namespaced: scope === 'Namespaced',
    verbs,
    shortNames: names5.shortNames ?? [],
    categories: names5.categories ?? [],
    subresources: subresourcesOf(definition, version),
    storedAs: { group: group2, version: storage },
    custom: true,
    store,
    isTerminating,
    deprecation: deprecationOf(definition, version),
    strategy: customStrategy(hasStatus2),
    selectablePaths: new Map(pathsOf(version).map((path) => [path, path])),
    columns: customColumns(version.additionalPrinterColumns),
    ...((changed || !version.storage) && { conversion: readThrough(schema3, storedBy) }),
    ...(version.subresources?.scale && { scalePaths: version.subresources.scale }),
    schema: () => schema3,
  });
}
function deprecationOf({ spec }, version) {
  if (version.deprecated !== true) return void 0;
  if (version.deprecationWarning !== void 0) return version.deprecationWarning;
  const show = ({ name }) => `${spec.group}/${name} ${spec.names.kind}`;
  const [newest] = spec.versions
    .filter(({ served, deprecated, name }) => {
      return served && deprecated !== true && compareVersions(name, version.name) < 0;
    })
    .toSorted((one, other) => compareVersions(one.name, other.name));
  const use = newest === void 0 ? '' : `; use ${show(newest)}`;
  return `${show(version)} is deprecated${use}`;
}
function storageVersionOf({ spec }) {
  return spec.versions.find(({ storage }) => storage)?.name ?? '';
}
function versionAt({ metadata }, storageHistory) {
  return storageHistory.find(({ until }) => Number(metadata.resourceVersion) <= until)?.version;
}
function readThrough(schema3, storedBy) {
  return {
    toStored: (object) => object,
    fromStored(object) {
      storedBy(object)?.setDefaults(object);
      schema3.prune(object);
      return object;
    },
  };
}
function pathsOf({ selectableFields = [] }) {
  return selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
}
function subresourcesOf({ spec }, version) {
  const { status: status3, scale } = version.subresources ?? {};
  const { group: group2, names: names5 } = spec;
  const own = { group: group2, version: version.name, kind: names5.kind, verbs: subresourceVerbs };
  const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresourceVerbs };
  return [
    ...(status3 === void 0 ? [] : [{ name: 'status', ...own }]),
    ...(scale === void 0 ? [] : [{ name: 'scale', ...scaleKind }]),
  ];
}
function selectableValues(definition) {
  return fieldsOf(selectablePathsOf(definition)).valuesOf;
}

// packages/apiserver/src/crd/definition.ts
function definitionIn(object) {
  return object;
}
function hasCondition(definition, type) {
  return (definition.status?.conditions ?? []).some(
    (condition) => condition.type === type && condition.status === 'True',
  );
}
function withCondition(conditions2, condition) {
  const present = conditions2.find(({ type }) => type === condition.type);
  if (present === void 0) return [...conditions2, condition];
  const next =
    present.status === condition.status ? { ...condition, ...timeOf(present) } : condition;
  return conditions2.map((other) => (other === present ? next : other));
}
function timeOf({ lastTransitionTime }) {
  return lastTransitionTime === void 0 ? {} : { lastTransitionTime };
}

// packages/apiserver/src/crd/name-acceptance.ts
function acceptedStatus(definition, others, now) {
  const taken = takenNames(definition, others);
  const conflict2 = conflictOf(definition, taken);
  const lastTransitionTime = timestamp(now);
  let conditions2 = definition.status?.conditions ?? [];
  for (const condition of conflict2 === void 0 ? accepted : withConflict(definition, conflict2)) {
    conditions2 = withCondition(conditions2, { ...condition, lastTransitionTime });
  }
  return {
    ...definition.status,
    conditions: [...conditions2],
    acceptedNames: acceptedNames(definition, taken),
    storedVersions: storedVersions(definition),
  };
}
var accepted = [
  { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  },
];
function withConflict(definition, { reason, name }) {
  const message2 = `${JSON.stringify(name)} is already in use`;
  const names5 = { type: 'NamesAccepted', status: 'False', reason, message: message2 };
  if (hasCondition(definition, 'Established')) return [names5];
  return [
    names5,
    {
      type: 'Established',
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    },
  ];
}
function takenNames(definition, others) {
  const granted = others
    .filter((other) => other.spec.group === definition.spec.group)
    .filter((other) => other.metadata?.uid !== definition.metadata?.uid)
    .flatMap(({ status: status3 }) => status3?.acceptedNames ?? []);
  return {
    resources: new Set(granted.flatMap(resourceNames)),
    kinds: new Set(granted.flatMap(kindNames)),
  };
}
function conflictOf({ spec }, { resources, kinds }) {
  const { plural: plural2, kind, singular, listKind, shortNames = [] } = spec.names;
  const checks2 = [
    ['PluralConflict', plural2, resources],
    ['SingularConflict', singular, resources],
    ...shortNames.map((name) => ['ShortNamesConflict', name, resources]),
    ['KindConflict', kind, kinds],
    ['ListKindConflict', listKind, kinds],
  ];
  return checks2
    .flatMap(([reason, name, used]) =>
      name !== void 0 && used.has(name) ? [{ reason, name }] : [],
    )
    .at(-1);
}
function acceptedNames({ spec, status: status3 }, { resources, kinds }) {
  const before = status3?.acceptedNames;
  const { plural: plural2, kind, singular, listKind, shortNames, categories } = spec.names;
  const areFree = !(shortNames ?? []).some((name) => resources.has(name));
  const names5 = {
    plural: resources.has(plural2) ? (before?.plural ?? '') : plural2,
    singular: resources.has(singular ?? '') ? before?.singular : singular,
    shortNames: areFree ? shortNames : before?.shortNames,
    kind: kinds.has(kind) ? (before?.kind ?? '') : kind,
    listKind: kinds.has(listKind ?? '') ? before?.listKind : listKind,
    categories,
  };
  return JSON.parse(JSON.stringify(names5));
}
function resourceNames({ plural: plural2, singular, shortNames = [] }) {
  return [plural2, singular ?? '', ...shortNames].filter((name) => name !== '');
}
function kindNames({ kind, listKind }) {
  return [kind, listKind ?? ''].filter((name) => name !== '');
}
function storedVersions({ spec, status: status3 }) {
  const storage = spec.versions.filter((version) => version.storage).map(({ name }) => name);
  return [.../* @__PURE__ */ new Set([...(status3?.storedVersions ?? []), ...storage])];
}

// packages/apiserver/src/crd/custom-resources.ts
var manager = 'kube-apiserver';
var CustomResources = class {
  #context;
  #serving = /* @__PURE__ */ new Map();
  #stop;
  constructor(context) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, { object, type }) => {
      if (store === context.definitions.store) this.#changed(type, object.key);
      else if (type === 'DELETED') this.#instanceGone(store);
    });
  }
  close() {
    this.#stop();
  }
  /** The served definitions. */
  definitions() {
    return [...this.#serving.keys()].flatMap((name) => {
      const stored = this.#context.definitions.store.get(name);
      return stored === void 0 ? [] : [this.#read(stored)];
    });
  }
  /** Queues the definition. A deletion releases its names, so all definitions of the group are queued too. */
  #changed(type, name) {
    this.#enqueue(name);
    if (type !== 'DELETED') return;
    const group2 = name.slice(name.indexOf('.'));
    for (const { key } of this.#context.definitions.store.values()) {
      if (key.endsWith(group2)) this.#enqueue(key);
    }
  }
  #enqueue(name) {
    this.#context.work.add(`definition ${name}`, () => this.#follow(name));
  }
  #instanceGone(store) {
    const name = `${store.plural}.${store.group}`;
    if (this.#serving.get(name)?.store !== store) return;
    const definition = this.#context.definitions.store.get(name);
    if (definition?.metadata.deletionTimestamp !== void 0) this.#enqueue(name);
  }
  #follow(name) {
    const stored = this.#context.definitions.store.get(name);
    const serving = this.#serving.get(name);
    if (serving !== void 0 && serving.uid !== stored?.metadata.uid) this.#unserve(name, serving);
    if (stored === void 0) return;
    if (stored.metadata.deletionTimestamp !== void 0) this.#remove(stored);
    else this.#accept(stored);
  }
  #accept(stored) {
    const { definitions, writer, now } = this.#context;
    const others = [...definitions.store.values()].map((other) => this.#read(other));
    const updated = writer.update(definitions, {
      key: stored.key,
      scope: 'status',
      options: { dryRun: false, fieldManager: manager },
      next: (current) => {
        return { ...current, status: acceptedStatus(definitionIn(current), others, now()) };
      },
    });
    const definition = this.#read(updated);
    if (hasCondition(definition, 'Established')) this.#serve(stored.key, definition);
  }
  #serve(name, definition) {
    const { storage, registry, definitions } = this.#context;
    const { spec } = definition;
    const before = this.#serving.get(name);
    if (before !== void 0 && jsonEquals6(before.spec, spec)) return;
    const { group: group2, names: names5 } = spec;
    const values = selectableValues(definition);
    const store =
      before?.store ?? storage.createStore({ group: group2, plural: names5.plural }, values);
    if (before !== void 0) store.selectBy(values);
    const changed = before !== void 0;
    const storageHistory = storageHistoryAfter(before, spec, storage.revision);
    const resources = customServed(definition, {
      store,
      changed,
      storageHistory,
      isTerminating: () => definitions.store.get(name)?.metadata.deletionTimestamp !== void 0,
    });
    for (const resource of before?.resources ?? []) registry.remove(resource);
    for (const resource of resources) registry.add(resource);
    const uid = definition.metadata?.uid ?? '';
    this.#serving.set(name, { uid, spec, storageHistory, store, resources });
  }
  #remove(stored) {
    const serving = this.#serving.get(stored.key);
    const [resource] = serving?.resources ?? [];
    if (serving !== void 0 && resource !== void 0) {
      this.#removeInstances(resource);
      if (serving.store.size > 0) return;
    }
    this.#release(stored);
  }
  #removeInstances(resource) {
    const options = {
      dryRun: false,
      propagationPolicy: void 0,
      gracePeriodSeconds: void 0,
      preconditions: {},
    };
    forEach(resource.store.values(), ({ key, metadata }) => {
      if (metadata.deletionTimestamp !== void 0) return;
      this.#context.remover.remove(resource, key, options);
    });
  }
  /** Removes the finalizer, which deletes the definition unless it has other finalizers. */
  #release(stored) {
    const { definitions, writer } = this.#context;
    if (stored.metadata.finalizers?.includes(definitionFinalizer) !== true) return;
    writer.update(definitions, {
      key: stored.key,
      scope: '',
      options: { dryRun: false, fieldManager: manager },
      next: withoutFinalizer,
    });
  }
  #unserve(name, serving) {
    this.#serving.delete(name);
    for (const resource of serving.resources) this.#context.registry.remove(resource);
    this.#context.storage.dropStore(serving.store);
  }
  #read(stored) {
    return definitionIn(this.#context.definitions.read(stored));
  }
};
function storageHistoryAfter(before, spec, until) {
  if (before === void 0) return [];
  const version = storageVersionOf(before);
  if (version === storageVersionOf({ spec })) return before.storageHistory;
  return [...before.storageHistory, { version, until }];
}
function withoutFinalizer(current) {
  const left = current.metadata.finalizers?.filter((name) => name !== definitionFinalizer) ?? [];
  if (left.length > 0) current.metadata.finalizers = left;
  else delete current.metadata.finalizers;
  return current;
}

// packages/apiserver/src/kinds/builtin-resources.ts
import { lazy as lazy5 } from '@keelson/structural-schema';
var read4 = lazy5(() => JSON.parse(readDataFile('resources.json').toString()));
function builtinResources() {
  return read4().resources;
}
function kubernetesVersion() {
  return read4().kubernetes;
}

// packages/apiserver/src/discovery/aggregated-discovery.ts
var aggregatedContentType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
function acceptsAggregated(accept) {
  return (accept ?? '').split(',').some((clause) => {
    const [type, ...parameters2] = clause.split(';').map((part) => part.trim());
    return (
      type === 'application/json' && wanted.every((parameter2) => parameters2.includes(parameter2))
    );
  });
}
var wanted = ['g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'];
function aggregatedDiscovery(registry, core) {
  const groups = registry.groups().filter(({ group: group2 }) => (group2 === '') === core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group: group2, versions }) => ({
      metadata: group2 === '' ? {} : { name: group2 },
      versions: versions.map((version) => ({
        version,
        resources: registry.inVersion(group2, version).map(resourceOf),
        freshness: 'Current',
      })),
    })),
  };
}
function resourceOf({ facts }) {
  const {
    group: group2,
    version,
    kind,
    plural: plural2,
    singular,
    namespaced,
    verbs: verbs2,
    shortNames,
    categories,
  } = facts;
  return {
    resource: plural2,
    responseKind: { group: group2, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbs2,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(facts.subresources.length > 0 && { subresources: facts.subresources.map(subresourceOf) }),
  };
}
function subresourceOf({ name, group: group2, version, kind, verbs: verbs2 }) {
  return { subresource: name, responseKind: { group: group2, version, kind }, verbs: verbs2 };
}

// packages/apiserver/src/discovery/legacy-discovery.ts
import { createHash as createHash2 } from 'node:crypto';
var LegacyDiscovery = class {
  #registry;
  constructor(registry) {
    this.#registry = registry;
  }
  /** `/api`. */
  coreVersions(serverAddress) {
    const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress }];
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs };
  }
  /** `/apis`. */
  groups() {
    const groups = this.#registry.groups().filter(({ group: group2 }) => group2 !== '');
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) };
  }
  /** `/apis/GROUP`; `undefined` if the server serves no version of the group. */
  group(name) {
    const found = this.#registry.groups().find(({ group: group2 }) => group2 === name);
    return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(found) };
  }
  /** `/api/v1` and `/apis/GROUP/VERSION`; `undefined` if the server does not serve the version. */
  resources(group2, version) {
    const served = this.#registry.inVersion(group2, version);
    if (served.length === 0) return void 0;
    const groupVersion = group2 === '' ? version : `${group2}/${version}`;
    const kind = 'APIResourceList';
    const head = group2 === '' ? { kind } : { kind, apiVersion: 'v1' };
    return { ...head, groupVersion, resources: served.flatMap(entriesOf) };
  }
};
function groupOf({ group: group2, versions }) {
  const listed = versions.map((version) => ({ groupVersion: `${group2}/${version}`, version }));
  return { name: group2, versions: listed, preferredVersion: listed[0] };
}
function entriesOf({ facts }) {
  const {
    plural: plural2,
    singular,
    namespaced,
    kind,
    verbs: verbs2,
    shortNames,
    categories,
  } = facts;
  const own = {
    name: plural2,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbs2,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(isStored(verbs2) && { storageVersionHash: storageVersionHash(facts) }),
  };
  const subresources = facts.subresources.map((subresource) => ({
    name: `${plural2}/${subresource.name}`,
    singularName: '',
    namespaced,
    ...foreign(facts, subresource),
    kind: subresource.kind,
    verbs: subresource.verbs,
  }));
  return [own, ...subresources];
}
function foreign(parent, { group: group2, version }) {
  if (group2 === parent.group && version === parent.version) return {};
  return { ...(group2 !== '' && { group: group2 }), version };
}
function isStored(verbs2) {
  return verbs2.includes('get') && verbs2.includes('create');
}
function storageVersionHash({ storedAs, kind }) {
  const type = `${storedAs.group}/${storedAs.version}/${kind}`;
  return createHash2('sha256').update(type).digest().subarray(0, 8).toString('base64');
}

// packages/apiserver/src/http/warning-headers.ts
var MAX_CHARACTERS = 4096;
var MAX_CHARACTERS_OF_ONE = 256;
function warningHeaders(warnings) {
  const texts = [...new Set(warnings)]
    .filter((text3) => text3 !== '')
    .map((text3) => Array.from(text3));
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= MAX_CHARACTERS) return texts.map((text3) => warningHeader(text3.join('')));
  const headers = [];
  let written = 0;
  for (const text3 of texts) {
    if (written >= MAX_CHARACTERS) break;
    const cut = text3.slice(0, MAX_CHARACTERS_OF_ONE);
    written += cut.length;
    headers.push(warningHeader(cut.join('')));
  }
  return headers;
}
function warningHeader(text3) {
  const plain3 = text3.replaceAll(/[\p{Cc}]/gu, ' ').replaceAll(/[\\"]/g, String.raw`\$&`);
  return `299 - "${Buffer.from(plain3).toString('latin1')}"`;
}

// packages/apiserver/src/http/response.ts
function respond(response2, code, body, options = {}) {
  if (response2.headersSent || response2.destroyed) return;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  writeHead(response2, code, { ...options, length: bytes.length });
  response2.end(bytes);
}
function writeHead(response2, code, options) {
  const {
    contentType: contentType2 = 'application/json',
    warnings = [],
    length,
    headers,
  } = options;
  const { cacheControl = 'no-cache, private' } = options;
  response2.writeHead(code, {
    'Content-Type': contentType2,
    'Cache-Control': cacheControl,
    ...(length !== void 0 && { 'Content-Length': length }),
    ...(warnings.length > 0 && { Warning: warningHeaders(warnings) }),
    ...headers,
  });
}
function sendJson(response2, code, value, options = {}) {
  respond(
    response2,
    code,
    `${JSON.stringify(value)}
`,
    options,
  );
}
function sendStatus(response2, error, options = {}) {
  if (response2.headersSent || response2.destroyed) return;
  const status3 = completed2(error.status);
  const seconds = status3.details?.retryAfterSeconds;
  if (seconds !== void 0) response2.setHeader('Retry-After', String(seconds));
  const {
    text: text3 = `${JSON.stringify(status3)}
`,
    ...rest
  } = options;
  respond(response2, status3.code ?? 500, text3, rest);
}
function sendText(response2, code, text3) {
  respond(response2, code, text3, { contentType: 'text/plain; charset=utf-8' });
}
function sendNoSuchPath(response2) {
  response2.setHeader('X-Content-Type-Options', 'nosniff');
  sendText(response2, 404, '404 page not found\n');
}
function completed2(status3) {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, ...status3 };
}

// packages/apiserver/src/server/path-router.ts
var checks = ['ping', 'log', 'etcd'];
var roots = /* @__PURE__ */ new Set([
  '',
  'api',
  'apis',
  'healthz',
  'livez',
  'openapi',
  'readyz',
  'version',
]);
var PathRouter = class {
  #context;
  #discovery;
  constructor(context) {
    this.#context = context;
    this.#discovery = new LegacyDiscovery(context.registry);
  }
  async handle(request) {
    const { path } = request.info;
    if (path.startsWith('/api') && path.includes('//')) throw resourceNotFound();
    if (path.includes('//')) return sendNoSuchPath(request.response);
    const parts = path.split('/').filter((part) => part !== '');
    if (!roots.has(parts[0] ?? '')) return sendNoSuchPath(request.response);
    if (request.method !== 'GET' && !takesAnyMethod(path)) throw methodNotAllowed();
    switch (parts[0]) {
      case void 0:
        return sendJson(request.response, 200, { paths: this.#paths() });
      case 'version':
        return sendJson(request.response, 200, versionInfo());
      case 'healthz':
      case 'livez':
      case 'readyz':
        return sendHealth(request, parts);
      case 'api':
      case 'apis':
        return this.#discover(request, parts);
      default:
        return this.#context.openApi(request);
    }
  }
  #discover(request, parts) {
    const { response: response2 } = request;
    const core = parts[0] === 'api';
    const [group2 = '', version = ''] = core ? ['', parts[1]] : parts.slice(1);
    const isRoot = parts.length === 1;
    if (isRoot && acceptsAggregated(request.headers.accept)) {
      const document = aggregatedDiscovery(this.#context.registry, core);
      const body = `${JSON.stringify(document)}
`;
      return respond(response2, 200, body, { contentType: aggregatedContentType });
    }
    const found = this.#found({ core, isRoot, group: group2, version });
    if (found !== void 0) return sendJson(response2, 200, found);
    if (core || this.#context.registry.servesGroup(group2)) {
      return sendStatus(response2, resourceNotFound());
    }
    return sendNoSuchPath(response2);
  }
  #found(target) {
    if (target.isRoot) {
      return target.core
        ? this.#discovery.coreVersions(this.#context.address())
        : this.#discovery.groups();
    }
    if (target.version !== '') return this.#discovery.resources(target.group, target.version);
    return this.#discovery.group(target.group);
  }
  #paths() {
    const groups = this.#context.registry.groups().filter(({ group: group2 }) => group2 !== '');
    const apis = groups.flatMap(({ group: group2, versions }) => [
      `/apis/${group2}`,
      ...versions.map((version) => `/apis/${group2}/${version}`),
    ]);
    const others = ['/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];
    return ['/api', '/api/v1', '/apis', ...apis.toSorted(), ...others];
  }
};
function takesAnyMethod(path) {
  return /^\/(?:(?:apis\/?|(?:healthz|livez|readyz|openapi)(?:\/.*)?)?)$/.test(path);
}
function sendHealth(request, parts) {
  const [endpoint = '', check3] = parts;
  const isKnown2 = check3 === void 0 ? !request.info.path.endsWith('/') : checks.includes(check3);
  if (!isKnown2) return sendNoSuchPath(request.response);
  if (!request.query.has('verbose')) return sendText(request.response, 200, 'ok');
  const lines = checks.map((name) => `[+]${name} ok`);
  return sendText(
    request.response,
    200,
    `${lines.join('\n')}
${endpoint} check passed
`,
  );
}
function versionInfo() {
  const gitVersion = kubernetesVersion();
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: 'keelson',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: `${process.platform}/${process.arch}`,
  };
}

// packages/apiserver/src/server/request-pipeline.ts
import { StatusError as StatusError5 } from '@keelson/apimachinery';
import { EventEmitter } from 'eventemitter3';

// packages/apiserver/src/auth/impersonation/impersonation.ts
import { StatusError as StatusError4 } from '@keelson/apimachinery';

// packages/apiserver/src/auth/impersonation/impersonation-check.ts
import { checkSubdomain } from '@keelson/cel/internal';
var WILDCARD_FIRST_COUNT = 4;
var authentication = 'authentication.k8s.io';
function* impersonationChecks(mode, wanted2, request) {
  if (mode.name !== void 0) {
    yield { needed: { ...request, verb: `impersonate-on:${mode.name}:${request.verb}` } };
  }
  const right = rightsOf(mode, request.user);
  const group2 = mode.name === void 0 ? '' : authentication;
  yield { needed: right({ group: group2, ...namedIn(mode, wanted2.name) }) };
  if (wanted2.uid) yield { needed: right({ resource: 'uids', name: wanted2.uid }) };
  const isConstrained = mode.name !== void 0;
  yield* groupChecks(
    wanted2.groups,
    (name) => right({ group: group2, resource: 'groups', name }),
    isConstrained,
  );
  yield* extraChecks(wanted2.extra ?? {}, right, isConstrained);
}
function rightsOf({ name: mode }, user) {
  const verb = mode === void 0 ? 'impersonate' : `impersonate:${mode}`;
  const base = { kind: 'resource', user, verb, group: authentication };
  return (wanted2) => ({ ...base, subresource: '', namespace: '', ...wanted2 });
}
function namedIn({ name: mode }, username) {
  const account = serviceAccountOf(username);
  if (account !== void 0) return { resource: 'serviceaccounts', ...account };
  const node = mode === void 0 ? void 0 : nodeOf(username);
  if (node === void 0) return { resource: 'users', name: username };
  return { resource: 'nodes', name: mode === 'associated-node' ? '*' : node };
}
function* groupChecks(groups, rightTo, isConstrained) {
  if (isConstrained && groups.includes('')) {
    yield { needed: rightTo(''), never: 'impersonating the empty string group is not allowed' };
  }
  if (isConstrained && groups.includes(mastersGroup)) {
    const never = `impersonating the ${mastersGroup} group is not allowed`;
    yield { needed: rightTo(mastersGroup), never };
  }
  const or = isConstrained && groups.length >= WILDCARD_FIRST_COUNT ? rightTo('*') : void 0;
  for (const group2 of groups) yield { needed: rightTo(group2), or };
}
function* extraChecks(extra, right, isConstrained) {
  const rightTo = (subresource, name) => right({ resource: 'userextras', subresource, name });
  const pairs = Object.entries(extra).flatMap(([key, values]) =>
    values.map((value) => [key, value]),
  );
  const never = isConstrained ? extraProblem(pairs) : void 0;
  if (never !== void 0) yield { needed: rightTo('', ''), never };
  const or = isConstrained && pairs.length >= WILDCARD_FIRST_COUNT ? rightTo('*', '*') : void 0;
  for (const [key, value] of pairs) yield { needed: rightTo(key, value), or };
}
function extraProblem(pairs) {
  for (const [key, value] of pairs) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const problems = keyProblems(key).map((problem) => `extra.key: Invalid value: ${problem}`);
    if (problems.length > 0) {
      const shown2 = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
      return `impersonating an invalid key in extra is not allowed: ${shown2}`;
    }
    if (value === '') return 'impersonating the empty string value in extra is not allowed';
  }
  return void 0;
}
var pathSyntax = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
var pathPattern = new RegExp(`^${pathSyntax}$`);
function keyProblems(key) {
  const [host = '', path = ''] = key.split(/\/(.*)/s);
  if (host === '' || path === '') {
    return [`${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`];
  }
  const problems = checkSubdomain(host).map((problem) => `${JSON.stringify(host)}: ${problem}`);
  if (pathPattern.test(path)) return problems;
  return [
    ...problems,
    `${JSON.stringify(path)}: Invalid path (regex used for validation is '${pathSyntax}')`,
  ];
}

// packages/apiserver/src/auth/impersonation/impersonation-mode.ts
var widestMode = { name: void 0, isFor: () => true };
var impersonationModes = [
  {
    name: 'associated-node',
    isFor: (wanted2, requester) => {
      const node = nodeOf(wanted2.name);
      return node !== void 0 && hasOnlyName(wanted2) && node === nodeUnder(requester);
    },
  },
  {
    name: 'arbitrary-node',
    isFor: (wanted2) => hasOnlyName(wanted2) && nodeOf(wanted2.name) !== void 0,
  },
  {
    name: 'serviceaccount',
    isFor: (wanted2) => hasOnlyName(wanted2) && serviceAccountOf(wanted2.name) !== void 0,
  },
  {
    name: 'user-info',
    isFor: ({ name }) => nodeOf(name) === void 0 && serviceAccountOf(name) === void 0,
  },
  widestMode,
];
function hasOnlyName({ uid = '', groups, extra = {} }) {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}
function nodeUnder({ name, extra }) {
  if (serviceAccountOf(name) === void 0) return void 0;
  const nodes = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return nodes.length === 1 ? nodes[0] : void 0;
}

// packages/apiserver/src/auth/impersonation/impersonation.ts
var Impersonation = class {
  #authorizer;
  #accesses;
  /**
   * The mode that last allowed each requester. The server tries it first, as kube-apiserver does. It therefore
   * decides the rejection message and whether a node gets the node group. The map grows with the number of
   * requesters, which is small.
   */
  #lastModes = /* @__PURE__ */ new Map();
  constructor(authorizer, accesses) {
    this.#authorizer = authorizer;
    this.#accesses = accesses;
  }
  /** The user whose identity the request assumes. Throws 403 if its requester may not impersonate that user. */
  userFor(wanted2, request) {
    const requester = request.user;
    this.#record(wanted2, request);
    let refusal3;
    for (const mode of this.#modesOf(requester)) {
      if (!mode.isFor(wanted2, requester)) continue;
      const refused4 = this.#refusal(impersonationChecks(mode, wanted2, request));
      if (refused4 === void 0) {
        this.#lastModes.set(requester.name, mode);
        return { ...wanted2, groups: groupsIn(mode, wanted2) };
      }
      refusal3 ??= refused4;
    }
    throw refusal3 ?? unauthorized();
  }
  /** Records the verb `impersonate`, which every server knows, and not the constrained verbs, which are newer. */
  #record(wanted2, request) {
    for (const { needed } of impersonationChecks(widestMode, wanted2, request)) {
      this.#accesses.add(needed);
    }
  }
  #modesOf({ name }) {
    const last = this.#lastModes.get(name);
    if (last === void 0) return impersonationModes;
    return [last, ...impersonationModes.filter((mode) => mode !== last)];
  }
  #refusal(checks2) {
    for (const { needed, or, never } of checks2) {
      const decision =
        never === void 0 ? this.#authorizer.authorize(needed) : { allowed: false, reason: never };
      if (decision.allowed) continue;
      if (or !== void 0 && this.#authorizer.authorize(or).allowed) continue;
      return new StatusError4(forbiddenStatus(needed, decision));
    }
    return void 0;
  }
};
function groupsIn(mode, { name, groups }) {
  const own = groups.length > 0 ? groups : fixedGroups(mode, name);
  if (name === anonymous.name) return withGroup2(own, unauthenticatedGroup);
  return own.includes(unauthenticatedGroup) ? own : withGroup2(own, authenticatedGroup);
}
function fixedGroups({ name: mode }, username) {
  const account = serviceAccountOf(username);
  if (account !== void 0) return serviceAccountGroups(account.namespace);
  return mode !== void 0 && nodeOf(username) !== void 0 ? [nodesGroup] : [];
}
function withGroup2(groups, group2) {
  return groups.includes(group2) ? groups : [...groups, group2];
}

// packages/apiserver/src/auth/impersonation/impersonation-headers.ts
var userHeader = 'impersonate-user';
var uidHeader = 'impersonate-uid';
var groupHeader = 'impersonate-group';
var extraPrefix = 'impersonate-extra-';
function takeWantedUser(incoming) {
  const names5 = Object.keys(incoming.headers).filter(isImpersonation);
  if (names5.length === 0) return void 0;
  const lists2 = incoming.headersDistinct;
  const values = new Map(names5.map((name) => [name, (lists2[name] ?? []).map(utf8)]));
  for (const name of names5) {
    delete incoming.headers[name];
    delete lists2[name];
  }
  return wantedUser(values);
}
function wantedUser(values) {
  const [name = ''] = values.get(userHeader) ?? [];
  const [uid = ''] = values.get(uidHeader) ?? [];
  const groups = values.get(groupHeader) ?? [];
  const extra = extraOf2(values);
  const wanted2 = { name, ...(uid !== '' && { uid }), groups, ...(extra && { extra }) };
  if (name !== '') return wanted2;
  if (uid === '' && groups.length === 0 && extra === void 0) return void 0;
  throw badRequest(`requested ${goSyntax(wanted2)} without impersonating a user name`);
}
function extraOf2(values) {
  const extra = /* @__PURE__ */ new Map();
  for (const [name, list2] of values) {
    if (!name.startsWith(extraPrefix)) continue;
    const key = unescaped(name.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...list2]);
  }
  return extra.size === 0 ? void 0 : Object.fromEntries(extra);
}
function isImpersonation(name) {
  return (
    name === userHeader ||
    name === uidHeader ||
    name === groupHeader ||
    name.startsWith(extraPrefix)
  );
}
function unescaped(key) {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
function utf8(value) {
  return Buffer.from(value, 'latin1').toString();
}
function goSyntax({ name, uid = '', groups, extra }) {
  const entries = Object.entries(extra ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const map = entries.map(([key, values]) => `${JSON.stringify(key)}:${goList(values)}`).join(', ');
  const groupList = groups.length === 0 ? '[]string(nil)' : goList(groups);
  const extraMap = `map[string][]string${extra === void 0 ? '(nil)' : `{${map}}`}`;
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${groupList}, Extra:${extraMap}}`;
}
function goList(values) {
  return `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
}

// packages/apiserver/src/protobuf/special-messages.ts
import { parseExact as parseExact2 } from '@keelson/structural-schema';
var meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
var extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
var specialMessages = {
  [`${meta}.Time`]: (fields) => time(fields, 0),
  [`${meta}.MicroTime`]: (fields) => time(fields, 6),
  [`${meta}.Duration`]: (fields) => `${number(fields, 1) / 1e9}s`,
  [`${meta}.FieldsV1`]: raw,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (fields) => text(fields, 1),
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': (fields) =>
    number(fields, 1) === 0 ? number(fields, 2) : text(fields, 3),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': raw,
  [`${extensions}.JSON`]: raw,
};
var schema = [1, 'schema', `*${extensions}.JSONSchemaProps`];
var alternatives = {
  [`${extensions}.JSONSchemaPropsOrArray`]: [
    schema,
    [2, 'schemas', `[]${extensions}.JSONSchemaProps`],
  ],
  [`${extensions}.JSONSchemaPropsOrBool`]: [
    [2, 'schema', `*${extensions}.JSONSchemaProps`],
    [1, 'allows', '*bool'],
  ],
  [`${extensions}.JSONSchemaPropsOrStringArray`]: [schema, [2, 'names', '[]string']],
};
var varint = 0;
var lengthDelimited = 2;
function rawFields(reader, end) {
  const fields = /* @__PURE__ */ new Map();
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    const type = wireType;
    if (type === varint) fields.set(field, BigInt(reader.int64()));
    else if (type === lengthDelimited) fields.set(field, reader.bytes());
    else reader.skip(wireType, field);
  }
  return fields;
}
function time(fields, digits) {
  if (fields.size === 0) return void 0;
  const seconds = number(fields, 1);
  const instant = new Date(seconds * 1e3).toISOString().slice(0, 19);
  if (digits === 0) return `${instant}Z`;
  const micros = Math.floor(number(fields, 2) / 1e3);
  return `${instant}.${String(micros).padStart(digits, '0')}Z`;
}
function raw(fields) {
  const json = text(fields, 1);
  return json === '' ? void 0 : parseExact2(json);
}
function number(fields, field) {
  const value = fields.get(field);
  return typeof value === 'bigint' ? Number(value) : 0;
}
function text(fields, field) {
  const value = fields.get(field);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : '';
}

// packages/apiserver/src/protobuf/decode-message.ts
import { integerOf } from '@keelson/structural-schema';
function decodeMessage(source, type, end) {
  const { reader, messages } = source;
  const special = specialMessages[type];
  if (special !== void 0) return special(rawFields(reader, end));
  const fields = alternatives[type] ?? messages[type];
  if (fields === void 0) throw new Error(`there is no message ${type}`);
  const members2 = /* @__PURE__ */ Object.create(null);
  while (reader.pos < end) {
    const [number2, wireType] = reader.tag();
    const field = fields.find(([candidate]) => candidate === number2);
    if (field === void 0) reader.skip(wireType, number2);
    else readField(source, field, members2);
  }
  return alternatives[type] === void 0 ? members2 : presentAlternative(members2, fields);
}
function readField(source, [, name, type], members2) {
  if (type.startsWith('[]')) {
    const list2 = (members2[name] ??= []);
    list2.push(readValue(source, type.slice(2)));
    return;
  }
  if (type.startsWith('{}')) {
    const map = (members2[name] ??= /* @__PURE__ */ Object.create(null));
    const [entryKey, value2] = readEntry(source, type.slice(2));
    map[entryKey] = value2;
    return;
  }
  const pointer = type.startsWith('*');
  const value = readValue(source, pointer ? type.slice(1) : type);
  if (name === '') {
    Object.assign(members2, value);
    return;
  }
  if (pointer || !isEmpty2(value)) members2[name] = value;
}
function readValue(source, type) {
  const { reader } = source;
  switch (type) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int':
      return integerOf(BigInt(reader.int64()));
    case 'double':
      return reader.double();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    default:
      return readMessage(source, type);
  }
}
function readMessage(source, type) {
  const { reader } = source;
  const end = reader.uint32() + reader.pos;
  if (!type.startsWith('(')) return decodeMessage(source, type, end);
  const items = [];
  while (reader.pos < end) {
    reader.tag();
    items.push(readValue(source, type.slice(1, -1)));
  }
  return items;
}
function readEntry(source, type) {
  const { reader } = source;
  const end = reader.uint32() + reader.pos;
  let key = '';
  let value = type === 'string' || type === 'bytes' ? '' : void 0;
  while (reader.pos < end) {
    const [number2] = reader.tag();
    if (number2 === 1) key = reader.string();
    else value = readValue(source, type);
  }
  return [key, value];
}
function isEmpty2(value) {
  if (value === void 0 || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
function presentAlternative(members2, fields) {
  const found = fields.find(([, name]) => members2[name] !== void 0);
  return found && members2[found[1]];
}

// packages/apiserver/src/protobuf/messages.ts
import { brotliDecompressSync as brotliDecompressSync2 } from 'node:zlib';
import { lazy as lazy6 } from '@keelson/structural-schema';
var meta2 = 'io.k8s.apimachinery.pkg.apis.meta.v1';
var projections = {
  [`${meta2}.PartialObjectMetadata`]: [[1, 'metadata', `${meta2}.ObjectMeta`]],
  [`${meta2}.PartialObjectMetadataList`]: [
    [1, 'metadata', `${meta2}.ListMeta`],
    [2, 'items', `[]${meta2}.PartialObjectMetadata`],
  ],
};
var readMessages = lazy6(() => ({
  ...JSON.parse(brotliDecompressSync2(readDataFile('messages.json.br')).toString()),
  ...projections,
}));
function messageOf(apiVersion2, kind) {
  const [group2, version] = (apiVersion2.includes('/') ? apiVersion2 : `core/${apiVersion2}`).split(
    '/',
  );
  const names5 = [
    `io.k8s.api.${group2?.split('.', 1)[0]}.${version}.${kind}`,
    `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${kind}`,
    `io.k8s.apimachinery.pkg.apis.meta.${version}.${kind}`,
  ];
  return names5.find((name) => readMessages()[name] !== void 0);
}

// packages/apiserver/src/protobuf/decode-protobuf.ts
var protobufMediaType = 'application/vnd.kubernetes.protobuf';
var magic = Buffer.from('k8s\0');
async function decodeProtobuf(body) {
  if (!body.subarray(0, magic.length).equals(magic)) return void 0;
  const { BinaryReader } = await import('@bufbuild/protobuf/wire');
  const reader = new BinaryReader(body.subarray(magic.length));
  let apiVersion2 = '';
  let kind = '';
  let raw3 = new Uint8Array();
  while (reader.pos < reader.len) {
    const [number2, wireType] = reader.tag();
    if (number2 === 1) {
      const end = reader.uint32() + reader.pos;
      while (reader.pos < end) {
        const [inner] = reader.tag();
        if (inner === 1) apiVersion2 = reader.string();
        else kind = reader.string();
      }
    } else if (number2 === 2) raw3 = reader.bytes();
    else reader.skip(wireType, number2);
  }
  const type = messageOf(apiVersion2, kind);
  if (type === void 0) return void 0;
  const source = { messages: readMessages(), reader: new BinaryReader(raw3) };
  return { apiVersion: apiVersion2, kind, ...decodeMessage(source, type, raw3.length) };
}

// packages/apiserver/src/protobuf/protobuf-encoder.ts
import { lazy as lazy7 } from '@keelson/structural-schema';

// packages/apiserver/src/protobuf/encode-special.ts
import { parseDuration as parseDuration2 } from '@keelson/apimachinery';
import { jsonText as jsonText4 } from '@keelson/structural-schema';
var meta3 = 'io.k8s.apimachinery.pkg.apis.meta.v1';
var extensions2 = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
var schemaProps = `${extensions2}.JSONSchemaProps`;
var specialEncoders = {
  [`${meta3}.Time`]: time2,
  [`${meta3}.MicroTime`]: time2,
  [`${meta3}.Duration`]: (sink, value) =>
    sink.writer.int(1, parseDuration2(String(value), 'duration') * 1e6),
  [`${meta3}.FieldsV1`]: raw2,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': (sink, value) =>
    sink.writer.text(1, String(value)),
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': raw2,
  [`${extensions2}.JSON`]: raw2,
  [`${extensions2}.JSONSchemaPropsOrArray`]: (sink, value) => {
    if (!Array.isArray(value)) sink.message(1, schemaProps, value);
    else for (const item of value) sink.message(2, schemaProps, item);
  },
  [`${extensions2}.JSONSchemaPropsOrBool`]: (sink, value) => {
    sink.writer.bool(1, value !== false);
    if (typeof value !== 'boolean') sink.message(2, schemaProps, value);
  },
  [`${extensions2}.JSONSchemaPropsOrStringArray`]: (sink, value) => {
    if (!Array.isArray(value)) sink.message(1, schemaProps, value);
    else for (const name of value) sink.writer.text(2, String(name));
  },
};
function time2(sink, value) {
  const [, fraction = ''] = /\.(\d+)/.exec(String(value)) ?? [];
  sink.writer.int(1, Math.floor(Date.parse(String(value)) / 1e3));
  sink.writer.int(2, Number(fraction.padEnd(9, '0').slice(0, 9)));
}
function intOrString(sink, value) {
  const isText2 = typeof value === 'string';
  sink.writer.int(1, isText2 ? 1 : 0);
  if (isText2) sink.writer.text(3, value);
  else sink.writer.int(2, Number(value));
}
function raw2(sink, value) {
  sink.writer.text(1, jsonText4(value));
}

// packages/apiserver/src/protobuf/encode-message.ts
var MessageEncoder = class {
  writer;
  #messages;
  constructor(messages, writer) {
    this.#messages = messages;
    this.writer = writer;
  }
  /** Writes the fields of a message without its tag and length. */
  inside(type, value) {
    const special = specialEncoders[type];
    if (special !== void 0) {
      special(this, value);
      return;
    }
    const fields = this.#messages[type];
    if (fields === void 0) throw new Error(`there is no message ${type}`);
    for (const field of fields) this.#field(field, value);
  }
  message(number2, type, value) {
    this.writer.message(number2, () => this.inside(type, value));
  }
  #field([number2, name, type], members2) {
    const value = name === '' ? members2 : members2[name];
    if (value === void 0 || value === null) return;
    if (type.startsWith('[]')) {
      for (const item of value) this.#value(number2, type.slice(2), item);
    } else if (type.startsWith('{}')) {
      for (const [key, item] of Object.entries(value)) {
        this.writer.message(number2, () => this.#entry(type.slice(2), key, item));
      }
    } else this.#value(number2, type.startsWith('*') ? type.slice(1) : type, value);
  }
  #entry(type, key, value) {
    this.writer.text(1, key);
    this.#value(2, type, value);
  }
  #value(number2, type, value) {
    switch (type) {
      case 'string':
        return this.writer.text(number2, String(value));
      case 'bool':
        return this.writer.bool(number2, value === true);
      case 'int':
        return this.writer.int(number2, typeof value === 'bigint' ? value : Number(value));
      case 'double':
        return this.writer.double(number2, Number(value));
      case 'bytes':
        return this.writer.bytes(number2, Buffer.from(String(value), 'base64'));
      default:
        return this.#inner(number2, type, value);
    }
  }
  /** A type `(t)` is a message whose only field is a list of `t`. */
  #inner(number2, type, value) {
    if (!type.startsWith('(')) {
      this.message(number2, type, value);
      return;
    }
    this.writer.message(number2, () => {
      for (const item of value) this.#value(1, type.slice(1, -1), item);
    });
  }
};

// packages/apiserver/src/protobuf/wire-writer.ts
var WireWriter = class {
  #writer;
  #types;
  constructor(wire) {
    this.#writer = new wire.BinaryWriter();
    this.#types = wire.WireType;
  }
  text(number2, value) {
    this.#writer.tag(number2, this.#types.LengthDelimited).string(value);
  }
  bytes(number2, value) {
    this.#writer.tag(number2, this.#types.LengthDelimited).bytes(value);
  }
  bool(number2, value) {
    this.#writer.tag(number2, this.#types.Varint).bool(value);
  }
  int(number2, value) {
    this.#writer.tag(number2, this.#types.Varint).int64(value);
  }
  double(number2, value) {
    this.#writer.tag(number2, this.#types.Bit64).double(value);
  }
  /** Writes a message that contains the fields written by `write`. */
  message(number2, write2) {
    this.#writer.tag(number2, this.#types.LengthDelimited).fork();
    write2();
    this.#writer.join();
  }
  finish() {
    return this.#writer.finish();
  }
};

// packages/apiserver/src/protobuf/protobuf-encoder.ts
var listMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
var ProtobufEncoder = class {
  #wire;
  /** Use `loadProtobufEncoder`. */
  constructor(wire) {
    this.#wire = wire;
  }
  /** Encodes an object in its envelope. */
  object(object) {
    return this.enveloped(object, this.item(object));
  }
  /** Adds the envelope to an encoded object: the magic number and a `runtime.Unknown`. */
  enveloped({ apiVersion: apiVersion2 = '', kind = '' }, raw3) {
    const writer = new WireWriter(this.#wire);
    writer.message(1, () => {
      writer.text(1, apiVersion2);
      writer.text(2, kind);
    });
    writer.bytes(2, raw3);
    return Buffer.concat([magic, writer.finish()]);
  }
  /** Encodes an object as a list item, without envelope. */
  item(object) {
    const { apiVersion: apiVersion2 = '', kind = '' } = object;
    const type = messageOf(apiVersion2, kind);
    if (type === void 0) throw new Error(`there is no protobuf of ${apiVersion2} ${kind}`);
    const encoder = this.#encoder();
    encoder.inside(type, object);
    return encoder.writer.finish();
  }
  /** Encodes a list in its envelope. */
  list({ metadata, items, ...kind }) {
    const encoder = this.#encoder();
    encoder.message(1, listMeta, metadata);
    for (const item of items) encoder.writer.bytes(2, item);
    return this.enveloped(kind, encoder.writer.finish());
  }
  /** Encodes a watch event around an object in its envelope; a length of four bytes precedes it. */
  watchEvent(type, object) {
    const writer = new WireWriter(this.#wire);
    writer.text(1, type);
    writer.message(2, () => writer.bytes(1, object));
    const event = writer.finish();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  }
  #encoder() {
    return new MessageEncoder(readMessages(), new WireWriter(this.#wire));
  }
};
var loadProtobufEncoder = lazy7(
  async () => new ProtobufEncoder(await import('@bufbuild/protobuf/wire')),
);
function hasProtobuf({ apiVersion: apiVersion2 = '', kind = '' }) {
  return messageOf(apiVersion2, kind) !== void 0;
}

// packages/apiserver/src/json/parse-json.ts
import { parseNumbers } from '@keelson/structural-schema';
var MAX_NESTING = 1e4;
var NestingError = class extends SyntaxError {
  name = 'NestingError';
  constructor(character) {
    super(`invalid character '${character}' exceeded max depth`);
  }
};
function isStackOverflow(error) {
  return error instanceof RangeError && error.message.startsWith('Maximum call stack');
}
function parseJson(text3) {
  const character = tooDeep(text3);
  if (character !== void 0) throw new NestingError(character);
  try {
    return parseNumbers(text3);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(jsonSyntaxError(text3), { cause: error });
  }
}
var quote = 34;
var backslash = 92;
var isCurly = 32;
var opening = 91;
var closing = 93;
function tooDeep(text3) {
  if (text3.length <= MAX_NESTING) return void 0;
  let depth = 0;
  for (let at2 = 0; at2 < text3.length; at2++) {
    const code = text3.charCodeAt(at2);
    if (code === quote) at2 = endOfString(text3, at2);
    else if ((code & ~isCurly) === opening && ++depth > MAX_NESTING) return text3[at2];
    else if ((code & ~isCurly) === closing) depth--;
  }
  return void 0;
}
function endOfString(text3, start) {
  for (let end = text3.indexOf('"', start + 1); end >= 0; end = text3.indexOf('"', end + 1)) {
    let first = end;
    while (text3.charCodeAt(first - 1) === backslash) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text3.length;
}

// packages/apiserver/src/http/access.ts
function attributesOf(info, user) {
  if (info.type === 'path') return { kind: 'path', user, verb: info.verb, path: info.path };
  return resourceAttributesOf(info, user);
}
function resourceAttributesOf(info, user) {
  const { verb, group: group2, resource, subresource, namespace, selectedName } = info;
  const name = info.name === '' ? selectedName : info.name;
  return { kind: 'resource', user, verb, group: group2, resource, subresource, namespace, name };
}

// packages/apiserver/src/http/break-connection.ts
import { constants } from 'node:http2';
import { TLSSocket as TLSSocket2 } from 'node:tls';

// packages/apiserver/src/http/http2-messages.ts
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
var Http2Request = class extends Http2ServerRequest {
  #distinct;
  /** The values of each header in their order. */
  get headersDistinct() {
    if (this.#distinct !== void 0) return this.#distinct;
    const lists2 = {};
    const raw3 = this.rawHeaders;
    for (let at2 = 0; at2 < raw3.length; at2 += 2) {
      const [name = '', value = ''] = raw3.slice(at2, at2 + 2);
      (lists2[name] ??= []).push(value);
    }
    return (this.#distinct = lists2);
  }
};
var Http2Response = class extends Http2ServerResponse {
  constructor(stream) {
    super(stream);
    Object.defineProperty(this, 'destroyed', { get: () => stream.destroyed });
  }
};

// packages/apiserver/src/http/break-connection.ts
function breakResponse(response2) {
  if (isHttp2(response2)) {
    response2.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  const { socket } = response2;
  if (socket instanceof TLSSocket2) socket.destroy();
  else socket?.resetAndDestroy();
}
function isHttp2(response2) {
  return response2 instanceof Http2Response;
}

// packages/apiserver/src/http/request-body.ts
var MAX_BODY_BYTES = 3 * 1024 * 1024;
async function readBody(request) {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = chunk;
    length += bytes.length;
    if (length > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
    chunks.push(bytes);
  }
  return chunks.length === 1 && chunks[0] !== void 0 ? chunks[0] : Buffer.concat(chunks);
}

// packages/apiserver/src/http/api-request.ts
var ApiRequest = class {
  info;
  query;
  user;
  incoming;
  response;
  /** Texts for `Warning` headers, also of error responses. Handlers append until the response is sent. */
  warnings;
  constructor(parts) {
    this.warnings = parts.warnings;
    this.info = parts.info;
    this.query = parts.query;
    this.user = parts.user;
    this.incoming = parts.incoming;
    this.response = parts.response;
  }
  get headers() {
    return this.incoming.headers;
  }
  get method() {
    return this.incoming.method ?? 'GET';
  }
  body() {
    return readBody(this.incoming);
  }
};

// packages/apiserver/src/http/media-type.ts
var formats = {
  '*/*': 'json',
  'application/json': 'json',
  'application/yaml': 'yaml',
  [protobufMediaType]: 'protobuf',
};
var projections2 = /* @__PURE__ */ new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);
function negotiate(accept, hasProtobuf2) {
  if (accept === void 0 || accept.trim() === '') return { format: 'json', pretty: false };
  for (const clause of accept.split(',')) {
    const mediaType = parseClause(clause);
    if (mediaType === void 0) continue;
    if (mediaType.format !== 'protobuf' || isInProtobuf(mediaType, hasProtobuf2)) return mediaType;
  }
  return void 0;
}
function namesForm(accept) {
  const types3 = accept.split(',').map((clause) => clause.split(';', 1)[0]?.trim() ?? '');
  return types3.some((type) => Object.hasOwn(formats, type));
}
function isInProtobuf({ as }, hasProtobuf2) {
  return as === void 0 ? hasProtobuf2() : as !== 'Table';
}
function parseClause(clause) {
  const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
  const format = Object.hasOwn(formats, type) ? formats[type] : void 0;
  if (format === void 0) return void 0;
  const parameters2 = new Map(rest.map((text3) => splitOnce(text3)));
  const pretty = parameters2.get('pretty') === '1';
  const as = parameters2.get('as');
  if (as === void 0) return { format, pretty };
  const known2 = parameters2.get('g') === 'meta.k8s.io' && parameters2.get('v') === 'v1';
  if (!known2 || !projections2.has(as)) return void 0;
  return { format, pretty, as };
}
function splitOnce(text3) {
  const at2 = text3.indexOf('=');
  return at2 < 0 ? [text3, ''] : [text3.slice(0, at2).trim(), text3.slice(at2 + 1).trim()];
}
function contentTypeOf(header2 = '') {
  return (contentType.exec(header2)?.[1] ?? header2).trim().toLowerCase();
}
var contentType = /^([^;]*)(?:;\s*[^\s;=]+=(?:"[^"]*"|[^\s;"]+)\s*)*;?\s*$/;

// packages/apiserver/src/http/request-info.ts
import { parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery';
var namespaceSubresources = /* @__PURE__ */ new Set(['status', 'finalize']);
function parseRequestInfo(method, path, query) {
  const parts = decodedParts(path);
  if (parts === void 0) return void 0;
  const target = targetOf(inAllNamespaces(method, parts));
  if (target === void 0) return { type: 'path', path, verb: method.toLowerCase() };
  const { watches, ...names5 } = target;
  const verb = watches ? 'watch' : verbOf(method, target.name, query);
  const isRead = method === 'GET' || method === 'HEAD';
  const selectedName = isRead && !watches && names5.name === '' ? selectedNameOf(query) : '';
  return { type: 'resource', path, verb, selectedName, ...names5 };
}
function decodedParts(path) {
  try {
    const decoded2 = decodeURIComponent(path).replace(/^\//, '').replace(/\/$/, '');
    return decoded2 === '' ? [] : decoded2.split('/');
  } catch {
    return void 0;
  }
}
function inAllNamespaces(method, parts) {
  const [scope, namespace] = parts.slice(-3);
  const isEmpty4 = method === 'GET' && scope === 'namespaces' && namespace === '';
  return isEmpty4 ? [...parts.slice(0, -3), ...parts.slice(-1)] : parts;
}
function targetOf(parts) {
  if (parts.includes('')) return void 0;
  const legacy = parts[0] === 'api';
  if (!legacy && parts[0] !== 'apis') return void 0;
  const [group2 = '', version, ...below] = legacy ? ['', ...parts.slice(1)] : parts.slice(1);
  const watches = below[0] === 'watch';
  const rest = watches ? below.slice(1) : below;
  if (version === void 0 || rest.length === 0) return void 0;
  return { group: group2, version, watches, ...locationOf(rest) };
}
function locationOf(rest) {
  const [first = '', second = '', third = ''] = rest;
  const namespaced = first === 'namespaces' && third !== '' && !namespaceSubresources.has(third);
  const namespace = namespaced || (first === 'namespaces' && second !== '') ? second : '';
  const [resource = '', name = '', ...deeper] = namespaced ? rest.slice(2) : rest;
  return { namespace, resource, name, subresource: deeper.join('/') };
}
function verbOf(method, name, query) {
  const collection = name === '';
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (!collection) return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return collection ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}
function selectedNameOf(query) {
  const numbers = ['limit', 'timeoutSeconds'].map((name) => query.get(name) ?? '');
  if (numbers.some((text3) => !/^([+-]?\d+)?$/.test(text3))) return '';
  try {
    parseLabelSelector(query.get('labelSelector') ?? '');
    const fields = parseFieldSelector(query.get('fieldSelector') ?? '');
    const exact = fields.find(({ path, operator }) => path === 'metadata.name' && operator === '=');
    const name = exact?.value ?? '';
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
  } catch {
    return '';
  }
}
function isTrue(value) {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

// packages/apiserver/src/json/yaml-numbers.ts
import { NumberText as NumberText3 } from '@keelson/structural-schema';
var intTag = 'tag:yaml.org,2002:int';
var floatTag = 'tag:yaml.org,2002:float';
function withGoNumbers(yaml, schema3) {
  const floats = yaml.DUMP_SCHEMA.tags.filter(({ tagName }) => tagName === floatTag);
  return withExactIntegers(yaml, schema3.withTags(...floats));
}
function withExactIntegers(yaml, schema3) {
  const usual = schema3.tags.find(({ tagName }) => tagName === intTag);
  if (usual?.nodeKind !== 'scalar') return schema3;
  const exact = yaml.defineScalarTag(intTag, {
    ...usual,
    resolve: (source, ...rest) =>
      /^-?[1-9]\d{15,}$/.test(source)
        ? new NumberText3(source).value
        : usual.resolve(source, ...rest),
    identify: (value) => typeof value === 'bigint' || usual.identify(value),
  });
  return schema3.withTags(exact);
}

// packages/apiserver/src/http/yaml-text.ts
var yamlType = 'application/yaml';
async function yamlText(value) {
  const yaml = await import('js-yaml');
  const schema3 = withExactIntegers(yaml, yaml.DUMP_SCHEMA);
  return yaml.dump(value, { sortKeys: true, schema: schema3 });
}

// packages/apiserver/src/server/request-pipeline.ts
var RequestPipeline = class {
  #context;
  #impersonation;
  #running = 0;
  #events = new EventEmitter();
  constructor(context) {
    this.#context = context;
    this.#impersonation = new Impersonation(context.authorizer, context.accesses);
  }
  /** Requests that have arrived and have no response yet. A watch counts until its stream has started. */
  get running() {
    return this.#running;
  }
  /** Calls the listener whenever the last running request has ended. */
  onIdle(listener) {
    this.#events.on('idle', listener);
    return () => this.#events.off('idle', listener);
  }
  async handle(incoming, response2) {
    this.#running++;
    const exchange = { incoming, response: response2, warnings: [] };
    try {
      await this.#respond(exchange);
    } catch (error) {
      await fail(exchange, error);
    } finally {
      this.#running--;
      if (this.#running === 0) this.#events.emit('idle');
    }
  }
  async #respond(exchange) {
    const { incoming } = exchange;
    const { accesses, faults, stats } = this.#context;
    const { info, query } = parse(incoming);
    stats.count({ info, query });
    const caller = this.#userOf(incoming);
    if (caller === void 0) throw unauthorized();
    const wanted2 = takeWantedUser(incoming);
    const user =
      wanted2 === void 0
        ? caller
        : this.#impersonation.userFor(wanted2, attributesOf(info, caller));
    const request = new ApiRequest({ info, query, user, ...exchange });
    const attributes = attributesOf(info, user);
    const decided = accesses.add(attributes);
    if (await faults.applyTo(request)) return;
    this.#authorize(attributes, decided);
    if (isResourceRequest(request)) await this.#context.resources.handle(request);
    else await this.#context.paths.handle(request);
  }
  /** A request with an invalid certificate may authenticate by token; without a token it is rejected. */
  #userOf({ socket, headers: { authorization } }) {
    const { authenticator, certificates } = this.#context;
    const found = certificates?.find(socket);
    if (typeof found === 'object') return found;
    if (found === 'refused' && authorization === void 0) return void 0;
    return authenticator.authenticate(authorization);
  }
  #authorize(attributes, decided) {
    const decision = this.#context.authorizer.authorize(attributes);
    decided(decision.allowed);
    if (!decision.allowed) throw new StatusError5(forbiddenStatus(attributes, decision));
  }
};
function parse(incoming) {
  const url = incoming.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const info = parseRequestInfo(incoming.method ?? 'GET', path, query);
  if (info === void 0) throw badRequest('invalid URL escape');
  return { info, query };
}
function isResourceRequest(request) {
  return request.info.type === 'resource';
}
async function fail({ incoming, response: response2, warnings }, error) {
  if (response2.destroyed) return;
  if (response2.headersSent) {
    breakResponse(response2);
    return;
  }
  const refusal3 = statusErrorOf(error);
  sendStatus(response2, refusal3, {
    warnings,
    ...(await formOf(refusal3, incoming.headers.accept)),
  });
}
async function formOf({ status: status3 }, accept) {
  const mediaType = negotiate(accept, () => true);
  if (mediaType === void 0 || mediaType.as !== void 0) return void 0;
  const object = completed2(status3);
  switch (mediaType.format) {
    case 'yaml':
      return { text: await yamlText(object), contentType: yamlType };
    case 'protobuf': {
      const encoder = await loadProtobufEncoder();
      return { text: encoder.object(object), contentType: protobufMediaType };
    }
    default:
      return void 0;
  }
}
function statusErrorOf(error) {
  if (error instanceof StatusError5) return error;
  if (isStackOverflow(error)) return badRequest('the body of the request exceeded max depth');
  const message2 = error instanceof Error ? error.message : String(error);
  return failure(500, 'InternalError', `Internal error occurred: ${message2}`);
}

// packages/apiserver/src/auth/access-review.ts
function reviewSelfAccess(review, caller, authorizer) {
  return withDecision(review, caller, authorizer);
}
function reviewAccess(review, authorizer) {
  const { user = '', groups = [], uid, extra } = review.spec ?? {};
  const subject = {
    name: user,
    groups,
    ...(uid !== void 0 && { uid }),
    ...(extra && { extra }),
  };
  return withDecision(review, subject, authorizer);
}
function withDecision(review, user, authorizer) {
  const { allowed: allowed2, reason } = authorizer.authorize(
    attributesOf2(review.spec ?? {}, user),
  );
  return { ...review, status: { allowed: allowed2, ...(reason !== '' && { reason }) } };
}
function attributesOf2(spec, user) {
  const path = spec.nonResourceAttributes;
  if (path !== void 0) {
    return { kind: 'path', user, verb: path.verb ?? '', path: path.path ?? '' };
  }
  const wanted2 = spec.resourceAttributes ?? {};
  return {
    kind: 'resource',
    user,
    verb: wanted2.verb ?? '',
    group: wanted2.group ?? '',
    resource: wanted2.resource ?? '',
    subresource: wanted2.subresource ?? '',
    namespace: wanted2.namespace ?? '',
    name: wanted2.name ?? '',
  };
}
function reviewToken(review, authenticator) {
  const user = authenticator.userOf(review.spec?.token ?? '');
  const status3 =
    user === void 0
      ? { user: {}, error: 'invalid bearer token' }
      : { authenticated: true, user: userInfo(user), audiences: review.spec?.audiences };
  return { ...review, status: status3 };
}
function reviewSelf(review, caller, now) {
  const metadata = { ...review.metadata, creationTimestamp: timestamp(now) };
  return { ...review, metadata, status: { userInfo: userInfo(caller) } };
}
function userInfo(user) {
  const groups = user.groups.length === 0 ? [authenticatedGroup] : user.groups;
  return {
    username: user.name,
    ...(user.uid !== void 0 && user.uid !== '' && { uid: user.uid }),
    groups,
    ...(user.extra && { extra: user.extra }),
  };
}

// packages/apiserver/src/auth/rbac/rules-review.ts
var everything2 = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
function reviewRules(review, caller, source) {
  const namespace = review.spec?.namespace ?? '';
  const rules4 = [...rulesFor(caller, namespace, source)];
  const evaluationError = source === void 0 ? '' : missingRoles(source, caller, namespace);
  return {
    ...review,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules4.filter((rule) => rule.nonResourceURLs === void 0),
      nonResourceRules: rules4.filter((rule) => rule.nonResourceURLs !== void 0),
      incomplete: false,
      ...(evaluationError !== '' && { evaluationError }),
    },
  };
}
function* rulesFor(caller, namespace, source) {
  if (source === void 0) {
    yield* everything2;
    return;
  }
  for (const { rule } of grantedRules(source, caller, namespace)) yield rule;
}

// packages/apiserver/src/tables/cluster-columns.ts
function plain(name, path, otherwise = '') {
  return column(name, (object) => textAt3(object, path, otherwise));
}
function count4(name, ...path) {
  return column(name, (object) => {
    const value = at(object, ...path);
    return typeof value === 'number' ? value : '<none>';
  });
}
function conditionsOf(object) {
  return listAt(object, 'status', 'conditions').map((condition) => textAt3(condition, ['type']));
}
function requestState(request) {
  const found = new Set(conditionsOf(request));
  const verdict = found.has('Approved') ? 'Approved' : 'Pending';
  const failed = found.has('Failed') ? ',Failed' : '';
  const issued = textAt3(request, ['status', 'certificate']) === '' ? '' : ',Issued';
  return `${found.has('Denied') ? 'Denied' : verdict}${failed}${issued}`;
}
function requestedDuration(request) {
  const seconds = at(request, 'spec', 'expirationSeconds');
  return typeof seconds === 'number' ? humanDuration(seconds) : '<none>';
}
function claimState(claim) {
  const isDeleted = claim.metadata?.deletionTimestamp !== void 0;
  const isAllocated = at(claim, 'status', 'allocation') !== void 0;
  const isReserved = isAllocated && listAt(claim, 'status', 'reservedFor').length > 0;
  return [
    ...(isDeleted ? ['deleted'] : []),
    ...(isAllocated ? ['allocated'] : []),
    ...(isAllocated || isDeleted ? [] : ['pending']),
    ...(isReserved ? ['reserved'] : []),
  ].join(',');
}
function isDangling(schema3) {
  const conditions2 = listAt(schema3, 'status', 'conditions');
  const dangling = conditions2.find((condition) => at(condition, 'type') === 'Dangling');
  return textAt3(dangling, ['status'], '?');
}
function serviceOf(service) {
  const name = textAt3(service, ['spec', 'service', 'name']);
  return name === '' ? 'Local' : `${textAt3(service, ['spec', 'service', 'namespace'])}/${name}`;
}
function isAvailable(service) {
  const conditions2 = listAt(service, 'status', 'conditions');
  const available2 = conditions2.find((condition) => at(condition, 'type') === 'Available');
  const status3 = textAt3(available2, ['status'], 'Unknown');
  return status3 === 'True' ? status3 : `${status3} (${textAt3(available2, ['reason'])})`;
}
function healthOf(component) {
  const conditions2 = listAt(component, 'conditions');
  const healthy = conditions2.find((condition) => at(condition, 'type') === 'Healthy');
  if (healthy === void 0) return { status: 'Unknown', message: '', error: '' };
  const status3 = at(healthy, 'status') === 'True' ? 'Healthy' : 'Unhealthy';
  return {
    status: status3,
    message: textAt3(healthy, ['message']),
    error: textAt3(healthy, ['error']),
  };
}
var limits = ['spec', 'limited'];
var queuing = [...limits, 'limitResponse', 'queuing'];
var clusterColumns = {
  'v1/componentstatuses': [
    nameColumn,
    column('Status', (component) => healthOf(component).status),
    column('Message', (component) => healthOf(component).message),
    column('Error', (component) => healthOf(component).error),
  ],
  'apiregistration.k8s.io/v1/apiservices': [
    nameColumn,
    column('Service', serviceOf),
    column('Available', isAvailable),
    ageColumn,
  ],
  'certificates.k8s.io/v1/certificatesigningrequests': [
    nameColumn,
    ageColumn,
    plain('SignerName', ['spec', 'signerName'], '<none>'),
    plain('Requestor', ['spec', 'username']),
    column('RequestedDuration', requestedDuration),
    column('Condition', requestState),
  ],
  'scheduling.k8s.io/v1/priorityclasses': [
    nameColumn,
    column('Value', (priority2) => Number(at(priority2, 'value') ?? 0)),
    column('Global-Default', (priority2) => at(priority2, 'globalDefault') === true),
    ageColumn,
    plain('PreemptionPolicy', ['preemptionPolicy']),
  ],
  'node.k8s.io/v1/runtimeclasses': [nameColumn, plain('Handler', ['handler']), ageColumn],
  'resource.k8s.io/v1/deviceclasses': [nameColumn, ageColumn],
  'resource.k8s.io/v1/resourceclaims': [nameColumn, column('State', claimState), ageColumn],
  'resource.k8s.io/v1/resourceclaimtemplates': [nameColumn, ageColumn],
  'resource.k8s.io/v1/resourceslices': [
    nameColumn,
    plain('Node', ['spec', 'nodeName']),
    plain('Driver', ['spec', 'driver']),
    plain('Pool', ['spec', 'pool', 'name']),
    ageColumn,
  ],
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': [
    nameColumn,
    plain('PriorityLevel', ['spec', 'priorityLevelConfiguration', 'name']),
    count4('MatchingPrecedence', 'spec', 'matchingPrecedence'),
    plain('DistinguisherMethod', ['spec', 'distinguisherMethod', 'type'], '<none>'),
    ageColumn,
    column('MissingPL', isDangling),
  ],
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': [
    nameColumn,
    plain('Type', ['spec', 'type']),
    count4('NominalConcurrencyShares', ...limits, 'nominalConcurrencyShares'),
    count4('Queues', ...queuing, 'queues'),
    count4('HandSize', ...queuing, 'handSize'),
    count4('QueueLengthLimit', ...queuing, 'queueLengthLimit'),
    ageColumn,
  ],
};

// packages/apiserver/src/kinds/conversion.ts
var eventConversion = {
  toStored: (object) => renamed(object, eventNames),
  fromStored(object) {
    const event = renamed(object, storedEventNames);
    for (const member of ['reportingController', 'reportingInstance']) {
      if (event[member] === '') delete event[member];
    }
    return event;
  },
};
var eventNames = /* @__PURE__ */ new Map([
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
]);
var storedEventNames = new Map([...eventNames].map(([served, stored]) => [stored, served]));
function renamed(object, names5) {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names5.get(name) ?? name, value]),
  );
}
var autoscalerConversion = {
  toStored(object) {
    const spec = record(object['spec']);
    const target = spec['targetCPUUtilizationPercentage'];
    delete spec['targetCPUUtilizationPercentage'];
    if (target !== void 0) spec['metrics'] = [cpuMetric({ averageUtilization: target })];
    const status3 = record(object['status']);
    const current = status3['currentCPUUtilizationPercentage'];
    delete status3['currentCPUUtilizationPercentage'];
    if (current !== void 0) status3['currentMetrics'] = [cpuStatus(current)];
    return object;
  },
  fromStored(object) {
    const spec = record(object['spec']);
    const target = cpuUtilization(spec['metrics'], 'target');
    delete spec['metrics'];
    delete spec['behavior'];
    if (target !== void 0) spec['targetCPUUtilizationPercentage'] = target;
    const status3 = record(object['status']);
    const current = cpuUtilization(status3['currentMetrics'], 'current');
    delete status3['currentMetrics'];
    delete status3['conditions'];
    if (current !== void 0) status3['currentCPUUtilizationPercentage'] = current;
    return object;
  },
};
function cpuMetric(target) {
  return {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', ...target } },
  };
}
function cpuStatus(current) {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } };
}
function cpuUtilization(metrics, member) {
  if (!Array.isArray(metrics)) return void 0;
  const resources = metrics.map((metric) => record(record(metric)['resource']));
  const cpu = resources.find((resource) => resource['name'] === 'cpu');
  return cpu && record(cpu[member])['averageUtilization'];
}
function record(value) {
  return typeof value === 'object' && value !== null ? value : {};
}

// packages/apiserver/src/tables/selector-text.ts
function formatLabels(labels) {
  if (typeof labels !== 'object' || labels === null) return '<none>';
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.toSorted().join(',');
}
function formatSelector(selector) {
  const isLabelSelector =
    at(selector, 'matchLabels') !== void 0 || at(selector, 'matchExpressions') !== void 0;
  if (!isLabelSelector) return formatLabels(selector);
  const labels = at(selector, 'matchLabels');
  const parts = listAt(selector, 'matchExpressions').map(formatExpression);
  if (typeof labels === 'object' && labels !== null && Object.keys(labels).length > 0) {
    parts.unshift(formatLabels(labels));
  }
  return parts.length === 0 ? '<none>' : parts.join(',');
}
function formatExpression(expression) {
  const key = textAt3(expression, ['key']);
  const values = listAt(expression, 'values').map(String).join(',');
  switch (at(expression, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

// packages/apiserver/src/tables/core-columns.ts
var accessModeNames = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
function accessModes(object, ...path) {
  return listAt(object, ...path)
    .map((mode) => accessModeNames[String(mode)] ?? String(mode))
    .join(',');
}
function members(...values) {
  return values.reduce(
    (count7, value) =>
      count7 + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0),
    0,
  );
}
function servicePorts(service) {
  const ports = listAt(service, 'spec', 'ports').map((port) => {
    const node = numberAt(port, ['nodePort']);
    const protocol = textAt3(port, ['protocol'], 'TCP');
    return `${numberAt(port, ['port'])}${node === 0 ? '' : `:${node}`}/${protocol}`;
  });
  return orNone(ports.join(','));
}
function externalIp(service) {
  const given = listAt(service, 'spec', 'externalIPs').map(String);
  const type = textAt3(service, ['spec', 'type']);
  if (type === 'ExternalName') return textAt3(service, ['spec', 'externalName']);
  if (type === 'LoadBalancer') {
    const ingress = listAt(service, 'status', 'loadBalancer', 'ingress').map((entry) =>
      textAt3(entry, ['ip'], textAt3(entry, ['hostname'])),
    );
    return [...ingress, ...given].join(',') || '<pending>';
  }
  return orNone(given.join(','));
}
function nodeStatus(node) {
  const ready = listAt(node, 'status', 'conditions').find(
    (condition) => at(condition, 'type') === 'Ready',
  );
  const base = ready === void 0 ? 'Unknown' : at(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${base},SchedulingDisabled` : base;
}
function nodeRoles(node) {
  const prefix2 = 'node-role.kubernetes.io/';
  const roles = Object.keys(node.metadata?.labels ?? {})
    .filter((label) => label.startsWith(prefix2))
    .map((label) => label.slice(prefix2.length));
  return orNone(roles.toSorted().join(','));
}
function nodeAddress(type) {
  return (node) =>
    textAt3(
      listAt(node, 'status', 'addresses').find((address) => at(address, 'type') === type),
      ['address'],
      '<none>',
    );
}
function nodeInfo(member) {
  return (node) => textAt3(node, ['status', 'nodeInfo', member], '<unknown>');
}
function claimStatus(object) {
  return object.metadata?.deletionTimestamp === void 0
    ? textAt3(object, ['status', 'phase'])
    : 'Terminating';
}
function endpointList(object) {
  const all2 = listAt(object, 'subsets').flatMap((subset) => {
    const ports = listAt(subset, 'ports').map((port) => textAt3(port, ['port']));
    return listAt(subset, 'addresses').flatMap((address) => {
      const ip = textAt3(address, ['ip']);
      return ports.length === 0 ? [ip] : ports.map((port) => `${ip}:${port}`);
    });
  });
  const more = all2.length > 3 ? ` + ${all2.length - 3} more...` : '';
  return orNone(all2.slice(0, 3).join(',') + more);
}
function eventTime(...paths) {
  return (event, now) => {
    const found = paths.map((path) => textAt3(event, path)).find((time3) => time3 !== '');
    return ageOf(found, now);
  };
}
function eventObject(event) {
  const kind = textAt3(event, ['involvedObject', 'kind']).toLowerCase();
  const name = textAt3(event, ['involvedObject', 'name']);
  return name === '' ? kind : `${kind}/${name}`;
}
function eventSource(event) {
  const component =
    textAt3(event, ['source', 'component']) || textAt3(event, ['reportingComponent']);
  const host = textAt3(event, ['source', 'host']) || textAt3(event, ['reportingInstance']);
  return host === '' ? component : `${component}, ${host}`;
}
var eventColumns = [
  column(
    'Last Seen',
    eventTime(['series', 'lastObservedTime'], ['lastTimestamp'], ['firstTimestamp'], ['eventTime']),
  ),
  column('Type', (event) => textAt3(event, ['type'])),
  column('Reason', (event) => textAt3(event, ['reason'])),
  column('Object', eventObject),
  column('Subobject', (event) => textAt3(event, ['involvedObject', 'fieldPath'])),
  column('Source', eventSource),
  column('Message', (event) => textAt3(event, ['message']).trim()),
  column('First Seen', eventTime(['firstTimestamp'], ['eventTime'])),
  column('Count', (event) => numberAt(event, ['series', 'count'], numberAt(event, ['count'], 1))),
  nameColumn,
];
var laterEventColumns = eventColumns.map(({ name, cell }) =>
  column(name, (event, now) => cell(eventConversion.toStored(structuredClone(event)), now)),
);
function quantities(wanted2) {
  return (quota) => {
    const hard = at(quota, 'status', 'hard');
    if (typeof hard !== 'object' || hard === null) return '';
    return Object.keys(hard)
      .toSorted()
      .filter((name) => name.startsWith('limits.') === (wanted2 === 'limits'))
      .map(
        (name) =>
          `${name}: ${textAt3(quota, ['status', 'used', name], '0')}/${textAt3(hard, [name])}`,
      )
      .join(', ');
  };
}
var coreColumns = {
  'v1/configmaps': [
    nameColumn,
    column('Data', (object) => members(at(object, 'data'), at(object, 'binaryData'))),
    ageColumn,
  ],
  'v1/secrets': [
    nameColumn,
    column('Type', (object) => textAt3(object, ['type'])),
    column('Data', (object) => members(at(object, 'data'))),
    ageColumn,
  ],
  'v1/endpoints': [nameColumn, column('Endpoints', endpointList), ageColumn],
  'v1/events': eventColumns,
  'events.k8s.io/v1/events': laterEventColumns,
  'v1/namespaces': [
    nameColumn,
    column('Status', (object) => textAt3(object, ['status', 'phase'])),
    ageColumn,
  ],
  'v1/nodes': [
    nameColumn,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    ageColumn,
    column('Version', nodeInfo('kubeletVersion')),
    column('Internal-IP', nodeAddress('InternalIP')),
    column('External-IP', nodeAddress('ExternalIP')),
    column('OS-Image', nodeInfo('osImage')),
    column('Kernel-Version', nodeInfo('kernelVersion')),
    column('Container-Runtime', nodeInfo('containerRuntimeVersion')),
  ],
  'v1/persistentvolumeclaims': [
    nameColumn,
    column('Status', claimStatus),
    column('Volume', (claim) => textAt3(claim, ['spec', 'volumeName'])),
    column('Capacity', (claim) => textAt3(claim, ['status', 'capacity', 'storage'])),
    column('Access Modes', (claim) => accessModes(claim, 'status', 'accessModes')),
    column('StorageClass', (claim) => textAt3(claim, ['spec', 'storageClassName'])),
    column('VolumeAttributesClass', (claim) =>
      textAt3(claim, ['spec', 'volumeAttributesClassName'], '<unset>'),
    ),
    ageColumn,
    column('VolumeMode', (claim) => textAt3(claim, ['spec', 'volumeMode'], '<unset>')),
  ],
  'v1/persistentvolumes': [
    nameColumn,
    column('Capacity', (volume) => textAt3(volume, ['spec', 'capacity', 'storage'])),
    column('Access Modes', (volume) => accessModes(volume, 'spec', 'accessModes')),
    column('Reclaim Policy', (volume) =>
      textAt3(volume, ['spec', 'persistentVolumeReclaimPolicy']),
    ),
    column('Status', claimStatus),
    column('Claim', (volume) => {
      const name = textAt3(volume, ['spec', 'claimRef', 'name']);
      return name === '' ? '' : `${textAt3(volume, ['spec', 'claimRef', 'namespace'])}/${name}`;
    }),
    column('StorageClass', (volume) => textAt3(volume, ['spec', 'storageClassName'])),
    column('VolumeAttributesClass', (volume) =>
      textAt3(volume, ['spec', 'volumeAttributesClassName'], '<unset>'),
    ),
    column('Reason', (volume) => textAt3(volume, ['status', 'reason'])),
    ageColumn,
    column('VolumeMode', (volume) => textAt3(volume, ['spec', 'volumeMode'], '<unset>')),
  ],
  'v1/resourcequotas': [
    nameColumn,
    column('Request', quantities('requests')),
    column('Limit', quantities('limits')),
    ageColumn,
  ],
  'v1/serviceaccounts': [nameColumn, ageColumn],
  'v1/services': [
    nameColumn,
    column('Type', (service) => textAt3(service, ['spec', 'type'])),
    column('Cluster-IP', (service) => textAt3(service, ['spec', 'clusterIP'], '<none>')),
    column('External-IP', externalIp),
    column('Port(s)', servicePorts),
    ageColumn,
    column('Selector', (service) => formatLabels(at(service, 'spec', 'selector'))),
  ],
};

// packages/apiserver/src/tables/group-columns.ts
function count5(name, ...path) {
  return column(name, (object) => listAt(object, ...path).length);
}
function plain2(name, path, otherwise = '') {
  return column(name, (object) => textAt3(object, path, otherwise));
}
function flag(name, ...path) {
  return column(name, (object) => at(object, ...path) === true);
}
function subjects(kind) {
  return (binding) =>
    listAt(binding, 'subjects')
      .filter((subject) => at(subject, 'kind') === kind)
      .map((subject) => {
        const name = textAt3(subject, ['name']);
        return kind === 'ServiceAccount' ? `${textAt3(subject, ['namespace'])}/${name}` : name;
      })
      .join(', ');
}
var bindingColumns = [
  nameColumn,
  column(
    'Role',
    (binding) =>
      `${textAt3(binding, ['roleRef', 'kind'])}/${textAt3(binding, ['roleRef', 'name'])}`,
  ),
  ageColumn,
  column('Users', subjects('User')),
  column('Groups', subjects('Group')),
  column('ServiceAccounts', subjects('ServiceAccount')),
];
function ingressHosts(ingress) {
  const hosts = listAt(ingress, 'spec', 'rules')
    .map((rule) => textAt3(rule, ['host']))
    .filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  return hosts.length > 3
    ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...`
    : hosts.join(',');
}
function metricTarget(metric, current) {
  const source = textAt3(metric, ['type']);
  const member = source.charAt(0).toLowerCase() + source.slice(1);
  const target = at(metric, member, 'target');
  const name = textAt3(metric, [member, 'name']);
  const now = at(current, member, 'current');
  const utilization = textAt3(target, ['averageUtilization']);
  if (utilization !== '') {
    const seen2 = textAt3(now, ['averageUtilization'], '<unknown>');
    return `${name}: ${seen2 === '<unknown>' ? seen2 : `${seen2}%`}/${utilization}%`;
  }
  const wanted2 = textAt3(target, ['averageValue'], textAt3(target, ['value']));
  const seen = textAt3(now, ['averageValue'], textAt3(now, ['value'], '<unknown>'));
  const prefix2 = source === 'Resource' ? `${name}: ` : '';
  return `${prefix2}${seen}/${wanted2}`;
}
function autoscalerTargets(autoscaler) {
  const current = listAt(autoscaler, 'status', 'currentMetrics');
  const all2 = listAt(autoscaler, 'spec', 'metrics').map((metric, index) =>
    metricTarget(metric, current[index]),
  );
  return orNone(all2.join(', '));
}
function autoscalerColumns(targets) {
  return [
    nameColumn,
    column(
      'Reference',
      (object) =>
        `${textAt3(object, ['spec', 'scaleTargetRef', 'kind'])}/${textAt3(object, ['spec', 'scaleTargetRef', 'name'])}`,
    ),
    column('Targets', targets),
    plain2('MinPods', ['spec', 'minReplicas'], '<unset>'),
    column('MaxPods', (object) => numberAt(object, ['spec', 'maxReplicas'])),
    column('Replicas', (object) => numberAt(object, ['status', 'currentReplicas'])),
    ageColumn,
  ];
}
function slicePorts(slice) {
  return orNone(
    listAt(slice, 'ports')
      .map((port) => textAt3(port, ['port']))
      .join(','),
  ).replace('<none>', '<unset>');
}
function sliceEndpoints(slice) {
  const all2 = listAt(slice, 'endpoints').flatMap((endpoint) =>
    listAt(endpoint, 'addresses').map(String),
  );
  const more = all2.length > 3 ? ` + ${all2.length - 3} more...` : '';
  return all2.length === 0 ? '<unset>' : all2.slice(0, 3).join(',') + more;
}
var webhookColumns = [nameColumn, count5('Webhooks', 'webhooks'), ageColumn];
function policyColumns(title, member) {
  return [
    nameColumn,
    count5(title, 'spec', member),
    column('ParamKind', (policy) => {
      const kind = textAt3(policy, ['spec', 'paramKind', 'kind']);
      return kind === ''
        ? '<unset>'
        : `${textAt3(policy, ['spec', 'paramKind', 'apiVersion'])}/${kind}`;
    }),
    ageColumn,
  ];
}
var policyBindingColumns = [
  nameColumn,
  plain2('PolicyName', ['spec', 'policyName']),
  plain2('ParamRef', ['spec', 'paramRef', 'name'], '<unset>'),
  ageColumn,
];
var groupColumns = {
  'autoscaling/v1/horizontalpodautoscalers': autoscalerColumns((autoscaler) =>
    autoscalerTargets(autoscalerConversion.toStored(structuredClone(autoscaler))),
  ),
  'autoscaling/v2/horizontalpodautoscalers': autoscalerColumns(autoscalerTargets),
  'networking.k8s.io/v1/ingresses': [
    nameColumn,
    plain2('Class', ['spec', 'ingressClassName'], '<none>'),
    column('Hosts', ingressHosts),
    column('Address', (object) =>
      listAt(object, 'status', 'loadBalancer', 'ingress')
        .map((entry) => textAt3(entry, ['ip'], textAt3(entry, ['hostname'])))
        .join(','),
    ),
    column('Ports', (object) => (listAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'networking.k8s.io/v1/ingressclasses': [
    nameColumn,
    plain2('Controller', ['spec', 'controller']),
    column('Parameters', (object) => {
      const { kind, name, apiGroup } = {
        kind: textAt3(object, ['spec', 'parameters', 'kind']),
        name: textAt3(object, ['spec', 'parameters', 'name']),
        apiGroup: textAt3(object, ['spec', 'parameters', 'apiGroup']),
      };
      if (kind === '') return '<none>';
      return `${apiGroup === '' ? kind : `${kind}.${apiGroup}`}/${name}`;
    }),
    ageColumn,
  ],
  'networking.k8s.io/v1/ipaddresses': [
    nameColumn,
    column('ParentRef', (object) =>
      ['group', 'resource', 'namespace', 'name']
        .map((member) => textAt3(object, ['spec', 'parentRef', member]))
        .filter((part) => part !== '')
        .join('/'),
    ),
  ],
  'networking.k8s.io/v1/servicecidrs': [
    nameColumn,
    column('CIDRs', (object) => listAt(object, 'spec', 'cidrs').map(String).join(',')),
    ageColumn,
  ],
  'networking.k8s.io/v1/networkpolicies': [
    nameColumn,
    column('Pod-Selector', (object) => formatSelector(at(object, 'spec', 'podSelector'))),
    ageColumn,
  ],
  'policy/v1/poddisruptionbudgets': [
    nameColumn,
    plain2('Min Available', ['spec', 'minAvailable'], 'N/A'),
    plain2('Max Unavailable', ['spec', 'maxUnavailable'], 'N/A'),
    column('Allowed Disruptions', (object) => numberAt(object, ['status', 'disruptionsAllowed'])),
    ageColumn,
  ],
  'rbac.authorization.k8s.io/v1/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/v1/clusterrolebindings': bindingColumns,
  'storage.k8s.io/v1/storageclasses': [
    {
      ...nameColumn,
      cell: (object) => {
        const isDefault =
          object.metadata?.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
        return `${object.metadata?.name ?? ''}${isDefault ? ' (default)' : ''}`;
      },
    },
    plain2('Provisioner', ['provisioner']),
    plain2('ReclaimPolicy', ['reclaimPolicy'], 'Delete'),
    plain2('VolumeBindingMode', ['volumeBindingMode'], 'Immediate'),
    plain2('AllowVolumeExpansion', ['allowVolumeExpansion'], 'false'),
    ageColumn,
  ],
  'storage.k8s.io/v1/csidrivers': [
    nameColumn,
    flag('AttachRequired', 'spec', 'attachRequired'),
    flag('PodInfoOnMount', 'spec', 'podInfoOnMount'),
    flag('StorageCapacity', 'spec', 'storageCapacity'),
    column(
      'TokenRequests',
      (object) =>
        listAt(object, 'spec', 'tokenRequests')
          .map((request) => textAt3(request, ['audience']))
          .join(',') || '<unset>',
    ),
    flag('RequiresRepublish', 'spec', 'requiresRepublish'),
    column('Modes', (object) => {
      return listAt(object, 'spec', 'volumeLifecycleModes').map(String).join(',') || '<none>';
    }),
    ageColumn,
  ],
  'storage.k8s.io/v1/csinodes': [nameColumn, count5('Drivers', 'spec', 'drivers'), ageColumn],
  'storage.k8s.io/v1/volumeattachments': [
    nameColumn,
    plain2('Attacher', ['spec', 'attacher']),
    plain2('PV', ['spec', 'source', 'persistentVolumeName']),
    plain2('Node', ['spec', 'nodeName']),
    flag('Attached', 'status', 'attached'),
    ageColumn,
  ],
  'storage.k8s.io/v1/volumeattributesclasses': [
    nameColumn,
    plain2('DriverName', ['driverName']),
    ageColumn,
  ],
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': webhookColumns,
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': webhookColumns,
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': policyColumns(
    'Validations',
    'validations',
  ),
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': policyColumns(
    'Mutations',
    'mutations',
  ),
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': policyBindingColumns,
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': policyBindingColumns,
  'coordination.k8s.io/v1/leases': [
    nameColumn,
    plain2('Holder', ['spec', 'holderIdentity']),
    ageColumn,
  ],
  'discovery.k8s.io/v1/endpointslices': [
    nameColumn,
    plain2('AddressType', ['addressType']),
    column('Ports', slicePorts),
    column('Endpoints', sliceEndpoints),
    ageColumn,
  ],
};

// packages/apiserver/src/tables/pod-cells.ts
function podCells(pod, now) {
  const containers = listAt(pod, 'spec', 'containers');
  const statuses3 = listAt(pod, 'status', 'containerStatuses');
  const initializing = initReason(pod);
  const seen = restartsOf(initializing === void 0 ? statuses3 : initStatuses(pod));
  const status3 = initializing ?? reasonOfContainers(pod, statuses3);
  return {
    ready: `${statuses3.filter(isReady).length}/${containers.length}`,
    status: deletionReason(pod) ?? status3,
    restarts:
      seen.restarts > 0 && seen.lastRestart !== ''
        ? `${seen.restarts} (${ageOf(seen.lastRestart, now)} ago)`
        : String(seen.restarts),
  };
}
function isReady(status3) {
  return at(status3, 'ready') === true && at(status3, 'state', 'running') !== void 0;
}
function initStatuses(pod) {
  return listAt(pod, 'status', 'initContainerStatuses');
}
function initReason(pod) {
  const count7 = listAt(pod, 'spec', 'initContainers').length;
  for (const [index, status3] of initStatuses(pod).entries()) {
    const ended = at(status3, 'state', 'terminated');
    if (ended !== void 0 && numberAt(ended, ['exitCode']) === 0) continue;
    if (ended !== void 0) return `Init:${terminatedReason(ended)}`;
    const waiting = textAt3(status3, ['state', 'waiting', 'reason']);
    if (waiting !== '' && waiting !== 'PodInitializing') return `Init:${waiting}`;
    return `Init:${index}/${count7}`;
  }
  return void 0;
}
function reasonOfContainers(pod, statuses3) {
  let reason = textAt3(pod, ['status', 'reason'], textAt3(pod, ['status', 'phase']));
  for (const status3 of statuses3.toReversed()) {
    const waiting = textAt3(status3, ['state', 'waiting', 'reason']);
    const ended = at(status3, 'state', 'terminated');
    if (waiting !== '') reason = waiting;
    else if (ended !== void 0) reason = terminatedReason(ended);
  }
  if (reason !== 'Completed' || !statuses3.some(isReady)) return reason;
  return isPodReady(pod) ? 'Running' : 'NotReady';
}
function terminatedReason(ended) {
  const reason = textAt3(ended, ['reason']);
  if (reason !== '') return reason;
  const signal = numberAt(ended, ['signal']);
  return signal === 0 ? `ExitCode:${numberAt(ended, ['exitCode'])}` : `Signal:${signal}`;
}
function isPodReady(pod) {
  return listAt(pod, 'status', 'conditions').some(
    (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
  );
}
function deletionReason(pod) {
  if (pod.metadata?.deletionTimestamp === void 0) return void 0;
  if (textAt3(pod, ['status', 'reason']) === 'NodeLost') return 'Unknown';
  const phase = textAt3(pod, ['status', 'phase']);
  return phase === 'Succeeded' || phase === 'Failed' ? void 0 : 'Terminating';
}
function restartsOf(statuses3) {
  const seen = { restarts: 0, lastRestart: '' };
  for (const status3 of statuses3) {
    seen.restarts += numberAt(status3, ['restartCount']);
    const finished = textAt3(status3, ['lastState', 'terminated', 'finishedAt']);
    if (finished > seen.lastRestart) seen.lastRestart = finished;
  }
  return seen;
}

// packages/apiserver/src/tables/workload-columns.ts
var template = ['spec', 'template', 'spec'];
function each(object, path, member) {
  return listAt(object, ...path, 'containers')
    .map((container) => textAt3(container, [member]))
    .join(',');
}
var containerColumns = [
  column('Containers', (object) => each(object, template, 'name')),
  column('Images', (object) => each(object, template, 'image')),
];
var selectorColumn = column('Selector', (object) => formatSelector(at(object, 'spec', 'selector')));
function status(object, member) {
  return numberAt(object, ['status', member]);
}
function desired(object, otherwise = 0) {
  return numberAt(object, ['spec', 'replicas'], otherwise);
}
var replicaColumns = [
  nameColumn,
  column('Desired', (object) => desired(object)),
  column('Current', (object) => status(object, 'replicas')),
  column('Ready', (object) => status(object, 'readyReplicas')),
  ageColumn,
  ...containerColumns,
  selectorColumn,
];
function jobStatus(job) {
  const conditions2 = listAt(job, 'status', 'conditions').filter(
    (condition) => at(condition, 'status') === 'True',
  );
  const types3 = new Set(conditions2.map((condition) => at(condition, 'type')));
  if (types3.has('Complete')) return 'Complete';
  if (types3.has('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp !== void 0) return 'Terminating';
  if (types3.has('Suspended')) return 'Suspended';
  return types3.has('FailureTarget') ? 'FailureTarget' : 'Running';
}
function completions(job) {
  const wanted2 = textAt3(job, ['spec', 'completions']);
  const succeeded = status(job, 'succeeded');
  if (wanted2 !== '') return `${succeeded}/${wanted2}`;
  const parallelism = numberAt(job, ['spec', 'parallelism'], 1);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}
function jobDuration(job, now) {
  const from = textAt3(job, ['status', 'startTime']);
  if (from === '') return '';
  const until = textAt3(job, ['status', 'completionTime']);
  if (until === '') return ageOf(from, now);
  return humanDuration((Date.parse(until) - Date.parse(from)) / 1e3);
}
var cronTemplate = ['spec', 'jobTemplate', ...template];
var workloadColumns = {
  'v1/pods': [
    nameColumn,
    column('Ready', (pod, now) => podCells(pod, now).ready),
    column('Status', (pod, now) => podCells(pod, now).status),
    column('Restarts', (pod, now) => podCells(pod, now).restarts),
    ageColumn,
    column('IP', (pod) => orNone(textAt3(pod, ['status', 'podIP']))),
    column('Node', (pod) => orNone(textAt3(pod, ['spec', 'nodeName']))),
    column('Nominated Node', (pod) => orNone(textAt3(pod, ['status', 'nominatedNodeName']))),
    column('Readiness Gates', (pod) => {
      const gates = listAt(pod, 'spec', 'readinessGates').map((gate2) =>
        textAt3(gate2, ['conditionType']),
      );
      const held = listAt(pod, 'status', 'conditions').filter(
        (condition) =>
          gates.includes(textAt3(condition, ['type'])) && at(condition, 'status') === 'True',
      );
      return gates.length === 0 ? '<none>' : `${held.length}/${gates.length}`;
    }),
  ],
  'v1/podtemplates': [
    nameColumn,
    column('Containers', (object) => each(object, ['template', 'spec'], 'name')),
    column('Images', (object) => each(object, ['template', 'spec'], 'image')),
    column('Pod Labels', (object) => formatLabels(at(object, 'template', 'metadata', 'labels'))),
  ],
  'v1/replicationcontrollers': replicaColumns,
  'apps/v1/replicasets': replicaColumns,
  'apps/v1/deployments': [
    nameColumn,
    column('Ready', (object) => `${status(object, 'readyReplicas')}/${desired(object)}`),
    column('Up-to-date', (object) => status(object, 'updatedReplicas')),
    column('Available', (object) => status(object, 'availableReplicas')),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  'apps/v1/statefulsets': [
    nameColumn,
    column('Ready', (object) => `${status(object, 'readyReplicas')}/${desired(object)}`),
    ageColumn,
    ...containerColumns,
  ],
  'apps/v1/daemonsets': [
    nameColumn,
    column('Desired', (object) => status(object, 'desiredNumberScheduled')),
    column('Current', (object) => status(object, 'currentNumberScheduled')),
    column('Ready', (object) => status(object, 'numberReady')),
    column('Up-to-date', (object) => status(object, 'updatedNumberScheduled')),
    column('Available', (object) => status(object, 'numberAvailable')),
    column('Node Selector', (object) => formatLabels(at(object, ...template, 'nodeSelector'))),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  'apps/v1/controllerrevisions': [
    nameColumn,
    column('Controller', (object) => controllerText(object)),
    column('Revision', (object) => numberAt(object, ['revision'])),
    ageColumn,
  ],
  'batch/v1/jobs': [
    nameColumn,
    column('Status', jobStatus),
    column('Completions', completions),
    column('Duration', jobDuration),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  'batch/v1/cronjobs': [
    nameColumn,
    column('Schedule', (object) => textAt3(object, ['spec', 'schedule'])),
    column('Timezone', (object) => orNone(textAt3(object, ['spec', 'timeZone']))),
    column('Suspend', (object) => (at(object, 'spec', 'suspend') === true ? 'True' : 'False')),
    column('Active', (object) => listAt(object, 'status', 'active').length),
    column('Last Schedule', (object, now) => {
      const last = textAt3(object, ['status', 'lastScheduleTime']);
      return last === '' ? '<none>' : ageOf(last, now);
    }),
    ageColumn,
    column('Containers', (object) => each(object, cronTemplate, 'name')),
    column('Images', (object) => each(object, cronTemplate, 'image')),
    column('Selector', (object) =>
      formatSelector(at(object, 'spec', 'jobTemplate', 'spec', 'selector')),
    ),
  ],
};
function controllerText(object) {
  const owner = object.metadata?.ownerReferences?.find((reference3) => reference3.controller);
  if (owner === void 0) return '<none>';
  const [group2 = '', version] = owner.apiVersion.split('/');
  const kind = owner.kind.toLowerCase();
  return version === void 0 ? `${kind}/${owner.name}` : `${kind}.${group2}/${owner.name}`;
}

// packages/apiserver/src/tables/table.ts
function builtinColumns(resourceId4) {
  const columns =
    workloadColumns[resourceId4] ??
    coreColumns[resourceId4] ??
    groupColumns[resourceId4] ??
    clusterColumns[resourceId4];
  if (columns === void 0) return plainColumns;
  return { columns, definitions: () => recordedDefinitions(resourceId4) };
}
var plainColumns = {
  columns: [nameColumn, createdAtColumn],
  definitions() {
    const { name, created } = usualDefinitions();
    return [name, created];
  },
};
function tableOf(options) {
  const { columns, withDefinitions = true } = options;
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata,
    columnDefinitions: withDefinitions ? columns.definitions() : null,
    rows: rowsOf(options),
  };
}
function rowsOf({ columns, objects, now, includeObject: includeObject2 }) {
  if (objects.length === 0 && columns === plainColumns) return null;
  return objects.map((object) => ({
    cells: columns.columns.map((column2) => column2.cell(object, now)),
    ...included(object, includeObject2),
  }));
}
function included(object, include) {
  if (include === 'None') return { object: null };
  if (include === 'Object') return { object };
  return {
    object: {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: object.metadata,
    },
  };
}

// packages/apiserver/src/http/compression.ts
import { gzipSync } from 'node:zlib';
var MIN_COMPRESSED_BYTES = 128 * 1024;
var GZIP_LEVEL = 1;
function acceptsGzip(headers) {
  return /\bgzip\b/.test(headers['accept-encoding'] ?? '');
}
function compressed(headers, body) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length < MIN_COMPRESSED_BYTES || !acceptsGzip(headers))
    return { body: bytes, headers: {} };
  return {
    body: gzipSync(bytes, { level: GZIP_LEVEL }),
    headers: { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
  };
}

// packages/apiserver/src/presentation/presentation.ts
import { jsonText as jsonText5 } from '@keelson/structural-schema';
function wholeObjects(resource) {
  const { kind, listKind, custom } = resource.facts;
  const { apiVersion: apiVersion2 } = resource;
  return {
    object: (stored) => resource.bytes(stored),
    item: (stored) => resource.itemBytes(stored),
    list: (metadata) =>
      custom ? customList(resource, metadata) : list(listKind, apiVersion2, metadata),
    bookmark: (metadata) =>
      custom
        ? {
            apiVersion: apiVersion2,
            kind,
            metadata: {
              annotations: metadata.annotations,
              resourceVersion: metadata.resourceVersion,
            },
          }
        : { kind, apiVersion: apiVersion2, metadata },
  };
}
var metaVersion = 'meta.k8s.io/v1';
var partialObjects = {
  object: partial,
  item: partial,
  list: (metadata) => list('PartialObjectMetadataList', metaVersion, metadata),
  empty: (
    metadata,
  ) => `${JSON.stringify({ kind: 'PartialObjectMetadataList', apiVersion: metaVersion, metadata, items: null })}
`,
  bookmark: (metadata) => ({ kind: 'PartialObjectMetadata', apiVersion: metaVersion, metadata }),
};
function partial(stored) {
  const { metadata } = stored.parse();
  const object = { kind: 'PartialObjectMetadata', apiVersion: metaVersion, metadata };
  return Buffer.from(jsonText5(object));
}
function list(kind, apiVersion2, metadata) {
  const head = JSON.stringify({ kind, apiVersion: apiVersion2, metadata });
  return [`${head.slice(0, -1)},"items":[`, ']}\n'];
}
function customList(resource, metadata) {
  const apiVersion2 = JSON.stringify(resource.apiVersion);
  const kind = JSON.stringify(resource.facts.listKind);
  const { continue: token = '', ...rest } = metadata;
  const tail2 = JSON.stringify({ continue: token, ...rest });
  return [
    `{"apiVersion":${apiVersion2},"items":[`,
    `],"kind":${kind},"metadata":${tail2}}
`,
  ];
}

// packages/apiserver/src/presentation/object-response.ts
import { jsonText as jsonText6 } from '@keelson/structural-schema';
function mediaTypeOf(request, object) {
  const { accept = '' } = request.headers;
  const mediaType = negotiate(accept, () => hasProtobuf(object));
  if (mediaType !== void 0) return mediaType;
  if (namesForm(accept) || !hasProtobuf(object)) throw notAcceptable();
  const { info } = request;
  throw noSuchForm(info.type === 'resource' && (info.verb === 'list' || info.verb === 'watch'));
}
function kindOf({ apiVersion: apiVersion2, facts }) {
  return { apiVersion: apiVersion2, kind: facts.kind };
}
async function sendObject(request, resource, stored, code = 200) {
  const mediaType = mediaTypeOf(request, kindOf(resource));
  if (mediaType.as === void 0 && mediaType.format === 'json') {
    send(request, code, Buffer.concat([resource.bytes(stored), newline]));
    return;
  }
  await sendValue(request, code, projected(request, resource, stored, mediaType), mediaType);
}
async function sendValue(request, code, value, mediaType = mediaTypeOf(request, value)) {
  if (mediaType.format === 'protobuf') {
    const encoder = await loadProtobufEncoder();
    send(request, code, encoder.object(value), protobufMediaType);
  } else if (mediaType.format === 'json') {
    send(
      request,
      code,
      `${jsonText6(value, mediaType.pretty ? 2 : 0)}
`,
    );
  } else send(request, code, await yamlText(value), yamlType);
}
async function sendComputed(request, code, object, columns) {
  const mediaType = mediaTypeOf(request, object);
  if (mediaType.as !== 'Table') return sendValue(request, code, object, mediaType);
  const { resourceVersion = '' } = object.metadata ?? {};
  const table = tableOf({
    columns,
    objects: [{ ...object }],
    metadata: { resourceVersion },
    includeObject: includeObject(request.query),
    now: Date.now(),
  });
  return sendValue(request, code, table, mediaType);
}
function tableFor(request, resource, objects, options) {
  return tableOf({
    columns: resource.facts.columns ?? builtinColumns(resource.id),
    objects: objects.map((stored) => resource.read(stored)),
    includeObject: includeObject(request.query),
    now: Date.now(),
    ...options,
  });
}
function projected(request, resource, stored, { as }) {
  switch (as) {
    case void 0:
      return resource.read(stored);
    case 'Table': {
      const { resourceVersion = '' } = stored.metadata;
      return tableFor(request, resource, [stored], { metadata: { resourceVersion } });
    }
    case 'PartialObjectMetadata':
      return JSON.parse(partialObjects.object(stored).toString());
    default:
      throw mismatch3('PartialObjectMetadataList', `not a list (${goType2(resource)})`);
  }
}
function goType2({ facts }, suffix = '') {
  if (facts.custom) return `*unstructured.Unstructured${suffix}`;
  return `*${facts.group.split('.', 1)[0] || 'core'}.${facts.kind}${suffix}`;
}
function mismatch3(wanted2, found) {
  return failure(
    406,
    'NotAcceptable',
    `you requested ${wanted2}, but the requested object is ${found}`,
  );
}
function includeObject(query) {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Object' || value === 'Metadata') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
var newline = Buffer.from('\n');
function send(request, code, text3, contentType2 = 'application/json') {
  const { response: response2, warnings } = request;
  const { body, headers } = compressed(request.headers, text3);
  respond(response2, code, body, { contentType: contentType2, warnings, headers });
}

// packages/apiserver/src/verbs/review-verbs.ts
import { isJsonObject as isJsonObject21 } from '@keelson/structural-schema';

// packages/apiserver/src/apply/go-names.ts
function goNames({ apiVersion: apiVersion2 = '', kind = '', metadata }) {
  const gvk2 = goKind2(apiVersion2, kind);
  return { kind: gvk2, name: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${gvk2}` };
}
function goKind2(apiVersion2, kind) {
  return `${apiVersion2.includes('/') ? apiVersion2 : `/${apiVersion2}`}, Kind=${kind}`;
}

// packages/apiserver/src/verbs/writes/decode-write.ts
import { isJsonObject as isJsonObject15 } from '@keelson/structural-schema';

// packages/apiserver/src/kinds/builtin-kind-schema.ts
import { StatusError as StatusError6 } from '@keelson/apimachinery';

// packages/apiserver/src/kinds/prepare-for-create.ts
import { randomUUID as randomUUID2 } from 'node:crypto';
import { jsonEquals as jsonEquals7 } from '@keelson/structural-schema';

// packages/apiserver/src/schema/default-rule.ts
import { cloneJson } from '@keelson/structural-schema';
function fill(object, values) {
  for (const key of Object.keys(values)) {
    const value = object[key];
    if (value === void 0 || value === null || value === '') {
      object[key] = cloneJson(values[key]);
    }
  }
}
function constants2(values) {
  return (object) => fill(object, values);
}

// packages/apiserver/src/kinds/prepare-for-update.ts
var preparations = {
  'apps.v1.StatefulSet': dropDisabled,
  'core.v1.Pod': (pod, { old, part }) => {
    if (part === 'status') prepareStatus(pod, old);
    if (part === 'object') addDefaultTolerations(objectAt(pod, 'spec'));
  },
};
function prepareForUpdate(type, object, update) {
  preparations[type.name]?.(object, update);
}
function dropDisabled(set) {
  const strategy = objectAt(objectAt(set, 'spec'), 'updateStrategy');
  delete objectAt(strategy, 'rollingUpdate').maxUnavailable;
}
function addDefaultTolerations(spec) {
  const tolerations = objectsAt(spec, 'tolerations');
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    if (tolerations.some((toleration) => tolerates(toleration, key))) continue;
    tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}
function tolerates(toleration, key) {
  const matchesKey = toleration.key === key || toleration.key === void 0;
  return matchesKey && (toleration.effect === 'NoExecute' || toleration.effect === void 0);
}
function prepareStatus(pod, old) {
  const [status3, before] = [ensureObject(pod, 'status'), objectAt(old, 'status')];
  if (textAt(status3, 'qosClass') === '' && before.qosClass !== void 0) {
    status3.qosClass = before.qosClass;
  }
  keepGeneration(status3, before);
  const known2 = objectsAt(before, 'conditions');
  for (const condition of objectsAt(status3, 'conditions')) {
    const index = known2.findIndex(({ type }) => type === condition.type);
    if (index === -1) continue;
    const [was] = known2.splice(index, 1);
    keepGeneration(condition, was ?? {});
  }
  const { ownerReferences } = objectAt(old, 'metadata');
  const metadata = ensureObject(pod, 'metadata');
  if (ownerReferences === void 0) delete metadata.ownerReferences;
  else metadata.ownerReferences = ownerReferences;
}
function keepGeneration(part, before) {
  if (part.observedGeneration !== void 0 || before.observedGeneration === void 0) return;
  part.observedGeneration = before.observedGeneration;
}

// packages/apiserver/src/kinds/set-defaults.ts
import { isJsonObject as isJsonObject7 } from '@keelson/structural-schema';

// packages/apiserver/src/kinds/cluster/defaults-cluster.ts
var rbacGroup2 = 'rbac.authorization.k8s.io';
var webhook = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};
var clusterDefaults = {
  'core.v1.Namespace': (namespace) => {
    const { name } = objectAt(namespace, 'metadata');
    if (name === void 0) return;
    ensureObject(objectAt(namespace, 'metadata'), 'labels')['kubernetes.io/metadata.name'] = name;
  },
  'core.v1.NamespaceStatus': constants2({ phase: 'Active' }),
  'core.v1.NodeStatus': (status3) => {
    if (status3.capacity !== void 0) fill(status3, { allocatable: status3.capacity });
  },
  'core.v1.Secret': completeSecret,
  'core.v1.LimitRangeItem': completeLimit,
  'rbac.v1.RoleRef': constants2({ apiGroup: rbacGroup2 }),
  'rbac.v1.Subject': (subject) => {
    if (subject.kind === 'User' || subject.kind === 'Group')
      fill(subject, { apiGroup: rbacGroup2 });
  },
  'scheduling.v1.PriorityClass': constants2({ preemptionPolicy: 'PreemptLowerPriority' }),
  'admissionregistration.v1.ValidatingWebhook': constants2(webhook),
  'admissionregistration.v1.MutatingWebhook': constants2({
    ...webhook,
    reinvocationPolicy: 'Never',
  }),
  'admissionregistration.v1.RuleWithOperations': constants2({ scope: '*' }),
  'admissionregistration.v1.NamedRuleWithOperations': constants2({ scope: '*' }),
  'admissionregistration.v1.ServiceReference': constants2({ port: 443 }),
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': constants2({ failurePolicy: 'Fail' }),
  'admissionregistration.v1.MutatingAdmissionPolicySpec': constants2({ failurePolicy: 'Fail' }),
  'admissionregistration.v1.MatchResources': constants2({
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
  }),
  'apiextensions.v1.CustomResourceDefinitionSpec': completeDefinition,
  'apiextensions.v1.ServiceReference': constants2({ port: 443 }),
  'apiregistration.v1.ServiceReference': constants2({ port: 443 }),
  'flowcontrol.v1.FlowSchemaSpec': constants2({ matchingPrecedence: 1e3 }),
  'flowcontrol.v1.ExemptPriorityLevelConfiguration': constants2({
    nominalConcurrencyShares: 0,
    lendablePercent: 0,
  }),
  'flowcontrol.v1.LimitedPriorityLevelConfiguration': constants2({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
  }),
  'flowcontrol.v1.QueuingConfiguration': constants2({
    handSize: 8,
    queues: 64,
    queueLengthLimit: 50,
  }),
};
function completeSecret(secret) {
  fill(secret, { type: 'Opaque' });
  if (secret.stringData === void 0) return;
  const data = ensureObject(secret, 'data');
  const texts = objectAt(secret, 'stringData');
  for (const key of Object.keys(texts)) {
    data[key] = Buffer.from(textAt(texts, key)).toString('base64');
  }
  delete secret.stringData;
}
function completeLimit(limit) {
  if (limit.type !== 'Container') return;
  const { max, min } = limit;
  if (max !== void 0) fill(ensureObject(limit, 'default'), objectAt(limit, 'max'));
  if (limit.default === void 0 && min === void 0) return;
  const request = ensureObject(limit, 'defaultRequest');
  fill(request, objectAt(limit, 'default'));
  fill(request, objectAt(limit, 'min'));
}
function completeDefinition(spec) {
  const names5 = ensureObject(spec, 'names');
  const kind = typeof names5.kind === 'string' ? names5.kind : '';
  if (kind !== '') fill(names5, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  fill(spec, { conversion: { strategy: 'None' } });
}

// packages/apiserver/src/kinds/services/defaults-networking.ts
var externalTypes = /* @__PURE__ */ new Set(['NodePort', 'LoadBalancer']);
var networkingDefaults = {
  'core.v1.Service': completeAddresses,
  'core.v1.ServiceSpec': completeService,
  'core.v1.EndpointPort': constants2({ protocol: 'TCP' }),
  'discovery.v1.EndpointPort': constants2({ name: '', protocol: 'TCP' }),
  'networking.v1.NetworkPolicyPort': constants2({ protocol: 'TCP' }),
  'networking.v1.NetworkPolicySpec': (spec) => {
    const hasEgress = objectsAt(spec, 'egress').length > 0;
    fill(spec, { policyTypes: hasEgress ? ['Ingress', 'Egress'] : ['Ingress'] });
  },
  'networking.v1.IngressClassParametersReference': constants2({ scope: 'Cluster' }),
};
function completeAddresses(service) {
  if (objectAt(service, 'spec').type !== 'LoadBalancer') return;
  const addresses = objectAt(objectAt(service, 'status'), 'loadBalancer');
  for (const address of objectsAt(addresses, 'ingress')) {
    if (textAt(address, 'ip') !== '') fill(address, { ipMode: 'VIP' });
  }
}
function completeService(spec) {
  fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  completeAffinity(spec);
  for (const port of objectsAt(spec, 'ports')) {
    if (port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port ?? 0;
  }
  const type = typeof spec.type === 'string' ? spec.type : '';
  if (type !== 'ExternalName') fill(spec, { internalTrafficPolicy: 'Cluster' });
  if (externalTypes.has(type) || (type === 'ClusterIP' && spec.externalIPs !== void 0)) {
    fill(spec, { externalTrafficPolicy: 'Cluster' });
  }
  if (type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
}
function completeAffinity(spec) {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  const clientIp = ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP');
  fill(clientIp, { timeoutSeconds: 10800 });
}

// packages/apiserver/src/kinds/pods/defaults-pod.ts
var fileMode = 420;
var podDefaults = {
  'core.v1.Pod': completePod,
  'core.v1.PodSpec': (spec) => {
    fill(spec, {
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
    });
    const account = spec.serviceAccountName ?? spec.serviceAccount;
    if (account !== void 0)
      Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  },
  'core.v1.PodStatus': syncPodIps,
  'core.v1.Container': completeContainer,
  'core.v1.EphemeralContainer': completeContainer,
  'core.v1.Probe': constants2({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  }),
  'core.v1.HTTPGetAction': constants2({ path: '/', scheme: 'HTTP' }),
  'core.v1.GRPCAction': constants2({ service: '' }),
  'core.v1.ObjectFieldSelector': constants2({ apiVersion: 'v1' }),
  'core.v1.Volume': completeVolume,
  'core.v1.SecretVolumeSource': constants2({ defaultMode: fileMode }),
  'core.v1.ConfigMapVolumeSource': constants2({ defaultMode: fileMode }),
  'core.v1.DownwardAPIVolumeSource': constants2({ defaultMode: fileMode }),
  'core.v1.ProjectedVolumeSource': constants2({ defaultMode: fileMode }),
  'core.v1.ServiceAccountTokenProjection': constants2({ expirationSeconds: 3600 }),
  'core.v1.HostPathVolumeSource': constants2({ type: '' }),
  'core.v1.ISCSIVolumeSource': constants2({ iscsiInterface: 'default' }),
};
function pullPolicyOf(image) {
  const name = typeof image === 'string' ? image : '';
  const lastPart = name.slice(name.lastIndexOf('/') + 1);
  if (lastPart.includes('@')) return 'IfNotPresent';
  const tag = lastPart.includes(':') ? lastPart.slice(lastPart.indexOf(':') + 1) : 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}
function completePod(pod) {
  const spec = objectAt(pod, 'spec');
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  for (const container of containers) setRequestsFromLimits(container);
  fill(spec, { enableServiceLinks: true });
  if (Number(spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  if (spec.hostNetwork !== true) return;
  for (const port of containers.flatMap((container) => objectsAt(container, 'ports'))) {
    port.hostPort ??= port.containerPort ?? 0;
  }
}
function syncPodIps(status3) {
  const [first] = objectsAt(status3, 'podIPs');
  const { podIP } = status3;
  const isGiven = podIP !== void 0 && podIP !== '';
  if (isGiven && first?.ip !== podIP) status3.podIPs = [{ ip: podIP }];
  else if (!isGiven && first?.ip !== void 0) status3.podIP = first.ip;
}
function setRequestsFromLimits(container) {
  const resources = objectAt(container, 'resources');
  if (resources.limits === void 0) return;
  fill(ensureObject(resources, 'requests'), objectAt(resources, 'limits'));
}
function completeContainer(container) {
  fill(container, {
    imagePullPolicy: pullPolicyOf(container.image),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
}
function completeVolume(volume) {
  if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {};
  const image = objectAt(volume, 'image');
  if (volume.image !== void 0) fill(image, { pullPolicy: pullPolicyOf(image.reference) });
}

// packages/apiserver/src/kinds/cluster/defaults-storage.ts
var storageDefaults = {
  'core.v1.PersistentVolumeClaimSpec': constants2({ volumeMode: 'Filesystem' }),
  'core.v1.PersistentVolumeClaimStatus': constants2({ phase: 'Pending' }),
  'core.v1.PersistentVolumeSpec': constants2({
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: 'Filesystem',
  }),
  'core.v1.PersistentVolumeStatus': constants2({ phase: 'Pending' }),
  'storage.v1.StorageClass': constants2({
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  }),
  'storage.v1.CSIDriverSpec': constants2({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  }),
};

// packages/apiserver/src/kinds/workloads/defaults-workloads.ts
var workloadDefaults = {
  'apps.v1.DeploymentSpec': (spec) => {
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    completeStrategy(ensureObject(spec, 'strategy'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  'apps.v1.DaemonSet': (daemonSet) => {
    const annotations2 = ensureObject(ensureObject(daemonSet, 'metadata'), 'annotations');
    fill(annotations2, { 'deprecated.daemonset.template.generation': '1' });
  },
  'apps.v1.DaemonSetSpec': (spec) => {
    fill(spec, { revisionHistoryLimit: 10 });
    completeStrategy(ensureObject(spec, 'updateStrategy'), { maxUnavailable: 1, maxSurge: 0 });
  },
  'apps.v1.ReplicaSetSpec': constants2({ replicas: 1 }),
  'apps.v1.StatefulSetSpec': completeStatefulSet,
  'apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy': constants2({
    whenDeleted: 'Retain',
    whenScaled: 'Retain',
  }),
  'core.v1.ReplicationController': (controller) => {
    const spec = objectAt(controller, 'spec');
    const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
    if (labels !== void 0) fill(spec, { selector: labels });
    copyTemplateLabels(controller);
  },
  'batch.v1.Job': (job) => {
    copyTemplateLabels(job);
    completeJob(objectAt(job, 'spec'));
  },
  'batch.v1.CronJobSpec': constants2({
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  }),
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': constants2({ status: 'True' }),
  'autoscaling.v1.HorizontalPodAutoscalerSpec': constants2({ minReplicas: 1 }),
  'autoscaling.v2.HorizontalPodAutoscalerSpec': completeAutoscaler,
};
var scaleUpRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
var scaleDownRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};
function completeStrategy(strategy, rollingUpdate) {
  fill(strategy, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate')
    fill(ensureObject(strategy, 'rollingUpdate'), rollingUpdate);
}
function completeStatefulSet(spec) {
  fill(spec, {
    podManagementPolicy: 'OrderedReady',
    persistentVolumeClaimRetentionPolicy: {},
    replicas: 1,
    revisionHistoryLimit: 10,
  });
  const strategy = ensureObject(spec, 'updateStrategy');
  if (strategy.type === void 0) fill(strategy, { type: 'RollingUpdate', rollingUpdate: {} });
  const rolling = strategy.rollingUpdate;
  if (strategy.type === 'RollingUpdate' && rolling !== void 0) {
    fill(objectAt(strategy, 'rollingUpdate'), { partition: 0 });
  }
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
    fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    fill(ensureObject(claim, 'status'), { phase: 'Pending' });
  }
}
function completeJob(spec) {
  if (spec.completions === void 0 && spec.parallelism === void 0) spec.completions = 1;
  const perIndex = spec.backoffLimitPerIndex !== void 0;
  fill(spec, {
    parallelism: 1,
    backoffLimit: perIndex ? 2 ** 31 - 1 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.podFailurePolicy === void 0 ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  });
}
function copyTemplateLabels(workload) {
  const template2 = objectAt(objectAt(workload, 'spec'), 'template');
  const labels = objectAt(template2, 'metadata').labels;
  if (labels !== void 0) fill(ensureObject(workload, 'metadata'), { labels });
}
function completeAutoscaler(spec) {
  fill(spec, {
    minReplicas: 1,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
      },
    ],
  });
  if (spec.behavior === void 0) return;
  const behavior = objectAt(spec, 'behavior');
  fill(ensureObject(behavior, 'scaleUp'), scaleUpRules);
  fill(ensureObject(behavior, 'scaleDown'), scaleDownRules);
}

// packages/apiserver/src/kinds/set-defaults.ts
var rules = {
  ...podDefaults,
  ...workloadDefaults,
  ...networkingDefaults,
  ...storageDefaults,
  ...clusterDefaults,
};
function setDefaults2(type, object) {
  rules[type.name]?.(object);
  for (const [name, field] of type.fields) {
    if (field.default !== void 0) object[name] ??= field.default;
  }
  for (const name of Object.keys(object)) {
    if (name === 'metadata' && type.fields.get('kind') !== void 0) continue;
    const field = type.fields.get(name);
    if (field !== void 0) visit2(field.type, object[name]);
  }
}
function visit2(type, value) {
  if (typeof value !== 'object' || value === null) return;
  if (type.kind === 'struct') {
    if (isJsonObject7(value)) setDefaults2(type, value);
  } else if (type.kind === 'list') {
    if (Array.isArray(value)) for (const item of value) visit2(type.item, item);
  } else if (type.kind === 'map' && type.value.kind !== 'scalar' && isJsonObject7(value)) {
    for (const key of Object.keys(value)) visit2(type.value, value[key]);
  }
}

// packages/apiserver/src/kinds/prepare-for-create.ts
var preparations2 = {
  'core.v1.Pod': preparePod,
  'core.v1.Service': (service, context) => {
    if (context.part !== 'status') prepareService(objectAt(service, 'spec'), context);
  },
  'core.v1.Namespace': (namespace) => {
    addToList(ensureObject(namespace, 'spec'), 'finalizers', 'kubernetes');
  },
  'core.v1.LimitRange': (limits3) => {
    const metadata = ensureObject(limits3, 'metadata');
    if (textAt(metadata, 'name') === '') metadata.name = randomUUID2();
  },
  'core.v1.Node': (node) => {
    const taints = objectsAt(ensureObject(node, 'spec'), 'taints');
    if (taints.some((taint) => taint.key === notReady)) return;
    ensureObject(node, 'spec').taints = [...taints, { key: notReady, effect: 'NoSchedule' }];
  },
  'core.v1.PersistentVolume': (volume, { now }) => {
    addToList(ensureObject(volume, 'metadata'), 'finalizers', 'kubernetes.io/pv-protection');
    ensureObject(volume, 'status').lastPhaseTransitionTime = now;
  },
  'core.v1.PersistentVolumeClaim': (claim) => {
    addToList(ensureObject(claim, 'metadata'), 'finalizers', 'kubernetes.io/pvc-protection');
  },
  'apps.v1.StatefulSet': dropDisabled,
  'batch.v1.Job': prepareJob,
  'apiextensions.v1.CustomResourceDefinition': (definition) => {
    const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
    const stored = versions.filter((version) => version.storage === true);
    objectAt(definition, 'status').storedVersions = stored.map((version) => version.name ?? '');
  },
};
var keepsStatus = /* @__PURE__ */ new Set(['core.v1.Node']);
var notReady = 'node.kubernetes.io/not-ready';
function prepareForCreate(type, object, context) {
  resetStatus(type, object);
  preparations2[type.name]?.(object, context);
}
function resetStatus(type, object) {
  const field = type.fields.get('status');
  if (field?.type.kind !== 'struct' || keepsStatus.has(type.name)) return;
  if (field.empty !== 'zero') {
    delete object.status;
    return;
  }
  const status3 = zeroOf(field);
  setDefaults2(field.type, status3);
  object.status = status3;
}
function preparePod(pod, { now }) {
  const spec = objectAt(pod, 'spec');
  fill(spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  addDefaultTolerations(spec);
  const isGated2 = objectsAt(spec, 'schedulingGates').length > 0;
  const gated = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  pod.status = {
    phase: 'Pending',
    ...(isGated2 && { conditions: [gated] }),
    qosClass: qosClassOf(spec),
  };
}
function prepareJob(job) {
  const metadata = objectAt(job, 'metadata');
  const { uid = '', name = '' } = metadata;
  const spec = objectAt(job, 'spec');
  if (spec.manualSelector === true) return;
  const template2 = ensureObject(ensureObject(spec, 'template'), 'metadata');
  const hasOwn = !jsonEquals7(metadata.labels, template2.labels);
  const labels = ensureObject(template2, 'labels');
  fill(labels, {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
  });
  if (!hasOwn) metadata.labels = { ...labels };
  const selector = ensureObject(spec, 'selector');
  fill(ensureObject(selector, 'matchLabels'), { 'batch.kubernetes.io/controller-uid': uid });
}
function prepareService(spec, context) {
  if (spec.type === 'ExternalName') return;
  fill(spec, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  if (spec.clusterIP === void 0) spec.clusterIP = context.allocateClusterIp();
  fill(spec, { clusterIPs: [spec.clusterIP] });
  const needsNodePorts =
    spec.type === 'NodePort' ||
    (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === true);
  if (!needsNodePorts) return;
  for (const port of objectsAt(spec, 'ports')) port.nodePort ??= context.allocateNodePort();
}
function addToList(object, key, item) {
  const list2 = Array.isArray(object[key]) ? object[key] : [];
  if (!list2.includes(item)) object[key] = [...list2, item];
}

// packages/apiserver/src/kinds/validate-builtin.ts
import {
  checkCronJobName,
  checkNameWithoutDots,
  checkPathSegment as checkPathSegment4,
  checkStatefulSetName,
  checkSubdomain as checkSubdomain9,
} from '@keelson/cel/internal';
import {
  validateCommonMetadata,
  validateFinalizers,
  validateKindMetadataChange,
  validateMetadata as validateMetadata2,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/immutable-fields.ts
import { compareQuantities as compareQuantities6 } from '@keelson/cel/internal';
import {
  forbidden as forbidden5,
  invalid as invalid11,
  jsonEquals as jsonEquals11,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/definitions/definition-names.ts
import { checkDns1035Label } from '@keelson/cel/internal';
import {
  childPath as childPath2,
  indexPath as indexPath4,
  invalid as invalid4,
  required as required2,
} from '@keelson/structural-schema';
function validateDefinitionNames(names5, path) {
  const causes = [
    ...validateName(names5, 'plural', path),
    ...validateName(names5, 'singular', path),
    ...validateName(names5, 'kind', path),
    ...validateName(names5, 'listKind', path),
    ...lists.flatMap((name) => validateNames(names5[name], childPath2(path, name))),
  ];
  const kind = textAt(names5, 'kind');
  if (kind === '' || kind !== textAt(names5, 'listKind')) return causes;
  const detail2 = 'kind and listKind may not be the same';
  return [...causes, invalid4(childPath2(path, 'listKind'), kind, detail2)];
}
var lists = ['shortNames', 'categories'];
function validateDefinitionVersions(spec) {
  const versions = objectsAt(spec, 'versions').map((version) => textAt(version, 'name'));
  const group2 = textAt(spec, 'group');
  const wrong = versions.flatMap((name, index) =>
    checkDns1035Label(name).map((detail2) =>
      invalid4(`spec.versions[${index}].name`, name, detail2),
    ),
  );
  const first = wrong.filter(({ field }) => field === 'spec.versions[0].name');
  return [
    ...(group2 === '' || group2.includes('.')
      ? []
      : [invalid4('spec.group', group2, 'should be a domain with at least one dot')]),
    ...wrong,
    ...(new Set(versions).size === versions.length
      ? []
      : [invalid4('spec.versions', spec.versions, 'must contain unique version names')]),
    ...first.map((cause2) => ({ ...cause2, field: 'spec.version' })),
  ];
}
function validateDefinitionChange(definition, old) {
  const [spec, before] = [objectAt(definition, 'spec'), objectAt(old, 'spec')];
  const conditions2 = objectsAt(objectAt(old, 'status'), 'conditions');
  const isEstablished = conditions2.some(
    ({ type, status: status3 }) => type === 'Established' && status3 === 'True',
  );
  const names5 = [objectAt(spec, 'names'), objectAt(before, 'names')];
  return [
    ...(isEstablished
      ? [...unchanged(spec, before, 'scope', 'spec'), ...unchanged(...names5, 'kind', 'spec.names')]
      : []),
    ...unchanged(spec, before, 'group', 'spec'),
    ...unchanged(...names5, 'plural', 'spec.names'),
    ...validateStoredVersions(definition),
  ];
}
function validateStoredVersions(definition) {
  const { storedVersions: storedVersions2 } = objectAt(definition, 'status');
  const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
  const known2 = new Set(versions.map((version) => textAt(version, 'name')));
  const stored = Array.isArray(storedVersions2) ? storedVersions2.map(String) : [];
  return stored.flatMap((name, index) => {
    if (known2.has(name)) return [];
    const detail2 = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalid4(indexPath4('status.storedVersions', index), name, detail2)];
  });
}
function unchanged(after, before, name, path) {
  if (after[name] === before[name]) return [];
  return [invalid4(childPath2(path, name), after[name], 'field is immutable')];
}
function validateName(names5, name, path) {
  const value = textAt(names5, name);
  const field = childPath2(path, name);
  if (value === '') return name === 'plural' ? [] : [required2(field)];
  if (name !== 'kind' && name !== 'listKind') {
    return checkDns1035Label(value).map((detail2) => invalid4(field, value, detail2));
  }
  return checkDns1035Label(value.toLowerCase()).map((detail2) =>
    invalid4(field, value, `may have mixed case, but should otherwise match: ${detail2}`),
  );
}
function validateNames(list2, path) {
  if (!Array.isArray(list2)) return [];
  return list2.flatMap((value, index) =>
    checkDns1035Label(typeof value === 'string' ? value : '').map((detail2) =>
      invalid4(indexPath4(path, index), value, detail2),
    ),
  );
}

// packages/apiserver/src/kinds/workloads/rules-job-change.ts
import {
  invalid as invalid6,
  isJsonObject as isJsonObject8,
  jsonEquals as jsonEquals9,
} from '@keelson/structural-schema';

// packages/apiserver/src/schema/validation-rule.ts
import {
  childPath as childPath3,
  duplicate as duplicate2,
  indexPath as indexPath5,
  invalid as invalid5,
  jsonEquals as jsonEquals8,
} from '@keelson/structural-schema';
function atLeastZero(object, path, ...fields) {
  return fields
    .filter((field) => Number(object[field]) < 0)
    .map((field) =>
      invalid5(childPath3(path, field), object[field], 'must be greater than or equal to 0'),
    );
}
function validPort(value, path) {
  if (typeof value !== 'number' || (value >= 1 && value <= 65535)) return [];
  return [invalid5(path, value, 'must be between 1 and 65535, inclusive')];
}
var percentDetail =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
function countOrPercent(value, path) {
  if (typeof value === 'number' && value < 0) {
    return [invalid5(path, value, 'must be greater than or equal to 0')];
  }
  if (typeof value !== 'string' || /^[0-9]+%$/.test(value)) return [];
  return [invalid5(path, value, percentDetail)];
}
function atMostAll(value, path) {
  if (typeof value !== 'string' || !/^[0-9]+%$/.test(value)) return [];
  if (Number(value.slice(0, -1)) <= 100) return [];
  return [invalid5(path, value, 'must not be greater than 100%')];
}
function repeatedNames(items, path, key = 'name') {
  const seen = /* @__PURE__ */ new Set();
  const causes = [];
  for (const [index, item] of items.entries()) {
    const name = item[key];
    if (name === void 0 || name === '') continue;
    if (seen.has(name)) causes.push(duplicate2(childPath3(indexPath5(path, index), key), name));
    seen.add(name);
  }
  return causes;
}
function validName(check3, value, path) {
  if (typeof value !== 'string' || value === '') return [];
  return check3(value).map((detail2) => invalid5(path, value, detail2));
}
function immutable(object, old, parent, field) {
  const after = parent === '' ? object : objectAt(object, parent);
  const before = parent === '' ? old : objectAt(old, parent);
  if (jsonEquals8(after[field], before[field])) return [];
  const path = parent === '' ? field : `${parent}.${field}`;
  return [invalid5(path, after[field], 'field is immutable')];
}
function without(object, ...fields) {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key)));
}

// packages/apiserver/src/kinds/workloads/rules-job-change.ts
var detail = 'field is immutable';
function validateJobChange(job, old) {
  return [
    ...validateCompletions(objectAt(job, 'spec'), objectAt(old, 'spec')),
    ...immutable(job, old, 'spec', 'selector'),
    ...validateTemplateChange(job, old),
    ...immutable(job, old, 'spec', 'completionMode'),
    ...validatePolicyChange(objectAt(job, 'spec'), objectAt(old, 'spec')),
    ...['backoffLimitPerIndex', 'managedBy', 'successPolicy'].flatMap((field) =>
      immutable(job, old, 'spec', field),
    ),
  ];
}
function validateCompletions(spec, before) {
  const { completions: completions2, parallelism, completionMode } = spec;
  if (jsonEquals9(completions2, before.completions)) return [];
  if (completionMode !== 'Indexed') return [invalid6('spec.completions', completions2, detail)];
  if (completions2 === void 0 || completions2 === parallelism) return [];
  const why = 'can only be modified in tandem with spec.parallelism';
  return [invalid6('spec.completions', completions2, why)];
}
function validatePolicyChange(spec, before) {
  if (jsonEquals9(spec.podFailurePolicy, before.podFailurePolicy)) return [];
  return [invalid6('spec.podFailurePolicy', shownPolicy(spec.podFailurePolicy), detail)];
}
function shownPolicy(policy) {
  if (!isJsonObject8(policy)) return null;
  const rules4 = objectsAt(policy, 'rules').map((rule) => ({
    Action: rule.action ?? '',
    OnExitCodes: shownCodes(rule.onExitCodes),
    OnPodConditions: Array.isArray(rule.onPodConditions)
      ? objectsAt(rule, 'onPodConditions').map(({ type = '', status: status3 = '' }) => ({
          Type: type,
          Status: status3,
        }))
      : null,
  }));
  return { Rules: Array.isArray(policy.rules) ? rules4 : null };
}
function shownCodes(codes) {
  if (!isJsonObject8(codes)) return null;
  const { containerName = null, operator = '', values = null } = codes;
  return { ContainerName: containerName, Operator: operator, Values: values };
}
function validateTemplateChange(job, old) {
  const spec = objectAt(job, 'spec');
  const template2 = objectAt(spec, 'template');
  const before = objectAt(objectAt(old, 'spec'), 'template');
  const isSuspended = objectAt(old, 'spec').suspend === true;
  if (isSuspended && mayChange(old)) {
    const [next, last] = [fixedSpec(template2), fixedSpec(before)];
    if (jsonEquals9(next, last)) return [];
    return [invalid6('spec.template.spec', template2.spec, detail)];
  }
  return jsonEquals9(template2, before) ? [] : [invalid6('spec.template', template2, detail)];
}
function mayChange(job) {
  const status3 = objectAt(job, 'status');
  const isSuspended = objectsAt(status3, 'conditions').some(
    (condition) => condition.type === 'Suspended' && condition.status === 'True',
  );
  return (status3.startTime === void 0 || isSuspended) && Number(status3.active ?? 0) === 0;
}
function fixedSpec(template2) {
  const spec = without(
    objectAt(template2, 'spec'),
    'nodeSelector',
    'tolerations',
    'schedulingGates',
  );
  const affinity = without(objectAt(spec, 'affinity'), 'nodeAffinity');
  delete spec.affinity;
  if (Object.keys(affinity).length > 0) spec.affinity = affinity;
  for (const field of ['containers', 'initContainers']) {
    if (spec[field] === void 0) continue;
    spec[field] = objectsAt(spec, field).map((container) => without(container, 'resources'));
  }
  return spec;
}

// packages/apiserver/src/kinds/pods/rules-pod-change.ts
import {
  childPath as childPath4,
  forbidden as forbidden2,
  indexPath as indexPath6,
  invalid as invalid7,
  jsonEquals as jsonEquals10,
  required as required3,
} from '@keelson/structural-schema';
var largestInt32 = 2 ** 31 - 1;
var deadlineField = 'spec.activeDeadlineSeconds';
function validatePodChange(pod, old) {
  const [spec, before] = [objectAt(pod, 'spec'), objectAt(old, 'spec')];
  const causes = [];
  for (const sort of ['containers', 'initContainers']) {
    if (objectsAt(spec, sort).length !== objectsAt(before, sort).length) {
      const detail2 = 'pod updates may not add or remove containers';
      return [...causes, forbidden2(`spec.${sort}`, detail2)];
    }
    causes.push(...validateImages(objectsAt(spec, sort), `spec.${sort}`));
  }
  const deadline = validateDeadlineChange(spec, before);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== void 0) {
    return [...causes, ...deadline];
  }
  return [
    ...causes,
    ...deadline,
    ...validateTolerationChange(objectsAt(spec, 'tolerations'), objectsAt(before, 'tolerations')),
    ...validateGateChange(objectsAt(spec, 'schedulingGates'), objectsAt(before, 'schedulingGates')),
    ...validateNodeSelectorChange(spec, before),
    ...validateRest(spec, before),
  ];
}
function validateImages(containers, path) {
  return containers.flatMap((container, index) => {
    const image = textAt(container, 'image');
    const field = childPath4(indexPath6(path, index), 'image');
    if (image === '') return [required3(field)];
    if (image === image.trim()) return [];
    return [invalid7(field, image, 'must not have leading or trailing whitespace')];
  });
}
function validateDeadlineChange(spec, before) {
  const [next, last] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (next === void 0) {
    if (last === void 0) return [];
    const detail2 = 'must not update from a positive integer to nil value';
    return [invalid7(deadlineField, null, detail2)];
  }
  if (Number(next) < 0 || Number(next) > largestInt32) {
    return [invalid7(deadlineField, next, `must be between 0 and ${largestInt32}, inclusive`)];
  }
  if (last === void 0 || Number(last) >= Number(next)) return [];
  return [invalid7(deadlineField, next, 'must be less than or equal to previous value')];
}
function validateTolerationChange(tolerations, before) {
  const kinds = tolerations.map((toleration) => without(toleration, 'tolerationSeconds'));
  const isKept = before.every((toleration) =>
    kinds.some((kind) => jsonEquals10(kind, without(toleration, 'tolerationSeconds'))),
  );
  const detail2 = 'existing toleration can not be modified except its tolerationSeconds';
  return isKept ? [] : [forbidden2('spec.tolerations', detail2)];
}
function validateGateChange(gates, before) {
  const known2 = new Set(before.map(({ name }) => name));
  return gates.flatMap((gate2, index) =>
    known2.has(gate2.name)
      ? []
      : [
          forbidden2(
            childPath4(indexPath6('spec.schedulingGates', index), 'name'),
            `only deletion is allowed, but found new scheduling gate '${textAt(gate2, 'name')}'`,
          ),
        ],
  );
}
function validateNodeSelectorChange(spec, before) {
  if (!isGated(before)) return [];
  const [next, last] = [objectAt(spec, 'nodeSelector'), objectAt(before, 'nodeSelector')];
  if (Object.keys(last).every((key) => next[key] === last[key])) return [];
  const detail2 = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid7('spec.nodeSelector', spec.nodeSelector ?? null, detail2)];
}
function isGated(spec) {
  return objectsAt(spec, 'schedulingGates').length > 0;
}
var changeable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
function validateRest(spec, before) {
  const ignored = isGated(before) ? ['nodeSelector'] : [];
  if (jsonEquals10(fixedPart(spec, before, ignored), fixedPart(before, before, ignored))) return [];
  return [forbidden2('spec', `pod updates may not change fields other than ${changeable}`)];
}
function fixedPart(spec, before, ignored) {
  const grace = Number(before.terminationGracePeriodSeconds ?? 0);
  const mayBeOne = grace < 0 && spec.terminationGracePeriodSeconds === 1;
  const fixed = without(
    spec,
    'activeDeadlineSeconds',
    'tolerations',
    'schedulingGates',
    ...ignored,
  );
  if (mayBeOne) fixed.terminationGracePeriodSeconds = grace;
  for (const field of ['containers', 'initContainers']) {
    if (fixed[field] === void 0) continue;
    fixed[field] = objectsAt(spec, field).map((container) => without(container, 'image'));
  }
  return fixed;
}

// packages/apiserver/src/kinds/services/rules-service-change.ts
import {
  forbidden as forbidden4,
  indexPath as indexPath9,
  invalid as invalid10,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/services/rules-service.ts
import { isIP as isIP4 } from 'node:net';
import {
  checkQualifiedName as checkQualifiedName2,
  checkSubdomain as checkSubdomain2,
} from '@keelson/cel/internal';
import {
  childPath as childPath6,
  duplicate as duplicate4,
  forbidden as forbidden3,
  indexPath as indexPath8,
  invalid as invalid9,
  notSupported as notSupported3,
  required as required5,
  validateLabels,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/services/rules-service-ports.ts
import { checkDnsLabel, checkPortName, checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath as childPath5,
  duplicate as duplicate3,
  indexPath as indexPath7,
  invalid as invalid8,
  notSupported as notSupported2,
  required as required4,
} from '@keelson/structural-schema';
var protocols = ['SCTP', 'TCP', 'UDP'];
function validateServicePorts(spec) {
  const ports = objectsAt(spec, 'ports');
  const names5 = ports.map((port) => textAt(port, 'name'));
  return ports.flatMap((port, index) => {
    const path = indexPath7('spec.ports', index);
    const name = names5[index] ?? '';
    const isRepeated = name !== '' && names5.indexOf(name) < index;
    const field = childPath5(path, 'name');
    return [
      ...(name === '' && ports.length > 1 ? [required4(field)] : []),
      ...validName(checkDnsLabel, name, field),
      ...(isRepeated ? [duplicate3(field, name)] : []),
      ...validatePort(port, path),
    ];
  });
}
function validatePort(port, path) {
  const protocol = textAt(port, 'protocol');
  const target = childPath5(path, 'targetPort');
  return [
    ...validPort(port.port ?? 0, childPath5(path, 'port')),
    ...(protocols.includes(protocol)
      ? []
      : [notSupported2(childPath5(path, 'protocol'), protocol, protocols)]),
    ...(typeof port.targetPort === 'string'
      ? checkPortName(port.targetPort).map((detail2) => invalid8(target, port.targetPort, detail2))
      : validPort(port.targetPort, target)),
    ...validName(checkQualifiedName, port.appProtocol, childPath5(path, 'appProtocol')),
  ];
}

// packages/apiserver/src/kinds/services/rules-service.ts
var types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
var affinities = ['ClientIP', 'None'];
var trafficPolicies = ['Cluster', 'Local'];
var distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
var onlyBalancers = "may only be used when `type` is 'LoadBalancer'";
var MAX_AFFINITY_SECONDS = 86400;
function validateService(service) {
  const spec = objectAt(service, 'spec');
  return [
    ...validateType(spec),
    ...validateServicePorts(spec),
    ...validateLabels(objectAt(spec, 'selector'), 'spec.selector'),
    ...validateAffinity(spec),
    ...validateServiceAddresses(spec),
    ...validateExternalIps(spec),
    ...oneOf(spec, 'type', types),
    ...noNodePorts(spec),
    ...repeatedPorts(spec),
    ...validateLoadBalancer(spec),
    ...validateTraffic(spec),
  ];
}
function validateType(spec) {
  const headless = spec.clusterIP === 'None';
  const type = textAt(spec, 'type');
  const causes =
    objectsAt(spec, 'ports').length === 0 && !headless && type !== 'ExternalName'
      ? [required5('spec.ports')]
      : [];
  if (type === 'ExternalName') return [...causes, ...validateExternalName(spec)];
  if (!headless || (type !== 'LoadBalancer' && type !== 'NodePort')) return causes;
  const detail2 = `may not be set to 'None' for ${type} services`;
  return [...causes, invalid9('spec.clusterIPs[0]', 'None', detail2)];
}
function validateExternalName(spec) {
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  const unwanted = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter(
    (field) => spec[field] !== void 0,
  );
  return [
    ...unwanted.map((field) =>
      forbidden3(childPath6('spec', field), 'may not be set for ExternalName services'),
    ),
    ...(name === ''
      ? [required5('spec.externalName')]
      : validName(checkSubdomain2, name, 'spec.externalName')),
  ];
}
function validateAffinity(spec) {
  const affinity = textAt(spec, 'sessionAffinity');
  const field = 'spec.sessionAffinityConfig';
  const timeout = objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP').timeoutSeconds;
  const causes = oneOf(spec, 'sessionAffinity', affinities);
  if (affinity === 'None' && spec.sessionAffinityConfig !== void 0) {
    return [...causes, forbidden3(field, 'must not be set when session affinity is None')];
  }
  if (affinity !== 'ClientIP' || typeof timeout !== 'number') return causes;
  if (timeout > 0 && timeout <= MAX_AFFINITY_SECONDS) return causes;
  const detail2 = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [...causes, invalid9(`${field}.clientIP.timeoutSeconds`, timeout, detail2)];
}
function validateExternalIps(spec) {
  const detail2 = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return textsAt(spec, 'externalIPs').flatMap((address, index) =>
    isIP4(address) === 0 ? [invalid9(indexPath8('spec.externalIPs', index), address, detail2)] : [],
  );
}
function noNodePorts(spec) {
  if (spec.type !== 'ClusterIP') return [];
  return objectsAt(spec, 'ports').flatMap((port, index) =>
    port.nodePort === void 0
      ? []
      : [
          forbidden3(
            childPath6(indexPath8('spec.ports', index), 'nodePort'),
            "may not be used when `type` is 'ClusterIP'",
          ),
        ],
  );
}
function repeatedPorts(spec) {
  const ports = objectsAt(spec, 'ports');
  const keys = ports.map(({ protocol, port }) => JSON.stringify([protocol, port]));
  return ports.flatMap(({ protocol, port }, index) => {
    if (keys.indexOf(keys[index] ?? '') === index) return [];
    const shown2 = {
      Name: '',
      Protocol: protocol,
      AppProtocol: null,
      Port: port,
      TargetPort: 0,
      NodePort: 0,
    };
    return [duplicate4(indexPath8('spec.ports', index), shown2)];
  });
}
function validateLoadBalancer(spec) {
  const isBalancer = spec.type === 'LoadBalancer';
  const hasRanges = Array.isArray(spec.loadBalancerSourceRanges);
  return [
    ...(hasRanges && !isBalancer
      ? [forbidden3('spec.LoadBalancerSourceRanges', onlyBalancers)]
      : []),
    ...(spec.allocateLoadBalancerNodePorts !== void 0 && !isBalancer
      ? [forbidden3('spec.allocateLoadBalancerNodePorts', onlyBalancers)]
      : []),
    ...validateBalancerClass(spec),
  ];
}
function validateBalancerClass(spec) {
  const path = 'spec.loadBalancerClass';
  if (spec.type === 'LoadBalancer') {
    return validName(checkQualifiedName2, spec.loadBalancerClass, path);
  }
  return spec.loadBalancerClass === void 0 ? [] : [forbidden3(path, onlyBalancers)];
}
function isExternallyAccessible(spec) {
  if (spec.type === 'LoadBalancer' || spec.type === 'NodePort') return true;
  return spec.type === 'ClusterIP' && Array.isArray(spec.externalIPs);
}
function needsHealthCheck(spec) {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
function validateTraffic(spec) {
  const policy = textAt(spec, 'externalTrafficPolicy');
  const field = 'spec.externalTrafficPolicy';
  const outside = isExternallyAccessible(spec)
    ? oneOf(spec, 'externalTrafficPolicy', trafficPolicies)
    : policy === ''
      ? []
      : [invalid9(field, policy, 'may only be set for externally-accessible services')];
  const distribution = textAt(spec, 'trafficDistribution', 'PreferClose');
  return [
    ...outside,
    ...validateHealthPort(spec),
    ...(spec.internalTrafficPolicy === void 0
      ? []
      : oneOf(spec, 'internalTrafficPolicy', trafficPolicies)),
    ...(distributions.includes(distribution)
      ? []
      : [notSupported3('spec.trafficDistribution', distribution, distributions)]),
  ];
}
function validateHealthPort(spec) {
  const port = spec.healthCheckNodePort;
  if (needsHealthCheck(spec) || port === void 0 || port === 0) return [];
  const detail2 =
    "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid9('spec.healthCheckNodePort', port, detail2)];
}
function oneOf(spec, name, allowed2) {
  const value = textAt(spec, name);
  const field = childPath6('spec', name);
  if (value === '') return [required5(field)];
  return allowed2.includes(value) ? [] : [notSupported3(field, value, allowed2)];
}

// packages/apiserver/src/kinds/services/rules-service-change.ts
function validateServiceChange(object, old) {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const hasAddresses = spec.type !== 'ExternalName' && before.type !== 'ExternalName';
  return [
    ...(hasAddresses ? [...addressChange(spec, before), ...familyChange(spec, before)] : []),
    ...balancerClassChange(spec, before),
    ...healthPortChange(spec, before),
  ];
}
var once = 'may not change once set';
function addressChange(spec, before) {
  if (isHeadless(spec) && isHeadless(before)) return [];
  const [now, former] = [textsAt(spec, 'clusterIPs'), textsAt(before, 'clusterIPs')];
  const shown2 = now.length === 0 ? null : now;
  if (former.length > 0 && now.length === 0) {
    return [invalid10('spec.clusterIPs[0]', shown2, 'primary clusterIP can not be unset')];
  }
  const compared = now.length === former.length ? former : former.slice(0, 1);
  return compared.flatMap((address, index) =>
    address === now[index] ? [] : [invalid10(indexPath9('spec.clusterIPs', index), shown2, once)],
  );
}
function familyChange(spec, before) {
  if (isHeadless(spec) || isHeadless(before)) return [];
  const [now, former] = [textsAt(spec, 'ipFamilies'), textsAt(before, 'ipFamilies')];
  const compared = now.length === former.length ? former : former.slice(0, 1);
  return compared.flatMap((family, index) =>
    now.length === 0 || family === now[index] ? [] : [invalid10('spec.ipFamilies[0]', now, once)],
  );
}
function balancerClassChange(spec, before) {
  const isSame = spec.loadBalancerClass === before.loadBalancerClass;
  const stays = spec.type === 'LoadBalancer' && before.type === 'LoadBalancer';
  return [
    ...(stays && !isSame
      ? [invalid10('spec.loadBalancerClass', spec.loadBalancerClass ?? null, once)]
      : []),
    ...validateBalancerClass(spec),
  ];
}
function healthPortChange(spec, before) {
  if (!needsHealthCheck(spec) || !needsHealthCheck(before)) return [];
  if (spec.healthCheckNodePort === before.healthCheckNodePort) return [];
  return [forbidden4('spec.healthCheckNodePort', 'field is immutable')];
}
function isHeadless(spec) {
  return textAt(spec, 'clusterIP') === 'None';
}

// packages/apiserver/src/kinds/immutable-fields.ts
var changeRules = {
  'apps.v1.Deployment': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.ReplicaSet': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.DaemonSet': (object, old) => immutable(object, old, 'spec', 'selector'),
  'apps.v1.StatefulSet': statefulSetChange,
  'apiextensions.v1.CustomResourceDefinition': validateDefinitionChange,
  'batch.v1.Job': validateJobChange,
  'core.v1.ConfigMap': (object, old) => whenImmutable(object, old, ['data', 'binaryData']),
  'core.v1.Secret': (object, old) => [
    ...immutable(object, old, '', 'type'),
    ...whenImmutable(object, old, ['data']),
  ],
  'core.v1.Service': validateServiceChange,
  'core.v1.PersistentVolumeClaim': claimChange,
  'core.v1.ResourceQuota': quotaChange,
  'core.v1.Pod': validatePodChange,
  'rbac.v1.RoleBinding': roleRefChange,
  'rbac.v1.ClusterRoleBinding': roleRefChange,
  'storage.v1.StorageClass': (object, old) => [
    ...immutable(object, old, '', 'provisioner'),
    ...immutable(object, old, '', 'reclaimPolicy'),
    ...immutable(object, old, '', 'volumeBindingMode'),
    ...(jsonEquals11(object.parameters, old.parameters)
      ? []
      : [forbidden5('parameters', 'updates to parameters are forbidden.')]),
  ],
  'scheduling.v1.PriorityClass': (object, old) =>
    object.value === old.value ? [] : [forbidden5('value', 'may not be changed in an update.')],
  'networking.v1.IngressClass': (object, old) => immutable(object, old, 'spec', 'controller'),
  'discovery.v1.EndpointSlice': (object, old) => immutable(object, old, '', 'addressType'),
};
var statefulSetMutable = /* @__PURE__ */ new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);
function statefulSetChange(object, old) {
  if (jsonEquals11(fixedPart2(object), fixedPart2(old))) return [];
  const detail2 =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  return [forbidden5('spec', detail2)];
}
function fixedPart2(statefulSet) {
  const spec = Object.entries(objectAt(statefulSet, 'spec'));
  return Object.fromEntries(spec.filter(([key]) => !statefulSetMutable.has(key)));
}
function whenImmutable(object, old, fields) {
  if (old.immutable !== true) return [];
  const detail2 = 'field is immutable when `immutable` is set';
  const changed = fields.filter((field) => !jsonEquals11(object[field], old[field]));
  return [
    ...(object.immutable === true ? [] : [forbidden5('immutable', detail2)]),
    ...changed.map((field) => forbidden5(field, detail2)),
  ];
}
function quotaChange(object, old) {
  const [next, before] = [scopesOf2(object), scopesOf2(old)];
  if (next.size === before.size && [...next].every((scope) => before.has(scope))) return [];
  return [invalid11('spec.scopes', objectAt(object, 'spec').scopes, 'field is immutable')];
}
function scopesOf2(quota) {
  const { scopes: scopes3 } = objectAt(quota, 'spec');
  return new Set(Array.isArray(scopes3) ? scopes3 : []);
}
function claimChange(object, old) {
  const isBound = objectAt(object, 'status').phase === 'Bound';
  return [
    ...(jsonEquals11(
      immutableClaimFields(object, old, isBound),
      immutableClaimFields(old, old, isBound),
    )
      ? []
      : [forbidden5('spec', claimImmutable)]),
    ...rejectShrunkClaim(object, old),
  ];
}
var claimImmutable =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
function immutableClaimFields(claim, old, isBound) {
  const hadVolume = textAt(objectAt(old, 'spec'), 'volumeName') !== '';
  return without(
    objectAt(claim, 'spec'),
    ...(hadVolume ? [] : ['volumeName']),
    ...(isBound ? ['resources', 'volumeAttributesClassName'] : []),
  );
}
function rejectShrunkClaim(object, old) {
  const capacity = textAt(objectAt(objectAt(old, 'status'), 'capacity'), 'storage');
  if (compareQuantities6(claimSize(object), claimSize(old)) >= 0) return [];
  if (compareQuantities6(claimSize(object), capacity) > 0) return [];
  const path = 'spec.resources.requests.storage';
  return [forbidden5(path, 'field can not be less than status.capacity')];
}
function claimSize(claim) {
  return textAt(objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests'), 'storage');
}
function roleRefChange(object, old) {
  if (jsonEquals11(object.roleRef, old.roleRef)) return [];
  const { apiGroup = '', kind = '', name = '' } = objectAt(object, 'roleRef');
  const shown2 = { APIGroup: apiGroup, Kind: kind, Name: name };
  return [invalid11('roleRef', shown2, 'cannot change roleRef')];
}

// packages/apiserver/src/kinds/workloads/rules-autoscaler.ts
import {
  childPath as childPath9,
  forbidden as forbidden7,
  indexPath as indexPath10,
  invalid as invalid14,
  notSupported as notSupported5,
  required as required8,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/workloads/rules-autoscaler-metric.ts
import {
  checkDnsLabel as checkDnsLabel2,
  checkPathSegment as checkPathSegment2,
  nanosOfQuantity as nanosOfQuantity2,
} from '@keelson/cel/internal';
import {
  childPath as childPath8,
  forbidden as forbidden6,
  invalid as invalid13,
  notSupported as notSupported4,
  required as required7,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/shared/rules-reference.ts
import { checkPathSegment } from '@keelson/cel/internal';
import {
  childPath as childPath7,
  invalid as invalid12,
  required as required6,
} from '@keelson/structural-schema';
function validateReference(reference3, path, needsGroup) {
  const apiVersion2 = textAt(reference3, 'apiVersion');
  const field = childPath7(path, 'apiVersion');
  const isMissing2 = needsGroup && !apiVersion2.includes('/');
  return [
    ...['kind', 'name'].flatMap((name) =>
      textAt(reference3, name) === ''
        ? [required6(childPath7(path, name))]
        : validName(checkPathSegment, reference3[name], childPath7(path, name)),
    ),
    ...(isMissing2 ? [invalid12(field, apiVersion2, 'apiVersion must specify API group')] : []),
  ];
}

// packages/apiserver/src/kinds/workloads/rules-autoscaler-metric.ts
var sourceChecks = {
  object: validateObjectSource,
  external: validateExternalSource,
  pods: validatePodsSource,
  resource: validateResourceSource,
  containerResource: validateContainerSource,
};
var memberOfType = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};
var rawOrUtilization = 'must set either a target raw value or a target utilization';
function validateMetric(metric, path) {
  const type = textAt(metric, 'type');
  const present = Object.keys(sourceChecks).filter((name) => metric[name] !== void 0);
  const [first] = present;
  const unknown = notSupported4(childPath8(path, 'type'), type, Object.keys(memberOfType));
  const expected = Object.hasOwn(memberOfType, type) ? memberOfType[type] : void 0;
  return [
    ...(type === ''
      ? [required7(childPath8(path, 'type'), 'must specify a metric source type')]
      : []),
    ...(expected === void 0 ? [unknown] : []),
    ...(first === void 0
      ? []
      : (sourceChecks[first]?.(objectAt(metric, first), childPath8(path, first)) ?? [])),
    ...(expected === void 0 ? [unknown] : hasSource(metric, expected, path)),
    ...(present.length < 2
      ? []
      : present
          .filter((name) => name !== expected)
          .map((name) =>
            forbidden6(childPath8(path, name), 'must populate the given metric source only'),
          )),
  ];
}
function hasSource(metric, member, path) {
  if (metric[member] !== void 0) return [];
  const detail2 = 'must populate information for the given metric source';
  return [required7(childPath8(path, member), detail2)];
}
function validateObjectSource(source, path) {
  const target = objectAt(source, 'target');
  return [
    ...validateReference(
      objectAt(source, 'describedObject'),
      childPath8(path, 'describedObject'),
      false,
    ),
    ...validateIdentifier(source, path),
    ...validateTarget(target, childPath8(path, 'target')),
    ...(target.value === void 0 && target.averageValue === void 0
      ? [
          required7(
            childPath8(path, 'target.averageValue'),
            'must set either a target value or averageValue',
          ),
        ]
      : []),
  ];
}
function validateExternalSource(source, path) {
  const target = objectAt(source, 'target');
  const [hasValue, hasAverage] = [target.value !== void 0, target.averageValue !== void 0];
  const missing2 = 'must set either a target value for metric or a per-pod target';
  const both = 'may not set both a target value for metric and a per-pod target';
  return [
    ...validateIdentifier(source, path),
    ...validateTarget(target, childPath8(path, 'target')),
    ...(hasValue || hasAverage
      ? []
      : [required7(childPath8(path, 'target.averageValue'), missing2)]),
    ...(hasValue && hasAverage ? [forbidden6(childPath8(path, 'target.value'), both)] : []),
  ];
}
function validatePodsSource(source, path) {
  const target = objectAt(source, 'target');
  const detail2 = 'must specify a positive target averageValue';
  return [
    ...validateIdentifier(source, path),
    ...validateTarget(target, childPath8(path, 'target')),
    ...(target.averageValue === void 0
      ? [required7(childPath8(path, 'target.averageValue'), detail2)]
      : []),
  ];
}
function validateResourceSource(source, path) {
  return [
    ...(textAt(source, 'name') === ''
      ? [required7(childPath8(path, 'name'), 'must specify a resource name')]
      : []),
    ...validateUtilization(objectAt(source, 'target'), childPath8(path, 'target')),
  ];
}
function validateContainerSource(source, path) {
  return [
    ...(textAt(source, 'name') === ''
      ? [required7(childPath8(path, 'name'), 'must specify a resource name')]
      : []),
    ...(textAt(source, 'container') === ''
      ? [required7(childPath8(path, 'container'), 'must specify a container')]
      : validName(checkDnsLabel2, source.container, childPath8(path, 'container'))),
    ...validateUtilization(objectAt(source, 'target'), childPath8(path, 'target')),
  ];
}
function validateUtilization(target, path) {
  const hasUtilization = target.averageUtilization !== void 0;
  const hasAverage = target.averageValue !== void 0;
  const both = 'may not set both a target raw value and a target utilization';
  return [
    ...validateTarget(target, path),
    ...(hasUtilization || hasAverage
      ? []
      : [required7(childPath8(path, 'averageUtilization'), rawOrUtilization)]),
    ...(hasUtilization && hasAverage ? [forbidden6(childPath8(path, 'averageValue'), both)] : []),
  ];
}
function validateTarget(target, path) {
  const type = textAt(target, 'type');
  const field = childPath8(path, 'type');
  const isKnown2 = ['Utilization', 'Value', 'AverageValue'].includes(type);
  const { averageUtilization } = target;
  return [
    ...(type === '' ? [required7(field, 'must specify a metric target type')] : []),
    ...(isKnown2
      ? []
      : [invalid13(field, type, 'must be either Utilization, Value, or AverageValue')]),
    ...['value', 'averageValue'].flatMap((name) =>
      isPositive(target[name])
        ? []
        : [invalid13(childPath8(path, name), target[name], 'must be positive')],
    ),
    ...(typeof averageUtilization === 'number' && averageUtilization < 1
      ? [
          invalid13(
            childPath8(path, 'averageUtilization'),
            averageUtilization,
            'must be greater than 0',
          ),
        ]
      : []),
  ];
}
function isPositive(quantity) {
  if (typeof quantity !== 'string') return true;
  return (nanosOfQuantity2(quantity) ?? 0n) > 0n;
}
function validateIdentifier(source, path) {
  const { name } = objectAt(source, 'metric');
  const field = childPath8(path, 'metric.name');
  if (name === void 0 || name === '') return [required7(field, 'must specify a metric name')];
  return validName(checkPathSegment2, name, field);
}

// packages/apiserver/src/kinds/workloads/rules-autoscaler.ts
var MAX_WINDOW_SECONDS = 3600;
var MAX_PERIOD_SECONDS = 1800;
var selectPolicies = ['Disabled', 'Max', 'Min'];
var policyTypes = ['Percent', 'Pods'];
function validateAutoscaler(autoscaler, old) {
  const spec = objectAt(autoscaler, 'spec');
  const before = old === void 0 ? void 0 : objectAt(old, 'spec');
  return [
    ...validateBounds(spec, before),
    ...validateTarget2(spec, before),
    ...validateMetrics(spec),
    ...validateBehavior(objectAt(spec, 'behavior')),
  ];
}
function validateAutoscalerStatus(autoscaler) {
  const status3 = objectAt(autoscaler, 'status');
  return atLeastZero(status3, 'status', 'currentReplicas', 'desiredReplicas');
}
function validateBounds(spec, before) {
  const least = Number(spec.minReplicas ?? 1);
  const most = Number(spec.maxReplicas ?? 0);
  const lowest = before?.minReplicas === 0 ? 0 : 1;
  const causes = [];
  if (least < lowest) {
    const detail2 = `must be greater than or equal to ${lowest}`;
    causes.push(invalid14('spec.minReplicas', least, detail2));
  }
  if (most === 0) causes.push(required8('spec.maxReplicas', 'must be set and greater than 0'));
  if (most < 0) {
    causes.push(invalid14('spec.maxReplicas', most, 'must be greater than or equal to 1'));
  }
  if (most < least) {
    const detail2 = 'must be greater than or equal to `minReplicas`';
    causes.push(invalid14('spec.maxReplicas', most, detail2));
  }
  return causes;
}
function validateTarget2(spec, before) {
  const target = objectAt(spec, 'scaleTargetRef');
  const previous = objectAt(before ?? {}, 'scaleTargetRef');
  const isKept =
    before !== void 0 && previous.apiVersion === target.apiVersion && previous.kind === target.kind;
  const needsGroup = !isKept && target.kind !== 'ReplicationController';
  return validateReference(target, 'spec.scaleTargetRef', needsGroup);
}
function validateMetrics(spec) {
  const metrics = objectsAt(spec, 'metrics');
  const detail2 =
    'must specify at least one Object or External metric to support scaling to zero replicas';
  const canStart = metrics.some(({ type }) => type === 'Object' || type === 'External');
  return [
    ...metrics.flatMap((metric, index) =>
      validateMetric(metric, indexPath10('spec.metrics', index)),
    ),
    ...(spec.minReplicas === 0 && !canStart ? [forbidden7('spec.metrics', detail2)] : []),
  ];
}
function validateBehavior(behavior) {
  return ['scaleUp', 'scaleDown']
    .filter((direction) => behavior[direction] !== void 0)
    .flatMap((direction) =>
      validateScalingRules(objectAt(behavior, direction), childPath9('spec.behavior', direction)),
    );
}
function validateScalingRules(rules4, path) {
  const window = Number(rules4.stabilizationWindowSeconds ?? 0);
  const windowPath = childPath9(path, 'stabilizationWindowSeconds');
  const select = textAt(rules4, 'selectPolicy', 'Max');
  const policies2 = objectsAt(rules4, 'policies');
  const policiesPath = childPath9(path, 'policies');
  return [
    ...(window < 0 ? [invalid14(windowPath, window, 'must be greater than or equal to zero')] : []),
    ...(window > MAX_WINDOW_SECONDS
      ? [invalid14(windowPath, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`)]
      : []),
    ...(selectPolicies.includes(select)
      ? []
      : [notSupported5(childPath9(path, 'selectPolicy'), select, selectPolicies)]),
    ...(policies2.length === 0
      ? [required8(policiesPath, 'must specify at least one Policy')]
      : []),
    ...policies2.flatMap((policy, index) =>
      validatePolicy(policy, indexPath10(policiesPath, index)),
    ),
  ];
}
function validatePolicy(policy, path) {
  const type = textAt(policy, 'type');
  const period = Number(policy.periodSeconds ?? 0);
  const field = childPath9(path, 'periodSeconds');
  return [
    ...(policyTypes.includes(type)
      ? []
      : [notSupported5(childPath9(path, 'type'), type, policyTypes)]),
    ...(Number(policy.value ?? 0) <= 0
      ? [invalid14(childPath9(path, 'value'), policy.value ?? 0, 'must be greater than zero')]
      : []),
    ...(period <= 0 ? [invalid14(field, period, 'must be greater than zero')] : []),
    ...(period > MAX_PERIOD_SECONDS
      ? [invalid14(field, period, `must be less than or equal to ${MAX_PERIOD_SECONDS}`)]
      : []),
  ];
}

// packages/apiserver/src/kinds/workloads/rules-budget.ts
import {
  childPath as childPath12,
  invalid as invalid17,
  notSupported as notSupported7,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/shared/rules-condition.ts
import { checkQualifiedName as checkQualifiedName3 } from '@keelson/cel/internal';
import {
  childPath as childPath10,
  duplicate as duplicate5,
  indexPath as indexPath11,
  invalid as invalid15,
  isJsonObject as isJsonObject9,
  isNumeric as isNumeric2,
  notSupported as notSupported6,
  required as required9,
  tooLong,
} from '@keelson/structural-schema';
var statuses = ['False', 'True', 'Unknown'];
var MAX_REASON_LENGTH = 1024;
var MAX_MESSAGE_BYTES = 32 * 1024;
var reasonDetail =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
function validateConditions(list2, path) {
  const conditions2 = Array.isArray(list2) ? list2.filter((item) => isJsonObject9(item)) : [];
  const types3 = conditions2.map((condition) => textAt(condition, 'type'));
  return conditions2.flatMap((condition, index) => {
    const type = types3[index] ?? '';
    const field = indexPath11(path, index);
    return [
      ...(types3.indexOf(type) < index ? [duplicate5(childPath10(field, 'type'), type)] : []),
      ...validateCondition(condition, field),
    ];
  });
}
function validateCondition(condition, path) {
  const type = textAt(condition, 'type');
  const status3 = textAt(condition, 'status');
  const generation = condition.observedGeneration;
  return [
    ...checkQualifiedName3(type).map((detail2) =>
      invalid15(childPath10(path, 'type'), type, detail2),
    ),
    ...(statuses.includes(status3)
      ? []
      : [notSupported6(childPath10(path, 'status'), status3, statuses)]),
    ...(isNumeric2(generation) && generation < 0
      ? [
          invalid15(
            childPath10(path, 'observedGeneration'),
            generation,
            'must be greater than or equal to zero',
          ),
        ]
      : []),
    ...(textAt(condition, 'lastTransitionTime') === ''
      ? [required9(childPath10(path, 'lastTransitionTime'))]
      : []),
    ...validateReason(textAt(condition, 'reason'), childPath10(path, 'reason')),
    ...(Buffer.byteLength(textAt(condition, 'message')) > MAX_MESSAGE_BYTES
      ? [tooLong(childPath10(path, 'message'), MAX_MESSAGE_BYTES)]
      : []),
  ];
}
function validateReason(reason, path) {
  if (reason === '') return [required9(path)];
  return [
    ...(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)
      ? []
      : [invalid15(path, reason, reasonDetail)]),
    ...(reason.length > MAX_REASON_LENGTH ? [tooLong(path, MAX_REASON_LENGTH)] : []),
  ];
}

// packages/apiserver/src/kinds/shared/rules-selector.ts
import { checkLabelValue, checkQualifiedName as checkQualifiedName4 } from '@keelson/cel/internal';
import {
  childPath as childPath11,
  forbidden as forbidden8,
  indexPath as indexPath12,
  invalid as invalid16,
  required as required10,
  validateLabels as validateLabels2,
} from '@keelson/structural-schema';
function validateLabelSelector(selector, path) {
  const labels = objectAt(selector, 'matchLabels');
  const expressions = childPath11(path, 'matchExpressions');
  return [
    ...validateLabels2(labels, childPath11(path, 'matchLabels')),
    ...objectsAt(selector, 'matchExpressions').flatMap((expression, index) =>
      validateExpression(expression, indexPath12(expressions, index)),
    ),
  ];
}
function validateExpression(expression, path) {
  const values = textsAt(expression, 'values');
  return [
    ...validateOperator(textAt(expression, 'operator'), values, path),
    ...checkQualifiedName4(textAt(expression, 'key')).map((detail2) =>
      invalid16(childPath11(path, 'key'), textAt(expression, 'key'), detail2),
    ),
    ...values.flatMap((value, index) =>
      checkLabelValue(value).map((detail2) =>
        invalid16(indexPath12(childPath11(path, 'values'), index), value, detail2),
      ),
    ),
  ];
}
function validateOperator(operator, values, path) {
  const field = childPath11(path, 'values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required10(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        forbidden8(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    default:
      return [invalid16(childPath11(path, 'operator'), operator, 'not a valid selector operator')];
  }
}

// packages/apiserver/src/kinds/workloads/rules-budget.ts
var evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];
function validateDisruptionBudget(budget) {
  const spec = objectAt(budget, 'spec');
  const policy = textAt(spec, 'unhealthyPodEvictionPolicy');
  return [
    ...notBoth(spec),
    ...['minAvailable', 'maxUnavailable'].flatMap((field) => [
      ...countOrPercent(spec[field], childPath12('spec', field)),
      ...atMostAll(spec[field], childPath12('spec', field)),
    ]),
    ...validateLabelSelector(objectAt(spec, 'selector'), 'spec.selector'),
    ...(policy === '' || evictionPolicies.includes(policy)
      ? []
      : [notSupported7('spec.unhealthyPodEvictionPolicy', policy, evictionPolicies)]),
  ];
}
function notBoth(spec) {
  const { minAvailable, maxUnavailable } = spec;
  if (minAvailable === void 0 || maxUnavailable === void 0) return [];
  const shown2 = {
    MinAvailable: minAvailable,
    Selector: spec.selector ?? null,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
  return [invalid17('spec', shown2, 'minAvailable and maxUnavailable cannot be both set')];
}
function validateDisruptionBudgetStatus(budget) {
  const status3 = objectAt(budget, 'status');
  const counts2 = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
  return [
    ...validateConditions(status3.conditions, 'status.conditions'),
    ...atLeastZero(status3, 'status', ...counts2),
  ];
}

// packages/apiserver/src/kinds/services/rules-ingress.ts
import { isIP as isIP5 } from 'node:net';
import {
  checkDns1035Label as checkDns1035Label2,
  checkPathSegment as checkPathSegment3,
  checkPortName as checkPortName2,
  checkSubdomain as checkSubdomain3,
  checkWildcardSubdomain,
} from '@keelson/cel/internal';
import {
  childPath as childPath13,
  indexPath as indexPath13,
  invalid as invalid18,
  notSupported as notSupported8,
  required as required11,
} from '@keelson/structural-schema';
var pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
var forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F'];
var forbiddenEnds = ['/..', '/.'];
var classAnnotation = 'kubernetes.io/ingress.class';
function validateIngress(ingress, old) {
  const spec = objectAt(ingress, 'spec');
  return [...validateSpec(spec, 'spec'), ...(old === void 0 ? sameClass(ingress, spec) : [])];
}
function sameClass(ingress, spec) {
  const annotation2 = objectAt(objectAt(ingress, 'metadata'), 'annotations')[classAnnotation];
  const { ingressClassName } = spec;
  if (annotation2 === void 0 || ingressClassName === void 0) return [];
  if (annotation2 === ingressClassName) return [];
  const detail2 = 'must match `ingressClassName` when both are specified';
  return [invalid18(childPath13('annotations', classAnnotation), annotation2, detail2)];
}
function validateSpec(spec, path) {
  const rules4 = objectsAt(spec, 'rules');
  const detail2 = 'either `defaultBackend` or `rules` must be specified';
  return [
    ...(rules4.length === 0 && spec.defaultBackend === void 0
      ? [invalid18(path, spec.rules ?? null, detail2)]
      : []),
    ...(spec.defaultBackend === void 0
      ? []
      : validateBackend(objectAt(spec, 'defaultBackend'), childPath13(path, 'defaultBackend'))),
    ...rules4.flatMap((rule, index) =>
      validateRule(rule, indexPath13(childPath13(path, 'rules'), index)),
    ),
    ...objectsAt(spec, 'tls').flatMap((tls, index) =>
      validateTls(tls, indexPath13(childPath13(path, 'tls'), index)),
    ),
    ...validName(checkSubdomain3, spec.ingressClassName, childPath13(path, 'ingressClassName')),
  ];
}
function validateRule(rule, path) {
  const host = textAt(rule, 'host');
  const field = childPath13(path, 'host');
  const http = objectAt(rule, 'http');
  const paths = objectsAt(http, 'paths');
  const pathsField = childPath13(path, 'http.paths');
  return [
    ...(isIP5(host) === 0 ? [] : [invalid18(field, host, 'must be a DNS name, not an IP address')]),
    ...validHost(host, field),
    ...(rule.http !== void 0 && paths.length === 0 ? [required11(pathsField)] : []),
    ...paths.flatMap((each2, index) => validatePath(each2, indexPath13(pathsField, index))),
  ];
}
function validHost(host, field) {
  return validName(host.includes('*') ? checkWildcardSubdomain : checkSubdomain3, host, field);
}
function validatePath(rule, path) {
  const type = textAt(rule, 'pathType');
  if (type === '') {
    return [required11(childPath13(path, 'pathType'), 'pathType must be specified')];
  }
  return [
    ...(pathTypes.includes(type)
      ? validatePathText(textAt(rule, 'path'), type, childPath13(path, 'path'))
      : [notSupported8(childPath13(path, 'pathType'), type, pathTypes)]),
    ...validateBackend(objectAt(rule, 'backend'), childPath13(path, 'backend')),
  ];
}
function validatePathText(text3, type, field) {
  const isFree = type === 'ImplementationSpecific';
  const causes =
    text3.startsWith('/') || (isFree && text3 === '')
      ? []
      : [invalid18(field, text3, 'must be an absolute path')];
  if (isFree) return causes;
  return [
    ...causes,
    ...forbiddenSequences
      .filter((part) => text3.includes(part))
      .map((part) => invalid18(field, text3, `must not contain '${part}'`)),
    ...forbiddenEnds
      .filter((part) => text3.endsWith(part))
      .map((part) => invalid18(field, text3, `cannot end with '${part}'`)),
  ];
}
function validateBackend(backend, path) {
  if (backend.resource !== void 0 && backend.service !== void 0) {
    return [invalid18(path, '', 'cannot set both resource and service backends')];
  }
  if (backend.resource !== void 0) {
    return validateReference2(objectAt(backend, 'resource'), childPath13(path, 'resource'));
  }
  if (backend.service === void 0) {
    return [invalid18(path, '', 'resource or service backend is required')];
  }
  return validateServiceBackend(objectAt(backend, 'service'), path);
}
function validateReference2(reference3, path) {
  return [
    ...validName(checkSubdomain3, reference3.apiGroup, childPath13(path, 'apiGroup')),
    ...['kind', 'name'].flatMap((field) =>
      textAt(reference3, field) === ''
        ? [required11(childPath13(path, field))]
        : validName(checkPathSegment3, reference3[field], childPath13(path, field)),
    ),
  ];
}
function validateServiceBackend(service, path) {
  const field = childPath13(path, 'service');
  const name = childPath13(field, 'name');
  const port = objectAt(service, 'port');
  return [
    ...(textAt(service, 'name') === ''
      ? [required11(name)]
      : validName(checkDns1035Label2, service.name, name)),
    ...validateServicePort(port, path),
  ];
}
function validateServicePort(port, path) {
  const hasName = textAt(port, 'name') !== '';
  const hasNumber = (port.number ?? 0) !== 0;
  const field = childPath13(path, 'service.port');
  if (hasName && hasNumber) return [invalid18(path, '', 'cannot set both port name & port number')];
  if (hasName) return validName(checkPortName2, port.name, childPath13(field, 'name'));
  if (hasNumber) return validPort(port.number, childPath13(field, 'number'));
  return [required11(path, 'port name or number is required')];
}
function validateTls(tls, path) {
  const hosts = childPath13(path, 'hosts');
  return [
    ...textsAt(tls, 'hosts').flatMap((host, index) => validHost(host, indexPath13(hosts, index))),
    ...validName(checkSubdomain3, tls.secretName, childPath13(path, 'secretName')),
  ];
}
function validateIngressStatus(ingress) {
  const loadBalancer = objectAt(objectAt(ingress, 'status'), 'loadBalancer');
  return objectsAt(loadBalancer, 'ingress').flatMap((address, index) => {
    const path = indexPath13('status.loadBalancer.ingress', index);
    const [ip, hostname] = [textAt(address, 'ip'), textAt(address, 'hostname')];
    const ipDetail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
    const hostDetail = 'must be a DNS name, not an IP address';
    const field = childPath13(path, 'hostname');
    return [
      ...(ip === '' || isIP5(ip) !== 0 ? [] : [invalid18(childPath13(path, 'ip'), ip, ipDetail)]),
      ...validName(checkSubdomain3, hostname, field),
      ...(isIP5(hostname) === 0 ? [] : [invalid18(field, hostname, hostDetail)]),
    ];
  });
}

// packages/apiserver/src/kinds/services/rules-service-status.ts
import { isIP as isIP6 } from 'node:net';
import { checkSubdomain as checkSubdomain4 } from '@keelson/cel/internal';
import {
  childPath as childPath14,
  forbidden as forbidden9,
  indexPath as indexPath14,
  invalid as invalid19,
  notSupported as notSupported9,
  required as required12,
} from '@keelson/structural-schema';
var modes2 = ['Proxy', 'VIP'];
var addressDetail2 = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
function validateServiceStatus(service) {
  const status3 = objectAt(service, 'status');
  const addresses = objectsAt(objectAt(status3, 'loadBalancer'), 'ingress');
  const path = 'status.loadBalancer.ingress';
  const isBalancer = objectAt(service, 'spec').type === 'LoadBalancer';
  const only = "may only be used when `spec.type` is 'LoadBalancer'";
  if (!isBalancer && addresses.length > 0) return [forbidden9(path, only)];
  return addresses.flatMap((address, index) => validateAddress(address, indexPath14(path, index)));
}
function validateAddress(address, path) {
  const [ip, hostname] = [textAt(address, 'ip'), textAt(address, 'hostname')];
  const mode = textAt(address, 'ipMode', 'VIP');
  const field = childPath14(path, 'hostname');
  const modePath = childPath14(path, 'ipMode');
  return [
    ...(ip === '' || isIP6(ip) !== 0
      ? []
      : [invalid19(childPath14(path, 'ip'), ip, addressDetail2)]),
    ...(ip !== '' && address.ipMode === void 0
      ? [required12(modePath, 'must be specified when `ip` is set')]
      : []),
    ...(ip === '' && address.ipMode !== void 0
      ? [forbidden9(modePath, 'may not be specified when `ip` is not set')]
      : []),
    ...(modes2.includes(mode) ? [] : [notSupported9(modePath, mode, modes2)]),
    ...validName(checkSubdomain4, hostname, field),
    ...(isIP6(hostname) === 0
      ? []
      : [invalid19(field, hostname, 'must be a DNS name, not an IP address')]),
  ];
}

// packages/apiserver/src/kinds/validate-struct.ts
import {
  childPath as childPath33,
  indexPath as indexPath24,
  isJsonObject as isJsonObject14,
  keyPath as keyPath7,
  notSupported as notSupported18,
  required as required27,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/cluster/rules-access.ts
import {
  childPath as childPath15,
  indexPath as indexPath15,
  invalid as invalid20,
  notSupported as notSupported10,
  required as required13,
} from '@keelson/structural-schema';
var group = 'rbac.authorization.k8s.io';
var accessRules = {
  'rbac.v1.RoleBinding': (binding) => validateBinding(binding, ['Role', 'ClusterRole']),
  'rbac.v1.ClusterRoleBinding': (binding) => validateBinding(binding, ['ClusterRole']),
  'rbac.v1.Role': (role) =>
    objectsAt(role, 'rules').flatMap((rule, index) =>
      isEmpty3(rule, 'nonResourceURLs')
        ? []
        : [
            invalid20(
              childPath15(indexPath15('rules', index), 'nonResourceURLs'),
              rule.nonResourceURLs,
              'namespaced rules cannot apply to non-resource URLs',
            ),
          ],
    ),
  'rbac.v1.PolicyRule': validateRule2,
};
function validateRule2(rule, path) {
  const verbs2 = isEmpty3(rule, 'verbs')
    ? [required13(childPath15(path, 'verbs'), 'verbs must contain at least one value')]
    : [];
  if (!isEmpty3(rule, 'nonResourceURLs')) return [...verbs2, ...validatePaths(rule, path)];
  return [
    ...verbs2,
    ...(isEmpty3(rule, 'apiGroups')
      ? [
          required13(
            childPath15(path, 'apiGroups'),
            'resource rules must supply at least one api group',
          ),
        ]
      : []),
    ...(isEmpty3(rule, 'resources')
      ? [
          required13(
            childPath15(path, 'resources'),
            'resource rules must supply at least one resource',
          ),
        ]
      : []),
  ];
}
function validatePaths(rule, path) {
  const isBoth = ['apiGroups', 'resources', 'resourceNames'].some((name) => !isEmpty3(rule, name));
  if (!isBoth) return [];
  const detail2 = 'rules cannot apply to both regular resources and non-resource URLs';
  return [invalid20(childPath15(path, 'nonResourceURLs'), rule.nonResourceURLs, detail2)];
}
function isEmpty3(rule, name) {
  const list2 = rule[name];
  return !Array.isArray(list2) || list2.length === 0;
}
function validateBinding(binding, kinds) {
  const role = objectAt(binding, 'roleRef');
  const isNamespaced = kinds.includes('Role');
  return [
    ...(role.apiGroup === group
      ? []
      : [notSupported10('roleRef.apiGroup', role.apiGroup ?? '', [group])]),
    ...(kinds.includes(textAt(role, 'kind'))
      ? []
      : [notSupported10('roleRef.kind', role.kind ?? '', kinds)]),
    ...objectsAt(binding, 'subjects').flatMap((subject, index) =>
      validateSubject(subject, isNamespaced, indexPath15('subjects', index)),
    ),
  ];
}
function validateSubject(subject, isNamespaced, path) {
  const { kind, apiGroup = '' } = subject;
  const wanted2 = kind === 'ServiceAccount' ? '' : group;
  if (kind !== 'ServiceAccount' && kind !== 'User' && kind !== 'Group') {
    return [
      notSupported10(childPath15(path, 'kind'), kind ?? '', ['ServiceAccount', 'User', 'Group']),
    ];
  }
  return [
    ...(apiGroup === wanted2
      ? []
      : [notSupported10(childPath15(path, 'apiGroup'), apiGroup, [wanted2])]),
    ...(kind === 'ServiceAccount' && !isNamespaced && textAt(subject, 'namespace') === ''
      ? [required13(childPath15(path, 'namespace'))]
      : []),
  ];
}

// packages/apiserver/src/kinds/pods/rules-container.ts
import {
  checkDnsLabel as checkDnsLabel3,
  checkPortName as checkPortName3,
  checkSubdomain as checkSubdomain5,
} from '@keelson/cel/internal';
import {
  childPath as childPath16,
  duplicate as duplicate6,
  forbidden as forbidden10,
  indexPath as indexPath16,
  invalid as invalid21,
  required as required14,
} from '@keelson/structural-schema';
var handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];
var podFields = /* @__PURE__ */ new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
var containerOrders = {
  'core.v1.Container': validateContainer,
  'core.v1.EphemeralContainer': validateContainer,
  'core.v1.ContainerPort': (port, path, fields) => [
    ...validName(checkPortName3, port.name, childPath16(path, 'name')),
    ...(Number(port.containerPort ?? 0) === 0
      ? [required14(childPath16(path, 'containerPort'))]
      : validPort(port.containerPort, childPath16(path, 'containerPort'))),
    ...(port.hostPort === 0 ? [] : validPort(port.hostPort, childPath16(path, 'hostPort'))),
    ...fields.validate('protocol'),
  ],
  'core.v1.Probe': (probe, path, fields) => [
    ...validateHandler(probe, path),
    ...fields.validate(...handlers),
    ...atLeastZero(probe, path, 'initialDelaySeconds', 'timeoutSeconds', 'periodSeconds'),
    ...atLeastZero(probe, path, 'successThreshold', 'failureThreshold'),
  ],
};
var containerRules = {
  'core.v1.EnvVar': validateVariable,
  'core.v1.EnvVarSource': validateSource,
  'core.v1.ConfigMapEnvSource': hasSubdomainName,
  'core.v1.SecretEnvSource': hasSubdomainName,
  'core.v1.LifecycleHandler': validateHandler,
};
function validateContainer(container, path, fields) {
  return [
    ...fields.validate('name'),
    ...validName(checkDnsLabel3, container.name, childPath16(path, 'name')),
    ...(textAt(container, 'image') === '' ? [required14(childPath16(path, 'image'))] : []),
    ...fields.validate('terminationMessagePolicy', 'ports'),
    ...repeatedPortNames(container, childPath16(path, 'ports')),
    ...fields.validate('env', 'envFrom', 'volumeMounts', 'volumeDevices', 'imagePullPolicy'),
    ...fields.validate('resources'),
    ...validateExtendedResources(container, path),
    ...fields.validate('resizePolicy', 'securityContext', 'lifecycle', 'livenessProbe'),
    ...onlyOneSuccess(container, path, 'livenessProbe'),
    ...fields.validate('readinessProbe', 'startupProbe'),
    ...onlyOneSuccess(container, path, 'startupProbe'),
    ...fields.others(),
  ];
}
function validateHandler(handler, path) {
  const [first, ...more] = handlers.filter((name) => handler[name] !== void 0);
  if (first === void 0) return [required14(path, 'must specify a handler type')];
  return [
    ...validateAction(first, objectAt(handler, first), childPath16(path, first)),
    ...more.map((name) =>
      forbidden10(childPath16(path, name), 'may not specify more than 1 handler type'),
    ),
  ];
}
function validateAction(name, action, path) {
  if (name === 'exec') {
    return textsAt(action, 'command').length === 0
      ? [required14(childPath16(path, 'command'))]
      : [];
  }
  if (name !== 'httpGet' && name !== 'tcpSocket') return [];
  const port = childPath16(path, 'port');
  return [
    ...(name === 'httpGet' && textAt(action, 'path') === ''
      ? [required14(childPath16(path, 'path'))]
      : []),
    ...(typeof action.port === 'string'
      ? validName(checkPortName3, action.port, port)
      : validPort(action.port, port)),
  ];
}
function onlyOneSuccess(container, path, name) {
  const threshold = objectAt(container, name).successThreshold;
  if (container[name] === void 0 || threshold === void 0 || threshold === 1) return [];
  return [invalid21(childPath16(path, `${name}.successThreshold`), threshold, 'must be 1')];
}
function repeatedPortNames(container, path) {
  const names5 = objectsAt(container, 'ports').map((port) => textAt(port, 'name'));
  return names5.flatMap((name, index) =>
    name !== '' && names5.indexOf(name) < index
      ? [duplicate6(childPath16(indexPath16(path, index), 'name'), name)]
      : [],
  );
}
function validateExtendedResources(container, path) {
  const resources = objectAt(container, 'resources');
  const limits3 = objectAt(resources, 'limits');
  const isMissing2 = Object.keys(objectAt(resources, 'requests')).some(
    (name) => name.includes('/') && !name.startsWith('kubernetes.io/') && !(name in limits3),
  );
  const detail2 = 'Limit must be set for non overcommitable resources';
  return isMissing2 ? [required14(childPath16(path, 'resources.limits'), detail2)] : [];
}
function validateVariable(variable, path) {
  const name = textAt(variable, 'name');
  const source = objectAt(variable, 'valueFrom');
  const field = childPath16(path, 'valueFrom');
  const detail2 =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
  const hasBoth = textAt(variable, 'value') !== '' && Object.keys(source).length > 0;
  return [
    ...(/^[\x20-\x3C\x3E-\x7E]*$/.test(name)
      ? []
      : [invalid21(childPath16(path, 'name'), name, detail2)]),
    ...validateFieldReference(objectAt(source, 'fieldRef'), childPath16(field, 'fieldRef')),
    ...(hasBoth ? [invalid21(field, '', 'may not be specified when `value` is not empty')] : []),
  ];
}
function validateFieldReference(reference3, path) {
  const name = textAt(reference3, 'fieldPath');
  if (name === '' || podFields.has(name)) return [];
  if (/^metadata\.(labels|annotations)\['[^']*'\]$/.test(name)) return [];
  const field = childPath16(path, 'fieldPath');
  const detail2 = `error converting fieldPath: field label not supported: ${name}`;
  return [invalid21(field, name, detail2)];
}
function validateSource(source, path) {
  if (Object.keys(source).length > 0) return [];
  const detail2 =
    'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
  return [invalid21(path, '', detail2)];
}
function hasSubdomainName(source, path) {
  return validName(checkSubdomain5, source.name, childPath16(path, 'name'));
}

// packages/apiserver/src/kinds/workloads/rules-job.ts
import {
  labelRequirementsOf as labelRequirementsOf2,
  matchesLabels as matchesLabels2,
} from '@keelson/apimachinery';
import {
  checkDnsLabel as checkDnsLabel4,
  checkSubdomain as checkSubdomain6,
} from '@keelson/cel/internal';
import {
  childPath as childPath19,
  invalid as invalid24,
  isJsonObject as isJsonObject10,
  keyPath as keyPath2,
  notSupported as notSupported13,
  required as required16,
  tooLong as tooLong2,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/workloads/rules-cron-job.ts
import {
  childPath as childPath17,
  invalid as invalid22,
  notSupported as notSupported11,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/workloads/cron-schedule.ts
var monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
var dayNames = 'sun mon tue wed thu fri sat'.split(' ');
var fieldBounds = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: monthNames, firstName: 1 },
  { least: 0, most: 6, names: dayNames, firstName: 0 },
];
var descriptors = /* @__PURE__ */ new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
var InvalidSchedule = class extends Error {};
function scheduleError(schedule) {
  try {
    checkSchedule(schedule);
    return void 0;
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message;
    throw error;
  }
}
function checkSchedule(schedule) {
  if (schedule.startsWith('@')) return checkDescriptor(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== fieldBounds.length) {
    const found = `found ${fields.length}: [${fields.join(' ')}]`;
    throw new InvalidSchedule(`expected exactly 5 fields, ${found}`);
  }
  for (const [index, bounds] of fieldBounds.entries()) {
    const ranges = (fields[index] ?? '').split(',').filter((range) => range !== '');
    for (const range of ranges) checkRange2(range, bounds);
  }
}
function checkDescriptor(schedule) {
  if (descriptors.has(schedule)) return;
  const every = /^@every (.*)$/s.exec(schedule)?.[1];
  if (every === void 0) throw new InvalidSchedule(`unrecognized descriptor: ${schedule}`);
  if (/^([0-9]*\.?[0-9]+(ns|us|µs|ms|s|m|h))+$/.test(every)) return;
  const reason = `time: invalid duration ${JSON.stringify(every)}`;
  throw new InvalidSchedule(`failed to parse duration ${schedule}: ${reason}`);
}
function checkRange2(expression, bounds) {
  const [range = '', step, ...moreSteps] = expression.split('/');
  const [low = '', high, ...moreEnds] = range.split('-');
  const isStar = low === '*' || low === '?';
  const start = isStar ? bounds.least : parseValue(low, bounds);
  let end = isStar ? bounds.most : start;
  if (!isStar && high !== void 0) end = parseValue(high, bounds);
  if (!isStar && moreEnds.length > 0) throw new InvalidSchedule(`too many hyphens: ${expression}`);
  const width = step === void 0 ? 1 : parseNumber(step);
  if (step !== void 0 && high === void 0) end = bounds.most;
  if (moreSteps.length > 0) throw new InvalidSchedule(`too many slashes: ${expression}`);
  checkBounds({ start, end, width, expression }, bounds);
}
function checkBounds({ start, end, width, expression }, { least, most }) {
  if (start < least) {
    const limits3 = `beginning of range (${start}) below minimum (${least})`;
    throw new InvalidSchedule(`${limits3}: ${expression}`);
  }
  if (end > most) {
    throw new InvalidSchedule(`end of range (${end}) above maximum (${most}): ${expression}`);
  }
  if (start > end) {
    const limits3 = `beginning of range (${start}) beyond end of range (${end})`;
    throw new InvalidSchedule(`${limits3}: ${expression}`);
  }
  if (width === 0) {
    throw new InvalidSchedule(`step of range should be a positive number: ${expression}`);
  }
}
function parseValue(text3, { names: names5 = [], firstName = 0 }) {
  const index = names5.indexOf(text3.toLowerCase());
  return index >= 0 ? index + firstName : parseNumber(text3);
}
function parseNumber(text3) {
  if (!/^[+-]?\d+$/.test(text3)) {
    const reason = `strconv.Atoi: parsing ${JSON.stringify(text3)}: invalid syntax`;
    throw new InvalidSchedule(`failed to parse int from ${text3}: ${reason}`);
  }
  const value = Number(text3);
  if (value >= 0) return value;
  throw new InvalidSchedule(`negative number (${value}) not allowed: ${text3}`);
}

// packages/apiserver/src/kinds/workloads/rules-cron-job.ts
var cronJobOrders = {
  'batch.v1.CronJobSpec': validateCronJob,
  'batch.v1.JobTemplateSpec': (template2, path, fields) => [
    ...fields.validate('spec'),
    ...hasNoSelector(objectAt(template2, 'spec'), childPath17(path, 'spec')),
  ],
};
function validateCronJob(spec, path, fields) {
  return [
    ...fields.validate('schedule'),
    ...validateSchedule(textAt(spec, 'schedule'), childPath17(path, 'schedule')),
    ...atLeastZero(spec, path, 'startingDeadlineSeconds'),
    ...validateTimeZone(spec.timeZone, childPath17(path, 'timeZone')),
    ...fields.validate('concurrencyPolicy', 'jobTemplate'),
    ...atLeastZero(spec, path, 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
  ];
}
function hasNoSelector({ selector, manualSelector }, path) {
  const allowed2 = ['nil', 'false'];
  return [
    ...(selector === void 0
      ? []
      : [invalid22(childPath17(path, 'selector'), selector, '`selector` will be auto-generated')]),
    ...(manualSelector === true
      ? [notSupported11(childPath17(path, 'manualSelector'), true, allowed2)]
      : []),
  ];
}
function validateSchedule(schedule, path) {
  if (schedule === '') return [];
  const reason = scheduleError(withoutZone(schedule));
  const zone = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  return [
    ...(reason === void 0 ? [] : [invalid22(path, schedule, reason)]),
    ...(schedule.includes('TZ') ? [invalid22(path, schedule, zone)] : []),
  ];
}
function withoutZone(schedule) {
  return schedule.replace(/^(CRON_)?TZ=\S+ +/, '');
}
function validateTimeZone(zone, path) {
  if (typeof zone !== 'string') return [];
  if (zone === '') return [invalid22(path, zone, 'timeZone must be nil or non-empty string')];
  if (zone.toLowerCase() === 'local') {
    const detail2 =
      'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalid22(path, zone, detail2)];
  }
  return isTimeZone(zone) ? [] : [invalid22(path, zone, `unknown time zone ${zone}`)];
}
function isTimeZone(zone) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

// packages/apiserver/src/kinds/workloads/rules-job-policy.ts
import { checkQualifiedName as checkQualifiedName5 } from '@keelson/cel/internal';
import {
  childPath as childPath18,
  duplicate as duplicate7,
  indexPath as indexPath17,
  invalid as invalid23,
  notSupported as notSupported12,
  required as required15,
} from '@keelson/structural-schema';
var actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
var operators = ['In', 'NotIn'];
var statuses2 = ['False', 'True', 'Unknown'];
var jobPolicyOrders = {
  'batch.v1.PodFailurePolicyRule': (rule, path, fields) => [
    ...oneOf2(rule, path, 'action', actions),
    ...fields.validate('onExitCodes', 'onPodConditions'),
    ...validateRequirements(rule, path),
  ],
  'batch.v1.PodFailurePolicyOnExitCodesRequirement': (codes, path) => [
    ...oneOf2(codes, path, 'operator', operators),
    ...validateCodes(codes, childPath18(path, 'values')),
  ],
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': (pattern2, path) => [
    ...checkQualifiedName5(textAt(pattern2, 'type')).map((detail2) =>
      invalid23(childPath18(path, 'type'), textAt(pattern2, 'type'), detail2),
    ),
    ...oneOf2(pattern2, path, 'status', statuses2),
  ],
};
function oneOf2(object, path, name, allowed2) {
  const [value, field] = [textAt(object, name), childPath18(path, name)];
  if (allowed2.includes(value)) return [];
  if (value !== '') return [notSupported12(field, value, allowed2)];
  const list2 = allowed2.map((each2) => JSON.stringify(each2)).join(' ');
  return [required15(field, `valid values: [${list2}]`)];
}
function validateRequirements(rule, path) {
  const hasCodes = rule.onExitCodes !== void 0;
  const hasConditions = objectsAt(rule, 'onPodConditions').length > 0;
  if (hasCodes !== hasConditions) return [];
  const problem = hasCodes
    ? 'specifying both OnExitCodes and OnPodConditions is not supported'
    : 'specifying one of OnExitCodes and OnPodConditions is required';
  return [{ reason: 'FieldValueInvalid', message: `Invalid value: ${problem}`, field: path }];
}
function validateCodes(requirement, path) {
  const { values, operator } = requirement;
  const codes = Array.isArray(values) ? values.map(Number) : [];
  const isOrdered = codes.every((code, index) => index === 0 || Number(codes[index - 1]) <= code);
  return [
    ...(codes.length === 0
      ? [invalid23(path, values ?? null, 'at least one value is required')]
      : []),
    ...codes.flatMap((code, index) => [
      ...(operator === 'In' && code === 0
        ? [invalid23(indexPath17(path, index), code, 'must not be 0 for the In operator')]
        : []),
      ...(codes.indexOf(code) < index ? [duplicate7(indexPath17(path, index), code)] : []),
    ]),
    ...(isOrdered ? [] : [invalid23(path, codes, 'must be ordered')]),
  ];
}

// packages/apiserver/src/kinds/workloads/rules-job.ts
var MAX_MANAGER_LENGTH = 63;
var MAX_INDEXED_COUNT = 1e5;
var completionModes = ['NonIndexed', 'Indexed'];
var mismatch4 = '`selector` does not match template `labels`';
var jobOrders = {
  ...jobPolicyOrders,
  ...cronJobOrders,
  'batch.v1.Job': (job, _, fields) => [
    ...(objectAt(job, 'spec').manualSelector === true ? [] : validateGenerated(job)),
    ...fields.validate('spec'),
    ...validateHostnames(job),
  ],
  'batch.v1.JobSpec': (spec, path, fields) => [
    ...validateCounts(spec, path),
    ...validateManager(spec.managedBy, childPath19(path, 'managedBy')),
    ...validateCompletionMode(spec, path),
    ...fields.validate('podFailurePolicy'),
    ...validateSuccessPolicy(spec, path),
    ...validateReplacement(spec, path),
    ...fields.validate('template'),
    ...endsSomeTime(spec, path),
    // The template of a CronJob has no selector.
    ...(path === 'spec' ? validateSelector2(spec, path) : []),
  ],
};
function validateGenerated(job) {
  const metadata = objectAt(job, 'metadata');
  const [name, uid] = [textAt(metadata, 'name'), textAt(metadata, 'uid')];
  const { selector } = objectAt(job, 'spec');
  if (!isJsonObject10(selector)) return [];
  const expected = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  };
  const labels = objectAt(objectAt(objectAt(job, 'spec'), 'template'), 'metadata').labels;
  return [
    ...Object.entries(expected).flatMap(([key, value]) => hasLabel(labels, key, value)),
    ...(selectorMatches(selector, expected) === false
      ? [invalid24('spec.selector', shownSelector(selector), '`selector` not auto-generated')]
      : []),
  ];
}
function shownSelector(selector) {
  const { matchLabels, ...others } = selector;
  return { ...(matchLabels !== void 0 && { matchLabels: shown(matchLabels) }), ...others };
}
function shown(labels) {
  if (!isJsonObject10(labels)) return null;
  const entries = Object.entries(labels);
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
function hasLabel(labels, key, value) {
  const found = labels?.[key];
  if (found === value) return [];
  const field = keyPath2('spec.template.metadata.labels', key);
  const detail2 = `must be '${value}'`;
  return [found === void 0 ? required16(field, detail2) : invalid24(field, shown(labels), detail2)];
}
function selectorMatches(selector, labels) {
  if (validateLabelSelector(selector, '').length > 0) return void 0;
  return matchesLabels2(labelRequirementsOf2(selector), labels);
}
function validateSelector2(spec, path) {
  const { selector } = spec;
  const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
  const given = isJsonObject10(selector);
  const matches = given && selectorMatches(selector, labels ?? {}) !== false;
  return [
    ...(given
      ? validateLabelSelector(selector, childPath19(path, 'selector'))
      : [required16(childPath19(path, 'selector'))]),
    ...(matches
      ? []
      : [invalid24(childPath19(path, 'template.metadata.labels'), shown(labels), mismatch4)]),
  ];
}
function validateHostnames(job) {
  const { completionMode, completions: completions2 } = objectAt(job, 'spec');
  if (completionMode !== 'Indexed' || Number(completions2 ?? 0) <= 0) return [];
  const name = textAt(objectAt(job, 'metadata'), 'name');
  const longest = `${name}-${Number(completions2) - 1}`;
  if (checkDnsLabel4(longest).length === 0) return [];
  const detail2 = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid24('metadata.name', name, detail2)];
}
function validateCounts(spec, path) {
  const counts2 = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit'];
  const later = ['ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes'];
  const isMissing2 = spec.maxFailedIndexes !== void 0 && spec.backoffLimitPerIndex === void 0;
  return [
    ...atLeastZero(spec, path, ...counts2, ...later),
    ...(isMissing2
      ? [
          required16(
            childPath19(path, 'backoffLimitPerIndex'),
            'when maxFailedIndexes is specified',
          ),
        ]
      : []),
  ];
}
function validateManager(manager3, path) {
  if (typeof manager3 !== 'string') return [];
  if (manager3 === '') return [required16(path)];
  const [, domain = '', rest = ''] = /^([^/]*)\/(.*)$/.exec(manager3) ?? [];
  const found =
    domain === '' || rest === ''
      ? [invalid24(path, manager3, 'must be a domain-prefixed path (such as "acme.io/foo")')]
      : checkSubdomain6(domain).map((detail2) => invalid24(path, domain, detail2));
  return [
    ...found,
    ...(manager3.length > MAX_MANAGER_LENGTH ? [tooLong2(path, MAX_MANAGER_LENGTH)] : []),
  ];
}
function validateCompletionMode(spec, path) {
  const mode = textAt(spec, 'completionMode', 'NonIndexed');
  if (mode === 'Indexed') return validateIndexed(spec, path);
  if (mode !== 'NonIndexed') {
    return [notSupported13(childPath19(path, 'completionMode'), mode, completionModes)];
  }
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((field) => spec[field] !== void 0)
    .map((field) =>
      invalid24(childPath19(path, field), spec[field], 'requires indexed completion mode'),
    );
}
function validateIndexed(spec, path) {
  const { completions: completions2, parallelism, maxFailedIndexes } = spec;
  const failed = childPath19(path, 'maxFailedIndexes');
  return [
    ...(completions2 === void 0
      ? [required16(childPath19(path, 'completions'), 'when completion mode is Indexed')]
      : []),
    ...(Number(parallelism ?? 0) > MAX_INDEXED_COUNT
      ? [
          invalid24(
            childPath19(path, 'parallelism'),
            parallelism,
            `must be less than or equal to ${MAX_INDEXED_COUNT} when completion mode is Indexed`,
          ),
        ]
      : []),
    ...(completions2 !== void 0 && Number(maxFailedIndexes ?? 0) > Number(completions2)
      ? [invalid24(failed, maxFailedIndexes, 'must be less than or equal to completions')]
      : []),
    ...(Number(maxFailedIndexes ?? 0) > MAX_INDEXED_COUNT
      ? [invalid24(failed, maxFailedIndexes, `must be less than or equal to ${MAX_INDEXED_COUNT}`)]
      : []),
  ];
}
function validateSuccessPolicy(spec, path) {
  if (spec.successPolicy === void 0 || spec.completionMode === 'Indexed') return [];
  const field = childPath19(path, 'successPolicy');
  return [invalid24(field, spec.successPolicy, 'requires indexed completion mode')];
}
function validateReplacement(spec, path) {
  const policy = spec.podReplacementPolicy;
  const all2 = ['Failed', 'TerminatingOrFailed'];
  const allowed2 = spec.podFailurePolicy === void 0 ? all2 : ['Failed'];
  if (typeof policy !== 'string' || allowed2.includes(policy)) return [];
  return [notSupported13(childPath19(path, 'podReplacementPolicy'), policy, allowed2)];
}
function endsSomeTime(spec, path) {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  const field = childPath19(path, 'template.spec.restartPolicy');
  if (policy === '' || policy === 'Always') {
    return [required16(field, 'valid values: "OnFailure", "Never"')];
  }
  if (policy !== 'OnFailure' && policy !== 'Never') {
    return [notSupported13(field, policy, ['OnFailure', 'Never'])];
  }
  if (spec.podFailurePolicy === void 0 || policy === 'Never') return [];
  const detail2 = 'only "Never" is supported when podFailurePolicy is specified';
  return [invalid24(field, policy, detail2)];
}

// packages/apiserver/src/kinds/workloads/rules-job-status.ts
import {
  childPath as childPath20,
  duplicate as duplicate8,
  indexPath as indexPath18,
  invalid as invalid25,
  jsonEquals as jsonEquals12,
  required as required17,
} from '@keelson/structural-schema';
var conditions = 'status.conditions';
function validateJobStatus(job, old) {
  const change = {
    spec: objectAt(job, 'spec'),
    status: objectAt(job, 'status'),
    before: objectAt(old, 'status'),
  };
  return [
    ...atLeastZero(
      change.status,
      'status',
      'active',
      'succeeded',
      'failed',
      'ready',
      'terminating',
    ),
    ...validateUncounted(objectAt(change.status, 'uncountedTerminatedPods')),
    ...validateCompletion(change),
    ...validateReasons(change),
    ...validateFinished(change),
    ...validateIndexes(change),
    ...validatePodCounts(change),
    ...validateSuccess(change),
    ...validateProgress(change),
  ];
}
function validateUncounted(pods) {
  const seen = /* @__PURE__ */ new Set();
  return ['succeeded', 'failed'].flatMap((list2) =>
    textsAt(pods, list2).flatMap((uid, index) => {
      const path = indexPath18(`status.uncountedTerminatedPods.${list2}`, index);
      if (uid === '') return [invalid25(path, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate8(path, uid)];
      seen.add(uid);
      return [];
    }),
  );
}
function validateCompletion({ status: status3, before }) {
  const completeChanged = isTrue2(status3, 'Complete') !== isTrue2(before, 'Complete');
  const changed = (type) => isTrue2(status3, type) !== isTrue2(before, type);
  const isComplete = isTrue2(status3, 'Complete');
  const timeChanged = !jsonEquals12(status3.completionTime, before.completionTime);
  const startChanged = !jsonEquals12(status3.startTime, before.startTime);
  const field = 'status.completionTime';
  const time3 = status3.completionTime;
  const opposites = ['Failed', 'FailureTarget'].filter(
    (type) => isComplete && isTrue2(status3, type) && (completeChanged || changed(type)),
  );
  const early = timeOf2(time3) < timeOf2(status3.startTime);
  return [
    ...opposites.map((type) => impossible(`cannot set Complete=True and ${type}=true conditions`)),
    ...(time3 !== void 0 && !isComplete && (completeChanged || timeChanged)
      ? [
          invalid25(
            field,
            time3,
            'cannot set completionTime when there is no Complete=True condition',
          ),
        ]
      : []),
    ...(time3 === void 0 && isComplete && (completeChanged || timeChanged)
      ? [required17(field, 'completionTime is required for Complete jobs')]
      : []),
    ...(early && (startChanged || timeChanged)
      ? [invalid25(field, time3, 'must be equal to or after `startTime`')]
      : []),
  ];
}
function validateReasons({ status: status3, before }) {
  const changed = (type) => isTrue2(status3, type) !== isTrue2(before, type);
  const indexesChanged = !jsonEquals12(status3.failedIndexes, before.failedIndexes);
  const failed = isTrue2(status3, 'Failed') && !isTrue2(status3, 'FailureTarget');
  const complete2 = isTrue2(status3, 'Complete') && !isTrue2(status3, 'SuccessCriteriaMet');
  return [
    ...(failed && (changed('Failed') || indexesChanged)
      ? [impossible('cannot set Failed=True condition without the FailureTarget=true condition')]
      : []),
    ...(complete2 && (changed('Complete') || changed('SuccessCriteriaMet'))
      ? [
          impossible(
            'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
          ),
        ]
      : []),
  ];
}
function validateFinished({ spec, status: status3, before }) {
  if (!isFinished(status3)) return [];
  const ended = !isFinished(before);
  const changed = (field) => ended || !jsonEquals12(status3[field], before[field]);
  const pods = objectAt(status3, 'uncountedTerminatedPods');
  const uncounted = textsAt(pods, 'succeeded').length + textsAt(pods, 'failed').length;
  const neverRan = spec.suspend === true && spec.completions === 0;
  return [
    ...(Number(status3.active ?? 0) > 0 && changed('active')
      ? [invalid25('status.active', status3.active, 'active>0 is invalid for finished job')]
      : []),
    ...(status3.startTime === void 0 && changed('startTime') && !neverRan
      ? [required17('status.startTime', 'startTime is required for finished job')]
      : []),
    ...(uncounted > 0 && changed('uncountedTerminatedPods')
      ? [
          invalid25(
            'status.uncountedTerminatedPods',
            // kube-apiserver prints its internal struct, whose members have other names.
            { Succeeded: pods.succeeded ?? null, Failed: pods.failed ?? null },
            'must be empty for finished job',
          ),
        ]
      : []),
  ];
}
function validateIndexes({ spec, status: status3, before }) {
  const isIndexed = spec.completionMode === 'Indexed';
  const completed4 = textAt(status3, 'completedIndexes');
  const failedChanged = !jsonEquals12(status3.failedIndexes, before.failedIndexes);
  return [
    ...(completed4 !== '' && !isIndexed && completed4 !== textAt(before, 'completedIndexes')
      ? [
          invalid25(
            'status.completedIndexes',
            completed4,
            'cannot set non-empty completedIndexes when non-indexed completion mode',
          ),
        ]
      : []),
    ...(status3.failedIndexes !== void 0 && spec.backoffLimitPerIndex === void 0 && failedChanged
      ? [
          invalid25(
            'status.failedIndexes',
            status3.failedIndexes,
            'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
          ),
        ]
      : []),
  ];
}
function validatePodCounts({ status: status3, before }) {
  const changed = (field) => !jsonEquals12(status3[field], before[field]);
  const endedNow = isFinished(status3) && !isFinished(before);
  const terminating = Number(status3.terminating ?? 0) > 0 && isFinished(status3);
  const { ready } = status3;
  const tooManyReady = ready !== void 0 && Number(ready) > Number(status3.active ?? 0);
  return [
    ...(terminating && (endedNow || changed('terminating'))
      ? [
          invalid25(
            'status.terminating',
            status3.terminating,
            'terminating>0 is invalid for finished job',
          ),
        ]
      : []),
    ...(tooManyReady && (changed('ready') || changed('active'))
      ? [invalid25('status.ready', status3.ready, 'cannot set more ready pods than active')]
      : []),
  ];
}
function validateSuccess({ spec, status: status3 }) {
  const met = isTrue2(status3, 'SuccessCriteriaMet');
  const opposites = ['Failed', 'FailureTarget'].filter((type) => met && isTrue2(status3, type));
  const detail2 =
    'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
  return [
    ...opposites.map((type) =>
      impossible(`cannot set SuccessCriteriaMet=True and ${type}=true conditions`),
    ),
    ...(spec.successPolicy !== void 0 && !met && isTrue2(status3, 'Complete')
      ? [impossible(detail2)]
      : []),
  ];
}
function validateProgress({ spec, status: status3, before }) {
  const terminal = ['Failed', 'Complete', 'FailureTarget'];
  const disabled = terminal.filter((type) => isTrue2(before, type) && !isTrue2(status3, type));
  const mayShrink =
    spec.completionMode === 'Indexed' && jsonEquals12(spec.completions, spec.parallelism);
  const counters = mayShrink ? ['failed'] : ['failed', 'succeeded'];
  const fewer = counters.filter(
    (field) => Number(status3[field] ?? 0) < Number(before[field] ?? 0),
  );
  return [
    ...disabled.map((type) => impossible(`cannot disable the terminal ${type}=True condition`)),
    ...fewer.map((field) =>
      invalid25(
        childPath20('status', field),
        status3[field] ?? 0,
        `cannot decrease the ${field} counter`,
      ),
    ),
    ...validateTimes({ spec, status: status3, before }),
    ...validateMet(status3, before),
  ];
}
function validateTimes({ spec, status: status3, before }) {
  const { completionTime, startTime } = status3;
  const ended = completionTime !== void 0 && before.completionTime !== void 0;
  const resumes = isTrue2(before, 'Suspended') && conditionOf(status3, 'Suspended') === 'False';
  const restarted = before.startTime !== void 0 && !jsonEquals12(startTime, before.startTime);
  return [
    ...(ended && !jsonEquals12(completionTime, before.completionTime)
      ? [invalid25('status.completionTime', completionTime, 'field is immutable')]
      : []),
    ...(restarted && spec.suspend !== true && !resumes
      ? [
          invalid25(
            'status.startTime',
            startTime,
            'field is immutable for unsuspended job once set',
          ),
        ]
      : []),
  ];
}
function validateMet(status3, before) {
  const type = 'SuccessCriteriaMet';
  const [met, was] = [isTrue2(status3, type), isTrue2(before, type)];
  const detail2 = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
  return [
    ...(was && !met ? [impossible('cannot disable the SuccessCriteriaMet=True condition')] : []),
    ...(isTrue2(before, 'Complete') && !was && met ? [impossible(detail2)] : []),
  ];
}
function isFinished(status3) {
  return isTrue2(status3, 'Complete') || isTrue2(status3, 'Failed');
}
function isTrue2(status3, type) {
  return objectsAt(status3, 'conditions').some(
    (condition) => condition.type === type && condition.status === 'True',
  );
}
function conditionOf(status3, type) {
  return objectsAt(status3, 'conditions').find((condition) => condition.type === type)?.status;
}
function timeOf2(value) {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
function impossible(detail2) {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${detail2}`, field: conditions };
}

// packages/apiserver/src/kinds/cluster/rules-limits.ts
import {
  checkQualifiedName as checkQualifiedName6,
  compareQuantities as compareQuantities7,
  nanosOfQuantity as nanosOfQuantity3,
} from '@keelson/cel/internal';
import {
  childPath as childPath21,
  duplicate as duplicate9,
  forbidden as forbidden11,
  indexPath as indexPath19,
  invalid as invalid26,
  keyPath as keyPath3,
  required as required18,
} from '@keelson/structural-schema';
var measured3 = ['cpu', 'memory', 'ephemeral-storage'];
var counted2 = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
var ofPods = /* @__PURE__ */ new Set([
  'pods',
  ...measured3,
  ...measured3.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
var ofQuotas = /* @__PURE__ */ new Set([...ofPods, ...counted2, 'requests.storage']);
var standard = /* @__PURE__ */ new Set([...ofQuotas, 'storage']);
var limitTypes = /* @__PURE__ */ new Set(['Container', 'Pod', 'PersistentVolumeClaim']);
var podScopes = /* @__PURE__ */ new Set([
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
]);
var scopes = /* @__PURE__ */ new Set([...podScopes, 'BestEffort', 'VolumeAttributesClass']);
var existsOnly = /* @__PURE__ */ new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'Terminating',
]);
var conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
var limitRules = {
  'core.v1.LimitRangeSpec': (spec, path) => {
    const items = objectsAt(spec, 'limits');
    return items.flatMap((item, index) => {
      const at2 = indexPath19(childPath21(path, 'limits'), index);
      const isSecond = items.slice(0, index).some(({ type }) => type === item.type);
      const twice = isSecond ? [duplicate9(childPath21(at2, 'type'), item.type)] : [];
      return [...limitType(item, at2), ...twice, ...limitRange(item, at2)];
    });
  },
  'core.v1.ResourceQuotaSpec': (spec, path) => [
    ...Object.keys(objectAt(spec, 'hard')).flatMap((name) =>
      hardLimit(
        name,
        textAt(objectAt(spec, 'hard'), name),
        keyPath3(childPath21(path, 'hard'), name),
      ),
    ),
    ...quotaScopes(spec, path),
    ...scopeSelector(spec, childPath21(path, 'scopeSelector.matchExpressions')),
  ],
};
function limitType(item, path) {
  const type = textAt(item, 'type');
  const at2 = childPath21(path, 'type');
  const problems = checkQualifiedName6(type);
  if (problems.length > 0) return problems.map((detail2) => invalid26(at2, type, detail2));
  if (type.includes('/') || limitTypes.has(type)) return [];
  return [invalid26(at2, type, 'must be a standard limit type or fully qualified')];
}
function limitRange(item, path) {
  const ofPod = item.type === 'Pod' ? ['default', 'defaultRequest'] : [];
  const misplaced = ofPod.filter((member) => Object.keys(objectAt(item, member)).length > 0);
  const storage = ['min', 'max'].some((side) => objectAt(item, side).storage !== void 0);
  const needsStorage = item.type === 'PersistentVolumeClaim' && !storage;
  const names5 = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'].flatMap(
    (member) => Object.keys(objectAt(item, member)),
  );
  return [
    ...misplaced.map((member) =>
      forbidden11(childPath21(path, member), "may not be specified when `type` is 'Pod'"),
    ),
    ...(needsStorage
      ? [
          required18(
            childPath21(path, 'limits'),
            'either minimum or maximum storage value is required, but neither was provided',
          ),
        ]
      : []),
    ...[...new Set(names5)].flatMap((name) => [
      ...limitOrder(item, name, path),
      ...limitRatio(item, name, path),
    ]),
  ];
}
var ordered = [
  ['min', 'max', 'min', 'min', 'min value', 'max value'],
  [
    'min',
    'defaultRequest',
    'defaultRequest',
    'defaultRequest',
    'min value',
    'default request value',
  ],
  [
    'defaultRequest',
    'max',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'max value',
  ],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'default limit value',
  ],
  ['min', 'default', 'default', 'min', 'min value', 'default value'],
  ['default', 'max', 'default', 'max', 'default value', 'max value'],
];
function limitOrder(item, name, path) {
  return ordered.flatMap(([less, more, field, shown2, lessTitle, moreTitle]) => {
    const [one, other] = [textAt(objectAt(item, less), name), textAt(objectAt(item, more), name)];
    if (one === '' || other === '' || compareQuantities7(one, other) <= 0) return [];
    const at2 = keyPath3(childPath21(path, field), name);
    const value = textAt(objectAt(item, shown2), name);
    return [invalid26(at2, value, `${lessTitle} ${one} is greater than ${moreTitle} ${other}`)];
  });
}
function limitRatio(item, name, path) {
  const ratio2 = textAt(objectAt(item, 'maxLimitRequestRatio'), name);
  if (ratio2 === '') return [];
  const at2 = keyPath3(childPath21(path, 'maxLimitRequestRatio'), name);
  const [min, max] = [textAt(objectAt(item, 'min'), name), textAt(objectAt(item, 'max'), name)];
  const most = Number(nanosOfQuantity3(max) ?? 0n) / Number(nanosOfQuantity3(min) ?? 0n);
  const isBeyond = Number(nanosOfQuantity3(ratio2) ?? 0n) / 1e9 > most;
  return [
    ...(compareQuantities7(ratio2, '1') < 0
      ? [invalid26(at2, ratio2, `ratio ${ratio2} is less than 1`)]
      : []),
    ...(min !== '' && max !== '' && isBeyond
      ? [invalid26(at2, ratio2, `ratio ${ratio2} is greater than max/min = ${most.toFixed(6)}`)]
      : []),
  ];
}
function hardLimit(name, value, path) {
  const isWhole2 = (nanosOfQuantity3(value) ?? 0n) % 1000000000n === 0n;
  return [
    ...quotaName(name, path),
    ...(compareQuantities7(value, '0') < 0
      ? [invalid26(path, value, 'must be greater than or equal to 0')]
      : []),
    ...(counted2.includes(name) && !isWhole2 ? [invalid26(path, value, 'must be an integer')] : []),
  ];
}
function quotaName(name, path) {
  const problems = checkQualifiedName6(name);
  const details = name.includes('/')
    ? problems
    : [
        ...(problems.length > 0 || standard.has(name)
          ? problems
          : ['must be a standard resource type or fully qualified']),
        ...(ofQuotas.has(name) || name.startsWith('requests.hugepages-')
          ? []
          : ['must be a standard resource for quota']),
      ];
  return details.map((detail2) => invalid26(path, name, detail2));
}
function quotaScopes(spec, path) {
  const named = Array.isArray(spec.scopes)
    ? spec.scopes.filter((scope) => typeof scope === 'string')
    : [];
  const problems = [
    ...named.flatMap((scope) => [
      ...(scopes.has(scope) ? [] : ['unsupported scope']),
      ...unsupportedResources(scope, spec).map(() => 'unsupported scope applied to resource'),
    ]),
    ...contradictions(named),
  ];
  return problems.map((detail2) => invalid26(childPath21(path, 'scopes'), named, detail2));
}
function contradictions(named) {
  const found = conflicts.filter((pair) => pair.every((scope) => named.includes(scope)));
  return found.map(() => 'conflicting scopes');
}
function unsupportedResources(scope, spec) {
  const names5 = Object.keys(objectAt(spec, 'hard')).filter((name) => ofQuotas.has(name));
  if (podScopes.has(scope)) return names5.filter((name) => !ofPods.has(name));
  if (scope === 'BestEffort') return names5.filter((name) => name !== 'pods');
  if (scope !== 'VolumeAttributesClass') return [];
  return names5.filter((name) => name !== 'persistentvolumeclaims' && name !== 'requests.storage');
}
function scopeSelector(spec, path) {
  const selector = objectAt(spec, 'scopeSelector');
  const expressions = objectsAt(selector, 'matchExpressions');
  const named = expressions.map((each2) => textAt(each2, 'scopeName'));
  return [
    ...expressions.flatMap((each2) => [
      ...scopeExpression(each2, path),
      ...unsupportedResources(textAt(each2, 'scopeName'), spec).map(() =>
        invalid26(path, selector, 'unsupported scope applied to resource'),
      ),
    ]),
    ...contradictions(named).map((detail2) => invalid26(path, spec.scopes, detail2)),
  ];
}
var existsRequired =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
function scopeExpression(expression, path) {
  const [scope, operator] = [textAt(expression, 'scopeName'), textAt(expression, 'operator')];
  const count7 = Array.isArray(expression.values) ? expression.values.length : 0;
  const causes = [];
  const at2 = (member) => childPath21(path, member);
  if (!scopes.has(scope)) causes.push(invalid26(at2('scopeName'), scope, 'unsupported scope'));
  if (existsOnly.has(scope) && operator !== 'Exists') {
    causes.push(invalid26(at2('operator'), operator, existsRequired));
  }
  if (/^(Not)?In$/.test(operator) && count7 === 0) {
    const detail2 =
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    causes.push(required18(at2('values'), detail2));
  }
  if (/^(DoesNotExist|Exists)$/.test(operator) && count7 > 0) {
    const detail2 =
      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    causes.push(invalid26(at2('values'), expression.values, detail2));
  }
  return causes;
}

// packages/apiserver/src/kinds/cluster/rules-configuration.ts
import { checkConfigKey } from '@keelson/cel/internal';
import {
  childPath as childPath22,
  invalid as invalid27,
  isJsonObject as isJsonObject11,
  keyPath as keyPath4,
  required as required19,
  tooLong as tooLong3,
} from '@keelson/structural-schema';
var MAX_TOTAL_BYTES = 1024 * 1024;
var configurationRules = {
  'core.v1.ConfigMap': (map, path) => {
    const binary = objectAt(map, 'binaryData');
    return [
      ...Object.keys(objectAt(map, 'data')).flatMap((key) => {
        const field = keyPath4(childPath22(path, 'data'), key);
        const isDuplicate2 = Object.hasOwn(binary, key);
        return [
          ...validName(checkConfigKey, key, field),
          ...(isDuplicate2
            ? [invalid27(field, key, 'duplicate of key present in binaryData')]
            : []),
        ];
      }),
      ...validKeys(map, path, 'binaryData'),
      // The cause refers to the whole object, which kube-apiserver writes as `[]`.
      ...(bytesIn(map.data, 'utf8') + bytesIn(binary, 'base64') > MAX_TOTAL_BYTES
        ? [tooLong3('[]', MAX_TOTAL_BYTES)]
        : []),
    ];
  },
  'core.v1.Secret': (secret, path) => [
    ...validKeys(secret, path, 'data'),
    ...(bytesIn(secret.data, 'base64') > MAX_TOTAL_BYTES
      ? [tooLong3('data', MAX_TOTAL_BYTES)]
      : []),
    ...validateSecretType(secret),
  ],
};
var neededKeys = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};
function validateSecretType(secret) {
  const type = textAt(secret, 'type');
  const data = objectAt(secret, 'data');
  const needed = Object.hasOwn(neededKeys, type) ? (neededKeys[type] ?? []) : [];
  const missing2 = needed.filter((key) => data[key] === void 0);
  return [
    ...missing2.map((key) => required19(keyPath4('data', key))),
    ...(type === 'kubernetes.io/basic-auth' ? validateBasicAuth(data) : []),
    ...needed
      .filter((key) => key.startsWith('.') && data[key] !== void 0)
      .flatMap((key) => validateDockerConfig(textAt(data, key), keyPath4('data', key))),
  ];
}
function validateBasicAuth(data) {
  if (data.username !== void 0 || data.password !== void 0) return [];
  return ['username', 'password'].map((key) => required19(keyPath4('data', key)));
}
function validateDockerConfig(base64, path) {
  const text3 = Buffer.from(base64, 'base64').toString();
  const reason = goJsonError(text3);
  return reason === void 0 ? [] : [invalid27(path, '<secret contents redacted>', reason)];
}
function goJsonError(text3) {
  try {
    return isJsonObject11(JSON.parse(text3)) ? void 0 : notAnObject(text3);
  } catch {
    return 'unexpected end of JSON input';
  }
}
function notAnObject(text3) {
  const parsed4 = JSON.parse(text3);
  const found = Array.isArray(parsed4)
    ? 'array'
    : typeof parsed4 === 'boolean'
      ? 'bool'
      : typeof parsed4;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}
function validKeys(object, path, field) {
  return Object.keys(objectAt(object, field)).flatMap((key) =>
    validName(checkConfigKey, key, keyPath4(childPath22(path, field), key)),
  );
}
function bytesIn(map, encoding) {
  const values = Object.values(isJsonObject11(map) ? map : {}).map(String);
  return values.reduce((sum, text3) => sum + Buffer.byteLength(text3, encoding), 0);
}

// packages/apiserver/src/kinds/cluster/rules-storage.ts
import {
  childPath as childPath23,
  notSupported as notSupported14,
  required as required20,
} from '@keelson/structural-schema';
var volumeSettings = /* @__PURE__ */ new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);
var storageRules = {
  'core.v1.PersistentVolumeClaimSpec': (spec, path) => [
    ...(Array.isArray(spec.accessModes) && spec.accessModes.length > 0
      ? []
      : [required20(childPath23(path, 'accessModes'), 'at least 1 access mode is required')]),
    ...(objectAt(objectAt(spec, 'resources'), 'requests').storage === void 0
      ? [required20(childPath23(path, 'resources[storage]'))]
      : []),
  ],
  'core.v1.PersistentVolumeSpec': (spec, path) => [
    ...['accessModes', 'capacity']
      .filter((field) => spec[field] === void 0)
      .map((field) => required20(childPath23(path, field))),
    ...(objectAt(spec, 'capacity').storage === void 0
      ? [notSupported14(childPath23(path, 'capacity'), spec.capacity, ['storage'])]
      : []),
    ...(Object.keys(spec).some((key) => !volumeSettings.has(key))
      ? []
      : [required20(path, 'must specify a volume type')]),
  ],
};

// packages/apiserver/src/kinds/cluster/rules-namespace.ts
import {
  childPath as childPath24,
  indexPath as indexPath20,
  invalid as invalid28,
} from '@keelson/structural-schema';
var namespaceRules = {
  'core.v1.Namespace': (namespace) => {
    const { phase } = objectAt(namespace, 'status');
    const isDeleting2 = objectAt(namespace, 'metadata').deletionTimestamp !== void 0;
    if (phase === void 0 || phase === 'Active' || isDeleting2) return [];
    const detail2 = "may only be 'Active' if `deletionTimestamp` is empty";
    return [invalid28('status.Phase', phase, detail2)];
  },
  'core.v1.NamespaceSpec': ({ finalizers: finalizers3 }, path) =>
    (Array.isArray(finalizers3) ? finalizers3 : []).flatMap((name, index) => {
      if (name === 'kubernetes' || (typeof name === 'string' && name.includes('/'))) return [];
      const detail2 = 'name is neither a standard finalizer name nor is it fully qualified';
      return [invalid28(indexPath20(childPath24(path, 'finalizers'), index), name, detail2)];
    }),
  'core.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'involvedObject')),
  'events.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'regarding')),
};
function inNamespaceOf(event, subject) {
  const own = textAt(objectAt(event, 'metadata'), 'namespace');
  const other = textAt(subject, 'namespace');
  if (own === other || (other === '' && own === 'default')) return [];
  return [invalid28('involvedObject.namespace', other, 'does not match event.namespace')];
}

// packages/apiserver/src/kinds/cluster/rules-class.ts
import {
  childPath as childPath25,
  forbidden as forbidden12,
  required as required21,
} from '@keelson/structural-schema';
var systemPriorities2 = /* @__PURE__ */ new Set([
  'system-cluster-critical',
  'system-node-critical',
]);
var MAX_USER_PRIORITY = 1e9;
var classRules = {
  'scheduling.v1.PriorityClass': (priority2) => {
    const name = textAt(objectAt(priority2, 'metadata'), 'name');
    if (systemPriorities2.has(name)) return [];
    if (!name.startsWith('system-')) return userPriority(priority2);
    const detail2 = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
    return [forbidden12('metadata.name', detail2)];
  },
  'networking.v1.IngressClassSpec': (spec, path) =>
    textAt(spec, 'controller') === '' ? [required21(childPath25(path, 'controller'))] : [],
};
function userPriority({ value }) {
  if (Number(value) <= MAX_USER_PRIORITY) return [];
  const detail2 = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`;
  return [forbidden12('value', detail2)];
}

// packages/apiserver/src/kinds/cluster/rules-lease.ts
import { childPath as childPath26, invalid as invalid29 } from '@keelson/structural-schema';
var leaseRules = {
  'coordination.v1.LeaseSpec': (spec, path) => [
    ...(typeof spec.leaseDurationSeconds === 'number' && spec.leaseDurationSeconds <= 0
      ? [
          invalid29(
            childPath26(path, 'leaseDurationSeconds'),
            spec.leaseDurationSeconds,
            'must be greater than 0',
          ),
        ]
      : []),
    ...atLeastZero(spec, path, 'leaseTransitions'),
  ],
};

// packages/apiserver/src/kinds/pods/rules-pod.ts
import { isIP as isIP7 } from 'node:net';
import {
  checkDnsLabel as checkDnsLabel5,
  checkLabelValue as checkLabelValue2,
  checkQualifiedName as checkQualifiedName7,
  checkSubdomain as checkSubdomain7,
  compareQuantities as compareQuantities8,
} from '@keelson/cel/internal';
import {
  childPath as childPath28,
  duplicate as duplicate11,
  forbidden as forbidden13,
  indexPath as indexPath22,
  invalid as invalid31,
  isNumeric as isNumeric3,
  keyPath as keyPath5,
  notSupported as notSupported15,
  required as required23,
  validateLabels as validateLabels3,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/pods/rules-pod-containers.ts
import {
  childPath as childPath27,
  duplicate as duplicate10,
  indexPath as indexPath21,
  invalid as invalid30,
  notFound as notFound2,
  required as required22,
} from '@keelson/structural-schema';
function validateContainers(spec, path, fields, volumes2) {
  const containers = objectsAt(spec, 'containers');
  const initContainers = objectsAt(spec, 'initContainers');
  const [field, initField] = [childPath27(path, 'containers'), childPath27(path, 'initContainers')];
  return [
    ...(containers.length === 0 ? [required22(field)] : []),
    ...fields.validate('containers'),
    ...mountsOf(containers, field, volumes2),
    ...repeatedNames(containers, field),
    ...repeatedHostPorts(containers, field),
    ...fields.validate('initContainers'),
    ...mountsOf(initContainers, initField, volumes2),
    ...repeatedNames(initContainers, initField),
    ...repeatedAcross(initContainers, containers, initField),
    ...fields.validate('ephemeralContainers', 'resources'),
    ...hostPortsOf2(spec, containers, field),
  ];
}
function repeatedHostPorts(containers, path) {
  const taken = /* @__PURE__ */ new Set();
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, position) => {
      if (port.hostPort === void 0 || port.hostPort === 0) return [];
      const { hostPort } = port;
      const name = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${Number(hostPort)}`;
      const ports = childPath27(indexPath21(path, index), 'ports');
      if (taken.has(name)) {
        return [duplicate10(childPath27(indexPath21(ports, position), 'hostPort'), name)];
      }
      taken.add(name);
      return [];
    }),
  );
}
function repeatedAcross(containers, others, path) {
  const taken = new Set(others.map(({ name }) => name));
  return containers.flatMap(({ name }, index) =>
    name !== void 0 && taken.has(name)
      ? [duplicate10(childPath27(indexPath21(path, index), 'name'), name)]
      : [],
  );
}
function hostPortsOf2(spec, containers, path) {
  if (spec.hostNetwork !== true) return [];
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap(({ hostPort, containerPort }, position) => {
      if (hostPort === void 0 || hostPort === containerPort) return [];
      const ports = childPath27(indexPath21(path, index), 'ports');
      const field = childPath27(indexPath21(ports, position), 'hostPort');
      return [invalid30(field, hostPort, 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}
function mountsOf(containers, path, known2) {
  return containers.flatMap((container, index) =>
    objectsAt(container, 'volumeMounts').flatMap((mount, position) => {
      const name = textAt(mount, 'name');
      const mounts = childPath27(indexPath21(path, index), 'volumeMounts');
      return known2.has(name)
        ? []
        : [notFound2(childPath27(indexPath21(mounts, position), 'name'), name)];
    }),
  );
}

// packages/apiserver/src/kinds/pods/rules-pod.ts
var largestInt322 = 2 ** 31 - 1;
var podOrders = {
  'core.v1.Pod': (pod, _, fields) => [
    ...fields.validate('spec'),
    ...(fields.isNew ? onlyLater(objectAt(pod, 'spec')) : []),
  ],
  'core.v1.PodTemplateSpec': validateTemplate2,
  'core.v1.PodSpec': validatePodSpec,
  'core.v1.TopologySpreadConstraint': (constraint2, path, fields) => [
    ...(Number(constraint2.maxSkew) > 0
      ? []
      : [
          invalid31(
            childPath28(path, 'maxSkew'),
            constraint2.maxSkew ?? 0,
            'must be greater than zero',
          ),
        ]),
    ...(textAt(constraint2, 'topologyKey') === ''
      ? [required23(childPath28(path, 'topologyKey'), 'can not be empty')]
      : []),
    ...fields.validate('whenUnsatisfiable'),
    ...fields.others('topologyKey'),
  ],
};
var podRules = {
  'core.v1.Toleration': validateToleration,
  'core.v1.PodSecurityContext': validateIds,
  'core.v1.SecurityContext': validateIds,
  'core.v1.HostAlias': validateHostAlias,
  'core.v1.PodOS': (os, path) => {
    const name = textAt(os, 'name');
    return ['', 'linux', 'windows'].includes(name)
      ? []
      : [notSupported15(path, name, ['linux', 'windows'])];
  },
  'core.v1.NodeSelector': (selector, path) =>
    objectsAt(selector, 'nodeSelectorTerms').length === 0
      ? [
          required23(
            childPath28(path, 'nodeSelectorTerms'),
            'must have at least one node selector term',
          ),
        ]
      : [],
  'core.v1.Volume': (volume, path) => {
    const [, ...more] = Object.keys(volume).filter((key) => key !== 'name');
    return [
      ...validName(checkDnsLabel5, volume.name, childPath28(path, 'name')),
      ...more.map((key) =>
        forbidden13(childPath28(path, key), 'may not specify more than 1 volume type'),
      ),
    ];
  },
  'core.v1.ResourceRequirements': validateResources,
};
var restartPolicies = ['Always', 'OnFailure', 'Never'];
var dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
function validateTemplate2(template2, path, fields) {
  const metadata = objectAt(template2, 'metadata');
  const ephemeral = objectsAt(objectAt(template2, 'spec'), 'ephemeralContainers');
  return [
    ...validateLabels3(objectAt(metadata, 'labels'), childPath28(path, 'labels')),
    ...Object.keys(objectAt(metadata, 'annotations')).flatMap((key) =>
      checkQualifiedName7(key.toLowerCase()).map((detail2) =>
        invalid31(childPath28(path, 'annotations'), key, detail2),
      ),
    ),
    ...fields.validate('spec'),
    ...(ephemeral.length === 0
      ? []
      : [
          forbidden13(
            childPath28(path, 'spec.ephemeralContainers'),
            'ephemeral containers not allowed in pod template',
          ),
        ]),
  ];
}
function onlyLater(spec) {
  const isGated2 = objectsAt(spec, 'schedulingGates').length > 0;
  return [
    ...(objectsAt(spec, 'ephemeralContainers').length > 0
      ? [forbidden13('spec.ephemeralContainers', 'cannot be set on create')]
      : []),
    ...(isGated2 && textAt(spec, 'nodeName') !== ''
      ? [forbidden13('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []),
  ];
}
function acceptedVolumes(spec, path, refused4) {
  const accepted3 = objectsAt(spec, 'volumes').filter((_, index) => {
    const place = indexPath22(path, index);
    return !refused4.some(({ field = '' }) => field.startsWith(place));
  });
  return new Set(accepted3.map((volume) => textAt(volume, 'name')));
}
function validatePodSpec(spec, path, fields) {
  const volumes2 = childPath28(path, 'volumes');
  const refused4 = fields.validate('volumes');
  return [
    ...refused4,
    ...repeatedNames(objectsAt(spec, 'volumes'), volumes2),
    ...validateContainers(spec, path, fields, acceptedVolumes(spec, volumes2, refused4)),
    ...oneOf3(spec, path, 'restartPolicy', restartPolicies),
    ...oneOf3(spec, path, 'dnsPolicy', dnsPolicies),
    ...validateLabels3(objectAt(spec, 'nodeSelector'), childPath28(path, 'nodeSelector')),
    ...fields.validate('securityContext', 'imagePullSecrets', 'affinity'),
    ...validateDns(spec, path),
    ...fields.validate('dnsConfig', 'readinessGates', 'schedulingGates'),
    ...validateGates(objectsAt(spec, 'schedulingGates'), childPath28(path, 'schedulingGates')),
    ...fields.validate('topologySpreadConstraints'),
    ...['serviceAccountName', 'nodeName'].flatMap((field) =>
      validName(checkSubdomain7, spec[field], childPath28(path, field)),
    ),
    ...validateDeadline(spec, path),
    ...validName(checkDnsLabel5, spec.hostname, childPath28(path, 'hostname')),
    ...validName(checkDnsLabel5, spec.subdomain, childPath28(path, 'subdomain')),
    ...fields.validate('tolerations', 'hostAliases'),
    ...['priorityClassName', 'runtimeClassName'].flatMap((field) =>
      validName(checkSubdomain7, spec[field], childPath28(path, field)),
    ),
    ...fields.validate('preemptionPolicy', 'os'),
    ...fields.others('restartPolicy', 'dnsPolicy'),
  ];
}
function validateDns(spec, path) {
  if (spec.dnsPolicy !== 'None') return [];
  const field = childPath28(path, 'dnsConfig');
  if (spec.dnsConfig === void 0) {
    return [required23(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (textsAt(objectAt(spec, 'dnsConfig'), 'nameservers').length > 0) return [];
  const detail2 = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
  return [required23(childPath28(field, 'nameservers'), detail2)];
}
function validateGates(gates, path) {
  const names5 = gates.map((gate2) => textAt(gate2, 'name'));
  return names5.flatMap((name, index) => [
    ...checkQualifiedName7(name).map((detail2) =>
      invalid31(indexPath22(path, index), name, detail2),
    ),
    ...(names5.indexOf(name) < index ? [duplicate11(indexPath22(path, index), name)] : []),
  ]);
}
function oneOf3(object, path, field, allowed2) {
  const value = textAt(object, field);
  return value === '' || allowed2.includes(value)
    ? []
    : [notSupported15(childPath28(path, field), value, allowed2)];
}
function validateDeadline(spec, path) {
  const deadline = spec.activeDeadlineSeconds;
  if (!isNumeric3(deadline) || (deadline >= 1 && deadline <= largestInt322)) return [];
  const detail2 = `must be between 1 and ${largestInt322}, inclusive`;
  return [invalid31(childPath28(path, 'activeDeadlineSeconds'), deadline, detail2)];
}
function validateIds(context, path) {
  return ['fsGroup', 'runAsUser', 'runAsGroup']
    .filter((field) => Number(context[field] ?? 0) < 0 || Number(context[field]) > largestInt322)
    .map((field) => {
      const detail2 = `must be between 0 and ${largestInt322}, inclusive`;
      return invalid31(childPath28(path, field), context[field], detail2);
    });
}
function validateHostAlias(alias, path) {
  const ip = textAt(alias, 'ip');
  if (isIP7(ip) !== 0) return [];
  const detail2 = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return [invalid31(childPath28(path, 'ip'), ip, detail2)];
}
function validateToleration(toleration, path) {
  const [key, operator] = [textAt(toleration, 'key'), textAt(toleration, 'operator')];
  const [value, effect] = [textAt(toleration, 'value'), textAt(toleration, 'effect')];
  const field = childPath28(path, 'operator');
  const any2 =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  const isTimed = toleration.tolerationSeconds !== void 0 && effect !== 'NoExecute';
  return [
    ...validName(checkQualifiedName7, key, childPath28(path, 'key')),
    ...(key === '' && operator !== 'Exists' ? [invalid31(field, operator, any2)] : []),
    ...(isTimed
      ? [
          invalid31(
            childPath28(path, 'effect'),
            effect,
            "effect must be 'NoExecute' when `tolerationSeconds` is set",
          ),
        ]
      : []),
    ...(operator === 'Exists' && value !== ''
      ? [invalid31(field, value, "value must be empty when `operator` is 'Exists'")]
      : []),
    ...(operator === '' || operator === 'Equal' ? validName(checkLabelValue2, value, field) : []),
  ];
}
function validateResources(resources, path) {
  const [limits3, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  const negative2 = Object.entries({ limits: limits3, requests }).flatMap(([field, list2]) =>
    Object.keys(list2)
      .filter((name) => textAt(list2, name).startsWith('-'))
      .map((name) =>
        invalid31(
          keyPath5(childPath28(path, field), name),
          list2[name],
          'must be greater than or equal to 0',
        ),
      ),
  );
  const excessive = Object.keys(requests)
    .filter((name) => limits3[name] !== void 0)
    .filter((name) => compareQuantities8(textAt(requests, name), textAt(limits3, name)) > 0)
    .map((name) => {
      const detail2 = `must be less than or equal to ${name} limit of ${textAt(limits3, name)}`;
      return invalid31(childPath28(path, 'requests'), requests[name], detail2);
    });
  return [...negative2, ...excessive];
}

// packages/apiserver/src/kinds/pods/rules-pod-status.ts
import { isIP as isIP8 } from 'node:net';
import {
  checkQualifiedName as checkQualifiedName8,
  checkSubdomain as checkSubdomain8,
} from '@keelson/cel/internal';
import {
  childPath as childPath29,
  forbidden as forbidden14,
  indexPath as indexPath23,
  invalid as invalid32,
  jsonEquals as jsonEquals13,
} from '@keelson/structural-schema';
var systemConditions = /* @__PURE__ */ new Set(['PodScheduled', 'Ready', 'Initialized']);
var wholeNumber = 'must be a non-negative integer';
function validatePodStatus(pod, old) {
  const [status3, before] = [objectAt(pod, 'status'), objectAt(old, 'status')];
  return [
    ...validateConditions2(objectsAt(status3, 'conditions')),
    ...validateNomination(status3, before, objectAt(old, 'spec')),
    ...(Number(status3.observedGeneration ?? 0) < 0
      ? [invalid32('status.observedGeneration', status3.observedGeneration, wholeNumber)]
      : []),
    ...(jsonEquals13(status3.qosClass, before.qosClass)
      ? []
      : [invalid32('status.qosClass', status3.qosClass, 'field is immutable')]),
    ...validateAddresses2(status3, before, 'podIPs'),
    ...(objectsAt(status3, 'hostIPs').length === 0 ? [] : validateHostAddresses(status3, before)),
  ];
}
function validateConditions2(conditions2) {
  return conditions2.flatMap((condition, index) => {
    const path = indexPath23('status.conditions', index);
    const [type, generation] = [textAt(condition, 'type'), condition.observedGeneration];
    const found = systemConditions.has(type) ? [] : checkQualifiedName8(type);
    return [
      ...(Number(generation ?? 0) < 0
        ? [invalid32(childPath29(path, 'observedGeneration'), generation, wholeNumber)]
        : []),
      ...found.map((detail2) => invalid32(childPath29(path, 'Type'), type, detail2)),
    ];
  });
}
function validateNomination(status3, before, spec) {
  const name = textAt(status3, 'nominatedNodeName');
  if (name === '' || name === textAt(before, 'nominatedNodeName')) return [];
  const field = 'status.nominatedNodeName';
  const detail2 = 'may not be set on pods that are already bound to a node';
  return [
    ...validName(checkSubdomain8, name, field),
    ...(textAt(spec, 'nodeName') === '' ? [] : [forbidden14(field, detail2)]),
  ];
}
function validateHostAddresses(status3, before) {
  const [first = ''] = addressesOf2(status3, 'hostIPs');
  const isEqual = first === textAt(status3, 'hostIP');
  return [
    ...(isEqual ? [] : [invalid32('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]),
    ...validateAddresses2(status3, before, 'hostIPs'),
  ];
}
function validateAddresses2(status3, before, member) {
  const path = `status.${member}`;
  const known2 = addressesOf2(before, member);
  const addresses = addressesOf2(status3, member);
  const families2 = addresses.map((address) => isIP8(address));
  const tooMany2 = new Set(families2).size < addresses.length;
  const shown2 = addresses.map((IP) => ({ IP }));
  const detail2 = 'may specify no more than one IP for each IP family';
  return [
    ...addresses.flatMap((address, index) =>
      isIP8(address) !== 0 || known2.includes(address)
        ? []
        : [invalid32(indexPath23(path, index), address, notAnAddress)],
    ),
    ...(tooMany2 ? [invalid32(path, shown2, detail2)] : []),
  ];
}
var notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
function addressesOf2(status3, member) {
  return objectsAt(status3, member).map((item) => textAt(item, 'ip'));
}

// packages/apiserver/src/kinds/workloads/rules-workloads.ts
import {
  labelRequirementsOf as labelRequirementsOf3,
  matchesLabels as matchesLabels3,
} from '@keelson/apimachinery';
import { checkDnsLabel as checkDnsLabel6 } from '@keelson/cel/internal';
import {
  childPath as childPath30,
  isJsonObject as isJsonObject12,
  jsonEquals as jsonEquals14,
} from '@keelson/structural-schema';
import {
  forbidden as forbidden15,
  invalid as invalid33,
  notSupported as notSupported16,
  required as required24,
} from '@keelson/structural-schema';
var workloadOrders = {
  'apps.v1.DeploymentSpec': (spec, path, fields) => [
    ...atLeastZero(spec, path, 'replicas'),
    ...validateSelector3(spec, path, 'deployment'),
    ...validateTemplate3(spec, path, fields),
    ...validateStrategy(spec, path),
    ...atLeastZero(spec, path, 'minReadySeconds', 'revisionHistoryLimit'),
    ...validateDeadline2(spec, path),
  ],
  'apps.v1.ReplicaSetSpec': (spec, path, fields) => [
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
    ...validateSelector3(spec, path, 'deployment'),
    ...validateTemplate3(spec, path, fields),
  ],
  'apps.v1.StatefulSetSpec': validateStatefulSet,
};
var workloadRules = {
  'apps.v1.DaemonSetSpec': (spec, path) => [
    ...(isInvalidSelector(spec) ? [] : validateMatch(spec, path)),
    ...validateDaemonSetSelector(spec, path),
    ...alwaysRestarts(spec, path),
    ...atLeastZero(spec, path, 'minReadySeconds', 'revisionHistoryLimit'),
  ],
  'core.v1.ReplicationControllerSpec': (spec, path) => [
    ...['selector', 'template']
      .filter((field) => spec[field] === void 0)
      .map((field) => required24(childPath30(path, field))),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
  ],
  'apps.v1.ControllerRevision': (revision) =>
    revision.data === void 0 || revision.data === null
      ? [required24('data', 'data is mandatory')]
      : [],
  'apps.v1.DeploymentStatus': counts(
    [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ),
  'apps.v1.ReplicaSetStatus': counts(
    [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ],
    ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  ),
  'apps.v1.StatefulSetStatus': counts(
    [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ],
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  ),
};
function collisionsOnlyGrow(object, old) {
  const [count7, before] = [object, old].map((each2) => objectAt(each2, 'status').collisionCount);
  if (before === void 0 || Number(count7 ?? 0) >= Number(before)) return [];
  return [invalid33('status.collisionCount', count7 ?? 0, 'cannot be decremented')];
}
function counts(fields, parts) {
  return (status3, path) => {
    const count7 = (field2) => Number(status3[field2] ?? 0);
    const tooMany2 = parts.filter((part) => count7(part) > count7('replicas'));
    const causes = [
      ...atLeastZero(status3, path, ...fields),
      ...tooMany2.map((part) =>
        invalid33(childPath30(path, part), count7(part), 'cannot be greater than status.replicas'),
      ),
    ];
    if (count7('availableReplicas') <= count7('readyReplicas')) return causes;
    const field = childPath30(path, 'availableReplicas');
    const detail2 = `cannot be greater than ${parts.includes('currentReplicas') ? 'status.' : ''}readyReplicas`;
    return [...causes, invalid33(field, count7('availableReplicas'), detail2)];
  };
}
function validateSelector3(spec, path, kind) {
  const { selector } = spec;
  const field = childPath30(path, 'selector');
  if (!isJsonObject12(selector)) return [required24(field)];
  const expressions = objectsAt(selector, 'matchExpressions');
  const isEmpty4 = Object.keys(objectAt(selector, 'matchLabels')).length + expressions.length === 0;
  return [
    ...validateLabelSelector(selector, field),
    ...(isEmpty4 ? [invalid33(field, selector, `empty selector is invalid for ${kind}`)] : []),
  ];
}
function validateTemplate3(spec, path, fields) {
  if (isInvalidSelector(spec)) {
    return [invalid33(childPath30(path, 'selector'), spec.selector, 'invalid label selector')];
  }
  return [
    ...validateMatch(spec, path),
    ...fields.validate('template'),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path, 'ReplicaSet'),
  ];
}
function isInvalidSelector(spec) {
  return validateLabelSelector(objectAt(spec, 'selector'), '').length > 0;
}
function validateMatch(spec, path) {
  const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
  const { selector } = spec;
  if (isJsonObject12(selector)) {
    const requirements2 = labelRequirementsOf3(selector);
    if (matchesLabels3(requirements2, labels ?? {})) return [];
  }
  const field = childPath30(path, 'template.metadata.labels');
  return [invalid33(field, labels ?? null, '`selector` does not match template `labels`')];
}
function validateDaemonSetSelector(spec, path) {
  return isJsonObject12(spec.selector) ? validateSelector3(spec, path, 'daemonset') : [];
}
function validateStatefulSet(spec, path, fields) {
  const isInvalid = isInvalidSelector(spec);
  return [
    ...validatePodManagement(spec, path),
    ...validateUpdateStrategy(spec, path),
    ...validateRetention(spec, path),
    ...(fields.isNew ? fields.validate('volumeClaimTemplates') : []),
    ...atLeastZero(spec, path, 'replicas', 'minReadySeconds'),
    ...atLeastZero(objectAt(spec, 'ordinals'), childPath30(path, 'ordinals'), 'start'),
    ...(fields.isNew
      ? validName(checkDnsLabel6, spec.serviceName, childPath30(path, 'serviceName'))
      : []),
    ...validateSelector3(spec, path, 'statefulset'),
    ...(isInvalid
      ? [invalid33(childPath30(path, 'selector'), spec.selector, '')]
      : [...validateMatch(spec, path), ...fields.validate('template')]),
    ...alwaysRestarts(spec, path),
    ...hasNoDeadline(spec, path, 'StatefulSet'),
  ];
}
function validatePodManagement(spec, path) {
  const policy = textAt(spec, 'podManagementPolicy');
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  const field = childPath30(path, 'podManagementPolicy');
  if (policy === '') return [required24(field)];
  return [invalid33(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}
function validateUpdateStrategy(spec, path) {
  const strategy = objectAt(spec, 'updateStrategy');
  const rolling = objectAt(strategy, 'rollingUpdate');
  const field = childPath30(path, 'updateStrategy');
  const shown2 =
    strategy.rollingUpdate === void 0
      ? null
      : { Partition: rolling.partition ?? 0, MaxUnavailable: rolling.maxUnavailable ?? null };
  const rollingPath = childPath30(field, 'rollingUpdate');
  switch (strategy.type) {
    case 'OnDelete':
      if (shown2 === null) return [];
      return [invalid33(rollingPath, shown2, "only allowed for updateStrategy 'RollingUpdate'")];
    case 'RollingUpdate':
      return atLeastZero(rolling, rollingPath, 'partition');
    default: {
      const value = { Type: strategy.type ?? '', RollingUpdate: shown2 };
      return [invalid33(field, value, "must be 'RollingUpdate' or 'OnDelete'")];
    }
  }
}
function validateRetention(spec, path) {
  const policy = objectAt(spec, 'persistentVolumeClaimRetentionPolicy');
  const allowed2 = ['Retain', 'Delete'];
  return ['whenDeleted', 'whenScaled']
    .filter((field) => policy[field] !== void 0 && !allowed2.includes(textAt(policy, field)))
    .map((field) => {
      const place = childPath30(path, `persistentVolumeClaimRetentionPolicy.${field}`);
      return notSupported16(place, policy[field], allowed2);
    });
}
function alwaysRestarts(spec, path) {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'Always' || policy === '') return [];
  return [notSupported16(childPath30(path, 'template.spec.restartPolicy'), policy, ['Always'])];
}
function validateStrategy(spec, path) {
  const strategy = objectAt(spec, 'strategy');
  const rolling = childPath30(path, 'strategy.rollingUpdate');
  if (strategy.type === 'Recreate') {
    if (strategy.rollingUpdate === void 0) return [];
    return [forbidden15(rolling, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (strategy.type === 'RollingUpdate') {
    return validateRollingUpdate(objectAt(strategy, 'rollingUpdate'), rolling);
  }
  const { maxUnavailable = 0, maxSurge = 0 } = objectAt(strategy, 'rollingUpdate');
  const limits3 = { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
  const shown2 = {
    Type: strategy.type ?? '',
    RollingUpdate: strategy.rollingUpdate === void 0 ? null : limits3,
  };
  return [notSupported16(childPath30(path, 'strategy'), shown2, ['Recreate', 'RollingUpdate'])];
}
function validateRollingUpdate(update, path) {
  const { maxUnavailable, maxSurge } = update;
  const field = childPath30(path, 'maxUnavailable');
  return [
    ...countOrPercent(maxUnavailable, field),
    ...countOrPercent(maxSurge, childPath30(path, 'maxSurge')),
    ...(isZero2(maxUnavailable) && isZero2(maxSurge)
      ? [invalid33(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(maxUnavailable, field),
  ];
}
function validateDeadline2(spec, path) {
  const deadline = Number(spec.progressDeadlineSeconds ?? 600);
  const ready = Number(spec.minReadySeconds ?? 0);
  const field = childPath30(path, 'progressDeadlineSeconds');
  return [
    ...atLeastZero(spec, path, 'progressDeadlineSeconds'),
    ...(deadline <= ready
      ? [invalid33(field, deadline, 'must be greater than minReadySeconds')]
      : []),
  ];
}
function hasNoDeadline(spec, path, kind) {
  const template2 = objectAt(objectAt(spec, 'template'), 'spec');
  if (template2.activeDeadlineSeconds === void 0) return [];
  const field = childPath30(path, 'template.spec.activeDeadlineSeconds');
  return [forbidden15(field, `activeDeadlineSeconds in ${kind} is not Supported`)];
}
function isZero2(value) {
  return jsonEquals14(value, 0) || jsonEquals14(value, '0%');
}

// packages/apiserver/src/kinds/definitions/validate-definition.ts
import {
  childPath as childPath32,
  cloneJson as cloneJson2,
  forbidden as forbidden16,
  forbidNestedRules,
  invalid as invalid35,
  isJsonObject as isJsonObject13,
  keyPath as keyPath6,
  notSupported as notSupported17,
  PatternMatcher as PatternMatcher2,
  required as required26,
  validateCompilation,
  validateExpressions,
  validateStructure,
  validateValue as validateValue2,
} from '@keelson/structural-schema';

// packages/apiserver/src/kinds/definitions/definition-subresources.ts
import {
  childPath as childPath31,
  invalid as invalid34,
  required as required25,
} from '@keelson/structural-schema';
var subresourceOrders = {
  'apiextensions.v1.CustomResourceSubresourceScale': () => [],
};
function validateSubresources(version, path) {
  const subresources = objectAt(version, 'subresources');
  if (subresources.scale === void 0) return [];
  const scale = objectAt(subresources, 'scale');
  const scalePath = childPath31(path, 'scale');
  const selector = textAt(scale, 'labelSelectorPath');
  return [
    ...validatePath2(scale, scalePath, 'specReplicasPath', ['.spec']),
    ...validatePath2(scale, scalePath, 'statusReplicasPath', ['.status']),
    ...(selector === ''
      ? []
      : validatePath2(scale, scalePath, 'labelSelectorPath', ['.spec', '.status'])),
  ];
}
function validatePath2(scale, path, name, roots2) {
  const value = textAt(scale, name);
  const field = childPath31(path, name);
  if (value === '') return [required25(field)];
  if (!value.startsWith('.')) {
    return [invalid34(field, value, 'must be a simple json path starting with .')];
  }
  if (roots2.some((root) => value.startsWith(`${root}.`))) return [];
  const wanted2 = roots2.length === 1 ? roots2[0] : `either ${roots2.join(' or ')}`;
  return [invalid34(field, value, `should be a json path under ${wanted2}`)];
}

// packages/apiserver/src/kinds/definitions/validate-definition.ts
var scopes2 = ['Cluster', 'Namespaced'];
var types2 = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
var definitionRules = {
  'apiextensions.v1.CustomResourceDefinition': (definition) => {
    const spec = objectAt(definition, 'spec');
    const expected = `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`;
    const name = textAt(objectAt(definition, 'metadata'), 'name');
    const causes = [...validateDefinitionVersions(spec), ...validateVersions(definition)];
    if (name !== expected) {
      causes.push(invalid35('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
    }
    return causes;
  },
  'apiextensions.v1.CustomResourceDefinitionSpec': (spec, path) => {
    const scope = textAt(spec, 'scope');
    return scope === '' || scopes2.includes(scope)
      ? []
      : [notSupported17(childPath32(path, 'scope'), scope, scopes2)];
  },
  'apiextensions.v1.CustomResourceDefinitionNames': validateDefinitionNames,
};
function validateVersions(definition) {
  const spec = objectAt(definition, 'spec');
  const versions = objectsAt(spec, 'versions');
  const causes = [];
  const stored = versions.filter((version) => version.storage === true);
  if (stored.length !== 1) {
    const detail2 = 'must have exactly one version marked as storage version';
    causes.push(invalid35('spec.versions', spec.versions, detail2));
  }
  if (stored.length === 0) {
    causes.push(invalid35('status.storedVersions', null, 'must have at least one stored version'));
  }
  for (const [index, version] of versions.entries()) {
    causes.push(...validateDeprecation(version, `spec.versions[${index}].deprecationWarning`));
    const place = versions.length === 1 ? 'spec' : `spec.versions[${index}]`;
    causes.push(...validateSubresources(version, childPath32(place, 'subresources')));
    const schema3 = objectAt(version, 'schema').openAPIV3Schema;
    if (!isJsonObject13(schema3)) {
      causes.push(required26(`spec.versions[${index}].schema.openAPIV3Schema`));
      continue;
    }
    const hasStatus2 = objectAt(version, 'subresources').status !== void 0;
    const path = childPath32(pathOfSchema(versions, index), 'openAPIV3Schema');
    causes.push(...validateRoot(schema3, hasStatus2, path));
  }
  return causes;
}
var LONGEST_DEPRECATION_WARNING = 256;
function validateDeprecation(version, path) {
  const { deprecated, deprecationWarning: warning } = version;
  if (typeof warning !== 'string') return [];
  if (deprecated !== true)
    return [invalid35(path, warning, 'can only be set for deprecated versions')];
  const unprintable = /[^\P{C}]|[^\P{Z} ]/u.exec(warning);
  const details = [
    ...(warning.length > LONGEST_DEPRECATION_WARNING ? ['must be <= 256 characters long'] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(unprintable === null
      ? []
      : [
          `must only contain printable UTF-8 characters; non-printable character found at index ${unprintable.index}`,
        ]),
  ];
  return details.map((detail2) => invalid35(path, warning, detail2));
}
function pathOfSchema(versions, index) {
  return versions.length === 1 ? 'spec.validation' : `spec.versions[${index}].schema`;
}
function validateRoot(schema3, hasStatus2, path) {
  const { type } = schema3;
  const field = childPath32(path, 'type');
  if (type === void 0) return [required26(field, 'must not be empty at the root')];
  const causes = validateSchema(schema3, path);
  if (type === 'object') {
    return causes.length > 0 ? causes : validateCompilation(schema3, path);
  }
  if (hasStatus2) {
    const detail2 =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    causes.push(invalid35(field, type, detail2));
  }
  return [...causes, invalid35(field, type, 'must be object at the root')];
}
function validateSchema(schema3, path) {
  return [
    ...validateType2(schema3, path),
    ...validateEmbedded(schema3, path),
    ...validateStructure(schema3, path),
    ...validateDefault(schema3, path),
    ...validateExpressions(schema3, path),
    ...forbidNestedRules(schema3, path),
    ...Object.entries(schema3.properties ?? {}).flatMap(([name, property]) =>
      validateProperty(property, keyPath6(childPath32(path, 'properties'), name)),
    ),
    ...(typeof schema3.additionalProperties === 'object'
      ? validateProperty(schema3.additionalProperties, childPath32(path, 'additionalProperties'))
      : []),
    ...(schema3.items === void 0
      ? []
      : validateProperty(schema3.items, childPath32(path, 'items'))),
  ];
}
function validateProperty(schema3, path) {
  const mayLackType =
    schema3['x-kubernetes-int-or-string'] === true ||
    schema3['x-kubernetes-preserve-unknown-fields'] === true ||
    '$ref' in schema3;
  if (schema3.type === void 0 && !mayLackType) {
    const what = path.endsWith('items') ? 'array items' : 'object fields';
    return [required26(childPath32(path, 'type'), `must not be empty for specified ${what}`)];
  }
  return validateSchema(schema3, path);
}
function validateType2(schema3, path) {
  const { type } = schema3;
  const causes = [];
  if (type !== void 0 && !types2.includes(type)) {
    causes.push(notSupported17(childPath32(path, 'type'), type, types2));
  }
  if (type === 'array' && schema3.items === void 0) {
    causes.push(required26(childPath32(path, 'items'), 'must be specified'));
  }
  if (schema3.properties !== void 0 && schema3.additionalProperties !== void 0) {
    const detail2 = 'additionalProperties and properties are mutual exclusive';
    causes.push(forbidden16(childPath32(path, 'additionalProperties'), detail2));
  }
  return causes;
}
function validateEmbedded(schema3, path) {
  if (schema3['x-kubernetes-embedded-resource'] !== true) return [];
  const isOpen = schema3['x-kubernetes-preserve-unknown-fields'] === true;
  if (isOpen || Object.keys(schema3.properties ?? {}).length > 0) return [];
  return [
    required26(
      childPath32(path, 'properties'),
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ),
  ];
}
function validateDefault(schema3, path) {
  if (schema3.default === void 0) return [];
  const field = childPath32(path, 'default');
  const causes = validateValue2(schema3, schema3.default, '', new PatternMatcher2()).map(
    (cause2) => ({
      ...cause2,
      field,
    }),
  );
  if (causes.length > 0 || !isJsonObject13(schema3.default)) return causes;
  const removed = prune(typeOfSchema(schema3), cloneJson2(schema3.default));
  return removed.length === 0
    ? []
    : [invalid35(field, schema3.default, 'must not have unknown fields')];
}

// packages/apiserver/src/kinds/validate-struct.ts
var rules2 = {
  ...podRules,
  ...containerRules,
  ...workloadRules,
  ...accessRules,
  ...configurationRules,
  ...storageRules,
  ...namespaceRules,
  ...classRules,
  ...leaseRules,
  ...limitRules,
  ...definitionRules,
};
var orders = {
  ...subresourceOrders,
  ...podOrders,
  ...containerOrders,
  ...workloadOrders,
  ...jobOrders,
};
var statusChangeRules = {
  'apps.v1.Deployment': collisionsOnlyGrow,
  'apps.v1.StatefulSet': collisionsOnlyGrow,
  'batch.v1.Job': validateJobStatus,
  'core.v1.Pod': validatePodStatus,
};
var mayBeEmpty = /* @__PURE__ */ new Set([
  'core.v1.HTTPHeader.value',
  'rbac.v1.RoleRef.apiGroup',
  'rbac.v1.RoleRef.kind',
  'apiextensions.v1.CustomResourceDefinitionNames.kind',
  'apiextensions.v1.ValidationRule.rule',
  'batch.v1.PodFailurePolicyRule.action',
]);
var ownMessages = /* @__PURE__ */ new Set([
  'core.v1.PodSpec.restartPolicy',
  'core.v1.PodSpec.dnsPolicy',
  'apps.v1.DeploymentStrategy.type',
  'apps.v1.StatefulSetSpec.podManagementPolicy',
  'apps.v1.StatefulSetUpdateStrategy.type',
  'batch.v1.JobSpec.completionMode',
  'apiextensions.v1.ValidationRule.reason',
]);
function validateStruct(type, object, path, isNew) {
  const fields = new StructFields(type, object, path, isNew);
  const order2 = orders[type.name];
  if (order2 !== void 0) return order2(object, path, fields);
  const names5 = fields.unnamed();
  return [
    ...names5.flatMap((name) => fields.ownValue(name)),
    ...(rules2[type.name]?.(object, path) ?? []),
    ...names5.flatMap((name) => fields.nested(name)),
  ];
}
function validateField(type, object, name) {
  return new StructFields(type, object, '', false).validate(name);
}
function validateStatus(type, object, old) {
  const { status: status3 } = object;
  const field = type.fields.get('status')?.type;
  if (field?.kind !== 'struct' || !isJsonObject14(status3)) return [];
  return [
    ...(rules2[field.name]?.(status3, 'status') ?? []),
    ...(statusChangeRules[type.name]?.(object, old) ?? []),
  ];
}
var StructFields = class {
  isNew;
  #type;
  #object;
  #path;
  #named = /* @__PURE__ */ new Set();
  constructor(type, object, path, isNew) {
    this.#type = type;
    this.#object = object;
    this.#path = path;
    this.isNew = isNew;
  }
  validate(...names5) {
    for (const name of names5) this.#named.add(name);
    return names5.flatMap((name) => [...this.ownValue(name), ...this.nested(name)]);
  }
  others(...excepted) {
    return this.validate(...this.unnamed().filter((name) => !excepted.includes(name)));
  }
  /** The fields not validated yet. Metadata and status of an object have separate rules. */
  unnamed() {
    const names5 = [...this.#type.fields.keys()].filter((name) => !this.#named.has(name));
    if (this.#path !== '') return names5;
    return names5.filter((name) => name !== 'metadata' && name !== 'status');
  }
  ownValue(name) {
    const field = this.#type.fields.get(name);
    if (field === void 0) return [];
    const path = childPath33(this.#path, name);
    return validateOwnValue(field, `${this.#type.name}.${name}`, this.#object[name], path);
  }
  nested(name) {
    const field = this.#type.fields.get(name);
    const value = this.#object[name];
    if (field === void 0 || value === void 0) return [];
    return validateNested(field.type, value, childPath33(this.#path, name), this.isNew);
  }
};
function validateOwnValue(field, name, value, path) {
  if (!isMissing(field, value)) return validateEnum(field, name, value, path);
  const isNeeded = field.required && isText(field) && !mayBeEmpty.has(name);
  return isNeeded ? [required27(path)] : [];
}
function validateNested(type, value, path, isNew) {
  if (type.kind === 'struct' && isJsonObject14(value))
    return validateStruct(type, value, path, isNew);
  if (type.kind === 'list' && type.item.kind === 'struct' && Array.isArray(value)) {
    return value.flatMap((item, index) =>
      validateNested(type.item, item, indexPath24(path, index), isNew),
    );
  }
  if (type.kind === 'map' && type.value.kind === 'struct' && isJsonObject14(value)) {
    return Object.keys(value).flatMap((key) =>
      validateNested(type.value, value[key], keyPath7(path, key), isNew),
    );
  }
  return [];
}
function validateEnum(field, name, value, path) {
  if (field.enum === void 0 || typeof value !== 'string' || ownMessages.has(name)) return [];
  return field.enum.includes(value) ? [] : [notSupported18(path, value, field.enum)];
}
function isMissing(field, value) {
  return value === void 0 || value === null || (value === '' && isText(field));
}
function isText(field) {
  return field.type.kind === 'scalar' && field.type.scalar === 'string';
}

// packages/apiserver/src/kinds/validate-builtin.ts
var kindRules = {
  'core.v1.Service': { content: validateService, status: validateServiceStatus },
  'autoscaling.v2.HorizontalPodAutoscaler': {
    content: validateAutoscaler,
    status: validateAutoscalerStatus,
  },
  'networking.v1.Ingress': { content: validateIngress, status: validateIngressStatus },
  'policy.v1.PodDisruptionBudget': {
    content: validateDisruptionBudget,
    status: validateDisruptionBudgetStatus,
  },
};
var nameChecks = {
  'apps.v1.StatefulSet': checkStatefulSetName,
  'batch.v1.CronJob': checkCronJobName,
  'core.v1.Namespace': checkNameWithoutDots,
  'core.v1.Service': checkNameWithoutDots,
  'rbac.v1.Role': checkPathSegment4,
  'rbac.v1.RoleBinding': checkPathSegment4,
  'rbac.v1.ClusterRole': checkPathSegment4,
  'rbac.v1.ClusterRoleBinding': checkPathSegment4,
};
var unqualifiedFinalizerTypes = /^(apiextensions|apiregistration)\./;
var validatedAsNew = /* @__PURE__ */ new Set([
  'apps.v1.ControllerRevision',
  'core.v1.ConfigMap',
  'core.v1.Endpoints',
  'core.v1.Namespace',
  'core.v1.Node',
  'core.v1.PersistentVolume',
  'core.v1.PersistentVolumeClaim',
  'core.v1.Secret',
  'core.v1.Service',
  'core.v1.ServiceAccount',
  'discovery.v1.EndpointSlice',
  'networking.v1.Ingress',
  'networking.v1.IngressClass',
  'rbac.v1.ClusterRole',
  'rbac.v1.ClusterRoleBinding',
  'rbac.v1.Role',
  'rbac.v1.RoleBinding',
  'storage.v1.CSINode',
  'storage.v1.StorageClass',
  'storage.v1.VolumeAttachment',
  'storage.v1.VolumeAttributesClass',
]);
var firstParts = ['metadata', 'content'];
var updateParts = ['common', 'metadata change', 'content', 'status', 'change'];
var wholeUpdateParts = ['common', 'metadata change', 'metadata', 'content', 'status', 'change'];
var otherParts = ['common', 'metadata change', 'content'];
var ownFirstParts = {
  'policy.v1.PodDisruptionBudget': ['content'],
};
var changeFirst = ['common', 'metadata change', 'change', 'metadata', 'content'];
var ownUpdateParts = {
  'batch.v1.Job': ['common', 'metadata', 'content', 'metadata change', 'spec', 'change'],
  'core.v1.Pod': ['common', 'metadata change', 'metadata', 'content', 'change'],
  'core.v1.ConfigMap': changeFirst,
  'core.v1.Secret': changeFirst,
  'core.v1.Service': ['common', 'metadata change', 'change', 'content'],
  'autoscaling.v2.HorizontalPodAutoscaler': ['common', 'metadata change', 'content'],
  'networking.v1.Ingress': ['common', 'metadata change', 'metadata', 'content'],
  'policy.v1.PodDisruptionBudget': ['common', 'content'],
};
var statusParts = {
  'apps.v1.StatefulSet': ['common', 'status', 'metadata change'],
  'batch.v1.CronJob': ['common'],
  'batch.v1.Job': ['common', 'metadata change', 'status'],
  'core.v1.Pod': ['common', 'metadata change', 'status'],
  'core.v1.Service': ['common', 'metadata change', 'status'],
  'autoscaling.v2.HorizontalPodAutoscaler': ['common', 'metadata change', 'status'],
  'networking.v1.Ingress': ['common', 'metadata change', 'status'],
  'policy.v1.PodDisruptionBudget': ['common', 'status'],
};
function validateBuiltin(type, object, old, part = 'object') {
  const causes = partsOf2(type, old, part).flatMap((each2) =>
    validatePart(each2, type, object, old),
  );
  return causes.length === 0 && old === void 0 ? validateCommonMetadata(object, old) : causes;
}
function partsOf2({ name }, old, part) {
  if (old === void 0) return ownFirstParts[name] ?? firstParts;
  if (part === 'other') return otherParts;
  const own = part === 'status' ? statusParts[name] : ownUpdateParts[name];
  return own ?? (validatedAsNew.has(name) ? wholeUpdateParts : updateParts);
}
function validatePart(part, type, object, old) {
  const [json, before] = [object, old ?? {}];
  switch (part) {
    case 'common':
      return validateCommonMetadata(object, old);
    case 'metadata change':
      return [...validateKindMetadataChange(object, old ?? {}), ...finalizersOf(type, object)];
    case 'metadata':
      return [
        ...validateMetadata2(object, nameChecks[type.name] ?? checkSubdomain9),
        ...finalizersOf(type, object),
      ];
    case 'content':
      return (
        kindRules[type.name]?.content(json, old) ?? validateStruct(type, json, '', old === void 0)
      );
    case 'spec':
      return validateField(type, json, 'spec');
    case 'status':
      return kindRules[type.name]?.status(json) ?? validateStatus(type, json, before);
    case 'change':
      return changeRules[type.name]?.(json, before) ?? [];
  }
}
function finalizersOf(type, object) {
  return unqualifiedFinalizerTypes.test(type.name) ? [] : validateFinalizers(object.metadata ?? {});
}

// packages/apiserver/src/kinds/warnings.ts
import { indexPath as indexPath26, unknownFormats } from '@keelson/structural-schema';

// packages/apiserver/src/kinds/pods/warnings-pod.ts
import { nanosOfQuantity as nanosOfQuantity4 } from '@keelson/cel/internal';
import {
  childPath as childPath34,
  indexPath as indexPath25,
  keyPath as keyPath8,
} from '@keelson/structural-schema';
var nodeLabels = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region':
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone':
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type':
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods':
    'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};
var annotations = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
};
var volumes = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};
var noMatch = 'a null labelSelector results in matching no pod';
var oneByte = 1000000000n;
function podWarnings(pod, path) {
  const spec = objectAt(pod, 'spec');
  const place = childPath34(path, 'spec');
  const marks = childPath34(path, 'metadata.annotations');
  return [
    ...known(nodeLabels, objectAt(spec, 'nodeSelector'), childPath34(place, 'nodeSelector')),
    ...spreadWarnings(spec, place),
    ...known(annotations, objectAt(objectAt(pod, 'metadata'), 'annotations'), marks),
    ...volumeWarnings(objectsAt(spec, 'volumes'), childPath34(place, 'volumes')),
    ...repeated(spec, place, { list: 'hostAliases', key: 'ip' }),
    ...repeated(spec, place, { list: 'imagePullSecrets', key: 'name' }),
    ...emptySecrets(spec, place),
    ...fractions(objectAt(spec, 'overhead'), childPath34(place, 'overhead')),
    ...containersOf2(spec, place).flatMap(([container, at2]) => containerWarnings(container, at2)),
    ...portWarnings(spec, place),
    ...portNameWarnings(spec, place),
    ...(Number(spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [
          `${childPath34(place, 'terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...affinityWarnings(objectAt(spec, 'affinity'), childPath34(place, 'affinity')),
  ];
}
function fractions(list2, path, names5 = ['memory', 'ephemeral-storage']) {
  return names5.flatMap((name) => {
    const text3 = textAt(list2, name);
    if ((nanosOfQuantity4(text3) ?? 0n) % oneByte === 0n) return [];
    const detail2 = `fractional byte value ${JSON.stringify(text3)} is invalid, must be an integer`;
    return [`${keyPath8(path, name)}: ${detail2}`];
  });
}
function known(texts, found, path) {
  return Object.keys(texts)
    .filter((key) => found[key] !== void 0)
    .map((key) => `${keyPath8(path, key)}: ${texts[key]}`);
}
function spreadWarnings(spec, path) {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint2, index) => {
    const place = indexPath25(childPath34(path, 'topologySpreadConstraints'), index);
    const key = textAt(constraint2, 'topologyKey');
    const text3 = nodeLabels[key];
    return [
      ...(text3 === void 0 ? [] : [`${childPath34(place, 'topologyKey')}: ${key} is ${text3}`]),
      ...(constraint2.labelSelector === void 0
        ? [`${childPath34(place, 'labelSelector')}: ${noMatch}`]
        : []),
    ];
  });
}
function volumeWarnings(list2, path) {
  return list2.flatMap((volume, index) =>
    Object.keys(volumes)
      .filter((source) => volume[source] !== void 0)
      .map((source) => `${childPath34(indexPath25(path, index), source)}: ${volumes[source]}`),
  );
}
function repeated(spec, path, { list: list2, key }) {
  const values = objectsAt(spec, list2).map((item) => textAt(item, key));
  return values.flatMap((value, index) => {
    if (values.indexOf(value) === index) return [];
    const place = childPath34(indexPath25(childPath34(path, list2), index), key);
    return [`${place}: duplicate ${key} ${JSON.stringify(value)}`];
  });
}
function emptySecrets(spec, path) {
  return objectsAt(spec, 'imagePullSecrets').flatMap((secret, index) => {
    if (textAt(secret, 'name') !== '') return [];
    const place = childPath34(indexPath25(childPath34(path, 'imagePullSecrets'), index), 'name');
    return [`${place}: invalid empty name ""`];
  });
}
function containersOf2(spec, path) {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((sort) =>
    objectsAt(spec, sort).map((container, index) => [
      container,
      indexPath25(childPath34(path, sort), index),
    ]),
  );
}
function containerWarnings(container, path) {
  const resources = objectAt(container, 'resources');
  const [limits3, requests] = [objectAt(resources, 'limits'), objectAt(resources, 'requests')];
  const both = ['memory', 'ephemeral-storage'].flatMap((name) => [
    ...fractions(limits3, childPath34(path, 'resources.limits'), [name]),
    ...fractions(requests, childPath34(path, 'resources.requests'), [name]),
  ]);
  return [...both, ...variableWarnings(objectsAt(container, 'env'), childPath34(path, 'env'))];
}
function variableWarnings(variables, path) {
  const names5 = variables.map((variable) => textAt(variable, 'name'));
  return variables.flatMap((variable, index) => {
    const name = names5[index] ?? '';
    if (names5.indexOf(name) === index) return [];
    const reference3 = `$(${name})`;
    const value = textAt(variable, 'value');
    const extendsIt = value.includes(reference3) && value !== reference3;
    if (extendsIt && variable.valueFrom === void 0) return [];
    const detail2 = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    return [`${indexPath25(path, index)}: ${detail2}`];
  });
}
function portsOf2(spec, path) {
  return containersOf2(spec, path).flatMap(([container, at2]) =>
    objectsAt(container, 'ports').map((port, index) => ({
      place: indexPath25(childPath34(at2, 'ports'), index),
      port,
    })),
  );
}
function portWarnings(spec, path) {
  const ports = portsOf2(spec, path);
  return ports.flatMap(({ place, port }, index) =>
    ports
      .slice(0, index)
      .filter((other) => isSamePort(port, other.port))
      .flatMap((other) => {
        const overlap = overlapOf(port, other.port);
        return overlap === void 0
          ? []
          : [`${place}: ${overlap} port definition with ${other.place}`];
      }),
  );
}
function isSamePort(one, other) {
  return one.containerPort === other.containerPort && one.protocol === other.protocol;
}
function overlapOf(one, other) {
  const [port, otherPort] = [Number(one.hostPort ?? 0), Number(other.hostPort ?? 0)];
  const [address, otherAddress] = [textAt(one, 'hostIP'), textAt(other, 'hostIP')];
  if (address === otherAddress && port === otherPort) return 'duplicate';
  if (port === 0 || otherPort === 0) return 'overlapping';
  const isAnyAddress = (address === '') !== (otherAddress === '');
  return port === otherPort && isAnyAddress ? 'dangerously ambiguous' : void 0;
}
function portNameWarnings(spec, path) {
  const places = /* @__PURE__ */ new Map();
  return portsOf2(spec, path).flatMap(({ place, port }) => {
    const name = textAt(port, 'name');
    const other = places.get(name);
    if (name === '') return [];
    if (other === void 0) {
      places.set(name, place);
      return [];
    }
    return [
      `${place}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}
function affinityWarnings(affinity, path) {
  return ['podAffinity', 'podAntiAffinity'].flatMap((sort) => {
    const terms = objectAt(affinity, sort);
    const required28 = 'requiredDuringSchedulingIgnoredDuringExecution';
    const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
    const place = childPath34(path, sort);
    return [
      ...objectsAt(terms, required28).flatMap((term, index) =>
        withoutSelector(term, indexPath25(childPath34(place, required28), index)),
      ),
      ...objectsAt(terms, preferred).flatMap((term, index) =>
        withoutSelector(
          objectAt(term, 'podAffinityTerm'),
          childPath34(indexPath25(childPath34(place, preferred), index), 'podAffinityTerm'),
        ),
      ),
    ];
  });
}
function withoutSelector(term, path) {
  return term.labelSelector === void 0 ? [`${childPath34(path, 'labelSelector')}: ${noMatch}`] : [];
}

// packages/apiserver/src/kinds/warnings.ts
var rules3 = {
  'apiextensions.v1.CustomResourceDefinition': ofDefinition,
  'core.v1.Pod': (pod, old) => (old === void 0 ? podWarnings(pod, '') : []),
  'apps.v1.Deployment': ofTemplate,
  'apps.v1.ReplicaSet': ofTemplate,
  'apps.v1.DaemonSet': ofTemplate,
  'apps.v1.StatefulSet': (set, old) => [...ofTemplate(set, old), ...ofStatefulSet(set, old)],
  'batch.v1.Job': ofTemplate,
  'batch.v1.CronJob': ofCronJob,
  'core.v1.ReplicationController': ofTemplate,
};
function builtinWarnings(type, object, old) {
  return rules3[type.name]?.(object, old) ?? [];
}
function ofTemplate(workload, old) {
  if (isSettled(workload, old)) return [];
  return podWarnings(objectAt(objectAt(workload, 'spec'), 'template'), 'spec.template');
}
function isSettled(object, old) {
  if (old === void 0) return false;
  return objectAt(object, 'metadata').generation === objectAt(old, 'metadata').generation;
}
function ofStatefulSet(set, old) {
  const spec = objectAt(set, 'spec');
  const claims = objectsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) => {
    const place = indexPath26('spec.volumeClaimTemplates', index);
    const { requests, limits: limits3 } = objectAt(objectAt(claim, 'spec'), 'resources');
    const path = old === void 0 ? place : `${place}.Spec`;
    return [
      ...fractions(requests ?? {}, `${path}.resources.requests`, ['storage']),
      ...fractions(limits3 ?? {}, `${path}.resources.limits`, ['storage']),
    ];
  });
  const history =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  return [...claims, ...(Number(spec.revisionHistoryLimit ?? 0) < 0 ? [history] : [])];
}
function ofCronJob(cronJob, old) {
  const spec = objectAt(cronJob, 'spec');
  const template2 = objectAt(objectAt(objectAt(spec, 'jobTemplate'), 'spec'), 'template');
  const found = isSettled(cronJob, old)
    ? []
    : podWarnings(template2, 'spec.jobTemplate.spec.template');
  if (old === void 0 || !textAt(spec, 'schedule').includes('TZ')) return found;
  const zone =
    'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
  return [...found, zone];
}
function ofDefinition(definition, old) {
  if (old !== void 0) return [];
  const formats2 = objectsAt(objectAt(definition, 'spec'), 'versions').flatMap((version) =>
    unknownFormats(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema')),
  );
  return [...new Set(formats2)].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

// packages/apiserver/src/kinds/builtin-kind-schema.ts
function builtinKindSchema(gvk2) {
  const type = builtinType(gvk2.group, gvk2.version, gvk2.kind);
  return type === void 0 ? void 0 : new BuiltinKindSchema(gvk2, type);
}
var BuiltinKindSchema = class {
  type;
  #gvk;
  constructor(gvk2, type) {
    this.#gvk = gvk2;
    this.type = type;
  }
  prune(object) {
    return prune(this.type, object);
  }
  decode(object) {
    try {
      decode(this.type, object);
    } catch (error) {
      if (!(error instanceof DecodeError || error instanceof NumberRangeError)) throw error;
      const { kind, version } = this.#gvk;
      throw new StatusError6(
        {
          status: 'Failure',
          message: `${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`,
          reason: 'BadRequest',
          code: 400,
        },
        {},
        { cause: error },
      );
    }
  }
  setDefaults(object) {
    setDefaults2(this.type, object);
  }
  prepareForCreate(object, context) {
    prepareForCreate(this.type, object, context);
  }
  prepareForUpdate(object, old, part) {
    prepareForUpdate(this.type, object, { old, part });
  }
  warningsOf(object, old) {
    return builtinWarnings(this.type, object, old);
  }
  validate(object, old, _warnings, part) {
    return validateBuiltin(this.type, object, old, part);
  }
};

// packages/apiserver/src/json/duplicate-fields.ts
function duplicateFields(text3) {
  const found = /* @__PURE__ */ new Set();
  const scopes3 = [];
  let expectsKey = false;
  for (const token of text3.matchAll(tokens)) {
    const [whole2] = token;
    const scope = scopes3.at(-1);
    if (whole2 === '{' || whole2 === '[') {
      scopes3.push(
        whole2 === '{'
          ? { path: pathOf(scope), keys: /* @__PURE__ */ new Set() }
          : listScope(scope),
      );
      expectsKey = whole2 === '{';
    } else if (whole2 === '}' || whole2 === ']') {
      scopes3.pop();
      expectsKey = false;
    } else if (whole2 === ',') {
      if (scope?.index !== void 0) scope.index++;
      expectsKey = scope?.keys !== void 0;
    } else if (expectsKey && scope?.keys !== void 0) {
      scope.key = JSON.parse(whole2);
      if (scope.keys.has(scope.key)) found.add(pathOf(scope));
      scope.keys.add(scope.key);
      expectsKey = false;
    }
  }
  return [...found];
}
var tokens = /[{}[\],]|"(?:[^"\\]|\\.)*"/g;
function listScope(parent) {
  return { path: pathOf(parent), index: 0 };
}
function pathOf(scope) {
  if (scope === void 0) return '';
  if (scope.index !== void 0) return `${scope.path}[${scope.index}]`;
  if (scope.key === void 0) return scope.path;
  return scope.path === '' ? scope.key : `${scope.path}.${scope.key}`;
}

// packages/apiserver/src/verbs/writes/decode-write.ts
function decodeTargetOf(resource) {
  const { apiVersion: apiVersion2, schema: schema3 } = resource;
  const { group: group2, kind, version, custom } = resource.facts;
  return { apiVersion: apiVersion2, group: group2, kind, version, custom, schema: schema3 };
}
function decodeWrite(target, body, options, warnings) {
  const object = body.value;
  checkType(target, object);
  const problems = fieldProblems(target, body, options);
  object['apiVersion'] = target.apiVersion;
  object['kind'] = target.kind;
  target.schema.decode(object);
  checkFields(target, problems, options, warnings);
  if (!isJsonObject15(object['metadata'])) object['metadata'] = {};
  const decoded2 = object;
  target.schema.setDefaults(decoded2, body.isApplied);
  return decoded2;
}
function decodeApplied(target, value) {
  const { apiVersion: apiVersion2, kind } = value;
  if (apiVersion2 !== target.apiVersion || kind !== target.kind) {
    const version = textOf(apiVersion2, '');
    throw badRequest(`invalid object type: ${goKind2(version, textOf(kind, ''))}`);
  }
  if (!isJsonObject15(value['metadata'])) value['metadata'] = {};
  return value;
}
function checkType(target, object) {
  if (target.custom) {
    checkCustomType(target, object);
    return;
  }
  const apiVersion2 = textOf(object['apiVersion'], target.apiVersion);
  const kind = textOf(object['kind'], target.kind);
  if (apiVersion2 === target.apiVersion && kind === target.kind) return;
  const version = JSON.stringify(apiVersion2.split('/').at(-1));
  throw badRequest(
    `${kind} in version ${version} cannot be handled as a ${target.kind}: ${unknownKindReason(target, apiVersion2, kind)}`,
  );
}
function unknownKindReason(target, apiVersion2, kind) {
  const [version = '', group2 = ''] = apiVersion2.split('/').toReversed();
  const single = kind.endsWith('List') ? kind.slice(0, -4) : kind;
  const isKnown2 = kind === 'Status' || builtinKindSchema({ group: group2, version, kind: single });
  if (!isKnown2) return notRegistered(apiVersion2, kind);
  const goPackage = target.group.split('.', 1)[0] || 'core';
  return `converting (${version}.${kind}) to (${goPackage}.${target.kind}): unknown conversion`;
}
function textOf(value, otherwise) {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
function checkCustomType(target, object) {
  const { apiVersion: apiVersion2 = '', kind = '' } = object;
  if (kind === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${target.kind}): Object 'Kind' is missing`,
    );
  }
  if (apiVersion2 !== target.apiVersion) {
    throw badRequest(
      `the API version in the data (${String(apiVersion2)}) does not match the expected API version (${target.apiVersion})`,
    );
  }
  if (kind === target.kind) return;
  const { name = '' } = object['metadata'] ?? {};
  const message2 = `Invalid value: ${JSON.stringify(kind)}: must be ${target.kind}`;
  throw invalid({ group: target.group, kind: String(kind), name }, [
    { reason: 'FieldValueInvalid', message: message2, field: 'kind' },
  ]);
}
var MAX_PROBLEMS = 100;
function fieldProblems(target, body, options) {
  const duplicates = options.fieldValidation === 'Ignore' ? [] : duplicatesOf(body);
  const unknown = target.schema.prune(body.value);
  const problems = [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  return problems.slice(0, MAX_PROBLEMS);
}
function duplicatesOf(body) {
  if (body.json === '' || JSON.stringify(body.value) === body.json) return [];
  return duplicateFields(body.json);
}
function checkFields(target, problems, options, warnings) {
  if (problems.length === 0 || options.fieldValidation === 'Ignore') return;
  if (options.fieldValidation === 'Warn') {
    warnings.push(...problems);
    return;
  }
  const { kind, version } = target;
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`,
  );
}

// packages/apiserver/src/verbs/writes/object-body.ts
import { isJsonObject as isJsonObject16 } from '@keelson/structural-schema';
var accepted2 =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';
async function decodeObject(body, contentType2, kind) {
  const type = contentTypeOf(contentType2) || 'application/json';
  const isYaml = type === 'application/yaml';
  if (type !== protobufMediaType && type !== 'application/json' && !isYaml) {
    throw unsupportedMediaType(accepted2);
  }
  try {
    if (type === protobufMediaType) return await decodedProtobuf(body);
    const text3 = body.toString();
    return objectOf(isYaml ? await parseYaml(text3) : parseJson2(text3), isYaml ? '' : text3);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unrecognized(error.message, kind, body);
  }
}
async function decodeAppliedBody(body) {
  const value = (await parseYaml(body.toString()).catch(refuseYaml)) ?? {};
  if (isJsonObject16(value)) return value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`,
  );
}
function refuseYaml(error) {
  throw badRequest(`error decoding YAML: error converting YAML to JSON: ${messageOf2(error)}`);
}
function objectOf(value, json) {
  if (value === null) return { value: {}, json: '' };
  if (!isJsonObject16(value)) throw unreadable(value, `Go value of type ${typeMeta}`);
  const { apiVersion: apiVersion2, kind } = value;
  for (const [name, text3] of Object.entries({ apiVersion: apiVersion2, kind })) {
    if (typeof text3 === 'string' || text3 === void 0 || text3 === null) continue;
    throw unreadable(text3, `Go struct field .${name} of type string`);
  }
  if (typeof apiVersion2 === 'string' && /\/.*\//s.test(apiVersion2)) {
    throw new SyntaxError(`unexpected GroupVersion string: ${apiVersion2}`);
  }
  return { value, json };
}
var typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
function unreadable(value, into) {
  return new SyntaxError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into ${into}`,
  );
}
async function decodedProtobuf(body) {
  const value = await decodeProtobuf(body).catch((error) => {
    throw new SyntaxError(`couldn't get version/kind; proto: ${messageOf2(error)}`);
  });
  if (value === void 0) throw unsupportedMediaType(accepted2);
  return { value, json: '' };
}
function parseJson2(text3) {
  try {
    return parseJson(text3);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(`couldn't get version/kind; json parse error: ${error.message}`, {
      cause: error,
    });
  }
}
async function parseYaml(text3) {
  if (text3.trimStart().startsWith('{')) {
    try {
      return decodeNumbers(parseJson(text3), String);
    } catch (error) {
      if (error instanceof NestingError) throw tooDeep2();
    }
  }
  const yaml = await import('js-yaml');
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = yaml;
  const plain3 = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  const schema3 = withGoNumbers(yaml, plain3);
  const value = parsed2(
    () => loadAll(text3, { schema: schema3, maxDepth: MAX_NESTING })[0] ?? null,
  );
  if (text3.includes('*') && hasMoreNodes(value, MAX_NODES)) {
    throw new SyntaxError('yaml: document contains excessive aliasing');
  }
  return value;
}
function tooDeep2() {
  return new SyntaxError(`yaml: exceeded max depth of ${MAX_NESTING}`);
}
function parsed2(parse2) {
  try {
    return parse2();
  } catch (error) {
    if (isStackOverflow(error) || messageOf2(error).startsWith('nesting exceeded'))
      throw tooDeep2();
    throw new SyntaxError(`yaml: ${yamlProblem(error)}`, { cause: error });
  }
}
var yamlProblems = {
  'bad indentation of a mapping entry': 'mapping values are not allowed in this context',
  'tab characters must not be used in indentation': 'found character that cannot start any token',
};
function yamlProblem(error) {
  const { reason, mark } = error;
  if (reason === void 0 || mark === void 0) return messageOf2(error);
  const line = mark.line === 0 ? '' : `line ${mark.line + 1}: `;
  return `${line}${yamlProblems[reason] ?? reason}`;
}
var MAX_NODES = 4e5;
function hasMoreNodes(value, most) {
  const open = [value];
  let count7 = 0;
  while (open.length > 0 && count7 <= most) {
    const node = open.pop();
    count7 += 1;
    if (typeof node === 'object' && node !== null) {
      for (const each2 of Object.values(node)) open.push(each2);
    }
  }
  return count7 > most;
}
var MAX_QUOTED_BYTES = 30;
function unrecognized(why, kind, body) {
  if (kind === void 0) return badRequest(why);
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${quoted3(body)})`,
  );
}
function quoted3(body) {
  if (body.length === 0) return '<empty>';
  const start = body.subarray(0, MAX_QUOTED_BYTES);
  const text3 = start.toString(body[0] === '{'.charCodeAt(0) ? 'utf8' : 'hex');
  return body.length > MAX_QUOTED_BYTES ? `${text3} ...` : text3;
}
function messageOf2(error) {
  return error instanceof Error ? error.message : String(error);
}

// packages/apiserver/src/apply/record-update.ts
import { asJson as asJson11 } from '@keelson/structural-schema';

// packages/apiserver/src/apply/check-configuration.ts
import { StatusError as StatusError7 } from '@keelson/apimachinery';
import {
  isJsonNumber as isJsonNumber4,
  isJsonObject as isJsonObject18,
  jsonText as jsonText8,
} from '@keelson/structural-schema';

// packages/apiserver/src/apply/fields/path-element.ts
import {
  isJsonObject as isJsonObject17,
  jsonText as jsonText7,
  parseExact as parseExact3,
} from '@keelson/structural-schema';
function fieldElement(name) {
  return `f:${name}`;
}
function itemElement(type, item) {
  if (type.list === 'set') {
    return item === null || typeof item === 'object' ? void 0 : `v:${jsonText7(item)}`;
  }
  if (!isJsonObject17(item)) return void 0;
  const keys = [];
  for (const key of type.keys) {
    const value = item[key] ?? defaultOf2(type, key);
    if (value !== void 0) keys.push([key, value]);
  }
  if (keys.length === 0) return void 0;
  keys.sort(([left], [right]) => (left < right ? -1 : 1));
  return `k:${jsonText7(Object.fromEntries(keys))}`;
}
function printPath(path) {
  return path.map((element) => printElement(element)).join('');
}
function printElement(element) {
  const value = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return `.${value}`;
    case 'v:':
      return `[=${value}]`;
    case 'k:':
      return `[${Object.entries(parseExact3(value))
        .map(([key, part]) => `${key}=${jsonText7(part)}`)
        .join(',')}]`;
    default:
      return `[${value}]`;
  }
}
function defaultOf2(type, key) {
  const field = type.item.kind === 'struct' ? type.item.fields.get(key) : void 0;
  if (field === void 0 || field.default !== void 0 || field.empty !== 'zero') {
    return field?.default;
  }
  return zeroOf(field);
}

// packages/apiserver/src/apply/check-configuration.ts
function checkConfiguration(type, applied) {
  if (applied.metadata?.managedFields !== void 0) {
    throw failure3(400, 'BadRequest', 'metadata.managedFields must be nil');
  }
  const check3 = new TypeCheck(false);
  check3.visit(type, applied, []);
  check3.throwFor('patch', applied);
}
function checkLive(type, live) {
  const check3 = new TypeCheck(true);
  check3.visit(type, live, []);
  check3.throwFor('live', live);
}
function fitsType(type, object) {
  const check3 = new TypeCheck(true);
  check3.visit(type, object, []);
  return check3.errors.length === 0;
}
var TypeCheck = class {
  errors = [];
  #allowsDuplicates;
  constructor(allowsDuplicates) {
    this.#allowsDuplicates = allowsDuplicates;
  }
  throwFor(role, object) {
    if (this.errors.length === 0) return;
    const { apiVersion: apiVersion2 = '', kind = '', metadata } = object;
    const own = metadata?.name;
    const name = `${metadata?.namespace ?? ''}/${typeof own === 'string' ? own : ''}; ${goKind2(apiVersion2, kind)}`;
    const [first = '', ...others] = this.errors;
    const what =
      others.length === 0
        ? first
        : `errors:
  ${this.errors.join('\n  ')}`;
    throw failure3(500, void 0, `failed to create typed ${role} object (${name}): ${what}`);
  }
  visit(type, value, path) {
    if (value === null || type.kind === 'untyped') return;
    switch (type.kind) {
      case 'scalar':
        this.#checkScalar(type.scalar, value, path);
        return;
      case 'list':
        if (Array.isArray(value)) this.#checkList(type, value, path);
        else this.#add(path, `expected list, got ${goValue(value)}`);
        return;
      default:
        if (isJsonObject18(value)) this.#checkObject(type, value, path);
        else this.#add(path, `expected map, got ${goValue(value)}`);
    }
  }
  #checkObject(type, object, path) {
    for (const key of Object.keys(object)) {
      const below = [...path, fieldElement(key)];
      const inner = type.kind === 'map' ? type.value : type.fields.get(key)?.type;
      if (inner !== void 0) this.visit(inner, object[key], below);
      else if (type.kind === 'map' || !type.open) this.#add(below, 'field not declared in schema');
    }
  }
  #checkList(type, list2, path) {
    const seen = /* @__PURE__ */ new Set();
    for (const [index, item] of list2.entries()) {
      const element = type.list === 'atomic' ? `i:${index}` : itemElement(type, item);
      if (element === void 0) this.#add(path, unidentified(type, index));
      else if (seen.has(element)) this.#addDuplicate(path, element);
      else {
        seen.add(element);
        this.visit(type.item, item, [...path, element]);
      }
    }
  }
  #addDuplicate(path, element) {
    if (this.#allowsDuplicates) return;
    this.#add(path, `duplicate entries for key ${printElement(element)}`);
  }
  #checkScalar(scalar, value, path) {
    const found = Array.isArray(value) ? 'array' : typeOf2(value);
    const expected = expectedTypes[scalar];
    if (expected.includes(found)) return;
    const wanted2 = expected[0] === 'number' ? 'numeric (int or float)' : (expected[0] ?? '');
    const shown2 = expected[0] === 'number' ? found : goSyntax2(value);
    this.#add(path, `expected ${wanted2}, got ${shown2}`);
  }
  #add(path, what) {
    this.errors.push(`${printPath(path)}: ${what}`);
  }
};
function unidentified(type, index) {
  const keys = type.keys.map((key) => JSON.stringify(key)).join(' ');
  const why =
    type.keys.length === 0
      ? 'associative list without keys has an element that is no scalar'
      : `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
  return `element ${index}: ${why}`;
}
var expectedTypes = {
  string: ['string'],
  bytes: ['string'],
  time: ['string'],
  microTime: ['string'],
  boolean: ['boolean'],
  int32: ['number'],
  int64: ['number'],
  double: ['number'],
  quantity: ['string', 'number', 'boolean'],
  intOrString: ['string', 'number', 'boolean'],
};
function typeOf2(value) {
  return isJsonNumber4(value) ? 'number' : typeof value;
}
function goValue(value) {
  return `&{${typeof value === 'string' ? value : jsonText8(value)}}`;
}
function goSyntax2(value) {
  return `&value.valueUnstructured{Value:${jsonText8(value)}}`;
}
function failure3(code, reason, message2) {
  return new StatusError7({
    status: 'Failure',
    message: message2,
    ...(reason !== void 0 && { reason }),
    code,
  });
}

// packages/apiserver/src/apply/comparison.ts
import { jsonEquals as jsonEquals15, ownValue } from '@keelson/structural-schema';

// packages/apiserver/src/apply/fields/field-set.ts
var FieldSet = class _FieldSet {
  #members;
  #children;
  constructor(members2 = /* @__PURE__ */ new Set(), children = /* @__PURE__ */ new Map()) {
    this.#members = members2;
    this.#children = children;
  }
  static of(...paths) {
    const set = new _FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }
  get isEmpty() {
    if (this.#members.size > 0) return false;
    for (const child of this.#children.values()) if (!child.isEmpty) return false;
    return true;
  }
  /** The steps of this level that are members. */
  get members() {
    return this.#members;
  }
  /** The subsets below the steps of this level. Operations never leave an empty one. */
  get children() {
    return this.#children;
  }
  /** Adds a path in place; the only operation that changes the set. Ignores the empty path. */
  insert(path) {
    const [first, ...rest] = path;
    if (first === void 0) return;
    if (rest.length === 0) this.#members.add(first);
    else this.#childOrNew(first).insert(rest);
  }
  has(path) {
    const [first, ...rest] = path;
    if (first === void 0) return false;
    if (rest.length === 0) return this.#members.has(first);
    return this.#children.get(first)?.has(rest) === true;
  }
  union(other) {
    const children = new Map(this.#children);
    for (const [element, child] of other.#children) {
      const mine = children.get(element);
      children.set(element, mine === void 0 ? child : mine.union(child));
    }
    return new _FieldSet(/* @__PURE__ */ new Set([...this.#members, ...other.#members]), children);
  }
  intersection(other) {
    return this.#derive(
      (element) => other.#members.has(element),
      (element, child) => {
        const theirs = other.#children.get(element);
        return theirs === void 0 ? void 0 : child.intersection(theirs);
      },
    );
  }
  /** The paths that `other` lacks; descendants of the paths of `other` remain. */
  difference(other) {
    return this.#derive(
      (element) => !other.#members.has(element),
      (element, child) => {
        const theirs = other.#children.get(element);
        return theirs === void 0 ? child : child.difference(theirs);
      },
    );
  }
  /** The paths that `other` lacks, without the descendants of the paths of `other`. */
  recursiveDifference(other) {
    return this.#derive(
      (element) => !other.#members.has(element),
      (element, child) => {
        if (other.#members.has(element)) return void 0;
        const theirs = other.#children.get(element);
        return theirs === void 0 ? child : child.recursiveDifference(theirs);
      },
    );
  }
  equals(other) {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }
  /** The steps of this level that are members or have descendants, sorted as text. */
  elements() {
    const elements = /* @__PURE__ */ new Set([...this.#members, ...this.#children.keys()]);
    return [...elements].toSorted((left, right) => (left < right ? -1 : 1));
  }
  /** Every path; the members of a level come before their descendants. */
  *paths(prefix2 = []) {
    const elements = this.elements();
    for (const element of elements) {
      if (this.#members.has(element)) yield [...prefix2, element];
    }
    for (const element of elements) {
      const child = this.#children.get(element);
      if (child !== void 0) yield* child.paths([...prefix2, element]);
    }
  }
  #childOrNew(element) {
    const known2 = this.#children.get(element);
    if (known2 !== void 0) return known2;
    const child = new _FieldSet();
    this.#children.set(element, child);
    return child;
  }
  #derive(isKept, childOf) {
    const members2 = new Set([...this.#members].filter((member) => isKept(member)));
    const children = /* @__PURE__ */ new Map();
    for (const [element, child] of this.#children) {
      const derived = childOf(element, child);
      if (derived !== void 0 && !derived.isEmpty) children.set(element, derived);
    }
    return new _FieldSet(members2, children);
  }
};

// packages/apiserver/src/apply/fields/shape.ts
import { isJsonObject as isJsonObject19 } from '@keelson/structural-schema';
function shapeOf(type, value) {
  if (value === null || value === void 0) return void 0;
  if (Array.isArray(value)) {
    return type.kind === 'list' && type.list !== 'atomic' ? 'items' : 'leaf';
  }
  if (!isJsonObject19(value) || type.kind === 'scalar' || type.kind === 'list') return 'leaf';
  return type.atomic ? 'leaf' : 'keys';
}
function typeBelow(type, key) {
  if (type.kind === 'struct') return type.fields.get(key)?.type ?? untyped;
  return type.kind === 'map' ? type.value : untyped;
}
function isNamedField(type, key) {
  return type.kind === 'struct' && type.fields.has(key);
}
function itemsByElement(type, list2) {
  const items = /* @__PURE__ */ new Map();
  for (const item of list2) {
    const element = itemElement(type, item);
    if (element === void 0) continue;
    const alike = items.get(element);
    if (alike === void 0) items.set(element, [item]);
    else alike.push(item);
  }
  return items;
}
function isEmptyValue(value) {
  if (value === null || value === void 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

// packages/apiserver/src/apply/comparison.ts
function compareObjects(type, before, after) {
  const walker = new ComparisonWalker();
  walker.visit(type, before, after, []);
  return walker;
}
var ComparisonWalker = class {
  added = new FieldSet();
  removed = new FieldSet();
  modified = new FieldSet();
  visit(type, before, after, path) {
    const shape = sharedShape(type, before, after);
    if (shape === 'leaf' || (isEmptyValue(before) && isEmptyValue(after))) {
      this.#compareLeaf(before, after, path);
      return;
    }
    if (shape === 'keys') {
      this.#visitKeys(type, before ?? {}, after ?? {}, path);
    } else {
      const [left, right] = [before ?? [], after ?? []];
      this.#visitItems(type, left, right, path);
    }
    if (before === void 0) this.added.insert(path);
    else if (after === void 0) this.removed.insert(path);
  }
  #compareLeaf(before, after, path) {
    if (before === void 0) this.added.insert(path);
    else if (after === void 0) this.removed.insert(path);
    else if (!jsonEquals15(before, after)) this.modified.insert(path);
  }
  #visitKeys(type, before, after, path) {
    for (const key of /* @__PURE__ */ new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [left, right] = [ownValue(before, key), ownValue(after, key)];
      this.visit(typeBelow(type, key), left, right, [...path, fieldElement(key)]);
    }
  }
  #visitItems(type, before, after, path) {
    const left = itemsByElement(type, before);
    const right = itemsByElement(type, after);
    for (const element of /* @__PURE__ */ new Set([...left.keys(), ...right.keys()])) {
      const [one = [], other = []] = [left.get(element), right.get(element)];
      this.#visitItem(type.item, one, other, [...path, element]);
    }
  }
  /** Items with the same key are owned together: fields inside them have no separate owner. */
  #visitItem(type, before, after, path) {
    const [first, next] = [before[0], after[0]];
    const [wereSeveral, areSeveral] = [before.length > 1, after.length > 1];
    if (wereSeveral && areSeveral) {
      if (!jsonEquals15(before, after)) this.modified.insert(path);
    } else if (wereSeveral) {
      if (next !== void 0) this.visit(type, void 0, next, path);
      this.removed.insert(path);
    } else if (areSeveral) {
      if (first !== void 0) this.visit(type, first, void 0, path);
      this.added.insert(path);
    } else this.visit(type, first, next, path);
  }
};
function sharedShape(type, before, after) {
  const left = shapeOf(type, before);
  const right = shapeOf(type, after);
  if (left === void 0 || right === void 0) return left ?? right ?? 'leaf';
  return left === right ? left : 'leaf';
}

// packages/apiserver/src/apply/fields/fields-v1.ts
import { isJsonObject as isJsonObject20, setOwn } from '@keelson/structural-schema';
function encodeFieldsV1(set) {
  const encoded2 = {};
  for (const element of set.elements()) {
    const child = set.children.get(element);
    const below = child === void 0 ? {} : encodeFieldsV1(child);
    const isOwnMember = set.members.has(element) && Object.keys(below).length > 0;
    setOwn(encoded2, element, isOwnMember ? { '.': {}, ...below } : below);
  }
  return encoded2;
}
function decodeFieldsV1(encoded2) {
  if (!isJsonObject20(encoded2)) throw new TypeError('fieldsV1 is not an object');
  const members2 = /* @__PURE__ */ new Set();
  const children = /* @__PURE__ */ new Map();
  for (const element of Object.keys(encoded2)) {
    if (element === '.') continue;
    if (!isWellFormed(element)) throw new TypeError(`fieldsV1 has the malformed step ${element}`);
    const below = encoded2[element];
    if (!isJsonObject20(below)) throw new TypeError(`fieldsV1 has no object below ${element}`);
    const keys = Object.keys(below);
    if (keys.length === 0 || keys.includes('.')) members2.add(element);
    if (keys.some((key) => key !== '.')) children.set(element, decodeFieldsV1(below));
  }
  return new FieldSet(members2, children);
}
function isWellFormed(element) {
  if (element.startsWith('f:')) return true;
  if (!/^[kvi]:/.test(element)) return false;
  try {
    const value = JSON.parse(element.slice(2));
    return !element.startsWith('k:') || isJsonObject20(value);
  } catch {
    return false;
  }
}

// packages/apiserver/src/apply/fields/managed-fields.ts
var MAX_UPDATE_MANAGERS = 10;
var oldUpdatesManager = 'ancient-changes';
function managerId(identity) {
  const { manager: manager3, operation: operation2, subresource } = identity;
  const apiVersion2 = operation2 === 'Apply' ? '' : identity.apiVersion;
  return JSON.stringify([manager3, operation2, apiVersion2, subresource]);
}
function decodeManagers(entries) {
  const managers = /* @__PURE__ */ new Map();
  try {
    for (const entry of entries ?? []) {
      const set = decodeEntry(entry);
      managers.set(managerId(set), set);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    managers.clear();
  }
  return managers;
}
function encodeManagers(managers) {
  return [...managers.values()]
    .filter((set) => !set.fields.isEmpty)
    .toSorted(compareSets)
    .map((set) => ({
      manager: set.manager,
      operation: set.operation,
      apiVersion: set.apiVersion,
      ...(set.time !== void 0 && { time: set.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFieldsV1(set.fields),
      ...(set.subresource !== '' && { subresource: set.subresource }),
    }));
}
function isReset(entries) {
  if (entries === void 0 || entries.length > 1) return false;
  return Object.keys(entries[0] ?? {}).length === 0;
}
function capUpdateManagers(managers) {
  const updates = [...managers].filter(([, set]) => set.operation === 'Update');
  let surplus = updates.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return managers;
  const capped = new Map(managers);
  const firstOfVersion = /* @__PURE__ */ new Map();
  for (const [id, set] of updates.toSorted(([, left], [, right]) => compareSets(left, right))) {
    if (surplus <= 0) break;
    const first = firstOfVersion.get(set.apiVersion);
    if (first === void 0) {
      firstOfVersion.set(set.apiVersion, [id, set]);
      continue;
    }
    const bucket = bucketOf(set.apiVersion);
    const bucketId = managerId(bucket);
    const older = capped.get(bucketId) ?? first[1];
    capped.delete(first[0]);
    capped.delete(id);
    capped.set(bucketId, { ...bucket, fields: older.fields.union(set.fields), time: set.time });
    surplus -= 1;
  }
  return capped;
}
function bucketOf(apiVersion2) {
  return {
    manager: oldUpdatesManager,
    operation: 'Update',
    apiVersion: apiVersion2,
    subresource: '',
  };
}
function decodeEntry(entry) {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
    throw new TypeError('an entry of managedFields has no operation');
  }
  return {
    manager: entry.manager ?? '',
    operation: entry.operation,
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    time: entry.time,
    fields: decodeFieldsV1(entry.fieldsV1),
  };
}
function compareSets(left, right) {
  return (
    compare(left.operation, right.operation) ||
    compare(left.time ?? '', right.time ?? '') ||
    compare(left.manager, right.manager) ||
    compare(left.apiVersion, right.apiVersion) ||
    compare(left.subresource, right.subresource)
  );
}
function compare(left, right) {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

// packages/apiserver/src/apply/fields/unowned-fields.ts
var neverOwned = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
);
var noFields = new FieldSet();
var status2 = FieldSet.of(['f:status']);
var keptByStatus = {
  metadata: FieldSet.of(['f:spec'], ['f:metadata']),
  labels: FieldSet.of(['f:spec'], ['f:metadata', 'f:labels']),
  nothing: FieldSet.of(['f:spec']),
};
function resetFields(
  subresource,
  { hasStatus: hasStatus2 = true, keptByStatusWrites = 'nothing' },
) {
  if (subresource === 'status') return keptByStatus[keptByStatusWrites];
  return subresource === '' && hasStatus2 ? status2 : noFields;
}
function withoutNeverOwned(set) {
  return set.difference(neverOwned);
}

// packages/apiserver/src/apply/record-update.ts
function recordUpdate(update) {
  const { before, subresource = '' } = update;
  const managers = managersOf(update);
  if (managers.size === 0 && before !== void 0) return [];
  const [stored, next] = [storedBefore(update), withoutManagedFields(update.after)];
  if (update.custom === true && !(fitsType(update.type, stored) && fitsType(update.type, next))) {
    return [];
  }
  const identity = {
    manager: update.manager,
    operation: 'Update',
    apiVersion: update.apiVersion,
    subresource,
  };
  const ignored = resetFields(subresource, update);
  const comparison = excludeFields(compareObjects(update.type, stored, next), ignored);
  return encodeManagers(capUpdateManagers(take2(managers, identity, comparison, update.now)));
}
function storedBefore({ type, before }) {
  if (before !== void 0) return withoutManagedFields(before);
  return type.kind === 'struct' ? zeroObject(type) : {};
}
function withoutManagedFields(object) {
  if (object.metadata === void 0) return asJson11(object);
  const { managedFields: _, ...metadata } = object.metadata;
  return asJson11({ ...object, metadata });
}
function excludeFields(comparison, fields) {
  return {
    added: comparison.added.recursiveDifference(fields),
    removed: comparison.removed.recursiveDifference(fields),
    modified: comparison.modified.recursiveDifference(fields),
  };
}
function releaseFields(managers, comparison) {
  const lost = comparison.modified.union(comparison.added).union(comparison.removed);
  const left = /* @__PURE__ */ new Map();
  for (const [id, set] of managers) {
    const fields = set.fields.difference(lost);
    if (!fields.isEmpty) left.set(id, { ...set, fields });
  }
  return left;
}
function take2(managers, identity, comparison, now) {
  const left = releaseFields(managers, comparison);
  const taken = withoutNeverOwned(comparison.modified.union(comparison.added));
  if (taken.isEmpty) return left;
  const id = managerId(identity);
  const owned = left.get(id)?.fields ?? new FieldSet();
  const time3 = identity.subresource === 'scale' ? void 0 : now;
  return left.set(id, { ...identity, fields: owned.union(taken), time: time3 });
}
function managersOf({ before, after, subresource = '' }) {
  const stored = decodeManagers(before?.metadata?.managedFields);
  if (subresource !== '') return stored;
  const sent = after.metadata?.managedFields;
  if (isReset(sent)) return /* @__PURE__ */ new Map();
  const managers = decodeManagers(sent);
  return managers.size === 0 ? stored : managers;
}

// packages/apiserver/src/verbs/writes/ownership.ts
function recordOwnership(record2) {
  const { resource, before, after, subresource } = record2;
  const managedFields = recordUpdate({
    type: resource.schema.type,
    before,
    after,
    custom: resource.facts.custom,
    manager: record2.fieldManager,
    subresource,
    ...resetRulesOf(resource),
    apiVersion: resource.apiVersion,
    now: timestamp(record2.now),
  });
  if (managedFields.length === 0) delete after.metadata.managedFields;
  else after.metadata.managedFields = managedFields;
}
function resetRulesOf({ facts, strategy }) {
  const { hasStatus: hasStatus2, statusWritesKeepLabels: statusWritesKeepLabels2 } = strategy;
  if (facts.custom) return { hasStatus: hasStatus2, keptByStatusWrites: 'metadata' };
  return {
    hasStatus: hasStatus2,
    keptByStatusWrites: statusWritesKeepLabels2 ? 'labels' : 'nothing',
  };
}

// packages/apiserver/src/verbs/writes/write-options.ts
function writeOptions(request, kind) {
  const { query } = request;
  const causes = [
    ...dryRunCauses(query.getAll('dryRun')),
    ...managerCauses(query.get('fieldManager') ?? ''),
    ...validationCauses(query.get('fieldValidation') ?? ''),
  ];
  if (causes.length > 0) throw invalidOptions(kind, causes);
  const fieldValidation = query.get('fieldValidation') ?? '';
  return {
    dryRun: query.getAll('dryRun').length > 0,
    fieldManager: query.get('fieldManager') || managerOf(request.headers['user-agent']),
    fieldValidation: fieldValidation === '' ? 'Warn' : fieldValidation,
    force: isTrue(query.get('force')),
    requester: resourceAttributesOf(request.info, request.user),
  };
}
function invalidOptions(kind, causes) {
  return invalid({ group: 'meta.k8s.io', kind, name: '' }, causes);
}
function dryRunCauses(values) {
  if (values.every((value) => value === 'All')) return [];
  return [notSupported19('dryRun', JSON.stringify(values), ['All'])];
}
function notSupported19(field, value, supported) {
  const list2 = supported.map((text3) => JSON.stringify(text3)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${value}: supported values: ${list2}`,
    field,
  };
}
function managerCauses(manager3) {
  if (Buffer.byteLength(manager3) <= 128) return [];
  return [
    {
      reason: 'FieldValueTooLong',
      message: 'Too long: may not be more than 128 bytes',
      field: 'fieldManager',
    },
  ];
}
function validationCauses(value) {
  if (['', 'Ignore', 'Strict', 'Warn'].includes(value)) return [];
  const supported = ['', 'Ignore', 'Strict', 'Warn'];
  return [notSupported19('fieldValidation', JSON.stringify(value), supported)];
}
function managerOf(userAgent = '') {
  const program = userAgent.split('/', 1)[0] ?? '';
  return (program === '' ? 'unknown' : program).slice(0, 128);
}
function checkForce(query) {
  if (!query.has('force')) return;
  const message2 = 'Forbidden: may not be specified for non-apply patch';
  throw invalidOptions('PatchOptions', [
    { reason: 'FieldValueForbidden', message: message2, field: 'force' },
  ]);
}
function checkManager(query) {
  if (query.get('fieldManager')) return;
  const message2 = 'Required value: is required for apply patch';
  throw invalidOptions('PatchOptions', [
    { reason: 'FieldValueRequired', message: message2, field: 'fieldManager' },
  ]);
}

// packages/apiserver/src/verbs/review-verbs.ts
var reviewers = {
  'authentication.k8s.io/v1/selfsubjectreviews': (review, { user }, { now }) =>
    reviewSelf(review, user, now()),
  'authentication.k8s.io/v1/tokenreviews': (review, _request, { authenticator }) =>
    reviewToken(review, authenticator),
  'authorization.k8s.io/v1/localsubjectaccessreviews': (review, _request, { authorizer }) =>
    reviewAccess(review, authorizer),
  'authorization.k8s.io/v1/selfsubjectaccessreviews': (review, { user }, { authorizer }) =>
    reviewSelfAccess(review, user, authorizer),
  'authorization.k8s.io/v1/selfsubjectrulesreviews': (review, { user }, { rbac }) =>
    reviewRules(review, user, rbac),
  'authorization.k8s.io/v1/subjectaccessreviews': (review, _request, { authorizer }) =>
    reviewAccess(review, authorizer),
};
function isReview(resource) {
  return Object.hasOwn(reviewers, resource.id);
}
async function createReview(request, resource, context) {
  const options = writeOptions(request, 'CreateOptions');
  const contentType2 = request.headers['content-type'];
  const body = await decodeObject(await request.body(), contentType2, resource.facts.kind);
  const review = decodeWrite(decodeTargetOf(resource), body, options, request.warnings);
  checkReview(resource, review);
  const { fieldManager } = options;
  recordOwnership({ resource, after: review, subresource: '', fieldManager, now: context.now() });
  const reviewer = reviewers[resource.id];
  if (reviewer === void 0) throw methodNotAllowed();
  const { kind, apiVersion: apiVersion2, ...rest } = reviewer(review, request, context);
  await sendValue(request, 201, { kind, apiVersion: apiVersion2, ...rest });
}
function checkReview(resource, review) {
  const { spec = {} } = review;
  const { plural: plural2, group: group2 } = resource.facts;
  if (plural2 === 'tokenreviews' && !spec['token']) {
    throw badRequest('token is required for TokenReview in authentication');
  }
  if (plural2 === 'selfsubjectrulesreviews' && !spec['namespace']) {
    throw badRequest('no namespace on request');
  }
  if (!plural2.endsWith('accessreviews')) return;
  const self = plural2 === 'selfsubjectaccessreviews';
  const groups = Array.isArray(spec['groups']) ? spec['groups'] : [];
  if (!self && !spec['user'] && groups.length === 0) {
    throw refused2(group2, 'spec.user', '""', 'at least one of user or group must be specified');
  }
  checkAttributes(group2, spec);
  if (plural2 === 'localsubjectaccessreviews') checkSameNamespace(group2, review);
}
function checkAttributes(group2, spec) {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const isBoth = isJsonObject21(resourceAttributes) && isJsonObject21(nonResourceAttributes);
  if (isBoth) {
    const { path = '', verb = '' } = nonResourceAttributes;
    const value = JSON.stringify({ Path: path, Verb: verb });
    const why2 = 'cannot be specified in combination with resourceAttributes';
    throw refused2(group2, 'spec.nonResourceAttributes', value, why2);
  }
  if (resourceAttributes || nonResourceAttributes) return;
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  throw refused2(group2, 'spec.resourceAttributes', 'null', why);
}
function checkSameNamespace(group2, review) {
  const { spec } = review;
  const namespace = spec?.resourceAttributes?.namespace ?? '';
  if (namespace === (review.metadata.namespace ?? '')) return;
  const field = 'spec.resourceAttributes.namespace';
  throw refused2(group2, field, JSON.stringify(namespace), 'must match metadata.namespace');
}
function refused2(group2, field, value, why) {
  const message2 = `Invalid value: ${value}: ${why}`;
  return invalid({ group: group2, kind: '', name: '' }, [
    { reason: 'FieldValueInvalid', message: message2, field },
  ]);
}

// packages/apiserver/src/server/resource-router.ts
var ResourceRouter = class {
  #context;
  constructor(context) {
    this.#context = context;
  }
  async handle(request) {
    const { group: group2, version, resource: plural2, subresource } = request.info;
    const resource = this.#context.registry.find({ group: group2, version, plural: plural2 });
    if (resource === void 0) return this.#notServed(request);
    warnOfDeprecation(request, resource);
    checkScope(resource, request.info);
    if (request.method === 'HEAD') throw methodNotAllowed();
    mediaTypeOf(request, kindOf(resource));
    if (subresource !== '') return this.#subresource(request, resource);
    if (isReview(resource)) return this.#review(request, resource);
    return this.#verb(request, resource);
  }
  async #review(request, resource) {
    const { verb, name } = request.info;
    if (name !== '') throw resourceNotFound();
    if (verb !== 'create') throw methodNotAllowed();
    return createReview(request, resource, this.#context.reviews);
  }
  /** A group without built-in resources has no handler in kube-apiserver, so the 404 has no Status body. */
  #notServed(request) {
    const { group: group2 } = request.info;
    if (group2 === '' || this.#context.registry.servesBuiltin(group2)) throw resourceNotFound();
    sendNoSuchPath(request.response);
  }
  async #verb(request, resource) {
    const { reads, writes: writes2, deletes } = this.#context;
    const { verb, name } = request.info;
    if (!resource.facts.verbs.includes(verb)) throw methodNotAllowed();
    switch (verb) {
      case 'get':
        return reads.get(request, resource);
      case 'list':
        return reads.list(request, resource);
      case 'watch':
        return reads.watch(request, resource);
      case 'delete':
        return deletes.delete(request, resource);
      case 'deletecollection':
        return deletes.deleteCollection(request, resource);
      default:
        break;
    }
    if ((verb === 'create') === (name !== '')) throw methodNotAllowed();
    switch (verb) {
      case 'create':
        return writes2.create(request, resource);
      case 'update':
        return writes2.update(request, resource, '');
      case 'patch':
        return writes2.patch(request, resource, '');
      default:
        throw methodNotAllowed();
    }
  }
  async #subresource(request, resource) {
    const { subresource, verb } = request.info;
    const served = resource.subresource(subresource);
    const handler = this.#context.subresources[subresource];
    if (served === void 0 || handler === void 0) throw resourceNotFound();
    if (!served.verbs.includes(verb)) {
      throw resource.facts.custom ? methodNotSupported(resource.facts, verb) : methodNotAllowed();
    }
    await (handler(request, resource) ?? Promise.reject(methodNotAllowed()));
  }
};
var deprecations = {
  'v1/componentstatuses': 'v1 ComponentStatus is deprecated in v1.19+',
  'v1/endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};
function warnOfDeprecation(request, resource) {
  const deprecation = resource.facts.deprecation ?? deprecations[resource.id];
  if (deprecation === void 0) return;
  request.response.setHeader('Warning', warningHeaders([deprecation]));
  request.warnings.push(deprecation);
}
function checkScope(resource, info) {
  const { namespaced, plural: plural2 } = resource.facts;
  const inNamespace = info.namespace !== '' && plural2 !== 'namespaces';
  if (!namespaced && inNamespace) throw resourceNotFound();
  const collective = info.verb === 'list' || info.verb === 'watch';
  if (namespaced && !inNamespace && (info.name !== '' || !collective)) {
    throw info.name === '' ? methodNotAllowed() : resourceNotFound();
  }
}

// packages/apiserver/src/lifecycle/background-work.ts
var FIRST_RETRY_MS = 5;
var LAST_RETRY_MS = 6e4;
var BackgroundWork = class {
  #waiting = /* @__PURE__ */ new Map();
  #failed = /* @__PURE__ */ new Map();
  #scheduled;
  #idle;
  #closed = false;
  /** Queues a job under a key. Jobs may add further jobs. */
  add(key, job) {
    if (this.#closed || this.#waiting.has(key)) return;
    this.#waiting.set(key, job);
    this.#scheduled ??= setImmediate(() => this.#run());
  }
  /** True while jobs are queued. Failed jobs count from their next attempt on. */
  get isBusy() {
    return this.#waiting.size > 0;
  }
  /** The jobs that failed and have not succeeded since. */
  failures() {
    return [...this.#failed.values()].map(({ key, attempts, error }) => ({ key, attempts, error }));
  }
  /** Queues every failed job immediately instead of after its backoff. */
  retry() {
    for (const { key, job, timer } of this.#failed.values()) {
      clearTimeout(timer);
      this.add(key, job);
    }
  }
  /** Resolves when every queued job has run, whether it succeeded or failed. */
  idle() {
    if (this.#waiting.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }
  /** Drops the queued jobs and ignores further ones. */
  close() {
    this.#closed = true;
    this.#waiting.clear();
    for (const { timer } of this.#failed.values()) clearTimeout(timer);
    this.#failed.clear();
    this.#settle();
  }
  /** Jobs that are added meanwhile run in the next turn of the event loop, after pending requests. */
  #run() {
    const jobs = [...this.#waiting];
    for (const [key, job] of jobs) {
      this.#waiting.delete(key);
      this.#attempt(key, job);
    }
    this.#settle();
  }
  #attempt(key, job) {
    const before = this.#failed.get(key);
    clearTimeout(before?.timer);
    this.#failed.delete(key);
    try {
      job();
    } catch (error) {
      if (!this.#closed) this.#failed.set(key, this.#failure(key, job, error, before));
    }
  }
  #failure(key, job, error, before) {
    const attempts = (before?.attempts ?? 0) + 1;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);
    const timer = setTimeout(() => this.add(key, job), wait);
    return { key, job, attempts, error, timer };
  }
  #settle() {
    if (this.#scheduled !== void 0) clearImmediate(this.#scheduled);
    this.#scheduled = this.#waiting.size > 0 ? setImmediate(() => this.#run()) : void 0;
    if (this.#waiting.size > 0) return;
    this.#idle?.resolve();
    this.#idle = void 0;
  }
};

// packages/apiserver/src/lifecycle/object-graph.ts
var none2 = /* @__PURE__ */ new Set();
var ObjectGraph = class {
  #places = /* @__PURE__ */ new Map();
  /** Uids of the dependents by the uid of the owner, whether or not the owner exists. */
  #dependents = /* @__PURE__ */ new Map();
  constructor(storage) {
    for (const store of storage.stores()) {
      for (const object of store.values()) this.#add(store, object);
    }
  }
  /** Applies a change of the storage. */
  update(store, change) {
    if (change.previous !== void 0) this.#remove(change.previous);
    if (change.type !== 'DELETED') this.#add(store, change.object);
  }
  /** Finds an object by its uid; `undefined` after its removal. */
  find(uid) {
    const place = this.#places.get(uid);
    const object = place?.store.get(place.key);
    return place && object && { store: place.store, object };
  }
  /** Returns the uids of the objects with an owner reference to this uid. */
  dependents(uid) {
    return this.#dependents.get(uid) ?? none2;
  }
  /** Removes the objects of a resource that is no longer served. */
  drop(store) {
    for (const object of store.values()) this.#remove(object);
  }
  #add(store, object) {
    const { uid = '' } = object.metadata;
    this.#places.set(uid, { store, key: object.key });
    for (const owner of ownersOf(object)) {
      const known2 = this.#dependents.get(owner.uid);
      if (known2 === void 0) this.#dependents.set(owner.uid, /* @__PURE__ */ new Set([uid]));
      else known2.add(uid);
    }
  }
  #remove(object) {
    const { uid = '' } = object.metadata;
    this.#places.delete(uid);
    for (const owner of ownersOf(object)) {
      const known2 = this.#dependents.get(owner.uid);
      known2?.delete(uid);
      if (known2?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
};
function ownersOf(object) {
  return object.metadata.ownerReferences ?? [];
}

// packages/apiserver/src/lifecycle/garbage-collector.ts
var foregroundFinalizer = 'foregroundDeletion';
var orphanFinalizer = 'orphan';
var GarbageCollector = class {
  #context;
  #graph;
  #stop;
  /** Objects with an owner of an unserved kind, by their uid. */
  #unresolved = /* @__PURE__ */ new Set();
  constructor(context) {
    this.#context = context;
    this.#graph = new ObjectGraph(context.storage);
    context.registry.onAdd(() => {
      for (const uid of this.#unresolved) this.#enqueue(uid);
      this.#unresolved.clear();
    });
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }
  close() {
    this.#stop();
  }
  #changed(store, change) {
    this.#graph.update(store, change);
    const { uid = '' } = change.object.metadata;
    if (change.type === 'DELETED') {
      this.#unresolved.delete(uid);
      for (const dependent of this.#graph.dependents(uid)) this.#enqueue(dependent);
      for (const owner of ownersOf(change.object)) this.#enqueue(owner.uid);
      return;
    }
    if (needsAttention(change.object)) this.#enqueue(uid);
    for (const owner of change.previous ? ownersOf(change.previous) : []) {
      if (this.#isDeleting(owner.uid)) this.#enqueue(owner.uid);
    }
  }
  #enqueue(uid) {
    this.#context.work.add(`collect ${uid}`, () => this.#process(uid));
  }
  #isDeleting(uid) {
    return this.#graph.find(uid)?.object.metadata.deletionTimestamp !== void 0;
  }
  #process(uid) {
    const found = this.#graph.find(uid);
    const resource = found && this.#resourceOf(found.store);
    if (found === void 0 || resource === void 0) return;
    const { metadata } = found.object;
    if (metadata.deletionTimestamp === void 0) {
      this.#collect(resource, found.object);
    } else if (metadata.finalizers?.includes(orphanFinalizer) === true) {
      this.#orphan(resource, found.object);
    } else if (metadata.finalizers?.includes(foregroundFinalizer) === true) {
      this.#deleteDependents(resource, found.object);
    }
  }
  #resourceOf(store) {
    return this.#context.registry.anyVersion(store.group, store.plural);
  }
  /** Deletes an object without existing owners; otherwise removes its references to missing owners. */
  #collect(resource, object) {
    if (ownersOf(object).length === 0) return;
    const owners = this.#classify(object);
    if (owners === void 0) {
      this.#unresolved.add(object.metadata.uid ?? '');
      return;
    }
    const { solid, dangling, waiting } = owners;
    if (solid.length > 0) {
      const gone = new Set([...dangling, ...waiting].map(({ uid }) => uid));
      if (gone.size > 0) this.#forget(resource, object, gone);
      return;
    }
    const hasDependents = this.#graph.dependents(object.metadata.uid ?? '').size > 0;
    const foreground = waiting.length > 0 && hasDependents;
    this.#context.remove(resource, object, foreground ? 'Foreground' : policyOf2(object));
  }
  /** Returns `undefined` if the kind of an owner is not served. */
  #classify(object) {
    const references = ownersOf(object);
    const solid = [];
    const dangling = [];
    const waiting = [];
    for (const reference3 of references) {
      if (this.#context.registry.byKind(reference3.apiVersion, reference3.kind) === void 0) {
        return void 0;
      }
      const owner = this.#ownerOf(object, reference3);
      if (owner === void 0) dangling.push(reference3);
      else if (isWaiting(owner)) waiting.push(reference3);
      else solid.push(reference3);
    }
    return { solid, dangling, waiting };
  }
  #ownerOf(object, reference3) {
    const owner = this.#graph.find(reference3.uid)?.object;
    if (owner === void 0 || owner.metadata.name !== reference3.name) return void 0;
    const { namespace } = owner.metadata;
    return namespace === void 0 || namespace === object.metadata.namespace ? owner : void 0;
  }
  #orphan(resource, owner) {
    const uids = /* @__PURE__ */ new Set([owner.metadata.uid ?? '']);
    forEach(this.#dependentsOf(owner), ([dependentResource, dependent]) => {
      this.#forget(dependentResource, dependent, uids);
    });
    this.#removeFinalizer(resource, owner, orphanFinalizer);
  }
  /** Removes the foreground finalizer of the owner once no dependent blocks its deletion. */
  #deleteDependents(resource, owner) {
    const { uid } = owner.metadata;
    const dependents = this.#dependentsOf(owner);
    const blocking = dependents.filter(([, dependent]) =>
      ownersOf(dependent).some(
        (reference3) => reference3.uid === uid && reference3.blockOwnerDeletion === true,
      ),
    );
    if (blocking.length === 0) this.#removeFinalizer(resource, owner, foregroundFinalizer);
    for (const [, dependent] of dependents) this.#enqueue(dependent.metadata.uid ?? '');
  }
  #dependentsOf(owner) {
    const found = [];
    for (const uid of this.#graph.dependents(owner.metadata.uid ?? '')) {
      const dependent = this.#graph.find(uid);
      const resource = dependent && this.#resourceOf(dependent.store);
      if (dependent && resource) found.push([resource, dependent.object]);
    }
    return found;
  }
  #forget(resource, object, uids) {
    this.#context.update(resource, object, (current) => {
      const left = current.metadata.ownerReferences?.filter(({ uid }) => !uids.has(uid)) ?? [];
      if (left.length > 0) current.metadata.ownerReferences = left;
      else delete current.metadata.ownerReferences;
      return current;
    });
  }
  #removeFinalizer(resource, object, finalizer2) {
    this.#context.update(resource, object, (current) => {
      const left = current.metadata.finalizers?.filter((name) => name !== finalizer2) ?? [];
      if (left.length > 0) current.metadata.finalizers = left;
      else delete current.metadata.finalizers;
      return current;
    });
  }
};
function needsAttention(object) {
  return ownersOf(object).length > 0 || object.metadata.deletionTimestamp !== void 0;
}
function isWaiting({ metadata }) {
  return (
    metadata.deletionTimestamp !== void 0 &&
    metadata.finalizers?.includes(foregroundFinalizer) === true
  );
}
function policyOf2({ metadata }) {
  if (metadata.finalizers?.includes(orphanFinalizer) === true) return 'Orphan';
  return metadata.finalizers?.includes(foregroundFinalizer) === true ? 'Foreground' : 'Background';
}

// packages/apiserver/src/lifecycle/namespace-deletion.ts
import { asJson as asJson12 } from '@keelson/structural-schema';

// packages/apiserver/src/lifecycle/namespace-conditions.ts
var fine = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: {
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
};
function deletionConditions(before, remaining, now) {
  const found = {
    NamespaceDeletionContentFailure: failures(remaining),
    NamespaceContentRemaining: content(remaining),
    NamespaceFinalizersRemaining: finalizers(remaining),
  };
  const next = Object.entries(fine).map(([type, normal]) => {
    const problem = found[type];
    const status3 = problem === void 0 ? 'False' : 'True';
    const present = before.find((condition) => condition.type === type);
    const since = present?.status === status3 ? present.lastTransitionTime : void 0;
    return { lastTransitionTime: since ?? now, ...(problem ?? normal), status: status3, type };
  });
  return [...before.filter(({ type }) => fine[type] === void 0), ...next];
}
function failures({ errors }) {
  if (errors.length === 0) return void 0;
  const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  const list2 = messages.toSorted().join(', ');
  const message2 = `Failed to delete all resource types, ${errors.length} remaining: ${list2}`;
  return { reason: 'ContentDeletionFailed', message: message2 };
}
function content({ objects }) {
  const names5 = objects.map(([{ facts }]) => `${facts.plural}.${facts.group}`);
  const list2 = counted3(names5, (name, count7) => `${name} has ${count7} resource instances`);
  if (list2 === '') return void 0;
  return { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list2}` };
}
function finalizers({ objects }) {
  const names5 = objects.flatMap(([, { metadata }]) => metadata.finalizers ?? []);
  const list2 = counted3(names5, (name, count7) => `${name} in ${count7} resource instances`);
  if (list2 === '') return void 0;
  const message2 = `Some content in the namespace has finalizers remaining: ${list2}`;
  return { reason: 'SomeFinalizersRemain', message: message2 };
}
function counted3(names5, show) {
  const counts2 = /* @__PURE__ */ new Map();
  for (const name of names5) counts2.set(name, (counts2.get(name) ?? 0) + 1);
  return [...counts2]
    .map(([name, count7]) => show(name, count7))
    .toSorted()
    .join(', ');
}

// packages/apiserver/src/lifecycle/namespace-deletion.ts
var finalizer = 'kubernetes';
var NamespaceDeletion = class {
  #context;
  #stop;
  constructor(context) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }
  close() {
    this.#stop();
  }
  #changed(store, change) {
    if (store === this.#context.namespaces) {
      if (change.type !== 'DELETED' && isDeleting(change.object)) this.#enqueue(change.object.key);
      return;
    }
    const { namespace } = change.object.metadata;
    if (change.type === 'DELETED' && namespace !== void 0 && this.#isDeleting(namespace)) {
      this.#enqueue(namespace);
    }
  }
  #isDeleting(name) {
    const namespace = this.#context.namespaces.get(name);
    return namespace !== void 0 && isDeleting(namespace);
  }
  #enqueue(name) {
    this.#context.work.add(`empty namespace ${name}`, () => this.#empty(name));
  }
  #empty(name) {
    const namespace = this.#context.namespaces.get(name);
    if (namespace === void 0 || !isDeleting(namespace) || !hasFinalizer(namespace)) return;
    const errors = errorsOf(this.#contentOf(name), ([resource, object]) => {
      if (!isDeleting(object)) this.#context.remove(resource, object, 'Background');
    });
    const objects = this.#contentOf(name);
    this.#report(namespace, { objects, errors });
    if (objects.length === 0) this.#finalize(namespace);
    throwAll(errors);
  }
  /** Reports in the status of the namespace why its deletion has not finished. */
  #report(namespace, remaining) {
    const now = timestamp(this.#context.now());
    this.#context.updateStatus(namespace, (current) => {
      const status3 = ensureObject(asJson12(current), 'status');
      const before = status3.conditions ?? [];
      const conditions2 = deletionConditions(before, remaining, now);
      return Object.assign(current, { status: { ...status3, conditions: conditions2 } });
    });
  }
  #contentOf(namespace) {
    const found = [];
    for (const store of this.#context.storage.stores()) {
      const resource = this.#context.registry.anyVersion(store.group, store.plural);
      if (resource === void 0 || !resource.facts.namespaced) continue;
      for (const object of store.values()) {
        if (object.metadata.namespace === namespace) found.push([resource, object]);
      }
    }
    return found;
  }
  #finalize(namespace) {
    this.#context.finalize(namespace, (current) => {
      const spec = current['spec'] ?? {};
      current['spec'] = {
        ...spec,
        finalizers: spec.finalizers?.filter((name) => name !== finalizer) ?? [],
      };
      return current;
    });
  }
};
function isDeleting({ metadata }) {
  return metadata.deletionTimestamp !== void 0;
}
function hasFinalizer(namespace) {
  const { finalizers: finalizers3 } = objectAt(asJson12(namespace.parse()), 'spec');
  return Array.isArray(finalizers3) && finalizers3.includes(finalizer);
}

// packages/apiserver/src/lifecycle/quota-status.ts
import { asJson as asJson13 } from '@keelson/structural-schema';
var QuotaStatus = class {
  #context;
  #stop;
  constructor(context) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }
  close() {
    this.#stop();
  }
  #changed(store, { type, object }) {
    if (store === this.#context.quotas) {
      if (type !== 'DELETED') this.#enqueue(object.key);
      return;
    }
    if (this.#context.quotas.size === 0 || type === 'ADDED') return;
    for (const quota of this.#context.quotas.values()) {
      if (quota.metadata.namespace === object.metadata.namespace) this.#enqueue(quota.key);
    }
  }
  #enqueue(key) {
    this.#context.work.add(`count quota ${key}`, () => this.#count(key));
  }
  #count(key) {
    const quota = this.#context.quotas.get(key);
    if (quota === void 0) return;
    this.#context.update(quota, (current) => {
      const used = quotaUsage(this.#context.storage, asJson13(current), this.#context.now());
      setStatus(asJson13(current), used);
      return current;
    });
  }
};
function setStatus(quota, counted4) {
  const status3 = ensureObject(quota, 'status');
  const hard = { ...objectAt(objectAt(quota, 'spec'), 'hard') };
  const used = { ...objectAt(status3, 'used'), ...counted4 };
  const names5 = Object.keys(used).filter((name) => hard[name] !== void 0);
  status3.hard = hard;
  status3.used = Object.fromEntries(names5.map((name) => [name, used[name] ?? '0']));
}

// packages/apiserver/src/lifecycle/storage-protection.ts
var finalizers2 = {
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  persistentvolumes: 'kubernetes.io/pv-protection',
};
var StorageProtection = class {
  #context;
  #stop;
  constructor(context) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, { type, object }) => {
      if (store.group !== '' || type === 'DELETED') return;
      const finalizer2 = finalizers2[store.plural];
      if (finalizer2 === void 0 || !isHeld(object, finalizer2)) return;
      context.work.add(`release ${store.plural} ${object.key}`, () =>
        this.#release(store.plural, object.key, finalizer2),
      );
    });
  }
  close() {
    this.#stop();
  }
  #release(plural2, key, finalizer2) {
    const resource = this.#context.registry.find({ group: '', version: 'v1', plural: plural2 });
    const object = resource?.store.get(key);
    if (resource === void 0 || object === void 0 || !isHeld(object, finalizer2)) return;
    this.#context.update(resource, object, (current) => {
      const left = current.metadata.finalizers?.filter((name) => name !== finalizer2) ?? [];
      if (left.length > 0) current.metadata.finalizers = left;
      else delete current.metadata.finalizers;
      return current;
    });
  }
};
function isHeld({ metadata }, finalizer2) {
  return (
    metadata.deletionTimestamp !== void 0 && metadata.finalizers?.includes(finalizer2) === true
  );
}

// packages/apiserver/src/lifecycle/controllers.ts
var manager2 = 'kube-controller-manager';
var Controllers = class {
  #context;
  #running;
  constructor(context) {
    const { storage, registry, work } = context;
    this.#context = context;
    const remove2 = this.#remove.bind(this);
    const update = this.#update.bind(this, '');
    const factories = {
      'garbage-collector': () =>
        new GarbageCollector({ storage, registry, work, remove: remove2, update }),
      namespace: () => this.#namespaceDeletion(),
      'resource-quota': () => this.#quotaStatus(),
      'storage-protection': () => new StorageProtection({ storage, registry, work, update }),
    };
    this.#running = serverControllers
      .filter((name) => context.enabled.has(name))
      .flatMap((name) => factories[name]?.() ?? []);
  }
  #namespaceDeletion() {
    const { storage, registry, work, namespaces: namespaces2, now } = this.#context;
    return new NamespaceDeletion({
      storage,
      registry,
      work,
      now,
      namespaces: namespaces2.store,
      remove: this.#remove.bind(this),
      finalize: this.#update.bind(this, 'finalize', namespaces2),
      updateStatus: this.#update.bind(this, 'status', namespaces2),
    });
  }
  #quotaStatus() {
    const { storage, work, quotas, now } = this.#context;
    const update = this.#update.bind(this, 'status', quotas);
    return new QuotaStatus({ storage, work, now, quotas: quotas.store, update });
  }
  close() {
    for (const controller of this.#running) controller.close();
  }
  #remove(resource, object, policy) {
    const { uid = '' } = object.metadata;
    this.#context.remover.remove(resource, object.key, {
      dryRun: false,
      propagationPolicy: policy,
      gracePeriodSeconds: void 0,
      preconditions: { uid },
    });
  }
  #update(scope, resource, object, next) {
    const options = { dryRun: false, fieldManager: manager2 };
    this.#context.writer.update(resource, { key: object.key, scope, options, next });
  }
};

// packages/apiserver/src/openapi/openapi-document.ts
import { createHash as createHash3 } from 'node:crypto';

// packages/apiserver/src/openapi/openapi-data.ts
import { brotliDecompressSync as brotliDecompressSync3 } from 'node:zlib';
import { lazy as lazy8 } from '@keelson/structural-schema';
var sections = lazy8(() => {
  const bytes = brotliDecompressSync3(readDataFile('openapi.json.br'));
  const found = /* @__PURE__ */ new Map();
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf('\n', from);
    const tab = bytes.indexOf('	', from);
    found.set(bytes.toString('latin1', from, tab), bytes.subarray(tab + 1, end));
    from = end + 1;
  }
  return found;
});
function recordedSchemas() {
  return section('schemas') ?? {};
}
function recordedPaths() {
  return [...sections().keys()].filter((key) => key.startsWith('v3/')).map((key) => key.slice(3));
}
function recordedDocument(path) {
  return section(`v3/${path}`);
}
function recordedSwagger() {
  return section('v2');
}
function templateText(version, scope) {
  return sections().get(`template/${version}/${scope}`)?.toString() ?? '{}';
}
function section(key) {
  const bytes = sections().get(key);
  return bytes === void 0 ? void 0 : JSON.parse(bytes.toString());
}

// packages/apiserver/src/openapi/custom-paths.ts
function customTemplate(custom, version) {
  const words = wordsOf(custom);
  const text3 = templateText(version, custom.namespaced ? 'Namespaced' : 'Cluster');
  const filled = text3.replaceAll(/\$\{(\w+)\}/g, (whole2, name) => words[name] ?? whole2);
  const { paths, schemas } = JSON.parse(filled);
  const served = Object.entries(paths).filter(([path]) => isServed(custom, path));
  return { paths: Object.fromEntries(served), ...(schemas && { schemas }) };
}
function isServed({ subresources }, path) {
  const subresource = /\{name\}\/(\w+)$/.exec(path)?.[1];
  return subresource === void 0 || subresources.includes(subresource);
}
function schemaPrefix({ group: group2, version }) {
  return [...group2.split('.').toReversed(), version].join('.');
}
function wordsOf(custom) {
  const { group: group2, version, kind, listKind, plural: plural2 } = custom;
  const short = group2.replace(/\.k8s\.io$/, '');
  return {
    group: group2,
    version,
    kind,
    listKind,
    plural: plural2,
    prefix: schemaPrefix(custom),
    article: /^[aeiou]/i.test(kind) ? 'an' : 'a',
    tag: `${operationWord(short, false)}_${operationWord(version, false)}`,
    operationGroup: operationWord(short, true) + operationWord(version, true),
    operationKind: operationWord(kind, true),
  };
}
function operationWord(name, capital) {
  const word = name.replaceAll(new RegExp('[^\\p{L}\\d_]+(\\p{L}?)', 'gu'), (_, next) =>
    next.toUpperCase(),
  );
  return capital ? word.slice(0, 1).toUpperCase() + word.slice(1) : word;
}

// packages/apiserver/src/openapi/custom-schema.ts
import { isJsonObject as isJsonObject22 } from '@keelson/structural-schema';
var metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1';
var conventions =
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
var typeMembers = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
};
var embeddedMembers = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
};
function objectSchema(custom, version) {
  const { schema: schema3 } = custom;
  return { ...bodyOf(schema3, version), ...extensions3(custom, custom.kind) };
}
function bodyOf(schema3, version) {
  if (schema3 === void 0 || (version === 2 && schema3[preserves] === true)) {
    return { type: 'object' };
  }
  const published = publish(schema3, version);
  const members2 = { ...typeMembers, metadata: metadataOf('object', version) };
  return {
    ...published,
    properties: sorted({ ...objectAt2(published, 'properties'), ...members2 }),
  };
}
function listSchema(custom, item, version) {
  return {
    description: `${custom.listKind} is a list of ${custom.kind}`,
    type: 'object',
    required: ['items'],
    properties: sorted({
      ...typeMembers,
      items: {
        description: `List of ${custom.plural}. More info: ${conventions}`,
        type: 'array',
        items: { $ref: pathOf2(item, version) },
      },
      metadata: metadataOf('list', version),
    }),
    ...extensions3(custom, custom.listKind),
  };
}
function extensions3({ group: group2, version, selectablePaths }, kind) {
  const fields = selectablePaths.map((fieldPath) => ({ fieldPath }));
  return {
    'x-kubernetes-group-version-kind': [{ group: group2, kind, version }],
    ...(fields.length > 0 && { 'x-kubernetes-selectable-fields': fields }),
  };
}
function metadataOf(whose, version) {
  const isList = whose === 'list';
  const $ref = pathOf2(`${metaPrefix}.${isList ? 'ListMeta' : 'ObjectMeta'}`, version);
  const description = `Standard ${isList ? 'list' : "object's"} metadata. More info: ${conventions}#${isList ? 'types-kinds' : 'metadata'}`;
  return { description, ...(version === 3 ? { allOf: [{ $ref }] } : { $ref }) };
}
function pathOf2(name, version) {
  return version === 3 ? `#/components/schemas/${name}` : `#/definitions/${name}`;
}
var preserves = 'x-kubernetes-preserve-unknown-fields';
var intOrString2 = 'x-kubernetes-int-or-string';
var embedded = 'x-kubernetes-embedded-resource';
function publish(schema3, version) {
  const reduced = version === 2 ? swaggerOf(schema3) : schema3;
  const published = { ...reduced };
  for (const [name, value] of Object.entries(reduced)) {
    if (name === 'properties') published[name] = publishEach(value, version);
    else if (name === 'items' || name === 'additionalProperties') {
      published[name] = isJsonObject22(value) ? publish(value, version) : value;
    }
  }
  if (version === 3 && schema3[intOrString2] === true && schema3['anyOf'] === void 0) {
    published['anyOf'] = [{ type: 'integer' }, { type: 'string' }];
  }
  const isEmbedded = schema3[embedded] === true && (version === 3 || schema3[preserves] !== true);
  return isEmbedded ? withEmbedded(published, version) : published;
}
function publishEach(schemas, version) {
  const entries = Object.entries(isJsonObject22(schemas) ? schemas : {});
  return sorted(
    Object.fromEntries(entries.map(([name, schema3]) => [name, publish(schema3, version)])),
  );
}
function sorted(members2) {
  return Object.fromEntries(Object.entries(members2).toSorted(([a], [b]) => byCodeUnit(a, b)));
}
function withEmbedded(schema3, version) {
  const required28 = Array.isArray(schema3['required']) ? schema3['required'] : [];
  const missing2 = ['kind', 'apiVersion'].filter((name) => !required28.includes(name));
  const properties = sorted({
    ...objectAt2(schema3, 'properties'),
    ...embeddedMembers,
    metadata: metadataOf('object', version),
  });
  return { ...schema3, required: [...required28, ...missing2], properties };
}
function swaggerOf(schema3) {
  const { allOf, oneOf: oneOf4, anyOf, not, default: _default, nullable, ...rest } = schema3;
  void [allOf, oneOf4, anyOf, not];
  const reduced = rest;
  const isOpen = reduced[preserves] === true;
  if (isOpen || nullable === true) {
    delete reduced['items'];
    delete reduced['properties'];
  }
  const bare = reduced['type'] === 'array' && reduced['items'] === void 0;
  if (nullable === true || bare || (isOpen && reduced['type'] === 'object')) delete reduced['type'];
  return withoutNullable(reduced);
}
function withoutNullable(schema3) {
  const { required: required28, ...rest } = schema3;
  if (!Array.isArray(required28)) return schema3;
  const properties = objectAt2(schema3, 'properties');
  const names5 = Object.keys(properties);
  const mayBeNull = new Set(
    names5.filter((name) => objectAt2(properties, name)['nullable'] === true),
  );
  const left = required28.filter((name) => !mayBeNull.has(name));
  const none3 =
    objectAt2(schema3, 'additionalProperties')['nullable'] === true || left.length === 0;
  return none3 ? rest : { ...schema3, required: left };
}
function objectAt2(object, name) {
  const value = Object.hasOwn(object, name) ? object[name] : void 0;
  return isJsonObject22(value) ? value : {};
}

// packages/apiserver/src/openapi/openapi-document.ts
function openApiV3Index(source) {
  const found = /* @__PURE__ */ new Set([...recordedPaths(), ...source.customs.map(openApiV3Path)]);
  const paths = [...found].toSorted(byCodeUnit).map((path) => {
    const hash = openApiHash(source, path);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(paths) };
}
function openApiV3Document(path, source) {
  const customs = source.customs.filter((custom) => openApiV3Path(custom) === path);
  if (customs.length > 0) return customDocument(customs);
  const recorded2 = recordedDocument(path);
  if (recorded2 === void 0) return void 0;
  const { shared, components, ...document } = recorded2;
  const common = recordedSchemas();
  const schemas = shared.map((name) => [name, components.schemas[name] ?? common[name]]);
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } };
}
function openApiV2Document({ customs }) {
  const swagger = recordedSwagger();
  const paths = customs.map((custom) => customTemplate(custom, 2).paths);
  const schemas = customs.map((custom) => schemasOf(custom, 2));
  return {
    ...swagger,
    paths: sorted2({ ...swagger.paths, ...merged(paths) }),
    definitions: sorted2({ ...swagger.definitions, ...merged(schemas) }),
  };
}
function openApiHash(source, path) {
  const customs = source.customs.filter(
    (custom) => path === void 0 || openApiV3Path(custom) === path,
  );
  const content2 = JSON.stringify([source.kubernetesVersion, path ?? '', customs]);
  return createHash3('sha512').update(content2).digest('hex').toUpperCase();
}
function openApiV3Path({ group: group2, version }) {
  return `apis/${group2}/${version}`;
}
function customDocument(customs) {
  const templates2 = customs.map((custom) => customTemplate(custom, 3));
  const own = merged(customs.map((custom) => schemasOf(custom, 3)));
  const paths = merged(templates2.map((template2) => template2.paths));
  const known2 = { ...recordedSchemas(), ...templates2[0]?.schemas };
  const others = {};
  collect([paths, own], known2, others);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths: sorted2(paths),
    components: { schemas: sorted2({ ...others, ...own }) },
  };
}
function schemasOf(custom, version) {
  const prefix2 = schemaPrefix(custom);
  const name = `${prefix2}.${custom.kind}`;
  return {
    [name]: objectSchema(custom, version),
    [`${prefix2}.${custom.listKind}`]: listSchema(custom, name, version),
  };
}
function collect(part, known2, into) {
  for (const [, name = ''] of JSON.stringify(part).matchAll(reference)) {
    const schema3 = known2[name];
    if (schema3 === void 0 || name in into) continue;
    into[name] = schema3;
    collect(schema3, known2, into);
  }
}
var reference = /"#\/components\/schemas\/([^"]+)"/g;
function merged(parts) {
  return Object.assign({}, ...parts);
}
function sorted2(entries) {
  return Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => byCodeUnit(a, b)));
}

// packages/apiserver/src/openapi/swagger-message.ts
var extensions4 = 'x-';
var text2 = repeated2((writer, field, value) => {
  lengthDelimited2(writer, field).string(String(value));
});
var truth = (writer, field, value) => {
  writer.uint32(field << 3).bool(value === true);
};
var integer = (writer, field, value) => {
  writer.uint32(field << 3).int64(Number(value));
};
var double = (writer, field, value) => {
  writer.uint32((field << 3) | 1).double(Number(value));
};
var any = (writer, field, value) => {
  nested(writer, field, () => text2(writer, 2, JSON.stringify(value)));
};
var anys = repeated2(any);
function message(fields) {
  return repeated2((writer, field, value) => {
    nested(writer, field, () => writeMembers(writer, fields(), value));
  });
}
function wrapped(number2, encode) {
  return (writer, field, value) => nested(writer, field, () => encode(writer, number2, value));
}
function mapOf3(encode, number2 = 1) {
  return (writer, field, value) => {
    nested(writer, field, () => writePairs(writer, number2, Object.entries(value), encode));
  };
}
function repeated2(encode) {
  return (writer, field, value) => {
    for (const item of Array.isArray(value) ? value : [value]) {
      encode(writer, field, item);
    }
  };
}
function writeMembers(writer, fields, value) {
  for (const [name, [number2, encode]] of Object.entries(fields)) {
    if (name === extensions4) writePairs(writer, number2, extensionsOf(value), encode);
    else if (Object.hasOwn(value, name)) encode(writer, number2, Reflect.get(value, name));
  }
}
function extensionsOf(value) {
  return Object.entries(value).filter(([name]) => name.startsWith(extensions4));
}
function writePairs(writer, field, pairs, encode) {
  for (const [name, value] of pairs) {
    nested(writer, field, () => {
      text2(writer, 1, name);
      encode(writer, 2, value);
    });
  }
}
function nested(writer, field, write2) {
  lengthDelimited2(writer, field).fork();
  write2();
  writer.join();
}
function lengthDelimited2(writer, field) {
  return writer.uint32((field << 3) | 2);
}

// packages/apiserver/src/openapi/openapi-v2-protobuf.ts
var openApiV2MediaType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
var openApiV2ContentType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
async function openApiV2Protobuf(document) {
  const { BinaryWriter } = await import('@bufbuild/protobuf/wire');
  const writer = new BinaryWriter();
  for (const [name, [number2, encode]] of Object.entries(documentFields)) {
    const value = Reflect.get(document, name);
    if (value !== void 0) encode(writer, number2, value);
  }
  return Buffer.from(writer.finish());
}
var schemaFields = {
  $ref: [1, text2],
  format: [2, text2],
  title: [3, text2],
  description: [4, text2],
  default: [5, any],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, truth],
  minimum: [9, double],
  exclusiveMinimum: [10, truth],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text2],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, truth],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, text2],
  enum: [20, anys],
  additionalProperties: [21, (writer, field, value) => additional(writer, field, value)],
  type: [22, wrapped(1, text2)],
  items: [23, wrapped(1, (writer, field, value) => schema2(writer, field, value))],
  allOf: [24, (writer, field, value) => schema2(writer, field, value)],
  properties: [25, mapOf3((writer, field, value) => schema2(writer, field, value))],
  example: [30, any],
  'x-': [31, any],
};
var schema2 = message(() => schemaFields);
var additional = (writer, field, value) => {
  const encode = typeof value === 'boolean' ? wrapped(2, truth) : wrapped(1, schema2);
  encode(writer, field, value);
};
var reference2 = wrapped(
  2,
  message(() => ({ $ref: [1, text2] })),
);
var bodyParameter = message(() => ({
  description: [1, text2],
  name: [2, text2],
  in: [3, text2],
  required: [4, truth],
  schema: [5, schema2],
}));
var queryParameter = message(() => ({
  required: [1, truth],
  in: [2, text2],
  description: [3, text2],
  name: [4, text2],
  type: [6, text2],
  format: [7, text2],
  uniqueItems: [20, truth],
}));
var pathParameter = message(() => ({
  required: [1, truth],
  in: [2, text2],
  description: [3, text2],
  name: [4, text2],
  type: [5, text2],
  format: [6, text2],
  uniqueItems: [19, truth],
}));
var parameter = (writer, field, value) => {
  const { in: place } = value;
  if (place === 'body') return wrapped(1, bodyParameter)(writer, field, value);
  const one = place === 'path' ? wrapped(4, pathParameter) : wrapped(3, queryParameter);
  return wrapped(2, one)(writer, field, value);
};
var parameters = (writer, field, value) => {
  for (const item of value) {
    const encode = '$ref' in item ? reference2 : wrapped(1, parameter);
    encode(writer, field, item);
  }
};
var response = message(() => ({
  description: [1, text2],
  schema: [2, wrapped(1, schema2)],
}));
var operation = message(() => ({
  tags: [1, text2],
  summary: [2, text2],
  description: [3, text2],
  operationId: [5, text2],
  produces: [6, text2],
  consumes: [7, text2],
  parameters: [8, parameters],
  responses: [9, mapOf3(wrapped(1, response))],
  schemes: [10, text2],
  deprecated: [11, truth],
  'x-': [13, any],
}));
var pathItem = message(() => ({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, parameters],
}));
var apiKey = message(() => ({
  type: [1, text2],
  name: [2, text2],
  in: [3, text2],
  description: [4, text2],
}));
var documentFields = {
  swagger: [1, text2],
  info: [2, message(() => ({ title: [1, text2], version: [2, text2] }))],
  paths: [8, mapOf3(pathItem, 2)],
  definitions: [9, mapOf3(schema2)],
  parameters: [10, mapOf3(parameter)],
  security: [12, requirements],
  securityDefinitions: [13, mapOf3(wrapped(2, apiKey))],
};
function requirements(...[writer, field, value]) {
  for (const item of value) mapOf3(wrapped(1, text2))(writer, field, item);
}

// packages/apiserver/src/openapi/openapi-verbs.ts
async function handleOpenApi(request, source) {
  const { path } = request.info;
  switch (path) {
    case '/openapi/v2':
      return sendV2(request, source);
    case '/openapi/v3':
      return sendText(request.response, 200, JSON.stringify(openApiV3Index(source)));
    default:
      if (path.startsWith(documents)) return sendV3(request, path.slice(documents.length), source);
      return sendNoSuchPath(request.response);
  }
}
var documents = '/openapi/v3/';
async function sendV2(request, source) {
  const { headers, response: response2 } = request;
  const asJson18 = acceptsJson(headers.accept);
  if (!asJson18 && !headers.accept?.includes(openApiV2MediaType)) throw notServed();
  if (isKnown(request, openApiHash(source))) return void 0;
  const document = openApiV2Document(source);
  const whole2 = asJson18
    ? `${JSON.stringify(document)}
`
    : await openApiV2Protobuf(document);
  const contentType2 = asJson18 ? 'application/json' : openApiV2ContentType;
  const { body, headers: encoding } = compressed(headers, whole2);
  const vary = { Vary: 'Accept-Encoding, Accept' };
  return respond(response2, 200, body, {
    contentType: contentType2,
    headers: { ...encoding, ...vary },
  });
}
function sendV3(request, path, source) {
  const { query, response: response2 } = request;
  const document = openApiV3Document(path, source);
  if (document === void 0) return void response2.writeHead(404).end();
  const hash = openApiHash(source, path);
  const requestedHash = query.get('hash');
  if (requestedHash !== null && requestedHash !== hash) {
    response2.writeHead(301, { Location: `/openapi/v3/${path}?hash=${hash}` }).end();
    return void 0;
  }
  if (isKnown(request, hash)) return void 0;
  if (requestedHash === null) return sendJson(response2, 200, document);
  response2.setHeader('Expires', new Date(Date.now() + YEAR_MS).toUTCString());
  return sendJson(response2, 200, document, { cacheControl: 'public, immutable' });
}
var YEAR_MS = 365 * 864e5;
function isKnown({ headers, response: response2 }, hash) {
  const tag = `"${hash}"`;
  response2.setHeader('ETag', tag);
  response2.setHeader('Vary', 'Accept');
  if (headers['if-none-match'] !== tag) return false;
  response2.writeHead(304).end();
  return true;
}
function acceptsJson(accept = '*/*') {
  return accept.split(',').some((clause) => /^\s*(?:application\/json|\*\/\*)/.test(clause));
}
function notServed() {
  const types3 = `application/json, ${openApiV2MediaType}`;
  return failure(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${types3}`,
    {},
  );
}

// packages/apiserver/src/openapi/openapi-source.ts
function openApiSource(definitions) {
  return { customs: definitions.flatMap(schemasOf2), kubernetesVersion: kubernetesVersion() };
}
function schemasOf2({ spec }) {
  const { kind, plural: plural2, listKind = `${kind}List` } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name, schema: schema3, subresources = {}, selectableFields = [] }) => ({
      group: spec.group,
      version: name,
      kind,
      listKind,
      plural: plural2,
      namespaced: spec.scope === 'Namespaced',
      subresources: Object.keys(subresources),
      selectablePaths: selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
      // The schema is JSON from a request; its static type lists only the members that the server reads.
      schema: schema3?.openAPIV3Schema,
    }));
}

// packages/apiserver/src/resources/builtin-served.ts
import { resourceId as resourceId2 } from '@keelson/apimachinery';
var aliases = {
  'events.k8s.io/v1/events': {
    storedAs: 'v1/events',
    conversion: eventConversion,
    servedName: (path) =>
      path
        .replace(/^involvedObject\./, 'regarding.')
        .replace('reportingComponent', 'reportingController'),
  },
  'autoscaling/v1/horizontalpodautoscalers': {
    storedAs: 'autoscaling/v2/horizontalpodautoscalers',
    conversion: autoscalerConversion,
    servedName: (path) => path,
  },
};
var olderStorage = {
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': 'v1beta1',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': 'v1beta1',
  'apiextensions.k8s.io/v1/customresourcedefinitions': 'v1beta1',
};
function builtinServed(storage) {
  const stores = /* @__PURE__ */ new Map();
  return builtinResources().map((facts) => {
    const id = resourceId2(facts);
    const alias = aliases[id];
    const storedAs = alias?.storedAs ?? id;
    const fields = builtinSelectableFields(storedAs);
    const store = stores.get(storedAs) ?? storage.createStore(facts, fields.valuesOf);
    stores.set(storedAs, store);
    return new ServedResource({
      ...facts,
      listKind: `${facts.kind}List`,
      storedAs: groupVersionOf(storedAs),
      custom: false,
      store,
      strategy: builtinStrategy(id, hasStatus(facts)),
      selectablePaths: new Map(fields.paths.map((path) => [alias?.servedName(path) ?? path, path])),
      ...(alias && { conversion: alias.conversion }),
      schema: () => schemaOf2(facts),
    });
  });
}
function groupVersionOf(id) {
  const [first = '', second = '', third] = id.split('/');
  if (third === void 0) return { group: '', version: first };
  return { group: first, version: olderStorage[id] ?? second };
}
function hasStatus(facts) {
  return facts.subresources.some(({ name }) => name === 'status');
}
function schemaOf2(facts) {
  const schema3 = builtinKindSchema(facts);
  if (schema3 === void 0) throw new Error(`no schema for ${resourceId2(facts)}`);
  return schema3;
}

// packages/apiserver/src/resources/resource-registry.ts
import { resourceId as resourceId3 } from '@keelson/apimachinery';
import { EventEmitter as EventEmitter2 } from 'eventemitter3';
var ResourceRegistry = class {
  #resources = /* @__PURE__ */ new Map();
  #events = new EventEmitter2();
  add(resource) {
    this.#resources.set(resource.id, resource);
    this.#events.emit('add', resource);
  }
  remove(resource) {
    if (this.#resources.get(resource.id) !== resource) return;
    this.#resources.delete(resource.id);
    this.#events.emit('remove', resource);
  }
  onAdd(listener) {
    this.#events.on('add', listener);
  }
  onRemove(listener) {
    this.#events.on('remove', listener);
  }
  find(name) {
    return this.#resources.get(resourceId3(name));
  }
  /** Returns a resource in any of its served versions. */
  anyVersion(group2, plural2) {
    return this.all().find(({ facts }) => facts.group === group2 && facts.plural === plural2);
  }
  /** Returns the resource whose objects have this `apiVersion` and `kind`. */
  byKind(apiVersion2, kind) {
    return this.all().find(
      (resource) => resource.apiVersion === apiVersion2 && resource.facts.kind === kind,
    );
  }
  all() {
    return [...this.#resources.values()];
  }
  servesGroup(group2) {
    return this.all().some(({ facts }) => facts.group === group2);
  }
  /** True for the groups of built-in kinds. */
  servesBuiltin(group2) {
    return this.all().some(({ facts }) => facts.group === group2 && !facts.custom);
  }
  /** Returns the built-in groups in the order of kube-apiserver's discovery, then custom groups by name. */
  groups() {
    const versions = /* @__PURE__ */ new Map();
    for (const { facts } of this.all()) {
      const known2 = versions.get(facts.group) ?? /* @__PURE__ */ new Set();
      versions.set(facts.group, known2.add(facts.version));
    }
    const isOwn = ([group2]) => this.servesBuiltin(group2);
    const custom = [...versions].filter((entry) => !isOwn(entry));
    const sorted3 = custom.toSorted(([a], [b]) => byCodeUnit(a, b));
    return [...[...versions].filter(isOwn), ...sorted3].map(([group2, known2]) => ({
      group: group2,
      versions: [...known2].toSorted(compareVersions),
    }));
  }
  inVersion(group2, version) {
    return this.all().filter(({ facts }) => facts.group === group2 && facts.version === version);
  }
};

// packages/apiserver/src/server/control-plane.ts
import { asJson as asJson17 } from '@keelson/structural-schema';

// packages/apiserver/src/verbs/delete-options.ts
async function deleteOptions(request) {
  const body = await request.body();
  const given = body.length === 0 ? fromQuery(request.query) : await fromBody(request, body);
  return readDeleteOptions(given);
}
function readDeleteOptions(given) {
  const causes = causesOf2(given);
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes);
  return {
    dryRun: (given.dryRun ?? []).length > 0,
    propagationPolicy: policyOf3(given),
    gracePeriodSeconds: given.gracePeriodSeconds,
    preconditions: given.preconditions ?? {},
  };
}
function fromQuery(query) {
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null && !/^[+-]?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    dryRun: query.getAll('dryRun'),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
  };
}
async function fromBody(request, body) {
  const { value } = await decodeObject(body, request.headers['content-type']);
  const { kind = 'DeleteOptions', apiVersion: apiVersion2 = 'v1' } = value;
  if (kind !== 'DeleteOptions') {
    throw badRequest(notRegistered(String(apiVersion2), String(kind)));
  }
  try {
    decode(optionsType, value);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
  return value;
}
var optionsType = structOf2('v1.DeleteOptions', {
  dryRun: { kind: 'list', list: 'atomic', keys: [], item: scalarOf('string') },
  gracePeriodSeconds: scalarOf('int64'),
  orphanDependents: scalarOf('boolean'),
  preconditions: structOf2('v1.Preconditions', {
    uid: scalarOf('string'),
    resourceVersion: scalarOf('string'),
  }),
  propagationPolicy: scalarOf('string'),
});
function scalarOf(scalar) {
  return { kind: 'scalar', scalar };
}
function structOf2(name, types3) {
  const patch = { merge: false, retainKeys: false };
  const fields = Object.entries(types3).map(([field, type]) => [
    field,
    { type, required: false, empty: 'optional', patch },
  ]);
  return { kind: 'struct', name, atomic: false, fields: new Map(fields), present: [], open: false };
}
function policyOf3(given) {
  if (given.orphanDependents !== void 0) return given.orphanDependents ? 'Orphan' : 'Background';
  return given.propagationPolicy;
}
function causesOf2(given) {
  const { propagationPolicy: policy, orphanDependents } = given;
  const causes = dryRunCauses(given.dryRun ?? []);
  const value = JSON.stringify(policy);
  if (policy !== void 0 && orphanDependents !== void 0) {
    causes.push({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${value}: orphanDependents and deletionPropagation cannot be both set`,
      field: 'propagationPolicy',
    });
  } else if (policy !== void 0 && !policies.has(policy)) {
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${value}: supported values: "Foreground", "Background", "Orphan", "nil"`,
      field: 'propagationPolicy',
    });
  }
  return causes;
}
var policies = /* @__PURE__ */ new Set(['Background', 'Foreground', 'Orphan']);

// packages/apiserver/src/subresources/disruption-budget.ts
import {
  labelRequirementsOf as labelRequirementsOf4,
  matchesLabels as matchesLabels4,
} from '@keelson/apimachinery';
var MAX_PENDING_DISRUPTIONS = 2e3;
function budgetOf(budgets, pod) {
  const found = [...budgets.store.values()].filter((stored) => {
    if (stored.metadata.namespace !== pod.metadata.namespace) return false;
    const { spec } = stored.parse();
    const selector = spec?.selector;
    return (
      selector !== void 0 && matchesLabels4(labelRequirementsOf4(selector), pod.metadata.labels)
    );
  });
  if (found.length <= 1) return found[0];
  throw failure(
    500,
    '',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  );
}
function allowsUnhealthyEviction({ spec, status: status3 }) {
  const { currentHealthy = 0, desiredHealthy = 0 } = status3 ?? {};
  const isMet = desiredHealthy > 0 && currentHealthy >= desiredHealthy;
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || isMet;
}
function budgetAfterEviction(budget, pod, now) {
  checkBudget(budget);
  const { status: status3 = {} } = budget;
  const disruptionsAllowed = (status3.disruptionsAllowed ?? 0) - 1;
  return {
    ...status3,
    disruptionsAllowed,
    disruptedPods: { ...status3.disruptedPods, [pod]: now },
    ...(disruptionsAllowed === 0 && { conditions: exhausted(status3, now) }),
  };
}
function checkBudget({ metadata, status: status3 = {} }) {
  const { name = '', generation = 0 } = metadata;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status3;
  const subject = { group: 'policy', plural: 'poddisruptionbudget', kind: '', name };
  if (observedGeneration < generation) {
    throw refusal2(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed < 0) throw forbidden(subject, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_PENDING_DISRUPTIONS) {
    throw forbidden(
      subject,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (disruptionsAllowed === 0) throw refusal2(refusalOf(name, status3), 0);
}
function refusalOf(name, status3) {
  const { currentHealthy = 0, desiredHealthy = 0, conditions: conditions2 = [] } = status3;
  const condition = conditions2.find(({ type }) => type === allowed);
  const reported = condition?.status === 'False' && condition.message !== '' ? condition : void 0;
  const title = `The disruption budget ${name}`;
  if (reported?.reason === 'SyncFailed') {
    return `${title} does not allow evicting pods currently because it failed sync: ${reported.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `${title} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const why = reported === void 0 ? '' : ` (${reported.reason}): ${reported.message}`;
  return `${title} does not allow evicting pods currently${why}`;
}
function refusal2(message2, retryAfterSeconds) {
  const title = "Cannot evict pod as it would violate the pod's disruption budget.";
  return failure(429, 'TooManyRequests', title, {
    causes: [{ reason: 'DisruptionBudget', message: message2 }],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  });
}
var allowed = 'DisruptionAllowed';
function exhausted(status3, now) {
  const { conditions: conditions2 = [], observedGeneration = 0 } = status3;
  const before = conditions2.find(({ type }) => type === allowed);
  const condition = {
    type: allowed,
    status: 'False',
    ...(observedGeneration > 0 && { observedGeneration }),
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return before === void 0
    ? [...conditions2, condition]
    : conditions2.map((other) => (other === before ? condition : other));
}

// packages/apiserver/src/subresources/eviction.ts
function evictionHandler(context) {
  const { registry, writer, remover, now } = context;
  return async (request, pods) => {
    const { name } = request.info;
    const eviction = await decodedEviction(request);
    const options = evictionOptions(request, eviction);
    const key = pods.key(request.info);
    const pod = pods.store.get(key);
    if (pod === void 0) throw notFound(pods.subject(name));
    const budgets = registry.find({
      group: 'policy',
      version: 'v1',
      plural: 'poddisruptionbudgets',
    });
    if (budgets !== void 0) countEviction(context, budgets, pods, pod, options);
    remover.remove(pods, key, { ...options, dryRun: true });
    if (!options.dryRun) {
      writer.update(pods, {
        key,
        scope: 'status',
        options: { dryRun: false, fieldManager: void 0 },
        next: (current) => asTarget(current, timestamp(now())),
      });
      remover.remove(pods, key, { ...options, preconditions: {} });
    }
    await sendValue(request, 201, success);
  };
}
var success = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
};
async function decodedEviction(request) {
  const contentType2 = request.headers['content-type'];
  const { value } = await decodeObject(await request.body(), contentType2, 'Eviction');
  return value;
}
function evictionOptions(request, { metadata, deleteOptions: deleteOptions2 }) {
  if (metadata?.name !== request.info.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  return readDeleteOptions({ dryRun: request.query.getAll('dryRun'), ...deleteOptions2 });
}
function countEviction({ writer, now }, budgets, pods, stored, { dryRun }) {
  const pod = pods.read(stored);
  const budget = isDisruptedAlready(pod) ? void 0 : budgetOf(budgets, stored);
  if (budget === void 0) return;
  if (!isReady2(pod) && allowsUnhealthyEviction(budgets.read(budget))) return;
  const { name = '' } = pod.metadata;
  writer.update(budgets, {
    key: budget.key,
    scope: 'status',
    options: { dryRun, fieldManager: 'kube-apiserver' },
    next: (current) => ({
      ...current,
      status: budgetAfterEviction(current, name, timestamp(now())),
    }),
  });
}
function isDisruptedAlready({ metadata, status: status3 }) {
  const { phase = 'Pending' } = status3 ?? {};
  return (
    metadata.deletionTimestamp !== void 0 || ['Pending', 'Succeeded', 'Failed'].includes(phase)
  );
}
function isReady2({ status: status3 }) {
  const conditions2 = status3?.conditions ?? [];
  return conditions2.some((one) => one.type === 'Ready' && one.status === 'True');
}
function asTarget(object, lastTransitionTime) {
  const pod = object;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return { ...pod, status: { ...pod.status, conditions: [...others, target] } };
}

// packages/apiserver/src/subresources/binding.ts
function bindingHandler(writer, now) {
  return async (request, resource) => {
    const options = writeOptions(request, 'CreateOptions');
    const contentType2 = request.headers['content-type'];
    const { value } = await decodeObject(await request.body(), contentType2, 'Binding');
    const { target } = value;
    const node = target?.name ?? '';
    if (node === '') throw badRequest('target.name: Required value');
    writer.update(resource, {
      key: resource.key(request.info),
      scope: 'binding',
      options: { dryRun: options.dryRun, fieldManager: void 0 },
      next: (pod) => assigned(pod, node, timestamp(now())),
    });
    await sendValue(request, 201, success);
  };
}
function assigned(pod, node, lastTransitionTime) {
  const { spec = {}, status: status3 = {} } = pod;
  const { name = '' } = pod.metadata;
  if (spec.nodeName !== void 0 && spec.nodeName !== '') {
    const subject = { group: '', plural: 'pods/binding', kind: 'Binding', name };
    const why = `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
    throw conflict(subject, why);
  }
  const others = (status3.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
  };
  return {
    ...pod,
    spec: { ...spec, nodeName: node },
    status: { ...status3, conditions: [...others, scheduled] },
  };
}

// packages/apiserver/src/apply/apply-configuration.ts
import { jsonEquals as jsonEquals16 } from '@keelson/structural-schema';

// packages/apiserver/src/apply/apply-conflict.ts
import { StatusError as StatusError8 } from '@keelson/apimachinery';
function applyConflictError(conflicts2) {
  return new StatusError8({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: messageOf3(conflicts2),
    reason: 'Conflict',
    details: {
      causes: conflicts2.map(({ owner, path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${printManager(owner)}`,
        field: printPath(path),
      })),
    },
    code: 409,
  });
}
function messageOf3(conflicts2) {
  const [first] = conflicts2;
  if (conflicts2.length === 1 && first !== void 0) {
    const { owner, path } = first;
    return `Apply failed with 1 conflict: conflict with ${printManager(owner)}: ${printPath(path)}`;
  }
  const byOwner = Map.groupBy(conflicts2, ({ owner }) => printManager(owner));
  const lines = [...byOwner]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([owner, list2]) => [
      `conflicts with ${owner}:`,
      ...list2.map(({ path }) => `- ${printPath(path)}`),
    ]);
  return `Apply failed with ${conflicts2.length} conflicts: ${lines.join('\n')}`;
}
function printManager({
  manager: manager3,
  operation: operation2,
  apiVersion: apiVersion2,
  subresource,
}) {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation2 === 'Update' ? ` using ${apiVersion2}` : '';
  return `${JSON.stringify(manager3)}${through}${using}`;
}

// packages/apiserver/src/apply/fields/field-set-of.ts
function fieldSetOf(type, value) {
  const set = new FieldSet();
  collect2(type, value, [], set);
  return set;
}
function withNamedFields(set, type) {
  const members2 = new Set(set.members);
  const children = /* @__PURE__ */ new Map();
  for (const [element, child] of set.children) {
    const key = element.slice(2);
    const isField = element.startsWith('f:');
    if (isField && isNamedField(type, key)) members2.add(element);
    children.set(element, withNamedFields(child, isField ? typeBelow(type, key) : itemType(type)));
  }
  return new FieldSet(members2, children);
}
function collect2(type, value, path, set) {
  const shape = shapeOf(type, value);
  if (shape === 'keys') collectKeys(type, value, path, set);
  else if (shape === 'items') collectItems(type, value, path, set);
  else set.insert(path);
}
function collectKeys(type, object, path, set) {
  for (const key of Object.keys(object)) {
    const value = object[key];
    const below = [...path, fieldElement(key)];
    collect2(typeBelow(type, key), value, below, set);
    const isEmptyObject = isEmptyValue(value) && !Array.isArray(value);
    if (isEmptyObject || !isNamedField(type, key)) set.insert(below);
  }
}
function collectItems(type, list2, path, set) {
  for (const [element, [item, ...others]] of itemsByElement(type, list2)) {
    const below = [...path, element];
    if (item !== void 0 && others.length === 0) collect2(type.item, item, below, set);
    set.insert(below);
  }
}
function itemType(type) {
  return type.kind === 'list' ? type.item : type;
}

// packages/apiserver/src/apply/last-applied.ts
import {
  cloneJson as cloneJson3,
  jsonText as jsonText9,
  parseExact as parseExact4,
  sortMembers,
} from '@keelson/structural-schema';
var lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
function lastAppliedFields(type, live, apiVersion2) {
  const applied = parseLastApplied(live);
  if (applied === void 0 || applied.apiVersion !== apiVersion2) return new FieldSet();
  const {
    added,
    modified: modified2,
    removed,
  } = compareObjects(type, applied, withoutManagedFields(live));
  return fieldSetOf(type, applied).difference(modified2).difference(added).difference(removed);
}
function refreshLastApplied(object, applied) {
  const annotations2 = object.metadata?.annotations;
  if (annotations2?.[lastAppliedAnnotation] === void 0) return;
  const configuration = cloneJson3(applied);
  delete configuration.metadata?.annotations?.[lastAppliedAnnotation];
  annotations2[lastAppliedAnnotation] = `${jsonText9(sortMembers(configuration))}
`;
}
function parseLastApplied(live) {
  const text3 = live.metadata?.annotations?.[lastAppliedAnnotation];
  if (text3 === void 0) return void 0;
  try {
    return parseExact4(text3);
  } catch {
    return void 0;
  }
}

// packages/apiserver/src/apply/merge-configuration.ts
import {
  cloneJson as cloneJson4,
  ownValue as ownValue2,
  setOwn as setOwn2,
} from '@keelson/structural-schema';
function mergeConfiguration(type, live, applied) {
  if (applied === void 0) return cloneJson4(live ?? null);
  const shape = shapeOf(type, live);
  if (shape !== 'leaf' && shape !== void 0 && isEmptyValue(applied)) return cloneJson4(live);
  if (shape !== shapeOf(type, applied)) return cloneJson4(applied);
  if (shape === 'keys') return mergeKeys(type, live, applied);
  if (shape === 'items') {
    return mergeItems(type, live, applied);
  }
  return cloneJson4(applied);
}
function mergeKeys(type, live, applied) {
  const merged2 = {};
  for (const key of /* @__PURE__ */ new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const [before, wanted2] = [ownValue2(live, key), ownValue2(applied, key)];
    setOwn2(merged2, key, mergeConfiguration(typeBelow(type, key), before, wanted2));
  }
  return merged2;
}
function mergeItems(type, live, applied) {
  const liveItems = itemsByElement(type, live);
  const appliedItems = itemsByElement(type, applied);
  const merged2 = [];
  const rest = live.values();
  let fresh = [];
  for (const [element, [item = null]] of appliedItems) {
    const [before, ...others] = liveItems.get(element) ?? [];
    if (before !== void 0) {
      merged2.push(...liveOnlyUntil(rest, type, appliedItems, element), ...fresh);
      merged2.push(mergeConfiguration(type.item, others.length === 0 ? before : null, item));
      fresh = [];
    } else {
      fresh.push(cloneJson4(item));
    }
  }
  return [...merged2, ...liveOnlyUntil(rest, type, appliedItems), ...fresh];
}
function liveOnlyUntil(rest, type, appliedItems, end) {
  const found = [];
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    const element = itemElement(type, next.value);
    if (element !== void 0 && element === end) break;
    if (element === void 0 || !appliedItems.has(element)) found.push(cloneJson4(next.value));
  }
  return found;
}

// packages/apiserver/src/apply/remove-items.ts
import { setOwn as setOwn3 } from '@keelson/structural-schema';
function removeItems(type, value, set) {
  return removeBelow(type, value, set) ?? {};
}
function removeBelow(type, value, set) {
  const shape = shapeOf(type, value);
  if (shape === 'keys') return removeKeys(type, value, set);
  if (shape === 'items') return removeListItems(type, value, set);
  return value;
}
function removeKeys(type, object, set) {
  const kept = {};
  for (const key of Object.keys(object)) {
    const element = fieldElement(key);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    const value = object[key];
    const left = below === void 0 ? value : removeBelow(typeBelow(type, key), value, below);
    setOwn3(kept, key, left);
  }
  return Object.keys(kept).length === 0 ? null : kept;
}
function removeListItems(type, list2, set) {
  const kept = [];
  for (const item of list2) {
    const element = itemElement(type, item);
    if (element !== void 0 && set.members.has(element)) continue;
    const below = element === void 0 ? void 0 : set.children.get(element);
    kept.push(below === void 0 ? item : removeBelow(type.item, item, below));
  }
  return kept.length === 0 ? null : kept;
}

// packages/apiserver/src/apply/apply-configuration.ts
var beforeFirstApply = 'before-first-apply';
function applyConfiguration(request) {
  checkConfiguration(request.type, request.applied);
  if (request.live !== void 0) checkLive(request.type, withoutManagedFields(request.live));
  const application = new Application(request);
  application.run();
  const object = application.object;
  if (request.manager === 'kubectl') refreshLastApplied(object, request.applied);
  object.metadata = { ...object.metadata, managedFields: encodeManagers(application.managers) };
  return object;
}
var Application = class {
  object;
  managers;
  #request;
  #live;
  #id;
  #ignored;
  constructor(request) {
    this.#request = request;
    this.#live = withoutManagedFields(request.live ?? {});
    this.#ignored = resetFields(request.subresource ?? '', request);
    this.#id = managerId(this.#own(new FieldSet()));
    this.managers = liveManagers(request);
    this.object = this.#live;
  }
  run() {
    const { type, applied } = this.#request;
    const configuration = withoutManagedFields(applied);
    const last = this.managers.get(this.#id);
    const set = fieldSetOf(type, configuration).recursiveDifference(this.#ignored);
    this.managers = new Map(this.managers).set(this.#id, this.#own(set));
    this.object = mergeConfiguration(type, this.#live, configuration);
    if (last !== void 0) this.#prune(last.fields);
    this.#takeFromOthers();
    this.#forgetNeverOwned();
    this.#keepTimeIfUnchanged(last);
  }
  #own(fields) {
    const { manager: manager3, apiVersion: apiVersion2, subresource = '', now } = this.#request;
    return {
      manager: manager3,
      operation: 'Apply',
      apiVersion: apiVersion2,
      subresource,
      fields,
      time: now,
    };
  }
  /** Removes the fields of the last apply that this one omits, unless another manager owns them. */
  #prune(last) {
    const { type } = this.#request;
    const merged2 = this.object;
    const lastNamed = withNamedFields(last, type);
    const removed = removeItems(type, merged2, lastNamed);
    const mergedSet = withNamedFields(fieldSetOf(type, merged2), type);
    const owned = [...this.managers.values()]
      .map((set) => set.fields)
      .reduce((all2, fields) => all2.union(fields), new FieldSet());
    const stays = withNamedFields(fieldSetOf(type, removed), type).union(
      withNamedFields(owned, type),
    );
    const withOwned = removeItems(type, merged2, mergedSet.difference(stays));
    const left = withNamedFields(fieldSetOf(type, withOwned), type);
    this.object = removeItems(type, merged2, mergedSet.difference(left).intersection(lastNamed));
  }
  #takeFromOthers() {
    const { type, force } = this.#request;
    const comparison = excludeFields(compareObjects(type, this.#live, this.object), this.#ignored);
    const mine = this.managers.get(this.#id);
    const others = new Map(this.managers);
    others.delete(this.#id);
    const written = comparison.modified.union(comparison.added);
    if (!force) this.#refuseConflicts(others, written);
    const left = releaseFields(others, comparison);
    if (mine !== void 0 && !mine.fields.isEmpty) left.set(this.#id, mine);
    this.managers = left;
  }
  #refuseConflicts(others, written) {
    const found = [];
    for (const owner of others.values()) {
      for (const path of owner.fields.intersection(written).paths()) found.push({ owner, path });
    }
    if (found.length === 0) return;
    const allowed2 = this.#takeoverFields();
    const conflicts2 = found.filter(({ path }) => !allowed2.has(path));
    if (conflicts2.length > 0) throw applyConflictError(conflicts2);
  }
  #forgetNeverOwned() {
    const mine = this.managers.get(this.#id);
    if (mine === void 0) return;
    const left = new Map(this.managers);
    const fields = withoutNeverOwned(mine.fields);
    if (fields.isEmpty) left.delete(this.#id);
    else left.set(this.#id, { ...mine, fields });
    this.managers = left;
  }
  /** The fields of client-side apply that kubectl may take over. */
  #takeoverFields() {
    const { manager: manager3, live, type, apiVersion: apiVersion2 } = this.#request;
    if (manager3 !== 'kubectl' || live === void 0) return new FieldSet();
    return lastAppliedFields(type, live, apiVersion2);
  }
  /** Keeps the old time, or none, if this apply changed nothing: the time is that of the last change. */
  #keepTimeIfUnchanged(last) {
    const mine = this.managers.get(this.#id);
    if (mine === void 0 || !jsonEquals16(this.object, this.#live)) return;
    this.managers = new Map(this.managers).set(this.#id, { ...mine, time: last?.time });
  }
};
function liveManagers(request) {
  const { live } = request;
  if (live === void 0) return /* @__PURE__ */ new Map();
  const managers = decodeManagers(live.metadata?.managedFields);
  if (managers.size > 0) return managers;
  const { managedFields: _, ...metadata } = live.metadata ?? {};
  const after = { ...live, metadata };
  return decodeManagers(
    recordUpdate({ ...request, before: void 0, after, manager: beforeFirstApply }),
  );
}

// packages/apiserver/src/subresources/scale.ts
import { asJson as asJson15 } from '@keelson/structural-schema';

// packages/apiserver/src/tables/scale-columns.ts
var desired2 = ['spec', 'replicas'];
var available = ['status', 'replicas'];
var scaleColumns = {
  columns: [
    nameColumn,
    column('Desired', (scale) => numberAt(scale, desired2)),
    column('Available', (scale) => numberAt(scale, available)),
    ageColumn,
  ],
  definitions() {
    const { name, created } = usualDefinitions();
    return [
      { ...name, format: '' },
      count6('Desired', 'replicas is the desired number of instances for the scaled object.'),
      count6(
        'Available',
        'replicas is the actual number of observed instances of the scaled object.',
      ),
      { ...created, name: 'Age', type: 'string' },
    ];
  },
};
var customScaleColumns = {
  columns: [
    nameColumn,
    column('Desired', (scale) => numberAt(scale, desired2) || null),
    column('Available', (scale) => numberAt(scale, available)),
    ageColumn,
  ],
  definitions() {
    const { name, created } = usualDefinitions();
    return [
      name,
      count6('Desired', 'Number of desired replicas'),
      count6('Available', 'Number of actual replicas'),
      { ...created, name: 'Age' },
    ];
  },
};
function count6(name, description) {
  return { name, type: 'integer', format: '', description, priority: 0 };
}

// packages/apiserver/src/verbs/writes/object-meta.ts
import { randomInt, randomUUID as randomUUID3 } from 'node:crypto';
var suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
var suffixLength = 5;
var longestBase = 63 - suffixLength;
function generatedName(base) {
  let name = base.slice(0, longestBase);
  for (let at2 = 0; at2 < suffixLength; at2++)
    name += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return name;
}
function placeInNamespace(resource, object, namespace) {
  const { metadata } = object;
  if (!resource.facts.namespaced) {
    if (metadata.namespace !== void 0 && metadata.namespace !== '') {
      throw otherNamespace();
    }
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace === void 0 || metadata.namespace === '') metadata.namespace = namespace;
  if (metadata.namespace !== namespace) {
    throw otherNamespace();
  }
}
function otherNamespace() {
  return badRequest(
    'the namespace of the provided object does not match the namespace sent on the request',
  );
}
function completeNewMetadata(resource, object, now) {
  const { metadata } = object;
  if (metadata.resourceVersion !== void 0 && metadata.resourceVersion !== '') {
    throw failure(500, '', 'resourceVersion should not be set on objects to be created');
  }
  delete metadata.resourceVersion;
  delete metadata.selfLink;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  const { firstGeneration } = resource.strategy;
  delete metadata.generation;
  const named = metadata.name !== void 0 && metadata.name !== '';
  if (!named && metadata.generateName) metadata.name = generatedName(metadata.generateName);
  object.metadata = {
    ...metadata,
    uid: randomUUID3(),
    ...(firstGeneration > 0 && { generation: firstGeneration }),
    creationTimestamp: timestamp(now),
  };
}
function nameRequired(name) {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}
function checkUid(resource, current, next) {
  const { uid } = next.metadata;
  if (uid === void 0 || uid === '' || uid === current.metadata.uid) return;
  const subject = resource.subject(current.metadata.name ?? '');
  throw conflict(subject, uidMismatch(resource, current, uid));
}
function checkPreconditions(resource, current, next) {
  const { resourceVersion } = next.metadata;
  const subject = resource.subject(current.metadata.name ?? '');
  if (resourceVersion === void 0 || resourceVersion === '' || resourceVersion === '0') {
    if (!resource.strategy.allowsUnconditionalUpdate)
      throw invalid({ ...subject, kind: subject.plural }, [versionRequired]);
    return;
  }
  checkVersionSyntax(next);
  if (resourceVersion !== current.metadata.resourceVersion) throw modified(subject);
}
function checkVersionSyntax({ metadata: { resourceVersion = '' } }) {
  if (/^\d*$/.test(resourceVersion)) return;
  const why = `parsing ${JSON.stringify(resourceVersion)}: invalid syntax`;
  throw failure(500, '', `strconv.ParseUint: ${why}`);
}
var versionRequired = {
  reason: 'FieldValueInvalid',
  message: 'Invalid value: 0: must be specified for an update',
  field: 'metadata.resourceVersion',
};
function checkName(object, name) {
  const own = object.metadata.name ?? '';
  if (own === '') throw nameRequired(name);
  if (own === name) return;
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}
function uidMismatch(resource, current, uid) {
  const { namespace, name } = current.metadata;
  const { custom, group: group2, plural: plural2 } = resource.facts;
  const parts = ['/registry', custom ? group2 : '', plural2, namespace, name];
  const key = parts.filter(Boolean).join('/');
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`;
}
function keepServerMetadata(next, current) {
  const { metadata } = next;
  for (const name of serverMembers) {
    const value = current.metadata[name];
    if (value === void 0) delete metadata[name];
    else Object.assign(metadata, { [name]: value });
  }
  const { uid, deletionTimestamp, deletionGracePeriodSeconds: grace } = current.metadata;
  if (!metadata.uid && uid !== void 0) metadata.uid = uid;
  if (deletionTimestamp !== void 0) metadata.deletionTimestamp = deletionTimestamp;
  if (grace !== void 0) metadata.deletionGracePeriodSeconds ??= grace;
  delete metadata.selfLink;
}
var serverMembers = ['name', 'namespace', 'resourceVersion', 'generation', 'creationTimestamp'];

// packages/apiserver/src/verbs/writes/object-patcher.ts
import { StatusError as StatusError9 } from '@keelson/apimachinery';
import {
  asJson as asJson14,
  isJsonObject as isJsonObject23,
  jsonText as jsonText10,
} from '@keelson/structural-schema';
var ObjectPatcher = class {
  #writer;
  #now;
  constructor(writer, now) {
    this.#writer = writer;
    this.#now = now;
  }
  patch(target, patch) {
    const { resource, key, scope, options, warnings } = target;
    const patched = (object) => patch.next(asJson14(object));
    const again = () => {
      const stored = resource.store.get(key);
      return stored && patched(resource.read(stored));
    };
    const refuse2 = (error) => undecodablePatch(patch, again, error);
    return this.#writer.update(resource, {
      key,
      scope,
      options,
      warnings,
      next: (current) => completed3(target, patched(current), refuse2),
    });
  }
  /** Executes a server-side apply; `created` is true if the object did not exist. */
  apply(target, applied) {
    const { resource, key, scope, warnings } = target;
    const { dryRun, requester } = target.options;
    const options = { dryRun, requester, fieldManager: void 0 };
    const sent = goNames(applied);
    checkApplied(target, applied);
    const refuse2 = (error) => unconvertible(sent, error);
    if (resource.store.get(key) === void 0 && createsObject(resource, scope)) {
      const object = completed3(target, this.#applied(target, applied, void 0), refuse2, true);
      checkAbsent(target, object);
      delete object.metadata.resourceVersion;
      const stored2 = this.#writer.create(resource, object, { options, warnings, scope });
      return { stored: stored2, created: true };
    }
    const next = (current) =>
      completed3(target, this.#applied(target, applied, current), refuse2, true);
    const stored = this.#writer.update(resource, { key, scope, options, next, warnings });
    return { stored, created: false };
  }
  #applied(target, applied, live) {
    const { resource, scope, options } = target;
    const object = applyConfiguration({
      type: resource.schema.type,
      live,
      applied,
      manager: options.fieldManager,
      force: options.force,
      subresource: scope,
      ...resetRulesOf(resource),
      apiVersion: resource.apiVersion,
      now: timestamp(this.#now()),
    });
    if (object.metadata?.managedFields?.length === 0) delete object.metadata.managedFields;
    return object;
  }
};
function completed3(target, value, refuse2, isApplied = false) {
  if (!isJsonObject23(value)) throw undecodable(value, 'the object is none any more');
  const body = { value, json: '', isApplied };
  const decode2 = decodeTargetOf(target.resource);
  const object = decodePatched(refuse2, () =>
    decodeWrite(decode2, body, target.options, target.warnings),
  );
  if (!object.metadata.name) throw nameRequired(target.name);
  checkIdentity(target, object);
  return object;
}
function decodePatched(refuse2, decode2) {
  try {
    return decode2();
  } catch (error) {
    if (!(error instanceof StatusError9) || error.statusCode !== 400) throw error;
    throw refuse2(error);
  }
}
function undecodablePatch({ shown: shown2 }, result, error) {
  return shown2 === void 0
    ? undecodable(printed(result()), decoderText(error))
    : undecodable(shown2, converterText(error));
}
function decoderText({ status: { message: message2 = '' } }) {
  return message2.replace(/^.* cannot be handled as a \w+: /, '');
}
function converterText(error) {
  return error.cause instanceof DecodeError ? error.cause.converted : decoderText(error);
}
function unconvertible(sent, error) {
  if (!(error.cause instanceof DecodeError)) return error;
  const { kind, name } = sent;
  const why = `unable to convert unstructured object to ${kind}: ${error.cause.converted}`;
  return failure(500, '', `failed to convert new object (${name}) to proper version: ${why}`);
}
function undecodable(value, why) {
  const message2 = `Invalid value: ${jsonText10(value)}: ${why}`;
  const causes = [{ reason: 'FieldValueInvalid', message: message2, field: 'patch' }];
  return failure(422, 'Invalid', ` "" is invalid: patch: ${message2}`, { causes });
}
function printed(value) {
  const members2 = Object.entries(value ?? {}).toSorted(([a], [b]) => byCodeUnit(a, b));
  return jsonText10(Object.fromEntries(members2));
}
function checkApplied({ resource, name, namespace }, { metadata }) {
  metadata.name ??= name;
  if (typeof metadata.name === 'string') checkSameName(metadata.name, name);
  const isElsewhere = (metadata.namespace ?? namespace) !== namespace;
  if (resource.facts.namespaced && isElsewhere) throw otherNamespace();
}
function checkAbsent({ resource, name }, { metadata: { uid } }) {
  if (uid === void 0 || uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(resource.subject(name), why);
}
function checkSameName(own, name) {
  if (own === name) return;
  throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}
function checkIdentity({ resource, name, namespace }, object) {
  const { metadata } = object;
  metadata.name ??= name;
  checkSameName(metadata.name, name);
  if (!resource.facts.namespaced) return;
  metadata.namespace ??= namespace;
  if (metadata.namespace !== namespace) {
    throw badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${namespace})`,
    );
  }
}
function createsObject({ strategy }, scope) {
  return scope === '' || (scope === 'status' && strategy.createsOnUpdate);
}

// packages/apiserver/src/patch/json-patch.ts
import { StatusError as StatusError10 } from '@keelson/apimachinery';
import {
  cloneJson as cloneJson5,
  isJsonObject as isJsonObject24,
  jsonEquals as jsonEquals17,
  jsonText as jsonText11,
  setOwn as setOwn4,
} from '@keelson/structural-schema';
var MAX_OPERATIONS = 1e4;
var MAX_COPIED_BYTES = 3 * 1024 * 1024;
function jsonPatch(target, operations) {
  const root = { value: cloneJson5(target), copiedBytes: 0 };
  for (const operation2 of parseOperations(operations)) applyOperation(root, operation2);
  return root.value;
}
function parseOperations(operations) {
  if (!Array.isArray(operations)) throw undecodable2(operations, '[]handlers.jsonPatchOp');
  if (operations.length > MAX_OPERATIONS) throw tooManyOperations(operations.length);
  return operations.map((operation2) => {
    if (!isJsonObject24(operation2)) throw undecodable2(operation2, 'handlers.jsonPatchOp');
    return operation2;
  });
}
function applyOperation(root, operation2) {
  const { path, from = '' } = operation2;
  if (typeof path !== 'string') throw rejected(operation2);
  switch (operation2.op) {
    case 'add':
      return put(root, operation2, 'insert', cloneJson5(operation2.value ?? null));
    case 'replace':
      return put(root, operation2, 'overwrite', cloneJson5(operation2.value ?? null));
    case 'remove':
      return void remove(root, path, operation2);
    case 'move':
      return put(root, operation2, 'insert', remove(root, from, operation2));
    case 'copy':
      return put(root, operation2, 'insert', copied(root, operation2));
    case 'test':
      if (jsonEquals17(read5(root, path, operation2) ?? null, operation2.value ?? null))
        return void 0;
      throw rejected(operation2);
    default:
      throw rejected(operation2);
  }
}
function copied(root, operation2) {
  const value = read5(root, operation2.from ?? '', operation2) ?? null;
  root.copiedBytes += Buffer.byteLength(jsonText11(value));
  if (root.copiedBytes > MAX_COPIED_BYTES) throw rejected(operation2);
  return cloneJson5(value);
}
function put(root, operation2, mode, value) {
  const tokens2 = parsePointer(operation2.path, operation2);
  const last = tokens2.pop();
  if (last === void 0) {
    root.value = value;
    return;
  }
  const parent = find(root.value, tokens2, operation2);
  if (Array.isArray(parent)) {
    const index =
      mode === 'insert' ? insertionIn(parent, last, operation2) : indexOf(parent, last, operation2);
    if (mode === 'insert') parent.splice(index, 0, value);
    else if (index < parent.length) parent[index] = value;
    else throw rejected(operation2);
  } else if (isJsonObject24(parent)) {
    setOwn4(parent, last, value);
  } else {
    throw rejected(operation2);
  }
}
function remove(root, path, operation2) {
  const tokens2 = parsePointer(path, operation2);
  const last = tokens2.pop();
  const parent = find(root.value, tokens2, operation2);
  const value = read5(root, path, operation2);
  if (last === void 0 || value === void 0) throw rejected(operation2);
  if (Array.isArray(parent)) parent.splice(indexOf(parent, last, operation2), 1);
  else if (isJsonObject24(parent)) delete parent[last];
  return value;
}
function read5(root, path, operation2) {
  const tokens2 = parsePointer(path, operation2);
  const last = tokens2.pop();
  if (last === void 0) return root.value;
  const parent = find(root.value, tokens2, operation2);
  if (Array.isArray(parent)) {
    const value = parent[indexOf(parent, last, operation2)];
    if (value === void 0) throw rejected(operation2);
    return value;
  }
  if (!isJsonObject24(parent)) throw rejected(operation2);
  return Object.hasOwn(parent, last) ? parent[last] : void 0;
}
function find(root, tokens2, operation2) {
  let current = root;
  for (const token of tokens2) {
    if (Array.isArray(current)) current = current[indexOf(current, token, operation2)];
    else if (isJsonObject24(current) && Object.hasOwn(current, token)) current = current[token];
    else current = void 0;
    if (current === void 0) throw rejected(operation2);
  }
  return current;
}
function parsePointer(path, operation2) {
  if (path === '') return [];
  if (!path.startsWith('/')) throw rejected(operation2);
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}
function insertionIn(list2, token, operation2) {
  if (token === '-') return list2.length;
  const isNegative = token.startsWith('-');
  return indexOf(list2, isNegative ? String(Number(token) + 1 + list2.length) : token, operation2);
}
function indexOf(list2, token, operation2) {
  if (!/^-?\d+$/.test(token)) throw rejected(operation2);
  const index = Number(token);
  const position = index < 0 ? list2.length + index : index;
  if (position < 0 || position > list2.length) throw rejected(operation2);
  return position;
}
function undecodable2(value, goType3) {
  return new StatusError10({
    status: 'Failure',
    message: `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type ${goType3}`,
    reason: 'BadRequest',
    code: 400,
  });
}
function rejected(operation2) {
  return new StatusError10(
    {
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    },
    { op: operation2.op, path: operation2.path },
  );
}
function tooManyOperations(count7) {
  return new StatusError10({
    status: 'Failure',
    message: `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count7}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  });
}

// packages/apiserver/src/verbs/writes/patch-body.ts
import { isJsonObject as isJsonObject29 } from '@keelson/structural-schema';

// packages/apiserver/src/patch/merge-patch.ts
import {
  cloneJson as cloneJson6,
  isJsonObject as isJsonObject25,
  setOwn as setOwn5,
} from '@keelson/structural-schema';
function mergePatch(target, patch) {
  if (!isJsonObject25(patch)) return cloneJson6(patch);
  const merged2 = isJsonObject25(target) ? cloneJson6(target) : {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) {
      delete merged2[key];
    } else {
      const previous = Object.hasOwn(merged2, key) ? merged2[key] : null;
      setOwn5(merged2, key, mergePatch(previous, value));
    }
  }
  return merged2;
}

// packages/apiserver/src/patch/strategic-merge-patch.ts
import { StatusError as StatusError11 } from '@keelson/apimachinery';

// packages/apiserver/src/patch/item-ids.ts
import {
  isJsonObject as isJsonObject26,
  jsonText as jsonText12,
  sortMembers as sortMembers2,
} from '@keelson/structural-schema';
var ItemIds = class {
  #key;
  /** Takes the merge key of a list of objects; without it, items are identified by value. */
  constructor(key) {
    this.#key = key;
  }
  /** Returns a string that two items share if and only if their keys are equal JSON. A scalar is its own key. */
  of(item) {
    const own = this.#key === void 0 || !isJsonObject26(item) ? item : (item[this.#key] ?? null);
    return jsonText12(sortMembers2(own));
  }
  /** Returns the first index of every item, by id. */
  places(items) {
    const places = /* @__PURE__ */ new Map();
    for (const [index, item] of items.entries()) {
      const id = this.of(item);
      if (!places.has(id)) places.set(id, index);
    }
    return places;
  }
};

// packages/apiserver/src/patch/element-order.ts
function orderItems(items, patchOrder, serverOrder, key) {
  const ids = new ItemIds(key);
  const inPatch = ids.places(patchOrder);
  const onServer = ids.places(serverOrder);
  const placed = items.map((item) => {
    const id = ids.of(item);
    return { item, patch: inPatch.get(id), server: onServer.get(id) ?? -1 };
  });
  const named = placed
    .filter(({ patch }) => patch !== void 0)
    .toSorted((left, right) => (left.patch ?? 0) - (right.patch ?? 0));
  const ordered2 = [];
  let at2 = 0;
  for (const other of placed.filter(({ patch }) => patch === void 0)) {
    for (; at2 < named.length && (named[at2]?.server ?? -1) <= other.server; at2++) {
      ordered2.push(named[at2]?.item ?? null);
    }
    ordered2.push(other.item);
  }
  return [...ordered2, ...named.slice(at2).map(({ item }) => item)];
}

// packages/apiserver/src/patch/keyed-items.ts
import { isJsonObject as isJsonObject27 } from '@keelson/structural-schema';
var KeyedItems = class {
  #ids = new ItemIds();
  #items;
  #places = /* @__PURE__ */ new Map();
  constructor(list2, key) {
    this.#items = [...list2];
    for (const [index, item] of list2.entries()) {
      if (isJsonObject27(item) && item[key] !== void 0) this.#placesOf(item[key]).push(index);
    }
  }
  get(id) {
    const item = this.#items[this.#placesOf(id)[0] ?? -1];
    return isJsonObject27(item) ? item : void 0;
  }
  /** Replaces the item with this key, or adds it at the end. */
  set(id, item) {
    const places = this.#placesOf(id);
    places[0] ??= this.#items.length;
    this.#items[places[0]] = item;
  }
  delete(id) {
    const index = this.#placesOf(id).shift();
    if (index !== void 0) this.#items[index] = void 0;
  }
  all() {
    return this.#items.filter((item) => item !== void 0);
  }
  #placesOf(id) {
    const text3 = this.#ids.of(id);
    let places = this.#places.get(text3);
    if (places === void 0) {
      places = [];
      this.#places.set(text3, places);
    }
    return places;
  }
};

// packages/apiserver/src/patch/strategic-merge-patch.ts
import {
  cloneJson as cloneJson7,
  isJsonObject as isJsonObject28,
  jsonText as jsonText13,
  setOwn as setOwn6,
} from '@keelson/structural-schema';
var directive = '$patch';
var retainKeys = '$retainKeys';
var deletePrefix = '$deleteFromPrimitiveList/';
var orderPrefix = '$setElementOrder/';
function strategicMergePatch(type, target, patch) {
  if (!isJsonObject28(patch)) {
    const found = Array.isArray(patch) ? 'array' : typeof patch;
    const goType3 = 'map[string]interface {}';
    throw badRequest2(`json: cannot unmarshal ${found} into Go value of type ${goType3}`);
  }
  return mergeObject(type, cloneJson7(target), patch);
}
function mergeObject(type, target, patch) {
  const mode = patch[directive];
  if (mode === 'replace') return withoutDirectives(patch);
  if (mode === 'delete') return {};
  if (mode !== void 0) throw unknownDirective(mode, patch);
  if (patch[retainKeys] !== void 0) retain(target, patch);
  for (const key of Object.keys(patch)) {
    if (key === directive || key === retainKeys) continue;
    if (key.startsWith(deletePrefix)) deleteItems(target, key, patch[key]);
    else if (!key.startsWith(orderPrefix)) mergeKey(type, target, key, patch);
  }
  for (const key of Object.keys(patch)) {
    if (key.startsWith(orderPrefix)) checkOrder(type, key.slice(orderPrefix.length), patch);
  }
  for (const key of Object.keys(patch)) {
    if (key.startsWith(orderPrefix)) applyOrder(type, target, key.slice(orderPrefix.length), patch);
  }
  return target;
}
function mergeKey(type, target, key, patch) {
  const value = patch[key];
  if (value === null) {
    delete target[key];
    return;
  }
  const previous = Object.hasOwn(target, key) ? target[key] : void 0;
  setOwn6(target, key, mergeValue(fieldAt(type, key), previous, value));
}
function fieldAt(type, key) {
  const field = type.kind === 'struct' ? type.fields.get(key) : void 0;
  const below = type.kind === 'map' ? type.value : untyped;
  return field ?? { type: below, patch: { merge: false, retainKeys: false } };
}
function mergeValue(field, previous, value) {
  if (isJsonObject28(value)) {
    if (field.patch.replace === true) return withoutDirectives(value);
    return mergeObject(field.type, isJsonObject28(previous) ? previous : {}, value);
  }
  if (!Array.isArray(value)) return value;
  if (!field.patch.merge) return value.map((item2) => withoutDirectivesIn(item2));
  if (!Array.isArray(previous)) return withoutDirectivesIn(value);
  const item = field.type.kind === 'list' ? field.type.item : untyped;
  if (value.every((each2) => !isJsonObject28(each2))) return mergeScalars(previous, value);
  if (field.mergeKey === void 0) throw badRequest2('cannot merge lists without merge key');
  return mergeItems2(item, field.mergeKey, previous, value);
}
function mergeScalars(list2, patch) {
  const known2 = new Set(list2);
  const added = new Set(patch.filter((value) => !known2.has(value)));
  return orderItems([...list2, ...added], patch, list2);
}
function mergeItems2(type, key, list2, patch) {
  const items = patch.filter((item) => isJsonObject28(item));
  if (items.some((item) => item[directive] === 'replace')) {
    return items
      .filter((item) => item[directive] !== 'replace')
      .map((item) => withoutDirectives(item));
  }
  const merged2 = new KeyedItems(list2, key);
  const written = [];
  for (const item of items) {
    const id = item[key];
    if (id === void 0)
      throw internal(`map: ${goValue2(item)} does not contain declared merge key: ${key}`);
    if (item[directive] === 'delete') {
      merged2.delete(id);
      continue;
    }
    written.push(id);
    merged2.set(id, mergeObject(type, merged2.get(id) ?? {}, item));
  }
  return orderItems(merged2.all(), written, list2, key);
}
function retain(target, patch) {
  const keys = patch[retainKeys];
  if (!Array.isArray(keys)) throw badRequest2('invalid patch format of retainKeys');
  const kept = new Set(keys);
  const stray = Object.keys(patch).find((key) => !key.startsWith('$') && !kept.has(key));
  if (stray !== void 0 && patch[stray] !== null) {
    throw badRequest2('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(target)) if (!kept.has(key)) delete target[key];
}
function deleteItems(target, key, values) {
  const name = key.slice(deletePrefix.length);
  const list2 = target[name];
  if (!Array.isArray(list2) || !Array.isArray(values)) return;
  const ids = new ItemIds();
  const gone = ids.places(values);
  target[name] = list2.filter((item) => !gone.has(ids.of(item)));
}
function applyOrder(type, target, name, patch) {
  const list2 = target[name];
  const order2 = patch[`${orderPrefix}${name}`];
  if (!Array.isArray(list2) || !Array.isArray(order2)) return;
  const key = fieldAt(type, name).mergeKey;
  const ids =
    key === void 0
      ? order2
      : order2.map((item) => (isJsonObject28(item) ? (item[key] ?? null) : item));
  target[name] = orderItems(list2, ids, list2, key);
}
function checkOrder(type, name, patch) {
  const order2 = patch[`${orderPrefix}${name}`];
  const list2 = patch[name];
  if (!Array.isArray(order2) || !Array.isArray(list2)) return;
  const key = fieldAt(type, name).mergeKey;
  const ids = new ItemIds(key);
  let from = 0;
  for (const item of list2) {
    if (isJsonObject28(item) && item[directive] !== void 0) continue;
    const id = ids.of(item);
    while (from < order2.length && ids.of(order2[from] ?? null) !== id) from++;
    if (from === order2.length) {
      throw internal(
        `The order in patch list:
${goValue2(list2)}
 doesn't match $setElementOrder list:
${goValue2(order2)}
`,
      );
    }
    from++;
  }
}
function withoutDirectives(patch) {
  const plain3 = {};
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (!key.startsWith('$') && value !== null) setOwn6(plain3, key, withoutDirectivesIn(value));
  }
  return plain3;
}
function withoutDirectivesIn(value) {
  if (Array.isArray(value)) {
    return value.filter((item) => !isDirective(item)).map((item) => withoutDirectivesIn(item));
  }
  return isJsonObject28(value) ? withoutDirectives(value) : value;
}
function isDirective(item) {
  return isJsonObject28(item) && item[directive] !== void 0;
}
function unknownDirective(mode, patch) {
  return internal(`unknown patch type: ${goValue2(mode)} in map: ${goValue2(patch)}`);
}
function goValue2(value) {
  if (Array.isArray(value)) return `[${value.map((item) => goValue2(item)).join(' ')}]`;
  if (!isJsonObject28(value)) return typeof value === 'string' ? value : jsonText13(value);
  const parts = Object.keys(value).toSorted();
  return `map[${parts.map((key) => `${key}:${goValue2(value[key])}`).join(' ')}]`;
}
function badRequest2(message2) {
  return new StatusError11({
    status: 'Failure',
    message: message2,
    reason: 'BadRequest',
    code: 400,
  });
}
function internal(message2) {
  return new StatusError11({ status: 'Failure', message: message2, code: 500 });
}

// packages/apiserver/src/verbs/writes/patch-body.ts
var applyType = 'application/apply-patch+yaml';
var strategicType = 'application/strategic-merge-patch+json';
var patches = {
  'application/json-patch+json': (_type, object, patch) => jsonPatch(object, patch),
  'application/merge-patch+json': (_type, object, patch) => mergePatch(object, patch),
  [strategicType]: (type, object, patch) => strategicMergePatch(type, object, patch),
};
function patchTypeOf(resource, header2) {
  const type = contentTypeOf(header2);
  if (type !== applyType && !Object.hasOwn(patches, type)) {
    throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  }
  if (resource.facts.custom && type === strategicType) {
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }
  return type;
}
function readPatch(patchType, type, body) {
  const apply = patches[patchType];
  if (apply === void 0) throw unsupportedMediaType('415: Unsupported Media Type');
  const patch = parsedPatch(patchType, body.toString());
  if (patchType !== 'application/json-patch+json' && !isJsonObject29(patch)) {
    throw notAnObject2(patchType, patch);
  }
  const next = (object) => apply(type, object, patch);
  return patchType === strategicType ? { next, shown: goText(patch) } : { next };
}
function goText(value) {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject29(value)) return String(value);
  const members2 = Object.entries(value).toSorted(([a], [b]) => byCodeUnit(a, b));
  return `map[${members2.map(([name, held]) => `${name}:${goText(held)}`).join(' ')}]`;
}
function parsedPatch(patchType, text3) {
  try {
    const patch = parseJson(text3);
    if (patchType === strategicType) return decodeNumbers(patch);
    checkRange(patch, Array.isArray(patch) ? 'Go struct field jsonPatchOp.value' : 'Go value');
    return patch;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw undecodable3(patchType, error.message);
  }
}
function undecodable3(patchType, why) {
  const isStrategic = patchType === strategicType;
  return badRequest(isStrategic ? why : `error decoding patch: ${why}`);
}
function notAnObject2(patchType, patch) {
  if (patch === null && patchType === 'application/merge-patch+json') {
    return badRequest('Invalid JSON Patch');
  }
  return undecodable3(
    patchType,
    `json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`,
  );
}

// packages/apiserver/src/subresources/custom-scale.ts
import { StatusError as StatusError12 } from '@keelson/apimachinery';
import { jsonEquals as jsonEquals18 } from '@keelson/structural-schema';

// packages/apiserver/src/subresources/scale-paths.ts
import { isJsonObject as isJsonObject30, setOwn as setOwn7 } from '@keelson/structural-schema';
function scaleAccess(resource) {
  const { scalePaths } = resource.facts;
  const spec = membersOf(scalePaths?.specReplicasPath ?? '.spec.replicas');
  const status3 = membersOf(scalePaths?.statusReplicasPath ?? '.status.replicas');
  const selector = membersOf(scalePaths?.labelSelectorPath ?? '.spec.selector');
  const selects2 = scalePaths === void 0 || (scalePaths.labelSelectorPath ?? '') !== '';
  return {
    replicas: (object) => numberAt2(object, spec),
    observed: (object) => numberAt2(object, status3) ?? 0,
    selector: (object) => (selects2 ? selectorText(valueAt3(object, selector)) : ''),
    setReplicas: (object, replicas) => setAt(object, spec, replicas),
    replicasPath: spec.map((member) => `f:${member}`),
  };
}
function membersOf(path) {
  return path.split('.').filter((member) => member !== '');
}
function valueAt3(object, members2) {
  let value = object;
  for (const member of members2) {
    if (!isJsonObject30(value) || !Object.hasOwn(value, member)) return void 0;
    value = value[member];
  }
  return value;
}
function numberAt2(object, members2) {
  const value = valueAt3(object, members2);
  return typeof value === 'number' ? value : void 0;
}
function setAt(object, members2, value) {
  const [member = '', ...rest] = members2;
  if (rest.length === 0) {
    setOwn7(object, member, value);
    return;
  }
  const next = Object.hasOwn(object, member) ? object[member] : void 0;
  const inner = isJsonObject30(next) ? next : {};
  setOwn7(object, member, inner);
  setAt(inner, rest, value);
}
function selectorText(value) {
  if (typeof value === 'string') return value;
  if (!isJsonObject30(value)) return '';
  const isSelector =
    isJsonObject30(value['matchLabels']) || Array.isArray(value['matchExpressions']);
  const selector = isSelector ? value : { matchLabels: value };
  return printSelector(selector);
}
function printSelector({ matchLabels = {}, matchExpressions = [] }) {
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map((expression) => ({
      key: expression.key,
      text: printExpression(expression),
    })),
  ];
  return parts
    .toSorted((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1))
    .map(({ text: text3 }) => text3)
    .join(',');
}
function printExpression({ key, operator, values = [] }) {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.toSorted().join(',')})`;
}

// packages/apiserver/src/subresources/custom-scale.ts
function checkReplicas(resource, object) {
  const { scalePaths } = resource.facts;
  if (scalePaths === void 0 || scaleAccess(resource).replicas(object) !== void 0) return;
  const path = JSON.stringify(scalePaths.specReplicasPath);
  throw internalError(`the spec replicas field ${path} does not exist`);
}
var missingReplicas = -2147483648;
function checkWrittenReplicas({ facts }, replicas) {
  if (!facts.custom || replicas !== missingReplicas) return;
  const path = JSON.stringify(facts.scalePaths?.specReplicasPath);
  throw badRequest(`the spec replicas field ${path} cannot be empty`);
}
var unconvertible2 =
  'to proper version: request to convert CR to an invalid group/version: autoscaling/v1';
function checkOwned({ metadata }) {
  if ((metadata.managedFields ?? []).length > 0) return;
  throw failure(
    500,
    '',
    `failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) ${unconvertible2}`,
  );
}
function checkUnchanged(live, applied, result) {
  if (jsonEquals18(withoutManagedFields(live), withoutManagedFields(result))) return;
  const { name } = goNames(applied);
  throw failure(500, '', `failed to convert new object (${name}) ${unconvertible2}`);
}
function unknownScale() {
  return badRequest(
    'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
  );
}
function isBadRequest(error) {
  return error instanceof StatusError12 && error.statusCode === 400;
}

// packages/apiserver/src/subresources/scale-owners.ts
var scaleVersion = 'autoscaling/v1';
var inScale = ['f:spec', 'f:replicas'];
var ScaleOwners = class {
  #object;
  #apiVersion;
  #path;
  /** `path` is the path of the replicas in the object, `apiVersion` the version of the object. */
  constructor(entries, apiVersion2, path) {
    this.#object = decodeManagers(entries);
    this.#apiVersion = apiVersion2;
    this.#path = path;
  }
  /** Returns the `managedFields` of the Scale. */
  ofScale() {
    const owners = [...this.#object].filter(([, set]) => set.fields.has(this.#path));
    const fields = FieldSet.of([...inScale]);
    return encodeManagers(
      new Map(owners.map(([id, set]) => [id, { ...set, apiVersion: scaleVersion, fields }])),
    );
  }
  /** Returns the `managedFields` of the object after a write of its Scale. */
  ofObject(scaleEntries) {
    const scale = decodeManagers(scaleEntries);
    const replicas = FieldSet.of([...this.#path]);
    const owners = /* @__PURE__ */ new Map();
    for (const [id, set] of this.#object) {
      const keeps = scale.has(id) || !set.fields.has(this.#path);
      const fields = keeps ? set.fields : set.fields.difference(replicas);
      owners.set(id, { ...set, fields });
    }
    for (const [id, set] of scale) {
      if (this.#object.get(id)?.fields.has(this.#path) || !set.fields.has(inScale)) continue;
      const { time: time3 } = this.#object.get(id) ?? {};
      owners.set(id, { ...set, apiVersion: this.#apiVersion, fields: replicas, time: time3 });
    }
    return encodeManagers(owners);
  }
};

// packages/apiserver/src/subresources/scale.ts
var gvk = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
var apiVersion = `${gvk.group}/${gvk.version}`;
var ScaleVerbs = class {
  #writer;
  #now;
  /** `now` returns milliseconds since the epoch. */
  constructor(writer, now) {
    this.#writer = writer;
    this.#now = now;
  }
  async get(request, resource) {
    const stored = resource.store.get(resource.key(request.info));
    if (stored === void 0) throw notFound(resource.subject(request.info.name));
    const object = resource.read(stored);
    checkReplicas(resource, object);
    await sendScale(request, resource, object);
  }
  async update(request, resource) {
    const options = writeOptions(request, 'UpdateOptions');
    const contentType2 = request.headers['content-type'];
    const sent = await request.body();
    let hasVersion = true;
    const scale = await decodeObject(sent, contentType2, gvk.kind)
      .then((body) => {
        hasVersion = Boolean(body.value['apiVersion']);
        return decodeWrite(decodeTarget(), body, options, request.warnings);
      })
      .catch((error) => {
        throw resource.facts.custom && isBadRequest(error) ? unknownScale() : error;
      });
    checkName(scale, request.info.name);
    await this.#write(request, resource, options, (current) =>
      // kube-apiserver cannot compare the Scale of a custom resource without a version, and drops its owners.
      resource.facts.custom && !hasVersion
        ? { ...scale, metadata: { ...scale.metadata, managedFields: [] } }
        : this.#owned(current, scale, options.fieldManager),
    );
  }
  async patch(request, resource) {
    const header2 = request.headers['content-type'];
    const options = writeOptions(request, 'PatchOptions');
    const body = await request.body();
    if (contentTypeOf(header2) === applyType) {
      await this.#apply(request, resource, options, body);
      return;
    }
    checkForce(request.query);
    const patch = readPatch(patchTypeOf(resource, header2), decodeTarget().schema.type, body);
    await this.#write(request, resource, options, (current) => {
      const next = () => patch.next(asJson15(withOwnersIfAny(current)));
      const value = next();
      const scale = decodePatched(
        (error) => undecodablePatch(patch, next, error),
        () => decodeWrite(decodeTarget(), { value, json: '' }, options, request.warnings),
      );
      return this.#owned(current, scale, options.fieldManager);
    });
  }
  async #apply(request, resource, options, body) {
    checkManager(request.query);
    const applied = decodeApplied(decodeTarget(), await decodeAppliedBody(body));
    await this.#write(request, resource, options, (live) => {
      if (resource.facts.custom) checkOwned(live);
      const object = applyConfiguration({
        type: decodeTarget().schema.type,
        live,
        applied,
        manager: options.fieldManager,
        force: options.force,
        subresource: 'scale',
        hasStatus: false,
        apiVersion,
        now: timestamp(this.#now()),
      });
      if (resource.facts.custom) checkUnchanged(live, applied, object);
      const merged2 = { value: object, json: '' };
      return decodeWrite(decodeTarget(), merged2, options, request.warnings);
    });
  }
  /** Returns the Scale with the owners of its replicas after an update. */
  #owned(before, after, manager3) {
    const managedFields = recordUpdate({
      type: decodeTarget().schema.type,
      before,
      after,
      manager: manager3,
      subresource: 'scale',
      hasStatus: false,
      apiVersion,
      now: timestamp(this.#now()),
    });
    return { ...after, metadata: { ...after.metadata, managedFields } };
  }
  async #write(request, resource, options, next) {
    const stored = this.#writer.update(resource, {
      key: resource.key(request.info),
      scope: 'scale',
      // The Scale determines the owners.
      options: { dryRun: options.dryRun, requester: options.requester, fieldManager: void 0 },
      warnings: request.warnings,
      next: (current) => {
        const owners = ownersOf2(resource, current);
        const scale = scaleOf(resource, current, missingReplicas);
        scale.metadata.managedFields = owners.ofScale();
        const written = next(scale);
        const managedFields = owners.ofObject(written.metadata.managedFields);
        const object = rescaled(resource, current, written);
        return { ...object, metadata: { ...object.metadata, managedFields } };
      },
    });
    await sendScale(request, resource, resource.read(stored));
  }
};
function sendScale(request, resource, object) {
  const columns = resource.facts.custom ? customScaleColumns : scaleColumns;
  return sendComputed(request, 200, scaleOf(resource, object), columns);
}
function ownersOf2(resource, { metadata }) {
  const { replicasPath } = scaleAccess(resource);
  return new ScaleOwners(metadata.managedFields, resource.apiVersion, replicasPath);
}
function withOwnersIfAny(scale) {
  const { managedFields = [], ...metadata } = scale.metadata;
  return managedFields.length > 0 ? scale : { ...scale, metadata };
}
function scaleOf(resource, object, missing2 = 0) {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const access = scaleAccess(resource);
  const replicas = access.replicas(object) ?? (resource.facts.custom ? missing2 : 0);
  const selector = access.selector(object);
  return {
    kind: gvk.kind,
    apiVersion,
    metadata: JSON.parse(
      JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp }),
    ),
    // kube-apiserver writes an empty spec for zero replicas.
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: access.observed(object), ...(selector !== '' && { selector }) },
  };
}
function rescaled(resource, object, scale) {
  const { replicas = 0 } = scale['spec'] ?? {};
  checkWrittenReplicas(resource, replicas);
  if (replicas < 0 && !resource.facts.custom)
    throw invalid({ ...gvk, name: scale.metadata.name ?? '' }, [negative(replicas)]);
  scaleAccess(resource).setReplicas(object, replicas);
  checkUid(resource, object, scale);
  const { resourceVersion } = scale.metadata;
  if (resourceVersion !== void 0) object.metadata.resourceVersion = resourceVersion;
  return object;
}
function negative(replicas) {
  const message2 = `Invalid value: ${replicas}: must be greater than or equal to 0`;
  return { reason: 'FieldValueInvalid', message: message2, field: 'spec.replicas' };
}
function decodeTarget() {
  const schema3 = builtinKindSchema(gvk);
  if (schema3 === void 0) throw new Error('no schema for Scale');
  const { group: group2, version, kind } = gvk;
  return { apiVersion, group: group2, kind, version, custom: false, schema: schema3 };
}

// packages/apiserver/src/subresources/service-account-token.ts
var DEFAULT_SECONDS = 3600;
var MIN_SECONDS = 600;
var MAX_SECONDS = 2 ** 32;
var boundPlurals = {
  Pod: 'pods',
  Secret: 'secrets',
  Node: 'nodes',
};
function tokenHandler({ tokens: tokens2, registry, now }) {
  return async (request, resource) => {
    const contentType2 = request.headers['content-type'];
    const { value } = await decodeObject(await request.body(), contentType2, 'TokenRequest');
    const account = resource.store.get(resource.key(request.info));
    if (account === void 0) throw notFound(resource.subject(request.info.name));
    const spec = value.spec ?? {};
    const expirationSeconds = secondsOf(spec);
    const requested = spec.audiences ?? [];
    const audiences = requested.length === 0 ? [apiAudience] : requested;
    const expires = Math.floor(now() / 1e3) + expirationSeconds;
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const bound = spec.boundObjectRef
      ? boundObject(spec.boundObjectRef, { namespace, name }, registry)
      : void 0;
    const response2 = {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, uid, creationTimestamp: timestamp(now()) },
      spec: { ...spec, audiences, expirationSeconds },
      status: {
        token: tokens2.issue({ namespace, name, uid, audiences, expires, bound }),
        expirationTimestamp: timestamp(expires * 1e3),
      },
    };
    await sendValue(request, 201, response2);
  };
}
function secondsOf({ expirationSeconds }) {
  const seconds = Number(expirationSeconds ?? DEFAULT_SECONDS);
  if (seconds < MIN_SECONDS) throw refused3(seconds, 'less than 10 minutes');
  if (seconds > MAX_SECONDS) throw refused3(seconds, 'larger than 2^32 seconds');
  return seconds;
}
function refused3(seconds, why) {
  const message2 = `Invalid value: ${seconds}: may not specify a duration ${why}`;
  const cause2 = {
    reason: 'FieldValueInvalid',
    message: message2,
    field: 'spec.expirationSeconds',
  };
  return invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name: '' }, [cause2]);
}
function boundObject(
  { apiVersion: apiVersion2 = '', kind = '', name = '', uid: wanted2 = '' },
  account,
  registry,
) {
  const plural2 = boundPlurals[kind];
  if (plural2 === void 0 || apiVersion2 !== 'v1') {
    throw badRequest(`cannot bind token to object of type ${typeOf3(apiVersion2)}, Kind=${kind}`);
  }
  const key = keyOfMetadata(plural2 === 'nodes' ? { name } : { ...account, name });
  const found = registry.find({ group: '', version: 'v1', plural: plural2 })?.store.get(key);
  if (found === void 0) throw notFound({ group: '', plural: plural2, kind: plural2, name });
  const node = plural2 === 'pods' ? nodeUnder2(found, account.name, registry) : void 0;
  const uid = found.metadata.uid ?? '';
  if (wanted2 !== '' && wanted2 !== uid) throw otherObject(kind, name, wanted2);
  return { plural: plural2, name, uid, node };
}
function nodeUnder2(pod, account, registry) {
  const { spec } = pod.parse();
  if (spec?.serviceAccountName !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  if (!spec.nodeName) return void 0;
  const nodes = registry.find({ group: '', version: 'v1', plural: 'nodes' })?.store;
  const uid = nodes?.get(keyOfMetadata({ name: spec.nodeName }))?.metadata.uid;
  return { name: spec.nodeName, ...(uid !== void 0 && { uid }) };
}
function otherObject(kind, name, uid) {
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return conflict({ group: '', plural: kind, kind, name }, why);
}
function typeOf3(apiVersion2) {
  return apiVersion2.includes('/') ? apiVersion2 : `/${apiVersion2}`;
}

// packages/apiserver/src/subresources/subresource-handlers.ts
function subresourceHandlers(context) {
  const { writer, registry, tokens: tokens2, now } = context;
  const scale = new ScaleVerbs(writer, now);
  return {
    binding: bindingHandler(writer, now),
    eviction: evictionHandler(context),
    token: tokenHandler({ tokens: tokens2, registry, now }),
    scale: scaleHandler(scale),
    approval: partOfObject('approval', context),
    ephemeralcontainers: partOfObject('ephemeralcontainers', context),
    finalize: partOfObject('finalize', context),
    resize: partOfObject('resize', context),
    status: partOfObject('status', context),
  };
}
function scaleHandler(scale) {
  return (request, resource) => {
    switch (request.info.verb) {
      case 'get':
        return scale.get(request, resource);
      case 'update':
        return scale.update(request, resource);
      case 'patch':
        return scale.patch(request, resource);
      default:
        return void 0;
    }
  };
}
function partOfObject(scope, { reads, writes: writes2 }) {
  return (request, resource) => {
    switch (request.info.verb) {
      case 'get':
        return reads.get(request, resource);
      case 'update':
        return writes2.update(request, resource, scope);
      case 'patch':
        return writes2.patch(request, resource, scope);
      default:
        return void 0;
    }
  };
}

// packages/apiserver/src/storage/continue-token.ts
var nul = '\0';
function encodeContinueToken({ revision, after }) {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${after}${nul}` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}
function decodeContinueToken(text3) {
  const { v = '', rv = 0, start = '' } = parsed3(Buffer.from(text3, 'base64url'));
  if (v !== 'meta.k8s.io/v1') {
    throw invalid36(`server does not recognize this encoded version ${JSON.stringify(v)}`);
  }
  if (!Number.isSafeInteger(rv) || rv === 0) {
    throw invalid36(`incorrect encoded start resourceVersion (version ${v})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw invalid36(`incorrect encoded start key (version ${v})`);
  }
  return { revision: rv, after: start.endsWith(nul) ? start.slice(0, -1) : start };
}
function parsed3(bytes) {
  try {
    const value = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    throw invalid36(jsonSyntaxError(bytes));
  }
}
function invalid36(why) {
  return new SyntaxError(`continue key is not valid: ${why}`);
}

// packages/apiserver/src/verbs/list-page.ts
function listPage(resource, filter, query) {
  const token = tokenOf(query);
  const snapshot = snapshotFor(resource, query, token);
  const limit = query.resourceVersion === '0' && token === void 0 ? 0 : query.limit;
  return page(snapshot, filter, { limit, after: token?.after ?? '' });
}
function tokenOf(query) {
  if (query.continue === '') return void 0;
  const token = continueToken(query.continue);
  if (query.resourceVersion !== '' && query.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  return token;
}
function continueToken(text3) {
  try {
    return decodeContinueToken(text3);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`invalid continue token: ${error.message}`);
  }
}
function snapshotFor(resource, query, token) {
  const { store } = resource;
  if (token !== void 0) {
    if (token.revision < 0) return store.snapshot();
    if (token.revision < store.log.compacted) throw expiredToken(token);
    return store.snapshot(token.revision);
  }
  const wanted2 = Number(query.resourceVersion);
  const exact = query.match === 'Exact' || (query.match === '' && query.limit > 0);
  if (!exact || wanted2 === 0) return store.snapshot();
  if (wanted2 < store.log.compacted) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
  return store.snapshot(wanted2);
}
function expiredToken({ after }) {
  const error = failure(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  error.status.metadata = { continue: encodeContinueToken({ revision: -1, after }) };
  return error;
}
function page(snapshot, filter, bounds) {
  const { keys, revision } = snapshot;
  const [from, to] = rangeOf(keys, filter.namespace, bounds.after);
  const objects = [];
  for (let at2 = from; at2 < to; at2++) {
    const object = snapshot.get(keys[at2] ?? '');
    if (object === void 0 || !(filter.selectsAll || filter.matches(object))) continue;
    if (bounds.limit > 0 && objects.length === bounds.limit) {
      const remaining = filter.selectsAll ? to - at2 : void 0;
      return { objects, metadata: continued(revision, objects, remaining) };
    }
    objects.push(object);
  }
  return { objects, metadata: { resourceVersion: String(revision) } };
}
function continued(revision, objects, remaining) {
  const after = objects.at(-1)?.key ?? '';
  return {
    resourceVersion: String(revision),
    continue: encodeContinueToken({ revision, after }),
    ...(remaining !== void 0 && { remainingItemCount: remaining }),
  };
}
function rangeOf(keys, namespace, after) {
  const from = namespace === '' ? 0 : lowerBound(keys, `${namespace}/`);
  const to = namespace === '' ? keys.length : lowerBound(keys, `${namespace}0`);
  const start = after === '' ? 0 : lowerBound(keys, `${after}\0`);
  return [Math.max(from, start), to];
}

// packages/apiserver/src/verbs/list-query.ts
function listQuery(query, verb) {
  const seconds = integer2(query, 'timeoutSeconds');
  const initial = query.get('sendInitialEvents');
  const parsed4 = {
    resourceVersion: versionOf2(query, verb),
    match: query.get('resourceVersionMatch') ?? '',
    limit: Math.max(0, integer2(query, 'limit') ?? 0),
    continue: query.get('continue') ?? '',
    sendInitialEvents: initial === null ? void 0 : isTrue(initial),
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    // 0 means that the client sets no timeout.
    timeout: seconds === void 0 || seconds === 0 ? void 0 : seconds * 1e3,
  };
  checkMatch(parsed4, verb);
  return parsed4;
}
function versionOf2(query, verb) {
  const resourceVersion = query.get('resourceVersion') ?? '';
  if (resourceVersion === '' || /^\d{1,20}$/.test(resourceVersion)) return resourceVersion;
  const value = JSON.stringify(resourceVersion);
  const why = `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`;
  throw verb === 'list' ? badRequest(`invalid resource version: ${why}`) : failure(500, '', why);
}
function integer2(query, name) {
  const text3 = query.get(name);
  if (text3 === null) return void 0;
  const refuse2 = (why) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text3)}: ${why}`);
  if (!/^[+-]?\d+$/.test(text3)) throw refuse2('invalid syntax');
  if (BigInt.asIntN(64, BigInt(text3.replace('+', ''))) !== BigInt(text3.replace('+', ''))) {
    throw refuse2('value out of range');
  }
  return Number(text3);
}
function checkMatch(query, verb) {
  const causes = verb === 'watch' ? watchCauses(query) : listCauses(query);
  if (causes.length === 0) return;
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, causes);
}
function listCauses(query) {
  const causes = query.match === '' ? [] : listMatchCauses(query);
  if (query.sendInitialEvents === void 0) return causes;
  return [...causes, forbidden17('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
}
function listMatchCauses({ match, resourceVersion, continue: token }) {
  const field = 'resourceVersionMatch';
  const isKnown2 = match === 'Exact' || match === 'NotOlderThan';
  const reasons2 = [
    ...(resourceVersion === '' ? ['is forbidden unless resourceVersion is provided'] : []),
    ...(token === '' ? [] : ['is forbidden when continue is provided']),
    ...(match === 'Exact' && resourceVersion === '0'
      ? ['"exact" is forbidden for resourceVersion "0"']
      : []),
  ];
  const supported = ['Exact', 'NotOlderThan', ''];
  return [
    ...reasons2.map((why) => forbidden17(field, `${field} ${why}`)),
    ...(isKnown2 ? [] : [notSupported19(field, JSON.stringify(match), supported)]),
  ];
}
function watchCauses({ match, sendInitialEvents }) {
  const field = 'resourceVersionMatch';
  if (sendInitialEvents !== void 0 && match !== 'NotOlderThan') {
    return [
      forbidden17(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ];
  }
  if (sendInitialEvents !== void 0 || match === '') return [];
  return [
    forbidden17(
      field,
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ),
  ];
}
function forbidden17(field, why) {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field };
}

// packages/apiserver/src/resources/object-filter.ts
import {
  hasCode,
  matchesFieldValues,
  matchesLabels as matchesLabels5,
  parseFieldSelector as parseFieldSelector2,
  parseLabelSelector as parseLabelSelector2,
} from '@keelson/apimachinery';

// packages/apiserver/src/resources/field-selector-refusal.ts
function fieldSelectorRefusal(text3) {
  for (const term of (text3.match(/(?:[^\\,]|\\.?)+/gs) ?? []).toSorted()) {
    const operator = /!=|==?/.exec(term);
    if (operator === null) return `invalid selector: '${text3}'; can't understand '${term}'`;
    const problem = valueProblem(term.slice(operator.index + operator[0].length));
    if (problem !== void 0) return `invalid field selector: ${problem}`;
  }
  return void 0;
}
function valueProblem(value) {
  const wrong = /^(?:[^\\=]|\\[\\,=])*(=|\\(?![\\,=]).?)/su.exec(value)?.[1];
  if (wrong === void 0) return void 0;
  return wrong === '=' ? 'unescaped character in value: 61' : `invalid escape sequence: ${wrong}`;
}

// packages/apiserver/src/resources/label-selector-refusal.ts
import {
  checkLabelValue as checkLabelValue3,
  checkQualifiedName as checkQualifiedName9,
} from '@keelson/cel/internal';
function labelSelectorRefusal(text3) {
  try {
    new Reader(text3).read();
    return void 0;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}
var Refusal = class extends Error {
  name = 'Refusal';
};
var tokenPattern = /[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)/y;
var symbols = /* @__PURE__ */ new Set(['==', '!=', '=', '!', '(', ')', ',', '<', '>', '']);
var operators2 = /* @__PURE__ */ new Set(['in', 'notin', '=', '==', '!=', '<', '>']);
var Reader = class {
  #text;
  /** The next token; empty at the end of the selector. */
  #next = '';
  constructor(text3) {
    this.#text = text3;
    tokenPattern.lastIndex = 0;
    this.#take();
  }
  read() {
    while (this.#next !== '') {
      if (symbols.has(this.#next) && this.#next !== '!') {
        throw new Refusal(`found '${this.#next}', expected: !, identifier, or 'end of string'`);
      }
      this.#requirement();
      const end = this.#take();
      if (end === '') return;
      if (end !== ',') throw new Refusal(`found '${end}', expected: ',' or 'end of string'`);
      if (symbols.has(this.#next) && this.#next !== '!') {
        throw new Refusal(`found '${this.#next}', expected: identifier after ','`);
      }
    }
  }
  #requirement() {
    const negated = this.#next === '!';
    if (negated) this.#take();
    const key = this.#identifier();
    const problems = checkQualifiedName9(key);
    if (problems.length > 0)
      throw invalidRequirement([invalid37('<nil>', key, problems.join('; '))]);
    if (negated || this.#next === '' || this.#next === ',') return;
    const operator = this.#take();
    if (!operators2.has(operator))
      throw unexpected(operator, ', expected: in, notin, =, ==, !=, gt, lt');
    const values = operator.endsWith('in') ? this.#valueSet() : [this.#value()];
    checkValues(key, operator, values);
  }
  #valueSet() {
    const open = this.#take();
    if (open !== '(') throw unexpected(open, " expected: '('");
    if (symbols.has(this.#next) && this.#next !== ',' && this.#next !== ')') {
      throw unexpected(this.#next, ", expected: ',', ')' or identifier");
    }
    const values = [this.#member()];
    while (this.#next === ',') {
      this.#take();
      values.push(this.#member());
    }
    if (this.#take() !== ')') throw unexpected('', ", expected: ',' or ')'");
    return values;
  }
  /** Reads a value between parentheses; a missing value is the empty string. */
  #member() {
    if (this.#next === ',' || this.#next === ')') return '';
    if (symbols.has(this.#next)) throw unexpected(this.#next, ", expected: ',', or identifier");
    const value = this.#take();
    if (this.#next === ',' || this.#next === ')') return value;
    throw unexpected(this.#next, ", expected: ',' or ')'");
  }
  #value() {
    return this.#next === '' || this.#next === ',' ? '' : this.#identifier();
  }
  #identifier() {
    const found = this.#take();
    if (symbols.has(found)) throw unexpected(found, ', expected: identifier');
    return found;
  }
  #take() {
    const taken = this.#next;
    this.#next = tokenPattern.exec(this.#text)?.[1] ?? '';
    return taken;
  }
};
function checkValues(key, operator, values) {
  const sorted3 = [...new Set(values)].toSorted(byCodeUnit);
  const compares = operator === '<' || operator === '>';
  const integers = sorted3.flatMap((value, index) =>
    compares && !isInteger(value)
      ? [
          invalid37(
            `values[${index}]`,
            value,
            "for 'Gt', 'Lt' operators, the value must be an integer",
          ),
        ]
      : [],
  );
  const texts = sorted3.flatMap((value, index) => {
    const problems = checkLabelValue3(value);
    return problems.length === 0
      ? []
      : [invalid37(`values[${index}][${key}]`, value, problems.join('; '))];
  });
  if (integers.length + texts.length > 0) throw invalidRequirement([...integers, ...texts]);
}
function isInteger(text3) {
  if (!/^[+-]?\d+$/.test(text3)) return false;
  const value = BigInt(text3.replace('+', ''));
  return BigInt.asIntN(64, value) === value;
}
function invalid37(field, value, why) {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${why}`;
}
function unexpected(found, expected) {
  return invalidRequirement([`found '${found}'${expected}`]);
}
function invalidRequirement(problems) {
  const [first = '', ...others] = problems;
  const all2 = others.length === 0 ? first : `[${problems.join(', ')}]`;
  return new Refusal(`unable to parse requirement: ${all2}`);
}

// packages/apiserver/src/resources/object-filter.ts
function objectFilter(resource, scope, query) {
  const labels = labelRequirements(query.get('labelSelector') ?? '');
  const fields = fieldRequirements(resource, query.get('fieldSelector') ?? '');
  const { name } = scope;
  const namespace = resource.facts.namespaced ? scope.namespace : '';
  return {
    namespace,
    selectsAll: labels.length === 0 && fields.length === 0 && name === '',
    matches: (object) =>
      (namespace === '' || object.metadata.namespace === namespace) &&
      (name === '' || object.metadata.name === name) &&
      matchesLabels5(labels, object.metadata.labels) &&
      matchesFieldValues(fields, (path) => fieldOf3(resource, object, path)),
  };
}
function labelRequirements(text3) {
  try {
    return parseLabelSelector2(text3);
  } catch (error) {
    if (!hasCode(error, 'INVALID_LABEL_SELECTOR')) throw error;
    throw badRequest(labelSelectorRefusal(text3) ?? String(error.facts['reason']));
  }
}
function fieldRequirements(resource, text3) {
  const requirements2 = parsedFields(resource, text3);
  const paths = resource.facts.selectablePaths;
  const known2 = /* @__PURE__ */ new Set([...metadataPaths(resource), ...paths.keys()]);
  const unknown = requirements2.find(({ path }) => !known2.has(path));
  if (unknown !== void 0) throw notSelectable(resource, unknown.path);
  return requirements2;
}
function parsedFields(resource, text3) {
  try {
    return parseFieldSelector2(text3);
  } catch (error) {
    if (!hasCode(error, 'INVALID_FIELD_SELECTOR')) throw error;
    const refusal3 = fieldSelectorRefusal(text3);
    throw refusal3 === void 0 ? notSelectable(resource, '') : badRequest(refusal3);
  }
}
function metadataPaths({ facts }) {
  return facts.custom && !facts.namespaced
    ? ['metadata.name']
    : ['metadata.name', 'metadata.namespace'];
}
function notSelectable(resource, path) {
  const { custom, selectablePaths } = resource.facts;
  if (custom || selectablePaths.size > 0) return badRequest(`field label not supported: ${path}`);
  const known2 = metadataPaths(resource).map((name) => JSON.stringify(name));
  return badRequest(
    `${JSON.stringify(path)} is not a known field selector: only ${known2.join(', ')}`,
  );
}
function fieldOf3(resource, object, path) {
  if (path === 'metadata.name') return object.metadata.name ?? '';
  if (path === 'metadata.namespace') return object.metadata.namespace ?? '';
  return object.fields[resource.facts.selectablePaths.get(path) ?? path] ?? '';
}

// packages/apiserver/src/verbs/list-response.ts
import { once as once2 } from 'node:events';
import { createGzip } from 'node:zlib';
var CHUNK_BYTES = 256 * 1024;
async function sendList(response2, presentation, page2, options) {
  const chunks = chunksOf(presentation, page2);
  const [first, second] = [chunks.next(), chunks.next()];
  if (first.done === true) return;
  if (second.done === true && options.pace === void 0 && !compresses(first.value, options)) {
    writeHead(response2, 200, { length: first.value.length });
    response2.end(first.value);
    return;
  }
  const rest = second.done === true ? [] : [second.value];
  await writeChunks(response2, joined([first.value, ...rest], chunks), options);
}
function compresses(chunk, { acceptsGzip: acceptsGzip2 }) {
  return acceptsGzip2 && chunk.length >= MIN_COMPRESSED_BYTES;
}
async function writeChunks(response2, chunks, options) {
  const sink = openSink(response2, options);
  for (const chunk of chunks) {
    await options.pace?.();
    if (response2.destroyed) return;
    if (!sink.write(chunk)) await drained(sink, response2);
  }
  sink.end();
}
function openSink(response2, { acceptsGzip: acceptsGzip2 }) {
  writeHead(response2, 200, {
    headers: { Vary: 'Accept-Encoding', ...(acceptsGzip2 && { 'Content-Encoding': 'gzip' }) },
  });
  if (!acceptsGzip2) return response2;
  const gzip = createGzip({ level: GZIP_LEVEL });
  gzip.pipe(response2);
  return gzip;
}
async function drained(sink, response2) {
  if (response2.destroyed) return;
  const stop = new AbortController();
  const { signal } = stop;
  try {
    await Promise.race([once2(sink, 'drain', { signal }), once2(response2, 'close', { signal })]);
  } finally {
    stop.abort();
  }
}
function* joined(first, rest) {
  yield* first;
  yield* rest;
}
var comma = Buffer.from(',');
function* chunksOf(presentation, page2) {
  if (page2.objects.length === 0 && presentation.empty) {
    yield Buffer.from(presentation.empty(page2.metadata));
    return;
  }
  const [head, tail2] = presentation.list(page2.metadata);
  let parts = [Buffer.from(head)];
  let length = 0;
  let separates = false;
  for (const object of page2.objects) {
    if (separates) parts.push(comma);
    separates = true;
    const item = presentation.item(object);
    parts.push(item);
    length += item.length;
    if (length < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    length = 0;
  }
  parts.push(Buffer.from(tail2));
  yield Buffer.concat(parts);
}

// packages/apiserver/src/verbs/page-response.ts
import { parseExact as parseExact5 } from '@keelson/structural-schema';
function listMediaType(request, resource) {
  const mediaType = mediaTypeOf(request, kindOf(resource));
  if (mediaType.as === 'PartialObjectMetadata') {
    throw mismatch3(mediaType.as, `a list (${goType2(resource, 'List')})`);
  }
  return mediaType;
}
async function sendPage(request, resource, page2, options) {
  const { mediaType, forms: forms2, ...pacing } = options;
  if (mediaType.as === 'Table' || mediaType.format === 'yaml') {
    await sendValue(request, 200, listValue(request, resource, page2, mediaType), mediaType);
    return;
  }
  if (mediaType.format === 'protobuf') {
    const presentation2 = await forms2.protobuf(mediaType.as !== void 0);
    await pacing.pace?.();
    send(request, 200, presentation2.list(page2.metadata, page2.objects), protobufMediaType);
    return;
  }
  const presentation = mediaType.as === void 0 ? wholeObjects(resource) : partialObjects;
  const encoding = { acceptsGzip: acceptsGzip(request.headers), ...pacing };
  await sendList(request.response, presentation, page2, encoding);
}
function listValue(request, resource, page2, { as }) {
  if (as === 'Table') {
    return tableFor(request, resource, page2.objects, { metadata: page2.metadata });
  }
  const presentation = as === void 0 ? wholeObjects(resource) : partialObjects;
  const [head, tail2] = presentation.list(page2.metadata);
  const items = page2.objects.map((stored) => presentation.item(stored).toString());
  return parseExact5(`${head}${items.join(',')}${tail2}`);
}

// packages/apiserver/src/presentation/protobuf-presentation.ts
var metaVersion2 = 'meta.k8s.io/v1';
var ProtobufPresentation = class {
  #encoder;
  #resource;
  #isPartial;
  /** Encoded objects, because lists and watches read the same versions repeatedly. */
  #items = /* @__PURE__ */ new WeakMap();
  constructor(encoder, resource, isPartial) {
    this.#encoder = encoder;
    this.#resource = resource;
    this.#isPartial = isPartial;
  }
  /** The bytes of a single object, also inside a watch event. */
  object(stored) {
    return this.#encoder.enveloped(this.#kind(), this.#item(stored));
  }
  list(metadata, objects) {
    const items = objects.map((stored) => this.#item(stored));
    const { listKind } = this.#resource.facts;
    return this.#encoder.list({
      apiVersion: this.#kind().apiVersion,
      kind: this.#isPartial ? 'PartialObjectMetadataList' : listKind,
      metadata,
      items,
    });
  }
  /** The object of a bookmark event. */
  bookmark(metadata) {
    return { ...this.#kind(), metadata };
  }
  #kind() {
    if (this.#isPartial) return { apiVersion: metaVersion2, kind: 'PartialObjectMetadata' };
    return { apiVersion: this.#resource.apiVersion, kind: this.#resource.facts.kind };
  }
  #item(stored) {
    let item = this.#items.get(stored);
    if (item === void 0) {
      const object = this.#isPartial
        ? { metadata: stored.parse().metadata }
        : this.#resource.read(stored);
      item = this.#encoder.item({ ...object, ...this.#kind() });
      this.#items.set(stored, item);
    }
    return item;
  }
};

// packages/apiserver/src/watch/event-frames.ts
import { jsonText as jsonText14 } from '@keelson/structural-schema';
var EventFrames = class {
  #presentation;
  #form;
  /** The last encoded event. All watches of a resource send the same event in a row and share it. */
  #last;
  constructor(presentation, form = jsonLines) {
    this.#presentation = presentation;
    this.#form = form;
  }
  get contentType() {
    return this.#form.contentType;
  }
  ofObject(type, object) {
    const last = this.#last;
    if (last?.object === object && last.type === type) return last.frame;
    const frame = this.#form.frame(type, this.#presentation.object(object));
    this.#last = { type, object, frame };
    return frame;
  }
  ofBookmark(revision, endsInitialEvents) {
    const resourceVersion = String(revision);
    const annotations2 = { 'k8s.io/initial-events-end': 'true' };
    const metadata = endsInitialEvents
      ? { resourceVersion, annotations: annotations2 }
      : { resourceVersion };
    return this.#of('BOOKMARK', this.#presentation.bookmark(metadata));
  }
  ofError(status3) {
    return this.#of('ERROR', completed2(status3));
  }
  #of(type, object) {
    return this.#form.frame(type, this.#form.bytesOf(object));
  }
};
var heads = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
var tail = Buffer.from('}\n');
var jsonLines = {
  contentType: 'application/json',
  bytesOf: (object) => Buffer.from(jsonText14(object)),
  frame: (type, object) => Buffer.concat([heads[type], object, tail]),
};
function protobufFrames(encoder) {
  return {
    contentType: 'application/vnd.kubernetes.protobuf;stream=watch',
    bytesOf: (object) => encoder.object(object),
    frame: (type, object) => encoder.watchEvent(type, object),
  };
}

// packages/apiserver/src/verbs/resource-forms.ts
var ResourceForms = class {
  #resource;
  #known = /* @__PURE__ */ new Map();
  constructor(resource) {
    this.#resource = resource;
  }
  /** Encodes the events of a watch as lines of JSON. */
  lines(partial2) {
    const presentation = partial2 ? partialObjects : wholeObjects(this.#resource);
    return this.#once(`lines ${partial2}`, () => new EventFrames(presentation));
  }
  protobuf(partial2) {
    return this.#once(`protobuf ${partial2}`, async () => {
      const encoder = await loadProtobufEncoder();
      return new ProtobufPresentation(encoder, this.#resource, partial2);
    });
  }
  /** Encodes the events of a watch as frames of protobuf. */
  protobufFrames(partial2) {
    return this.#once(`frames ${partial2}`, async () => {
      const presentation = await this.protobuf(partial2);
      return new EventFrames(presentation, protobufFrames(await loadProtobufEncoder()));
    });
  }
  #once(name, make) {
    if (!this.#known.has(name)) this.#known.set(name, make());
    return this.#known.get(name);
  }
};

// packages/apiserver/src/verbs/delete-verbs.ts
var childrenOfJobsWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';
var DeleteVerbs = class {
  #remover;
  constructor(remover) {
    this.#remover = remover;
  }
  async delete(request, resource) {
    const options = await deleteOptions(request);
    warnOfChildren(request, resource, options);
    const removal = this.#remover.remove(resource, resource.key(request.info), options);
    if (!removal.gone || resource.strategy.returnsDeleted) {
      await sendObject(request, resource, removal.object);
    } else {
      await sendValue(request, 200, deletedStatus(resource, removal));
    }
  }
  async deleteCollection(request, resource) {
    const options = await deleteOptions(request);
    warnOfChildren(request, resource, options);
    const filter = objectFilter(resource, request.info, request.query);
    const page2 = listPage(resource, filter, listQuery(request.query, 'list'));
    const objects = page2.objects.flatMap(({ key }) => resource.store.get(key) ?? []);
    for (const { key } of objects) this.#remover.remove(resource, key, options);
    if (request.warnings.length > 0) {
      request.response.setHeader('Warning', warningHeaders(request.warnings));
    }
    const forms2 = new ResourceForms(resource);
    const mediaType = listMediaType(request, resource);
    await sendPage(request, resource, { ...page2, objects }, { mediaType, forms: forms2 });
  }
};
function warnOfChildren(request, resource, { propagationPolicy }) {
  if (resource.id !== 'batch/v1/jobs' || propagationPolicy !== void 0) return;
  request.warnings.push(childrenOfJobsWarning);
}
function deletedStatus(resource, { object }) {
  const { group: group2, plural: plural2 } = resource.facts;
  const { name = '', uid = '' } = object.metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group2 !== '' && { group: group2 }), kind: plural2, uid },
  };
}

// packages/apiserver/src/verbs/object-remover.ts
import { jsonEquals as jsonEquals20 } from '@keelson/structural-schema';

// packages/apiserver/src/verbs/writes/object-writer.ts
import { jsonEquals as jsonEquals19 } from '@keelson/structural-schema';

// packages/apiserver/src/verbs/writes/write-warnings.ts
import { checkDnsLabel as checkDnsLabel7 } from '@keelson/cel/internal';
import { asJson as asJson16, standardFinalizers } from '@keelson/structural-schema';

// packages/apiserver/src/kinds/cluster/key-pair-warnings.ts
import { createPrivateKey, X509Certificate } from 'node:crypto';
function keyPairWarnings(secret) {
  if (secret.type !== 'kubernetes.io/tls') return [];
  const data = objectAt(secret, 'data');
  const certificate = pemOf(textAt(data, 'tls.crt'));
  const key = pemOf(textAt(data, 'tls.key'));
  if (certificate === void 0) return [missing('certificate')];
  if (key === void 0) return [missing('key')];
  const [parsed4, parsedKey] = [certificateOf(certificate), keyOf2(key)];
  if (parsed4 === void 0 || parsedKey === void 0) return [];
  return parsed4.checkPrivateKey(parsedKey) ? [] : ['tls: private key does not match public key'];
}
function missing(what) {
  return `tls: failed to find any PEM data in ${what} input`;
}
function pemOf(base64) {
  const text3 = Buffer.from(base64, 'base64').toString();
  return text3.includes('-----BEGIN ') ? text3 : void 0;
}
function certificateOf(pem) {
  try {
    return new X509Certificate(pem);
  } catch {
    return void 0;
  }
}
function keyOf2(pem) {
  try {
    return createPrivateKey(pem);
  } catch {
    return void 0;
  }
}

// packages/apiserver/src/kinds/services/service-warnings.ts
function serviceWarnings(service) {
  const spec = objectAt(service, 'spec');
  const isExternalName = spec.type === 'ExternalName';
  const hasAddresses = textsAt(spec, 'externalIPs').length > 0;
  const hints = 'service.kubernetes.io/topology-aware-hints';
  const annotations2 = objectAt(objectAt(service, 'metadata'), 'annotations');
  return [
    ...when(
      annotations2[hints] !== void 0,
      `annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    ),
    ...(isHeadless2(spec)
      ? headlessWarnings(spec, hasAddresses)
      : when(
          hasAddresses && !isExternalName,
          'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
        )),
    ...when(
      isExternalName && hasAddresses,
      'spec.externalIPs is ignored when spec.type is "ExternalName"',
    ),
    ...when(
      !isExternalName && textAt(spec, 'externalName') !== '',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...when(
      spec.trafficDistribution === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ];
}
function headlessWarnings(spec, hasAddresses) {
  return [
    ...when(
      textAt(spec, 'loadBalancerIP') !== '',
      'spec.loadBalancerIP is ignored for headless services',
    ),
    ...when(hasAddresses, 'spec.externalIPs is ignored for headless services'),
    ...when(
      spec.sessionAffinity !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ),
  ];
}
function isHeadless2(spec) {
  return spec.type === 'ClusterIP' && spec.clusterIP === 'None';
}
function when(isSo, warning) {
  return isSo ? [warning] : [];
}

// packages/apiserver/src/verbs/writes/write-warnings.ts
var inPodNames = 'this is used in Pod names and hostnames';
var uses = {
  'v1/pods': "this is used in the Pod's hostname",
  'apps/v1/deployments': inPodNames,
  'apps/v1/replicasets': inPodNames,
  'batch/v1/cronjobs': inPodNames,
  'batch/v1/jobs': inPodNames,
  'v1/replicationcontrollers': inPodNames,
};
var replaced = {
  'v1/persistentvolumeclaims': {
    annotation: 'volume.beta.kubernetes.io/storage-class',
    warning:
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
  },
  'networking.k8s.io/v1/ingresses': {
    annotation: 'kubernetes.io/ingress.class',
    warning: `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    member: 'ingressClassName',
  },
};
function writeWarnings(resource, object, old) {
  if (resource.facts.custom) return finalizerWarnings(object, old);
  const always = [
    ...(resource.schema.warningsOf?.(object, old) ?? []),
    ...(contentWarnings[resource.id]?.(asJson16(object)) ?? []),
  ];
  if (old !== void 0) return always;
  return [...nameWarnings(resource, object), ...annotationWarnings(resource, object), ...always];
}
var contentWarnings = {
  'v1/secrets': keyPairWarnings,
  'v1/services': serviceWarnings,
};
function finalizerWarnings({ metadata }, old) {
  const known2 = /* @__PURE__ */ new Set([
    ...(old?.metadata.finalizers ?? []),
    ...standardFinalizers,
  ]);
  return (metadata.finalizers ?? [])
    .filter((name) => !known2.has(name) && !name.includes('/'))
    .toSorted(byCodeUnit)
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}
function annotationWarnings(resource, object) {
  const rule = replaced[resource.id];
  if (rule === void 0 || object.metadata.annotations?.[rule.annotation] === void 0) return [];
  const spec = objectAt(asJson16(object), 'spec');
  return rule.member !== void 0 && spec[rule.member] !== void 0 ? [] : [rule.warning];
}
function nameWarnings(resource, { metadata }) {
  const use = uses[resource.id];
  const found = use === void 0 ? [] : checkDnsLabel7(metadata.name ?? '');
  if (found.length === 0 || !metadata.name) return [];
  return [
    `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended: [${found.join(' ')}]`,
  ];
}

// packages/apiserver/src/resources/revert-outside-scope.ts
function revertOutsideScope(scope, resource, next, current) {
  switch (scope) {
    case 'status':
      return revertOutsideStatus(resource, next, current);
    case 'binding':
      return void 0;
    case 'finalize':
      return copy(next, current, ['status']);
    case '':
      if (resource.strategy.hasStatus) copy(next, current, ['status']);
      return revertNamespaceSpec(resource, next, current);
    default:
      return copy(next, current, ['status']);
  }
}
function revertOutsideStatus(resource, next, current) {
  if (resource.facts.custom) {
    const { resourceVersion, managedFields } = next.metadata;
    next.metadata = {
      ...current.metadata,
      ...(resourceVersion !== void 0 && { resourceVersion }),
      ...(managedFields !== void 0 && { managedFields }),
    };
  } else if (resource.strategy.statusWritesKeepLabels) {
    keepLabels(next, current);
  }
  const outside = /* @__PURE__ */ new Set([...Object.keys(next), ...Object.keys(current)]);
  outside.delete('status');
  outside.delete('metadata');
  copy(next, current, outside);
}
function revertNamespaceSpec(resource, next, current) {
  if (resource.id === 'v1/namespaces') copy(next, current, ['spec']);
}
function keepLabels(next, current) {
  const { labels } = current.metadata;
  if (labels === void 0) delete next.metadata.labels;
  else next.metadata.labels = labels;
}
function copy(next, current, members2) {
  for (const member of members2) {
    if (current[member] === void 0) delete next[member];
    else next[member] = current[member];
  }
}

// packages/apiserver/src/verbs/writes/object-writer.ts
var ObjectWriter = class {
  #context;
  constructor(context) {
    this.#context = context;
  }
  /** Stores a new object, which must be decoded and have its namespace. Takes ownership of the object. */
  create(resource, object, { options, warnings = [], scope = '' }) {
    const now = this.#context.now();
    if (resource.facts.isTerminating?.() === true) {
      throw methodNotAllowed('create not allowed while custom resource definition is terminating');
    }
    this.#checkNamespace(resource, object);
    const { fieldManager, requester } = options;
    const { access } = this.#context;
    if (requester) access.checkObject({ resource, object, before: void 0, requester });
    completeNewMetadata(resource, object, now);
    if (fieldManager !== void 0) {
      recordOwnership({ resource, after: object, subresource: scope, fieldManager, now });
    }
    const write2 = { resource, scope, object, warnings };
    this.#context.admission.mutate(write2);
    this.#prepare(resource, object, scope, now);
    this.#checkNew(write2, requester);
    if (!options.dryRun) this.#context.admission.charge(write2);
    const stored = resource.toStored(object);
    return options.dryRun ? resource.store.draft(stored) : resource.store.put(stored);
  }
  /** Replaces an object by the result of `update.next`. An update without a change stores nothing. */
  update(resource, update) {
    const current = resource.store.get(update.key);
    if (current === void 0) throw notFound(resource.subject(nameOf(update.key)));
    const before = resource.read(current);
    const next = update.next(resource.read(current));
    const { requester } = update.options;
    if (requester) this.#context.access.checkObject({ resource, object: next, before, requester });
    checkPreconditions(resource, before, next);
    revertOutsideScope(update.scope, resource, next, before);
    keepServerMetadata(next, before);
    this.#own(resource, update, next, before);
    const { scope, warnings = [] } = update;
    const write2 = { resource, scope, object: next, old: before, warnings };
    this.#context.admission.mutate(write2);
    resource.schema.prepareForUpdate?.(next, before, partOf(scope));
    this.#complete(resource, update, next, before);
    this.#context.admission.validate(write2);
    if (isUnchanged(next, before)) return current;
    if (!update.options.dryRun) this.#context.admission.charge(write2);
    return this.#replace(resource, current, next, update.options);
  }
  #prepare(resource, object, scope, now) {
    const context = { ...this.#context.allocator, now: timestamp(now), part: partOf(scope) };
    resource.schema.prepareForCreate(object, context);
  }
  #checkNew(write2, requester) {
    const { resource, object } = write2;
    const { name = '' } = object.metadata;
    const subject = resource.subject(name);
    const causes = resource.schema.validate(object);
    if (causes.length > 0) throw invalid(subject, causes);
    write2.warnings.push(...writeWarnings(resource, object));
    if (requester) this.#context.access.checkCreate(requester);
    this.#context.admission.validate(write2);
    const present = resource.store.get(keyOfMetadata(object.metadata));
    if (present !== void 0) {
      const isDeleting2 = present.metadata.deletionTimestamp !== void 0;
      if (object.metadata.generateName) throw generatedNameTaken(subject, isDeleting2);
      throw alreadyExists(subject, isDeleting2);
    }
  }
  /** Records the owner before admission and the registry add fields, which have no owner in kube-apiserver. */
  #own(resource, { scope, options }, next, before) {
    const { fieldManager } = options;
    if (fieldManager === void 0) return;
    const now = this.#context.now();
    recordOwnership({ resource, before, after: next, subresource: scope, fieldManager, now });
  }
  #complete(resource, { key, scope, warnings }, next, before) {
    if (!keepsGeneration.has(scope) && resource.strategy.changesGeneration(next, before)) {
      next.metadata.generation = (before.metadata.generation ?? 0) + 1;
    }
    if (resource.strategy.labelsFollowTemplate && !isFinished2(resource, next)) {
      resource.schema.setDefaults(next);
    }
    const causes = resource.schema.validate(next, before, warnings, partOf(scope));
    if (causes.length > 0) throw invalid(resource.subject(nameOf(key)), causes);
    if (scope === '' || scope === 'scale') warnings?.push(...writeWarnings(resource, next, before));
  }
  #replace(resource, current, next, options) {
    const ends = isFinished2(resource, next);
    const stored = resource.toStored(next);
    if (options.dryRun || ends) {
      if (ends && !options.dryRun) resource.store.remove(current);
      return resource.store.draft(stored);
    }
    return resource.store.put(stored);
  }
  #checkNamespace(resource, object) {
    const { namespace, name = '' } = object.metadata;
    if (!resource.facts.namespaced || namespace === void 0) return;
    const found = this.#context.namespaces.get(namespace);
    if (found === void 0) {
      throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace', name: namespace });
    }
    if (found.metadata.deletionTimestamp === void 0) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(resource.subject(name), why, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  }
};
var keepsGeneration = /* @__PURE__ */ new Set(['approval', 'binding', 'finalize', 'status']);
function partOf(scope) {
  if (scope === 'status') return 'status';
  return scope !== '' && partsOfPods.has(scope) ? 'other' : 'object';
}
var partsOfPods = /* @__PURE__ */ new Set(['binding', 'ephemeralcontainers', 'resize']);
function isFinished2(resource, object) {
  const { deletionTimestamp, finalizers: finalizers3 = [] } = object.metadata;
  if (deletionTimestamp === void 0 || finalizers3.length > 0) return false;
  return !resource.strategy.deletion.isKept(object);
}
function isUnchanged(next, before) {
  return jsonEquals19(withoutTimes(next), withoutTimes(before));
}
function withoutTimes(object) {
  const { managedFields, ...metadata } = object.metadata;
  const owners = managedFields?.map(({ time: _time, ...entry }) => entry) ?? [];
  return { ...object, metadata, owners };
}
function nameOf(key) {
  return key.slice(key.indexOf('/') + 1);
}

// packages/apiserver/src/verbs/object-remover.ts
var policyFinalizers = { Foreground: 'foregroundDeletion', Orphan: 'orphan' };
var ObjectRemover = class {
  #now;
  constructor(now) {
    this.#now = now;
  }
  remove(resource, key, options) {
    const stored = resource.store.get(key);
    const name = key.slice(key.indexOf('/') + 1);
    if (stored === void 0) throw notFound(resource.subject(name));
    const refusal3 = resource.strategy.deletion.refusalOf(name);
    if (refusal3 !== void 0) throw forbidden(resource.subject(name), refusal3);
    checkPreconditions2(resource, stored, options);
    if (isPending(resource, stored, options)) return { object: stored, gone: false };
    const current = resource.read(stored);
    const marked = this.#marked(resource, current, options);
    if (!isFinished2(resource, marked)) {
      return { object: this.#keep(resource, stored, current, marked, options), gone: false };
    }
    if (options.dryRun) return { object: this.#shown(resource, stored, marked), gone: true };
    return { object: this.#take(resource, stored, marked), gone: true };
  }
  /** Returns the object marked as deleted. */
  #marked(resource, current, options) {
    const { deletion } = resource.strategy;
    const marked = { ...current, metadata: { ...current.metadata } };
    const { metadata } = marked;
    const finalizers3 = finalizersAfter(resource, current, options);
    delete metadata.finalizers;
    if (finalizers3.length > 0) metadata.finalizers = finalizers3;
    const grace = deletion.gracePeriodOf(current, options.gracePeriodSeconds);
    if (metadata.deletionTimestamp === void 0) {
      metadata.deletionTimestamp = timestamp(this.#now() + grace * 1e3);
      metadata.deletionGracePeriodSeconds = grace;
      if (metadata.generation !== void 0) metadata.generation += 1;
    } else if (grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
      metadata.deletionTimestamp = timestamp(this.#now() + grace * 1e3);
      metadata.deletionGracePeriodSeconds = grace;
    }
    deletion.mark(marked, this.#now());
    return marked;
  }
  /** Stores the marked object, unless it has been marked before. */
  #keep(resource, stored, current, marked, options) {
    if (jsonEquals20(current, marked)) return stored;
    const object = resource.toStored(marked);
    return options.dryRun ? resource.store.draft(object) : resource.store.put(object);
  }
  /** Returns the object that a dry run shows for a removal. */
  #shown(resource, stored, marked) {
    if (!showsMark(resource, stored)) return stored;
    return resource.store.draft(resource.toStored(marked));
  }
  /** Removes an object. A pod is first stored as marked, since real pods wait for their kubelet. */
  #take(resource, stored, marked) {
    if (!showsMark(resource, stored)) return resource.store.remove(stored);
    return resource.store.remove(resource.store.put(resource.toStored(marked)));
  }
};
function isPending({ strategy }, { metadata }, { gracePeriodSeconds }) {
  const { deletionTimestamp, deletionGracePeriodSeconds: pending = 0 } = metadata;
  if (!strategy.deletion.showsMark || deletionTimestamp === void 0 || pending === 0) return false;
  return gracePeriodSeconds === void 0 || gracePeriodSeconds >= pending;
}
function showsMark({ strategy }, { metadata }) {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const isMarked = deletionTimestamp !== void 0 && deletionGracePeriodSeconds === 0;
  return strategy.deletion.showsMark && !isMarked;
}
function checkPreconditions2(resource, { metadata }, { preconditions }) {
  const { uid, resourceVersion } = preconditions;
  const { kind, group: group2 } = resource.facts;
  const subject = { group: group2, kind, plural: kind, name: metadata.name ?? '' };
  if (uid !== void 0 && uid !== metadata.uid) {
    throw conflict(
      subject,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== void 0 && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}
function finalizersAfter(resource, current, { propagationPolicy }) {
  const { finalizers: finalizers3 = [] } = current.metadata;
  const wanted2 = finalizerOf(resource, finalizers3, propagationPolicy);
  const own = Object.values(policyFinalizers);
  const others = finalizers3.filter((finalizer3) => !own.includes(finalizer3));
  const { finalizer: finalizer2 } = resource.strategy.deletion;
  return [
    ...others,
    ...(finalizer2 === void 0 || others.includes(finalizer2) ? [] : [finalizer2]),
    ...(wanted2 === void 0 ? [] : [wanted2]),
  ];
}
function finalizerOf(resource, finalizers3, policy) {
  if (policy === 'Background') return void 0;
  if (policy !== void 0) return policyFinalizers[policy];
  const present = Object.values(policyFinalizers).find((name) => finalizers3.includes(name));
  return present ?? (resource.strategy.orphansByDefault ? policyFinalizers.Orphan : void 0);
}

// packages/apiserver/src/verbs/read-verbs.ts
import { StatusError as Failure } from '@keelson/apimachinery';

// packages/apiserver/src/watch/table-lines.ts
import { jsonText as jsonText15 } from '@keelson/structural-schema';
function tableLines(request, resource) {
  let withDefinitions = true;
  return new EventFrames({
    object(stored) {
      const table = rowOf(request, resource, stored, withDefinitions);
      withDefinitions = false;
      return Buffer.from(jsonText15(table));
    },
    bookmark: (metadata) => ({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: metadata.resourceVersion },
      columnDefinitions: null,
      rows: [
        {
          cells: [],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata },
        },
      ],
    }),
  });
}
function rowOf(request, resource, stored, withDefinitions) {
  const { resourceVersion = '' } = stored.metadata;
  return tableFor(request, resource, [stored], { metadata: { resourceVersion }, withDefinitions });
}

// packages/apiserver/src/watch/watch-stream.ts
var HIGH_WATER_BYTES = 1024 * 1024;
var BATCH_BYTES = 64 * 1024;
var MAX_TIMER_MS = 2 ** 31 - 1;
var LAST_BOOKMARK_MS = 2e3;
var WatchStream = class {
  #options;
  /** Initial objects still to be sent; `undefined` once all have been sent. */
  #initial;
  #position;
  /** The newest revision that the client has received. */
  #sentRevision;
  #batch = [];
  #batched = 0;
  #open = true;
  #truncates = false;
  #timers = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#options = options;
    this.#position = options.store.log.positionAfter(options.from);
    this.#sentRevision = options.from;
  }
  /** Starts the response. Calls `ended` once, when the stream has ended for any reason. */
  start(ended) {
    const {
      response: response2,
      frames,
      initial,
      timeout,
      bookmarkInterval,
      bookmarks,
    } = this.#options;
    response2.on('close', () => {
      this.#stop();
      ended();
    });
    response2.on('drain', () => this.pump());
    writeHead(response2, 200, { contentType: frames.contentType });
    response2.flushHeaders();
    this.#after(timeout, () => this.end());
    if (bookmarks) {
      this.#every(bookmarkInterval, () => this.#bookmark());
      if (timeout > LAST_BOOKMARK_MS)
        this.#after(timeout - LAST_BOOKMARK_MS, () => this.#bookmark());
    }
    if (initial) this.#beginWithInitial();
    this.pump();
  }
  /** Sends new changes of the store, after the delay of a fault if there is one. */
  wake() {
    const delay = this.#options.faults.delay();
    if (delay === 0) return this.pump();
    const end = this.#options.store.log.end;
    this.#after(delay, () => this.pump(end));
    return void 0;
  }
  /** Sends initial objects and changes up to a position of the log. */
  pump(end = this.#options.store.log.end) {
    const { response: response2, faults } = this.#options;
    while (this.#open && (this.#initial !== void 0 || this.#position < end)) {
      if (faults.stalled() || response2.writableLength > HIGH_WATER_BYTES) break;
      if (this.#initial === void 0) this.#sendNextChange();
      else this.#sendInitial(this.#initial);
    }
    this.#flush();
  }
  /** Ends the response without an error. */
  end() {
    if (!this.#open) return;
    this.#flush();
    this.#stop();
    this.#options.response.end();
  }
  /** Breaks the stream off. Over HTTP/1.1 its connection breaks, over HTTP/2 only the stream. */
  cut() {
    this.#stop();
    breakResponse(this.#options.response);
  }
  /** Ends the stream with an ERROR event. */
  fail(error) {
    if (!this.#open) return;
    this.#write(this.#options.frames.ofError(error.status));
    this.end();
  }
  /** Sends only the first half of the next event, then ends the response. */
  truncate() {
    this.#truncates = true;
  }
  #beginWithInitial() {
    const { store, filter } = this.#options;
    const snapshot = store.snapshot();
    const objects = snapshot.keys.flatMap((key) => snapshot.get(key) ?? []);
    this.#initial = objects.filter((object) => filter.matches(object)).values();
    this.#position = store.log.end;
    this.#sentRevision = snapshot.revision;
  }
  #sendInitial(initial) {
    const { frames, bookmarks, faults } = this.#options;
    const { done, value } = initial.next();
    if (done !== true) {
      this.#write(frames.ofObject('ADDED', value));
      return;
    }
    this.#initial = void 0;
    if (bookmarks && !faults.withholdsBookmarks())
      this.#write(frames.ofBookmark(this.#sentRevision, true));
  }
  #sendNextChange() {
    const { log } = this.#options.store;
    if (!log.holds(this.#position)) {
      this.fail(expired(`too old resource version: ${this.#sentRevision} (${log.compacted})`));
      return;
    }
    const change = log.at(this.#position++);
    if (change === void 0 || change.revision <= this.#sentRevision) return;
    this.#sentRevision = change.revision;
    this.#sendChange(change);
  }
  #sendChange(change) {
    const { filter, frames } = this.#options;
    const matched = change.previous !== void 0 && filter.matches(change.previous);
    const matches = change.type !== 'DELETED' && filter.matches(change.object);
    if (matches) this.#write(frames.ofObject(matched ? 'MODIFIED' : 'ADDED', change.object));
    else if (matched) this.#write(frames.ofObject('DELETED', deletedStateOf(change)));
  }
  #bookmark() {
    const { store, frames, faults } = this.#options;
    if (faults.withholdsBookmarks() || faults.stalled()) return;
    if (this.#initial !== void 0 || this.#sentRevision > store.revision) return;
    if (this.#position === store.log.end) this.#sentRevision = store.revision;
    this.#write(frames.ofBookmark(this.#sentRevision, false));
    this.#flush();
  }
  #write(frame) {
    if (!this.#open) return;
    this.#batch.push(this.#truncates ? frame.subarray(0, frame.length / 2) : frame);
    this.#batched += frame.length;
    if (this.#truncates) this.end();
    else if (this.#batched >= BATCH_BYTES) this.#flush();
  }
  #flush() {
    if (this.#batch.length === 0 || !this.#open) return;
    this.#options.response.write(Buffer.concat(this.#batch));
    this.#batch = [];
    this.#batched = 0;
  }
  #after(milliseconds, run) {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        run();
      },
      Math.min(milliseconds, MAX_TIMER_MS),
    );
    this.#timers.add(timer);
  }
  #every(milliseconds, run) {
    this.#timers.add(setInterval(run, Math.min(milliseconds, MAX_TIMER_MS)));
  }
  #stop() {
    this.#open = false;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
};
function deletedStateOf(change) {
  if (change.type === 'DELETED') return change.object;
  return change.previous?.at(change.revision) ?? change.object;
}

// packages/apiserver/src/verbs/wait-for-revision.ts
async function waitForRevision(storage, resourceVersion, waiting) {
  const wanted2 = Number(resourceVersion);
  if (wanted2 <= storage.revision) return;
  const { promise, resolve: resolve2, reject } = Promise.withResolvers();
  const stopListening = storage.onChange(() => {
    if (storage.revision >= wanted2) resolve2();
  });
  const timer = setTimeout(
    () => reject(tooLargeResourceVersion(resourceVersion, storage.revision)),
    waiting.timeout,
  );
  waiting.response.once('close', resolve2);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    stopListening();
    waiting.response.off('close', resolve2);
  }
}

// packages/apiserver/src/verbs/read-verbs.ts
var ReadVerbs = class {
  #context;
  #forms = /* @__PURE__ */ new WeakMap();
  constructor(context) {
    this.#context = context;
  }
  async get(request, resource) {
    const { name } = request.info;
    const resourceVersion = versionOf2(request.query, 'get');
    await this.#waitForRevision(request, resourceVersion);
    const stored = resource.store.get(resource.key(request.info));
    if (stored === void 0) throw notFound(resource.subject(name));
    await sendObject(request, resource, stored);
  }
  async list(request, resource) {
    const query = listQuery(request.query, 'list');
    const filter = objectFilter(resource, request.info, request.query);
    const mediaType = listMediaType(request, resource);
    await this.#waitForRevision(request, query.resourceVersion);
    const page2 = listPage(resource, filter, query);
    const pace = this.#context.pace(request);
    const forms2 = this.#formsOf(resource);
    await sendPage(request, resource, page2, { mediaType, forms: forms2, ...(pace && { pace }) });
  }
  async watch(request, resource) {
    const query = listQuery(request.query, 'watch');
    const filter = objectFilter(resource, request.info, request.query);
    const frames = await this.#framesFor(request, resource);
    const refusal3 = await this.#refusal(request, resource, query);
    if (request.response.destroyed) return;
    if (refusal3 !== void 0) {
      writeHead(request.response, 200, { contentType: frames.contentType });
      request.response.end(frames.ofError(refusal3.status));
      return;
    }
    const { store } = resource;
    const initial = wantsInitial(query);
    const stream = new WatchStream({
      store,
      filter,
      frames,
      response: request.response,
      from: initial ? store.revision : Number(query.resourceVersion || store.revision),
      initial,
      bookmarks: query.allowWatchBookmarks,
      bookmarkInterval: this.#context.bookmarkInterval,
      timeout: query.timeout ?? defaultTimeout(),
      faults: this.#context.faults(request.info),
    });
    this.#context.hub.open({ resource, info: request.info, stream });
  }
  /** Returns the error that the watch sends as its only event, in a response with status 200. */
  async #refusal(request, resource, query) {
    const { resourceVersion, sendInitialEvents, timeout = 0 } = query;
    if (timeout < 0 || timeout > MAX_TIMEOUT_MS) {
      return failure(500, 'InternalError', 'context deadline exceeded');
    }
    const wanted2 = Number(resourceVersion);
    if (sendInitialEvents === true) {
      try {
        await this.#waitForRevision(request, resourceVersion);
      } catch (error) {
        if (error instanceof Failure) return error;
        throw error;
      }
      return void 0;
    }
    const { compacted } = resource.store.log;
    if (wanted2 === 0 || wanted2 >= compacted) return void 0;
    return expired(`too old resource version: ${wanted2} (${compacted})`);
  }
  #waitForRevision({ response: response2 }, resourceVersion) {
    const { storage, timeout } = this.#context;
    return waitForRevision(storage, resourceVersion, { timeout, response: response2 });
  }
  async #framesFor(request, resource) {
    const { as, format } = mediaTypeOf(request, kindOf(resource));
    if (format === 'yaml') throw notAcceptableWatch();
    if (as === 'Table') return tableLines(request, resource);
    const forms2 = this.#formsOf(resource);
    return format === 'protobuf'
      ? forms2.protobufFrames(as !== void 0)
      : forms2.lines(as !== void 0);
  }
  #formsOf(resource) {
    let forms2 = this.#forms.get(resource);
    if (forms2 === void 0) {
      forms2 = new ResourceForms(resource);
      this.#forms.set(resource, forms2);
    }
    return forms2;
  }
};
var MAX_TIMEOUT_MS = 9223372036e3;
function wantsInitial({ sendInitialEvents, resourceVersion }) {
  return sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0');
}
function defaultTimeout() {
  return 18e5 * (1 + Math.random());
}

// packages/apiserver/src/verbs/write-verbs.ts
var WriteVerbs = class {
  #writer;
  #patcher;
  constructor(writer, patcher) {
    this.#writer = writer;
    this.#patcher = patcher;
  }
  async create(request, resource) {
    const options = writeOptions(request, 'CreateOptions');
    const object = await decodedBody(request, resource, options);
    placeInNamespace(resource, object, request.info.namespace);
    const { warnings } = request;
    const stored = this.#writer.create(resource, object, { options, warnings });
    await sendObject(request, resource, stored, 201);
  }
  async update(request, resource, scope) {
    const options = writeOptions(request, 'UpdateOptions');
    const object = await decodedBody(request, resource, options);
    const { name, namespace } = request.info;
    checkName(object, name);
    placeInNamespace(resource, object, namespace);
    const key = resource.key(request.info);
    if (resource.strategy.createsOnUpdate && !resource.store.get(key)) {
      checkVersionSyntax(object);
      delete object.metadata.resourceVersion;
      const { warnings: warnings2 } = request;
      const stored2 = this.#writer.create(resource, object, {
        options,
        warnings: warnings2,
        scope,
      });
      await sendObject(request, resource, stored2, 201);
      return;
    }
    const next = (current) => {
      checkUid(resource, current, object);
      return object;
    };
    const { warnings } = request;
    const stored = this.#writer.update(resource, { key, scope, options, next, warnings });
    await sendObject(request, resource, stored);
  }
  async patch(request, resource, scope) {
    const patchType = patchTypeOf(resource, request.headers['content-type']);
    const options = writeOptions(request, 'PatchOptions');
    const body = await request.body();
    const { name, namespace } = request.info;
    const key = resource.key(request.info);
    const { warnings } = request;
    const target = { resource, key, name, namespace, scope, options, warnings };
    if (patchType === applyType) {
      checkManager(request.query);
      const applied = decodeApplied(decodeTargetOf(resource), await decodeAppliedBody(body));
      const { stored, created } = this.#patcher.apply(target, applied);
      await sendObject(request, resource, stored, created ? 201 : 200);
      return;
    }
    checkForce(request.query);
    if (resource.store.get(key) === void 0) throw notFound(resource.subject(name));
    const patch = readPatch(patchType, resource.schema.type, body);
    await sendObject(request, resource, this.#patcher.patch(target, patch));
  }
};
async function decodedBody(request, resource, options) {
  const contentType2 = request.headers['content-type'];
  const sent = await request.body();
  const body = await decodeObject(sent, contentType2, resource.facts.kind);
  return decodeWrite(decodeTargetOf(resource), body, options, request.warnings);
}

// packages/apiserver/src/server/control-plane.ts
var ControlPlane = class {
  registry = new ResourceRegistry();
  work = new BackgroundWork();
  users;
  pipeline;
  writer;
  /** The accesses that each user needed. */
  accesses;
  #parts;
  #remover;
  #controllers;
  #customResources;
  #tokens;
  constructor(parts) {
    const { settings, storage, hub } = parts;
    const { now } = settings;
    this.#parts = parts;
    const { tokens: tokens2 } = parts;
    this.users = tokenAuthenticator({ tokens: tokens2, anonymousAuth: settings.anonymousAuth });
    for (const resource of builtinServed(storage)) this.registry.add(resource);
    const namespaces2 = this.#core('namespaces');
    this.accesses = new AccessRecord((group2, plural2) => {
      return this.registry.anyVersion(group2, plural2)?.facts.namespaced;
    });
    this.#tokens = new ServiceAccountTokens(now, ({ plural: plural2, uid, ...name }) => {
      return this.#core(plural2).store.get(keyOfMetadata(name))?.metadata.uid === uid;
    });
    const reviews = this.#createReviews();
    const range = settings.serviceClusterIpRange;
    const allocator = addressAllocator(this.#core('services').store, range);
    this.writer = new ObjectWriter({
      now,
      access: new WriteAccess({
        ...reviews,
        accesses: this.accesses,
        findKind: (apiVersion2, kind) => this.registry.byKind(apiVersion2, kind)?.facts,
      }),
      namespaces: namespaces2.store,
      allocator,
      admission: defaultPlugins({
        registry: this.registry,
        now,
        range,
        allocator,
        setUsed: (quota, used) => this.#setUsed(quota, used),
      }),
    });
    this.#remover = new ObjectRemover(now);
    const { registry, work, writer } = this;
    const remover = this.#remover;
    this.#controllers = new Controllers({
      storage,
      registry,
      work,
      writer,
      remover,
      namespaces: namespaces2,
      quotas: this.#core('resourcequotas'),
      enabled: settings.controllers,
      now,
    });
    this.#customResources = new CustomResources({
      storage,
      registry,
      writer,
      remover,
      work,
      now,
      definitions: this.#resource('apiextensions.k8s.io', 'customresourcedefinitions'),
    });
    registry.onRemove((resource) => {
      for (const { stream } of hub.of(resource)) stream.end();
    });
    this.pipeline = this.#createPipeline(reviews);
    bootstrap(registry, writer, { rbac: settings.authorizationMode === 'RBAC', services: range });
  }
  /** Issues a token of a service account. Throws a 404 `StatusError` if the account does not exist. */
  issueToken({ namespace, name, lifetime }) {
    const accounts = this.#core('serviceaccounts');
    const { uid } = accounts.store.get(keyOfMetadata({ namespace, name }))?.metadata ?? {};
    if (uid === void 0) throw notFound(accounts.subject(name));
    const expires = (this.#parts.settings.now() + lifetime) / 1e3;
    return this.#tokens.issue({ namespace, name, uid, audiences: [apiAudience], expires });
  }
  close() {
    this.work.close();
    this.#controllers.close();
    this.#customResources.close();
  }
  #setUsed(quota, used) {
    this.writer.update(this.#core('resourcequotas'), {
      key: keyOfMetadata(objectAt(quota, 'metadata')),
      scope: 'status',
      options: { dryRun: false, fieldManager: 'kube-apiserver' },
      next: (current) => {
        ensureObject(asJson17(current), 'status').used = { ...used };
        return current;
      },
    });
  }
  #createPipeline(reviews) {
    const { faults, settings, stats } = this.#parts;
    const { authenticator, authorizer } = reviews;
    const paths = new PathRouter({
      registry: this.registry,
      address: this.#parts.address,
      openApi: (request) =>
        handleOpenApi(request, openApiSource(this.#customResources.definitions())),
    });
    const resources = this.#createResourceRouter(reviews);
    return new RequestPipeline({
      authenticator,
      certificates: settings.clientCa === void 0 ? void 0 : new ClientCertificates(),
      authorizer,
      accesses: this.accesses,
      faults,
      stats,
      paths,
      resources,
    });
  }
  #createReviews() {
    const { authorizationMode } = this.#parts.settings;
    const authenticator = withServiceAccounts(this.users, this.#tokens);
    const aggregates = this.#parts.settings.controllers.has('cluster-role-aggregation');
    const policies2 = policyStore(this.registry);
    const rbac = authorizationMode === 'RBAC' ? rbacSource(policies2, { aggregates }) : void 0;
    const authorizer = rbac === void 0 ? alwaysAllow : rbacAuthorizer(rbac);
    return { authenticator, authorizer, rbac, now: this.#parts.settings.now };
  }
  #createResourceRouter(reviews) {
    const { settings, storage, hub, faults } = this.#parts;
    const patcher = new ObjectPatcher(this.writer, settings.now);
    const writes2 = new WriteVerbs(this.writer, patcher);
    const reads = new ReadVerbs({
      storage,
      hub,
      timeout: settings.freshnessTimeout,
      bookmarkInterval: settings.bookmarkInterval,
      faults: (info) => faults.watchFaultsOf(info),
      pace: (request) => faults.paceOf(request),
    });
    const { writer, registry } = this;
    const remover = this.#remover;
    return new ResourceRouter({
      registry,
      reads,
      writes: writes2,
      reviews,
      deletes: new DeleteVerbs(remover),
      subresources: subresourceHandlers({
        reads,
        writes: writes2,
        writer,
        remover,
        registry,
        tokens: this.#tokens,
        now: settings.now,
      }),
    });
  }
  #core(plural2) {
    return this.#resource('', plural2);
  }
  #resource(group2, plural2) {
    const resource = this.registry.find({ group: group2, version: 'v1', plural: plural2 });
    if (resource === void 0) throw new Error(`${plural2} are not served`);
    return resource;
  }
};

// packages/apiserver/src/faults/faults.ts
import {
  parseDuration as parseDuration3,
  StatusError as StatusError13,
} from '@keelson/apimachinery';

// packages/apiserver/src/http/pause.ts
function pause(milliseconds, response2) {
  return new Promise((resolve2) => {
    const timer = setTimeout(end, milliseconds);
    response2.once('close', end);
    function end() {
      clearTimeout(timer);
      response2.off('close', end);
      resolve2();
    }
  });
}

// packages/apiserver/src/faults/fault-scope.ts
function isInScope(scope, info) {
  const { resource, verb, namespace } = scope;
  if (resource === void 0 && verb === void 0 && namespace === void 0) return true;
  if (info.type !== 'resource') return false;
  return (
    (resource === void 0 || isResource(resource, info.group, info.resource)) &&
    (verb === void 0 || [verb].flat().includes(info.verb)) &&
    (namespace === void 0 || namespace === info.namespace)
  );
}
function isResource(resource, group2, plural2) {
  return resource.group === group2 && resource.plural === plural2;
}

// packages/apiserver/src/faults/active-faults.ts
var ActiveFaults = class {
  #entries = /* @__PURE__ */ new Set();
  #ended;
  /** Calls `ended` after each end of a fault. */
  constructor(ended = () => {}) {
    this.#ended = ended;
  }
  add(scope, effect) {
    const entry = { scope, effect, hits: 0 };
    this.#entries.add(entry);
    const end = () => {
      if (this.#entries.delete(entry)) this.#ended();
    };
    return {
      get hits() {
        return entry.hits;
      },
      end,
      [Symbol.dispose]: end,
    };
  }
  /** The effects on a new request; counts a hit for each. */
  hit(info) {
    const affected = [...this.#entries].filter(({ scope }) => isInScope(scope, info));
    for (const entry of affected) {
      entry.hits++;
      if (entry.hits >= (entry.scope.times ?? Infinity)) this.#entries.delete(entry);
    }
    return affected.map(({ effect }) => effect);
  }
  /** The effects on an open request; counts nothing. */
  on(info) {
    if (this.#entries.size === 0) return [];
    return [...this.#entries]
      .filter(({ scope }) => isInScope(scope, info))
      .map((entry) => entry.effect);
  }
  clear() {
    this.#entries.clear();
    this.#ended();
  }
};

// packages/apiserver/src/faults/faults.ts
var Faults = class {
  #context;
  #requests = new ActiveFaults();
  #stalls = new ActiveFaults(() => this.#wakeWatches());
  #delays = new ActiveFaults();
  #bookmarks = new ActiveFaults();
  #silences = /* @__PURE__ */ new Set();
  #slowLists = new ActiveFaults();
  constructor(context) {
    this.#context = context;
  }
  /** Responds with an error of any status, optionally with `Retry-After`. */
  fail(options) {
    const { code, reason = reasons[code] ?? '', message: message2, retryAfterSeconds } = options;
    const details = retryAfterSeconds === void 0 ? void 0 : { retryAfterSeconds };
    const error = failure(code, reason, message2 ?? `injected fault ${code}`, details);
    return this.#requests.add(options, (request) => respond2(request, error));
  }
  /** Responds with 429 and `Retry-After` (default 1 s). */
  throttle(options = {}) {
    const { retryAfterSeconds = 1 } = options;
    const message2 = 'too many requests, please try again later';
    return this.fail({ ...options, code: 429, message: message2, retryAfterSeconds });
  }
  /** Responds with 403 and the message of an authorizer. */
  forbid(scope = {}) {
    return this.#requests.add(scope, (request) => respond2(request, forbiddenError(request)));
  }
  /** Responds with 410 as HTTP status, as to a list or watch from an expired resourceVersion. */
  expire(scope = {}) {
    return this.fail({ ...scope, code: 410, message: 'too old resource version' });
  }
  /** Responds with 404, as if the kind were not served. */
  unserve(scope = {}) {
    return this.#requests.add(scope, (request) => respond2(request, resourceNotFound()));
  }
  /** Delays the handling of requests. */
  delay(options) {
    const milliseconds = parseDuration3(options.by, 'delay.by');
    return this.#requests.add(options, async ({ response: response2 }) => {
      await pause(milliseconds, response2);
      return false;
    });
  }
  /** Holds requests until the fault ends, then handles them. */
  hang(scope = {}) {
    const { promise, resolve: resolve2 } = Promise.withResolvers();
    const fault = this.#requests.add(scope, () => promise);
    const end = () => {
      fault.end();
      resolve2(false);
    };
    return {
      get hits() {
        return fault.hits;
      },
      end,
      [Symbol.dispose]: end,
    };
  }
  /** Resets the connection instead of a response; over HTTP/2 only the stream of the request. */
  reset(scope = {}) {
    return this.#requests.add(scope, (request) => {
      breakResponse(request.response);
      return true;
    });
  }
  /** Rejects requests for initial events, like a server without WatchList. */
  refuseWatchList(scope = {}) {
    const message2 =
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    const error = failure(422, 'Invalid', message2, { group: 'meta.k8s.io', kind: 'ListOptions' });
    return this.#requests.add({ verb: 'watch', ...scope }, (request) =>
      isTrue(request.query.get('sendInitialEvents')) ? respond2(request, error) : false,
    );
  }
  /** Accepts new watches and ends them immediately, without an event. */
  endWatchesAtOnce(scope = {}) {
    return this.#requests.add({ verb: 'watch', ...scope }, ({ response: response2 }) => {
      writeHead(response2, 200, {});
      response2.end();
      return true;
    });
  }
  /** Accepts new watches and immediately sends a 410 Expired as an ERROR event. */
  expireWatchesAtOnce(scope = {}) {
    const line = { type: 'ERROR', object: expired('too old resource version').status };
    return this.#requests.add({ verb: 'watch', ...scope }, ({ response: response2 }) => {
      writeHead(response2, 200, {});
      response2.end(`${JSON.stringify(line)}
`);
      return true;
    });
  }
  /** Breaks all connections and accepts no new ones until the fault ends. */
  refuseConnections() {
    const stopped = this.#context.stopListening();
    let up;
    const end = () => (up ??= stopped.then(() => this.#context.listenAgain()));
    return { end, [Symbol.asyncDispose]: end };
  }
  /** Breaks the open connections with all their requests. New connections work. Returns their number. */
  breakConnections() {
    return this.#context.breakConnections();
  }
  /**
   * Makes the open connections half-open: they stay open without a byte from the server, not even the acknowledgement
   * of a PING. New connections work. The end of the fault closes the half-open ones. `hits` is their number.
   */
  silenceConnections() {
    const { connections, close } = this.#context.silence();
    const end = () => {
      if (this.#silences.delete(end)) close();
    };
    this.#silences.add(end);
    return { hits: connections, end, [Symbol.dispose]: end };
  }
  /** Writes lists in pieces with a pause before each. */
  slowLists(options) {
    return this.#slowLists.add(options, parseDuration3(options.by, 'slowLists.by'));
  }
  /** Keeps watches open without events until the fault ends, then sends the missed events. */
  stallWatches(scope = {}) {
    return this.#stalls.add(scope, true);
  }
  /** Delays watch events. */
  delayWatches(options) {
    return this.#delays.add(options, parseDuration3(options.by, 'delayWatches.by'));
  }
  /** Withholds all bookmarks, including the one that ends the initial events. */
  withholdBookmarks(scope = {}) {
    return this.#bookmarks.add(scope, true);
  }
  /** Ends the open watches. Returns their number. */
  cutWatches(options = {}) {
    const how = options.how ?? 'end';
    return this.#each(options, ({ stream }) => (how === 'end' ? stream.end() : stream.cut()));
  }
  /** Sends a 410 Expired as an ERROR event to the open watches. Returns their number. */
  expireWatches(scope = {}) {
    return this.#each(scope, ({ stream }) => stream.fail(expired('too old resource version')));
  }
  /** Cuts the next event of each open watch in the middle of its line. Returns the number of watches. */
  truncateWatches(scope = {}) {
    return this.#each(scope, ({ stream }) => stream.truncate());
  }
  /** Ends every active fault. */
  clear() {
    for (const faults of [this.#requests, this.#stalls, this.#delays, this.#bookmarks]) {
      faults.clear();
    }
    this.#slowLists.clear();
    for (const end of this.#silences) end();
  }
  /** Applies the faults to a request; true if it needs no further handling. @internal */
  async applyTo(request) {
    for (const effect of this.#requests.hit(request.info)) {
      if ((await effect(request)) || request.response.destroyed) return true;
    }
    return false;
  }
  /** The active faults on the watches of a resource. @internal */
  watchFaultsOf(info) {
    return {
      stalled: () => this.#stalls.on(info).length > 0,
      delay: () => Math.max(0, ...this.#delays.on(info)),
      withholdsBookmarks: () => this.#bookmarks.on(info).length > 0,
    };
  }
  /** A pause between the pieces of a list; undefined without this fault. @internal */
  paceOf({ info, response: response2 }) {
    const pauses = this.#slowLists.hit(info);
    return pauses.length === 0 ? void 0 : () => pause(Math.max(...pauses), response2);
  }
  #each(scope, act) {
    const meant = this.#context.hub.all().filter(({ info }) => isInScope(scope, info));
    for (const watch of meant) act(watch);
    return meant.length;
  }
  #wakeWatches() {
    for (const { stream } of this.#context.hub.all()) stream.pump();
  }
};
var reasons = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};
function respond2(request, error) {
  sendStatus(request.response, error);
  return true;
}
function forbiddenError({ info, user }) {
  return new StatusError13(
    forbiddenStatus(attributesOf(info, user), { allowed: false, reason: '' }),
  );
}

// packages/apiserver/src/http/http-listener.ts
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { once as once3 } from 'node:events';

// packages/apiserver/src/http/gated-socket.ts
import { Duplex } from 'node:stream';
var GatedSocket = class extends Duplex {
  #socket;
  #isSilent = false;
  constructor(socket) {
    super();
    this.#socket = socket;
    socket.on('data', (bytes) => {
      if (!this.#isSilent && !this.push(bytes)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }
  /** From now on no byte passes in either direction. */
  silence() {
    this.#isSilent = true;
    this.#socket.resume();
  }
  _read() {
    this.#socket.resume();
  }
  _write(bytes, _encoding, done) {
    this.#send(bytes, done);
  }
  _writev(chunks, done) {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }
  _final(done) {
    if (this.#isSilent) done();
    else this.#socket.end(done);
  }
  _destroy(error, done) {
    if (!this.#isSilent) this.#socket.destroy();
    done(error);
  }
  #send(bytes, done) {
    if (this.#isSilent) done();
    else this.#socket.write(bytes, done);
  }
};

// packages/apiserver/src/http/http-listener.ts
var limits2 = { maxHeaderSize: 64 * 1024, keepAliveTimeout: 0, requestTimeout: 6e4 };
var http2Limits = {
  settings: { maxConcurrentStreams: 100 },
  /** MB of unsent frames of all streams. */
  maxSessionMemory: 256,
  Http2ServerRequest: Http2Request,
  Http2ServerResponse: Http2Response,
};
var HttpListener = class {
  #options;
  #handle;
  #connections = /* @__PURE__ */ new Set();
  #server;
  #port;
  constructor(options, handle) {
    this.#options = options;
    this.#handle = handle;
    this.#port = options.port;
    this.#server = this.#createServer();
  }
  get port() {
    return this.#port;
  }
  /** Starts to listen; after `close` on the same port as before. Throws `LISTEN_FAILED`. */
  async listen() {
    const { host } = this.#options;
    try {
      this.#server.listen(this.#port, host);
      await once3(this.#server, 'listening');
    } catch (cause2) {
      throw listenError({ host, port: this.#port }, cause2);
    }
    this.#port = this.#server.address().port;
  }
  /** Stops listening and breaks every connection; the port is free when the promise resolves. */
  async close() {
    const server = this.#server;
    this.#server = this.#createServer();
    const closed = server.listening ? once3(server, 'close') : Promise.resolve();
    server.close();
    this.break();
    await closed;
  }
  /** Breaks the open connections. Returns their number. */
  break() {
    const { size } = this.#connections;
    for (const { socket } of this.#connections) socket.destroy();
    this.#connections.clear();
    return size;
  }
  /**
   * Makes the open connections half-open: they stay open, and the clients receive no byte. Returns their number and a
   * function that closes them.
   */
  silence() {
    const silenced = [...this.#connections];
    for (const connection of silenced) connection.silence();
    const close = () => silenced.forEach(({ socket }) => socket.destroy());
    return { connections: silenced.length, close };
  }
  #createServer() {
    const { tls } = this.#options;
    if (tls !== void 0) return this.#createSecureServer(tls);
    const server = createServer(limits2, this.#handle);
    server.on('connection', (socket) => {
      this.#hold({ socket, silence: () => socket.cork() });
    });
    return server;
  }
  #createSecureServer(tls) {
    const { clientCa } = this.#options;
    const clients = clientCa !== void 0 && {
      ca: clientCa,
      requestCert: true,
      rejectUnauthorized: false,
    };
    const options = { ...http2Limits, ...tls, ...clients, allowHTTP1: true };
    const handle = this.#handle;
    const server = Object.assign(createSecureServer(options, handle), limits2);
    gate(server, (socket, gated) => this.#hold({ socket, silence: () => gated.silence() }));
    return server;
  }
  /** Holds the raw socket, also during a TLS handshake. */
  #hold(connection) {
    const { socket } = connection;
    socket.setNoDelay(true);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
};
function gate(server, onConnection) {
  const handshakes = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket) => {
    const gated = new GatedSocket(socket);
    onConnection(socket, gated);
    for (const handshake of handshakes) handshake.call(server, gated);
  });
}
function listenError(facts, cause2) {
  const inUse = cause2.code === 'EADDRINUSE';
  return new ApiServerError(inUse ? 'PORT_IN_USE' : 'LISTEN_FAILED', facts, { cause: cause2 });
}

// packages/apiserver/src/http/self-signed-certificate.ts
import { isIP as isIP9 } from 'node:net';
var VALIDITY_DAYS = 365;
async function selfSignedCertificate(hosts) {
  const { generate } = await import('selfsigned');
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: 'keelson-apiserver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // A client whose clock is slow must not find the certificate not yet valid.
    notBeforeDate: new Date(now - 36e5),
    notAfterDate: new Date(now + VALIDITY_DAYS * 864e5),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: hosts.map(altName) },
    ],
  });
  return { cert: made.cert, key: made.private };
}
function altName(host) {
  return isIP9(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host };
}

// packages/apiserver/src/server/kubeconfig.ts
function kubeconfigText({ server, token, ca }) {
  const authority =
    ca === void 0
      ? ''
      : `
      certificate-authority-data: ${Buffer.from(ca).toString('base64')}`;
  return `apiVersion: v1
kind: Config
clusters:
  - name: keelson
    cluster:
      server: ${server}${authority}
users:
  - name: keelson
    user:
      token: ${token}
contexts:
  - name: keelson
    context:
      cluster: keelson
      user: keelson
current-context: keelson
`;
}

// packages/apiserver/src/server/stats.ts
import { EventEmitter as EventEmitter3 } from 'eventemitter3';
var Stats = class {
  #hub;
  #counts = /* @__PURE__ */ new Map();
  /** Keyed by resource name, so that the counts do not retain the store of a removed definition. */
  #writes = /* @__PURE__ */ new Map();
  #events = new EventEmitter3();
  #failures;
  #total = 0;
  constructor(storage, hub, failures2) {
    this.#hub = hub;
    this.#failures = failures2;
    storage.onChange((store) => {
      const name = nameOf2(store);
      this.#writes.set(name, (this.#writes.get(name) ?? 0) + 1);
    });
  }
  /** Requests for resources within a scope; without a scope, all requests. */
  requests(scope) {
    if (scope === void 0) return this.#total;
    return this.#sum((counted4) => isInScope(scope, counted4.info));
  }
  lists(resource) {
    return this.requests({ verb: 'list', ...(resource && { resource }) });
  }
  /** Watch requests since the start; `openWatches` counts the open ones. */
  watches(resource) {
    return this.requests({ verb: 'watch', ...(resource && { resource }) });
  }
  /** Watch requests with initial events (WatchList). */
  watchLists(resource) {
    const scope = { verb: 'watch', ...(resource && { resource }) };
    return this.#sum((counted4) => counted4.initialEvents && isInScope(scope, counted4.info));
  }
  openWatches(resource) {
    const scope = resource === void 0 ? {} : { resource };
    return this.#hub.all().filter(({ info }) => isInScope(scope, info)).length;
  }
  /** Writes that created a new resourceVersion. */
  changes(resource) {
    return this.#writes.get(nameOf2(resource)) ?? 0;
  }
  /**
   * Background work that failed and waits for a retry. It is work of the garbage collector, of namespaces and of
   * definitions. A cause is an object that refuses every update, or one that is too large to be marked as deleted.
   */
  backgroundFailures() {
    return this.#failures();
  }
  /** Resets all counts to 0. Open watches stay open. */
  reset() {
    this.#counts.clear();
    this.#writes.clear();
    this.#total = 0;
  }
  /** Counts a request. @internal */
  count({ info, query }) {
    this.#total++;
    if (info.type === 'resource') {
      const initialEvents = isTrue(query.get('sendInitialEvents'));
      const { verb, group: group2, version, resource, subresource, namespace } = info;
      const key = [verb, group2, version, resource, subresource, namespace, initialEvents].join(
        ' ',
      );
      const known2 = this.#counts.get(key);
      if (known2 === void 0) this.#counts.set(key, { info, initialEvents, count: 1 });
      else known2.count++;
    }
    this.#events.emit('count');
  }
  /** Calls the listener after each counted request. @internal */
  onCount(listener) {
    this.#events.on('count', listener);
    return () => this.#events.off('count', listener);
  }
  #sum(matches) {
    return [...this.#counts.values()]
      .filter(matches)
      .reduce((sum, counted4) => sum + counted4.count, 0);
  }
};
function nameOf2({ group: group2, plural: plural2 }) {
  return `${plural2}.${group2}`;
}

// packages/apiserver/src/storage/storage.ts
import { EventEmitter as EventEmitter4 } from 'eventemitter3';

// packages/apiserver/src/storage/byte-arena.ts
var SLAB_BYTES = 1024 * 1024;
var LARGE_BYTES = 64 * 1024;
var ByteArena = class {
  #slab;
  #used = 0;
  /** Copies the UTF-8 bytes of a string into a block. */
  store(text3) {
    const length = Buffer.byteLength(text3);
    const bytes = length >= LARGE_BYTES ? Buffer.allocUnsafeSlow(length) : this.#take(length);
    bytes.write(text3);
    return bytes;
  }
  #take(length) {
    if (this.#slab === void 0 || this.#used + length > SLAB_BYTES) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    const bytes = this.#slab.subarray(this.#used, this.#used + length);
    this.#used += length;
    return bytes;
  }
};

// packages/apiserver/src/storage/revision-log.ts
var RevisionLog = class {
  #bounds;
  #forgotten;
  #changes = [];
  /** Bytes of the objects in `#changes`. */
  #bytes = 0;
  /** Position of `#changes[0]`. */
  #first = 0;
  #compacted;
  constructor(compacted, { bounds, forgotten = () => {} }) {
    this.#compacted = compacted;
    this.#bounds = bounds;
    this.#forgotten = forgotten;
  }
  /** The oldest revision after which a reader can resume; earlier changes have been dropped. */
  get compacted() {
    return this.#compacted;
  }
  /** The position after the last change. */
  get end() {
    return this.#first + this.#changes.length;
  }
  append(change) {
    const { changes, bytes } = this.#bounds;
    this.#changes.push(change);
    this.#bytes += sizeOf2(change);
    if (this.#changes.length >= 2 * changes) this.#drop(this.#changes.length - changes);
    if (this.#bytes > bytes) this.#drop(this.#countBeyond((bytes * 3) / 4));
  }
  /** Returns how many of the oldest changes must be dropped so that the others have at most `most` bytes. */
  #countBeyond(most) {
    let count7 = 0;
    for (let bytes = this.#bytes; bytes > most && count7 < this.#changes.length - 1; count7++) {
      bytes -= sizeOf2(this.#changes[count7]);
    }
    return count7;
  }
  /** Returns the change at a position; `undefined` if it has been dropped or not been written. */
  at(position) {
    return this.#changes[position - this.#first];
  }
  /** Returns the position of the first change after a revision. */
  positionAfter(revision) {
    let from = 0;
    let to = this.#changes.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) from = middle + 1;
      else to = middle;
    }
    return this.#first + from;
  }
  /** True until the change at the position is dropped. */
  holds(position) {
    return position >= this.#first;
  }
  /** Drops all changes up to and including a revision. */
  compact(revision) {
    this.#drop(this.positionAfter(revision) - this.#first);
    this.#compacted = Math.max(this.#compacted, revision);
  }
  #drop(count7) {
    this.#compacted = Math.max(this.#compacted, this.#changes[count7 - 1]?.revision ?? 0);
    for (const change of this.#changes.slice(0, count7)) {
      this.#bytes -= sizeOf2(change);
      this.#forgotten(change);
    }
    this.#changes = this.#changes.slice(count7);
    this.#first += count7;
  }
};
function sizeOf2(change) {
  return change?.object.bytes.length ?? 0;
}

// packages/apiserver/src/storage/resource-store.ts
var MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;
var ResourceStore = class {
  group;
  plural;
  log;
  #context;
  #selectable;
  #objects = /* @__PURE__ */ new Map();
  #keys = new SortedKeys();
  #arena = new ByteArena();
  constructor(name, context, selectable) {
    this.group = name.group;
    this.plural = name.plural;
    this.#context = context;
    this.#selectable = selectable;
    this.log = new RevisionLog(context.revision(), {
      bounds: context.history,
      forgotten: ({ object }) => {
        if (this.#objects.get(object.key) === object) object.moveToOwnBlock();
      },
    });
  }
  get size() {
    return this.#objects.size;
  }
  /** The newest revision that a read of this store reflects. */
  get revision() {
    return this.#context.revision();
  }
  get(key) {
    return this.#objects.get(key);
  }
  values() {
    return this.#objects.values();
  }
  /**
   * Creates or replaces an object and sets its `resourceVersion` to the new revision. Throws 500 if the object is too
   * large.
   */
  put(object) {
    const revision = this.#context.revision() + 1;
    object.metadata.resourceVersion = String(revision);
    const stored = new StoredObject(object, revision, this.#selectable(object), this.#arena);
    if (stored.bytes.length > MAX_OBJECT_BYTES) throw tooLargeToStore();
    this.#context.advance();
    const previous = this.#objects.get(stored.key);
    this.#objects.set(stored.key, stored);
    if (previous === void 0) this.#keys.add(stored.key);
    const type = previous === void 0 ? 'ADDED' : 'MODIFIED';
    this.#record({ type, revision, object: stored, previous });
    return stored;
  }
  /** Removes an object and returns its last state with the revision of the removal. */
  remove(stored) {
    const revision = this.#context.advance();
    const object = stored.at(revision, this.#arena);
    this.#objects.delete(stored.key);
    this.#keys.remove(stored.key);
    this.#record({ type: 'DELETED', revision, object, previous: stored });
    return object;
  }
  /**
   * Replaces the selectable fields. Present objects are indexed again and keep their revision; past changes keep their
   * values.
   */
  selectBy(selectable) {
    this.#selectable = selectable;
    for (const [key, stored] of this.#objects) {
      const object = stored.parse();
      this.#objects.set(key, new StoredObject(object, stored.revision, selectable(object)));
    }
  }
  /** Returns the object that `put` would store, without storing it. */
  draft(object) {
    const revision = this.#objects.get(keyOfMetadata(object.metadata))?.revision ?? 0;
    return new StoredObject(object, revision, this.#selectable(object));
  }
  /** Returns the objects at a revision that the log covers. Default: the newest revision. */
  snapshot(revision = this.revision) {
    const earlier = this.#statesBefore(revision);
    if (earlier.size === 0) {
      return { revision, keys: this.#keys.all(), get: (key) => this.#objects.get(key) };
    }
    const get = (key) => (earlier.has(key) ? earlier.get(key) : this.#objects.get(key));
    const keys = /* @__PURE__ */ new Set([...this.#keys.all(), ...earlier.keys()]);
    const present = [...keys].filter((key) => get(key) !== void 0).toSorted(byCodeUnit);
    return { revision, keys: present, get };
  }
  /** Returns the state at a revision of every object that changed after it. */
  #statesBefore(revision) {
    const states = /* @__PURE__ */ new Map();
    for (let at2 = this.log.end - 1; at2 >= this.log.positionAfter(revision); at2--) {
      const change = this.log.at(at2);
      if (change !== void 0) states.set(change.object.key, change.previous);
    }
    return states;
  }
  #record(change) {
    this.log.append(change);
    this.#context.changed(this, change);
  }
};

// packages/apiserver/src/storage/storage.ts
var Storage = class {
  #history;
  #stores = /* @__PURE__ */ new Set();
  #events = new EventEmitter4();
  #revision = 1;
  constructor(history) {
    this.#history = history;
  }
  get revision() {
    return this.#revision;
  }
  createStore(name, selectable) {
    const context = {
      revision: () => this.#revision,
      advance: () => ++this.#revision,
      changed: (store2, change) => void this.#events.emit('change', store2, change),
      history: this.#history,
    };
    const store = new ResourceStore(name, context, selectable);
    this.#stores.add(store);
    return store;
  }
  dropStore(store) {
    this.#stores.delete(store);
  }
  stores() {
    return this.#stores;
  }
  /** Makes all revisions before this one unreadable; reads of them get 410. */
  compact(revision = this.#revision) {
    for (const store of this.#stores) store.log.compact(revision);
  }
  /** Calls the listener after every change. Returns a function that removes the listener. */
  onChange(listener) {
    this.#events.on('change', listener);
    return () => this.#events.off('change', listener);
  }
};

// packages/apiserver/src/watch/watch-hub.ts
import { EventEmitter as EventEmitter5 } from 'eventemitter3';
var WatchHub = class {
  #watches = /* @__PURE__ */ new Set();
  #byStore = /* @__PURE__ */ new Map();
  #events = new EventEmitter5();
  constructor(storage) {
    storage.onChange((store) => {
      for (const stream of this.#byStore.get(store) ?? []) stream.wake();
    });
  }
  /** Starts a stream and holds it until it ends. */
  open(watch) {
    const { stream } = watch;
    const { store } = watch.resource;
    const streams2 = this.#byStore.get(store) ?? /* @__PURE__ */ new Set();
    this.#byStore.set(store, streams2.add(stream));
    this.#watches.add(watch);
    stream.start(() => {
      this.#watches.delete(watch);
      streams2.delete(stream);
      if (streams2.size === 0) this.#byStore.delete(store);
      this.#events.emit('count');
    });
    this.#events.emit('count');
  }
  all() {
    return [...this.#watches];
  }
  of(resource) {
    return this.all().filter((watch) => watch.resource === resource);
  }
  /** Calls the listener when a watch has opened or ended. */
  onCount(listener) {
    this.#events.on('count', listener);
    return () => this.#events.off('count', listener);
  }
};

// packages/apiserver/src/server/api-server.ts
var ApiServer = class {
  faults;
  stats;
  #settings;
  #tls;
  #storage;
  #hub;
  #listener;
  #plane;
  /** The administrator's token. */
  #token = newToken();
  #closed = Promise.withResolvers();
  #isClosed = false;
  /** Use `createApiServer`. @internal */
  constructor(settings, tls) {
    this.#settings = settings;
    this.#tls = tls;
    this.#storage = new Storage({ changes: settings.historyLimit, bytes: settings.historyBytes });
    this.#hub = new WatchHub(this.#storage);
    this.stats = new Stats(this.#storage, this.#hub, () => this.#plane.work.failures());
    this.#listener = new HttpListener(
      {
        host: settings.host,
        port: settings.port,
        clientCa: settings.clientCa,
        ...(tls && { tls }),
      },
      (incoming, response2) => void this.#plane.pipeline.handle(incoming, response2),
    );
    this.faults = new Faults({
      hub: this.#hub,
      stopListening: () => this.#listener.close(),
      breakConnections: () => this.#listener.break(),
      silence: () => this.#listener.silence(),
      listenAgain: () => (this.#isClosed ? Promise.resolve() : this.#listener.listen()),
    });
    this.#plane = this.#createPlane();
    this.#closed.promise.catch(() => {});
  }
  /** Starts listening. @internal */
  listen() {
    return this.#listener.listen();
  }
  get port() {
    return this.#listener.port;
  }
  /** The base URL, such as `http://127.0.0.1:PORT`. */
  get url() {
    return `${this.#tls === void 0 ? 'http' : 'https'}://${this.#address()}`;
  }
  /** Address of the server with the administrator's token. */
  get cluster() {
    const tls = this.#tls && { ca: this.#tls.cert };
    return { server: this.url, token: this.#token, ...(tls && { tls }) };
  }
  /** Adds a user and returns the connection data with its new token. Use it for clients with limited permissions. */
  addUser(user) {
    const token = newToken();
    this.#plane.users.add(token, user);
    return { ...this.cluster, token };
  }
  /**
   * Issues a token of a service account with any lifetime, also below the 10 minutes that a TokenRequest allows. Throws
   * a 404 `StatusError` if the account does not exist.
   */
  issueToken({ expiresIn, ...account }) {
    const lifetime = parseDuration4(expiresIn, 'issueToken.expiresIn');
    return this.#plane.issueToken({ ...account, lifetime });
  }
  /**
   * Returns the distinct accesses that a user needed since the start, by its own requests and by impersonation of it;
   * `undefined` if it sent no request. A request counts also if it was refused, failed by a fault, or found no object.
   */
  observedAccesses(user) {
    return this.#plane.accesses.of(user);
  }
  /** The names of the users that sent requests. */
  get observedUsers() {
    return this.#plane.accesses.users;
  }
  /** Returns a kubeconfig in YAML with the administrator's token. */
  kubeconfig() {
    return kubeconfigText({ server: this.url, token: this.#token, ca: this.#tls?.cert });
  }
  /** The newest resourceVersion of the server. */
  get resourceVersion() {
    return String(this.#storage.revision);
  }
  /**
   * Expires all resourceVersions before this one (default: the newest). Lists, watches and continue tokens of older
   * versions get 410.
   */
  compact(resourceVersion) {
    this.#storage.compact(resourceVersion === void 0 ? void 0 : Number(resourceVersion));
  }
  /**
   * Creates objects as create requests would, without HTTP. Each needs `apiVersion`, `kind` and a name; its namespace
   * must exist. Throws `RESOURCE_NOT_SERVED`.
   */
  seed(objects) {
    const { registry, writer } = this.#plane;
    for (const object of objects) {
      const { apiVersion: apiVersion2 = '', kind = '' } = object;
      const resource = registry.byKind(apiVersion2, kind);
      if (resource === void 0)
        throw new ApiServerError('RESOURCE_NOT_SERVED', { apiVersion: apiVersion2, kind });
      const complete2 = structuredClone({ metadata: {}, ...object });
      resource.schema.decode(complete2);
      resource.schema.setDefaults(complete2);
      writer.create(resource, complete2, { options: { dryRun: false, fieldManager: 'seed' } });
    }
  }
  /** Returns a stored object without a request; `undefined` if it does not exist. */
  object(resource, name) {
    const served = this.#plane.registry.find(resource);
    const stored = served?.store.get(keyOfMetadata(name));
    return stored && served?.read(stored);
  }
  /** Resolves when at least `count` watches of a resource are open. */
  watchers(resource, count7) {
    return this.#waitUntil(
      () => this.stats.openWatches(resource) >= count7,
      (check3) => this.#hub.onCount(check3),
    );
  }
  /** Resolves when no watch of a resource is open. */
  unwatched(resource) {
    return this.#waitUntil(
      () => this.stats.openWatches(resource) === 0,
      (check3) => this.#hub.onCount(check3),
    );
  }
  /** Resolves when `count` requests within a scope have arrived since the start or the last `stats.reset()`. */
  requested(scope, count7) {
    return this.#waitUntil(
      () => this.stats.requests(scope) >= count7,
      (check3) => this.stats.onCount(check3),
    );
  }
  /**
   * Resolves when no request is being handled and the controllers inside the server are idle. Failed background work is
   * retried once and does not delay it, see `stats.backgroundFailures()`.
   */
  async idle() {
    const { pipeline, work } = this.#plane;
    work.retry();
    do {
      await Promise.race([work.idle(), this.#closed.promise]);
      await this.#waitUntil(
        () => pipeline.running === 0,
        (check3) => pipeline.onIdle(check3),
      );
    } while (work.isBusy);
  }
  /** Ends all connections and frees the port. A second call has no effect. */
  async close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.faults.clear();
    this.#plane.close();
    for (const { stream } of this.#hub.all()) stream.cut();
    this.#closed.reject(new ApiServerError('SERVER_CLOSED'));
    await this.#listener.close();
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
  #createPlane() {
    const administrator = { name: 'kubernetes-admin', groups: [mastersGroup] };
    return new ControlPlane({
      settings: this.#settings,
      tokens: new Map([...this.#settings.tokens, [this.#token, administrator]]),
      storage: this.#storage,
      hub: this.#hub,
      stats: this.stats,
      faults: this.faults,
      address: () => this.#address(),
    });
  }
  #address() {
    const { host } = this.#settings;
    return `${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }
  #waitUntil(condition, subscribe) {
    return waitUntil(condition, subscribe, this.#closed.promise);
  }
};
async function createApiServer(options = {}) {
  const settings = serverSettings(options);
  const server = new ApiServer(settings, await tlsMaterial(settings));
  await server.listen();
  return server;
}
function newToken() {
  return randomBytes2(24).toString('base64url');
}
async function tlsMaterial({ tls, host }) {
  if (tls === false) return void 0;
  if (tls !== true) return tls;
  return selfSignedCertificate([.../* @__PURE__ */ new Set([host, 'localhost', '127.0.0.1'])]);
}

// packages/apiserver/src/auth/token-file.ts
function parseTokenFile(text3) {
  const users = /* @__PURE__ */ new Map();
  for (const [index, line] of text3.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const [token = '', name = '', uid = '', groups = ''] = cellsOf(line);
    if (token === '' || name === '' || users.has(token)) {
      throw new ApiServerError('TOKEN_FILE_INVALID', { line: index + 1 });
    }
    users.set(token, {
      name,
      uid,
      groups: groups
        .split(',')
        .map((group2) => group2.trim())
        .filter((group2) => group2 !== ''),
    });
  }
  return users;
}
function cellsOf(line) {
  const cell = /(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g;
  return [...line.matchAll(cell)].map(([, quoted4, bare = '']) =>
    quoted4 === void 0 ? bare.trim() : quoted4.replaceAll('""', '"'),
  );
}
export { ApiServer, ApiServerError, apiserverErrors, createApiServer, parseTokenFile };
//# sourceMappingURL=index.js.map
