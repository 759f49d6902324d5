import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  invalid,
  invalidText,
  isJsonObject,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { objectAt, textAt } from '../../json/json-members.ts';
import type { PlacedPart } from './internal-form.ts';
import { validateSimplePath } from './simple-path.ts';

/** Validates the subresources of a version. */
export function validateSubresources({ value, path }: PlacedPart): StatusCause[] {
  if (!isJsonObject(value) || !isJsonObject(value['scale'])) return [];
  const scale = objectAt(value, 'scale');
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
  const causes = validateSimplePath(value, field);
  if (causes.length > 0 || roots.some((root) => value.startsWith(`${root}.`))) return causes;
  const wanted = roots.length === 1 ? roots[0] : `either ${roots.join(' or ')}`;
  const report = name === 'labelSelectorPath' ? invalidText : invalid;
  return [report(field, value, `should be a json path under ${wanted}`)];
}
