import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../json/json-value.ts';
import { invalid } from '../validation/field-error.ts';
import { goText } from './go-text.ts';

/** The paths of a custom resource that its scale subresource reads. */
export interface ReplicaPaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Empty or absent if the Scale has no selector. */
  readonly labelSelectorPath?: string;
}

const MAX_INT32 = 2_147_483_647;

/** Checks that a Scale can represent the replica counts and the selector of a custom resource. */
export function validateScale(object: JsonObject, paths: ReplicaPaths): StatusCause[] {
  return [
    ...validateReplicas(object, paths.specReplicasPath),
    ...validateScaleStatus(object, paths),
  ];
}

/** Checks the parts that a write of the status may change. */
export function validateScaleStatus(object: JsonObject, paths: ReplicaPaths): StatusCause[] {
  const { statusReplicasPath, labelSelectorPath = '' } = paths;
  return [
    ...validateReplicas(object, statusReplicasPath),
    ...(labelSelectorPath === '' ? [] : validateSelector(object, labelSelectorPath)),
  ];
}

function validateReplicas(object: JsonObject, path: string): StatusCause[] {
  const { value, problem } = read(object, path, 'int64');
  if (problem !== undefined) return [invalid(path, 0, problem)];
  if (typeof value !== 'number' && typeof value !== 'bigint') return [];
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > MAX_INT32
    ? [invalid(path, value, `should be less than or equal to ${MAX_INT32}`)]
    : [];
}

function validateSelector(object: JsonObject, path: string): StatusCause[] {
  const { problem } = read(object, path, 'string');
  return problem === undefined ? [] : [invalid(path, '', problem)];
}

interface Reading {
  readonly value?: JsonValue;
  readonly problem?: string;
}

/** Reads the value at a path, or returns the reason why it does not have the wanted type. */
function read(object: JsonObject, path: string, wanted: 'int64' | 'string'): Reading {
  const members = path.split('.').filter((member) => member !== '');
  let value: JsonValue | undefined = object;
  for (const [index, member] of members.entries()) {
    // A null on the way counts as missing, and a null at the end does not.
    if (value === undefined || value === null) return {};
    if (!isJsonObject(value)) {
      return inaccessible(members.slice(0, index + 1), value, 'map[string]interface{}');
    }
    value = ownValue(value, member);
  }
  if (value === undefined) return {};
  return goType(value) === wanted ? { value } : inaccessible(members, value, wanted);
}

function inaccessible(members: readonly string[], value: JsonValue, wanted: string): Reading {
  const found = `${goText(value)} is of the type ${goType(value)}, expected ${wanted}`;
  return { problem: `.${members.join('.')} accessor error: ${found}` };
}

function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
