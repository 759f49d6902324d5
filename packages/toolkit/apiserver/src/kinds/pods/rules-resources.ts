import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, compareQuantities, nanosOfQuantity } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  keyPath,
  notFound,
  notSupported,
  required,
  ownValue,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { type ResourceList, resourceList } from '../shared/resource-list.ts';
import {
  isExtendedResource,
  isHugePages,
  isNativeResource,
  validateContainerResourceName,
  validateResourceName,
} from '../shared/rules-resource-name.ts';
import { isWhole } from '../shared/whole-units.ts';

/** Returns the causes for the name of a resource. */
type ResourceNameRule = (name: string, path: FieldPath) => StatusCause[];

/** Validates the resources of a container. `claims` are the names of the claims of its pod. */
export function validateContainerResources(
  resources: JsonObject,
  path: FieldPath,
  claims: readonly string[],
): StatusCause[] {
  return validateRequirements(resources, path, {
    checkName: validateContainerResourceName,
    claims,
  });
}

/** Validates the resources of a whole pod by themselves. */
export function validateOwnResources(
  resources: JsonObject,
  path: FieldPath,
  claims: readonly string[],
): StatusCause[] {
  return validateRequirements(resources, path, { checkName: podResourceName, claims });
}

interface RequirementRules {
  readonly checkName: ResourceNameRule;
  readonly claims: readonly string[];
}

function validateRequirements(
  resources: JsonObject,
  path: FieldPath,
  { checkName, claims }: RequirementRules,
): StatusCause[] {
  const limits = resourceList(objectAt(resources, 'limits'));
  const requests = resourceList(objectAt(resources, 'requests'));
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const needsOthers = names.some(isHugePages) && !names.some((name) => measured.has(name));
  return [
    ...validateList(limits, childPath(path, 'limits'), checkName),
    ...validateList(requests, childPath(path, 'requests'), checkName),
    ...Object.keys(requests).flatMap((name) => requestOf(name, requests, limits, path)),
    ...(needsOthers ? [forbidden(path, 'HugePages require cpu or memory')] : []),
    ...validateClaims(objectsAt(resources, 'claims'), childPath(path, 'claims'), claims),
  ];
}

const measured: ReadonlySet<string> = new Set(['cpu', 'memory']);

function validateList(list: ResourceList, path: FieldPath, check: ResourceNameRule): StatusCause[] {
  return Object.entries(list).flatMap(([name, quantity]) => {
    const field = keyPath(path, name);
    return [...check(name, field), ...validateQuantity(name, quantity, field)];
  });
}

function validateQuantity(name: string, quantity: string, path: FieldPath): StatusCause[] {
  const nanos = nanosOfQuantity(quantity) ?? 0n;
  const size = nanosOfQuantity(name.replace('hugepages-', '')) ?? 0n;
  const isDivisible = isWhole(quantity) && size > 0n && nanos % size === 0n;
  return [
    ...(nanos < 0n ? [invalid(path, quantity, 'must be greater than or equal to 0')] : []),
    ...(!isWhole(quantity) && isExtendedResource(name)
      ? [invalid(path, quantity, 'must be an integer')]
      : []),
    ...(isHugePages(name) && !isDivisible
      ? [invalid(path, quantity, `${quantity} is not positive integer multiple of ${name}`)]
      : []),
  ];
}

/** A request is at most the limit, and equal to it if the resource cannot be overcommitted. */
function requestOf(
  name: string,
  requests: ResourceList,
  limits: ResourceList,
  path: FieldPath,
): StatusCause[] {
  const [request = '0', limit] = [ownValue(requests, name), ownValue(limits, name)];
  const isShared = isNativeResource(name) && !isHugePages(name);
  const field = childPath(path, 'requests');
  if (limit === undefined) {
    if (isShared) return [];
    const missing = 'Limit must be set for non overcommitable resources';
    return [required(childPath(path, 'limits'), missing)];
  }
  const order = compareQuantities(request, limit);
  if (order !== 0 && !isShared) {
    return [invalid(field, request, `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0
    ? [invalid(field, request, `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

function podResourceName(name: string, path: FieldPath): StatusCause[] {
  const causes = validateResourceName(name, path);
  if (causes.length > 0 || measured.has(name) || isHugePages(name)) return causes;
  return [notSupported(path, name, ['cpu', 'hugepages-', 'memory'])];
}

/** The uses of claims: a whole claim, or requests of it, each once. */
function validateClaims(
  uses: readonly JsonObject[],
  path: FieldPath,
  claims: readonly string[],
): StatusCause[] {
  const taken = new Set<string>();
  return uses.flatMap((use, index) => {
    const place = indexPath(path, index);
    const [name, request] = [textAt(use, 'name'), textAt(use, 'request')];
    if (name === '') return [required(place)];
    return [
      ...repeatedUse(name, request, { place, taken }),
      ...(claims.includes(name) ? [] : [unknownClaim(place, name, claims)]),
    ];
  });
}

function repeatedUse(
  name: string,
  request: string,
  { place, taken }: { readonly place: FieldPath; readonly taken: Set<string> },
): StatusCause[] {
  if (taken.has(name)) return [duplicate(place, name)];
  const field = childPath(place, 'request');
  if (request === '') {
    const parts = [...taken].filter((each) => each.startsWith(`${name}/`));
    taken.add(name);
    return parts.map(() => duplicate(place, name));
  }
  const key = `${name}/${request}`;
  const isTaken = taken.has(key);
  taken.add(key);
  return [
    ...checkDnsLabel(request).map((detail) => invalid(field, request, detail)),
    ...(isTaken ? [duplicate(place, key)] : []),
  ];
}

function unknownClaim(path: FieldPath, name: string, claims: readonly string[]): StatusCause {
  const cause = notFound(path, name);
  const known = claims.length === 0 ? ' which is empty' : `: ${claims.toSorted().join(', ')}`;
  const detail = `must be one of the names in pod.spec.resourceClaims${known}`;
  return { ...cause, message: `${cause.message}: ${detail}` };
}

const resizable = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

/** Validates how a container is resized. kube-apiserver reports the values without their index. */
export function validateResizePolicy(
  policies: readonly JsonObject[],
  path: FieldPath,
  podRestartPolicy: string,
): StatusCause[] {
  const names = policies.map((policy) => textAt(policy, 'resourceName'));
  const never = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
  return policies.flatMap((policy, index) => {
    const [name = '', restart] = [names[index], textAt(policy, 'restartPolicy')];
    return [
      ...(names.indexOf(name) < index ? [duplicate(indexPath(path, index), name)] : []),
      ...oneOfNames(name, path, resizable),
      ...oneOfNames(restart, path, resizePolicies),
      ...(podRestartPolicy === 'Never' && restart !== 'NotRequired'
        ? [invalid(path, restart, never)]
        : []),
    ];
  });
}

function oneOfNames(value: string, path: FieldPath, allowed: readonly string[]): StatusCause[] {
  if (value === '') return [required(path)];
  return allowed.includes(value) ? [] : [notSupported(path, value, allowed)];
}
