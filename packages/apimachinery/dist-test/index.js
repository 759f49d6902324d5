// packages/apimachinery/src/objects/mutable-copy.ts
function mutableCopy(object) {
  return copyOf(object);
}
function copyOf(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlain(value)) return structuredClone(value);
  const copy = {};
  for (const [key, member] of Object.entries(value)) put(copy, key, copyOf(member));
  return copy;
}
function put(copy, key, value) {
  if (key !== '__proto__') copy[key] = value;
  else {
    Object.defineProperty(copy, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// packages/apimachinery/src/coded-error.ts
var CodedError = class extends Error {
  name = 'CodedError';
  code;
  facts;
  constructor(code2, message, facts = {}, options = {}) {
    super(withFacts(message, facts), options);
    this.code = code2;
    this.facts = facts;
  }
};
function hasCode(error, code2) {
  return error instanceof Error && 'code' in error && error.code === code2;
}
function withFacts(message, facts) {
  const known = Object.entries(facts).filter(([, value]) => value !== void 0);
  const parts = known.map(([key, value]) => `${key}=${format(value)}`);
  return parts.length === 0 ? message : `${message} (${parts.join(', ')})`;
}
function format(value) {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return typeof value;
  }
}

// packages/apimachinery/src/errors.ts
var apimachineryErrors = {
  ALREADY_CONTROLLED: 'the object has another controller',
  API_STATUS: 'the API server responded with an error',
  FRAME_TOO_LARGE: 'an object of a response is too large',
  INVALID_FIELD_SELECTOR: 'the field selector is invalid',
  INVALID_LABEL_SELECTOR: 'the label selector is invalid',
  INVALID_NAME: 'the name is invalid',
  INVALID_OPTION: 'the option is invalid',
  INVALID_OWNER: 'the owner is invalid',
  MALFORMED_LIST: 'the list response is malformed',
  MALFORMED_OBJECT: 'the object is malformed',
  MALFORMED_WATCH_EVENT: 'the watch event is malformed',
  TRUNCATED_RESPONSE: 'the response is truncated',
  UNKNOWN_EVENT_TYPE: 'the watch event has an unknown type',
  UNSUPPORTED_RUNTIME: 'the runtime is not supported',
};

// packages/apimachinery/src/objects/name.ts
var labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
var qualifiedPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
function isDnsLabel(text2) {
  return text2.length <= 63 && labelPattern.test(text2);
}
function isDnsSubdomain(text2) {
  return text2.length <= 253 && text2.split('.').every((part) => labelPattern.test(part));
}
function labelKeyProblem(key) {
  const parts = key.split('/');
  if (parts.length > 2) return 'a key has at most one "/"';
  const name = parts.at(-1) ?? '';
  if (parts.length === 2 && !isDnsSubdomain(parts[0] ?? '')) {
    return 'the prefix of a key is a DNS subdomain';
  }
  return name.length <= 63 && qualifiedPattern.test(name)
    ? void 0
    : 'the name of a key has 1 to 63 characters of A-Z a-z 0-9 - _ . and begins and ends alphanumeric';
}
function labelValueProblem(value) {
  return value === '' || (value.length <= 63 && qualifiedPattern.test(value))
    ? void 0
    : 'a value has up to 63 characters of A-Z a-z 0-9 - _ . and begins and ends alphanumeric';
}
var LOWER_A = 97;
var LOWER_Z = 122;
var ZERO = 48;
var NINE = 57;
var HYPHEN = 45;
var DOT = 46;
var MAX_NAME_LENGTH = 253;
function objectNameProblem(name) {
  if (name === '') return 'must not be empty';
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  if (isOrdinaryName(name)) return void 0;
  if (name === '.' || name === '..') return 'must not be "." or ".."';
  if (/[/%\u0000-\u001f\u007f]/.test(name))
    return 'must not contain "/", "%" or control characters';
  return name.isWellFormed() ? void 0 : 'must be well-formed Unicode';
}
function isOrdinaryName(name) {
  for (let index = 0; index < name.length; index += 1) {
    const code2 = name.charCodeAt(index);
    const isAlphanumeric =
      (code2 >= LOWER_A && code2 <= LOWER_Z) || (code2 >= ZERO && code2 <= NINE);
    const isPunctuation = index > 0 && (code2 === HYPHEN || code2 === DOT);
    if (!isAlphanumeric && !isPunctuation) return false;
  }
  return true;
}
function checkNamespace(namespace) {
  if (typeof namespace !== 'string' || !isDnsLabel(namespace))
    throw invalidName('namespace', namespace, 'must be a DNS-1123 label');
}
function checkName(name) {
  if (!isDnsSubdomain(name)) throw invalidName('name', name, 'must be a DNS-1123 subdomain');
}
function invalidName(what, value, reason) {
  return new CodedError('INVALID_NAME', apimachineryErrors.INVALID_NAME, { what, value, reason });
}

// packages/apimachinery/src/option.ts
function invalidOption(option, reason, facts = {}) {
  return new CodedError('INVALID_OPTION', apimachineryErrors.INVALID_OPTION, {
    option,
    reason,
    ...facts,
  });
}
function checkFunction(value, option) {
  if (typeof value !== 'function') throw invalidOption(option, 'must be a function');
}
function checkFlag(value, option) {
  if (value !== void 0 && typeof value !== 'boolean') {
    throw invalidOption(option, 'must be true or false');
  }
}
function checkCount(value, option) {
  if (!Number.isSafeInteger(value) || Number(value) < 1) {
    throw invalidOption(option, 'must be a whole number from 1');
  }
}
function checkMethods(value, methods, option) {
  const members = membersOf(value, option);
  for (const method of methods) {
    if (typeof members[method] !== 'function') {
      throw invalidOption(option, `has no method ${method}`);
    }
  }
}
function checkObserver(value, methods, option) {
  if (value === void 0) return;
  const members = membersOf(value, option);
  const given = methods.filter((method) => members[method] !== void 0);
  for (const method of given) checkFunction(members[method], `${option}.${method}`);
}
function backoffDelays(given, defaults, option) {
  const { base = Math.min(defaults.base, given.max ?? Infinity) } = given;
  const { max = Math.max(defaults.max, base) } = given;
  if (base > max) throw invalidOption(`${option}.base`, 'must not be above max', { base, max });
  return { base, max };
}
function checkSignal(signal, option) {
  if (signal === void 0) return;
  const { aborted } = signal ?? {};
  if (typeof aborted !== 'boolean') {
    throw invalidOption(option, 'must be an AbortSignal, not its controller');
  }
}
function membersOf(value, option) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidOption(option, 'must be an object');
  }
  return value;
}
function checkOptions(options, known, where, cures = {}) {
  membersOf(options, where);
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      const cure = Object.hasOwn(cures, name) ? { cure: cures[name] } : {};
      const facts = { ...cure, known: known.join(' ') };
      throw invalidOption(`${where}.${name}`, 'unknown option', facts);
    }
  }
}

// packages/apimachinery/src/objects/api-resource.ts
function apiVersionOf(resource) {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}
function resourceId(resource) {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}
var optionNames = ['group', 'version', 'kind', 'plural', 'scope'];
function defineResource(options) {
  checkOptions(options, optionNames, 'defineResource', { namespaced: "use `scope: 'Cluster'`" });
  const { group, version, kind, plural, scope = 'Namespaced' } = options;
  check('group', group, 'a DNS subdomain, or "" for the core group', isGroup);
  check('version', version, 'a DNS label such as "v1"', isDnsLabel);
  check('kind', kind, 'a CamelCase name such as "WebApp"', isKind);
  check('plural', plural, 'a lower-case name such as "webapps"', isDnsLabel);
  if (scope !== 'Namespaced' && scope !== 'Cluster') {
    throw invalidOption('defineResource.scope', 'must be Namespaced or Cluster');
  }
  return Object.freeze({ group, version, kind, plural, namespaced: scope === 'Namespaced' });
}
function check(option, value, expected, accepts) {
  if (typeof value !== 'string' || !accepts(value)) {
    const facts = value === void 0 ? {} : { value };
    throw invalidOption(`defineResource.${option}`, `must be ${expected}`, facts);
  }
}
function isGroup(group) {
  return group === '' || isDnsSubdomain(group);
}
function isKind(kind) {
  return /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind);
}

// packages/apimachinery/src/objects/builtin.ts
var core = kindsOf('', 'v1');
var apps = kindsOf('apps', 'v1');
var batch = kindsOf('batch', 'v1');
var networking = kindsOf('networking.k8s.io', 'v1');
var policy = kindsOf('policy', 'v1');
var rbac = kindsOf('rbac.authorization.k8s.io', 'v1');
var storage = kindsOf('storage.k8s.io', 'v1');
var autoscaling = kindsOf('autoscaling', 'v2');
var coordination = kindsOf('coordination.k8s.io', 'v1');
var coordinationBeta = kindsOf('coordination.k8s.io', 'v1beta1');
var events = kindsOf('events.k8s.io', 'v1');
var apiextensions = kindsOf('apiextensions.k8s.io', 'v1');
var admission = kindsOf('admissionregistration.k8s.io', 'v1');
var discovery = kindsOf('discovery.k8s.io', 'v1');
var authentication = kindsOf('authentication.k8s.io', 'v1');
var authorization = kindsOf('authorization.k8s.io', 'v1');
var clusterScoped = { scope: 'Cluster' };
var builtin = {
  // v1
  Binding: core('Binding', 'bindings'),
  ComponentStatus: core('ComponentStatus', 'componentstatuses', clusterScoped),
  ConfigMap: core('ConfigMap', 'configmaps'),
  Endpoints: core('Endpoints', 'endpoints'),
  Event: core('Event', 'events'),
  LimitRange: core('LimitRange', 'limitranges'),
  Namespace: core('Namespace', 'namespaces', clusterScoped),
  Node: core('Node', 'nodes', clusterScoped),
  PersistentVolumeClaim: core('PersistentVolumeClaim', 'persistentvolumeclaims'),
  PersistentVolume: core('PersistentVolume', 'persistentvolumes', clusterScoped),
  Pod: core('Pod', 'pods'),
  PodTemplate: core('PodTemplate', 'podtemplates'),
  ReplicationController: core('ReplicationController', 'replicationcontrollers'),
  ResourceQuota: core('ResourceQuota', 'resourcequotas'),
  Secret: core('Secret', 'secrets'),
  ServiceAccount: core('ServiceAccount', 'serviceaccounts'),
  Service: core('Service', 'services'),
  // apps/v1
  ControllerRevision: apps('ControllerRevision', 'controllerrevisions'),
  DaemonSet: apps('DaemonSet', 'daemonsets'),
  Deployment: apps('Deployment', 'deployments'),
  ReplicaSet: apps('ReplicaSet', 'replicasets'),
  StatefulSet: apps('StatefulSet', 'statefulsets'),
  // batch/v1
  CronJob: batch('CronJob', 'cronjobs'),
  Job: batch('Job', 'jobs'),
  // networking.k8s.io/v1
  IngressClass: networking('IngressClass', 'ingressclasses', clusterScoped),
  Ingress: networking('Ingress', 'ingresses'),
  IPAddress: networking('IPAddress', 'ipaddresses', clusterScoped),
  NetworkPolicy: networking('NetworkPolicy', 'networkpolicies'),
  ServiceCIDR: networking('ServiceCIDR', 'servicecidrs', clusterScoped),
  // policy/v1
  PodDisruptionBudget: policy('PodDisruptionBudget', 'poddisruptionbudgets'),
  // rbac.authorization.k8s.io/v1
  ClusterRoleBinding: rbac('ClusterRoleBinding', 'clusterrolebindings', clusterScoped),
  ClusterRole: rbac('ClusterRole', 'clusterroles', clusterScoped),
  RoleBinding: rbac('RoleBinding', 'rolebindings'),
  Role: rbac('Role', 'roles'),
  // storage.k8s.io/v1
  CSIDriver: storage('CSIDriver', 'csidrivers', clusterScoped),
  CSINode: storage('CSINode', 'csinodes', clusterScoped),
  CSIStorageCapacity: storage('CSIStorageCapacity', 'csistoragecapacities'),
  StorageClass: storage('StorageClass', 'storageclasses', clusterScoped),
  VolumeAttachment: storage('VolumeAttachment', 'volumeattachments', clusterScoped),
  VolumeAttributesClass: storage('VolumeAttributesClass', 'volumeattributesclasses', clusterScoped),
  // autoscaling/v2
  HorizontalPodAutoscaler: autoscaling('HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
  // coordination.k8s.io/v1
  Lease: coordination('Lease', 'leases'),
  // coordination.k8s.io/v1beta1
  LeaseCandidate: coordinationBeta('LeaseCandidate', 'leasecandidates'),
  // events.k8s.io/v1
  EventsV1Event: events('Event', 'events'),
  // apiextensions.k8s.io/v1
  CustomResourceDefinition: apiextensions(
    'CustomResourceDefinition',
    'customresourcedefinitions',
    clusterScoped,
  ),
  // admissionregistration.k8s.io/v1
  MutatingAdmissionPolicy: admission(
    'MutatingAdmissionPolicy',
    'mutatingadmissionpolicies',
    clusterScoped,
  ),
  MutatingAdmissionPolicyBinding: admission(
    'MutatingAdmissionPolicyBinding',
    'mutatingadmissionpolicybindings',
    clusterScoped,
  ),
  MutatingWebhookConfiguration: admission(
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    clusterScoped,
  ),
  ValidatingAdmissionPolicy: admission(
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    clusterScoped,
  ),
  ValidatingAdmissionPolicyBinding: admission(
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    clusterScoped,
  ),
  ValidatingWebhookConfiguration: admission(
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    clusterScoped,
  ),
  // discovery.k8s.io/v1
  EndpointSlice: discovery('EndpointSlice', 'endpointslices'),
  // authentication.k8s.io/v1
  SelfSubjectReview: authentication('SelfSubjectReview', 'selfsubjectreviews', clusterScoped),
  TokenReview: authentication('TokenReview', 'tokenreviews', clusterScoped),
  // authorization.k8s.io/v1
  LocalSubjectAccessReview: authorization('LocalSubjectAccessReview', 'localsubjectaccessreviews'),
  SelfSubjectAccessReview: authorization(
    'SelfSubjectAccessReview',
    'selfsubjectaccessreviews',
    clusterScoped,
  ),
  SelfSubjectRulesReview: authorization(
    'SelfSubjectRulesReview',
    'selfsubjectrulesreviews',
    clusterScoped,
  ),
  SubjectAccessReview: authorization('SubjectAccessReview', 'subjectaccessreviews', clusterScoped),
};
function kindsOf(group, version) {
  return (kind, plural, scoped) => {
    const token = defineResource({ group, version, kind, plural, ...scoped });
    return token;
  };
}

// packages/apimachinery/src/objects/object-key.ts
function objectKey(name) {
  return name.namespace === void 0 || name.namespace === ''
    ? name.name
    : `${name.namespace}/${name.name}`;
}
function parseObjectKey(key) {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
function keyOf(object) {
  const { namespace, name = '' } = object.metadata ?? {};
  return objectKey({ namespace, name });
}

// packages/apimachinery/src/objects/owner.ts
function controllerOf(object) {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}
function isControlledBy(object, owner) {
  const uid = owner.metadata?.uid;
  return uid !== void 0 && controllerOf(object)?.uid === uid;
}
function refersToKind(reference, resource) {
  return reference.kind === resource.kind && groupOf(reference.apiVersion) === resource.group;
}
function ownerReferenceTo(owner, { controller, blockOwnerDeletion } = {}) {
  return {
    apiVersion: required(owner, 'apiVersion', owner.apiVersion),
    kind: required(owner, 'kind', owner.kind),
    name: required(owner, 'metadata.name', owner.metadata?.name),
    uid: required(owner, 'metadata.uid', owner.metadata?.uid),
    ...(controller !== void 0 && { controller }),
    ...(blockOwnerDeletion !== void 0 && { blockOwnerDeletion }),
  };
}
function setControllerReference(object, owner) {
  checkNamespaces(object, owner);
  const reference = ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true });
  const present = controllerOf(object);
  if (present !== void 0 && !refersToSameObject(present, reference)) {
    throw alreadyControlled(object, present);
  }
  const others = (object.metadata?.ownerReferences ?? []).filter(
    (other) => !refersToSameObject(other, reference),
  );
  return {
    ...object,
    metadata: { ...object.metadata, ownerReferences: [...others, reference] },
  };
}
function refersToSameObject(a, b) {
  return a.name === b.name && a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}
function groupOf(apiVersion) {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
function checkNamespaces(object, owner) {
  const ownerNamespace = owner.metadata?.namespace ?? '';
  if (ownerNamespace !== '' && ownerNamespace !== (object.metadata?.namespace ?? '')) {
    throw invalidOwner(owner, `an owner in a namespace owns only objects in it`, {
      object: keyOf(object),
    });
  }
}
function required(owner, member, value) {
  if (value === void 0 || value === '') throw invalidOwner(owner, `it has no ${member}`);
  return value;
}
function invalidOwner(owner, reason, facts = {}) {
  return new CodedError('INVALID_OWNER', apimachineryErrors.INVALID_OWNER, {
    owner: keyOf(owner),
    reason,
    ...facts,
  });
}
function alreadyControlled(object, { kind, name }) {
  return new CodedError('ALREADY_CONTROLLED', apimachineryErrors.ALREADY_CONTROLLED, {
    object: keyOf(object),
    controller: `${kind} ${name}`,
  });
}

// packages/apimachinery/src/objects/finalizer.ts
function isDeleting(object) {
  return object.metadata?.deletionTimestamp !== void 0;
}
function hasFinalizer(object, finalizer) {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}
function addFinalizer(object, finalizer) {
  const finalizers = object.metadata?.finalizers ?? [];
  return finalizers.includes(finalizer) ? [...finalizers] : [...finalizers, finalizer];
}
function removeFinalizer(object, finalizer) {
  return (object.metadata?.finalizers ?? []).filter((other) => other !== finalizer);
}

// packages/apimachinery/src/objects/condition.ts
function setCondition(conditions, condition, now = /* @__PURE__ */ new Date()) {
  checkCondition(conditions, condition, now);
  const list2 = conditions ?? [];
  const previous = findCondition(list2, condition.type);
  const lastTransitionTime =
    previous?.status === condition.status ? previous.lastTransitionTime : wireTime(now);
  const next = { ...condition, lastTransitionTime };
  return previous === void 0
    ? [...list2, next]
    : list2.map((other) => (other === previous ? next : other));
}
function findCondition(conditions, type) {
  return conditions?.find((condition) => condition.type === type);
}
function isConditionTrue(conditions, type) {
  return findCondition(conditions, type)?.status === 'True';
}
var STATUSES = /* @__PURE__ */ new Set(['True', 'False', 'Unknown']);
function checkCondition(conditions, condition, now) {
  const isList = conditions === void 0 || (Array.isArray(conditions) && conditions.every(isObject));
  if (!isList) throw invalidOption('setCondition.conditions', 'must be a list of conditions');
  if (!isObject(condition)) throw invalidOption('setCondition.condition', 'must be an object');
  for (const name of ['type', 'reason', 'message']) {
    if (typeof condition[name] !== 'string' || (name === 'type' && condition.type === '')) {
      throw invalidOption(`setCondition.condition.${name}`, 'must be a string');
    }
  }
  if (!STATUSES.has(condition.status)) {
    throw invalidOption('setCondition.condition.status', "must be 'True', 'False' or 'Unknown'");
  }
  if (!(now instanceof Date) || Number.isNaN(now.getTime())) {
    throw invalidOption('setCondition.now', 'must be a valid Date');
  }
}
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function wireTime(time2) {
  return time2.toISOString().replace(/\.\d+Z$/, 'Z');
}

// packages/apimachinery/src/objects/aggregate-conditions.ts
function aggregateConditions(conditions, options) {
  check2(conditions, options);
  const { type, of, reason = 'AllTrue', generation } = options;
  const parts = of.map((part) => partOf(findCondition(conditions, part), part, generation));
  const notTrue = parts.filter(({ status: status2 }) => status2 !== 'True');
  const first = notTrue.find(({ status: status2 }) => status2 === 'False') ?? notTrue[0];
  if (first === void 0) return { type, status: 'True', reason, message: '' };
  const status = first.status === 'False' ? 'False' : 'Unknown';
  const message = notTrue.map((part) => [part.type, part.message || part.status].join(': '));
  return { type, status, reason: first.reason || 'NotTrue', message: message.join('; ') };
}
function partOf(condition, type, generation) {
  const unknown = { type, status: 'Unknown' };
  if (condition === void 0) {
    return { ...unknown, reason: 'Missing', message: 'has not been determined' };
  }
  const { observedGeneration } = condition;
  const isOld =
    generation !== void 0 && observedGeneration !== void 0 && observedGeneration < generation;
  if (!isOld) return condition;
  return { ...unknown, reason: 'Outdated', message: 'was determined for an older generation' };
}
function check2(conditions, options) {
  const where = 'aggregateConditions';
  checkOptions(options, ['type', 'of', 'reason', 'generation'], where);
  if (conditions !== void 0 && !Array.isArray(conditions)) {
    throw invalidOption(`${where}.conditions`, 'must be a list of conditions');
  }
  const { type, of, reason, generation } = options;
  if (typeof type !== 'string' || type === '') {
    throw invalidOption(`${where}.type`, 'must be a string');
  }
  const isList = Array.isArray(of) && of.length > 0 && of.every((part) => typeof part === 'string');
  if (!isList) throw invalidOption(`${where}.of`, 'must be a list of condition types');
  if (reason !== void 0 && (typeof reason !== 'string' || reason === '')) {
    throw invalidOption(`${where}.reason`, 'must be a string');
  }
  if (generation !== void 0 && !Number.isSafeInteger(generation)) {
    throw invalidOption(`${where}.generation`, 'must be a whole number');
  }
}

// packages/apimachinery/src/selectors/label-requirement.ts
function normalRequirements(requirements) {
  const byText = /* @__PURE__ */ new Map();
  for (const { key, operator, values } of requirements) {
    const requirement = { key, operator, values: [...new Set(values)].toSorted(byCodeUnit) };
    byText.set(printRequirement(requirement), requirement);
  }
  return [...byText]
    .toSorted(([textA, a], [textB, b]) => byCodeUnit(a.key, b.key) || byCodeUnit(textA, textB))
    .map(([, requirement]) => requirement);
}
function printLabelSelector(requirements) {
  return requirements.map(printRequirement).join(',');
}
function printRequirement({ key, operator, values }) {
  return operators[operator].print(key, values);
}
function matchesLabels(requirements, labels) {
  return requirements.every((requirement) => matches(requirement, labels ?? noLabels));
}
var noLabels = {};
function matches({ key, operator, values }, labels) {
  return operators[operator].matches(Object.hasOwn(labels, key) ? labels[key] : void 0, values);
}
var operators = {
  in: {
    print: (key, values) => printSet(key, '=', 'in', values),
    matches: (value, values) => value !== void 0 && values.includes(value),
  },
  notin: {
    print: (key, values) => printSet(key, '!=', 'notin', values),
    matches: (value, values) => value === void 0 || !values.includes(value),
  },
  exists: {
    print: (key) => key,
    matches: (value) => value !== void 0,
  },
  notexists: {
    print: (key) => `!${key}`,
    matches: (value) => value === void 0,
  },
  gt: {
    print: (key, values) => `${key}>${values.join(',')}`,
    matches: (value, values) => compares(value, values, (left, right) => left > right),
  },
  lt: {
    print: (key, values) => `${key}<${values.join(',')}`,
    matches: (value, values) => compares(value, values, (left, right) => left < right),
  },
};
function printSet(key, one, many, values) {
  return values.length === 1 ? `${key}${one}${values[0]}` : `${key} ${many} (${values.join(',')})`;
}
function compares(value, [bound = ''], holds) {
  const left = value === void 0 ? void 0 : parseInt64(value);
  const right = parseInt64(bound);
  return left !== void 0 && right !== void 0 && holds(left, right);
}
var integerPattern = /^[+-]?\d+$/;
function parseInt64(text2) {
  if (!integerPattern.test(text2)) return void 0;
  const magnitude = BigInt(text2.replace(/^[+-]/, ''));
  const value = text2.startsWith('-') ? -magnitude : magnitude;
  return BigInt.asIntN(64, value) === value ? value : void 0;
}
function byCodeUnit(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// packages/apimachinery/src/selectors/selector-syntax-error.ts
function selectorSyntaxError(code2, selector, position, reason) {
  return new CodedError(code2, apimachineryErrors[code2], { selector, position, reason });
}

// packages/apimachinery/src/selectors/label-selector-parser.ts
var tokenPattern = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))/y;
var comparisons = /* @__PURE__ */ new Map([
  ['=', 'in'],
  ['==', 'in'],
  ['!=', 'notin'],
  ['>', 'gt'],
  ['<', 'lt'],
]);
var LabelSelectorParser = class {
  #text;
  #token;
  #offset = 0;
  constructor(text2) {
    this.#text = text2;
    this.#token = this.#scan();
  }
  parse() {
    const requirements = [];
    if (this.#atEnd()) return requirements;
    requirements.push(this.#requirement());
    while (!this.#atEnd()) {
      this.#expect(',');
      requirements.push(this.#requirement());
    }
    return requirements;
  }
  #requirement() {
    const negated = this.#accept('!');
    const key = this.#key();
    if (negated) return { key, operator: 'notexists', values: [] };
    if (this.#atEnd() || this.#isSymbol(',')) {
      return { key, operator: 'exists', values: [] };
    }
    return this.#comparison(key);
  }
  #comparison(key) {
    const { kind, text: text2 } = this.#token;
    if (kind === 'word' && (text2 === 'in' || text2 === 'notin')) {
      this.#next();
      return { key, operator: text2, values: this.#valueSet() };
    }
    const operator = kind === 'symbol' ? comparisons.get(text2) : void 0;
    if (operator === void 0) throw this.#unexpected('an operator');
    this.#next();
    const bound = operator === 'gt' || operator === 'lt';
    return { key, operator, values: [bound ? this.#integer() : this.#value()] };
  }
  #valueSet() {
    this.#expect('(');
    const values = [this.#value()];
    while (this.#accept(',')) values.push(this.#value());
    this.#expect(')');
    return values;
  }
  #key() {
    return this.#word('a key', labelKeyProblem);
  }
  /** A missing value is the empty string. */
  #value() {
    const absent = this.#atEnd() || this.#isSymbol(',') || this.#isSymbol(')');
    return absent ? '' : this.#word('a value', labelValueProblem);
  }
  #integer() {
    return this.#word('an integer', (text2) =>
      parseInt64(text2) === void 0 ? 'not an integer of 64 bits' : labelValueProblem(text2),
    );
  }
  #word(expected, problemOf) {
    const { kind, text: text2, position } = this.#token;
    if (kind !== 'word') throw this.#unexpected(expected);
    const problem = problemOf(text2);
    if (problem !== void 0) throw this.#error(position, problem);
    this.#next();
    return text2;
  }
  #atEnd() {
    return this.#token.kind === 'end';
  }
  #isSymbol(symbol) {
    return this.#token.kind === 'symbol' && this.#token.text === symbol;
  }
  #accept(symbol) {
    const accepted = this.#isSymbol(symbol);
    if (accepted) this.#next();
    return accepted;
  }
  #expect(symbol) {
    if (!this.#accept(symbol)) throw this.#unexpected(`"${symbol}"`);
  }
  #next() {
    this.#token = this.#scan();
  }
  #scan() {
    tokenPattern.lastIndex = this.#offset;
    const match = tokenPattern.exec(this.#text);
    if (match === null) return { kind: 'end', text: '', position: this.#text.length };
    const [whole, symbol, word = ''] = match;
    const text2 = symbol ?? word;
    this.#offset += whole.length;
    return {
      kind: symbol === void 0 ? 'word' : 'symbol',
      text: text2,
      position: this.#offset - text2.length,
    };
  }
  #unexpected(expected) {
    const { kind, text: text2, position } = this.#token;
    const found = kind === 'end' ? 'the end' : `"${text2}"`;
    return this.#error(position, `found ${found}, expected ${expected}`);
  }
  #error(position, reason) {
    return selectorSyntaxError('INVALID_LABEL_SELECTOR', this.#text, position, reason);
  }
};

// packages/apimachinery/src/selectors/label-selector.ts
function parseLabelSelector(text2) {
  return normalRequirements(new LabelSelectorParser(text2).parse());
}
function labelRequirementsOf(selector) {
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    checked(`matchLabels.${key}`, { key, operator: 'in', values: [value] }),
  );
  const expressions = (selector.matchExpressions ?? []).map((expression, index) =>
    fromExpression(`matchExpressions[${index}]`, expression),
  );
  return normalRequirements([...equalities, ...expressions]);
}
function normalLabelSelector(selector) {
  return printLabelSelector(
    typeof selector === 'string' ? parseLabelSelector(selector) : labelRequirementsOf(selector),
  );
}
var operators2 = /* @__PURE__ */ new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', 'notexists'],
]);
function fromExpression(position, expression) {
  const operator = operators2.get(expression.operator);
  if (operator === void 0) {
    throw invalid(position, `unknown operator ${JSON.stringify(expression.operator)}`);
  }
  const values = expression.values ?? [];
  const wantsValues = operator === 'in' || operator === 'notin';
  if (wantsValues !== values.length > 0) {
    throw invalid(position, `${expression.operator} takes ${wantsValues ? 'values' : 'no values'}`);
  }
  return checked(position, { key: expression.key, operator, values });
}
function checked(position, requirement) {
  const problem =
    labelKeyProblem(requirement.key) ??
    requirement.values.map(labelValueProblem).find((found) => found !== void 0);
  if (problem !== void 0) throw invalid(position, problem);
  return requirement;
}
function invalid(position, reason) {
  return new CodedError('INVALID_LABEL_SELECTOR', apimachineryErrors.INVALID_LABEL_SELECTOR, {
    position,
    reason,
  });
}

// packages/apimachinery/src/selectors/field-selector.ts
function parseFieldSelector(text2) {
  const byText = /* @__PURE__ */ new Map();
  for (const { from, to } of terms(text2)) {
    const requirement = parseTerm(text2, from, to);
    byText.set(print(requirement), requirement);
  }
  return [...byText.keys()].toSorted().flatMap((key) => byText.get(key) ?? []);
}
function printFieldSelector(requirements) {
  return requirements.map(print).join(',');
}
function normalFieldSelector(text2) {
  return printFieldSelector(parseFieldSelector(text2));
}
function matchesFields(requirements, object) {
  return matchesFieldValues(requirements, (path) => fieldValue(object, path));
}
function matchesFieldValues(requirements, valueOf) {
  return requirements.every(
    ({ path, operator, value }) => (valueOf(path) === value) === (operator === '='),
  );
}
function fieldValue(object, path) {
  let value = object;
  for (const member of path.split('.')) value = memberOf(value, member);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
function memberOf(value, name) {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return void 0;
  return Reflect.get(value, name);
}
function print({ path, operator, value }) {
  return `${path}${operator}${value.replaceAll(/[\\,=]/g, String.raw`\$&`)}`;
}
function terms(text2) {
  const ranges = [];
  let from = 0;
  for (let at = 0; at <= text2.length; at++) {
    if (text2[at] === '\\') at++;
    else if (at === text2.length || text2[at] === ',') {
      if (at > from) ranges.push({ from, to: at });
      from = at + 1;
    }
  }
  if (from < text2.length) ranges.push({ from, to: text2.length });
  return ranges;
}
var operatorPattern = /!=|==?/;
function parseTerm(text2, from, to) {
  const term = text2.slice(from, to);
  const match = operatorPattern.exec(term);
  if (match === null) throw syntaxError(text2, to, 'expected =, == or !=');
  if (match.index === 0) throw syntaxError(text2, from, 'expected the path of a field');
  const valueFrom = from + match.index + match[0].length;
  return {
    path: term.slice(0, match.index),
    operator: match[0] === '!=' ? '!=' : '=',
    value: unescaped(text2, valueFrom, to),
  };
}
function unescaped(text2, from, to) {
  let value = '';
  for (let at = from; at < to; at++) {
    let character = text2[at] ?? '';
    if (character === '=') throw syntaxError(text2, at, 'a "=" in a value is written "\\="');
    if (character === '\\') {
      at++;
      character = at < to ? (text2[at] ?? '') : '';
      if (!['\\', ',', '='].includes(character)) {
        throw syntaxError(text2, at - 1, 'a "\\" must precede "\\", "," or "="');
      }
    }
    value += character;
  }
  return value;
}
function syntaxError(text2, position, reason) {
  return selectorSyntaxError('INVALID_FIELD_SELECTOR', text2, position, reason);
}

// packages/apimachinery/src/runtime.ts
function checkRuntime() {
  const version = process.versions['bun'];
  if (version === void 0) return;
  const facts = { runtime: 'Bun', version };
  throw new CodedError('UNSUPPORTED_RUNTIME', apimachineryErrors.UNSUPPORTED_RUNTIME, facts);
}

// packages/apimachinery/src/time/duration.ts
var millisecondsOf = /* @__PURE__ */ new Map([
  ['ms', 1],
  ['s', 1e3],
  ['m', 6e4],
  ['h', 36e5],
]);
var wholePattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/;
var partPattern = /(\d+(?:\.\d+)?)(ms|s|m|h)/g;
function parseDuration(duration, option) {
  const milliseconds = typeof duration === 'string' ? fromText(duration) : duration;
  if (typeof milliseconds !== 'number' || !(milliseconds >= 0) || milliseconds === Infinity) {
    throw invalidOption(option, "must be milliseconds or a string such as '30s', '5m', '1h30m'", {
      value: String(duration),
    });
  }
  return milliseconds;
}
function fromText(text2) {
  if (text2 === '0') return 0;
  if (!wholePattern.test(text2)) return Number.NaN;
  let sum = 0;
  for (const [, amount, unit = ''] of text2.matchAll(partPattern)) {
    sum += Number(amount) * (millisecondsOf.get(unit) ?? Number.NaN);
  }
  return sum;
}

// packages/apimachinery/src/time/time-slice.ts
var SLICE_MS = 5;
var EMPTY_STEPS_PER_TURN = 64;
var TimeSlice = class {
  #now;
  #endsAt;
  #lastReading;
  #emptySteps = 0;
  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now) {
    this.#now = now;
    this.#lastReading = now();
    this.#endsAt = this.#lastReading + SLICE_MS;
  }
  /** True when the slice is used up. */
  isDue() {
    this.#lastReading = this.#now();
    return this.#lastReading >= this.#endsAt;
  }
  /**
   * For a step that found no work, such as an empty batch of a source. True for every 64th: a source in memory may
   * yield them without ever waiting.
   */
  isDueWithoutWork() {
    this.#emptySteps += 1;
    return this.#emptySteps % EMPTY_STEPS_PER_TURN === 0;
  }
  /** Waits for the next turn of the event loop and starts a new slice. */
  async pause() {
    await new Promise((resolve) => setImmediate(resolve));
    this.#lastReading = this.#now();
    this.#endsAt = this.#lastReading + SLICE_MS;
  }
  /** Extends the slice after a wait for input: the time since the last `isDue` does not count. */
  resume() {
    const now = this.#now();
    this.#endsAt += now - this.#lastReading;
    this.#lastReading = now;
  }
  /** Calls `step` for each item and pauses when it is due. Rejects when the signal aborts. */
  async each(items, step, signal) {
    signal?.throwIfAborted();
    for (const item of items) {
      step(item);
      if (!this.isDue()) continue;
      await this.pause();
      signal?.throwIfAborted();
    }
  }
};

// packages/apimachinery/src/time/shared-slice.ts
var SharedSlice = class {
  #waiting = /* @__PURE__ */ new Set();
  #endsAt;
  /** Returns false when the slice is used up, and then calls `resume` in the next turn of the event loop. */
  hasTime(resume) {
    if (this.#waiting.has(resume)) return false;
    const now = performance.now();
    if (this.#endsAt === void 0) {
      this.#endsAt = now + SLICE_MS;
      setImmediate(() => this.#begin());
    }
    if (now < this.#endsAt) return true;
    this.#waiting.add(resume);
    return false;
  }
  /** For a loop that awaits: `undefined` while the slice has time, then a promise of the next turn. */
  next() {
    const { promise, resolve } = Promise.withResolvers();
    return this.hasTime(resolve) ? void 0 : promise;
  }
  #begin() {
    this.#endsAt = void 0;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }
};

// packages/apimachinery/src/time/timer.ts
var MAX_TIMER_MS = 2 ** 31 - 1;
function startTimer(milliseconds, fire) {
  const now = Math.min(milliseconds, MAX_TIMER_MS);
  const left = milliseconds - now;
  let stop = () => clearTimeout(timer);
  const timer = setTimeout(() => {
    if (left === 0) fire();
    else stop = startTimer(left, fire);
  }, now);
  return () => stop();
}

// packages/apimachinery/src/time/wait.ts
async function abortable(work, signals) {
  const aborted = Promise.withResolvers();
  const dispose = onAbort(signals, aborted.reject);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    dispose();
  }
}
async function withLinkedSignal(signals, run) {
  const linked = new AbortController();
  const dispose = onAbort(signals, (reason) => linked.abort(reason));
  try {
    return await run(linked.signal);
  } finally {
    dispose();
  }
}
async function endsWithin(work, milliseconds) {
  const over = Promise.withResolvers();
  const stop = startTimer(milliseconds, () => over.resolve(false));
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, over.promise]);
  } finally {
    stop();
  }
}
async function pause(milliseconds, signals) {
  const over = Promise.withResolvers();
  const stop = startTimer(milliseconds, over.resolve);
  const dispose = onAbort(signals, over.reject);
  try {
    await over.promise;
  } finally {
    stop();
    dispose();
  }
}
function loadOnce(load2) {
  let value;
  return () => {
    value ??= load2().catch((error) => {
      value = void 0;
      throw error;
    });
    return value;
  };
}
function onAbort(signals, end) {
  const listeners = signals.flatMap((signal) => {
    if (signal === void 0) return [];
    const listener = () => end(signal.reason);
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener, { once: true });
    return [{ signal, listener }];
  });
  return () => {
    for (const { signal, listener } of listeners) signal.removeEventListener('abort', listener);
  };
}

// packages/apimachinery/src/wire/cycle-detector.ts
var CycleDetector = class {
  #kept;
  #steps = 0;
  /**
   * The kept text is replaced after this many steps, a number that doubles each time. It therefore lies
   * within the cycle eventually.
   */
  #stepsUntilReplaced = 1;
  constructor(first) {
    this.#kept = first;
  }
  repeats(text2) {
    if (text2 === this.#kept) return true;
    this.#steps++;
    if (this.#steps === this.#stepsUntilReplaced) {
      this.#kept = text2;
      this.#steps = 0;
      this.#stepsUntilReplaced *= 2;
    }
    return false;
  }
};

// packages/apimachinery/src/thrown-reason.ts
function thrownReason(cause) {
  try {
    const text2 = cause instanceof Error ? cause.message : cause;
    return String(text2);
  } catch {
    return 'a value without a text was thrown';
  }
}

// packages/apimachinery/src/objects/status.ts
var StatusError = class extends CodedError {
  name = 'StatusError';
  status;
  constructor(status, facts = {}, options = {}) {
    super(
      'API_STATUS',
      status.message ?? status.reason ?? apimachineryErrors.API_STATUS,
      facts,
      options,
    );
    this.status = status;
  }
  /** The HTTP status code, or 0 if it is unknown. */
  get statusCode() {
    return this.status.code ?? 0;
  }
  /** The machine-readable reason: `NotFound`, `Conflict`, `Expired`, … */
  get reason() {
    return this.status.reason ?? '';
  }
  /** Time to wait before the next attempt in milliseconds, or `undefined` if it is missing or invalid. */
  get retryAfter() {
    const seconds = this.status.details?.retryAfterSeconds;
    return typeof seconds === 'number' && seconds >= 0 && seconds < Infinity
      ? seconds * 1e3
      : void 0;
  }
};

// packages/apimachinery/src/objects/status-guards.ts
function isNotFound(error) {
  return is(error, 'NotFound', 404);
}
function isConflict(error) {
  return is(error, 'Conflict', 409);
}
function isAlreadyExists(error) {
  return is(error, 'AlreadyExists', void 0);
}
function isGone(error) {
  return is(error, 'Expired', 410) || is(error, 'Gone', 410);
}
function isForbidden(error) {
  return is(error, 'Forbidden', 403);
}
function isUnauthorized(error) {
  return is(error, 'Unauthorized', 401);
}
function isTooManyRequests(error) {
  return is(error, 'TooManyRequests', 429);
}
function isInvalid(error) {
  return is(error, 'Invalid', 422);
}
function isTimeout(error) {
  return is(error, 'Timeout', 504) || is(error, 'ServerTimeout', void 0);
}
function isResourceVersionTooLarge(error) {
  const status = statusOf(error);
  if (status === void 0) return false;
  const causes = status.details?.causes ?? [];
  if (causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
  if (!isTimeout(error)) return false;
  return (
    causes.some((cause) => cause.message === tooLargeMessage) ||
    (status.message ?? '').includes(tooLargeMessage)
  );
}
var tooLargeMessage = 'Too large resource version';
function statusOf(error) {
  const seen = /* @__PURE__ */ new Set();
  for (let next = error; next instanceof Error && !seen.has(next); next = next.cause) {
    const status = ownStatus(next);
    if (status !== void 0) return status;
    seen.add(next);
  }
  return void 0;
}
function ownStatus(error) {
  if (hasCode(error, 'API_STATUS') && 'status' in error && isRecord(error.status)) {
    return error.status;
  }
  return isApiException(error) ? statusOfException(error) : void 0;
}
function isApiException(error) {
  return (
    'code' in error &&
    typeof error.code === 'number' &&
    'body' in error &&
    'headers' in error &&
    error.message.startsWith(`HTTP-Code: ${error.code}
`)
  );
}
function statusOfException({ code: code2, body }) {
  const sent = parsed(body);
  if (!isRecord(sent)) return { code: code2 };
  return sent['kind'] === 'Status' ? { ...sent, code: code2 } : void 0;
}
function is(error, reason, code2) {
  const status = statusOf(error);
  if (status === void 0) return false;
  if (status.reason !== void 0 && knownReasons.has(status.reason)) {
    return status.reason === reason;
  }
  return code2 !== void 0 && status.code === code2;
}
var knownReasons = /* @__PURE__ */ new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);
function parsed(body) {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return void 0;
  }
}
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// packages/apimachinery/src/wire/simd/wasm-code.ts
var OPCODES = {
  return: 15,
  'i32.eqz': 69,
  'i32.lt_s': 72,
  'i32.gt_s': 74,
  'i32.le_s': 76,
  'i32.ge_s': 78,
  'i32.add': 106,
  'i32.sub': 107,
  'i32.and': 113,
  'i32.wrap_i64': 167,
  'i64.eqz': 80,
  'i64.eq': 81,
  'i64.ctz': 122,
  'i64.popcnt': 123,
  'i64.sub': 125,
  'i64.and': 131,
  'i64.or': 132,
  'i64.xor': 133,
  'i64.shl': 134,
  'i64.shr_s': 135,
  'i64.shr_u': 136,
  'i64.extend_i32_u': 173,
  'i8x16.splat': 64783,
  'i8x16.eq': 64803,
  'v128.or': 64848,
  'i8x16.bitmask': 64868,
};
var I32 = 127;
var I64 = 126;
var V128 = 123;
var EMPTY_BLOCK = 64;
var END = 11;
function code(...parts) {
  return parts.flatMap((part) => {
    if (typeof part !== 'string') return part;
    const opcode = OPCODES[part];
    return opcode > 255 ? [opcode >> 8, opcode & 255] : [opcode];
  });
}
function get(local) {
  return [32, ...unsigned(local)];
}
function set(local) {
  return [33, ...unsigned(local)];
}
function tee(local) {
  return [34, ...unsigned(local)];
}
function setGlobal(global) {
  return [36, ...unsigned(global)];
}
function i32(value) {
  return [65, ...signed(value)];
}
function i64(value) {
  return [66, ...signed(value)];
}
function load(offset) {
  return [253, 0, 0, ...unsigned(offset)];
}
function until(isDone, steps) {
  const leave = [13, 1];
  const again = [12, 0];
  const loop = [3, EMPTY_BLOCK, ...isDone, ...leave, ...steps, ...again, END];
  return [2, EMPTY_BLOCK, ...loop, END];
}
function when(steps, others = []) {
  return [4, EMPTY_BLOCK, ...steps, 5, ...others, END];
}
var HEADER = [0, 97, 115, 109, 1, 0, 0, 0];
function moduleOf({ parameters, locals, results, steps }) {
  const variables = list(locals.map((type2) => [1, type2]));
  const body = [...variables, ...steps, END];
  const indices = Array.from({ length: results }, (_, index) => index);
  const globals = indices.map(() => [I32, 1, ...i32(0), END]);
  const type = [96, ...list(parameters.map((each) => [each])), ...list([[I32]])];
  const exported = [
    [...text('run'), 0, 0],
    [...text('memory'), 2, 0],
    ...indices.map((index) => [...text(`result${String(index)}`), 3, index]),
  ];
  const sections = [
    section(1, [type]),
    section(3, [[0]]),
    section(5, [[0, 1]]),
    section(6, globals),
    section(7, exported),
    section(10, [[...unsigned(body.length), ...body]]),
  ];
  return Uint8Array.from([...HEADER, ...sections.flat()]);
}
function section(id, items) {
  const bytes = list(items);
  return [id, ...unsigned(bytes.length), ...bytes];
}
function list(items) {
  return [...unsigned(items.length), ...items.flat()];
}
function text(name) {
  return [...unsigned(name.length), ...Buffer.from(name)];
}
function unsigned(value) {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}
function signed(value) {
  const rest = value >> 7;
  const isLast = (rest === 0 && (value & 64) === 0) || (rest === -1 && (value & 64) !== 0);
  return isLast ? [value & 127] : [(value & 127) | 128, ...signed(rest)];
}

// packages/apimachinery/src/wire/simd/container-program.ts
var OPEN = -1;
var UNDECIDED = -2;
var BLOCK_BYTES = 64;
var [TO, DEPTH, IN_STRING_BEFORE, ESCAPED_BEFORE] = [0, 1, 2, 3];
var [AT, LEFT] = [4, 5];
var [QUOTES, BACKSLASHES, OPENING, CLOSING] = [6, 7, 8, 9];
var [REST, ESCAPED, STRINGS, BIT] = [10, 11, 12, 13];
var [IN_STRING, CARRY] = [14, 15];
var POSITION = 16;
var BYTES = 17;
var not = code(i64(-1), 'i64.xor');
function assign(target, ...value) {
  return code(...value, set(target));
}
function mark(mask, byte, folded, index) {
  const fold = folded ? code(i32(32), 'i8x16.splat', 'v128.or') : [];
  const matches3 = code(i32(byte.charCodeAt(0)), 'i8x16.splat', 'i8x16.eq', 'i8x16.bitmask');
  const bits = code(get(BYTES), fold, matches3, 'i64.extend_i32_u');
  if (index === 0) return assign(mask, bits);
  return assign(mask, bits, i64(16 * index), 'i64.shl', get(mask), 'i64.or');
}
var markAll = code(
  ...[0, 1, 2, 3].flatMap((index) => [
    assign(BYTES, get(AT), load(16 * index)),
    mark(QUOTES, '"', false, index),
    mark(BACKSLASHES, '\\', false, index),
    mark(OPENING, '{', true, index),
    mark(CLOSING, '}', true, index),
  ]),
);
var isLastBlock = code(get(LEFT), i32(BLOCK_BYTES), 'i32.lt_s');
var clearBeyondEnd = code(
  assign(LEFT, get(TO), get(AT), 'i32.sub'),
  isLastBlock,
  when(
    code(
      assign(REST, i64(1), get(LEFT), 'i64.extend_i32_u', 'i64.shl', i64(1), 'i64.sub'),
      ...[QUOTES, BACKSLASHES, OPENING, CLOSING].map((mask) =>
        assign(mask, get(mask), get(REST), 'i64.and'),
      ),
    ),
  ),
);
var findEscaped = code(
  assign(ESCAPED, get(CARRY)),
  assign(CARRY, i64(0)),
  assign(REST, get(BACKSLASHES), get(ESCAPED), not, 'i64.and'),
  assign(BACKSLASHES, i64(0)),
  until(
    code(get(REST), 'i64.eqz'),
    code(
      assign(POSITION, get(REST), 'i64.ctz'),
      assign(BACKSLASHES, i64(1), get(POSITION), 'i64.shl', get(BACKSLASHES), 'i64.or'),
      assign(ESCAPED, i64(2), get(POSITION), 'i64.shl', get(ESCAPED), 'i64.or'),
      code(get(POSITION), i64(BLOCK_BYTES - 1), 'i64.eq', when(assign(CARRY, i64(1)))),
      assign(REST, get(REST), get(REST), i64(1), 'i64.sub', 'i64.and'),
      assign(REST, get(REST), get(ESCAPED), not, 'i64.and'),
    ),
  ),
  isLastBlock,
  when(
    assign(
      CARRY,
      code(get(ESCAPED), get(LEFT), 'i64.extend_i32_u', 'i64.shr_u'),
      code(i64(1), 'i64.and'),
    ),
  ),
);
var findStrings = code(
  assign(STRINGS, get(QUOTES), get(ESCAPED), not, 'i64.and'),
  ...[1, 2, 4, 8, 16, 32].map((distance) =>
    assign(STRINGS, get(STRINGS), get(STRINGS), i64(distance), 'i64.shl', 'i64.xor'),
  ),
  code(get(STRINGS), get(IN_STRING), 'i64.xor', tee(STRINGS)),
  assign(IN_STRING, i64(BLOCK_BYTES - 1), 'i64.shr_s'),
);
var refuseBackslashOutside = code(
  code(get(BACKSLASHES), get(STRINGS), not, 'i64.and', 'i64.eqz', 'i32.eqz'),
  when(code(i32(UNDECIDED), 'return')),
);
var ignoreBracketsInStrings = code(
  ...[OPENING, CLOSING].map((mask) => assign(mask, get(mask), get(STRINGS), not, 'i64.and')),
);
function countOf(mask) {
  return code(get(mask), 'i64.popcnt', 'i32.wrap_i64');
}
var returnAfterRest = code(
  code(get(REST), 'i64.ctz', 'i32.wrap_i64', get(AT), 'i32.add'),
  code(i32(1), 'i32.add', 'return'),
);
var countEach = code(
  assign(REST, get(OPENING), get(CLOSING), 'i64.or'),
  until(
    code(get(REST), 'i64.eqz'),
    code(
      assign(BIT, get(REST), get(REST), i64(1), 'i64.sub', not, 'i64.and'),
      code(get(OPENING), get(BIT), 'i64.and', 'i64.eqz'),
      when(
        code(get(DEPTH), i32(1), 'i32.sub', tee(DEPTH), 'i32.eqz', when(returnAfterRest)),
        assign(DEPTH, get(DEPTH), i32(1), 'i32.add'),
      ),
      assign(REST, get(REST), get(BIT), 'i64.xor'),
    ),
  ),
);
var countAll = assign(DEPTH, get(DEPTH), countOf(OPENING), 'i32.add', countOf(CLOSING), 'i32.sub');
var count = code(get(DEPTH), countOf(CLOSING), 'i32.le_s', when(countEach, countAll));
function containerProgram(maxDepth) {
  const refuseDepth = code(
    code(get(DEPTH), i32(maxDepth - BLOCK_BYTES), 'i32.gt_s'),
    when(code(i32(UNDECIDED), 'return')),
  );
  const step = code(
    code(markAll, clearBeyondEnd, findEscaped, findStrings, refuseBackslashOutside),
    code(ignoreBracketsInStrings, count, refuseDepth),
    assign(AT, get(AT), i32(BLOCK_BYTES), 'i32.add'),
  );
  return moduleOf({
    parameters: [I32, I32, I32, I32],
    locals: [I32, I32, ...Array.from({ length: 11 }, () => I64), V128],
    results: 3,
    steps: code(
      assign(IN_STRING, i64(0), get(IN_STRING_BEFORE), 'i64.extend_i32_u', 'i64.sub'),
      assign(CARRY, get(ESCAPED_BEFORE), 'i64.extend_i32_u'),
      until(code(get(AT), get(TO), 'i32.ge_s'), step),
      code(get(DEPTH), setGlobal(0)),
      code(get(IN_STRING), 'i32.wrap_i64', i32(1), 'i32.and', setGlobal(1)),
      code(get(CARRY), 'i32.wrap_i64', setGlobal(2)),
      i32(OPEN),
    ),
  });
}

// packages/apimachinery/src/wire/simd/container-search.ts
var FIRST_WINDOW_BYTES = 256;
var WINDOW_BYTES = 8 * 1024;
var ContainerSearch = class {
  /** Where the last `UNDECIDED` search has to be continued with its state. */
  at = 0;
  #maxDepth;
  #exports;
  #memory = Buffer.alloc(0);
  #state = { depth: 0, inString: 0, isEscaped: 0 };
  constructor(maxDepth) {
    this.#maxDepth = maxDepth;
  }
  /** Searches for the end of a container that begins at `from`. An `UNDECIDED` search has to be repeated from there. */
  whole(bytes, from, to) {
    const state = this.#state;
    state.depth = 0;
    state.inString = 0;
    state.isEscaped = 0;
    return this.find(bytes, from, to, state);
  }
  /**
   * Returns the position after the container. Returns `OPEN` if the bytes end first, and `UNDECIDED` if only a reader of
   * every byte can find it, from `at`. The state is then that of the next byte.
   */
  find(bytes, from, to, state) {
    const exports = (this.#exports ??= this.#load());
    this.at = from;
    if (exports === 'missing') return UNDECIDED;
    let size = FIRST_WINDOW_BYTES;
    while (this.at < to) {
      const length = Math.min(to - this.at, size);
      bytes.copy(this.#memory, 0, this.at, this.at + length);
      const end = exports.run(length, state.depth, state.inString, state.isEscaped);
      if (end >= 0) return this.at + end;
      if (end === UNDECIDED) return UNDECIDED;
      state.depth = exports.result0.value;
      state.inString = exports.result1.value;
      state.isEscaped = exports.result2.value;
      this.at += length;
      size = WINDOW_BYTES;
    }
    return OPEN;
  }
  /** Loaded with the first search, so that importing the package stays cheap. */
  #load() {
    try {
      const { Module, Instance } = globalThis.WebAssembly;
      const { exports } = new Instance(new Module(containerProgram(this.#maxDepth)));
      const loaded = exports;
      this.#memory = Buffer.from(loaded.memory.buffer, 0, WINDOW_BYTES + BLOCK_BYTES);
      return loaded;
    } catch {
      return 'missing';
    }
  }
};

// packages/apimachinery/src/wire/json-bytes.ts
var QUOTE = 34;
var COMMA = 44;
var COLON = 58;
var OPEN_ARRAY = 91;
var BACKSLASH = 92;
var CLOSE_ARRAY = 93;
var OPEN_OBJECT = 123;
var CLOSE_OBJECT = 125;
var NEWLINE = 10;
var UNFINISHED = -1;
var MAX_DEPTH = 1e4;
var containerSearch = new ContainerSearch(MAX_DEPTH);
function asBuffer(bytes) {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
function isSpace(byte) {
  return byte === 32 || byte === NEWLINE || byte === 13 || byte === 9;
}
function skipSpace(bytes, at, to) {
  while (at < to && isSpace(bytes[at])) at++;
  return at;
}
function skipString(bytes, at, to) {
  for (let i = at + 1; i < to; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) return i + 1;
    if (byte === BACKSLASH) i++;
  }
  return UNFINISHED;
}
function skipValue(bytes, at, to) {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at, to);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipContainer(bytes, at, to);
  return skipScalar(bytes, at, to);
}
function skipContainer(bytes, at, to) {
  const end = containerSearch.whole(asBuffer(bytes), at, to);
  return end === UNDECIDED ? readContainer(bytes, at, to) : end;
}
function readContainer(bytes, at, to) {
  let depth = 0;
  for (let i = at; i < to; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      for (i++; i < to; i++) {
        const inside = bytes[i];
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) i++;
      }
    } else if (byte >= OPEN_ARRAY) {
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (++depth > MAX_DEPTH) throw malformedObject('nested too deeply');
      } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return i + 1;
    }
  }
  return UNFINISHED;
}
function skipScalar(bytes, at, to) {
  for (let i = at; i < to; i++) if (endsScalar(bytes[i])) return i;
  return UNFINISHED;
}
function endsScalar(byte) {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte);
}
function parseRange(bytes, from, to) {
  return parseText(asBuffer(bytes).toString('utf8', from, to));
}
function parseUnscannedRange(bytes, from, to) {
  skipValue(bytes, skipSpace(bytes, from, to), to);
  return parseRange(bytes, from, to);
}
function parseText(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    throw malformedObject('the JSON does not parse');
  }
}
function malformedObject(reason) {
  return new CodedError('MALFORMED_OBJECT', apimachineryErrors.MALFORMED_OBJECT, { reason });
}

// packages/apimachinery/src/wire/frame-buffer.ts
var MAX_FRAME_BYTES = 64 * 1024 * 1024;
var MAX_KEPT_BYTES = 1024 * 1024;
var FIRST_SIZE = 4 * 1024;
var NOTHING = Buffer.alloc(0);
var FrameBuffer = class {
  #filling = NOTHING;
  /** A buffer that can be filled next. */
  #free = NOTHING;
  /** The buffer that was taken last. It may be overwritten after `reuse`. */
  #inUse = NOTHING;
  #length = 0;
  get length() {
    return this.#length;
  }
  /** The collected bytes without taking them. Valid until the next change. */
  get bytes() {
    return this.#filling.subarray(0, this.#length);
  }
  append(chunk, from, to) {
    const length = this.#length + to - from;
    if (length > MAX_FRAME_BYTES) {
      throw new CodedError('FRAME_TOO_LARGE', apimachineryErrors.FRAME_TOO_LARGE, {
        bytes: length,
        most: MAX_FRAME_BYTES,
      });
    }
    if (length > this.#filling.length) this.#grow(length);
    chunk.copy(this.#filling, this.#length, from, to);
    this.#length = length;
  }
  /** Takes the collected bytes. Valid until `reuse`. */
  take() {
    const { bytes } = this;
    this.#inUse = this.#filling;
    this.#filling = this.#free;
    this.#free = NOTHING;
    this.#length = 0;
    return bytes;
  }
  /** Allows taken bytes to be overwritten. */
  reuse() {
    if (this.#inUse.length === 0) return;
    if (this.#inUse.length <= MAX_KEPT_BYTES) this.#free = this.#inUse;
    this.#inUse = NOTHING;
  }
  #grow(length) {
    const size = Math.max(FIRST_SIZE, length, this.#filling.length * 2);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#filling.copy(larger, 0, 0, this.#length);
    this.#filling = larger;
  }
};

// packages/apimachinery/src/wire/byte-order-mark.ts
var MARK = [239, 187, 191];
var ByteOrderMark = class {
  /** Number of bytes of the mark that were skipped. Set to all of them after any other byte. */
  #seen = 0;
  /** Returns the position of the first byte at or after `at` that does not belong to the mark. */
  skip(bytes, at) {
    while (this.#seen < MARK.length && at < bytes.length) {
      if (bytes[at] !== MARK[this.#seen]) this.#seen = MARK.length;
      else {
        this.#seen++;
        at++;
      }
    }
    return at;
  }
};

// packages/apimachinery/src/wire/byte-frame.ts
var ByteFrame = class {
  type;
  format;
  buffer;
  from;
  to;
  positions;
  constructor(format2, type, buffer, from, to, positions) {
    this.format = format2;
    this.type = type;
    this.buffer = buffer;
    this.from = from;
    this.to = to;
    this.positions = positions;
  }
};

// packages/apimachinery/src/wire/head-positions.ts
function noPositions() {
  return {
    apiVersionFrom: -1,
    apiVersionTo: -1,
    kindFrom: -1,
    kindTo: -1,
    metadataFrom: -1,
    metadataTo: -1,
    managedFieldsFrom: -1,
    managedFieldsTo: -1,
    nameFrom: -1,
    nameTo: -1,
    namespaceFrom: -1,
    namespaceTo: -1,
    uidFrom: -1,
    uidTo: -1,
    resourceVersionFrom: -1,
    resourceVersionTo: -1,
    hasEscapedNames: false,
    managedFieldsRepeated: false,
  };
}
function clearPositions(positions) {
  positions.apiVersionFrom = -1;
  positions.apiVersionTo = -1;
  positions.kindFrom = -1;
  positions.kindTo = -1;
  positions.metadataFrom = -1;
  positions.metadataTo = -1;
  clearMetadata(positions);
}
function clearMetadata(positions) {
  positions.managedFieldsFrom = -1;
  positions.managedFieldsTo = -1;
  positions.managedFieldsRepeated = false;
  positions.hasEscapedNames = false;
  positions.nameFrom = -1;
  positions.nameTo = -1;
  positions.namespaceFrom = -1;
  positions.namespaceTo = -1;
  positions.uidFrom = -1;
  positions.uidTo = -1;
  positions.resourceVersionFrom = -1;
  positions.resourceVersionTo = -1;
}

// packages/apimachinery/src/wire/json-members.ts
var JsonMembers = class {
  bytes = new Uint8Array(0);
  at = 0;
  to = 0;
  keyFrom = 0;
  keyTo = 0;
  /** Position of the comma before the member, or -1 for the first one. */
  comma = -1;
  /** Starts after the object's opening brace. */
  start(bytes, at, to) {
    this.bytes = bytes;
    this.at = at;
    this.to = to;
    this.comma = -1;
  }
  next() {
    let at = skipSpace(this.bytes, this.at, this.to);
    this.comma = -1;
    if (at < this.to && this.bytes[at] === COMMA) {
      this.comma = at;
      at = skipSpace(this.bytes, at + 1, this.to);
    }
    if (at >= this.to) return 'unfinished';
    if (this.bytes[at] !== QUOTE) return this.#end(at);
    return this.#key(at);
  }
  /** Moves past the value. False if the bytes end first. */
  skip() {
    const end = skipValue(this.bytes, this.at, this.to);
    if (end === UNFINISHED) return false;
    this.at = end;
    return true;
  }
  /** True if the member has this name, in any spelling. */
  isName(word) {
    const length = this.keyTo - this.keyFrom;
    if (length === word.length) return matches2(this.bytes, this.keyFrom, word);
    return length > word.length && this.isEscaped() && this.#decodesTo(word);
  }
  /** True if the member has this name without escapes. */
  isPlainName(word) {
    return this.keyTo - this.keyFrom === word.length && matches2(this.bytes, this.keyFrom, word);
  }
  /** True if the name contains escapes, so that it may equal another name. */
  isEscaped() {
    for (let i = this.keyFrom; i < this.keyTo; i++) if (this.bytes[i] === BACKSLASH) return true;
    return false;
  }
  #end(at) {
    if (this.bytes[at] !== CLOSE_OBJECT) throw malformedObject('a member has no name');
    this.at = at + 1;
    return 'end';
  }
  #key(at) {
    const keyEnd = skipString(this.bytes, at, this.to);
    if (keyEnd === UNFINISHED) return 'unfinished';
    this.keyFrom = at + 1;
    this.keyTo = keyEnd - 1;
    const colon = skipSpace(this.bytes, keyEnd, this.to);
    if (colon >= this.to) return 'unfinished';
    if (this.bytes[colon] !== COLON) throw malformedObject('a member has no value');
    this.at = skipSpace(this.bytes, colon + 1, this.to);
    return this.at < this.to ? 'member' : 'unfinished';
  }
  #decodesTo(word) {
    const name = parseRange(this.bytes, this.keyFrom - 1, this.keyTo + 1);
    return name === Buffer.from(word).toString();
  }
};
function matches2(bytes, from, word) {
  for (let i = 0; i < word.length; i++) if (bytes[from + i] !== word[i]) return false;
  return true;
}

// packages/apimachinery/src/wire/json-scanner.ts
var API_VERSION = Buffer.from('apiVersion');
var KIND = Buffer.from('kind');
var METADATA = Buffer.from('metadata');
var MANAGED_FIELDS = Buffer.from('managedFields');
var UID = Buffer.from('uid');
var NAME = Buffer.from('name');
var NAMESPACE = Buffer.from('namespace');
var RESOURCE_VERSION = Buffer.from('resourceVersion');
var JsonScanner = class {
  #members = new JsonMembers();
  #inMetadata = new JsonMembers();
  /** Scans to the end of the object and returns it, or `UNFINISHED` if the bytes end first. */
  whole(bytes, from, to, positions) {
    return this.#scan(bytes, from, to, positions, false);
  }
  /** Stops after `metadata` if apiVersion and kind are already known, which is the order of API servers. */
  head(bytes, from, to, positions) {
    const end = this.#scan(bytes, from, to, positions, true);
    if (end === UNFINISHED) throw malformedObject('the object is cut off');
  }
  #scan(bytes, from, to, positions, headOnly) {
    if (bytes[from] !== OPEN_OBJECT) throw malformedObject('not an object');
    clearPositions(positions);
    const members = this.#members;
    members.start(bytes, from + 1, to);
    for (;;) {
      const step = members.next();
      if (step === 'end') return members.at;
      if (step === 'unfinished' || !this.#member(positions)) return UNFINISHED;
      if (headOnly && isComplete(positions)) return members.at;
    }
  }
  /** Records a member of the head and moves past it. False if the member is cut off. */
  #member(positions) {
    const members = this.#members;
    const from = members.at;
    if (members.isName(METADATA)) return this.#metadata(positions);
    const isKind2 = members.isName(KIND);
    const isApiVersion = !isKind2 && members.isName(API_VERSION);
    if (!members.skip()) return false;
    if (isKind2) {
      positions.kindFrom = from;
      positions.kindTo = members.at;
    } else if (isApiVersion) {
      positions.apiVersionFrom = from;
      positions.apiVersionTo = members.at;
    }
    return true;
  }
  #metadata(positions) {
    const members = this.#members;
    positions.metadataFrom = members.at;
    clearMetadata(positions);
    const isFinished =
      members.bytes[members.at] === OPEN_OBJECT ? this.#metadataObject(positions) : members.skip();
    positions.metadataTo = members.at;
    return isFinished;
  }
  #metadataObject(positions) {
    const inside = this.#inMetadata;
    inside.start(this.#members.bytes, this.#members.at + 1, this.#members.to);
    for (;;) {
      const step = inside.next();
      if (step === 'unfinished') return false;
      if (step === 'end') break;
      const isManagedFields = inside.isName(MANAGED_FIELDS);
      const from = inside.at;
      if (!inside.skip()) return false;
      if (isManagedFields) noteManagedFields(inside, positions);
      else noteIdentity(inside, from, positions);
    }
    this.#members.at = inside.at;
    return true;
  }
};
function noteManagedFields(member, positions) {
  positions.managedFieldsRepeated = positions.managedFieldsFrom !== -1;
  positions.managedFieldsFrom = member.comma === -1 ? member.keyFrom - 1 : member.comma;
  positions.managedFieldsTo = member.at;
  if (member.comma !== -1) return;
  const next = skipSpace(member.bytes, member.at, member.to);
  if (next < member.to && member.bytes[next] === COMMA) positions.managedFieldsTo = next + 1;
}
function isComplete(positions) {
  return positions.metadataTo !== -1 && positions.kindTo !== -1 && positions.apiVersionTo !== -1;
}
function noteIdentity(member, from, positions) {
  if (member.isPlainName(NAME)) {
    positions.nameFrom = from;
    positions.nameTo = member.at;
  } else if (member.isPlainName(NAMESPACE)) {
    positions.namespaceFrom = from;
    positions.namespaceTo = member.at;
  } else if (member.isPlainName(UID)) {
    positions.uidFrom = from;
    positions.uidTo = member.at;
  } else if (member.isPlainName(RESOURCE_VERSION)) {
    positions.resourceVersionFrom = from;
    positions.resourceVersionTo = member.at;
  } else if (member.isEscaped()) {
    positions.hasEscapedNames = true;
  }
}

// packages/apimachinery/src/wire/json-value-end.ts
var JsonValueEnd = class {
  #state = { depth: 0, inString: 0, isEscaped: 0 };
  #isScalar = false;
  #isContainer = false;
  /** Starts a value whose first byte is `first`. The caller must still push that byte. */
  start(first) {
    this.#state.depth = 0;
    this.#state.inString = 0;
    this.#state.isEscaped = 0;
    this.#isContainer = first === OPEN_OBJECT || first === OPEN_ARRAY;
    this.#isScalar = !this.#isContainer && first !== QUOTE;
  }
  /** Returns the position after the value, or `UNFINISHED` if the chunk ends first. */
  push(bytes, from, to) {
    if (this.#isScalar) return skipScalar(bytes, from, to);
    if (!this.#isContainer) return this.#read(bytes, from, to);
    const end = containerSearch.find(asBuffer(bytes), from, to, this.#state);
    return end === UNDECIDED ? this.#read(bytes, containerSearch.at, to) : end;
  }
  #read(bytes, from, to) {
    const state = this.#state;
    for (let i = from; i < to; i++) {
      if (state.inString === 1) {
        i = this.#string(bytes, i, to);
        if (i === to) return UNFINISHED;
      } else this.#structure(bytes[i]);
      if (state.depth === 0 && state.inString === 0) return i + 1;
    }
    return UNFINISHED;
  }
  /** Returns the position of the closing quote, or `to` if the chunk ends within the string. */
  #string(bytes, at, to) {
    const state = this.#state;
    let i = at + state.isEscaped;
    state.isEscaped = 0;
    for (; i < to; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) i++;
    }
    if (i > to) state.isEscaped = 1;
    if (i >= to) return to;
    state.inString = 0;
    return i;
  }
  #structure(byte) {
    const state = this.#state;
    if (byte === QUOTE) state.inString = 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++state.depth > MAX_DEPTH) throw malformedObject('nested too deeply');
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) state.depth--;
  }
};

// packages/apimachinery/src/wire/json-list-splitter.ts
var JsonListSplitter = class {
  apiVersion;
  kind;
  metadata;
  hasItems = false;
  #format;
  #scanner = new JsonScanner();
  #valueEnd = new JsonValueEnd();
  #mark = new ByteOrderMark();
  #carry = new FrameBuffer();
  #place = 'before';
  #name = '';
  #frames = [];
  constructor(format2) {
    this.#format = format2;
  }
  push(chunk) {
    const bytes = asBuffer(chunk);
    const frames = [];
    this.#frames = frames;
    this.#carry.reuse();
    let at = this.#mark.skip(bytes, 0);
    while (at < bytes.length) at = this.#step(bytes, at);
    return frames;
  }
  end() {
    if (this.#place === 'after') return;
    throw new CodedError('TRUNCATED_RESPONSE', apimachineryErrors.TRUNCATED_RESPONSE, {
      response: 'list',
      place: this.#place,
    });
  }
  #step(bytes, at) {
    switch (this.#place) {
      case 'name':
      case 'inside value':
      case 'inside item':
        return this.#continue(bytes, at, at);
      default:
        return isSpace(bytes[at]) ? at + 1 : this.#token(bytes, at, bytes[at]);
    }
  }
  #token(bytes, at, byte) {
    switch (this.#place) {
      case 'before':
        return this.#expect(byte === OPEN_OBJECT, 'members', at);
      case 'members':
        return this.#member(bytes, at, byte);
      case 'colon':
        return this.#expect(byte === COLON, 'value', at);
      case 'value':
        return this.#value(bytes, at, byte);
      case 'items':
        return this.#item(bytes, at, byte);
      default:
        throw this.#malformed();
    }
  }
  #expect(isThere, next, at) {
    if (!isThere) throw this.#malformed();
    this.#place = next;
    return at + 1;
  }
  #member(bytes, at, byte) {
    if (byte === COMMA) return at + 1;
    if (byte === QUOTE) return this.#begin('name', bytes, at);
    return this.#expect(byte === CLOSE_OBJECT, 'after', at);
  }
  #value(bytes, at, byte) {
    if (this.#name === 'items') this.hasItems = true;
    if (this.#name !== 'items' || byte !== OPEN_ARRAY) {
      return this.#begin('inside value', bytes, at);
    }
    this.#place = 'items';
    return at + 1;
  }
  #item(bytes, at, byte) {
    if (byte === COMMA) return at + 1;
    if (byte === CLOSE_ARRAY) return this.#expect(true, 'members', at);
    if (byte !== OPEN_OBJECT) throw this.#malformed();
    const positions = noPositions();
    const end = this.#scanner.whole(bytes, at, bytes.length, positions);
    if (end === UNFINISHED) return this.#begin('inside item', bytes, at);
    this.#frames.push(new ByteFrame(this.#format, 'ADDED', bytes, at, end, positions));
    return end;
  }
  #begin(place, bytes, at) {
    this.#place = place;
    this.#valueEnd.start(bytes[at]);
    return this.#continue(bytes, at, at);
  }
  /** Continues a value that may have begun in an earlier chunk. */
  #continue(bytes, from, at) {
    const end = this.#valueEnd.push(bytes, at, bytes.length);
    const to = end === UNFINISHED ? bytes.length : end;
    if (end === UNFINISHED || this.#carry.length > 0) {
      if (this.#isWanted()) this.#carry.append(bytes, from, to);
    }
    if (end !== UNFINISHED) this.#complete(bytes, from, end);
    return to;
  }
  #complete(bytes, from, to) {
    if (this.#carry.length === 0) return this.#yieldItem(bytes, from, to);
    const carried = this.#carry.take();
    this.#yieldItem(carried, 0, carried.length);
  }
  #yieldItem(bytes, from, to) {
    if (this.#place === 'inside item') {
      this.#place = 'items';
      this.#frames.push(new ByteFrame(this.#format, 'ADDED', bytes, from, to));
    } else if (this.#place === 'name') {
      this.#place = 'colon';
      this.#name = parseRange(bytes, from, to);
    } else {
      if (this.#isWanted()) this.#note(parseRange(bytes, from, to));
      this.#place = 'members';
    }
  }
  #note(value) {
    if (value === null) return;
    const expected = this.#name === 'metadata' ? 'object' : 'string';
    if (this.#name === 'items' || typeof value !== expected) throw this.#malformed();
    if (this.#name === 'metadata') this.metadata = value;
    if (this.#name === 'kind') this.kind = value;
    if (this.#name === 'apiVersion') this.apiVersion = value;
  }
  /** False for a member that is skipped without being collected, such as the rows of a Table. */
  #isWanted() {
    return this.#place !== 'inside value' || WANTED.has(this.#name);
  }
  #malformed() {
    return new CodedError('MALFORMED_LIST', apimachineryErrors.MALFORMED_LIST, {
      place: this.#place,
    });
  }
};
var WANTED = /* @__PURE__ */ new Set(['apiVersion', 'kind', 'metadata', 'items']);

// packages/apimachinery/src/wire/json-event-line.ts
var NONE = -1;
var OBJECT_NAME_END = Buffer.from('ject"');
var LETTER_J = 106;
var LETTER_E = 101;
var LETTER_C = 99;
var LETTER_T = 116;
var LETTER_SEARCHES = 4;
var LINE_LENGTHS = ['ADDED', 'DELETED', 'MODIFIED'].map(
  (type) =>
    `
{"type":"${type}","ob`.length,
);
var MAX_OPENING_BYTES = 64;
var LETTER_B = 98;
var END_OF_ESCAPED_B = 50;
var LETTER_O = 111;
var END_OF_ESCAPED_O = 102;
var END_OF_ESCAPED_O_UPPER = 70;
var MAX_UNSEEN_NAME_BYTES = '"\\u006f\\u0062ject"'.length;
function nextObjectName(bytes, from) {
  let at = from - 1;
  for (let searches = 0; searches < LETTER_SEARCHES; searches++) {
    at = bytes.indexOf(LETTER_J, at + 1);
    if (at === NONE || (isNameEnd(bytes, at) && mayBeObjectName(bytes, at))) return at;
  }
  do at = bytes.indexOf(OBJECT_NAME_END, at + 1);
  while (at !== NONE && !mayBeObjectName(bytes, at));
  return at;
}
function isNameEnd(bytes, at) {
  return (
    bytes[at + 1] === LETTER_E &&
    bytes[at + 2] === LETTER_C &&
    bytes[at + 3] === LETTER_T &&
    bytes[at + 4] === QUOTE
  );
}
function lineBefore(bytes, name) {
  for (const length of LINE_LENGTHS) {
    const newline = name - length;
    if (bytes[newline] === NEWLINE) return bytes[newline + 1] === OPEN_OBJECT ? newline + 1 : NONE;
  }
  return NONE;
}
function eventEnd(bytes, to) {
  let end = to;
  while (isSpace(bytes[end - 1])) end--;
  return bytes[end - 1] === CLOSE_OBJECT && bytes[end - 2] === CLOSE_OBJECT ? end : NONE;
}
function endsInBrace(bytes, from, to) {
  let last = to - 1;
  while (last >= from && isSpace(bytes[last])) last--;
  return last < from ? void 0 : bytes[last] === CLOSE_OBJECT;
}
function endsInOpening(bytes, from) {
  const lowest = Math.max(from, bytes.length - MAX_OPENING_BYTES);
  let at = bytes.lastIndexOf(OPEN_OBJECT);
  while (at > lowest && endsInBrace(bytes, from, at) !== true) {
    at = bytes.lastIndexOf(OPEN_OBJECT, at - 1);
  }
  return at > lowest;
}
function mayBeObjectName(bytes, at) {
  const before = bytes[at - 1];
  const first = bytes[at - 2];
  const isEscaped = before === END_OF_ESCAPED_B;
  const isLiteral = before === LETTER_B && mayEndO(first);
  if (!isEscaped && !isLiteral) return false;
  const next = skipSpace(bytes, at + OBJECT_NAME_END.length, bytes.length);
  return next === bytes.length || bytes[next] === COLON;
}
function mayEndO(byte) {
  return byte === LETTER_O || byte === END_OF_ESCAPED_O || byte === END_OF_ESCAPED_O_UPPER;
}

// packages/apimachinery/src/wire/json-watch-event.ts
var TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'];
var TYPE = Buffer.from('type');
var OBJECT = Buffer.from('object');
var OPENINGS = TYPES.map((type) => ({
  type,
  bytes: Buffer.from(`{"type":"${type}","object":{`),
}));
var FIRST_DIFFERENCE = '{"type":"'.length;
function openingAt(bytes, from, to) {
  const letter = bytes[from + FIRST_DIFFERENCE];
  for (const opening of OPENINGS) {
    if (opening.bytes[FIRST_DIFFERENCE] !== letter) continue;
    const isThere = to - from > opening.bytes.length && startsWith(bytes, from, opening.bytes);
    return isThere ? opening : void 0;
  }
  return void 0;
}
var JsonWatchEvent = class {
  type = 'ERROR';
  objectFrom = 0;
  objectTo = 0;
  /** True for kube-apiserver's form: no white space around the members, type before object, no other member. */
  isPlain = false;
  #members = new JsonMembers();
  /** Returns the position after the event that begins at `from`, or `UNFINISHED` if the bytes end first. */
  read(bytes, from, to) {
    if (bytes[from] !== OPEN_OBJECT) throw malformedEvent('not an object');
    const opening = openingAt(bytes, from, to);
    if (opening !== void 0) {
      const objectFrom = from + opening.bytes.length - 1;
      const objectTo = skipValue(bytes, objectFrom, to);
      if (objectTo === UNFINISHED) return UNFINISHED;
      this.isPlain = objectTo < to && bytes[objectTo] === CLOSE_OBJECT;
      if (this.isPlain) return this.#set(opening.type, objectFrom, objectTo, objectTo + 1);
    }
    this.isPlain = false;
    return this.#readMembers(bytes, from, to);
  }
  #readMembers(bytes, from, to) {
    const members = this.#members;
    let type;
    let objectFrom = -1;
    let objectTo = -1;
    members.start(bytes, from + 1, to);
    for (;;) {
      const step = members.next();
      if (step === 'end') break;
      const valueFrom = members.at;
      const isType = step === 'member' && members.isName(TYPE);
      const isObject3 = step === 'member' && members.isName(OBJECT);
      if (step === 'unfinished' || !members.skip()) return UNFINISHED;
      if (isType) type = parseRange(bytes, valueFrom, members.at);
      if (isObject3) {
        objectFrom = valueFrom;
        objectTo = members.at;
      }
    }
    const isThere = objectFrom !== -1 && bytes[objectFrom] === OPEN_OBJECT;
    if (!isThere) throw malformedEvent('no object');
    return this.#set(watchEventType(type), objectFrom, objectTo, members.at);
  }
  #set(type, objectFrom, objectTo, end) {
    this.type = type;
    this.objectFrom = objectFrom;
    this.objectTo = objectTo;
    return end;
  }
};
function startsWith(bytes, from, opening) {
  for (let i = 0; i < opening.length; i++) if (bytes[from + i] !== opening[i]) return false;
  return true;
}
function watchEventType(value) {
  const type = TYPES.find((known) => known === value);
  if (type !== void 0) return type;
  const isWord = typeof value === 'string' && /^[A-Z]{1,32}$/.test(value);
  const facts = isWord ? { type: value } : {};
  throw new CodedError('UNKNOWN_EVENT_TYPE', apimachineryErrors.UNKNOWN_EVENT_TYPE, facts);
}
function malformedEvent(reason) {
  return new CodedError('MALFORMED_WATCH_EVENT', apimachineryErrors.MALFORMED_WATCH_EVENT, {
    reason,
  });
}

// packages/apimachinery/src/wire/json-watch-splitter.ts
var PLAIN_EVENTS_UNTIL_LINES = 1;
var PLAIN_EVENTS_UNTIL_LAST_LINES = 16;
var NEVER = -1;
var JsonWatchSplitter = class {
  #format;
  #event = new JsonWatchEvent();
  #mark = new ByteOrderMark();
  /** The bytes of an event that earlier chunks have begun. */
  #carry = new FrameBuffer();
  /** Finds the end of the collected event. */
  #valueEnd = new JsonValueEnd();
  /** Number of bytes of the collected event that `#valueEnd` has read. */
  #scannedBytes = 0;
  #plainEvents = 0;
  #frames = [];
  constructor(format2) {
    this.#format = format2;
  }
  push(chunk) {
    const bytes = asBuffer(chunk);
    const frames = [];
    this.#frames = frames;
    this.#carry.reuse();
    let at = this.#mark.skip(bytes, 0);
    while (at < bytes.length) {
      at = this.#carry.length > 0 ? this.#continue(bytes, at) : this.#step(bytes, at);
    }
    return frames;
  }
  end() {
    if (this.#carry.length === 0) return;
    throw new CodedError('TRUNCATED_RESPONSE', apimachineryErrors.TRUNCATED_RESPONSE, {
      response: 'watch',
      bytes: this.#carry.length,
    });
  }
  get #cutsLines() {
    return this.#plainEvents >= PLAIN_EVENTS_UNTIL_LINES;
  }
  /** Splits off one event, or its part within these bytes. `at` is a position between two events. */
  #step(bytes, at) {
    const from = skipSpace(bytes, at, bytes.length);
    if (from === bytes.length) return from;
    const opening = this.#cutsLines ? openingAt(bytes, from, bytes.length) : void 0;
    if (opening === void 0) return this.#split(bytes, from);
    const objectFrom = from + opening.bytes.length - 1;
    const name = nextObjectName(bytes, objectFrom);
    if (name === NONE) return this.#lastEvent(bytes, from, opening);
    const next = lineBefore(bytes, name);
    const isTaken = next > objectFrom && this.#take(bytes, opening, objectFrom, next);
    return isTaken ? next : this.#split(bytes, from);
  }
  /** Handles an event after whose opening no other event was found. */
  #lastEvent(bytes, from, opening) {
    const objectFrom = from + opening.bytes.length - 1;
    const { length } = bytes;
    const mayEnd =
      endsInBrace(bytes, objectFrom, length) === true || endsInOpening(bytes, objectFrom);
    if (!mayEnd) return this.#begin(bytes, from);
    const next = bytes.lastIndexOf(NEWLINE) + 1;
    const endsChunk = next === length && this.#plainEvents >= PLAIN_EVENTS_UNTIL_LAST_LINES;
    const isLine = next > objectFrom && (endsChunk || bytes[next] === OPEN_OBJECT);
    if (isLine && this.#take(bytes, opening, objectFrom, next)) return next;
    return this.#split(bytes, from);
  }
  /** Yields an event that owns all bytes up to `to`. False if it does not end in two braces. */
  #take(bytes, opening, objectFrom, to) {
    const end = eventEnd(bytes, to);
    if (end === NONE) return false;
    this.#frames.push(new ByteFrame(this.#format, opening.type, bytes, objectFrom, end - 1));
    return true;
  }
  #split(bytes, from) {
    const event = this.#event;
    const end = event.read(bytes, from, bytes.length);
    if (end === UNFINISHED) return this.#begin(bytes, from);
    const { type, objectFrom, objectTo } = event;
    this.#frames.push(new ByteFrame(this.#format, type, bytes, objectFrom, objectTo));
    if (!event.isPlain) this.#plainEvents = NEVER;
    else if (this.#plainEvents !== NEVER) this.#plainEvents++;
    return end;
  }
  /** Collects the start of an event that these bytes do not complete. */
  #begin(bytes, from) {
    this.#valueEnd.start(OPEN_OBJECT);
    this.#scannedBytes = 0;
    this.#carry.append(bytes, from, bytes.length);
    return bytes.length;
  }
  #continue(bytes, at) {
    if (!this.#cutsLines) return this.#scanTo(bytes, at);
    const carry = this.#carry;
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline !== NONE && this.#endsLine(bytes, at, newline)) {
      carry.append(bytes, at, newline + 1);
      this.#takeLine();
      return newline + 1;
    }
    const unseen = Math.max(0, carry.length - MAX_UNSEEN_NAME_BYTES);
    carry.append(bytes, at, bytes.length);
    const mayEnd =
      newline !== NONE ||
      endsInBrace(bytes, at, bytes.length) === true ||
      endsInOpening(carry.bytes, 0) ||
      nextObjectName(carry.bytes, unseen) !== NONE;
    if (mayEnd) this.#scanCarried();
    return bytes.length;
  }
  /** True if this line is probably the last one of the collected event. */
  #endsLine(bytes, at, newline) {
    if (bytes[newline + 1] !== OPEN_OBJECT) return false;
    return endsInBrace(bytes, at, newline) ?? this.#carriesBrace();
  }
  #carriesBrace() {
    const { bytes } = this.#carry;
    return endsInBrace(bytes, 0, bytes.length) === true;
  }
  /** Searches byte by byte for the end of the collected event. */
  #scanTo(bytes, at) {
    if (this.#scannedBytes < this.#carry.length && this.#scanCarried()) return at;
    const end = this.#valueEnd.push(bytes, at, bytes.length);
    const to = end === UNFINISHED ? bytes.length : end + Number(bytes[end] === NEWLINE);
    this.#carry.append(bytes, at, to);
    this.#scannedBytes = this.#carry.length;
    if (end !== UNFINISHED) this.#splitCarried();
    return to;
  }
  /** Searches the collected bytes for the end of the event. True if it was found. */
  #scanCarried() {
    const { bytes } = this.#carry;
    const end = this.#valueEnd.push(bytes, this.#scannedBytes, bytes.length);
    this.#scannedBytes = bytes.length;
    if (end !== UNFINISHED) this.#splitCarried();
    return end !== UNFINISHED;
  }
  #splitCarried() {
    const carried = this.#carry.take();
    let from = this.#split(carried, 0);
    if (this.#carry.length > 0) throw malformedEvent('brackets do not match');
    while (from < carried.length) from = this.#step(carried, from);
  }
  /**
   * Takes the collected bytes, which end with an event. They contain one event unless the start of another
   * one is found.
   */
  #takeLine() {
    const carried = this.#carry.take();
    const opening = openingAt(carried, 0, carried.length);
    const objectFrom = opening === void 0 ? 0 : opening.bytes.length - 1;
    const isOne =
      opening !== void 0 &&
      nextObjectName(carried, objectFrom) === NONE &&
      this.#take(carried, opening, objectFrom, carried.length);
    let from = isOne ? carried.length : 0;
    while (from < carried.length) from = this.#step(carried, from);
  }
};

// packages/apimachinery/src/wire/json-format.ts
var JsonFormat = class {
  mediaType = 'application/json';
  /** Reused by synchronous calls; no result outlives its call. */
  #scanner = new JsonScanner();
  listSplitter() {
    return new JsonListSplitter(this);
  }
  watchSplitter() {
    return new JsonWatchSplitter(this);
  }
  positions() {
    return noPositions();
  }
  scan(buffer, from, to, positions) {
    this.#scanner.head(buffer, from, to, positions);
  }
  identity(buffer, from, to, positions) {
    if (!hasIdentity(buffer, positions)) return identityOf(this.head(buffer, from, to, positions));
    const bytes = asBuffer(buffer);
    return {
      kind: readString(bytes, positions.kindFrom, positions.kindTo),
      namespace: readString(bytes, positions.namespaceFrom, positions.namespaceTo),
      name: readString(bytes, positions.nameFrom, positions.nameTo),
      uid: readString(bytes, positions.uidFrom, positions.uidTo),
      resourceVersion: readString(
        bytes,
        positions.resourceVersionFrom,
        positions.resourceVersionTo,
      ),
    };
  }
  head(buffer, _from, _to, positions) {
    const bytes = asBuffer(buffer);
    const metadata = readMetadata(bytes, positions);
    const apiVersion = readString(bytes, positions.apiVersionFrom, positions.apiVersionTo);
    const kind = readString(bytes, positions.kindFrom, positions.kindTo);
    if (apiVersion === void 0) return kind === void 0 ? { metadata } : { kind, metadata };
    return kind === void 0 ? { apiVersion, metadata } : { apiVersion, kind, metadata };
  }
  cutLength(from, to, positions) {
    return to - from - (positions.managedFieldsTo - positions.managedFieldsFrom);
  }
  cut(buffer, from, to, positions, target, at) {
    const bytes = asBuffer(buffer);
    if (positions.managedFieldsFrom === -1) return bytes.copy(target, at, from, to);
    const before = bytes.copy(target, at, from, positions.managedFieldsFrom);
    const length = before + bytes.copy(target, at + before, positions.managedFieldsTo, to);
    return positions.managedFieldsRepeated ? this.#cutAgain(target, at, length) : length;
  }
  decode(buffer, from, to) {
    try {
      return parseRange(buffer, from, to);
    } catch (error) {
      const end = objectEnd(buffer, from, to);
      if (end === to || !areOtherMembers(buffer, end, to)) throw error;
      return parseRange(buffer, from, end);
    }
  }
  /** Cuts a further `managedFields` from an object that repeats the name, in place. */
  #cutAgain(target, at, length) {
    const positions = noPositions();
    this.scan(target, at, at + length, positions);
    return this.cut(target, at, at + length, positions, target, at);
  }
};
var jsonFormat = new JsonFormat();
function objectEnd(bytes, from, to) {
  if (bytes[from] !== OPEN_OBJECT) return to;
  const end = skipValue(bytes, from, to);
  if (end === UNFINISHED) return to;
  return bytes[skipSpace(bytes, end, to)] === COMMA ? end : to;
}
function areOtherMembers(bytes, from, to) {
  const rest = asBuffer(bytes).toString('utf8', from, to);
  const members = parseText(`{"":0${rest}}`);
  return !Object.hasOwn(members, 'type') && !Object.hasOwn(members, 'object');
}
function readMetadata(bytes, positions) {
  const { metadataFrom, metadataTo, managedFieldsFrom, managedFieldsTo } = positions;
  if (metadataFrom === -1) throw malformedObject('no metadata');
  const text2 =
    managedFieldsFrom === -1
      ? bytes.toString('utf8', metadataFrom, metadataTo)
      : bytes.toString('utf8', metadataFrom, managedFieldsFrom) +
        bytes.toString('utf8', managedFieldsTo, metadataTo);
  const metadata = parseText(text2);
  if (!isObject2(metadata)) throw malformedObject('metadata is not an object');
  if (positions.managedFieldsRepeated) delete metadata.managedFields;
  return metadata;
}
function isObject2(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function hasIdentity(bytes, { metadataFrom, hasEscapedNames }) {
  return metadataFrom !== -1 && bytes[metadataFrom] === OPEN_OBJECT && !hasEscapedNames;
}
function identityOf({ kind, metadata }) {
  return {
    kind: stringOf(kind),
    namespace: stringOf(metadata.namespace),
    name: stringOf(metadata.name),
    uid: stringOf(metadata.uid),
    resourceVersion: stringOf(metadata.resourceVersion),
  };
}
function stringOf(value) {
  return typeof value === 'string' ? value : void 0;
}
function readString(bytes, from, to) {
  if (from === -1) return void 0;
  if (isPlain2(bytes, from, to)) return bytes.toString('latin1', from + 1, to - 1);
  return stringOf(parseRange(bytes, from, to));
}
function isPlain2(bytes, from, to) {
  if (bytes[from] !== QUOTE) return false;
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH || byte >= 128 || byte < 32) return false;
  }
  return true;
}

// packages/apimachinery/src/wire/protobuf/kind-table.ts
var FIELD = /^([\w$]*)([.*[{-])([a-zA-Z])([0-9a-z]*)(?:@(\d+))?$/;
var RADIX = 36;
var KindTable = class {
  /** The version of Kubernetes whose fields the table has, such as `1.36`. */
  kubernetesVersion;
  /** The number of the message of each kind. */
  #places = /* @__PURE__ */ new Map();
  /** The texts of the messages. A message is read when a kind that has it is first used. */
  #texts = [];
  #messages = [];
  #headMetadata;
  constructor(text2) {
    const [version = '', ...lines] = text2.trim().split('\n');
    this.kubernetesVersion = version;
    for (const line of lines) this.#addLine(line);
  }
  /** The type of metadata without `managedFields`. */
  get headMetadata() {
    return (this.#headMetadata ??= withoutManagedFields(
      metadataOf(this.find('meta.k8s.io/v1', 'PartialObjectMetadata')),
    ));
  }
  /** The type of the metadata of a list, which a `Status` has too. */
  get listMetadata() {
    return metadataOf(this.find('v1', 'Status'));
  }
  /** Every kind, as `apiVersion kind`. */
  get kinds() {
    return this.#places.keys();
  }
  /** Returns a kind, or `undefined` if the table does not have it. */
  find(apiVersion, kind) {
    const place = this.#places.get(`${apiVersion} ${kind}`);
    return place === void 0 ? void 0 : { apiVersion, kind, message: this.#message(place) };
  }
  #addLine(line) {
    const colon = line.indexOf(':');
    const space = line.lastIndexOf(' ', colon);
    this.#places.set(line.slice(0, space), line.slice(space + 1, colon));
    if (colon < line.length - 1) this.#texts.push(...line.slice(colon + 1).split(';'));
  }
  #message(place) {
    const number = Number.parseInt(place, RADIX);
    return (this.#messages[number] ??= this.#read(this.#texts[number] ?? ''));
  }
  #read(text2) {
    const fields = [];
    const byNumber = [];
    let number = 0;
    for (const word of text2 === '' ? [] : text2.split(' ')) {
      const [, name = '', shape, letter = '', place = '', own] = FIELD.exec(word) ?? [];
      const lower = letter.toLowerCase();
      number = own === void 0 ? number + 1 : Number(own);
      const field = {
        name: internalized(name),
        shape,
        letter: lower,
        isOmitted: letter === lower,
        index: fields.length,
        message: place === '' ? void 0 : this.#message(place),
      };
      fields.push(field);
      byNumber[number] = field;
    }
    return { fields, byNumber, slots: fields.map(() => void 0) };
  }
};
function metadataOf(kind) {
  const field = kind?.message.fields.find(({ name }) => name === 'metadata');
  if (field?.message === void 0) throw new Error('the table of kinds has no metadata');
  return field.message;
}
function withoutManagedFields({ fields, byNumber, slots }) {
  return {
    fields: fields.map(skipped),
    byNumber: byNumber.map((field) => (field === void 0 ? void 0 : skipped(field))),
    slots,
  };
}
function skipped(field) {
  if (field.name !== 'managedFields') return field;
  return { ...field, shape: '.', letter: 'x', message: void 0 };
}
function internalized(name) {
  return Object.keys({ [name]: true })[0] ?? name;
}

// packages/apimachinery/src/wire/protobuf/protobuf-reader.ts
var VARINT = 0;
var FIXED64 = 1;
var BYTES2 = 2;
var FIXED32 = 5;
var MAX_VARINT_BYTES = 10;
var TWO_32 = 2 ** 32;
var SHORT_STRING_BYTES = 24;
var ProtobufReader = class {
  bytes = Buffer.alloc(0);
  at = 0;
  /** The end of the message. A reader of a nested message moves it, and moves it back afterwards. */
  to = 0;
  start(bytes, from, to) {
    this.bytes = asBuffer(bytes);
    this.at = from;
    this.to = to;
  }
  /** Reads a tag, or another number that has at most 32 bits. */
  small() {
    const byte = this.#byte();
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let shift = 7; shift < 28; shift += 7) {
      const next = this.#byte();
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
    const last = this.#byte();
    if (last > 15) throw malformedObject('a number is too long');
    return value + last * 2 ** 28;
  }
  /** Reads a length, and returns the position at which the bytes of that length end. */
  end() {
    const length = this.small();
    if (length > this.to - this.at) throw cutOff();
    return this.at + length;
  }
  /** Reads a signed integer. Beyond 2⁵³ it is rounded as JSON.parse rounds its digits. */
  integer() {
    const byte = this.#byte();
    if (byte < 128) return byte;
    let low = byte & 127;
    let high = 0;
    for (let index = 1; index < MAX_VARINT_BYTES; index++) {
      const next = this.#byte();
      const bits = next & 127;
      if (index < 4) low += bits * 2 ** (7 * index);
      else if (index === 4) {
        low += (bits & 15) * 2 ** 28;
        high = bits >>> 4;
      } else high += bits * 2 ** (7 * index - 32);
      if (next < 128) return signed2(low, high % TWO_32);
    }
    throw malformedObject('a number is too long');
  }
  /** Reads the string up to `end`. */
  text(end) {
    const { bytes, at } = this;
    this.at = end;
    if (end - at > SHORT_STRING_BYTES) return bytes.toString('utf8', at, end);
    let text2 = '';
    for (let i = at; i < end; i++) {
      const byte = bytes[i];
      if (byte >= 128) return bytes.toString('utf8', at, end);
      text2 += String.fromCharCode(byte);
    }
    return text2;
  }
  /** Skips the value after a tag. Kubernetes has no groups, so their wire types are refused. */
  skip(tag) {
    const wireType = tag & 7;
    if (wireType === BYTES2) this.at = this.end();
    else if (wireType === VARINT) this.integer();
    else if (wireType === FIXED64) this.#advance(8);
    else if (wireType === FIXED32) this.#advance(4);
    else throw malformedObject('unknown wire type');
  }
  #advance(length) {
    if (length > this.to - this.at) throw cutOff();
    this.at += length;
  }
  #byte() {
    if (this.at >= this.to) throw cutOff();
    return this.bytes[this.at++];
  }
};
function signed2(low, high) {
  if (high < TWO_32 / 2) return high * TWO_32 + low;
  return -((TWO_32 - 1 - high) * TWO_32 + (TWO_32 - low));
}
function cutOff() {
  return malformedObject('the object is cut off');
}

// packages/apimachinery/src/wire/protobuf/envelope.ts
var MAGIC = Buffer.from('k8s\0');
var TYPE_META = 1 * 8 + BYTES2;
var RAW = 2 * 8 + BYTES2;
var CONTENT_ENCODING = 3 * 8 + BYTES2;
var CONTENT_TYPE = 4 * 8 + BYTES2;
var API_VERSION2 = 1 * 8 + BYTES2;
var KIND2 = 2 * 8 + BYTES2;
var MISSING = -1;
var Envelope = class {
  /** False for an item of a list, which is a message without an envelope. */
  isThere = false;
  apiVersionFrom = MISSING;
  apiVersionTo = MISSING;
  kindFrom = MISSING;
  kindTo = MISSING;
  bodyFrom = MISSING;
  bodyTo = MISSING;
  /** Reads up to `reader.to`. Throws `MALFORMED_OBJECT` unless there is exactly one message. */
  read(reader) {
    this.bodyFrom = reader.at;
    this.bodyTo = reader.to;
    this.#clearType();
    this.isThere = hasMagic(reader);
    if (!this.isThere) return;
    reader.at += MAGIC.length;
    this.bodyFrom = MISSING;
    while (reader.at < reader.to) this.#field(reader);
    if (this.bodyFrom === MISSING) throw malformedObject('the envelope is empty');
  }
  /** Reads the message `TypeMeta` up to `reader.to`. An empty string is missing. */
  readType(reader) {
    this.#clearType();
    while (reader.at < reader.to) {
      const tag = reader.small();
      const end = reader.end();
      const from = end === reader.at ? MISSING : reader.at;
      const to = from === MISSING ? MISSING : end;
      if (tag === API_VERSION2) {
        this.apiVersionFrom = from;
        this.apiVersionTo = to;
      } else if (tag === KIND2) {
        this.kindFrom = from;
        this.kindTo = to;
      } else throw malformedObject('unknown field');
      reader.at = end;
    }
  }
  #field(reader) {
    const tag = reader.small();
    const end = reader.end();
    const outer = reader.to;
    if (tag === TYPE_META) {
      reader.to = end;
      this.readType(reader);
      reader.to = outer;
    } else if (tag === RAW && this.bodyFrom === MISSING) {
      this.bodyFrom = reader.at;
      this.bodyTo = end;
    } else expectNoContent(tag, end - reader.at);
    reader.at = end;
  }
  /** True if the envelope names a type. */
  get hasType() {
    return this.apiVersionFrom !== MISSING || this.kindFrom !== MISSING;
  }
  #clearType() {
    this.apiVersionFrom = MISSING;
    this.apiVersionTo = MISSING;
    this.kindFrom = MISSING;
    this.kindTo = MISSING;
  }
};
function expectNoContent(tag, length) {
  const isContent = tag === CONTENT_ENCODING || tag === CONTENT_TYPE;
  if (!isContent || length > 0) throw malformedObject('unknown envelope');
}
function hasMagic({ bytes, at, to }) {
  if (to - at < MAGIC.length) return false;
  for (let i = 0; i < MAGIC.length; i++) if (bytes[at + i] !== MAGIC[i]) return false;
  return true;
}

// packages/apimachinery/src/wire/protobuf/time-text.ts
var SECONDS_PER_DAY = 86400;
var DAYS_TO_1970 = 719468;
var DAYS_PER_ERA = 146097;
var YEARS_PER_ERA = 400;
var ZERO2 = 48;
var [DASH, COLON2, LETTER_T2, LETTER_Z, DOT2] = [45, 58, 84, 90, 46];
function timeText(seconds, micros) {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const time2 = seconds - days * SECONDS_PER_DAY;
  const hour = Math.trunc(time2 / 3600);
  const minute = Math.trunc(time2 / 60) % 60;
  const second = time2 % 60;
  const { year, month, day } = dateOf(days);
  const date = String.fromCharCode(
    digit(year / 1e3),
    digit(year / 100),
    digit(year / 10),
    digit(year),
    DASH,
    digit(month / 10),
    digit(month),
    DASH,
    digit(day / 10),
    digit(day),
    LETTER_T2,
    digit(hour / 10),
    digit(hour),
    COLON2,
    digit(minute / 10),
    digit(minute),
    COLON2,
    digit(second / 10),
    digit(second),
    micros === void 0 ? LETTER_Z : DOT2,
  );
  return micros === void 0 ? date : `${date}${String(micros).padStart(6, '0')}Z`;
}
function digit(value) {
  return ZERO2 + (Math.trunc(value) % 10);
}
function dateOf(days) {
  const sinceMarch = days + DAYS_TO_1970;
  const era = Math.floor(sinceMarch / DAYS_PER_ERA);
  const dayOfEra = sinceMarch - era * DAYS_PER_ERA;
  const yearOfEra = Math.trunc(
    (dayOfEra -
      Math.trunc(dayOfEra / 1460) +
      Math.trunc(dayOfEra / 36524) -
      Math.trunc(dayOfEra / (DAYS_PER_ERA - 1))) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
  const fromMarch = Math.trunc((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.trunc((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * YEARS_PER_ERA + (month <= 2 ? 1 : 0);
  return { year, month, day };
}

// packages/apimachinery/src/wire/protobuf/special-value.ts
var CONTENT = 1;
var ZERO_TIME_SECONDS = -62135596800;
var MIN_SECONDS = -62167219200;
var MAX_SECONDS = 253402300799;
var NANOS_PER_MICRO = 1e3;
var NANOS_PER_SECOND = 1e9;
function specialValue(reader, letter) {
  switch (letter) {
    case 'y':
      return base64(reader);
    case 'q':
      return quantity(reader);
    case 'n':
      return intOrString(reader);
    case 't':
    case 'u':
      return time(reader, letter === 'u');
    case 'w':
      return strings(reader);
    case 'r':
    case 'v':
      return json(reader);
    default:
      reader.at = reader.to;
      return void 0;
  }
}
function emptyValue(letter) {
  if (letter === 's') return '';
  if (letter === 'b') return false;
  if (letter === 'q') return '0';
  return letter === 'i' || letter === 'n' ? 0 : null;
}
function base64(reader) {
  const { bytes, at, to } = reader;
  reader.at = to;
  return bytes.toString('base64', at, to);
}
function quantity(reader) {
  let text2 = '0';
  while (reader.at < reader.to) {
    expectContent(reader);
    text2 = reader.text(reader.end());
  }
  return text2;
}
function intOrString(reader) {
  const [isString, number, text2] = [1, 2, 3];
  let type = 0;
  let int = 0;
  let str = '';
  while (reader.at < reader.to) {
    const tag = reader.small();
    if (tag === isString * 8 + VARINT) type = reader.integer();
    else if (tag === number * 8 + VARINT) int = reader.integer();
    else if (tag === text2 * 8 + BYTES2) str = reader.text(reader.end());
    else throw malformedObject('unknown field');
  }
  if (type !== 0 && type !== 1) throw malformedObject('neither a number nor a string');
  return type === 0 ? int : str;
}
function time(reader, hasMicros) {
  if (reader.at === reader.to) return null;
  let seconds = 0;
  let nanos = 0;
  while (reader.at < reader.to) {
    const tag = reader.small();
    if (tag === 8 + VARINT) seconds = reader.integer();
    else if (tag === 16 + VARINT) nanos = reader.integer();
    else throw malformedObject('unknown field');
  }
  const micros = hasMicros ? Math.floor(nanos / NANOS_PER_MICRO) : 0;
  if (seconds === ZERO_TIME_SECONDS && micros === 0) return null;
  const isValid = seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
  if (!isValid || nanos < 0 || nanos >= NANOS_PER_SECOND) throw malformedObject('invalid time');
  return hasMicros ? timeText(seconds, micros) : timeText(seconds);
}
function strings(reader) {
  const items = [];
  while (reader.at < reader.to) {
    expectContent(reader);
    items.push(reader.text(reader.end()));
  }
  return items;
}
function json(reader) {
  let value = null;
  while (reader.at < reader.to) {
    expectContent(reader);
    const end = reader.end();
    value = parseUnscannedRange(reader.bytes, reader.at, end);
    reader.at = end;
  }
  return value;
}
function expectContent(reader) {
  if (reader.small() !== CONTENT * 8 + BYTES2) throw malformedObject('unknown field');
}

// packages/apimachinery/src/wire/protobuf/message-decoder.ts
var MAX_MESSAGES = 1e6;
var KEY = 1;
var VALUE = 2;
var MessageDecoder = class {
  #reader = new ProtobufReader();
  #messages = 0;
  /** Adds the members of the message to `object`. */
  decode(bytes, from, to, type, object) {
    this.#reader.start(bytes, from, to);
    this.#messages = 0;
    addMembers(type, this.#slots(type), object);
  }
  #slots(type) {
    const reader = this.#reader;
    if (++this.#messages > MAX_MESSAGES) throw malformedObject('too many messages');
    const slots = type.slots.slice();
    while (reader.at < reader.to) {
      const tag = reader.small();
      const field = type.byNumber[tag >>> 3];
      if (field === void 0) throw malformedObject('unknown field');
      this.#read(field, tag & 7, slots);
    }
    return slots;
  }
  #read(field, wireType, slots) {
    const { index, shape, letter } = field;
    const isNumber = letter === 'i' || letter === 'b';
    if (shape === '[') {
      const items = (slots[index] ??= []);
      if (isNumber && wireType === BYTES2) this.#readPacked(field, items);
      else items.push(this.#value(field, wireType));
    } else if (shape === '{') {
      this.#readEntry(field, wireType, (slots[index] ??= /* @__PURE__ */ new Map()));
    } else {
      const isRepeated = slots[index] !== void 0 && letter === 'm';
      if (isRepeated) throw malformedObject('a field occurs twice');
      slots[index] = this.#value(field, wireType);
    }
  }
  #value({ letter, message, shape }, wireType) {
    const reader = this.#reader;
    if (letter === 'i' || letter === 'b') {
      if (wireType !== VARINT) throw malformedObject('unknown wire type');
      const value = reader.integer();
      return letter === 'i' ? value : value !== 0;
    }
    if (wireType !== BYTES2) throw malformedObject('unknown wire type');
    const end = reader.end();
    if (letter === 's') return reader.text(end);
    if (message === void 0) return this.#special(letter, end);
    const outer = reader.to;
    reader.to = end;
    const slots = this.#slots(message);
    reader.to = outer;
    if (shape === '-') return slots;
    const object = letter === 'k' ? { ...CLAIM_TYPE } : {};
    addMembers(message, slots, object);
    return object;
  }
  #special(letter, end) {
    const reader = this.#reader;
    const outer = reader.to;
    reader.to = end;
    const value = specialValue(reader, letter);
    reader.to = outer;
    return value;
  }
  #readPacked(field, items) {
    const reader = this.#reader;
    const end = reader.end();
    while (reader.at < end) items.push(this.#value(field, VARINT));
    if (reader.at > end) throw malformedObject('the object is cut off');
  }
  #readEntry(field, wireType, entries) {
    const reader = this.#reader;
    if (wireType !== BYTES2) throw malformedObject('unknown wire type');
    const end = reader.end();
    const outer = reader.to;
    reader.to = end;
    let key = '';
    let value;
    while (reader.at < end) {
      const tag = reader.small();
      if (tag >>> 3 === KEY && (tag & 7) === BYTES2) key = reader.text(reader.end());
      else if (tag >>> 3 === VALUE) value = this.#value(field, tag & 7);
      else throw malformedObject('unknown field');
    }
    reader.to = outer;
    entries.set(key, value === void 0 ? emptyEntry(field) : value);
  }
};
var CLAIM_TYPE = { kind: 'PersistentVolumeClaim', apiVersion: 'v1' };
function addMembers(type, slots, object) {
  const { fields } = type;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index];
    const value = slots[index];
    if (field.shape === '-') {
      addMembers(field.message, value ?? [], object);
    } else if (value === void 0) {
      if (!field.isOmitted) object[field.name] = emptyMember(field);
    } else if (field.shape === '.') {
      if (!field.isOmitted || !isEmpty(value)) object[field.name] = value;
    } else {
      object[field.name] = field.shape === '{' ? objectOf(value) : value;
    }
  }
}
function isEmpty(value) {
  return value === '' || value === 0 || value === false || value === null;
}
function emptyMember({ shape, letter, message }) {
  if (shape !== '.') return null;
  return message === void 0 ? emptyValue(letter) : emptyMessage(message);
}
function emptyEntry({ letter, message }) {
  if (message !== void 0) return emptyMessage(message);
  if (letter === 'y') return '';
  return letter === 'w' ? [] : emptyValue(letter);
}
function emptyMessage(type) {
  const object = {};
  addMembers(type, [], object);
  return object;
}
function objectOf(entries) {
  const object = {};
  for (const [key, value] of isSorted(entries) ? entries : sorted(entries)) {
    if (key === '__proto__') defineMember(object, key, value);
    else object[key] = value;
  }
  return object;
}
function isSorted(entries) {
  let previous = '';
  for (const key of entries.keys()) {
    if (key < previous) return false;
    previous = key;
  }
  return true;
}
function sorted(entries) {
  return [...entries].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
function defineMember(object, key, value) {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

// packages/apimachinery/src/wire/protobuf/object-scanner.ts
var METADATA2 = 1 * 8 + BYTES2;
var NAME2 = 1 * 8 + BYTES2;
var NAMESPACE2 = 3 * 8 + BYTES2;
var UID2 = 5 * 8 + BYTES2;
var RESOURCE_VERSION2 = 6 * 8 + BYTES2;
var MANAGED_FIELDS2 = 17 * 8 + BYTES2;
var MISSING2 = -1;
function scanObject(reader, envelope, positions) {
  clearPositions(positions);
  if (envelope.isThere) {
    positions.apiVersionFrom = envelope.apiVersionFrom;
    positions.apiVersionTo = envelope.apiVersionTo;
    positions.kindFrom = envelope.kindFrom;
    positions.kindTo = envelope.kindTo;
  }
  reader.at = envelope.bodyFrom;
  reader.to = envelope.bodyTo;
  while (reader.at < reader.to) {
    const tag = reader.small();
    if (tag !== METADATA2) {
      reader.skip(tag);
      continue;
    }
    const end = reader.end();
    positions.metadataFrom = reader.at;
    positions.metadataTo = end;
    reader.to = end;
    return scanMetadata(reader, positions);
  }
}
function scanMetadata(reader, positions) {
  while (reader.at < reader.to) {
    const fieldFrom = reader.at;
    const tag = reader.small();
    if ((tag & 7) !== BYTES2) {
      reader.skip(tag);
      continue;
    }
    const end = reader.end();
    const from = end === reader.at ? MISSING2 : reader.at;
    const to = from === MISSING2 ? MISSING2 : end;
    if (tag === NAME2) {
      positions.nameFrom = from;
      positions.nameTo = to;
    } else if (tag === NAMESPACE2) {
      positions.namespaceFrom = from;
      positions.namespaceTo = to;
    } else if (tag === UID2) {
      positions.uidFrom = from;
      positions.uidTo = to;
    } else if (tag === RESOURCE_VERSION2) {
      positions.resourceVersionFrom = from;
      positions.resourceVersionTo = to;
    } else if (tag === MANAGED_FIELDS2) {
      noteManagedFields2(positions, fieldFrom, end);
    }
    reader.at = end;
  }
}
function noteManagedFields2(positions, from, to) {
  if (positions.managedFieldsFrom === MISSING2) positions.managedFieldsFrom = from;
  else if (positions.managedFieldsTo !== from) throw malformedObject('managedFields are scattered');
  positions.managedFieldsTo = to;
}

// packages/apimachinery/src/wire/protobuf/metadata-cut.ts
function cutObject(reader, { bodyFrom, bodyTo }, positions, target, at) {
  const { bytes } = reader;
  const { metadataTo, managedFieldsFrom, managedFieldsTo } = positions;
  if (managedFieldsFrom === -1) return bytes.copy(target, at, bodyFrom, bodyTo);
  const metadataFrom = positions.metadataFrom;
  const length = metadataTo - metadataFrom - (managedFieldsTo - managedFieldsFrom);
  let end = at + bytes.copy(target, at, bodyFrom, tagBefore(reader, bodyFrom, metadataFrom));
  target[end++] = METADATA2;
  end = writeLength(target, end, length);
  end += bytes.copy(target, end, metadataFrom, managedFieldsFrom);
  end += bytes.copy(target, end, managedFieldsTo, metadataTo);
  return end + bytes.copy(target, end, metadataTo, bodyTo) - at;
}
function tagBefore(reader, bodyFrom, metadataFrom) {
  reader.at = bodyFrom;
  reader.to = metadataFrom;
  for (;;) {
    const tagFrom = reader.at;
    const tag = reader.small();
    if (tag === METADATA2) return tagFrom;
    reader.skip(tag);
  }
}
function writeLength(target, at, length) {
  let rest = length;
  for (; rest >= 128; rest >>>= 7) target[at++] = (rest & 127) | 128;
  target[at++] = rest;
  return at;
}

// packages/apimachinery/src/wire/protobuf/protobuf-list-splitter.ts
var METADATA3 = 1 * 8 + BYTES2;
var ITEMS = 2 * 8 + BYTES2;
var ProtobufListSplitter = class {
  apiVersion;
  kind;
  metadata;
  hasItems = false;
  #format;
  #table;
  #reported;
  #reader = new ProtobufReader();
  /** The start of a field that these bytes do not complete. */
  #carry = new FrameBuffer();
  #place = 'magic';
  /** Bytes of the list that have not been read. */
  #rest = 0;
  #frames = [];
  /** `reported` receives each error of `push`, and returns the error to throw. */
  constructor(format2, table, reported) {
    this.#format = format2;
    this.#table = table;
    this.#reported = reported;
  }
  push(chunk) {
    try {
      return this.#split(asBuffer(chunk));
    } catch (error) {
      throw this.#reported(error);
    }
  }
  #split(bytes) {
    const frames = [];
    this.#frames = frames;
    this.#carry.reuse();
    let at = 0;
    while (at < bytes.length) {
      at = this.#carry.length > 0 ? this.#continue(bytes, at) : this.#step(bytes, at);
    }
    return frames;
  }
  end() {
    if (this.#place === 'after' && this.#carry.length === 0) return;
    throw new CodedError('TRUNCATED_RESPONSE', apimachineryErrors.TRUNCATED_RESPONSE, {
      response: 'list',
      place: this.#place,
    });
  }
  /** Reads one part within these bytes, or begins to collect it. */
  #step(bytes, at) {
    if (this.#place === 'other object') return this.#skip(bytes, at);
    const end = this.#partEnd(bytes, at, bytes.length);
    if (end === UNKNOWN || end > bytes.length) {
      this.#carry.append(bytes, at, bytes.length);
      return bytes.length;
    }
    this.#part(bytes, at, end);
    return end;
  }
  /** Collects no more than one part, so that items do not share bytes. */
  #continue(bytes, at) {
    const carry = this.#carry;
    const end = this.#partEnd(carry.bytes, 0, carry.length);
    const wanted = end === UNKNOWN ? 1 : end - carry.length;
    const taken = Math.min(wanted, bytes.length - at);
    carry.append(bytes, at, at + taken);
    const completeAt = end === UNKNOWN ? this.#partEnd(carry.bytes, 0, carry.length) : end;
    if (completeAt === carry.length) {
      const carried = carry.take();
      this.#part(carried, 0, carried.length);
    }
    return at + taken;
  }
  /**
   * Returns the end of the part that begins at `from`, or `UNKNOWN` if its length is not within these bytes. The list
   * itself ends as a part after its own length, because its fields are further parts.
   */
  #partEnd(bytes, from, to) {
    if (this.#place === 'magic') return from + MAGIC.length;
    const reader = this.#reader;
    reader.start(bytes, from, to);
    if (!endsVarint(bytes, from, to)) return UNKNOWN;
    const tag = reader.small();
    if ((tag & 7) !== BYTES2) throw this.#malformed();
    if (!endsVarint(bytes, reader.at, to)) return UNKNOWN;
    const length = reader.small();
    if (this.#place === 'envelope' && tag === RAW) return reader.at;
    const end = reader.at + length;
    if (this.#place === 'list' && end - from > this.#rest) throw this.#malformed();
    if (length <= MAX_FRAME_BYTES) return end;
    throw new CodedError('FRAME_TOO_LARGE', apimachineryErrors.FRAME_TOO_LARGE, {
      bytes: length,
      most: MAX_FRAME_BYTES,
    });
  }
  #part(bytes, from, to) {
    if (this.#place === 'magic') {
      if (MAGIC.compare(bytes, from, to) !== 0) throw this.#malformed();
      this.#place = 'envelope';
      return;
    }
    const reader = this.#reader;
    reader.start(bytes, from, to);
    const tag = reader.small();
    const length = reader.small();
    if (this.#place === 'list') {
      this.#field(bytes, tag, reader.at, to);
      this.#leave(to - from);
    } else if (this.#place === 'envelope' && tag === RAW) this.#enter(length);
    else if (this.#place === 'envelope' && tag === TYPE_META) this.#note(bytes, reader.at, to);
    else expectNoContent(tag, length);
  }
  #field(bytes, tag, from, to) {
    if (tag === ITEMS) {
      this.#frames.push(new ByteFrame(this.#format, 'ADDED', bytes, from, to));
    } else if (tag === METADATA3 && this.metadata === void 0) {
      const metadata = {};
      new MessageDecoder().decode(bytes, from, to, this.#table.listMetadata, metadata);
      this.metadata = metadata;
    } else throw this.#malformed();
  }
  #note(bytes, from, to) {
    const reader = this.#reader;
    const envelope = new Envelope();
    reader.start(bytes, from, to);
    envelope.readType(reader);
    const { apiVersionFrom, apiVersionTo, kindFrom, kindTo } = envelope;
    if (apiVersionFrom !== -1)
      this.apiVersion = bytes.toString('utf8', apiVersionFrom, apiVersionTo);
    if (kindFrom !== -1) this.kind = bytes.toString('utf8', kindFrom, kindTo);
  }
  /** Begins the list. Its type must be known, because other objects have other fields. */
  #enter(length) {
    if (this.kind === void 0) throw this.#malformed();
    this.hasItems = this.kind.endsWith('List');
    this.#place = this.hasItems ? 'list' : 'other object';
    this.#rest = length;
    this.#leave(0);
  }
  #skip(bytes, at) {
    const skipped2 = Math.min(this.#rest, bytes.length - at);
    this.#leave(skipped2);
    return at + skipped2;
  }
  #leave(read) {
    this.#rest -= read;
    if (this.#rest === 0) this.#place = 'after';
  }
  #malformed() {
    return new CodedError('MALFORMED_LIST', apimachineryErrors.MALFORMED_LIST, {
      place: this.#place,
    });
  }
};
var UNKNOWN = -1;
function endsVarint(bytes, from, to) {
  const last = Math.min(to, from + 5);
  for (let at = from; at < last; at++) if (bytes[at] < 128) return true;
  return last === from + 5;
}

// packages/apimachinery/src/wire/protobuf/protobuf-watch-splitter.ts
var LENGTH_BYTES = 4;
var TYPE2 = 1 * 8 + BYTES2;
var OBJECT2 = 2 * 8 + BYTES2;
var RAW2 = 1 * 8 + BYTES2;
var ProtobufWatchSplitter = class {
  #format;
  #reported;
  #reader = new ProtobufReader();
  /** The length and the bytes of an event that earlier chunks have begun. */
  #carry = new FrameBuffer();
  /** `reported` receives each error of `push`, and returns the error to throw. */
  constructor(format2, reported) {
    this.#format = format2;
    this.#reported = reported;
  }
  push(chunk) {
    try {
      return this.#split(asBuffer(chunk));
    } catch (error) {
      throw this.#reported(error);
    }
  }
  #split(bytes) {
    const frames = [];
    this.#carry.reuse();
    let at = 0;
    while (at < bytes.length) {
      at =
        this.#carry.length > 0 ? this.#continue(bytes, at, frames) : this.#step(bytes, at, frames);
    }
    return frames;
  }
  end() {
    if (this.#carry.length === 0) return;
    throw new CodedError('TRUNCATED_RESPONSE', apimachineryErrors.TRUNCATED_RESPONSE, {
      response: 'watch',
      bytes: this.#carry.length,
    });
  }
  /** Splits off one event, or collects its part within these bytes. */
  #step(bytes, at, frames) {
    const end = frameEnd(bytes, at, bytes.length);
    if (end <= bytes.length) {
      frames.push(this.#frame(bytes, at + LENGTH_BYTES, end));
      return end;
    }
    this.#carry.append(bytes, at, bytes.length);
    return bytes.length;
  }
  /** Collects no more than one event, so that events do not share bytes. */
  #continue(bytes, at, frames) {
    const carry = this.#carry;
    const end = frameEnd(carry.bytes, 0, carry.length);
    const taken = Math.min(end - carry.length, bytes.length - at);
    carry.append(bytes, at, at + taken);
    if (carry.length < LENGTH_BYTES || frameEnd(carry.bytes, 0, carry.length) > carry.length) {
      return at + taken;
    }
    const carried = carry.take();
    frames.push(this.#frame(carried, LENGTH_BYTES, carried.length));
    return at + taken;
  }
  #frame(bytes, from, to) {
    const reader = this.#reader;
    reader.start(bytes, from, to);
    let type;
    let objectFrom = -1;
    let objectTo = -1;
    while (reader.at < reader.to) {
      const tag = reader.small();
      const end = reader.end();
      if (tag === TYPE2) type = reader.text(end);
      else if (tag === OBJECT2 && objectFrom === -1) {
        if (end === reader.at || reader.small() !== RAW2) throw malformedEvent('no object');
        objectTo = reader.end();
        objectFrom = reader.at;
        if (objectTo !== end) throw malformedEvent('unknown field');
      } else throw malformedEvent('unknown field');
      reader.at = end;
    }
    if (objectFrom === -1) throw malformedEvent('no object');
    return new ByteFrame(this.#format, watchEventType(type), bytes, objectFrom, objectTo);
  }
};
function frameEnd(bytes, from, to) {
  if (to - from < LENGTH_BYTES) return from + LENGTH_BYTES;
  const length = bytes.readUInt32BE(from);
  if (length <= MAX_FRAME_BYTES) return from + LENGTH_BYTES + length;
  throw new CodedError('FRAME_TOO_LARGE', apimachineryErrors.FRAME_TOO_LARGE, {
    bytes: length,
    most: MAX_FRAME_BYTES,
  });
}

// packages/apimachinery/src/wire/protobuf/protobuf-format.ts
var PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';
var ProtobufFormat = class {
  mediaType = PROTOBUF_MEDIA_TYPE;
  #table;
  #kind;
  #onMalformed;
  /** Reused by synchronous calls; no result outlives its call. */
  #reader = new ProtobufReader();
  #envelope = new Envelope();
  #decoder = new MessageDecoder();
  constructor(table, kind, onMalformed) {
    this.#table = table;
    this.#kind = kind;
    this.#onMalformed = onMalformed;
  }
  listSplitter() {
    return new ProtobufListSplitter(this, this.#table, (error) => this.#reported(error));
  }
  watchSplitter() {
    return new ProtobufWatchSplitter(this, (error) => this.#reported(error));
  }
  positions() {
    return noPositions();
  }
  scan(buffer, from, to, positions) {
    try {
      this.#open(buffer, from, to);
      scanObject(this.#reader, this.#envelope, positions);
    } catch (error) {
      throw this.#reported(error);
    }
  }
  identity(buffer, from, to, positions) {
    if (positions.metadataFrom === -1) throw malformedObject('no metadata');
    this.#reader.start(buffer, from, to);
    return {
      kind: this.#text(positions.kindFrom, positions.kindTo),
      namespace: this.#text(positions.namespaceFrom, positions.namespaceTo),
      name: this.#text(positions.nameFrom, positions.nameTo),
      uid: this.#text(positions.uidFrom, positions.uidTo),
      resourceVersion: this.#text(positions.resourceVersionFrom, positions.resourceVersionTo),
    };
  }
  head(buffer, from, to, positions) {
    if (positions.metadataFrom === -1) throw malformedObject('no metadata');
    this.#reader.start(buffer, from, to);
    const apiVersion = this.#text(positions.apiVersionFrom, positions.apiVersionTo);
    const kind = this.#text(positions.kindFrom, positions.kindTo);
    const metadata = {};
    const { metadataFrom, metadataTo } = positions;
    try {
      const type = this.#table.headMetadata;
      this.#decoder.decode(buffer, metadataFrom, metadataTo, type, metadata);
    } catch (error) {
      throw this.#reported(error);
    }
    if (apiVersion === void 0) return kind === void 0 ? { metadata } : { kind, metadata };
    return kind === void 0 ? { apiVersion, metadata } : { apiVersion, kind, metadata };
  }
  cutLength(from, to, positions) {
    return to - from - (positions.managedFieldsTo - positions.managedFieldsFrom);
  }
  /** Omits the envelope too, whose type is that of the watch. */
  cut(buffer, from, to, positions, target, at) {
    this.#open(buffer, from, to);
    return cutObject(this.#reader, this.#envelope, positions, target, at);
  }
  decode(buffer, from, to) {
    const object = {};
    try {
      this.#open(buffer, from, to);
      const { hasType, bodyFrom, bodyTo } = this.#envelope;
      const kind = hasType ? this.#type(object) : this.#kind;
      this.#decoder.decode(buffer, bodyFrom, bodyTo, kind.message, object);
    } catch (error) {
      throw this.#reported(error);
    }
    return object;
  }
  #reported(error) {
    this.#onMalformed?.(this.#kind, error);
    return error;
  }
  #open(buffer, from, to) {
    this.#reader.start(buffer, from, to);
    this.#envelope.read(this.#reader);
  }
  /** Returns the type that the envelope names, and adds it to the object in the order of Go's encoder. */
  #type(object) {
    const { apiVersionFrom, apiVersionTo, kindFrom, kindTo } = this.#envelope;
    const apiVersion = this.#text(apiVersionFrom, apiVersionTo) ?? '';
    const kind = this.#text(kindFrom, kindTo) ?? '';
    const found = this.#table.find(apiVersion, kind);
    if (found === void 0) throw malformedObject('unknown kind');
    object.kind = kind;
    object.apiVersion = apiVersion;
    return found;
  }
  #text(from, to) {
    if (from === -1) return void 0;
    this.#reader.at = from;
    return this.#reader.text(to);
  }
};

// packages/apimachinery/src/wire/protobuf/protobuf-formats.ts
var ProtobufFormats = class _ProtobufFormats {
  #table;
  #onMalformed;
  #formats = /* @__PURE__ */ new Map();
  constructor(table, onMalformed) {
    this.#table = typeof table === 'string' ? new KindTable(table) : table;
    this.#onMalformed = onMalformed;
  }
  /**
   * Returns formats of the same kinds that also report each response and object whose bytes they refuse, before they throw. A client then
   * reads the kind as JSON, because the server may have fields that the table lacks.
   */
  observed(onMalformed) {
    return new _ProtobufFormats(this.#table, onMalformed);
  }
  /**
   * The minor version of Kubernetes whose fields the table has, such as `1.36`. A newer server may send fields that the
   * table lacks; their objects are refused (`MALFORMED_OBJECT`).
   */
  get kubernetesVersion() {
    return this.#table.kubernetesVersion;
  }
  /** Every kind of the table, as `apiVersion kind`. */
  get kinds() {
    return [...this.#table.kinds];
  }
  /**
   * Returns the format of one kind, such as `('apps/v1', 'Deployment')`, always the same one. Returns `undefined` for
   * a kind that the table does not have, such as a custom resource.
   */
  find(apiVersion, kind) {
    const name = `${apiVersion} ${kind}`;
    const known = this.#formats.get(name);
    if (known !== void 0) return known;
    const found = this.#table.find(apiVersion, kind);
    if (found === void 0) return void 0;
    const format2 = new ProtobufFormat(this.#table, found, this.#onMalformed);
    this.#formats.set(name, format2);
    return format2;
  }
};

// packages/apimachinery/src/wire/protobuf/load-protobuf-formats.ts
var loadProtobufFormats = loadOnce(async () => {
  const { kindTableText } = await import('./kind-table-text-HBMSNFID.js');
  return new ProtobufFormats(kindTableText);
});
export {
  CodedError,
  CycleDetector,
  ProtobufFormats,
  SharedSlice,
  StatusError,
  TimeSlice,
  abortable,
  addFinalizer,
  aggregateConditions,
  apiVersionOf,
  apimachineryErrors,
  backoffDelays,
  builtin,
  checkCount,
  checkFlag,
  checkFunction,
  checkMethods,
  checkName,
  checkNamespace,
  checkObserver,
  checkOptions,
  checkRuntime,
  checkSignal,
  controllerOf,
  defineResource,
  endsWithin,
  fieldValue,
  findCondition,
  hasCode,
  hasFinalizer,
  invalidOption,
  isAlreadyExists,
  isConditionTrue,
  isConflict,
  isControlledBy,
  isDeleting,
  isDnsLabel,
  isDnsSubdomain,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isResourceVersionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  jsonFormat,
  keyOf,
  labelRequirementsOf,
  loadOnce,
  loadProtobufFormats,
  matchesFieldValues,
  matchesFields,
  matchesLabels,
  mutableCopy,
  normalFieldSelector,
  normalLabelSelector,
  objectKey,
  objectNameProblem,
  ownerReferenceTo,
  parseDuration,
  parseFieldSelector,
  parseLabelSelector,
  parseObjectKey,
  pause,
  printFieldSelector,
  printLabelSelector,
  refersToKind,
  removeFinalizer,
  resourceId,
  setCondition,
  setControllerReference,
  startTimer,
  statusOf,
  thrownReason,
  withLinkedSignal,
};
//# sourceMappingURL=index.js.map
