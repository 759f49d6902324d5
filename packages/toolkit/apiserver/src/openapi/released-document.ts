import {
  asJson,
  isJsonObject,
  type JsonObject,
  jsonText,
  type JsonValue,
} from '@keelson/structural-schema';
import { objectAt } from '../json/json-members.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { type KubernetesVersion, newestVersion } from '../releases/kubernetes-version.ts';
import { type ReleaseDifference, releaseDifference } from '../releases/release-difference.ts';
import type { Schemas } from './openapi-data.ts';

/** The version of Kubernetes that a document describes. */
export interface DescribedVersion {
  readonly version?: KubernetesVersion;
}

/** A document of OpenAPI 3. */
export interface OpenApiDocument {
  readonly openapi?: string;
  readonly info?: object;
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, object | undefined>> };
}

/** A Swagger document. */
export interface SwaggerParts {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Schemas;
  readonly parameters?: Readonly<Record<string, object>>;
}

/** Returns a document of the newest version as an older version has it. */
export function releasedDocument(
  document: OpenApiDocument,
  { version = newestVersion }: DescribedVersion,
): OpenApiDocument {
  const difference = releaseDifference(version);
  if (difference === undefined) return document;
  const { components } = document;
  return {
    ...document,
    ...infoOf(document, version),
    paths: presentPaths(document.paths, difference),
    components: { ...components, schemas: patched(components.schemas, difference.schemas) },
  };
}

/** Returns the Swagger document of the newest version as an older version has it. */
export function releasedSwagger<T extends SwaggerParts>(
  swagger: T,
  { version = newestVersion }: DescribedVersion,
): T {
  const difference = releaseDifference(version);
  if (difference === undefined) return swagger;
  const parameters = Object.entries(swagger.parameters ?? {});
  return {
    ...swagger,
    ...infoOf(swagger, version),
    paths: presentPaths(swagger.paths, difference),
    definitions: patched(swagger.definitions, difference.definitions),
    parameters: Object.fromEntries(parameters.filter(([name]) => !isOfShards(name))),
  };
}

/** The documents of custom resources have a version of their own. */
function infoOf(document: object, version: KubernetesVersion): { readonly info?: JsonObject } {
  const info = objectAt(asJson(document), 'info');
  return info.title === 'Kubernetes' ? { info: { ...info, version } } : {};
}

function presentPaths(
  paths: Readonly<Record<string, object>>,
  { paths: gone }: ReleaseDifference,
): Record<string, object> {
  const present = Object.entries(paths).filter(([path]) => !gone.includes(path));
  return Object.fromEntries(present.map(([path, item]) => [path, withoutShards(asJson(item))]));
}

/** Removes the parameter `shardSelector`, which 1.36 has added. */
function withoutShards(item: JsonObject): JsonObject {
  const members = Object.entries(item).map(([name, value]): [string, unknown] => {
    if (name === 'parameters' && Array.isArray(value)) {
      return [name, value.filter((parameter) => !isOfShards(nameOf(parameter)))];
    }
    return [name, isJsonObject(value) ? withoutShards(value) : value];
  });
  return Object.fromEntries(members) as JsonObject;
}

function nameOf(parameter: JsonValue): string {
  if (!isJsonObject(parameter)) return '';
  const { name, $ref } = parameter;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  return typeof name === 'string' ? name : '';
}

/** The names of shared parameters have a hash behind a hyphen. */
function isOfShards(name: string): boolean {
  return name === 'shardSelector' || name.startsWith('shardSelector-');
}

/** Applies the patches of the schemas in a document. A schema that only the older version has is added if one refers to it. */
function patched(
  schemas: Readonly<Record<string, object | undefined>>,
  patches: Readonly<Record<string, JsonValue>>,
): Record<string, object> {
  const result: Record<string, object> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const patch = Object.hasOwn(patches, name) ? patches[name] : undefined;
    if (patch === null || schema === undefined) continue;
    result[name] = patch === undefined ? schema : (mergePatch(asJson(schema), patch) as JsonObject);
  }
  const text = jsonText(result);
  for (const [name, patch] of Object.entries(patches)) {
    if (isJsonObject(patch) && !(name in schemas) && text.includes(`/${name}"`)) {
      result[name] = patch;
    }
  }
  return result;
}
