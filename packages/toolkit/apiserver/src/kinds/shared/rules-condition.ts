import { textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  isJsonObject,
  isNumeric,
  type JsonObject,
  type JsonValue,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';

const statuses = ['False', 'True', 'Unknown'];
const MAX_REASON_LENGTH = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;
const reasonDetail =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/** Validates a list of `metav1.Condition`. */
export function validateConditions(list: JsonValue | undefined, path: FieldPath): StatusCause[] {
  const conditions = Array.isArray(list) ? list.filter((item) => isJsonObject(item)) : [];
  const types = conditions.map((condition) => textAt(condition, 'type'));
  return conditions.flatMap((condition, index) => {
    const type = types[index] ?? '';
    const field = indexPath(path, index);
    return [
      ...(types.indexOf(type) < index ? [duplicate(childPath(field, 'type'), type)] : []),
      ...validateCondition(condition, field),
    ];
  });
}

function validateCondition(condition: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(condition, 'type');
  const status = textAt(condition, 'status');
  const generation = condition.observedGeneration;
  return [
    ...checkQualifiedName(type).map((detail) => invalid(childPath(path, 'type'), type, detail)),
    ...(statuses.includes(status)
      ? []
      : [notSupported(childPath(path, 'status'), status, statuses)]),
    ...(isNumeric(generation) && generation < 0
      ? [
          invalid(
            childPath(path, 'observedGeneration'),
            generation,
            'must be greater than or equal to zero',
          ),
        ]
      : []),
    ...(textAt(condition, 'lastTransitionTime') === ''
      ? [required(childPath(path, 'lastTransitionTime'))]
      : []),
    ...validateReason(textAt(condition, 'reason'), childPath(path, 'reason')),
    ...(Buffer.byteLength(textAt(condition, 'message')) > MAX_MESSAGE_BYTES
      ? [tooLong(childPath(path, 'message'), MAX_MESSAGE_BYTES)]
      : []),
  ];
}

function validateReason(reason: string, path: FieldPath): StatusCause[] {
  if (reason === '') return [required(path)];
  return [
    ...(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason)
      ? []
      : [invalid(path, reason, reasonDetail)]),
    ...(reason.length > MAX_REASON_LENGTH ? [tooLong(path, MAX_REASON_LENGTH)] : []),
  ];
}
