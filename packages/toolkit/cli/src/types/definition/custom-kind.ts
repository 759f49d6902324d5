import { isDnsLabel, isDnsSubdomain, type Scope } from '@keelson/apimachinery';
import { CliError } from '../../errors.ts';

/** The parts of a CustomResourceDefinition that decide its TypeScript types. */
export interface CustomKind {
  readonly group: string;
  readonly kind: string;
  /** The plural in URLs; together with the group it is unique in a cluster. */
  readonly plural: string;
  readonly scope: Scope;
  /** The served versions, in the order of the definition. */
  readonly versions: readonly KindVersion[];
}

/** One served version of a custom kind. */
export interface KindVersion {
  readonly name: string;
  /** The warning of a deprecated version; undefined if the version is not deprecated. */
  readonly deprecation: string | undefined;
  /** The structural schema of the whole object. */
  readonly schema: JsonObject;
}

/** A JSON object whose members were not checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

const DEFINITION_API_VERSION = 'apiextensions.k8s.io/v1';

/** The most versions of one definition. */
const MAX_VERSIONS = 100;

/** A version without a schema accepts every field. */
const anyObject: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** True for a JSON object, false for arrays, scalars and null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a CustomResourceDefinition of any version of its API. */
export function isDefinition(document: unknown): document is JsonObject {
  if (!isJsonObject(document) || document['kind'] !== 'CustomResourceDefinition') return false;
  return String(document['apiVersion']).startsWith('apiextensions.k8s.io/');
}

/**
 * Reads a CustomResourceDefinition. Throws `DEFINITION_INVALID` with the path of the first member that is missing or
 * that no API server would accept. The names become parts of file names and of code, so each is checked.
 */
export function readCustomKind(definition: unknown): CustomKind {
  const found = isJsonObject(definition) ? definition : {};
  const invalid = (path: string, reason: string): CliError =>
    new CliError('DEFINITION_INVALID', { definition: nameOf(found), path, reason });
  if (!isDefinition(found) || found['apiVersion'] !== DEFINITION_API_VERSION) {
    throw invalid('apiVersion', `must be a CustomResourceDefinition of ${DEFINITION_API_VERSION}`);
  }
  const spec = memberOf(found, 'spec');
  const names = memberOf(spec, 'names');
  const text = (owner: JsonObject, path: string, accepts: (value: string) => boolean): string => {
    const value = owner[path.split('.').at(-1) ?? ''];
    if (typeof value !== 'string') throw invalid(path, 'must be a string');
    if (!accepts(value)) throw invalid(path, 'has a value that no token may have');
    return value;
  };
  return {
    group: text(spec, 'spec.group', isDnsSubdomain),
    kind: text(names, 'spec.names.kind', isKind),
    plural: text(names, 'spec.names.plural', isDnsLabel),
    scope: text(spec, 'spec.scope', isScope) as Scope,
    versions: versionsOf(spec['versions'], invalid),
  };
}

function versionsOf(
  versions: unknown,
  invalid: (path: string, reason: string) => CliError,
): readonly KindVersion[] {
  if (!Array.isArray(versions) || versions.length === 0 || versions.length > MAX_VERSIONS) {
    throw invalid('spec.versions', `must be a list of 1 to ${MAX_VERSIONS} versions`);
  }
  const seen = new Set<unknown>();
  return versions.flatMap((version: unknown, index) => {
    const path = `spec.versions[${index}]`;
    if (!isJsonObject(version)) throw invalid(path, 'must be an object');
    const { name } = version;
    if (typeof name !== 'string' || !isDnsLabel(name)) {
      throw invalid(`${path}.name`, 'must be a DNS label such as v1');
    }
    if (seen.has(name)) throw invalid(`${path}.name`, 'must be unique');
    seen.add(name);
    return version['served'] === false ? [] : [versionOf(name, version)];
  });
}

function versionOf(name: string, version: JsonObject): KindVersion {
  const { deprecated, deprecationWarning: warning } = version;
  const schema = memberOf(version, 'schema')['openAPIV3Schema'];
  return {
    name,
    deprecation: deprecated === true ? (typeof warning === 'string' ? warning : '') : undefined,
    schema: isJsonObject(schema) ? schema : anyObject,
  };
}

function memberOf(owner: JsonObject, name: string): JsonObject {
  const member = owner[name];
  return isJsonObject(member) ? member : {};
}

function nameOf(definition: JsonObject): unknown {
  return memberOf(definition, 'metadata')['name'];
}

function isKind(text: string): boolean {
  return /^[A-Z][A-Za-z0-9]{0,62}$/.test(text);
}

function isScope(text: string): boolean {
  return text === 'Namespaced' || text === 'Cluster';
}
