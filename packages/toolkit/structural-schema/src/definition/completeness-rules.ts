import type { StatusCause } from '@keelson/apimachinery';
import { ownValue } from '../json/json-value.ts';
import { required } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath, keyPath } from '../validation/field-path.ts';
import { type JsonSchema } from '../validation/json-schema.ts';

/** Returns the causes for fields that a junctor restricts although no schema outside declares them. */
export function completenessCauses(schema: JsonSchema, path: FieldPath): StatusCause[] {
  return junctorCauses(schema, schema, path, path);
}

/** Compares the junctors of `restriction` with the declaring schema, each with its own path. */
function junctorCauses(
  restriction: JsonSchema,
  declaring: JsonSchema,
  declaringPath: FieldPath,
  path: FieldPath,
): StatusCause[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = restriction;
  const within = (list: readonly JsonSchema[], name: string): StatusCause[] =>
    list.flatMap((each, index) =>
      nestedCauses(each, declaring, declaringPath, indexPath(childPath(path, name), index)),
    );
  return [
    ...(not === undefined
      ? []
      : nestedCauses(not, declaring, declaringPath, childPath(path, 'not'))),
    ...within(allOf, 'allOf'),
    ...within(anyOf, 'anyOf'),
    ...within(oneOf, 'oneOf'),
  ];
}

function nestedCauses(
  restriction: JsonSchema,
  declaring: JsonSchema | undefined,
  declaringPath: FieldPath,
  path: FieldPath,
): StatusCause[] {
  if (declaring === undefined) return [required(declaringPath, `because it is defined in ${path}`)];
  const { items, properties = {} } = restriction;
  return [
    ...junctorCauses(restriction, declaring, declaringPath, path),
    ...(items === undefined
      ? []
      : nestedCauses(
          items,
          declaring.items,
          childPath(declaringPath, 'items'),
          childPath(path, 'items'),
        )),
    ...Object.entries(properties).flatMap(([name, property]) =>
      nestedCauses(
        property,
        ownValue(declaring.properties ?? {}, name),
        keyPath(childPath(declaringPath, 'properties'), name),
        keyPath(childPath(path, 'properties'), name),
      ),
    ),
  ];
}
