import type { StatusCause } from '@keelson/apimachinery';
import { cloneJson, isJsonObject, type JsonValue, sortMembers } from '../json/json-value.ts';
import { celLibrary } from '../rules/cel-library.ts';
import { checkedRules } from '../rules/checked-rules.ts';
import { compileRules } from '../rules/rule-tree.ts';
import { invalid } from '../validation/field-error.ts';
import { childPath, type FieldPath, keyPath } from '../validation/field-path.ts';
import { type JsonSchema } from '../validation/json-schema.ts';
import { PatternMatcher } from '../validation/pattern-matcher.ts';
import { unknownMembers } from '../validation/unknown-members.ts';
import { validateContent } from '../values/validate-content.ts';
import { validateEmbedded } from '../values/validate-embedded.ts';
import { schemasIn } from './unsupported-keyword.ts';
import { isPresent } from './open-api-rules.ts';

/**
 * Decodes the metadata of embedded objects in a value in place, as Go types. Returns why it cannot; undefined if it can.
 */
export type DecodeEmbedded = (schema: JsonSchema, value: JsonValue) => string | undefined;

/** The nearest object with metadata around a schema. */
interface Surroundings {
  readonly schema: JsonSchema;
  /** Puts a value into the place of the schema in a new object. */
  readonly wrap: (value: JsonValue) => JsonValue;
  /** True inside the metadata, `kind` or `apiVersion` of that object. */
  readonly isMetadata: boolean;
}

const metadataMembers: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

/** Validates the defaults of the schema of a resource. Defaults of map values are not checked. */
export class DefaultValidator {
  readonly #decode: DecodeEmbedded;

  constructor(decode: DecodeEmbedded) {
    this.#decode = decode;
  }

  /** Returns the causes for defaults that their own schema does not accept. */
  validate(root: JsonSchema, path: FieldPath): StatusCause[] {
    const object: JsonSchema = { ...root, 'x-kubernetes-embedded-resource': true };
    return this.#at(object, path, { schema: object, wrap: (value) => value, isMetadata: false });
  }

  #at(schema: JsonSchema, path: FieldPath, around: Surroundings): StatusCause[] {
    const isObject = schema['x-kubernetes-embedded-resource'] === true;
    const outer = isObject ? { schema, wrap: typed, isMetadata: false } : around;
    const { items, properties = {} } = schema;
    const inItem = { ...outer, wrap: (value: JsonValue) => outer.wrap([value]) };
    return [
      ...this.#own(schema, childPath(path, 'default'), outer),
      ...(items === undefined ? [] : this.#at(items, childPath(path, 'items'), inItem)),
      ...Object.entries(properties).flatMap(([name, property]) =>
        this.#at(property, keyPath(childPath(path, 'properties'), name), {
          schema: outer.schema,
          wrap: (value) => outer.wrap({ [name]: value }),
          isMetadata: outer.isMetadata || (isObject && metadataMembers.has(name)),
        }),
      ),
    ];
  }

  #own(schema: JsonSchema, path: FieldPath, around: Surroundings): StatusCause[] {
    const { default: value } = schema;
    if (value === undefined || !isPresent(value)) return [];
    const copy = cloneJson(value);
    if (around.isMetadata) {
      const why = this.#metadataProblem(around, copy);
      return why === undefined
        ? contentCauses(schema, copy, path)
        : [invalid(path, sortMembers(value), `must result in valid metadata: ${why}`)];
    }
    const isPruned = unknownMembers(schema, copy, '').length === 0;
    return [
      ...(isPruned ? [] : [invalid(path, sortMembers(value), 'must not have unknown fields')]),
      ...this.#embedded(schema, value, path),
    ];
  }

  /**
   * Checks the objects in a default that have metadata of their own, then the content. As in kube-apiserver the
   * definition keeps the default with decoded metadata.
   */
  #embedded(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
    const problem = this.#decode(schema, value);
    if (problem !== undefined) return [invalid(path, sortMembers(value), problem)];
    const causes = validateEmbedded(schema, value, path);
    return causes.length > 0 ? causes : contentCauses(schema, value, path);
  }

  #metadataProblem({ schema, wrap }: Surroundings, value: JsonValue): string | undefined {
    const object = wrap(cloneJson(value));
    const whole: JsonSchema = { ...schema, 'x-kubernetes-embedded-resource': true };
    const problem = this.#decode(whole, object);
    if (problem !== undefined) return problem;
    const [cause] = validateEmbedded(whole, object, '');
    return cause === undefined ? undefined : `${cause.field}: ${cause.message}`;
  }
}

/** True if a schema, or one in it, has a default. */
export function hasDefaults(schema: JsonSchema | undefined): boolean {
  if (schema === undefined) return false;
  if (isPresent(schema.default)) return true;
  return schemasIn(schema).some(hasDefaults);
}

/** Adds the type of an object that has none. */
function typed(value: JsonValue): JsonValue {
  return isJsonObject(value)
    ? { apiVersion: 'validation/v1', kind: 'Validation', ...value }
    : value;
}

function contentCauses(schema: JsonSchema, value: JsonValue, path: FieldPath): StatusCause[] {
  const options = { patterns: new PatternMatcher(), isDefault: true };
  const causes = validateContent(schema, value, '', options);
  return (causes.length > 0 ? causes : ruleCauses(schema, value)).map((cause) =>
    placed(cause, path),
  );
}

const unchanged = (): boolean => false;

/** Evaluates the rules of the schema on an unchanged default, then on a new one. */
function ruleCauses(schema: JsonSchema, value: JsonValue): readonly StatusCause[] {
  const tree = compileRules(celLibrary(), schema);
  const { causes } = checkedRules(tree, [], { value, old: value, unchanged });
  if (causes.length > 0) return causes;
  return checkedRules(tree, [], { value, old: undefined, unchanged }).causes;
}

function placed(cause: StatusCause, path: FieldPath): StatusCause {
  const { field = '' } = cause;
  if (field === '' || field === '<nil>') return { ...cause, field: path };
  return { ...cause, field: `${path}.${field}` };
}
