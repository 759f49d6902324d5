import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, goLower } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  invalid,
  type JsonObject,
  validateLabels,
} from '@keelson/structural-schema';
import { objectAt } from '../../json/json-members.ts';

/** Validates the labels and annotations of the template of a pod or of a claim. */
export function validateTemplateMetadata(template: JsonObject, path: FieldPath): StatusCause[] {
  const metadata = objectAt(template, 'metadata');
  return [
    ...validateLabels(
      objectAt(metadata, 'labels') as Record<string, string>,
      childPath(path, 'labels'),
    ),
    ...Object.keys(objectAt(metadata, 'annotations')).flatMap((key) =>
      checkQualifiedName(goLower(key)).map((detail) =>
        invalid(childPath(path, 'annotations'), key, detail),
      ),
    ),
  ];
}

const claimMetadata: ReadonlySet<string> = new Set(['annotations', 'creationTimestamp', 'labels']);

/** Validates the metadata of the template of a claim, which has labels and annotations only. */
export function validateClaimMetadata(metadata: JsonObject, path: FieldPath): StatusCause[] {
  return [
    ...validateTemplateMetadata({ metadata }, path),
    ...Object.keys(metadata)
      .filter((name) => !claimMetadata.has(name))
      .map((name) => forbidden(childPath(path, name), 'cannot be set')),
  ];
}
