import { labelRequirementsOf, matchesLabels, type StatusCause } from '@keelson/apimachinery';
import type { FieldPath, JsonObject, JsonValue } from '@keelson/structural-schema';
import {
  childPath,
  forbidden,
  invalid,
  isJsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';

/** Requires a selector that is valid and not empty. */
export function validateSelector(spec: JsonObject, path: FieldPath, kind: string): StatusCause[] {
  const { selector } = spec;
  const field = childPath(path, 'selector');
  if (!isJsonObject(selector)) return [required(field)];
  return [...validateLabelSelector(selector, field), ...rejectEmptySelector(selector, path, kind)];
}

/** Rejects a selector without requirements, which would select all pods. */
export function rejectEmptySelector(
  selector: JsonObject,
  path: FieldPath,
  kind: string,
): StatusCause[] {
  const expressions = objectsAt(selector, 'matchExpressions');
  const isEmpty = Object.keys(objectAt(selector, 'matchLabels')).length + expressions.length === 0;
  if (!isEmpty) return [];
  return [invalid(childPath(path, 'selector'), selector, `empty selector is invalid for ${kind}`)];
}

/** True if no template can be compared with the selector. */
export function isInvalidSelector(spec: JsonObject): boolean {
  return validateLabelSelector(objectAt(spec, 'selector'), '').length > 0;
}

/** Checks that the selector matches the labels of the template. */
export function validateMatch(spec: JsonObject, path: FieldPath): StatusCause[] {
  const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
  const { selector } = spec;
  if (isJsonObject(selector)) {
    const requirements = labelRequirementsOf(selector);
    if (matchesLabels(requirements, (labels ?? {}) as Record<string, string>)) return [];
  }
  return [mismatch(labels, path)];
}

/** The cause for labels of a template that the selector does not match. */
export function mismatch(labels: JsonValue | undefined, path: FieldPath): StatusCause {
  const field = childPath(path, 'template.metadata.labels');
  return invalid(field, labels ?? null, '`selector` does not match template `labels`');
}

/** Rejects a restart policy other than `Always`. */
export function alwaysRestarts(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'Always' || policy === '') return [];
  return [notSupported(childPath(path, 'template.spec.restartPolicy'), policy, ['Always'])];
}

/** Rejects `activeDeadlineSeconds`, which only a Job or a pod without a controller may have. */
export function hasNoDeadline(spec: JsonObject, path: FieldPath, kind: string): StatusCause[] {
  const template = objectAt(objectAt(spec, 'template'), 'spec');
  if (template.activeDeadlineSeconds === undefined) return [];
  const field = childPath(path, 'template.spec.activeDeadlineSeconds');
  return [forbidden(field, `activeDeadlineSeconds in ${kind} is not Supported`)];
}
