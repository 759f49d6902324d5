import type { KubernetesObject } from '@keelson/apimachinery';
import { isSnapshotVersion, snapshotMetadataProblem } from '@keelson/apiserver';
import { parseExact } from '@keelson/structural-schema';
import { CliError } from '../errors.ts';
import type { Served } from '../objects/find-resource.ts';
import { isJsonObject, type JsonObject } from '../types/definition/custom-kind.ts';

/** A page of a list; its items have `apiVersion` and `kind`. */
export interface ListBody {
  readonly resourceVersion: string | undefined;
  /** The token of the next page; `undefined` for the last one. */
  readonly token: string | undefined;
  readonly items: readonly KubernetesObject[];
}

/** The request that a response belongs to. */
export interface ResponseSource {
  readonly resource: Served;
  readonly path: string;
}

/** Reads a page of a list. Throws `SNAPSHOT_RESPONSE_INVALID` for one that the server in memory could not restore. */
export function readList(body: string, { resource, path }: ResponseSource): ListBody {
  const { metadata = {}, items, kind } = parsedBody(body, path);
  if (!isJsonObject(metadata)) throw invalidResponse(path, 'metadata must be an object');
  const { resourceVersion: version, continue: token = '' } = metadata;
  if (typeof token !== 'string') throw invalidResponse(path, 'metadata.continue must be a string');
  const hasNoVersion = version === undefined || version === '' || version === '0';
  if (!hasNoVersion && !isSnapshotVersion(version))
    throw invalidResponse(path, 'metadata.resourceVersion must be a resourceVersion');
  return {
    resourceVersion: hasNoVersion ? undefined : version,
    token: token === '' ? undefined : token,
    items: itemsOf(items, { kind, path }).map((item, index) =>
      typedObject(item, { resource, path, place: `items[${index}]` }),
    ),
  };
}

/** Reads an object. Throws `SNAPSHOT_RESPONSE_INVALID` for one that the server in memory could not restore. */
export function readObject(body: string, source: ResponseSource): KubernetesObject {
  return typedObject(parsedBody(body, source.path), { ...source, place: 'the body' });
}

function parsedBody(body: string, path: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = parseExact(body);
  } catch (cause) {
    throw invalidResponse(path, 'the body is not JSON', { cause });
  }
  if (!isJsonObject(parsed)) throw invalidResponse(path, 'the body must be an object');
  return parsed;
}

/** Go servers write the items of an empty list as null, or omit them; then the kind must be that of a list. */
function itemsOf(
  items: unknown,
  { kind, path }: { readonly kind: unknown; readonly path: string },
): readonly unknown[] {
  if (Array.isArray(items)) return items;
  const isEmpty = (items === undefined || items === null) && /^\w*List$/.test(String(kind));
  if (!isEmpty) throw invalidResponse(path, 'items must be a list');
  return [];
}

/** Returns an object with its type, which items of built-in kinds lack. Members of metadata that are null are left out. */
function typedObject(
  value: unknown,
  { resource, path, place }: ResponseSource & { readonly place: string },
): KubernetesObject {
  if (!isJsonObject(value)) throw invalidResponse(path, `${place}: must be an object`);
  const { group, version, kind, namespaced } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const fail = (reason: string): CliError =>
    invalidResponse(path, `${place}: ${reason}`, { object: titleOf(value) });
  if ((value['kind'] ?? kind) !== kind) throw fail(`kind must be ${kind}`);
  if ((value['apiVersion'] ?? apiVersion) !== apiVersion)
    throw fail(`apiVersion must be ${apiVersion}`);
  const { metadata: given } = value;
  if (!isJsonObject(given)) throw fail('metadata must be an object');
  const metadata = Object.fromEntries(
    Object.entries(given).filter(([, member]) => member !== null),
  );
  const problem = placeProblem(metadata, namespaced) ?? snapshotMetadataProblem(metadata);
  if (problem !== undefined) throw fail(problem);
  return { ...value, apiVersion, kind, metadata };
}

/** Returns why an object of the resource cannot be in this namespace, or without one; `undefined` if it can. */
function placeProblem({ namespace }: JsonObject, namespaced: boolean): string | undefined {
  if (!namespaced && namespace !== undefined) return 'metadata.namespace is not allowed';
  return namespaced && namespace === undefined ? 'metadata.namespace must be a name' : undefined;
}

/** Returns the namespace and the name of an object as far as it has them. */
function titleOf({ metadata }: JsonObject): string | undefined {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  const parts = [namespace, name].filter((part) => typeof part === 'string' && part !== '');
  return parts.length === 0 ? undefined : parts.join('/');
}

/** Returns the error of a response. */
export function invalidResponse(
  path: string,
  reason: string,
  { object, cause }: { readonly object?: string | undefined; readonly cause?: unknown } = {},
): CliError {
  const facts = { path, ...(object !== undefined && { object }), reason };
  return new CliError('SNAPSHOT_RESPONSE_INVALID', facts, { cause });
}
