import { isNumeric, jsonText, type JsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { typeOfValues } from '../union/type-of-values.ts';
import { allowedValues } from '../union/union.ts';

/**
 * Returns the schema with one type and `nullable`, and with `enum` instead of `const`. The type is undefined if every
 * value is accepted.
 */
export function typedSchema(given: JsonObject, path: string): JsonObject {
  const { const: _, enum: __, type, ...schema } = given;
  const values = allowedValues(given);
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const named = types.filter((each) => each !== 'null');
  const isNullable = named.length < types.length || values?.includes(null) === true;
  const choices = values?.filter((value) => value !== null);
  const common = {
    ...schema,
    ...(choices !== undefined && { enum: choices }),
    ...((isNullable || schema['nullable'] === true) && { nullable: true }),
  };
  if (schema['x-kubernetes-int-or-string'] === true) return common;
  if (named.length === 2 && named.includes('integer') && named.includes('string')) {
    return { ...common, 'x-kubernetes-int-or-string': true };
  }
  if (named.length > 1 || (named.length === 0 && types.length > 0)) {
    const cure =
      "use one type, with null if needed, or 'x-kubernetes-preserve-unknown-fields': true";
    throw refusal(
      `${path}.type`,
      `not one type: ${types.map((each) => jsonText(each)).join(' ')}`,
      cure,
    );
  }
  // ArkType and others omit the type beside `enum`.
  const found = named[0] ?? (choices && typeOfValues(choices, path));
  return found === undefined ? common : { ...common, type: narrowed(found, choices) };
}

/** The server compares 1.5 as 1 with a whole number, unless the type is integer. */
function narrowed(type: JsonValue, choices: readonly JsonValue[] | undefined): JsonValue {
  return type === 'number' && choices?.every(isInteger) === true ? 'integer' : type;
}

function isInteger(value: JsonValue): boolean {
  return isNumeric(value) && Number.isInteger(Number(value));
}
