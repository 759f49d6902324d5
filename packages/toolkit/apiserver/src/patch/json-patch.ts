import { StatusError } from '@keelson/apimachinery';
import { goKind } from '../json/json-syntax-error.ts';
import {
  cloneJson,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  jsonText,
  type JsonValue,
  setOwn,
} from '@keelson/structural-schema';

/** One operation of RFC 6902. */
export interface JsonPatchOperation {
  op: string;
  path: string;
  from?: string;
  value?: JsonValue;
}

/** Most operations in one patch; the limit of kube-apiserver. */
const MAX_OPERATIONS = 10_000;

const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * Applies RFC 6902 operations to a copy of the target, all or none.
 *
 * The details follow the library of kube-apiserver. `replace` sets a missing member of an object, and `copy` of such a
 * member copies null. Negative indices count from the end. Throws a `StatusError`: 400 BadRequest for an invalid patch,
 * 422 Invalid for a patch that does not apply.
 */
export function jsonPatch(target: JsonValue, operations: JsonValue): JsonValue {
  const root = { value: cloneJson(target), copiedBytes: 0 };
  for (const operation of parseOperations(operations)) applyOperation(root, operation);
  return root.value;
}

interface Root {
  value: JsonValue;
  /** Bytes of JSON that `copy` operations have added. */
  copiedBytes: number;
}

function parseOperations(operations: JsonValue): JsonPatchOperation[] {
  if (!Array.isArray(operations)) throw undecodable(operations, '[]handlers.jsonPatchOp');
  if (operations.length > MAX_OPERATIONS) throw tooManyOperations(operations.length);
  return operations.map((given) => {
    // Go reads null as an operation without members.
    const operation = given ?? {};
    if (!isJsonObject(operation)) throw undecodable(operation, 'handlers.jsonPatchOp');
    // `applyOperation` checks the members.
    return operation as JsonObject & JsonPatchOperation;
  });
}

function applyOperation(root: Root, operation: JsonPatchOperation): void {
  const { path, from = '' } = operation;
  if (typeof path !== 'string' || !hasSource(operation)) throw rejected(operation);
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
      // A missing value equals null, as in kube-apiserver's patch library; clients rely on it.
      if (jsonEquals(read(root, path, operation) ?? null, operation.value ?? null))
        return undefined;
      throw rejected(operation);
    default:
      throw rejected(operation);
  }
}

/** True unless a move or copy names no place to read from. */
function hasSource({ op, from }: JsonPatchOperation): boolean {
  return (op !== 'move' && op !== 'copy') || typeof from === 'string';
}

/**
 * Repeated copies can double the document with every operation. The limit is kube-apiserver's limit of a request body.
 */
function copied(root: Root, operation: JsonPatchOperation): JsonValue {
  const value = read(root, operation.from ?? '', operation) ?? null;
  root.copiedBytes += Buffer.byteLength(jsonText(value));
  if (root.copiedBytes > MAX_COPIED_BYTES) throw rejected(operation);
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
    // The library of kube-apiserver replaces the whole document, and inserts nothing there.
    if (mode === 'insert') throw rejected(operation);
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

/** Returns the value at a path, or `undefined` if its last member is missing. A missing parent is an error. */
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
  const tokens = pointerTokens(path);
  if (tokens.length === 0) throw rejected(operation);
  return tokens;
}

/** Returns the tokens of a JSON pointer. As in the library of kube-apiserver, a text before the first slash has no effect. */
export function pointerTokens(pointer: string): string[] {
  const [, ...tokens] = pointer.split('/');
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns the index at which to insert an item. A negative index counts from the end, -1 appends. */
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

/** kube-apiserver sends only this message; the operation is in the details of the error. */
function rejected(operation: JsonPatchOperation): StatusError {
  return new StatusError(
    {
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    },
    { op: operation.op, path: operation.path, from: operation.from },
  );
}

function tooManyOperations(count: number): StatusError {
  return new StatusError({
    status: 'Failure',
    message: `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`,
    reason: 'RequestEntityTooLarge',
    code: 413,
  });
}
