import { objectAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  invalid,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import type { OrderedRules } from '../../schema/validation-rule.ts';

/**
 * The rule of a version validates the paths of a scale, because their field path depends on the number of versions.
 */
export const subresourceOrders: OrderedRules = {
  'apiextensions.v1.CustomResourceSubresourceScale': () => [],
};

/** Validates the subresources of a version. */
export function validateSubresources(version: JsonObject, path: FieldPath): StatusCause[] {
  const subresources = objectAt(version, 'subresources');
  if (subresources.scale === undefined) return [];
  const scale = objectAt(subresources, 'scale');
  const scalePath = childPath(path, 'scale');
  const selector = textAt(scale, 'labelSelectorPath');
  return [
    ...validatePath(scale, scalePath, 'specReplicasPath', ['.spec']),
    ...validatePath(scale, scalePath, 'statusReplicasPath', ['.status']),
    ...(selector === ''
      ? []
      : validatePath(scale, scalePath, 'labelSelectorPath', ['.spec', '.status'])),
  ];
}

function validatePath(
  scale: JsonObject,
  path: FieldPath,
  name: string,
  roots: readonly string[],
): StatusCause[] {
  const value = textAt(scale, name);
  const field = childPath(path, name);
  if (value === '') return [required(field)];
  if (!value.startsWith('.')) {
    return [invalid(field, value, 'must be a simple json path starting with .')];
  }
  if (roots.some((root) => value.startsWith(`${root}.`))) return [];
  const wanted = roots.length === 1 ? roots[0] : `either ${roots.join(' or ')}`;
  return [invalid(field, value, `should be a json path under ${wanted}`)];
}
