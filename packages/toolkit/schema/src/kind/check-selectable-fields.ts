import { invalidOption } from '@keelson/apimachinery';
import { ownValue, type JsonSchema } from '@keelson/structural-schema';

/** The most fields of a version by which the API server selects. */
const MAX_FIELDS = 8;

const selectableTypes: ReadonlySet<unknown> = new Set(['boolean', 'integer', 'string']);

/** Throws `INVALID_OPTION` for a field by which the API server cannot select objects. */
export function checkSelectableFields(
  fields: readonly unknown[],
  root: JsonSchema,
  where: string,
): void {
  const seen = new Set<unknown>();
  for (const [index, path] of fields.entries()) {
    const option = `${where}.selectableFields[${index}]`;
    const facts = { value: path };
    if (typeof path !== 'string' || !/^(?:\.[^.[\]']+)+$/.test(path)) {
      throw invalidOption(option, 'must be a path such as ".spec.colour"', facts);
    }
    if (!selectableTypes.has(typeAt(root, path.split('.').slice(1)))) {
      const expected = 'must name a field of spec or status of the type string, boolean or integer';
      throw invalidOption(option, expected, facts);
    }
    if (seen.has(path)) throw invalidOption(option, 'must occur once', facts);
    seen.add(path);
  }
  if (seen.size > MAX_FIELDS) {
    throw invalidOption(`${where}.selectableFields`, `must have at most ${MAX_FIELDS} fields`);
  }
}

function typeAt(schema: JsonSchema | undefined, names: readonly string[]): string | undefined {
  const [name, ...others] = names;
  if (schema === undefined || name === undefined) return schema?.type;
  const { properties, additionalProperties: values } = schema;
  if (properties !== undefined) return typeAt(ownValue(properties, name), others);
  return typeof values === 'object' ? typeAt(values, others) : undefined;
}
