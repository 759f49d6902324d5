import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain, compareQuantities } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  keyPath,
  required,
  ownValue,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { ResourceList } from '../shared/resource-list.ts';
import { containerResources, sideOf } from './pod-resources.ts';
import { validateContainerResources, validateOwnResources } from './rules-resources.ts';

/** Returns the names of the claims that containers of a pod can use. */
export function claimNamesOf(spec: JsonObject): string[] {
  const names = objectsAt(spec, 'resourceClaims').map((claim) => textAt(claim, 'name'));
  return names.filter((name) => name !== '');
}

/** Validates the resource claims of a pod. Each names an object or a template. */
export function validateResourceClaims(spec: JsonObject, path: FieldPath): StatusCause[] {
  const claims = objectsAt(spec, 'resourceClaims');
  const names = claims.map((claim) => textAt(claim, 'name'));
  return claims.flatMap((claim, index) => {
    const place = indexPath(childPath(path, 'resourceClaims'), index);
    const name = names[index] ?? '';
    return [
      ...validateClaimName(name, childPath(place, 'name'), names.indexOf(name) < index),
      ...validateClaimSource(claim, place),
    ];
  });
}

function validateClaimName(name: string, path: FieldPath, isRepeated: boolean): StatusCause[] {
  if (name === '') return [required(path)];
  if (isRepeated) return [duplicate(path, name)];
  return checkDnsLabel(name).map((detail) => invalid(path, name, detail));
}

function validateClaimSource(claim: JsonObject, path: FieldPath): StatusCause[] {
  const { resourceClaimName: object, resourceClaimTemplateName: template } = claim;
  const shown = {
    Name: textAt(claim, 'name'),
    ResourceClaimName: object ?? null,
    ResourceClaimTemplateName: template ?? null,
  };
  const both = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
  const none = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
  return [
    ...(object !== undefined && template !== undefined ? [invalid(path, shown, both)] : []),
    ...(object === undefined && template === undefined ? [invalid(path, shown, none)] : []),
    ...['resourceClaimName', 'resourceClaimTemplateName'].flatMap((field) => {
      const name = claim[field];
      if (typeof name !== 'string') return [];
      return checkSubdomain(name).map((detail) => invalid(childPath(path, field), name, detail));
    }),
  ];
}

/** Validates the resources of a whole pod by themselves, and with those of its containers. */
export function validatePodResources(spec: JsonObject, path: FieldPath): StatusCause[] {
  if (!isJsonObject(spec.resources)) return [];
  const field = childPath(path, 'resources');
  if (objectAt(spec, 'os').name === 'windows') {
    return [forbidden(field, 'may not be set for a windows pod')];
  }
  const { resources } = spec;
  const detail = 'claims may not be set for Resources at pod-level';
  return [
    ...(resources.claims === undefined ? [] : [forbidden(childPath(field, 'claims'), detail)]),
    ...validateOwnResources(resources, field, claimNamesOf(spec)),
    ...validateTotals(spec, field),
    ...validateContainerLimits(spec, field),
  ];
}

/** The requests of the pod are at least those of all containers, and so are its limits of huge pages. */
function validateTotals(spec: JsonObject, path: FieldPath): StatusCause[] {
  const limits = Object.entries(containerResources(spec, 'limits'));
  const pages = Object.fromEntries(limits.filter(([name]) => name.startsWith('hugepages-')));
  return [
    ...tooSmall(sideOf(spec, 'requests'), containerResources(spec, 'requests'), {
      path: childPath(path, 'requests'),
      side: 'requests',
    }),
    ...tooSmall(sideOf(spec, 'limits'), pages, { path: childPath(path, 'limits'), side: 'limits' }),
  ];
}

function tooSmall(
  own: ResourceList,
  total: ResourceList,
  { path, side }: { readonly path: FieldPath; readonly side: string },
): StatusCause[] {
  return Object.entries(total).flatMap(([name, quantity]) => {
    const given = ownValue(own, name);
    if (given === undefined || compareQuantities(quantity, given) <= 0) return [];
    const detail = `must be greater than or equal to aggregate container ${side} of ${quantity}`;
    return [invalid(keyPath(path, name), given, detail)];
  });
}

function validateContainerLimits(spec: JsonObject, path: FieldPath): StatusCause[] {
  const own = sideOf(spec, 'limits');
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    Object.entries(sideOf(container, 'limits')).flatMap(([name, limit]) => {
      const given = ownValue(own, name);
      if (given === undefined || compareQuantities(limit, given) <= 0) return [];
      const place = keyPath(indexPath(childPath(path, 'containers'), index), name);
      const detail = `must be less than or equal to pod limits of ${given}`;
      return [invalid(childPath(place, 'limits'), limit, detail)];
    }),
  );
}

/** Validates the overhead of a pod, whose errors name it as a limit. */
export function validateOverhead(spec: JsonObject, path: FieldPath): StatusCause[] {
  const limits = objectAt(spec, 'overhead');
  return validateContainerResources({ limits }, childPath(path, 'overhead'), []);
}
