import type { StatusCause } from '@keelson/apimachinery';
import { goJson } from '../json/go-text.ts';
import { jsonEquals, type JsonValue, sortMembers } from '../json/json-value.ts';
import { notSupported } from '../validation/field-error.ts';
import type { FieldPath } from '../validation/field-path.ts';
import { asInt64, goNumberType } from '../json/go-number.ts';

/** Checks a value against the choices of a schema. Null is never a choice, also if the list contains it. */
export function checkEnum(
  choices: readonly JsonValue[] | undefined,
  value: JsonValue,
  path: FieldPath,
): StatusCause[] {
  if (choices === undefined || choices.length === 0) return [];
  if (choices.some((choice) => isChosen(choice, value))) return [];
  const texts = choices.map((each) =>
    typeof each === 'string' ? each : goJson(sortMembers(each)),
  );
  return [notSupported(path, sortMembers(value), texts)];
}

/** Compares after the conversion that Go makes to the type of the choice: 1.5 becomes 1, and 65 becomes "A". */
function isChosen(choice: JsonValue, value: JsonValue): boolean {
  if (choice === null || value === null) return false;
  if (typeof value === 'number' || typeof value === 'bigint') return isChosenNumber(choice, value);
  return typeof choice === typeof value && jsonEquals(choice, value);
}

function isChosenNumber(choice: JsonValue, value: number | bigint): boolean {
  if (typeof choice === 'string')
    return goNumberType(value) === 'int64' && choice === characterOf(Number(value));
  if (typeof choice !== 'number' && typeof choice !== 'bigint') return false;
  if (goNumberType(choice) === 'int64') return asInt64(value) === BigInt(choice);
  return Number(value) === choice;
}

/** Returns the character of a code point; U+FFFD for an invalid code, as in Go. */
function characterOf(code: number): string {
  const isCharacter = code >= 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
