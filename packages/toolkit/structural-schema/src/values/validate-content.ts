import type { StatusCause } from '@keelson/apimachinery';
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../json/json-value.ts';
import { checkEnum } from './check-enum.ts';
import { checkFormat, checkLengthAndPattern } from './check-text.ts';
import { checkType } from './check-type.ts';
import { CorrelatedValue } from './correlated-value.ts';
import { invalid, required, tooMany } from '../validation/field-error.ts';
import { childPath, type FieldPath, indexPath } from '../validation/field-path.ts';
import { Findings } from './findings.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { knownFormat } from '../validation/known-format.ts';
import type { PatternMatcher } from '../validation/pattern-matcher.ts';
import { checkNumber, inBody, unplaced } from './validate-number.ts';

/** How a schema is read. */
export interface ContentOptions {
  readonly patterns: PatternMatcher;
  /** The value before an update. Violations in unchanged parts are accepted. */
  readonly old?: JsonValue | undefined;
  /**
   * True for a default in a definition: kube-apiserver does not require the types of `x-kubernetes-int-or-string` there, and
   * reads unknown formats.
   */
  readonly isDefault?: boolean;
}

/**
 * Returns the causes for which a value violates the keywords of its schema, as kube-openapi's validator finds them.
 * `x-kubernetes-list-type` and `x-kubernetes-embedded-resource` are not among these.
 */
export function validateContent(
  schema: JsonSchema,
  value: JsonValue,
  path: FieldPath,
  options: ContentOptions,
): StatusCause[] {
  const { old } = options;
  const correlated = old === undefined ? undefined : new CorrelatedValue(schema, value, old);
  const { causes } = new ContentValidator(options).validate(schema, value, path, correlated);
  if (path !== '') return causes;
  return causes.map((cause) => ({ ...cause, field: (cause.field ?? '').replace(/^\./, '') }));
}

class ContentValidator {
  readonly #patterns: PatternMatcher;
  readonly #isDefault: boolean;

  constructor({ patterns, isDefault = false }: ContentOptions) {
    this.#patterns = patterns;
    this.#isDefault = isDefault;
  }

  /** Validates a value, and accepts violations of an unchanged one. */
  validate(
    schema: JsonSchema,
    value: JsonValue,
    path: FieldPath,
    correlated: CorrelatedValue | undefined,
  ): Findings {
    const findings = this.#check(schema, value, path, correlated);
    if (findings.isValid || correlated?.isUnchanged !== true) return findings;
    const accepted = new Findings();
    accepted.checks = findings.checks;
    return accepted;
  }

  #check(
    schema: JsonSchema,
    value: JsonValue,
    path: FieldPath,
    correlated: CorrelatedValue | undefined,
  ): Findings {
    const types = this.#typesOf(schema);
    const format = this.#formatOf(schema, types);
    const isNullable = schema.nullable === true;
    const findings = new Findings();
    const wrongType = checkType({ types, format, nullable: isNullable }, value, path);
    findings.add(...wrongType);
    const isTyped = types.length > 0 || format !== '';
    if (value === null || isTyped) findings.checks += Number(wrongType.length === 0);
    if (value !== null && isTyped) findings.checks++;
    const choices = checkEnum(schema.enum, value, path);
    if (value === null) {
      findings.add(...choices);
      return findings;
    }
    findings.merge(this.#checkJunctors(schema, value, path));
    findings.checks++;
    if (typeof value === 'string') {
      findings.add(...checkLengthAndPattern(schema, value, path, this.#patterns));
      findings.checks++;
      if (format !== '') {
        findings.add(...checkFormat(format, value, path));
        findings.checks++;
      }
    } else if (typeof value === 'number' || typeof value === 'bigint') {
      findings.add(...checkNumber(schema, types, value, path));
      findings.checks += 2;
    } else if (Array.isArray(value)) {
      findings.merge(this.#checkList(schema, value, path, correlated));
      findings.checks++;
    }
    findings.add(...choices);
    findings.checks++;
    if (isJsonObject(value)) {
      findings.merge(this.#checkObject(schema, value, path, correlated));
      findings.checks++;
    }
    findings.checks++;
    return findings;
  }

  #typesOf(schema: JsonSchema): readonly string[] {
    if (schema['x-kubernetes-int-or-string'] === true && !this.#isDefault)
      return ['integer', 'string'];
    return schema.type === undefined || schema.type === '' ? [] : [schema.type];
  }

  #formatOf({ format = '' }: JsonSchema, types: readonly string[]): string {
    if (this.#isDefault) return format;
    const [type = ''] = types.length === 1 ? types : [];
    return knownFormat(format, type) ?? '';
  }

  #checkList(
    schema: JsonSchema,
    list: readonly JsonValue[],
    path: FieldPath,
    correlated: CorrelatedValue | undefined,
  ): Findings {
    const findings = new Findings();
    const { minItems, maxItems, items } = schema;
    if (items !== undefined) {
      for (const [index, item] of list.entries()) {
        findings.merge(this.validate(items, item, indexPath(path, index), correlated?.item(index)));
      }
    }
    if (minItems !== undefined && list.length < minItems) {
      findings.add(inBody(path, list.length, `should have at least ${minItems} items`));
    }
    if (maxItems !== undefined && list.length > maxItems) {
      findings.add(tooMany(path, list.length, maxItems));
    }
    findings.checks++;
    return findings;
  }

  #checkObject(
    schema: JsonSchema,
    object: JsonObject,
    path: FieldPath,
    correlated: CorrelatedValue | undefined,
  ): Findings {
    const findings = new Findings();
    const { minProperties, maxProperties, properties = {}, additionalProperties: values } = schema;
    const names = Object.keys(object);
    if (minProperties !== undefined && names.length < minProperties) {
      findings.add(inBody(path, names.length, `should have at least ${minProperties} properties`));
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      findings.add(tooMany(path, names.length, maxProperties));
    }
    for (const name of names) {
      const declared = ownValue(properties, name);
      if (declared === undefined && values === false) {
        const detail = `${path}.${name} in body is a forbidden property`;
        findings.add(invalid(path, name, detail));
      }
      const below = declared ?? (typeof values === 'object' ? values : undefined);
      if (below === undefined) continue;
      const isTypeMeta = path === '' && (name === 'kind' || name === 'apiVersion');
      const before = isTypeMeta ? undefined : correlated?.member(name);
      const value = object[name] as JsonValue;
      // Messages about a value of a map have the dot also at the root.
      const place = declared === undefined ? `${path}.${name}` : childPath(path, name);
      findings.merge(this.validate(below, value, place, before));
    }
    for (const name of schema.required ?? []) {
      if (ownValue(object, name) === undefined) findings.add(required(childPath(path, name)));
    }
    return findings;
  }

  /** Checks `anyOf`, `oneOf`, `allOf` and `not`, whose parts are always validated as new. */
  #checkJunctors(schema: JsonSchema, value: JsonValue, path: FieldPath): Findings {
    const findings = new Findings();
    const check = (each: JsonSchema): Findings => this.#check(each, value, path, undefined);
    const { anyOf = [], oneOf = [], allOf = [], not } = schema;
    if (anyOf.length > 0) findings.merge(anyOfFindings(anyOf, check, path));
    if (oneOf.length > 0) findings.merge(oneOfFindings(oneOf.map(check), path));
    if (allOf.length > 0) findings.merge(allOfFindings(allOf.map(check), path));
    if (not !== undefined && check(not).isValid) {
      findings.add(unplaced(`${quoted(path)} must not validate the schema (not)`));
    }
    findings.checks++;
    return findings;
  }
}

function anyOfFindings(
  schemas: readonly JsonSchema[],
  check: (schema: JsonSchema) => Findings,
  path: FieldPath,
): Findings {
  let best: Findings | undefined;
  for (const schema of schemas) {
    const result = check(schema);
    if (result.isValid) return result;
    if (best === undefined || result.checks > best.checks) best = result;
  }
  const findings = Findings.of(
    unplaced(`${quoted(path)} must validate at least one schema (anyOf)`),
  );
  if (best !== undefined) findings.merge(best);
  return findings;
}

function oneOfFindings(results: readonly Findings[], path: FieldPath): Findings {
  const valid = results.filter((result) => result.isValid);
  const [first] = valid;
  if (valid.length === 1 && first !== undefined) return first;
  const found =
    valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  const findings = Findings.of(
    unplaced(`${quoted(path)} must validate one and only one schema (oneOf). ${found}`),
  );
  if (valid.length > 0) return findings;
  const best = results.reduce((one, other) => (other.checks > one.checks ? other : one));
  findings.merge(best);
  return findings;
}

function allOfFindings(results: readonly Findings[], path: FieldPath): Findings {
  const findings = new Findings();
  findings.merge(...results);
  const valid = results.filter((result) => result.isValid).length;
  if (valid === results.length) return findings;
  const more = valid === 0 ? '. None validated' : '';
  findings.add(unplaced(`${quoted(path)} must validate all the schemas (allOf)${more}`));
  return findings;
}

function quoted(path: FieldPath): string {
  return JSON.stringify(path);
}
