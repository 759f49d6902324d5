import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, goLower } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
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
