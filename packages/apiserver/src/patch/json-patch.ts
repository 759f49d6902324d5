import { StatusError } from '@keelson/apimachinery';
import { goKind } from '../json/json-syntax-error.ts';
import {
  cloneJson,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  setOwn,
} from '../json/json-value.ts';
import { jsonText } from '../json/exact-json.ts';

/** One operation of RFC 6902. */
export interface JsonPatchOperation {
  op: string;
  path: string;
  from?: string;
  value?: JsonValue;
}

/** The most operations that one patch may have, as in kube-apiserver. */
const maxOperations = 10_000;

const mostCopiedBytes = 3 * 1024 * 1024;

/**
 * RFC 6902: applies the operations to a copy of the target, all or none.
 *
 * It follows the library that kube-apiserver uses where the two differ: `replace` sets a member that is
 * missing from its object, `copy` of such a member copies null, and a negative index counts from the end.
 * Throws a `StatusError`: 400 BadRequest for a body that is no patch, 422 Invalid for one that does not apply.
 */
export function jsonPatch(target: JsonValue, operations: JsonValue): JsonValue {
  const root = { value: cloneJson(target), copiedBytes: 0 };
  for (const operation of parseOperations(operations)) applyOperation(root, operation);
  return root.value;
}

interface Root {
  value: JsonValue;
  /** What `copy` has added so far. */
  copiedBytes: number;
}

function parseOperations(operations: JsonValue): JsonPatchOperation[] {
  if (!Array.isArray(operations)) throw undecodable(operations, '[]handlers.jsonPatchOp');
  if (operations.length > maxOperations) throw tooManyOperations(operations.length);
  return operations.map((operation) => {
    if (!isJsonObject(operation)) throw undecodable(operation, 'handlers.jsonPatchOp');
    // Its members are looked at one by one when it is applied.
    return operation as JsonObject & JsonPatchOperation;
  });
}

function applyOperation(root: Root, operation: JsonPatchOperation): void {
  const { path, from = '' } = operation;
  if (typeof path !== 'string') throw rejected(operation);
  switch (operation.op) {
    case 'add':
      return put(root, operation, 'insert', cloneJson(operation.value ?? null));
    case 'replace':
      return put(root, operation, 'overwrite', cloneJson(operation.value ?? null));
    case 'remove':
      return void remove(root, path, operation);
    case 'move':
      return put(root, operation, 'insert', remove(root, from, operation));
    case 'copy':
      return put(root, operation, 'insert', copied(root, operation));
    case 'test':
      // A missing value equals null: kube-apiserver's patch library says so, and clients rely on it.
      if (jsonEquals(read(root, path, operation) ?? null, operation.value ?? null))
        return undefined;
      throw rejected(operation);
    default:
      throw rejected(operation);
  }
}

/** Copies that hold each other double with every operation; kube-apiserver takes as much as a request may measure. */
function copied(root: Root, operation: JsonPatchOperation): JsonValue {
  const value = read(root, operation.from ?? '', operation) ?? null;
  root.copiedBytes += Buffer.byteLength(jsonText(value));
  if (root.copiedBytes > mostCopiedBytes) throw rejected(operation);
  return cloneJson(value);
}

function put(
  root: Root,
  operation: JsonPatchOperation,
  mode: 'insert' | 'overwrite',
  value: JsonValue,
): void {
  const tokens = parsePointer(operation.path, operation);
  const last = tokens.pop();
  if (last === undefined) {
    root.value = value;
    return;
  }
  const parent = find(root.value, tokens, operation);
  if (Array.isArray(parent)) {
    const index =
      mode === 'insert' ? insertionIn(parent, last, operation) : indexOf(parent, last, operation);
    if (mode === 'insert') parent.splice(index, 0, value);
    else if (index < parent.length) parent[index] = value;
    else throw rejected(operation);
  } else if (isJsonObject(parent)) {
    setOwn(parent, last, value);
  } else {
    throw rejected(operation);
  }
}

function remove(root: Root, path: string, operation: JsonPatchOperation): JsonValue {
  const tokens = parsePointer(path, operation);
  const last = tokens.pop();
  const parent = find(root.value, tokens, operation);
  const value = read(root, path, operation);
  if (last === undefined || value === undefined) throw rejected(operation);
  if (Array.isArray(parent)) parent.splice(indexOf(parent, last, operation), 1);
  else if (isJsonObject(parent)) delete parent[last];
  return value;
}

/** The value at a path, undefined where the last member is missing; a missing parent is an error. */
function read(root: Root, path: string, operation: JsonPatchOperation): JsonValue | undefined {
  const tokens = parsePointer(path, operation);
  const last = tokens.pop();
  if (last === undefined) return root.value;
  const parent = find(root.value, tokens, operation);
  if (Array.isArray(parent)) {
    const value = parent[indexOf(parent, last, operation)];
    if (value === undefined) throw rejected(operation);
    return value;
  }
  if (!isJsonObject(parent)) throw rejected(operation);
  return Object.hasOwn(parent, last) ? parent[last] : undefined;
}

function find(root: JsonValue, tokens: string[], operation: JsonPatchOperation): JsonValue {
  let current: JsonValue | undefined = root;
  for (const token of tokens) {
    if (Array.isArray(current)) current = current[indexOf(current, token, operation)];
    else if (isJsonObject(current) && Object.hasOwn(current, token)) current = current[token];
    else current = undefined;
    if (current === undefined) throw rejected(operation);
  }
  return current;
}

function parsePointer(path: string, operation: JsonPatchOperation): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw rejected(operation);
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Where an item is inserted: a negative index counts from behind the last. */
function insertionIn(list: JsonValue[], token: string, operation: JsonPatchOperation): number {
  if (token === '-') return list.length;
  const isNegative = token.startsWith('-');
  return indexOf(list, isNegative ? String(Number(token) + 1 + list.length) : token, operation);
}

function indexOf(list: JsonValue[], token: string, operation: JsonPatchOperation): number {
  if (!/^-?\d+$/.test(token)) throw rejected(operation);
  const index = Number(token);
  const position = index < 0 ? list.length + index : index;
  if (position < 0 || position > list.length) throw rejected(operation);
  return position;
}

function undecodable(value: JsonValue, goType: string): StatusError {
  return new StatusError({
    status: 'Failure',
    message: `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type ${goType}`,
    reason: 'BadRequest',
    code: 400,
  });
}

/** kube-apiserver tells the client no more than this; what was wrong stands in the facts. */
function rejected(operation: JsonPatchOperation): StatusError {
  return new StatusError(
    {
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    },
    { op: operation.op, path: operation.path },
  );
}

function tooManyOperations(count: number): StatusError {
  return new StatusError({
    status: 'Failure',
    message: `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${count}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  });
}
