import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, checkSubdomain, goLower } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isNumeric,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;
const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

/** Validates a StorageClass except its metadata. */
export function validateStorageClass(storageClass: JsonObject): StatusCause[] {
  const policy = textAt(storageClass, 'reclaimPolicy');
  const mode = textAt(storageClass, 'volumeBindingMode');
  return [
    ...validateProvisioner(textAt(storageClass, 'provisioner'), 'provisioner'),
    ...validateParameters(objectAt(storageClass, 'parameters'), 'parameters'),
    ...(policy === '' || reclaimPolicies.includes(policy)
      ? []
      : [notSupported('reclaimPolicy', policy, reclaimPolicies)]),
    ...(bindingModes.includes(mode) ? [] : [notSupported('volumeBindingMode', mode, bindingModes)]),
    ...validateTopologies(objectsAt(storageClass, 'allowedTopologies'), 'allowedTopologies'),
  ];
}

function validateProvisioner(name: string, path: FieldPath): StatusCause[] {
  if (name === '') return [required(path)];
  const lower = goLower(name);
  return checkQualifiedName(lower).map((detail) => invalid(path, lower, detail));
}

function validateParameters(parameters: JsonObject, path: FieldPath): StatusCause[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [tooLong(path, MAX_PARAMETERS)];
  const bytes = entries.flat().reduce<number>((sum, text) => sum + sizeOf(text), 0);
  return [
    ...(Object.hasOwn(parameters, '') ? [invalid(path, '', 'field can not be empty.')] : []),
    ...(bytes > MAX_PARAMETER_BYTES ? [tooLong(path, MAX_PARAMETER_BYTES)] : []),
  ];
}

function sizeOf(text: JsonValue): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0;
}

function validateTopologies(terms: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const values = terms.map((term) => valuesOf(term));
  // kube-apiserver compares each term with as many empty ones, too.
  const empty = terms.map(() => ({}));
  return terms.flatMap((term, index) => {
    const field = childPath(indexPath(path, index), 'matchLabelExpressions');
    const earlier = [...empty, ...values.slice(0, index)].filter((each) =>
      jsonEquals(each, values[index]),
    );
    return [...validateTerm(term, field), ...earlier.map(() => duplicate(field, ''))];
  });
}

/** The sorted values of a term by key. */
function valuesOf(term: JsonObject): JsonObject {
  const expressions = objectsAt(term, 'matchLabelExpressions');
  return Object.fromEntries(
    expressions.map((each) => [
      textAt(each, 'key'),
      [...new Set(textsAt(each, 'values'))].toSorted(),
    ]),
  );
}

function validateTerm(term: JsonObject, path: FieldPath): StatusCause[] {
  const expressions = objectsAt(term, 'matchLabelExpressions');
  const keys = expressions.map((expression) => textAt(expression, 'key'));
  return expressions.flatMap((expression, index) => {
    const at = indexPath(path, index);
    const key = keys[index] ?? '';
    const values = textsAt(expression, 'values');
    const field = childPath(at, 'values');
    return [
      ...(values.length === 0 ? [required(field)] : []),
      ...values.flatMap((value, position) =>
        values.indexOf(value) < position ? [duplicate(indexPath(field, position), value)] : [],
      ),
      ...checkQualifiedName(key).map((detail) => invalid(childPath(at, 'key'), key, detail)),
      ...(keys.indexOf(key) < index ? [duplicate(childPath(at, 'key'), key)] : []),
    ];
  });
}

/** Validates a VolumeAttributesClass except its metadata. */
export function validateAttributesClass(attributesClass: JsonObject): StatusCause[] {
  const parameters = objectAt(attributesClass, 'parameters');
  return [
    ...validateProvisioner(textAt(attributesClass, 'driverName'), 'driverName'),
    ...validateParameters(parameters, 'parameters'),
    ...(Object.keys(parameters).length === 0
      ? [required('parameters', 'must contain at least one key/value pair')]
      : []),
  ];
}

/** The driver and the parameters of a VolumeAttributesClass never change. */
export function validateAttributesClassChange(next: JsonObject, old: JsonObject): StatusCause[] {
  return ['driverName', 'parameters']
    .filter((field) => !jsonEquals(next[field], old[field]))
    .map((field) => forbidden(field, `updates to ${field} are forbidden.`));
}

/** Validates a CSIStorageCapacity except its metadata. */
export function validateStorageCapacity(capacity: JsonObject): StatusCause[] {
  const name = textAt(capacity, 'storageClassName');
  const amount = textAt(capacity, 'capacity');
  return [
    ...validateLabelSelector(objectAt(capacity, 'nodeTopology'), 'nodeTopology'),
    ...checkSubdomain(name).map((detail) => invalid('storageClassName', name, detail)),
    ...(amount.startsWith('-')
      ? [invalid('capacity', amount, 'must be greater than or equal to 0')]
      : []),
  ];
}

/** The class and the topology of a CSIStorageCapacity never change. */
export function validateStorageCapacityChange(next: JsonObject, old: JsonObject): StatusCause[] {
  return ['nodeTopology', 'storageClassName']
    .filter((field) => !jsonEquals(next[field], old[field]))
    .map((field) => invalid(field, next[field], 'field is immutable'));
}

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const MIN_UPDATE_PERIOD_SECONDS = 10;

/** Validates a CSIDriver except its metadata. */
export function validateDriver(driver: JsonObject): StatusCause[] {
  const spec = objectAt(driver, 'spec');
  const policy = textAt(spec, 'fsGroupPolicy');
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  const inSecrets = spec.serviceAccountTokenInSecrets;
  const requests = objectsAt(spec, 'tokenRequests');
  return [
    ...(spec.fsGroupPolicy === undefined || groupPolicies.includes(policy)
      ? []
      : [notSupported('spec.fsGroupPolicy', policy, groupPolicies)]),
    ...validateTokenRequests(requests, 'spec.tokenRequests'),
    ...textsAt(spec, 'volumeLifecycleModes')
      .filter((mode) => !lifecycleModes.includes(mode))
      .map((mode) => notSupported('spec.volumeLifecycleModes', mode, lifecycleModes)),
    ...(isNumeric(period) && period < MIN_UPDATE_PERIOD_SECONDS
      ? [
          invalid(
            'spec.nodeAllocatableUpdatePeriodSeconds',
            period,
            'must be greater than or equal to 10 seconds',
          ),
        ]
      : []),
    ...(inSecrets !== undefined && requests.length === 0
      ? [
          invalid(
            'spec.serviceAccountTokenInSecrets',
            inSecrets,
            'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
          ),
        ]
      : []),
  ];
}

function validateTokenRequests(requests: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const audiences = requests.map((request) => textAt(request, 'audience'));
  return requests.flatMap(({ expirationSeconds: seconds }, index) => {
    const at = indexPath(path, index);
    const audience = audiences[index] ?? '';
    const field = childPath(at, 'expirationSeconds');
    if (audiences.indexOf(audience) < index)
      return [duplicate(childPath(at, 'audience'), audience)];
    if (!isNumeric(seconds)) return [];
    if (seconds < MIN_TOKEN_SECONDS) {
      return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
    }
    if (seconds <= MAX_TOKEN_SECONDS) return [];
    return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  });
}

/** Whether a CSIDriver attaches volumes, and their modes, never change. The path of the first has a typo in Kubernetes. */
export function validateDriverChange(next: JsonObject, old: JsonObject): StatusCause[] {
  const paths = {
    attachRequired: 'attachedRequired',
    volumeLifecycleModes: 'volumeLifecycleModes',
  };
  const [spec, before] = [objectAt(next, 'spec'), objectAt(old, 'spec')];
  return Object.entries(paths)
    .filter(([field]) => !jsonEquals(spec[field], before[field]))
    .map(([field, path]) => invalid(childPath('spec', path), spec[field], 'field is immutable'));
}

/** Warns of a driver whose tokens may get into logs. */
export function driverWarnings(driver: JsonObject, old?: JsonObject): string[] {
  const [spec, before] = [objectAt(driver, 'spec'), objectAt(old ?? {}, 'spec')];
  if (spec.serviceAccountTokenInSecrets !== undefined) return [];
  if (objectsAt(spec, 'tokenRequests').length === 0) return [];
  if (jsonEquals(spec.tokenRequests, before.tokenRequests)) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}
