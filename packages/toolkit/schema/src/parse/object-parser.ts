import {
  apiVersionOf,
  checkOptions,
  invalidOption,
  type ApiResource,
  type KubernetesObject,
  type StatusCause,
} from '@keelson/apimachinery';
import {
  celLibrary,
  checkedRules,
  compileRules,
  defaultValues,
  dropNulls,
  forbidden,
  invalid,
  isJsonObject,
  jsonEquals,
  lazy,
  PatternMatcher,
  typeInvalid,
  unknownMembers,
  validateMetadata,
  validateScale,
  validateValue,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type ReplicaPaths,
  type RuleTree,
} from '@keelson/structural-schema';
import { LibraryCauses } from '../standard/library-causes.ts';
import type { SchemaInput } from '../standard/schema-input.ts';
import { InvalidObjectError } from './invalid-object-error.ts';
import { jsonCopy } from './json-copy.ts';
import { metadataSchema } from './metadata-schema.ts';

/** What `parse` compares an object with, and how strict it is. */
export interface ParseOptions {
  /** The object before an update. Rules with `oldSelf` run, and values that the update leaves unchanged are accepted. */
  readonly old?: object;
  /** Whether a field that the schema does not declare is an error or is dropped, as the server does. Default: `error`. */
  readonly unknownFields?: 'error' | 'drop';
}

/** The schemas as they were given; those of libraries may check more than a CRD can express. */
export interface GivenSchemas {
  readonly spec: SchemaInput;
  readonly status?: SchemaInput;
}

/** The options that `parse` reads. */
export interface GivenOptions extends GivenSchemas {
  readonly scale?: ReplicaPaths;
}

/**
 * Validates objects of one version of a kind as the API server does, and applies its defaults. It refuses a namespace of a
 * cluster-scoped kind, which the server drops.
 */
export class ObjectParser {
  readonly #resource: ApiResource;
  readonly #scale: ReplicaPaths | undefined;
  readonly #rootSchema: JsonSchema;
  /** The schema of the whole object, with metadata. */
  readonly #schema: JsonSchema;
  readonly #patterns = new PatternMatcher();
  readonly #rules: () => RuleTree | undefined;
  readonly #libraries: Readonly<Record<keyof GivenSchemas, LibraryCauses>>;

  constructor(resource: ApiResource, schema: JsonSchema, given: GivenOptions) {
    const text: JsonSchema = { type: 'string' };
    const implied = { apiVersion: text, kind: text, metadata: metadataSchema };
    this.#resource = resource;
    this.#scale = given.scale;
    this.#rootSchema = schema;
    this.#libraries = {
      spec: new LibraryCauses(given.spec),
      status: new LibraryCauses(given.status),
    };
    this.#schema = { ...schema, properties: { ...schema.properties, ...implied } };
    this.#rules = lazy(() => compileRules(celLibrary(), this.#rootSchema));
  }

  /** Returns a copy with defaults. Throws `OBJECT_INVALID` with every cause. */
  parse(object: unknown, options: ParseOptions = {}): KubernetesObject {
    checkParseOptions(options);
    const copy = jsonCopy(object);
    const causes = [...copy.causes];
    if (isJsonObject(copy.value)) {
      const old = this.#oldOf(options.old);
      const isChanged = changedIn(copy.value, old);
      causes.push(...this.#causesIn(copy.value, old, options));
      if (causes.length === 0) {
        const given = this.#givenValue(object, options);
        causes.push(...this.#libraryCauses(given, isChanged));
      }
    } else if (causes.length === 0) {
      causes.push(typeInvalid('', 'a value', 'must be an object'));
    }
    copy.restoreNumbers();
    if (causes.length === 0) return copy.value as KubernetesObject;
    throw new InvalidObjectError(this.#resource, copy.value, causes);
  }

  #oldOf(old: object | undefined): JsonObject | undefined {
    const value = old === undefined ? undefined : jsonCopy(old).value;
    if (!isJsonObject(value)) return undefined;
    this.#complete(value);
    return value;
  }

  #causesIn(
    object: JsonObject,
    old: JsonObject | undefined,
    { unknownFields }: ParseOptions,
  ): StatusCause[] {
    const isStatusDropped = old === undefined && (object['status'] ?? null) === null;
    this.#complete(object);
    const unknown = unknownMembers(this.#schema, object, '');
    if (unknownFields === 'drop')
      for (const { object: parent, name } of unknown) delete parent[name];
    const written = isStatusDropped ? withoutStatus(object) : object;
    const content = validateValue(this.#schema, written, '', this.#patterns, old);
    const { causes } = checkedRules(this.#rules(), content, {
      value: written,
      old,
      unchanged: () => false,
    });
    return [
      ...this.#identityCauses(object),
      ...(unknownFields === 'drop'
        ? []
        : unknown.map(({ path }) => forbidden(path, 'unknown field'))),
      ...metadataCauses(object, content),
      ...causes,
      ...(this.#scale === undefined ? [] : validateScale(written, this.#scale)),
    ];
  }

  /**
   * Copies the object for the library, which reads what the caller gave: without our defaults, with null and with large
   * numbers. Only unknown fields that the caller drops are missing.
   */
  #givenValue(object: unknown, { unknownFields }: ParseOptions): JsonObject {
    const copy = jsonCopy(object);
    const given = copy.value as JsonObject;
    if (unknownFields === 'drop') {
      for (const { object: parent, name } of unknownMembers(this.#schema, given, '')) {
        delete parent[name];
      }
    }
    copy.restoreNumbers();
    return given;
  }

  #libraryCauses(given: JsonObject, isChanged: (member: Member) => boolean): StatusCause[] {
    return members.flatMap((member) =>
      isChanged(member) ? this.#libraries[member].in(given[member], member) : [],
    );
  }

  /** Sets the defaults, and the members that name the kind. */
  #complete(object: JsonObject): void {
    dropNulls(this.#schema, object);
    defaultValues(this.#schema, object);
    object['apiVersion'] ??= apiVersionOf(this.#resource);
    object['kind'] ??= this.#resource.kind;
    object['metadata'] ??= {};
  }

  #identityCauses({ apiVersion, kind, metadata }: JsonObject): StatusCause[] {
    const expected = { apiVersion: apiVersionOf(this.#resource), kind: this.#resource.kind };
    const causes = [
      ...mismatch('apiVersion', apiVersion, expected.apiVersion),
      ...mismatch('kind', kind, expected.kind),
    ];
    if (this.#resource.namespaced || !isJsonObject(metadata)) return causes;
    if (metadata['namespace'] === undefined) return causes;
    return [...causes, forbidden('metadata.namespace', 'the kind is cluster-scoped')];
  }
}

/** The server drops the status of a create, also that of the defaults, before it validates the object. */
function withoutStatus(object: JsonObject): JsonObject {
  const written = { ...object };
  delete written['status'];
  return written;
}

type Member = keyof GivenSchemas;

const members: readonly Member[] = ['spec', 'status'];

/** An update that leaves a member unchanged keeps it, although the library may refuse it. */
function changedIn(object: JsonObject, old: JsonObject | undefined): (member: Member) => boolean {
  return (member) => !jsonEquals(object[member], old?.[member]);
}

function checkParseOptions(options: ParseOptions): void {
  checkOptions(options, ['old', 'unknownFields'], 'parse');
  const { old, unknownFields } = options;
  if (old !== undefined && (typeof old !== 'object' || old === null)) {
    throw invalidOption('parse.old', 'must be an object');
  }
  if (unknownFields !== undefined && !['error', 'drop'].includes(unknownFields)) {
    throw invalidOption('parse.unknownFields', 'must be error or drop');
  }
}

function mismatch(field: string, value: JsonValue | undefined, expected: string): StatusCause[] {
  if (typeof value !== 'string' || value === expected) return [];
  return [invalid(field, value, `must be ${expected}`)];
}

/** Names and labels are checked only if the types of all metadata are valid. */
function metadataCauses(object: JsonObject, content: readonly StatusCause[]): StatusCause[] {
  if (content.some(({ field = '' }) => field.startsWith('metadata'))) return [];
  const { generateName } = (object as KubernetesObject).metadata ?? {};
  return validateMetadata(object as KubernetesObject).filter(
    ({ field, reason }) =>
      generateName === undefined || field !== 'metadata.name' || reason !== 'FieldValueRequired',
  );
}
