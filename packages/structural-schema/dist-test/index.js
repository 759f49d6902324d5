// packages/structural-schema/src/json/number-text.ts
var NumberText = class {
  text;
  constructor(text2) {
    this.text = text2;
  }
  /** True if the notation is that of a Go integer of any size. */
  get isInteger() {
    return !/[.eE]/.test(this.text);
  }
  /** The value in Go: a 64-bit integer (bigint beyond 2^53) or else a double, which may be infinite. */
  get value() {
    if (!this.isInteger) return Number(this.text);
    const integer2 = BigInt(this.text);
    return BigInt.asIntN(64, integer2) === integer2 ? integerOf(integer2) : Number(this.text);
  }
  toString() {
    return this.text;
  }
  toJSON() {
    return rawJson(this.text);
  }
};
function integerOf(integer2) {
  const number = Number(integer2);
  return Number.isSafeInteger(number) ? number : integer2;
}
function rawJson(text2) {
  return JSON.rawJSON(text2);
}

// packages/structural-schema/src/json/json-value.ts
function isJsonObject(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof NumberText)
  );
}
function isNumeric(value) {
  return typeof value === 'number' || typeof value === 'bigint';
}
function isJsonNumber(value) {
  return isNumeric(value) || value instanceof NumberText;
}
function asJson(object) {
  return object;
}
function setOwn(object, key, value) {
  if (key !== '__proto__') {
    object[key] = value;
    return;
  }
  Object.defineProperty(object, key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
function ownValue(object, key) {
  return Object.hasOwn(object, key) ? object[key] : void 0;
}
function jsonEquals(left, right) {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => jsonEquals(item, right[index]))
    );
  }
  if (left instanceof NumberText || right instanceof NumberText) {
    return isJsonNumber(left) && isJsonNumber(right) && String(left) === String(right);
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key], right[key]))
  );
}
function cloneJson(value) {
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  if (!isJsonObject(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]));
  return copy;
}
function sortMembers(value) {
  if (Array.isArray(value)) return value.map((item) => sortMembers(item));
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sortMembers(value[key])]));
}

// packages/structural-schema/src/json/exact-json.ts
function jsonText(value, space = 0) {
  return exactText(value, space).json;
}
function exactText(value, space = 0) {
  try {
    return { json: JSON.stringify(value, null, space), hasBigints: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { json: JSON.stringify(value, withBigints, space), hasBigints: true };
  }
}
function withBigints(_key, value) {
  return typeof value === 'bigint' ? rawJson(String(value)) : value;
}
function parseExact(text2) {
  return JSON.parse(text2, (_key, value, { source }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    return new NumberText(source).value;
  });
}
function parseNumbers(text2) {
  if (!unusual.test(text2)) return JSON.parse(text2);
  return JSON.parse(text2, (_key, value, { source }) => textOf(value, source) ?? value);
}
var unusual = /[:,[]\s*-?(?:\d{16}|\d+[.eE])[\d.eE+-]*\s*[,\]}]/;
function textOf(value, source) {
  if (typeof value !== 'number') return void 0;
  const isFloat = /[.eE]/.test(source);
  const isPlain = Number.isSafeInteger(value) ? !isFloat : isFloat && String(value) === source;
  return isPlain ? void 0 : new NumberText(source);
}

// packages/structural-schema/src/validation/field-error.ts
function required(field, detail) {
  const message = detail === void 0 ? 'Required value' : `Required value: ${detail}`;
  return { reason: 'FieldValueRequired', message, field };
}
function invalid(field, value, detail) {
  const why = detail === '' ? '' : `: ${detail}`;
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${show(value)}${why}`, field };
}
function typeInvalid(field, found, detail) {
  return {
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: ${show(found)}: ${detail}`,
    field,
  };
}
function notSupported(field, value, supported) {
  const values = supported.map((each) => show(each)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${show(value)}: supported values: ${values}`,
    field,
  };
}
function duplicate(field, value) {
  return {
    reason: 'FieldValueDuplicate',
    message: `Duplicate value: ${show(value)}`,
    field,
  };
}
function notFound(field, value) {
  return { reason: 'FieldValueNotFound', message: `Not found: ${show(value)}`, field };
}
function forbidden(field, detail) {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, field };
}
function tooLong(field, most) {
  return {
    reason: 'FieldValueTooLong',
    message: `Too long: may not be more than ${most} bytes`,
    field,
  };
}
function tooMany(field, found, most) {
  return {
    reason: 'FieldValueTooMany',
    message: `Too many: ${found}: must have at most ${most} items`,
    field,
  };
}
function show(value) {
  const json = value === void 0 ? 'null' : jsonText(value);
  if (typeof value === 'string') return json;
  return json.replaceAll(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

// packages/structural-schema/src/validation/field-path.ts
function childPath(parent, field) {
  return parent === '' ? field : `${parent}.${field}`;
}
function indexPath(parent, index) {
  return `${parent}[${index}]`;
}
function keyPath(parent, key) {
  return `${parent}[${key}]`;
}

// packages/structural-schema/src/validation/default-values.ts
function defaultValues(schema, value) {
  if (isJsonObject(value)) addMissing(schema, value);
  for (const [container, key, below] of partsOf(schema, value)) {
    if (isMistake(container[key], below) && below.default !== void 0)
      container[key] = cloneJson(below.default);
    defaultValues(below, container[key]);
  }
}
function dropNulls(schema, value) {
  for (const [container, key, below] of partsOf(schema, value)) {
    const isDropped = isMistake(container[key], below) && below.default === void 0;
    if (isDropped && !Array.isArray(value)) delete container[key];
    else dropNulls(below, container[key]);
  }
}
function addMissing({ properties = {} }, object) {
  for (const [name, property] of Object.entries(properties)) {
    if (property.default === void 0 || ownValue(object, name) !== void 0) continue;
    object[name] = cloneJson(property.default);
  }
}
function isMistake(value, { nullable }) {
  return value === null && nullable !== true;
}
function partsOf(schema, value) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const below = Array.isArray(value) ? schema.items : schemaOfMember(schema, key);
    return below === void 0 ? [] : [[value, key, below]];
  });
}
function schemaOfMember(schema, key) {
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : void 0;
}

// packages/structural-schema/src/validation/known-format.ts
import { isKnownFormat } from '@keelson/cel/internal';
var numberFormats = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};
function knownFormat({ type = '', format = '' }) {
  if (format === '') return void 0;
  const isKnown =
    type === 'string' || type === ''
      ? isKnownFormat(format)
      : (numberFormats[type] ?? []).includes(format);
  return isKnown ? format : void 0;
}
function unknownFormats(schema) {
  const { format = '' } = schema;
  const own = format !== '' && knownFormat(schema) === void 0;
  const found = [...(own ? [format] : []), ...partsOf2(schema).flatMap(unknownFormats)];
  return [...new Set(found)];
}
function partsOf2(schema) {
  const { items, additionalProperties, properties = {}, not } = schema;
  const { allOf = [], anyOf = [], oneOf = [] } = schema;
  return [
    ...(items === void 0 ? [] : [items]),
    ...Object.values(properties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(not === void 0 ? [] : [not]),
  ];
}

// packages/structural-schema/src/validation/pattern-matcher.ts
import { patternProblem } from '@keelson/cel/internal';
import { RE2JS } from 're2js';
var PatternMatcher = class {
  #patterns = /* @__PURE__ */ new Map();
  /** Throws if the pattern does not compile; definitions with such a pattern are refused. */
  matches(pattern, text2) {
    let compiled = this.#patterns.get(pattern);
    if (compiled === void 0) {
      compiled = RE2JS.compile(pattern);
      this.#patterns.set(pattern, compiled);
    }
    return compiled.test(text2);
  }
};
function patternSyntaxProblem(pattern) {
  return patternProblem(RE2JS, pattern);
}

// packages/structural-schema/src/validation/unknown-members.ts
function unknownMembers(schema, value, path) {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === void 0) return [];
    return value.flatMap((item, index) => unknownMembers(items, item, indexPath(path, index)));
  }
  if (!isJsonObject(value) || schema['x-kubernetes-int-or-string'] === true) return [];
  return Object.keys(value).flatMap((name) => membersAt(schema, value, name, path));
}
function membersAt(schema, object, name, parent) {
  const path = childPath(parent, name);
  const { properties = {}, additionalProperties } = schema;
  const values = typeof additionalProperties === 'object' ? additionalProperties : void 0;
  const below = ownValue(properties, name) ?? values;
  if (below !== void 0) return unknownMembers(below, object[name], path);
  return isKept(schema, name) ? [] : [{ path, object, name }];
}
var ofEmbedded = /* @__PURE__ */ new Set(['apiVersion', 'kind', 'metadata']);
function isKept(schema, name) {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return true;
  if (schema.additionalProperties === true) return true;
  return schema['x-kubernetes-embedded-resource'] === true && ofEmbedded.has(name);
}

// packages/structural-schema/src/validation/validate-structure.ts
var listType = 'x-kubernetes-list-type';
var mapKeys = 'x-kubernetes-list-map-keys';
var mapType = 'x-kubernetes-map-type';
var preserves = 'x-kubernetes-preserve-unknown-fields';
function validateStructure(schema, path) {
  return [
    ...validateKeywords(schema, path),
    ...validateListType(schema, path),
    ...validateJunctors(schema, path),
  ];
}
function validateKeywords(schema, path) {
  const causes = [];
  if ('$ref' in schema) causes.push(forbidden(childPath(path, '$ref'), '$ref is not supported'));
  if ('uniqueItems' in schema && schema.uniqueItems === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    causes.push(forbidden(childPath(path, 'uniqueItems'), detail));
  }
  if (schema[preserves] === false) {
    causes.push(invalid(childPath(path, preserves), false, 'must be true or undefined'));
  }
  const kind = schema[mapType];
  if (kind !== void 0 && kind !== 'atomic' && kind !== 'granular') {
    causes.push(notSupported(childPath(path, mapType), kind, ['atomic', 'granular']));
  }
  return [...causes, ...validatePattern(schema, path)];
}
function validatePattern({ pattern }, path) {
  if (pattern === void 0) return [];
  const why = patternSyntaxProblem(pattern);
  if (why === void 0) return [];
  const detail = `must be a valid regular expression, but isn't: ${why}`;
  return [invalid(childPath(path, 'pattern'), pattern, detail)];
}
function validateListType(schema, path) {
  const kind = schema[listType];
  if (kind === void 0) return [];
  if (schema.type !== 'array') {
    const detail = `must be array if ${listType} is specified`;
    return [invalid(childPath(path, 'type'), schema.type, detail)];
  }
  switch (kind) {
    case 'atomic':
      return [];
    case 'set':
      return validateSet(schema, path);
    case 'map':
      return validateMap(schema, path);
    default:
      return [notSupported(childPath(path, listType), kind, ['atomic', 'set', 'map'])];
  }
}
function validateSet({ items }, path) {
  const detail = `must be atomic as item of a list with ${listType}=set`;
  const below = childPath(path, 'items');
  if (items?.type === 'object' && items[mapType] !== 'atomic') {
    return [invalid(childPath(below, mapType), items[mapType] ?? null, detail)];
  }
  if (items?.type === 'array' && (items[listType] ?? 'atomic') !== 'atomic') {
    return [invalid(childPath(below, listType), items[listType], detail)];
  }
  return [];
}
function validateMap({ items, [mapKeys]: keys = [] }, path) {
  if (keys.length === 0) {
    const detail2 = `must not be empty if ${listType} is map`;
    return [required(childPath(path, mapKeys), detail2)];
  }
  const { properties = {}, required: needed = [] } = items ?? {};
  if (keys.some((key) => !Object.hasOwn(properties, key))) {
    const detail2 = 'entries must all be names of item properties';
    return [invalid(childPath(path, mapKeys), keys, detail2)];
  }
  const missing = keys.filter(
    (key) => properties[key]?.default === void 0 && !needed.includes(key),
  );
  const detail = `this property is in ${mapKeys}, so it must have a default or be a required property`;
  const below = childPath(childPath(path, 'items'), 'properties');
  return missing.map((key) => required(childPath(keyPath(below, key), 'default'), detail));
}
function validateJunctors(schema, path) {
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((name) =>
    (schema[name] ?? []).flatMap((part, index) =>
      validateRestriction(part, indexPath(childPath(path, name), index)),
    ),
  );
  return schema.not === void 0
    ? lists
    : [...lists, ...validateRestriction(schema.not, childPath(path, 'not'))];
}
function validateRestriction(schema, path) {
  const { type, default: value, properties = {}, items } = schema;
  const isScalar = type === 'integer' || type === 'string';
  return [
    ...(type === void 0 || isScalar
      ? []
      : [forbidden(childPath(path, 'type'), 'must be empty to be structural')]),
    ...validatePattern(schema, path),
    ...(value === void 0
      ? []
      : [forbidden(childPath(path, 'default'), 'must be undefined to be structural')]),
    ...Object.entries(properties).flatMap(([name, part]) =>
      validateRestriction(part, keyPath(childPath(path, 'properties'), name)),
    ),
    ...(items === void 0 ? [] : validateRestriction(items, childPath(path, 'items'))),
    ...validateJunctors(schema, path),
  ];
}

// packages/structural-schema/src/validation/validate-value.ts
import { hasFormat } from '@keelson/cel/internal';

// packages/structural-schema/src/validation/validate-number.ts
var int64 = [-(2n ** 63n), 2n ** 63n - 1n];
var mostFloat = 34028234663852886e22;
var int32 = [-(2 ** 31), 2 ** 31 - 1];
function checkNumberFormat(schema, value, path) {
  const { type = 'number' } = schema;
  const format = knownFormat(schema) ?? '';
  if (type === 'integer') {
    const [least, most] = format === 'int32' ? int32 : int64;
    const integer2 = integerIn(String(value));
    if (integer2 !== void 0 && integer2 >= least && integer2 <= most) return [];
  } else if (format !== 'float' || Math.abs(Number(value)) <= mostFloat) {
    return [];
  }
  const wanted = format === '' ? '(default format)' : `with format ${format}`;
  return [unplaced(`Checked value must be of type ${type} ${wanted} in ${path}`)];
}
function integerIn(text2) {
  return /^-?\d+$/.test(text2) ? BigInt(text2) : void 0;
}
function checkNumber(schema, value, path) {
  const causes = checkNumberFormat(schema, value, path);
  const { minimum, maximum, multipleOf } = schema;
  if (multipleOf !== void 0 && !isMultiple(value, multipleOf)) {
    causes.push(inBody(path, value, `should be a multiple of ${multipleOf}`));
  }
  if (minimum !== void 0) {
    const exclusive = schema.exclusiveMinimum === true;
    const words = exclusive ? 'greater than' : 'greater than or equal to';
    if (value < minimum || (exclusive && Number(value) === minimum)) {
      causes.push(inBody(path, value, `should be ${words} ${minimum}`));
    }
  }
  if (maximum !== void 0) {
    const exclusive = schema.exclusiveMaximum === true;
    const words = exclusive ? 'less than' : 'less than or equal to';
    if (value > maximum || (exclusive && Number(value) === maximum)) {
      causes.push(inBody(path, value, `should be ${words} ${maximum}`));
    }
  }
  return causes;
}
function isMultiple(value, factor) {
  if (typeof value === 'bigint' && Number.isSafeInteger(factor) && factor > 0)
    return value % BigInt(factor) === 0n;
  return Number.isInteger(Number((Number(value) / factor).toFixed(9)));
}
function inBody(path, value, detail) {
  return invalid(path, value, `${path} in body ${detail}`);
}
function unplaced(detail) {
  return invalid('<nil>', '', detail);
}

// packages/structural-schema/src/validation/validate-value.ts
function validateValue(schema, value, path, patterns, old) {
  if (old !== void 0 && jsonEquals(old, value)) return [];
  if (value === null && schema.nullable === true) return [];
  const mismatch = checkType(schema, value, path);
  if (mismatch.length > 0) return mismatch;
  return [
    ...checkEnum(schema, value, path),
    ...checkByType(schema, value, path, { patterns, old }),
    ...checkCombinations(schema, value, path, patterns),
  ];
}
function checkType(schema, value, path) {
  const found = typeName(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    const fits = found === 'integer' || found === 'string';
    return fits ? [] : [wrongType(path, 'integer,string', found)];
  }
  const { type } = schema;
  if (type === void 0 || type === found || (type === 'number' && found === 'integer')) return [];
  if (type === 'integer' && typeof value === 'number') {
    const format = knownFormat(schema);
    return [
      wrongType(path, format ?? type, format === void 0 ? 'number' : 'float64'),
      ...checkNumberFormat(schema, value, path),
    ];
  }
  return [wrongType(path, type, found)];
}
function checkByType(schema, value, path, inside) {
  if (typeof value === 'string') return checkText(schema, value, path, inside.patterns);
  if (typeof value === 'number' || typeof value === 'bigint')
    return checkNumber(schema, value, path);
  if (Array.isArray(value)) return checkList(schema, value, path, inside);
  return isJsonObject(value) ? checkObject(schema, value, path, inside) : [];
}
function checkEnum(schema, value, path) {
  const { enum: allowed } = schema;
  if (allowed === void 0 || allowed.some((each) => isChosen(each, value))) return [];
  const texts = allowed.map((each) => (typeof each === 'string' ? each : jsonText(each)));
  return [notSupported(path, value, texts)];
}
function isChosen(choice, value) {
  const isCut = typeof value === 'number' && Number.isSafeInteger(choice);
  return jsonEquals(choice, isCut ? Math.trunc(value) : value);
}
function checkText(schema, text2, path, patterns) {
  const causes = checkLengthAndPattern(schema, text2, path, patterns);
  const { format } = schema;
  if (format === void 0 || hasFormat(text2, format)) return causes;
  const detail = `${path} in body must be of type ${format}: ${JSON.stringify(text2)}`;
  return [...causes, typeInvalid(path, text2, detail)];
}
function checkLengthAndPattern(schema, text2, path, patterns) {
  const { minLength, maxLength, pattern } = schema;
  const { length } = Array.from(text2);
  if (maxLength !== void 0 && length > maxLength) return [tooLong(path, maxLength)];
  if (minLength !== void 0 && length < minLength) {
    return [inBody(path, text2, `should be at least ${minLength} chars long`)];
  }
  if (pattern !== void 0 && !patterns.matches(pattern, text2)) {
    return [inBody(path, text2, `should match '${pattern}'`)];
  }
  return [];
}
function checkList(schema, list, path, { patterns, old }) {
  const causes = [];
  const { minItems, maxItems, items } = schema;
  if (maxItems !== void 0 && list.length > maxItems) {
    causes.push(tooMany(path, list.length, maxItems));
  }
  if (minItems !== void 0 && list.length < minItems) {
    causes.push(inBody(path, list.length, `should have at least ${minItems} items`));
  }
  if (items !== void 0) {
    for (const [index, item] of list.entries()) {
      const before = oldItem(schema, item, old);
      causes.push(...validateValue(items, item, indexPath(path, index), patterns, before));
    }
  }
  return [...causes, ...checkUnique(schema, list, path)];
}
function oldItem(schema, item, old) {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return void 0;
  const keys = keysOf(schema, item);
  return old.find((each) => jsonEquals(keysOf(schema, each), keys));
}
function checkUnique(schema, list, path) {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && kind !== 'map') return [];
  const causes = [];
  const seen = /* @__PURE__ */ new Set();
  for (const [index, item] of list.entries()) {
    const key = kind === 'set' ? item : keysOf(schema, item);
    const text2 = jsonText(key);
    if (seen.has(text2)) causes.push(duplicate(indexPath(path, index), key));
    seen.add(text2);
  }
  return causes;
}
function keysOf(schema, item) {
  if (!isJsonObject(item)) return item;
  const keys = {};
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const value = ownValue(item, key) ?? ownValue(schema.items?.properties ?? {}, key)?.default;
    if (value !== void 0) keys[key] = value;
  }
  return keys;
}
function checkObject(schema, object, path, { patterns, old }) {
  const causes = [];
  const { minProperties, maxProperties, additionalProperties } = schema;
  const keys = Object.keys(object);
  if (maxProperties !== void 0 && keys.length > maxProperties) {
    causes.push(tooMany(path, keys.length, maxProperties));
  }
  if (minProperties !== void 0 && keys.length < minProperties) {
    causes.push(inBody(path, keys.length, `should have at least ${minProperties} properties`));
  }
  for (const key of keys) {
    const property = ownValue(schema.properties ?? {}, key);
    const below =
      property ?? (typeof additionalProperties === 'object' ? additionalProperties : void 0);
    if (below === void 0) continue;
    const value = object[key];
    const before = isJsonObject(old) ? ownValue(old, key) : void 0;
    causes.push(...validateValue(below, value, childPath(path, key), patterns, before));
  }
  for (const name of requiredOf(schema)) {
    if (ownValue(object, name) === void 0) causes.push(required(childPath(path, name)));
  }
  return causes;
}
function requiredOf(schema) {
  const own = schema.required ?? [];
  return schema['x-kubernetes-embedded-resource'] === true ? [...own, 'apiVersion', 'kind'] : own;
}
function checkCombinations(schema, value, path, patterns) {
  const causes = [];
  for (const each of schema.allOf ?? []) causes.push(...validateValue(each, value, path, patterns));
  if (schema.anyOf !== void 0) {
    const results = schema.anyOf.map((each) => validateValue(each, value, path, patterns));
    if (results.length > 0 && results.every((result) => result.length > 0)) {
      causes.push(unplaced(`"${path}" must validate at least one schema (anyOf)`));
      causes.push(...(results[0] ?? []));
    }
  }
  if (schema.oneOf !== void 0) causes.push(...checkOneOf(schema.oneOf, value, path, patterns));
  if (schema.not !== void 0 && validateValue(schema.not, value, path, patterns).length === 0) {
    causes.push(unplaced(`"${path}" must not validate the schema (not)`));
  }
  return causes;
}
function checkOneOf(choices, value, path, patterns) {
  const results = choices.map((each) => validateValue(each, value, path, patterns));
  const valid = results.filter((result) => result.length === 0).length;
  if (valid === 1) return [];
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  const message = unplaced(`"${path}" must validate one and only one schema (oneOf). ${found}`);
  return valid === 0 ? [message, ...(results[0] ?? [])] : [message];
}
function wrongType(path, type, found) {
  return typeInvalid(path, found, `${path} in body must be of type ${type}: "${found}"`);
}
function typeName(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isWholeEnough(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value;
}
function isWholeEnough(value) {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return whole === value || Math.abs((value - whole) / (value + whole)) < 1e-9;
}

// packages/structural-schema/src/validation/validate-metadata.ts
import {
  checkLabelValue,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
} from '@keelson/cel/internal';
var standardFinalizers = /* @__PURE__ */ new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
var MAX_ANNOTATION_BYTES = 256 * 1024;
function validateMetadata(object, checkName = checkSubdomain) {
  return validateCommon(object.metadata ?? {}, checkName);
}
function validateMetadataChange(object, old) {
  const { metadata = {} } = object;
  const change = validateChange(metadata, old.metadata ?? {});
  return [...validateCommon(metadata, checkPathSegment), ...change, ...change];
}
function validateKindMetadataChange(object, old) {
  return validateChange(object.metadata ?? {}, old.metadata ?? {});
}
function validateCommonMetadata(object, old) {
  const { metadata = {} } = object;
  const change = old === void 0 ? [] : validateChange(metadata, old.metadata ?? {});
  return [...validateCommon(metadata, checkPathSegment), ...change];
}
function validateCommon(metadata, checkName) {
  const finalizers = (metadata.finalizers ?? []).flatMap((name) =>
    checkQualifiedName(name).map((detail) => invalid('metadata.finalizers', name, detail)),
  );
  return [
    ...validateNames(metadata, checkName),
    ...validateMaps(metadata),
    ...validateOwners(metadata.ownerReferences ?? []),
    ...finalizers,
  ];
}
function validateLabels(labels, field) {
  return Object.entries(labels)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([key, value]) => [
      ...checkQualifiedName(key).map((detail) => invalid(field, key, detail)),
      ...checkLabelValue(value).map((detail) => invalid(field, value, detail)),
    ]);
}
function validateNames(metadata, checkName) {
  const { name = '', generateName = '' } = metadata;
  const causes = generateName === '' ? [] : validateGenerateName(generateName, checkName);
  if (name === '')
    return [...causes, required('metadata.name', 'name or generateName is required')];
  return [...causes, ...checkName(name).map((detail) => invalid('metadata.name', name, detail))];
}
function validateGenerateName(generateName, checkName) {
  const likely = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
  return checkName(likely).map((detail) => invalid('metadata.generateName', generateName, detail));
}
function validateMaps(metadata) {
  const annotations = Object.keys(metadata.annotations ?? {}).flatMap((key) =>
    checkQualifiedName(key.toLowerCase()).map((detail) =>
      invalid('metadata.annotations', key, detail),
    ),
  );
  const bytes = Object.entries(metadata.annotations ?? {})
    .flat()
    .reduce((sum, text2) => sum + Buffer.byteLength(text2), 0);
  const size =
    bytes > MAX_ANNOTATION_BYTES ? [tooLong('metadata.annotations', MAX_ANNOTATION_BYTES)] : [];
  return [...validateLabels(metadata.labels ?? {}, 'metadata.labels'), ...annotations, ...size];
}
function validateFinalizers({ finalizers = [] }) {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((name, index) =>
    name.includes('/') || standardFinalizers.has(name)
      ? []
      : [invalid(indexPath('metadata.finalizers', index), name, detail)],
  );
}
function validateOwners(owners) {
  const field = 'metadata.ownerReferences';
  const causes = owners.flatMap((owner) => validateOwner(owner, field));
  const controllers = owners.filter((owner) => owner.controller === true);
  if (controllers.length < 2) return causes;
  const names = controllers.map((owner) => `${owner.kind}/${owner.name}`);
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${names[0]} and ${names[1]}`;
  return [...causes, invalid(field, owners, detail)];
}
function validateOwner(owner, field) {
  const causes = [];
  const { apiVersion = '', kind = '', name = '', uid = '' } = owner;
  if (apiVersion === '') {
    causes.push(invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
  }
  for (const [part, value] of Object.entries({ kind, name, uid })) {
    if (value === '') causes.push(invalid(`${field}.${part}`, value, 'must not be empty'));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    causes.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return causes;
}
function validateChange(metadata, old) {
  const changed = immutable.filter((key) => metadata[key] !== old[key]);
  return [
    ...validateNewFinalizers(metadata, old),
    ...changed.map((key) => invalid(`metadata.${key}`, metadata[key], 'field is immutable')),
    ...validateMaps(metadata),
    ...validateOwners(metadata.ownerReferences ?? []),
  ];
}
var immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];
function validateNewFinalizers(metadata, old) {
  if (old.deletionTimestamp === void 0) return [];
  const known = new Set(old.finalizers);
  const added = (metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  if (added.length === 0) return [];
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden('metadata.finalizers', detail)];
}

// packages/structural-schema/src/rules/cel-library.ts
import { makeCelLibrary } from '@keelson/cel/internal';

// packages/structural-schema/src/lazy.ts
function lazy(compute) {
  let held;
  return () => {
    held ??= { value: compute() };
    return held.value;
  };
}

// packages/structural-schema/src/rules/cel-library.ts
var celLibrary = lazy(makeCelLibrary);

// packages/structural-schema/src/rules/evaluate-rules.ts
import { EvaluationError } from '@keelson/cel/internal';

// packages/structural-schema/src/rules/cost-budget.ts
var OBJECT_COST_LIMIT = 1e7;
var CostBudget = class {
  #left = OBJECT_COST_LIMIT;
  /** Deducts a cost. Returns false if the budget is exceeded. */
  spend(cost) {
    this.#left -= cost;
    return this.#left >= 0;
  }
  get isExhausted() {
    return this.#left <= 0;
  }
  /** Ends the evaluation of further rules. */
  exhaust() {
    this.#left = 0;
  }
};

// packages/structural-schema/src/rules/evaluate-rules.ts
function evaluateRules(tree, compared) {
  const evaluation = new RuleEvaluation();
  evaluation.run(tree, compared, '');
  return evaluation;
}
var RuleEvaluation = class {
  refused = [];
  ratcheted = [];
  #budget = new CostBudget();
  run(tree, compared, path) {
    const { value } = compared;
    if (value === void 0 || value === null || this.#budget.isExhausted) return;
    this.#evaluateNode(tree, compared, path);
    if (Array.isArray(value)) this.#items(tree, value, compared, path);
    else if (isJsonObject(value)) this.#members(tree, value, compared, path);
  }
  #evaluateNode({ rules, type, schema }, compared, path) {
    if (rules.length === 0 || type === void 0) return;
    const { value = null, old = null } = compared;
    const readsOld = old !== null && rules.some((rule) => rule.readsOldSelf);
    const input = {
      self: valueOf(() => type.valueOf(value)),
      oldSelf: readsOld ? valueOf(() => type.valueOf(old)) : void 0,
    };
    for (const rule of rules) {
      if (this.#budget.isExhausted) return;
      this.#apply(rule, input, { schema, compared, value, path });
    }
  }
  #apply(rule, input, { schema, compared, value, path }) {
    const outcome = rule.evaluate(input, this.#budget);
    if (outcome.kind === 'passed') return;
    if (outcome.kind === 'error') {
      if (outcome.exhausted === true) this.#budget.exhaust();
      this.refused.push(invalid(placed(path), schema.type, outcome.message));
      return;
    }
    const findings = !rule.usesOldSelf && compared.unchanged() ? this.ratcheted : this.refused;
    findings.push(causeOf(rule, value, outcome.message, path));
  }
  #members(tree, object, compared, path) {
    const before = isJsonObject(compared.old) ? compared.old : {};
    for (const [name, value] of Object.entries(object)) {
      const property = tree.properties.get(name);
      const below = property ?? tree.additionalProperties;
      if (below === void 0) continue;
      const inner = property === void 0 ? keyPath(path, name) : childPath(path, name);
      this.run(below, within(compared, value, before[name]), inner);
    }
  }
  #items({ items, schema }, list, compared, path) {
    if (items === void 0) return;
    const before = Array.isArray(compared.old) ? compared.old : [];
    for (const [index, item] of list.entries()) {
      const old = counterpart(schema, item, before);
      this.run(items, within(compared, item, old), indexPath(path, index));
    }
  }
};
function valueOf(convert) {
  try {
    return convert();
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}
function causeOf({ expression, fieldPath }, value, message, path) {
  const field = placed(path + fieldPath);
  switch (expression.reason) {
    case 'FieldValueForbidden':
      return forbidden(field, message);
    case 'FieldValueRequired':
      return required(field, message);
    case 'FieldValueDuplicate':
      return withoutValue(duplicate(field, value), value, 'Duplicate value');
    default:
      return withoutValue(invalid(field, value, message), value, `Invalid value: ${message}`);
  }
}
function withoutValue(cause, value, message) {
  return typeof value === 'object' ? { ...cause, message } : cause;
}
function placed(path) {
  return path === '' ? '<nil>' : path.replace(/^\./, '');
}
function counterpart(schema, item, before) {
  if (schema['x-kubernetes-list-type'] !== 'map' || !isJsonObject(item)) return void 0;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return before.find(
    (other) => isJsonObject(other) && keys.every((key) => other[key] === item[key]),
  );
}
function within(around, value, old) {
  return {
    value,
    old,
    unchanged: () => (old === void 0 ? around.unchanged() : jsonEquals(old, value)),
  };
}

// packages/structural-schema/src/rules/checked-rules.ts
function checkedRules(tree, causes, compared) {
  if (tree === void 0) return { causes, ratcheted: [] };
  if (causes.some(({ reason }) => blockingReasons.has(reason))) {
    return { causes: [...causes, unchecked], ratcheted: [] };
  }
  const { refused, ratcheted } = evaluateRules(tree, compared);
  return { causes: [...causes, ...refused], ratcheted };
}
var blockingReasons = /* @__PURE__ */ new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
var unchecked = invalid(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

// packages/structural-schema/src/rules/compiled-rule.ts
import {
  boolType,
  compileExpression,
  CostLimitError,
  EvaluationError as EvaluationError2,
  Optional,
  optionalType,
  showValue,
  stringType,
} from '@keelson/cel/internal';

// packages/structural-schema/src/rules/rule-field-path.ts
function normalFieldPath(schema, path) {
  let at = schema;
  let normal = '';
  let rest = path;
  while (rest !== '') {
    const [whole = '', field, quoted] = stepPattern.exec(rest) ?? [];
    const name = field ?? unquoted(quoted);
    const inner = name === void 0 ? void 0 : memberOf(at, name);
    if (name === void 0 || inner === void 0) return void 0;
    normal = at.properties === void 0 ? keyPath(normal, name) : `${normal}.${name}`;
    at = inner;
    rest = rest.slice(whole.length);
  }
  return normal;
}
var stepPattern = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/s;
function memberOf(schema, name) {
  const { properties, additionalProperties: values } = schema;
  if (properties !== void 0) return ownValue(properties, name);
  return typeof values === 'object' ? values : void 0;
}
var escapes = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '	',
  v: '\v',
  "'": "'",
  '\\': '\\',
};
function unquoted(quoted) {
  if (quoted === void 0) return void 0;
  const known = Array.from(quoted.matchAll(/\\(.)/gs), ([, letter = '']) => letter in escapes);
  if (known.includes(false)) return void 0;
  return quoted.replaceAll(/\\(.)/gs, (_, letter) => escapes[letter] ?? letter);
}

// packages/structural-schema/src/rules/compiled-rule.ts
var passed = { kind: 'passed' };
var MAX_MESSAGE_BYTES = 5 * 1024;
var CompiledRule = class {
  expression;
  /** Path of the reported field below the validated value. */
  fieldPath;
  /** Compile errors of the rule; undefined if it compiles. */
  error;
  /** Compile errors of the message expression; undefined if it compiles. */
  messageError;
  #rule;
  #message;
  constructor(library, { schema, type: self }, expression) {
    this.expression = expression;
    this.fieldPath = normalFieldPath(schema, expression.fieldPath ?? '') ?? '';
    const { rule = '', messageExpression, optionalOldSelf = false } = expression;
    const oldSelf = optionalOldSelf ? optionalType(self.type) : self.type;
    const variables = /* @__PURE__ */ new Map([
      ['self', self.type],
      ['oldSelf', oldSelf],
    ]);
    const resultWords = 'cel expression must evaluate to a bool';
    const compiled = compileExpression(library, rule, {
      variables,
      self,
      result: boolType,
      resultWords,
    });
    if (typeof compiled === 'string') this.error = compiled;
    else this.#rule = compiled;
    if (!messageExpression || this.error !== void 0) return;
    const message = compileExpression(library, messageExpression, {
      variables,
      self,
      result: stringType,
      resultWords: 'must evaluate to a string',
    });
    if (typeof message === 'string') this.messageError = `messageExpression ${message}`;
    else this.#message = message;
  }
  get usesOldSelf() {
    return this.#rule?.variables.has('oldSelf') ?? false;
  }
  /** True if the rule or its message expression reads `oldSelf`. */
  get readsOldSelf() {
    return this.usesOldSelf || (this.#message?.variables.has('oldSelf') ?? false);
  }
  /** Estimated maximum cost of one evaluation. */
  get cost() {
    return this.#rule?.cost ?? 0;
  }
  get messageCost() {
    return this.#message?.cost ?? 0;
  }
  evaluate({ self, oldSelf }, budget) {
    const { optionalOldSelf = false } = this.expression;
    if (this.#rule === void 0) {
      return { kind: 'error', message: `rule compile error: ${this.error}` };
    }
    if (this.usesOldSelf && oldSelf === void 0 && !optionalOldSelf) return passed;
    const old = optionalOldSelf ? optionalOf(oldSelf) : (oldSelf ?? null);
    try {
      const { value, cost } = this.#rule.program.evaluate([self, old]);
      if (!budget.spend(cost)) return exhausted;
      return value === true ? passed : this.#failed([self, old], budget);
    } catch (error) {
      return evaluationFailure(
        error,
        (this.expression.message || this.expression.rule || '').trim(),
      );
    }
  }
  /** Returns a violation with the text of `messageExpression`, or of `message` if that text is unusable. */
  #failed(values, budget) {
    const { message, rule = '' } = this.expression;
    const fallback = message?.trim() || `failed rule: ${rule.trim()}`;
    if (this.#message === void 0) return { kind: 'failed', message: fallback };
    try {
      const { value, cost } = this.#message.program.evaluate(values);
      if (!budget.spend(cost)) return messageExhausted;
      const text2 = showValue(value).trim();
      const usable =
        text2 !== '' && !text2.includes('\n') && Buffer.byteLength(text2) <= MAX_MESSAGE_BYTES;
      return { kind: 'failed', message: usable ? text2 : fallback };
    } catch (error) {
      if (error instanceof EvaluationError2) return { kind: 'failed', message: fallback };
      return evaluationFailure(error, this.expression.messageExpression ?? '');
    }
  }
};
function optionalOf(value) {
  return value instanceof EvaluationError2 ? value : Optional.of(value);
}
var exhausted = {
  kind: 'error',
  message:
    'validation failed due to running out of cost budget, no further validation rules will be run',
  exhausted: true,
};
var messageExhausted = {
  kind: 'error',
  message:
    'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
  exhausted: true,
};
function evaluationFailure(error, rule) {
  if (error instanceof CostLimitError) {
    const message2 = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
    return { kind: 'error', message: message2, exhausted: true };
  }
  if (!(error instanceof EvaluationError2)) throw error;
  const { message } = error;
  const words = message.startsWith('no such overload')
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${message} evaluating rule: ${rule}`;
  return { kind: 'error', message: words };
}

// packages/structural-schema/src/rules/schema-types.ts
import {
  boolType as boolType2,
  bytesType,
  doubleType,
  Duration,
  durationType,
  dynType,
  fail,
  intType,
  listType as listType2,
  mapType as mapType2,
  objectType,
  SchemaList,
  showValue as showValue2,
  stringType as stringType2,
  Timestamp,
  timestampType,
} from '@keelson/cel/internal';

// packages/structural-schema/src/rules/schema-sizes.ts
import { MAX_REQUEST_BYTES } from '@keelson/cel/internal';
function sizeOfText({ type, maxLength, enum: values, format }) {
  if (maxLength !== void 0) return Math.max(0, maxLength) * (format === 'byte' ? 1 : 4);
  if (type === 'string' && format === void 0 && values !== void 0 && values.length > 0) {
    return Math.max(0, ...values.map((each) => (typeof each === 'string' ? utf8Length(each) : 0)));
  }
  return MAX_REQUEST_BYTES - 2;
}
function sizeOfList({ maxItems }, { smallest }) {
  if (maxItems !== void 0) return Math.max(0, maxItems);
  return Math.floor((MAX_REQUEST_BYTES - 2) / (smallest + 1));
}
function sizeOfMap({ maxProperties }, { smallest }) {
  if (maxProperties !== void 0) return Math.max(0, maxProperties);
  return Math.floor((MAX_REQUEST_BYTES - 2) / (smallest + 6));
}
function smallestObject({ required: required2 = [], properties = {} }, fields) {
  return fields
    .filter(([name]) => required2.includes(name) && properties[name]?.default === void 0)
    .reduce((sum, [name, { smallest }]) => sum + utf8Length(name) + smallest + 4, 2);
}
function utf8Length(text2) {
  return Buffer.byteLength(text2);
}

// packages/structural-schema/src/rules/field-name.ts
var reserved = new Set(
  `true false null in as break const continue else for function if import let loop package namespace return
   var void while`.split(/\s+/),
);
var symbols = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
function escapeFieldName(name) {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return void 0;
  if (reserved.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (symbol) => symbols[symbol] ?? symbol);
}

// packages/structural-schema/src/rules/schema-object.ts
import { MapValue } from '@keelson/cel/internal';
var SchemaObject = class _SchemaObject extends MapValue {
  json;
  types;
  #values;
  constructor(json, types) {
    super();
    this.json = isJsonObject(json) ? json : {};
    this.types = types;
  }
  get size() {
    return Object.keys(this.json).length;
  }
  keys() {
    return Object.keys(this.json).flatMap((name) => this.types.nameOf(name) ?? []);
  }
  get(key) {
    if (typeof key !== 'string') return void 0;
    const known = this.#values?.get(key);
    if (known !== void 0) return known;
    const name = this.types.jsonNameOf(key);
    if (name === void 0 || !Object.hasOwn(this.json, name)) return void 0;
    const json = this.json[name];
    if (json === void 0 || (json === null && this.types.named)) return void 0;
    const value = this.types.valueOf(name, json);
    this.#values ??= /* @__PURE__ */ new Map();
    this.#values.set(key, value);
    return value;
  }
  /** Members without a schema are compared as JSON. */
  equals(other, equalValues) {
    if (!(other instanceof _SchemaObject)) return void 0;
    return Object.keys(this.json).every((jsonName) => {
      const name = this.types.nameOf(jsonName);
      if (name === void 0) return jsonEquals(this.json[jsonName], other.json[jsonName]);
      const value = this.get(name);
      const against = other.get(name);
      if (value === void 0 || against === void 0) return value === against;
      return equalValues(value, against);
    });
  }
};

// packages/structural-schema/src/rules/schema-types.ts
var SchemaTypes = class {
  #known = /* @__PURE__ */ new Map();
  /**
   * Returns the type of a schema; undefined if rules cannot read its values. `root` marks the schema of the whole
   * resource.
   */
  of(schema, root = isEmbedded(schema), path = 'self') {
    if (!this.#known.has(schema)) {
      const type = this.#typeOf(schema, root, path);
      this.#known.set(schema, type && nullChecked(type, schema));
    }
    return this.#known.get(schema);
  }
  #typeOf(schema, root, path) {
    if (schema['x-kubernetes-int-or-string'] === true) {
      return scalar(dynType, 1, intOrText, sizeOfText(schema));
    }
    switch (schema.type) {
      case 'object':
        return this.#object(schema, root, path);
      case 'array':
        return this.#list(schema, path);
      case 'string':
        return textType(schema);
      case 'integer':
        return scalar(intType, 1, integer);
      case 'number':
        return scalar(doubleType, 1, Number);
      case 'boolean':
        return scalar(boolType2, 4, (json) => json === true);
      default:
        return void 0;
    }
  }
  #list(schema, path) {
    const { items } = schema;
    const element = items && this.of(items, isEmbedded(items), `${path}.@items`);
    if (element === void 0) return void 0;
    const identity = listIdentity(schema);
    return {
      type: listType2(element.type),
      smallest: 2,
      most: sizeOfList(schema, element),
      element,
      valueOf: (json) => {
        const values = Array.isArray(json) ? json.map((item) => element.valueOf(item)) : [];
        return identity === void 0 ? values : new SchemaList(values, identity);
      },
    };
  }
  #object(schema, root, path) {
    const { additionalProperties: values } = schema;
    if (typeof values === 'object') return this.#map(schema, values, path);
    const fields = /* @__PURE__ */ new Map();
    const jsonNames = /* @__PURE__ */ new Map();
    const properties = Object.entries(propertiesOf(schema, root));
    const sized = [];
    for (const [jsonName, property] of properties) {
      const type = this.of(property, isEmbedded(property), `${path}.${jsonName}`);
      const name = escapeFieldName(jsonName);
      if (type !== void 0) sized.push([jsonName, type]);
      if (type === void 0 || name === void 0) continue;
      fields.set(name, type);
      jsonNames.set(name, jsonName);
    }
    const types = new Map([...fields].map(([name, each]) => [name, each.type]));
    const members = namedMembers(fields, jsonNames);
    return {
      type: objectType(path, types),
      smallest: smallestObject(schema, sized),
      most: 0,
      fields,
      valueOf: (json) => new SchemaObject(json, members),
    };
  }
  #map(schema, values, path) {
    const element = this.of(values, isEmbedded(values), `${path}.@values`);
    if (element === void 0) return void 0;
    const members = {
      named: false,
      jsonNameOf: (name) => name,
      nameOf: (jsonName) => jsonName,
      valueOf: (_, json) => element.valueOf(json),
    };
    return {
      type: mapType2(stringType2, element.type),
      smallest: 2,
      most: sizeOfMap(schema, element),
      key: scalar(stringType2, 2, text),
      element,
      valueOf: (json) => new SchemaObject(json, members),
    };
  }
};
function scalar(type, smallest, valueOf2, most = 0) {
  return { type, smallest, most, valueOf: valueOf2 };
}
function textType(schema) {
  switch (schema.format) {
    case 'byte':
      return scalar(bytesType, 2, bytesOf, sizeOfText(schema));
    case 'date':
      return scalar(timestampType, 12, momentOf, 12);
    case 'date-time':
      return scalar(timestampType, 21, momentOf, 32);
    case 'duration':
      return scalar(durationType, 3, durationOf, 32);
    default:
      return scalar(stringType2, 2, text, sizeOfText(schema));
  }
}
function bytesOf(json) {
  const written = text(json);
  const wrong = written.search(/[+/]/);
  if (wrong < 0) return Buffer.from(written, 'base64url');
  const words = `Invalid byte formatted string ${written}: illegal base64 data at input byte ${wrong}`;
  return fail(words);
}
function momentOf(json) {
  return (
    Timestamp.parseFormat(text(json)) ?? fail(`Invalid date-time formatted string ${text(json)}`)
  );
}
function durationOf(json) {
  return Duration.parseFormat(text(json)) ?? fail(`Invalid duration ${text(json)}`);
}
function text(json) {
  return typeof json === 'string' ? json : '';
}
function intOrText(json) {
  return typeof json === 'string' ? json : integer(json);
}
function integer(json) {
  return typeof json === 'bigint' ? json : BigInt(Math.trunc(Number(json)));
}
function nullChecked(type, { nullable = false }) {
  const words = 'invalid data, got null for schema with nullable=false';
  return {
    ...type,
    valueOf: (json) => {
      if (json !== null) return type.valueOf(json);
      return nullable ? null : fail(words);
    },
  };
}
function namedMembers(fields, jsonNames) {
  const names = new Map([...jsonNames].map(([name, jsonName]) => [jsonName, name]));
  return {
    named: true,
    jsonNameOf: (name) => jsonNames.get(name),
    nameOf: (jsonName) => names.get(jsonName),
    valueOf: (jsonName, json) => fields.get(names.get(jsonName) ?? '')?.valueOf(json) ?? null,
  };
}
function listIdentity(schema) {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { keyOf: (item) => `${typeof item} ${showValue2(item)}` };
    case 'map': {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      return { keyOf: (item) => jsonText(keys.map((key) => memberOf2(item, key))) };
    }
    default:
      return void 0;
  }
}
function memberOf2(item, key) {
  const member = item instanceof SchemaObject ? item.json[key] : void 0;
  return member === void 0 || isJsonObject(member) ? null : member;
}
function isEmbedded(schema) {
  return schema['x-kubernetes-embedded-resource'] === true;
}
function propertiesOf(schema, root) {
  if (!root) return schema.properties ?? {};
  const metadata = {
    type: 'object',
    properties: { name: anyName(), generateName: anyName() },
  };
  return { ...schema.properties, apiVersion: anyName(), kind: anyName(), metadata };
}
function anyName() {
  return { type: 'string' };
}

// packages/structural-schema/src/rules/rule-tree.ts
function compileRules(library, schema) {
  if (!hasRules(schema)) return void 0;
  const types = new SchemaTypes();
  types.of(schema, true);
  return new RuleCompiler(library, types).tree(schema);
}
function hasRules(schema) {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([key, value]) =>
      (key === 'x-kubernetes-validations' && Array.isArray(value) && value.length > 0) ||
      hasRules(value),
  );
}
var RuleCompiler = class {
  #library;
  #types;
  constructor(library, types) {
    this.#library = library;
    this.#types = types;
  }
  tree(schema) {
    const type = this.#types.of(schema);
    const rules = this.#rules(schema, type);
    const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const below = this.tree(property);
      return below === void 0 ? [] : [[name, below]];
    });
    const { additionalProperties: values } = schema;
    const additionalProperties = typeof values === 'object' ? this.tree(values) : void 0;
    const items = schema.items && this.tree(schema.items);
    const isBare = rules.length === 0 && properties.length === 0;
    if (isBare && additionalProperties === void 0 && items === void 0) return void 0;
    return { schema, type, rules, properties: new Map(properties), additionalProperties, items };
  }
  #rules(schema, type) {
    if (type === void 0) return [];
    return (schema['x-kubernetes-validations'] ?? []).map(
      (expression) => new CompiledRule(this.#library, { schema, type }, expression),
    );
  }
};

// packages/structural-schema/src/rules/placed-rule.ts
import { MAX_COST, MAX_REQUEST_BYTES as MAX_REQUEST_BYTES2 } from '@keelson/cel/internal';
function placeRules(root, path) {
  return rulesOf(root, path, { uncorrelatable: void 0, count: 1 });
}
function rulesOf(tree, path, around) {
  const { schema, additionalProperties: values, items } = tree;
  const inner = { ...around, count: countWithin(schema, around.count) };
  const keyed = schema['x-kubernetes-list-type'] === 'map';
  const uncorrelatable = around.uncorrelatable ?? (keyed ? void 0 : path);
  return [
    ...(values ? rulesOf(values, childPath(path, 'additionalProperties'), inner) : []),
    ...[...tree.properties].flatMap(([name, each]) =>
      rulesOf(each, keyPath(childPath(path, 'properties'), name), inner),
    ),
    ...(items ? rulesOf(items, childPath(path, 'items'), { ...inner, uncorrelatable }) : []),
    ...tree.rules.map((rule, index) => ({
      rule,
      field: indexPath(childPath(path, 'x-kubernetes-validations'), index),
      uncorrelatable: around.uncorrelatable,
      times: around.count ?? mostInRequest(tree),
    })),
  ];
}
function countWithin(schema, count) {
  const each = elementsOf(schema);
  if (count === void 0 || each === void 0) return void 0;
  return Math.min(count * each, MAX_COST);
}
function elementsOf({ type, additionalProperties, maxProperties, maxItems }) {
  if (type === 'array') return maxItems;
  return type === 'object' && additionalProperties !== void 0 ? maxProperties : 1;
}
function mostInRequest({ type }) {
  return Math.floor(MAX_REQUEST_BYTES2 / ((type?.smallest ?? 0) + 1));
}

// packages/structural-schema/src/rules/validate-rule-costs.ts
import { MAX_COST as MAX_COST2 } from '@keelson/cel/internal';
var MAX_RULE_COST = 1e7;
var MAX_SCHEMA_COST = 1e8;
function ruleCostCauses({ rule, field, times }) {
  const cost = product(rule.cost, times);
  if (cost <= MAX_RULE_COST) return [];
  return [
    forbidden(childPath(field, 'rule'), overBudget('estimated rule cost', cost / MAX_RULE_COST)),
  ];
}
function messageCostCauses({ rule, field }) {
  if (rule.messageCost <= MAX_RULE_COST) return [];
  const words = overBudget('estimated messageExpression cost', rule.messageCost / MAX_RULE_COST);
  return [forbidden(childPath(field, 'messageExpression'), words)];
}
function totalCostCauses(rules, path) {
  const costs = rules.flatMap(costsOf);
  const total = Math.min(
    costs.reduce((sum, { cost }) => sum + cost, 0),
    MAX_COST2,
  );
  if (total <= MAX_SCHEMA_COST) return [];
  const worst = costs
    .filter(({ cost }) => cost >= MAX_SCHEMA_COST / 100)
    .toSorted((one, other) => other.cost - one.cost)
    .slice(0, 4);
  const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...worst.map(({ field }) => forbidden(field, contributed)),
    forbidden(path, overBudget(name, total / MAX_SCHEMA_COST)),
  ];
}
var contributed =
  'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
function costsOf({ rule, field, times }) {
  const cost = { field: childPath(field, 'rule'), cost: product(rule.cost, times) };
  if (rule.messageCost === 0) return [cost];
  return [cost, { field: childPath(field, 'messageExpression'), cost: rule.messageCost }];
}
function product(cost, times) {
  return Math.min(cost * times, MAX_COST2);
}
function overBudget(name, factor) {
  return `${name} exceeds budget by factor of ${shownFactor(factor)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
function shownFactor(factor) {
  if (factor > 100) return 'more than 100x';
  return `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
}

// packages/structural-schema/src/rules/validate-expressions.ts
var reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];
function validateExpressions(schema, path) {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((expression, index) =>
    validateExpression(schema, expression, expressionPath(path, index)),
  );
}
function validateCompilation(root, path) {
  const tree = compileRules(celLibrary(), root);
  if (tree === void 0) return [];
  const rules = placeRules(tree, path);
  return [...rules.flatMap(compilationCauses), ...totalCostCauses(rules, path)];
}
function compilationCauses(placed2) {
  const { rule, field, uncorrelatable } = placed2;
  const { expression, error, messageError, usesOldSelf } = rule;
  const causes = [...ruleCostCauses(placed2)];
  const shown = shownExpression(expression);
  if (error !== void 0) causes.push(invalid(childPath(field, 'rule'), shown, error));
  if (messageError !== void 0) {
    causes.push(invalid(childPath(field, 'messageExpression'), shown, messageError));
  }
  causes.push(...messageCostCauses(placed2));
  if (usesOldSelf && uncorrelatable !== void 0) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    causes.push(invalid(childPath(field, 'rule'), expression.rule, detail));
  }
  if (!usesOldSelf && expression.optionalOldSelf !== void 0) {
    const detail = 'may not be set if oldSelf is not used in rule';
    causes.push(invalid(childPath(field, 'optionalOldSelf'), expression.optionalOldSelf, detail));
  }
  return causes;
}
function shownExpression(expression) {
  const { rule = '', message = '', messageExpression = '' } = expression;
  const { reason = null, fieldPath = '', optionalOldSelf = null } = expression;
  return {
    Rule: rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  };
}
function validateExpression(
  schema,
  { rule = '', message, messageExpression, reason, fieldPath },
  path,
) {
  const causes = [];
  const multiline = rule.trim().includes('\n');
  if (rule.trim() === '') causes.push(required(childPath(path, 'rule'), 'rule is not specified'));
  else if (message && message.trim() === '') {
    causes.push(invalid(childPath(path, 'message'), message, 'must be non-empty if specified'));
  } else if (message?.trim().includes('\n')) {
    causes.push(invalid(childPath(path, 'message'), message, 'must not contain line breaks'));
  } else if (multiline && !message) {
    const detail = 'message must be specified if rule contains line breaks';
    causes.push(required(childPath(path, 'message'), detail));
  }
  if (messageExpression && messageExpression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    causes.push(required(childPath(path, 'messageExpression'), detail));
  }
  if (reason !== void 0 && !reasons.includes(reason)) {
    causes.push(notSupported(childPath(path, 'reason'), reason, reasons));
  }
  return [
    ...causes,
    ...fieldPathProblems(schema, fieldPath).map((problem) =>
      invalid(childPath(path, 'fieldPath'), fieldPath, problem),
    ),
  ];
}
function fieldPathProblems(schema, fieldPath = '') {
  if (fieldPath === '') return [];
  return [
    ...(fieldPath.trim() === '' ? ['must be non-empty if specified'] : []),
    ...(fieldPath.includes('\n') ? ['must not contain line breaks'] : []),
    ...(normalFieldPath(schema, fieldPath) === void 0 ? ['must be a valid path'] : []),
  ];
}
function forbidNestedRules(schema, path) {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const within2 = (list, name) =>
    list.flatMap((each, index) => nestedRules(each, indexPath(childPath(path, name), index)));
  return [
    ...within2(allOf, 'allOf'),
    ...within2(anyOf, 'anyOf'),
    ...within2(oneOf, 'oneOf'),
    ...(not === void 0 ? [] : nestedRules(not, childPath(path, 'not'))),
  ];
}
function nestedRules(schema, path) {
  const { 'x-kubernetes-validations': rules, properties = {}, items } = schema;
  const { additionalProperties: values } = schema;
  const field = childPath(path, 'x-kubernetes-validations');
  return [
    ...(rules === void 0 ? [] : [forbidden(field, 'must be empty to be structural')]),
    ...Object.entries(properties).flatMap(([name, property]) =>
      nestedRules(property, keyPath(childPath(path, 'properties'), name)),
    ),
    ...(typeof values === 'object'
      ? nestedRules(values, childPath(path, 'additionalProperties'))
      : []),
    ...(items === void 0 ? [] : nestedRules(items, childPath(path, 'items'))),
    ...forbidNestedRules(schema, path),
  ];
}
function expressionPath(path, index) {
  return indexPath(childPath(path, 'x-kubernetes-validations'), index);
}
export {
  NumberText,
  PatternMatcher,
  asJson,
  celLibrary,
  checkedRules,
  childPath,
  cloneJson,
  compileRules,
  defaultValues,
  dropNulls,
  duplicate,
  escapeFieldName,
  evaluateRules,
  exactText,
  forbidNestedRules,
  forbidden,
  indexPath,
  integerOf,
  invalid,
  isJsonNumber,
  isJsonObject,
  isNumeric,
  jsonEquals,
  jsonText,
  keyPath,
  lazy,
  notFound,
  notSupported,
  ownValue,
  parseExact,
  parseNumbers,
  patternSyntaxProblem,
  rawJson,
  required,
  setOwn,
  sortMembers,
  standardFinalizers,
  tooLong,
  tooMany,
  typeInvalid,
  unknownFormats,
  unknownMembers,
  validateCommonMetadata,
  validateCompilation,
  validateExpressions,
  validateFinalizers,
  validateKindMetadataChange,
  validateLabels,
  validateMetadata,
  validateMetadataChange,
  validateStructure,
  validateValue,
};
//# sourceMappingURL=index.js.map
