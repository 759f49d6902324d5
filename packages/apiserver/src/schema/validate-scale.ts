import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject, type JsonValue } from '../patch/json-value.ts';
import { invalid } from './field-error.ts';

/** Where a custom resource keeps what its Scale says. */
export interface ReplicaPaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
}

const most = 2_147_483_647;

/** The replica counts of a custom resource must be what a Scale can say. */
export function validateScale(object: JsonObject, paths: ReplicaPaths): StatusCause[] {
  return [paths.specReplicasPath, paths.statusReplicasPath].flatMap((path) =>
    validateReplicas(object, path),
  );
}

function validateReplicas(object: JsonObject, path: string): StatusCause[] {
  const members = path.split('.').filter((member) => member !== '');
  let value: JsonValue | undefined = object;
  for (const [index, member] of members.entries()) {
    if (value === undefined) return [];
    if (!isJsonObject(value))
      return [inaccessible(path, members.slice(0, index + 1), value, 'map[string]interface{}')];
    value = value[member];
  }
  if (value === undefined) return [];
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return [inaccessible(path, members, value, 'int64')];
  }
  if (value < 0) return [invalid(path, value, 'should be a non-negative integer')];
  return value > most ? [invalid(path, value, `should be less than or equal to ${most}`)] : [];
}

function inaccessible(
  path: string,
  members: readonly string[],
  value: JsonValue,
  wanted: string,
): StatusCause {
  const found = `${goPrint(value)} is of the type ${goType(value)}, expected ${wanted}`;
  return invalid(path, 0, `.${members.join('.')} accessor error: ${found}`);
}

function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

function goPrint(value: JsonValue): string {
  if (value === null) return '<nil>';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
