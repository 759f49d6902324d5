// packages/schema/src/kind/define-kind.ts
import { defineResource } from '@keelson/apimachinery';

// packages/schema/src/parse/object-parser.ts
import { apiVersionOf, checkOptions, invalidOption } from '@keelson/apimachinery';
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
  lazy as lazy2,
  PatternMatcher,
  typeInvalid as typeInvalid2,
  unknownMembers,
  validateMetadata,
  validateValue,
} from '@keelson/structural-schema';

// packages/schema/src/standard/library-causes.ts
import { childPath, indexPath } from '@keelson/structural-schema';

// packages/schema/src/errors.ts
import { CodedError } from '@keelson/apimachinery';
var schemaErrors = {
  CONVERSION_FAILED: 'the object cannot be converted to another version',
  OBJECT_INVALID: 'the object violates the schema of its kind',
  RULE_INVALID: 'a CEL rule does not compile or may cost too much',
  SCHEMA_INVALID: 'the schema is not a structural schema of Kubernetes',
};
var SchemaError = class extends CodedError {
  name = 'SchemaError';
  constructor(code, facts = {}, options = {}) {
    super(code, schemaErrors[code], facts, options);
  }
};

// packages/schema/src/literal/refusal.ts
function refusal(path, reason, cure) {
  return new SchemaError('SCHEMA_INVALID', { path, reason, cure });
}

// packages/schema/src/standard/standard-schema.ts
function isStandardSchema(schema) {
  if (typeof schema !== 'object' && typeof schema !== 'function') return false;
  return schema !== null && '~standard' in schema;
}

// packages/schema/src/standard/watched-refinements.ts
import { lazy } from '@keelson/structural-schema';

// packages/schema/src/conversion/pattern-flags.ts
var flaggedPatterns = 'x-keelson-flagged-patterns';
var expressible = /* @__PURE__ */ new Set(['d', 'g', 'u']);
var cures = {
  i: "write both cases, such as [Aa], or a CEL rule such as 'self.lowerAscii().matches(\u2026)'",
  m: String.raw`write (^|\n) in place of ^, and (\n|$) in place of $`,
  s: String.raw`write [\s\S] in place of the dot`,
  v: 'use the flag u, and write sets without operators',
  y: 'begin the expression with ^',
};
function lostFlag(flags) {
  return Array.from(flags).find((flag3) => !expressible.has(flag3));
}
function noteFlags(schema, expressions) {
  const lost = expressions.filter(
    (each) => each instanceof RegExp && lostFlag(each.flags) !== void 0,
  );
  if (lost.length > 0) schema[flaggedPatterns] = lost.map(String);
}
function refuseNotedFlags(schema, path) {
  const noted = schema[flaggedPatterns];
  const [expression] = Array.isArray(noted) ? noted : [];
  if (typeof expression !== 'string') return;
  const end = expression.lastIndexOf('/');
  refuseFlags({ source: expression.slice(1, end), flags: expression.slice(end + 1) }, path);
}
function refuseFlags({ source, flags }, path) {
  const flag3 = lostFlag(flags);
  if (flag3 === void 0) return;
  const reason = `a regular expression with the flag ${flag3}: /${source}/${flags}`;
  throw refusal(`${path}.pattern`, reason, cures[flag3] ?? 'remove the flag');
}

// packages/schema/src/standard/library-parts.ts
function conversionOptions(vendor, visitor = {}) {
  if (vendor === 'zod') return { override: (part) => visitZod(part, visitor) };
  if (vendor === 'valibot') {
    return { overrideAction: (part) => visitValibot(part, visitor) };
  }
  return vendor === 'arktype' ? { fallback: arktypeFallbacks } : void 0;
}
function refinementsIn(schema) {
  const { jsonSchema, vendor } = schema['~standard'];
  const found = [];
  const refinements = (more) => found.push(...more);
  const libraryOptions = conversionOptions(vendor, { refinements });
  if (vendor !== 'zod' && vendor !== 'valibot') return [];
  jsonSchema.output({ target: 'draft-2020-12', ...(libraryOptions && { libraryOptions }) });
  return found;
}
function visitZod({ zodSchema, jsonSchema }, { refinements }) {
  const { _zod: internals } = zodSchema;
  const checks = [zodSchema, ...(internals.def.checks ?? [])];
  if (jsonSchema['type'] === 'string') {
    noteFlags(
      jsonSchema,
      checks.map(({ _zod }) => _zod.def.pattern),
    );
  }
  refinements?.(
    checks
      .filter(({ _zod }) => typeof _zod.check === 'function')
      .map(({ _zod }) => ({ owner: _zod, name: 'check' })),
  );
}
var valibotChecks = /* @__PURE__ */ new Set(['check', 'check_items', 'partial_check', 'raw_check']);
function visitValibot({ valibotAction: action, jsonSchema, errors = [] }, { refinements }) {
  const { type, requirement } = action;
  if (valibotChecks.has(String(type))) {
    if (typeof requirement === 'function') refinements?.([{ owner: action, name: 'requirement' }]);
    return jsonSchema;
  }
  const isFlagged = requirement instanceof RegExp && requirement.flags !== '';
  if (type !== 'regex' || !isFlagged || errors.length !== 1) return void 0;
  noteFlags(jsonSchema, [requirement]);
  return jsonSchema;
}
var inexpressible = ['arrayObject', 'arrayPostfix', 'date', 'domain', 'proto', 'symbolKey'];
var arktypeFallbacks = {
  ...Object.fromEntries(inexpressible.map((code) => [code, () => notJson(code)])),
  patternIntersection: ({ base, pattern }) => {
    const parts = Array.isArray(base['allOf']) ? base['allOf'] : [];
    return { ...base, allOf: [...parts, { pattern }] };
  },
};
function notJson(code) {
  throw new Error(`a type that JSON Schema cannot express (${code})`);
}

// packages/schema/src/standard/watched-refinements.ts
var WatchedRefinements = class {
  #refinements;
  constructor(schema) {
    this.#refinements = lazy(() => refinementsIn(schema));
  }
  /**
   * Runs the validation with each refinement replaced, and puts the refinements back before it returns. A refinement
   * that returned a promise counts as passed, and the rejection of the promise is handled.
   */
  run(validate) {
    let isAsynchronous = false;
    const notice = (promise) => {
      isAsynchronous = true;
      promise.catch(() => void 0);
    };
    const restore = this.#refinements().map((refinement) => replace(refinement, notice));
    try {
      const result = validate();
      return { result, isAsynchronous };
    } finally {
      for (const each of restore.toReversed()) each();
    }
  }
};
function replace({ owner, name }, notice) {
  const original = owner[name];
  if (typeof original !== 'function') return () => void 0;
  owner[name] = function watched(...values) {
    const result = Reflect.apply(original, this, values);
    if (!(result instanceof Promise)) return result;
    notice(result);
    return true;
  };
  return () => {
    owner[name] = original;
  };
}

// packages/schema/src/standard/library-causes.ts
var LibraryCauses = class {
  #schema;
  #watched;
  constructor(schema) {
    this.#schema = isStandardSchema(schema) ? schema : void 0;
    this.#watched = this.#schema && new WatchedRefinements(this.#schema);
  }
  /** Returns the causes. Throws `SCHEMA_INVALID` for an asynchronous refinement, or one that throws. */
  in(value, field) {
    const validate = this.#schema?.['~standard'].validate;
    if (value === void 0 || validate === void 0 || this.#watched === void 0) return [];
    const { result, isAsynchronous } = this.#watched.run(() => validate(value));
    if (result instanceof Promise) result.catch(() => void 0);
    if (isAsynchronous || result instanceof Promise) {
      throw refusal(
        field,
        'an asynchronous refinement, or one that throws',
        'check it in the reconciler or a webhook',
      );
    }
    return (result.issues ?? []).map((issue) => ({
      reason: 'FieldValueInvalid',
      field: pathOf(issue, field),
      message: `Invalid value: ${issue.message}`,
    }));
  }
};
function pathOf({ path = [] }, field) {
  return path.reduce((parent, segment) => {
    const key = typeof segment === 'object' ? segment.key : segment;
    return typeof key === 'number' ? indexPath(parent, key) : childPath(parent, String(key));
  }, field);
}

// packages/schema/src/parse/invalid-object-error.ts
var InvalidObjectError = class extends SchemaError {
  name = 'InvalidObjectError';
  causes;
  constructor({ kind }, object, causes) {
    super('OBJECT_INVALID', { kind, name: nameOf(object), causes: causes.map(textOf).join('; ') });
    this.causes = causes;
  }
};
function textOf({ field, message }) {
  return field === void 0 || field === '' ? (message ?? '') : `${field}: ${message}`;
}
function nameOf(object) {
  const { metadata } = object ?? {};
  return typeof metadata?.name === 'string' ? metadata.name : void 0;
}

// packages/schema/src/parse/json-copy.ts
import {
  childPath as childPath2,
  indexPath as indexPath2,
  setOwn,
  typeInvalid,
} from '@keelson/structural-schema';
var maxLevels = 500;
function jsonCopy(value) {
  const copier = new JsonCopier();
  const copy = copier.copy(value, '', []);
  return { value: copy, causes: copier.causes, restoreNumbers: () => copier.restoreNumbers() };
}
var JsonCopier = class {
  causes = [];
  /** The places of bigints that were numbers. */
  #widened = [];
  restoreNumbers() {
    for (const { owner, name } of this.#widened) {
      const members = owner;
      if (typeof members[name] === 'bigint') members[name] = Number(members[name]);
    }
  }
  copy(value, path, parents) {
    if (isScalar(value)) return value;
    if (typeof value !== 'object' || value === null) return this.#refuse(value, path);
    if (parents.includes(value)) return this.#refuse('a cycle', path);
    if (parents.length >= maxLevels) return this.#refuse('too many levels', path);
    const within = [...parents, value];
    if (Array.isArray(value)) {
      const list2 = Array.from(value, (item, index) =>
        this.copy(item, indexPath2(path, index), within),
      );
      for (const index of list2.keys()) this.#widen(list2, String(index));
      return list2;
    }
    if (!isPlain(value)) return this.#refuse(value, path);
    const copy = {};
    for (const [name, member] of Object.entries(value)) {
      if (member === void 0) continue;
      setOwn(copy, name, this.copy(member, childPath2(path, name), within));
      this.#widen(copy, name);
    }
    return copy;
  }
  #widen(owner, name) {
    const members = owner;
    const value = members[name];
    const isWide = Number.isInteger(value) && !Number.isSafeInteger(value);
    if (typeof value !== 'number' || !isWide || Math.abs(value) >= 2 ** 63) return;
    members[name] = BigInt(value);
    this.#widened.push({ owner, name });
  }
  #refuse(value, path) {
    this.causes.push(typeInvalid(path, nameOf2(value), `${path} is not a JSON value`));
    return null;
  }
};
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
function isScalar(value) {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || ['boolean', 'bigint', 'string'].includes(typeof value);
}
function nameOf2(value) {
  if (typeof value === 'object' && value !== null) {
    const { constructor } = Object.getPrototypeOf(value);
    return typeof constructor === 'function' ? constructor.name : 'object';
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : typeof value;
}

// packages/schema/src/parse/metadata-schema.ts
var text = { type: 'string' };
var integer = { type: 'integer', format: 'int64' };
var flag = { type: 'boolean' };
var texts = { type: 'object', additionalProperties: text };
var ownerReference = {
  type: 'object',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: text,
    kind: text,
    name: text,
    uid: text,
    controller: flag,
    blockOwnerDeletion: flag,
  },
};
var metadataSchema = {
  type: 'object',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: integer,
    creationTimestamp: text,
    deletionTimestamp: text,
    deletionGracePeriodSeconds: integer,
    labels: texts,
    annotations: texts,
    ownerReferences: { type: 'array', items: ownerReference },
    finalizers: { type: 'array', items: text },
    managedFields: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    selfLink: text,
  },
};

// packages/schema/src/parse/object-parser.ts
var ObjectParser = class {
  #resource;
  #rootSchema;
  /** The schema of the whole object, with metadata. */
  #schema;
  #patterns = new PatternMatcher();
  #rules;
  #libraries;
  constructor(resource, schema, given) {
    const text3 = { type: 'string' };
    const implied = { apiVersion: text3, kind: text3, metadata: metadataSchema };
    this.#resource = resource;
    this.#rootSchema = schema;
    this.#libraries = {
      spec: new LibraryCauses(given.spec),
      status: new LibraryCauses(given.status),
    };
    this.#schema = { ...schema, properties: { ...schema.properties, ...implied } };
    this.#rules = lazy2(() => compileRules(celLibrary(), this.#rootSchema));
  }
  /** Returns a copy with defaults. Throws `OBJECT_INVALID` with every cause. */
  parse(object, options = {}) {
    checkParseOptions(options);
    const copy = jsonCopy(object);
    const causes = [...copy.causes];
    if (isJsonObject(copy.value)) {
      const old = this.#oldOf(options.old);
      causes.push(...this.#causesIn(copy.value, old, options));
      if (causes.length === 0) causes.push(...this.#libraryCauses(copy.value, old));
    } else if (causes.length === 0) {
      causes.push(typeInvalid2('', 'a value', 'must be an object'));
    }
    copy.restoreNumbers();
    if (causes.length === 0) return copy.value;
    throw new InvalidObjectError(this.#resource, copy.value, causes);
  }
  #oldOf(old) {
    const value = old === void 0 ? void 0 : jsonCopy(old).value;
    if (!isJsonObject(value)) return void 0;
    this.#complete(value);
    return value;
  }
  #causesIn(object, old, { unknownFields }) {
    this.#complete(object);
    const unknown2 = unknownMembers(this.#schema, object, '');
    if (unknownFields === 'drop')
      for (const { object: parent, name } of unknown2) delete parent[name];
    const content = validateValue(this.#schema, object, '', this.#patterns, old);
    const { causes } = checkedRules(this.#rules(), content, {
      value: object,
      old,
      unchanged: () => false,
    });
    return [
      ...this.#identityCauses(object),
      ...(unknownFields === 'drop'
        ? []
        : unknown2.map(({ path }) => forbidden(path, 'unknown field'))),
      ...metadataCauses(object, content),
      ...causes,
    ];
  }
  #libraryCauses(object, old) {
    return ['spec', 'status'].flatMap((member) =>
      jsonEquals(object[member], old?.[member])
        ? []
        : this.#libraries[member].in(object[member], member),
    );
  }
  /** Sets the defaults, and the members that name the kind. */
  #complete(object) {
    dropNulls(this.#schema, object);
    defaultValues(this.#schema, object);
    object['apiVersion'] ??= apiVersionOf(this.#resource);
    object['kind'] ??= this.#resource.kind;
    object['metadata'] ??= {};
  }
  #identityCauses({ apiVersion, kind, metadata }) {
    const expected = { apiVersion: apiVersionOf(this.#resource), kind: this.#resource.kind };
    const causes = [
      ...mismatch('apiVersion', apiVersion, expected.apiVersion),
      ...mismatch('kind', kind, expected.kind),
    ];
    if (this.#resource.namespaced || !isJsonObject(metadata)) return causes;
    if (metadata['namespace'] === void 0) return causes;
    return [...causes, forbidden('metadata.namespace', 'the kind is cluster-scoped')];
  }
};
function checkParseOptions(options) {
  checkOptions(options, ['old', 'unknownFields'], 'parse');
  const { old, unknownFields } = options;
  if (old !== void 0 && (typeof old !== 'object' || old === null)) {
    throw invalidOption('parse.old', 'must be an object');
  }
  if (unknownFields !== void 0 && !['error', 'drop'].includes(unknownFields)) {
    throw invalidOption('parse.unknownFields', 'must be error or drop');
  }
}
function mismatch(field, value, expected) {
  if (typeof value !== 'string' || value === expected) return [];
  return [invalid(field, value, `must be ${expected}`)];
}
function metadataCauses(object, content) {
  if (content.some(({ field = '' }) => field.startsWith('metadata'))) return [];
  const { generateName } = object.metadata ?? {};
  return validateMetadata(object).filter(
    ({ field, reason }) =>
      generateName === void 0 || field !== 'metadata.name' || reason !== 'FieldValueRequired',
  );
}

// packages/schema/src/kind/check-forms.ts
import {
  checkOptions as checkOptions2,
  invalidOption as invalidOption2,
} from '@keelson/apimachinery';

// packages/schema/src/literal/check-keyword-types.ts
var text2 = { name: 'a string', accepts: (value) => typeof value === 'string' };
var flag2 = { name: 'a boolean', accepts: (value) => typeof value === 'boolean' };
var number = { name: 'a finite number', accepts: isNumber };
var count = {
  name: 'a whole number that is not negative',
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
var list = {
  name: 'a list of JSON values',
  accepts: (value) => Array.isArray(value) && isJson(value),
};
var texts2 = { name: 'a list of strings', accepts: areTexts };
var record = { name: 'an object', accepts: isRecord };
var records = {
  name: 'a list of objects',
  accepts: (value) => Array.isArray(value) && value.every(isRecord),
};
var anyValue = { name: 'a JSON value', accepts: (value) => isJson(value) };
var keywordTypes = {
  type: text2,
  title: text2,
  description: text2,
  format: text2,
  default: anyValue,
  enum: list,
  nullable: flag2,
  example: anyValue,
  minimum: number,
  maximum: number,
  exclusiveMinimum: flag2,
  exclusiveMaximum: flag2,
  multipleOf: number,
  minLength: count,
  maxLength: count,
  pattern: text2,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  properties: record,
  required: texts2,
  additionalProperties: record,
  items: record,
  'x-kubernetes-int-or-string': flag2,
  'x-kubernetes-preserve-unknown-fields': flag2,
  'x-kubernetes-embedded-resource': flag2,
  'x-kubernetes-list-type': oneOf('atomic', 'map', 'set'),
  'x-kubernetes-list-map-keys': texts2,
  'x-kubernetes-map-type': oneOf('atomic', 'granular'),
  'x-kubernetes-validations': records,
};
var ruleTypes = {
  rule: text2,
  message: text2,
  messageExpression: text2,
  reason: text2,
  fieldPath: text2,
  optionalOldSelf: flag2,
};
function checkKeywords(schema, path) {
  for (const [name, value] of Object.entries(schema)) {
    const type = Object.hasOwn(keywordTypes, name) ? keywordTypes[name] : void 0;
    if (type === void 0) throw unknown(`${path}.${name}`);
    checkValue(value, type, `${path}.${name}`);
  }
}
function checkRuleMembers(rule, path) {
  const wrong2 = wrongMember(rule);
  if (wrong2 === void 0) return;
  const { name, expected } = wrong2;
  if (expected === void 0) {
    throw refusal(`${path}.${name}`, 'unknown member of a rule', 'correct its spelling');
  }
  throw refusal(`${path}.${name}`, 'a value of a wrong type', `use ${expected}`);
}
function wrongMember(rule) {
  for (const [name, value] of Object.entries(rule)) {
    const known = Object.hasOwn(ruleTypes, name);
    const type = known ? ruleTypes[name] : void 0;
    if (type === void 0) return { name, expected: void 0 };
    if (value !== void 0 && !type.accepts(value)) return { name, expected: type.name };
  }
  return void 0;
}
function checkValue(value, { name, accepts }, path) {
  if (value === void 0 || accepts(value)) return;
  throw refusal(path, 'a value of a wrong type', `use ${name}`);
}
var MAX_LEVELS = 200;
function isJson(value, level = 0) {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return true;
  if (typeof value !== 'object' || level > MAX_LEVELS || value instanceof RegExp) return false;
  return Object.values(value).every((part) => isJson(part, level + 1));
}
function unknown(path) {
  const cure = "correct its spelling, or write a CEL rule in 'x-kubernetes-validations'";
  return refusal(path, 'unknown keyword', cure);
}
function oneOf(...values) {
  return {
    name: `one of ${values.join(' ')}`,
    accepts: (value) => typeof value === 'string' && values.includes(value),
  };
}
function isNumber(value) {
  return typeof value === 'number' && Number.isFinite(value);
}
function areTexts(value) {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// packages/schema/src/kind/check-forms.ts
var lists = ['shortNames', 'categories', 'printColumns', 'validations'];
var columnMembers = ['name', 'type', 'jsonPath', 'description', 'format', 'priority'];
var scaleMembers = ['specReplicasPath', 'statusReplicasPath', 'labelSelectorPath'];
function checkForms(options) {
  if (!isRecord2(options)) throw invalidOption2('defineKind', 'must be an object');
  for (const name of lists) {
    const list2 = options[name];
    if (list2 !== void 0 && !Array.isArray(list2)) throw wrong(name, 'a list');
  }
  for (const name of ['keywords', 'scale']) {
    if (options[name] !== void 0 && !isRecord2(options[name])) throw wrong(name, 'an object');
  }
  for (const [path, keywords] of Object.entries(options.keywords ?? {})) {
    if (!isRecord2(keywords)) throw wrong(`keywords['${path}']`, 'an object');
  }
  const { status, scale, printColumns = [], validations = [] } = options;
  if (status !== void 0 && !isSchema(status)) throw wrong('status', 'a schema');
  if (scale !== void 0) checkOptions2(scale, scaleMembers, 'defineKind.scale');
  for (const [index, column] of printColumns.entries()) checkColumn(column, index);
  for (const [index, rule] of validations.entries()) checkRule(rule, index);
}
function checkColumn(column, index) {
  const name = `printColumns[${index}]`;
  if (!isRecord2(column)) throw wrong(name, 'an object');
  checkOptions2(column, columnMembers, `defineKind.${name}`);
  for (const text3 of ['description', 'format']) {
    if (column[text3] === void 0 || typeof column[text3] === 'string') continue;
    throw wrong(`${name}.${text3}`, 'a string');
  }
  const { priority = 0 } = column;
  if (!Number.isSafeInteger(priority)) throw wrong(`${name}.priority`, 'a whole number');
}
function checkRule(rule, index) {
  const name = `validations[${index}]`;
  if (!isRecord2(rule)) throw wrong(name, 'an object');
  const found = wrongMember(rule);
  if (found === void 0 || found.name === 'rule') return;
  const member = `${name}.${found.name}`;
  if (found.expected !== void 0) throw wrong(member, found.expected);
  throw invalidOption2(`defineKind.${member}`, 'unknown option');
}
function wrong(option, expected) {
  return invalidOption2(`defineKind.${option}`, `must be ${expected}`);
}
function isRecord2(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isSchema(value) {
  return isRecord2(value) || typeof value === 'function';
}

// packages/schema/src/kind/check-kind.ts
import {
  checkFlag,
  checkOptions as checkOptions3,
  invalidOption as invalidOption3,
  isDnsLabel,
  isDnsSubdomain,
} from '@keelson/apimachinery';

// packages/schema/src/literal/schema-budget.ts
var maxLevels2 = 200;
var maxParts = 1e5;
var SchemaBudget = class {
  #parts = 0;
  /** Counts the part at `path`. Throws `SCHEMA_INVALID` for a part that is too deep, or one too many. */
  take(path, level) {
    this.#parts += 1;
    if (level > maxLevels2) {
      const at = path.length > 100 ? `${path.slice(0, 100)}\u2026` : path;
      throw refusal(at, `more than ${maxLevels2} levels`, openValue);
    }
    if (this.#parts > maxParts) throw refusal(path, `more than ${maxParts} parts`, openValue);
  }
};
var openValue = "accept any value below: 'x-kubernetes-preserve-unknown-fields': true";

// packages/schema/src/literal/check-schema.ts
var types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
function checkSchema(schema, path) {
  visit(schema, path, { parents: [], budget: new SchemaBudget() });
}
function visit(value, path, { parents, budget }) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(path, 'not a schema', "write an object such as { type: 'string' }");
  }
  if (parents.includes(value)) {
    throw refusal(path, 'contains itself', "use 'x-kubernetes-preserve-unknown-fields': true");
  }
  budget.take(path, parents.length);
  const schema = value;
  checkKeywords(schema, path);
  checkType(schema, path);
  checkMembers(schema, path);
  checkList(schema, path);
  checkRules(schema, path);
  const within = { parents: [...parents, value], budget };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    visit(property, `${path}.properties.${name}`, within);
  }
  if (schema.additionalProperties !== void 0) {
    visit(schema.additionalProperties, `${path}.additionalProperties`, within);
  }
  if (schema.items !== void 0) visit(schema.items, `${path}.items`, within);
}
function checkType(schema, path) {
  const { type } = schema;
  if (type !== void 0 && !types.includes(type)) {
    throw refusal(`${path}.type`, 'unknown type', `use one of ${types.join(' ')}`);
  }
  const open2 = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (type !== void 0) {
      throw refusal(`${path}.type`, 'excluded by x-kubernetes-int-or-string', 'remove the type');
    }
  } else if (type === void 0 && !open2) {
    throw refusal(path, 'no type', "add a type, or 'x-kubernetes-preserve-unknown-fields': true");
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    if (type !== 'object') {
      throw refusal(path, 'an embedded resource that is not an object', "set type: 'object'");
    }
    if (!open2 && schema.properties === void 0) {
      throw refusal(
        path,
        'an embedded resource without properties',
        "add properties or 'x-kubernetes-preserve-unknown-fields': true",
      );
    }
  }
}
function checkMembers(schema, path) {
  const { type, properties, additionalProperties, required: required2 = [] } = schema;
  if (type !== 'object' && (properties !== void 0 || additionalProperties !== void 0)) {
    throw refusal(path, 'properties of a value that is not an object', "set type: 'object'");
  }
  if (properties !== void 0 && additionalProperties !== void 0) {
    throw refusal(
      `${path}.additionalProperties`,
      'excluded by properties',
      'use properties for fixed names, or additionalProperties for a map',
    );
  }
  const missing2 = required2.find((name) => !Object.hasOwn(properties ?? {}, name));
  if (missing2 !== void 0) {
    throw refusal(`${path}.required`, `names no property: ${missing2}`, 'declare the property');
  }
}
function checkList(schema, path) {
  const { type, items, 'x-kubernetes-list-type': listType } = schema;
  if (type === 'array' && items === void 0) {
    throw refusal(path, 'an array without items', 'add the schema of its items');
  }
  if (type !== 'array' && (items !== void 0 || listType !== void 0)) {
    throw refusal(path, 'list keywords of a value that is not an array', "set type: 'array'");
  }
  const keys = schema['x-kubernetes-list-map-keys'];
  if (listType !== 'map') {
    if (keys === void 0) return;
    throw refusal(
      `${path}.x-kubernetes-list-map-keys`,
      'keys of a list that is not a map',
      "set 'x-kubernetes-list-type': 'map'",
    );
  }
  if (keys === void 0 || keys.length === 0) {
    throw refusal(path, 'a list of type map without keys', "add 'x-kubernetes-list-map-keys'");
  }
  for (const key of keys) checkMapKey(items, key, `${path}.x-kubernetes-list-map-keys`);
}
function checkMapKey(items, key, path) {
  const properties = items?.properties ?? {};
  const property = Object.hasOwn(properties, key) ? properties[key] : void 0;
  if (property === void 0) {
    throw refusal(path, `names no property of the items: ${key}`, 'declare the property');
  }
  if (property.default === void 0 && items?.required?.includes(key) !== true) {
    throw refusal(path, `an optional key: ${key}`, 'require the property or give it a default');
  }
  if (property.type === 'array' || property.type === 'object') {
    throw refusal(path, `a key that is not a scalar: ${key}`, 'use a string, number or boolean');
  }
}
function checkRules(schema, path) {
  for (const [index, validation] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    checkRuleMembers(validation, at);
    if (typeof validation.rule !== 'string' || validation.rule.trim() === '') {
      throw refusal(
        `${at}.rule`,
        'an empty rule',
        "write a CEL expression such as 'self.min <= self.max'",
      );
    }
  }
}

// packages/schema/src/kind/check-content.ts
import {
  cloneJson,
  isJsonObject as isJsonObject2,
  PatternMatcher as PatternMatcher2,
  patternSyntaxProblem,
  unknownMembers as unknownMembers2,
  validateCompilation,
  validateExpressions,
  validateValue as validateValue2,
} from '@keelson/structural-schema';
function checkContent(root, option) {
  const { properties = {} } = root;
  refuseRule(validateExpressions(root, option)[0], (field) => pathOf2(field, option));
  for (const [name, schema] of Object.entries(properties)) visit2(schema, `${option}.${name}`);
  refuseRule(validateCompilation(root, option)[0], (field) => pathOf2(field, option));
}
function visit2(schema, path) {
  checkPattern(schema, path);
  checkDefault(schema, path);
  refuseRule(validateExpressions(schema, path)[0]);
  const { properties = {}, additionalProperties, items } = schema;
  for (const [name, property] of Object.entries(properties)) {
    visit2(property, `${path}.properties.${name}`);
  }
  if (typeof additionalProperties === 'object') {
    visit2(additionalProperties, `${path}.additionalProperties`);
  }
  if (items !== void 0) visit2(items, `${path}.items`);
}
function checkPattern({ pattern }, path) {
  const reason = pattern === void 0 ? void 0 : patternSyntaxProblem(pattern);
  if (reason === void 0) return;
  const cure = 'use the syntax of RE2, which has no look-around and no references to groups';
  throw new SchemaError('SCHEMA_INVALID', { path: `${path}.pattern`, reason, cure });
}
function checkDefault(schema, path) {
  if (schema.default === void 0) return;
  const [cause] = validateValue2(schema, schema.default, 'default', new PatternMatcher2());
  const value = cloneJson(schema.default);
  const [unknown2] = isJsonObject2(value) ? unknownMembers2(schema, value, 'default') : [];
  const reason = cause?.message ?? (unknown2 && `unknown field ${unknown2.path}`);
  if (reason === void 0) return;
  const cure = 'use a default that the schema accepts';
  throw new SchemaError('SCHEMA_INVALID', { path: `${path}.default`, reason, cure });
}
function refuseRule(cause, placed = (field) => field) {
  if (cause === void 0) return;
  const { field = '', message: reason = '' } = cause;
  throw new SchemaError('RULE_INVALID', { path: placed(field), reason, cure: cureOf(reason) });
}
function pathOf2(field, option) {
  const dotted = field.replaceAll(/\.properties\[([^\]]+)\]/g, '.properties.$1');
  const inner = dotted.slice(option.length);
  return inner.startsWith('.properties.')
    ? `${option}.${inner.slice('.properties.'.length)}`
    : `${option}${inner.replace(/^\.x-kubernetes-validations/, '.validations')}`;
}
function cureOf(reason) {
  if (reason.includes('exceeds budget') || reason.includes('cost limit')) {
    return 'set maxItems, maxProperties and maxLength on the lists, maps and texts that the rule reads, or simplify it';
  }
  if (reason.includes('uncorrelatable')) {
    return "set 'x-kubernetes-list-type': 'map' with keys on the list, or move the rule above it";
  }
  return 'correct the entry; `self` is the value at the schema, and its members have the types of the schema';
}

// packages/schema/src/kind/root-schema.ts
function rootSchemaOf({ spec, status, validations }) {
  const root = {
    type: 'object',
    required: ['spec'],
    properties: { spec, ...(status && { status }) },
    ...(validations && { 'x-kubernetes-validations': validations }),
  };
  return structuredClone(root);
}

// packages/schema/src/kind/check-kind.ts
var optionNames = [
  'group',
  'version',
  'served',
  'deprecated',
  'kind',
  'plural',
  'singular',
  'scope',
  'shortNames',
  'categories',
  'spec',
  'status',
  'keywords',
  'printColumns',
  'scale',
  'validations',
];
var columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
function checkKind(options) {
  checkOptions3(options, optionNames, 'defineKind', {
    subresources: 'give `status` and `scale`; each enables its subresource',
    additionalPrinterColumns: 'use printColumns',
  });
  checkNames(options);
  checkFlag(options.served, 'defineKind.served');
  checkDeprecation(options);
  if (options.scope !== void 0 && !['Namespaced', 'Cluster'].includes(options.scope)) {
    throw invalidOption3('defineKind.scope', 'must be Namespaced or Cluster');
  }
  checkSchema(options.spec, 'defineKind.spec');
  if (options.status !== void 0) checkSchema(options.status, 'defineKind.status');
  checkColumns(options.printColumns ?? []);
  checkScale(options);
  for (const [index, { rule }] of (options.validations ?? []).entries()) {
    checkText(
      rule,
      `validations[${index}].rule`,
      'a CEL expression',
      (text3) => text3.trim() !== '',
    );
  }
  checkContent(rootSchemaOf(options), 'defineKind');
}
function checkDeprecation({ deprecated }) {
  if (deprecated === void 0 || typeof deprecated === 'boolean') return;
  checkText(deprecated, 'deprecated', 'true, false or a line of at most 256 characters', isLine);
}
function isLine(text3) {
  return /^[^\p{Cc}]{1,256}$/u.test(text3);
}
function checkNames({ group, version, kind, plural, ...names }) {
  checkText(group, 'group', 'a domain such as "shop.example"', isDomain);
  checkText(version, 'version', 'a name such as "v1"', isLetterLabel);
  checkText(kind, 'kind', 'a CamelCase name such as "Widget"', isKind);
  checkText(plural, 'plural', 'a lower-case name such as "widgets"', isLetterLabel);
  if (names.singular !== void 0) {
    checkText(names.singular, 'singular', 'a lower-case name such as "widget"', isLetterLabel);
  }
  for (const list2 of ['shortNames', 'categories']) {
    for (const [index, name] of (names[list2] ?? []).entries()) {
      checkText(name, `${list2}[${index}]`, 'a lower-case name', isLetterLabel);
    }
  }
}
function checkColumns(columns) {
  for (const [index, { name, type, jsonPath }] of columns.entries()) {
    const column = `printColumns[${index}]`;
    checkText(name, `${column}.name`, 'a text', (text3) => text3 !== '');
    if (!columnTypes.includes(type)) {
      throw invalidOption3(`defineKind.${column}.type`, `must be one of ${columnTypes.join(' ')}`);
    }
    checkText(jsonPath, `${column}.jsonPath`, 'a path such as ".spec.size"', isPath);
  }
}
function checkScale({ scale, status }) {
  if (scale === void 0) return;
  if (status === void 0) throw invalidOption3('defineKind.scale', 'needs a status schema');
  checkText(
    scale.specReplicasPath,
    'scale.specReplicasPath',
    'a path below .spec',
    isBelow('spec'),
  );
  const below = isBelow('status');
  checkText(scale.statusReplicasPath, 'scale.statusReplicasPath', 'a path below .status', below);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === void 0) return;
  checkText(
    labelSelectorPath,
    'scale.labelSelectorPath',
    'a path below .spec or .status',
    (text3) => below(text3) || isBelow('spec')(text3),
  );
}
function checkText(value, option, expected, accepts) {
  if (typeof value === 'string' && accepts(value)) return;
  const facts = value === void 0 ? {} : { value };
  throw invalidOption3(`defineKind.${option}`, `must be ${expected}`, facts);
}
function isDomain(group) {
  return group.includes('.') && isDnsSubdomain(group);
}
function isLetterLabel(name) {
  return /^[a-z]/.test(name) && isDnsLabel(name);
}
function isKind(kind) {
  return /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind);
}
function isPath(path) {
  return path.startsWith('.') && path.length > 1;
}
function isBelow(member) {
  return (path) => path.startsWith(`.${member}.`) && path.length > member.length + 2;
}

// packages/schema/src/kind/structural-options.ts
import { invalidOption as invalidOption4 } from '@keelson/apimachinery';

// packages/schema/src/standard/json-schema.ts
import {
  isJsonObject as isJsonObject4,
  jsonEquals as jsonEquals2,
  jsonText,
  ownValue,
} from '@keelson/structural-schema';

// packages/schema/src/standard/arktype-flags.ts
import { isJsonObject as isJsonObject3 } from '@keelson/structural-schema';
var data = /* @__PURE__ */ new Set(['default', 'meta', 'unit']);
var steps = {
  sequence: '.items',
  index: '.additionalProperties',
};
function refuseArktypeFlags(node, path) {
  if (Array.isArray(node)) {
    for (const part of node) refuseArktypeFlags(part, path);
    return;
  }
  if (!isJsonObject3(node)) return;
  const { key, pattern } = node;
  const at = typeof key === 'string' ? `${path}.properties.${key}` : path;
  for (const each of Array.isArray(pattern) ? pattern : []) refusePattern(each, at);
  for (const [name, part] of Object.entries(node)) {
    if (!data.has(name)) refuseArktypeFlags(part, `${at}${steps[name] ?? ''}`);
  }
}
function refusePattern(pattern, path) {
  if (!isJsonObject3(pattern)) return;
  const { rule, flags } = pattern;
  if (typeof rule === 'string' && typeof flags === 'string') {
    refuseFlags({ source: rule, flags }, path);
  }
}

// packages/schema/src/standard/json-schema.ts
function jsonSchemaOf(schema, path, keywords) {
  const { vendor } = schema['~standard'];
  if (vendor === 'arktype') refuseArktypeFlags(schema.json, path);
  const { output, input } = schemasOf(schema, path);
  return new DefaultReader(keywords).read({ output, input }, path);
}
function schemasOf(schema, path) {
  const { jsonSchema, vendor } = schema['~standard'];
  const libraryOptions = conversionOptions(vendor);
  const options = { target: 'draft-2020-12', ...(libraryOptions && { libraryOptions }) };
  try {
    const output = jsonSchema.output(options);
    return { output, input: jsonSchema.input(options) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const cure = `use a schema that ${vendor} can express as JSON Schema: the API stores JSON, without dates and transformations`;
    throw new SchemaError('SCHEMA_INVALID', { path, reason, cure }, { cause });
  }
}
var DefaultReader = class {
  #keywords;
  #budget = new SchemaBudget();
  constructor(keywords) {
    this.#keywords = keywords;
  }
  read({ output, input }, path, level = 0) {
    this.#budget.take(path, level);
    if (!isJsonObject4(output) || !isJsonObject4(input)) return output;
    checkUntransformed(output, input, path);
    const schema = { ...output };
    for (const name of ['items', 'additionalProperties']) {
      const inner = { output: schema[name] ?? true, input: input[name] };
      if (schema[name] !== void 0) schema[name] = this.read(inner, `${path}.${name}`, level + 1);
    }
    const { properties } = schema;
    if (!isJsonObject4(properties) || !isJsonObject4(input['properties'])) return schema;
    const inputs = input['properties'];
    schema['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const at = `${path}.properties.${name}`;
        return [name, this.read({ output: property, input: inputs[name] }, at, level + 1)];
      }),
    );
    return { ...schema, ...this.#required(schema, input, path) };
  }
  /** The required names without those whose default `keywords` writes. */
  #required({ required: required2, properties }, input, path) {
    const before = namesIn(input['required']);
    const names = namesIn(required2).filter((name) => {
      const property = isJsonObject4(properties) ? ownValue(properties, name) : void 0;
      const isWritten = isJsonObject4(property) && property['default'] !== void 0;
      if (before.includes(name) || isWritten) return true;
      this.#checkWritten(`${path}.properties.${name}`);
      return false;
    });
    return required2 === void 0 ? {} : { required: names };
  }
  #checkWritten(path) {
    const part = path.replace(/^defineKind\./, '');
    if (ownValue(this.#keywords, part)?.default !== void 0) return;
    const cure = `write it by keywords: { '${part}': { default: \u2026 } }`;
    throw refusal(path, 'a default that the JSON Schema of the library omits', cure);
  }
};
function checkUntransformed({ type }, { type: before }, path) {
  if (type === void 0 || before === void 0 || jsonEquals2(type, before)) return;
  const reason = `a transformation from ${jsonText(before)} to ${jsonText(type)}`;
  throw refusal(path, reason, 'transform the value after it was read');
}
function namesIn(required2) {
  return Array.isArray(required2) ? required2.filter((name) => typeof name === 'string') : [];
}

// packages/schema/src/conversion/structural-converter.ts
import { isJsonObject as isJsonObject9 } from '@keelson/structural-schema';

// packages/schema/src/conversion/array-keywords.ts
var scalars = /* @__PURE__ */ new Set(['boolean', 'integer', 'number', 'string']);
function arrayKeywords(schema, path, convert2) {
  if (schema['type'] !== 'array') return {};
  const { minItems, maxItems, uniqueItems } = schema;
  if (Array.isArray(schema['items'])) {
    const cure = 'use an object with a property for each position';
    throw refusal(`${path}.items`, 'a tuple', cure);
  }
  const items = convert2(schema['items'] ?? true, `${path}.items`);
  if (uniqueItems === true && !scalars.has(items.type)) {
    const cure = "use scalars, or 'x-kubernetes-list-type': 'map' with keys instead of uniqueItems";
    throw refusal(`${path}.uniqueItems`, 'unique items that are not scalars', cure);
  }
  return {
    items,
    ...(typeof minItems === 'number' && { minItems }),
    ...(typeof maxItems === 'number' && { maxItems }),
    ...(uniqueItems === true && { 'x-kubernetes-list-type': 'set' }),
  };
}

// packages/schema/src/conversion/inline-references.ts
import { isJsonObject as isJsonObject5 } from '@keelson/structural-schema';
var data2 = /* @__PURE__ */ new Set(['const', 'default', 'enum', 'examples']);
var definitions = /* @__PURE__ */ new Set(['$defs', 'definitions']);
function inlineReferences(root, path) {
  return new ReferenceInliner(root).inline(root, path, ['#']);
}
var ReferenceInliner = class {
  #root;
  #budget = new SchemaBudget();
  constructor(root) {
    this.#root = root;
  }
  inline(given, path, outer) {
    this.#budget.take(path, 0);
    const { $ref: reference, ...rest } = given;
    if (typeof reference === 'string') {
      if (outer.includes(reference)) throw recursion(path, reference);
      const target = this.#resolve(reference, path);
      return this.inline({ ...target, ...rest }, path, [...outer, reference]);
    }
    const members = Object.entries(rest)
      .filter(([name]) => !definitions.has(name))
      .map(([name, value]) => [name, this.#member(name, value, path, outer)]);
    return Object.fromEntries(members);
  }
  #member(name, value, path, outer) {
    if (data2.has(name) || name.startsWith('x-')) return value;
    const inner = `${path}.${name}`;
    if (Array.isArray(value)) {
      return value.map((part) => (isJsonObject5(part) ? this.inline(part, path, outer) : part));
    }
    if (!isJsonObject5(value)) return value;
    if (!/[pP]roperties$/.test(name) || name === 'additionalProperties') {
      return this.inline(value, inner, outer);
    }
    const parts = Object.entries(value).map(([each, part]) => [
      each,
      isJsonObject5(part) ? this.inline(part, `${inner}.${each}`, outer) : part,
    ]);
    return Object.fromEntries(parts);
  }
  #resolve(reference, path) {
    let at = reference.startsWith('#') ? this.#root : void 0;
    for (const name of reference.split('/').slice(1)) {
      at = isJsonObject5(at) ? at[unescaped(name)] : void 0;
    }
    if (isJsonObject5(at)) return at;
    throw refusal(path, `a reference to another document: ${reference}`, 'define it in the schema');
  }
};
function unescaped(name) {
  return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
}
function recursion(path, reference) {
  return refusal(
    path,
    `the schema contains itself by ${reference}`,
    'a CRD has no recursion: accept any value there, such as z.unknown()',
  );
}

// packages/schema/src/conversion/merge-schemas.ts
import {
  isJsonObject as isJsonObject6,
  jsonEquals as jsonEquals3,
} from '@keelson/structural-schema';
var annotations = /* @__PURE__ */ new Set(['title', 'description', 'examples', '$comment', 'id']);
function mergeSchemas(one, other, path) {
  const merged = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const present = merged[name];
    merged[name] = present === void 0 ? value : mergeKeyword(name, [present, value], path);
  }
  return merged;
}
function mergeKeyword(name, [one, other], path) {
  if (annotations.has(name) || jsonEquals3(one, other)) return one;
  const merged = mergeLists(name, one, other) ?? mergeNumbers(name, one, other);
  if (merged !== void 0) return merged;
  if (name === 'properties' && isJsonObject6(one) && isJsonObject6(other)) {
    return mergeProperties(one, other);
  }
  if (name === 'type' && numeric(one) && numeric(other)) return 'integer';
  if (name === 'additionalProperties' && (one === false || other === false)) return false;
  throw refusal(
    path,
    `two different values of ${name} for one value`,
    `give one ${name}; a structural schema cannot combine them`,
  );
}
function mergeLists(name, one, other) {
  if (!Array.isArray(one) || !Array.isArray(other)) return void 0;
  switch (name) {
    case 'required':
      return [.../* @__PURE__ */ new Set([...one, ...other])];
    case 'allOf':
    case 'x-kubernetes-validations':
      return [...one, ...other];
    case 'enum':
      return one.filter((value) => other.some((each) => jsonEquals3(each, value)));
    default:
      return void 0;
  }
}
function mergeNumbers(name, one, other) {
  if (typeof one !== 'number' || typeof other !== 'number') return void 0;
  if (/^(?:min|exclusiveMin)/.test(name)) return Math.max(one, other);
  return /^(?:max|exclusiveMax)/.test(name) ? Math.min(one, other) : void 0;
}
function mergeProperties(one, other) {
  const merged = { ...one };
  for (const [name, schema] of Object.entries(other)) {
    const present = merged[name];
    const isNew = present === void 0 || jsonEquals3(present, schema);
    merged[name] = isNew ? schema : { allOf: [present, schema] };
  }
  return merged;
}
function numeric(type) {
  return type === 'integer' || type === 'number';
}

// packages/schema/src/conversion/object-keywords.ts
import { isJsonObject as isJsonObject7 } from '@keelson/structural-schema';
function objectKeywords(schema, path, convert2) {
  if (schema['type'] !== 'object') return {};
  const { minProperties, maxProperties } = schema;
  return {
    ...(typeof minProperties === 'number' && { minProperties }),
    ...(typeof maxProperties === 'number' && { maxProperties }),
    ...membersOf(schema, path, convert2),
  };
}
function membersOf(schema, path, convert2) {
  const declared = propertiesOf(schema, path);
  const values = valuesOf(schema, path);
  if (declared === void 0) return mapOf(values, path, convert2);
  if (values !== void 0 && !isAnything(values)) {
    const cure = 'put the other values into a map in a property of their own';
    throw refusal(`${path}.additionalProperties`, 'values beside the declared properties', cure);
  }
  const properties = Object.entries(declared).map(([name, property]) => [
    name,
    convert2(property, `${path}.properties.${name}`),
  ]);
  return {
    properties: Object.fromEntries(properties),
    ...requiredOf(schema, new Map(properties)),
    ...(values !== void 0 && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}
function mapOf(values, path, convert2) {
  if (values === void 0 || isAnything(values)) {
    return { 'x-kubernetes-preserve-unknown-fields': true };
  }
  return { additionalProperties: convert2(values, `${path}.additionalProperties`) };
}
function requiredOf({ required: required2 }, properties) {
  const names = Array.isArray(required2)
    ? required2.filter((name) => typeof name === 'string')
    : [];
  const missing2 = names.filter((name) => properties.get(name)?.default === void 0);
  return missing2.length === 0 ? {} : { required: missing2 };
}
function propertiesOf(schema, path) {
  const { properties, propertyNames: names, additionalProperties } = schema;
  if (isJsonObject7(properties) && Object.keys(properties).length > 0) return properties;
  const keys = isJsonObject7(names) ? names['enum'] : void 0;
  if (Array.isArray(keys) && additionalProperties !== void 0) {
    const texts3 = keys.filter((key) => typeof key === 'string');
    return Object.fromEntries(texts3.map((key) => [key, additionalProperties]));
  }
  const others = Object.keys(isJsonObject7(names) ? names : {}).filter((name) => name !== 'type');
  if (others.length > 0) {
    const cure = "write a CEL rule such as 'self.all(key, key.matches(\u2026))'";
    throw refusal(`${path}.propertyNames`, 'conditions for the names of a map', cure);
  }
  const isClosed = isJsonObject7(properties) && additionalProperties === false;
  return isClosed || (isJsonObject7(properties) && valuesOf(schema, path) === void 0)
    ? properties
    : void 0;
}
function valuesOf(schema, path) {
  const { additionalProperties, patternProperties, propertyNames } = schema;
  if (isJsonObject7(propertyNames) && Array.isArray(propertyNames['enum'])) return void 0;
  if (isJsonObject7(patternProperties)) return patternValues(patternProperties, path);
  return additionalProperties === false ? void 0 : additionalProperties;
}
function patternValues(patterns, path) {
  const [[pattern, values] = [], ...others] = Object.entries(patterns);
  if (others.length === 0 && /^(?:\^?\(?\.\*\)?\$?)?$/.test(pattern ?? '.')) return values;
  const cure =
    "use additionalProperties with a CEL rule such as 'self.all(key, key.matches(\u2026))'";
  throw refusal(`${path}.patternProperties`, 'values that depend on their name', cure);
}
function isAnything(schema) {
  return schema === true || (isJsonObject7(schema) && Object.keys(schema).length === 0);
}

// packages/schema/src/conversion/scalar-keywords.ts
import {
  patternSyntaxProblem as patternSyntaxProblem2,
  unknownFormats,
} from '@keelson/structural-schema';

// packages/schema/src/conversion/union.ts
import { jsonEquals as jsonEquals5 } from '@keelson/structural-schema';

// packages/schema/src/conversion/discriminated-union.ts
import {
  escapeFieldName,
  isJsonObject as isJsonObject8,
  isNumeric as isNumeric2,
  jsonEquals as jsonEquals4,
  jsonText as jsonText2,
} from '@keelson/structural-schema';

// packages/schema/src/conversion/type-of-values.ts
import { isNumeric } from '@keelson/structural-schema';
function typeOfValues(values, path) {
  const types2 = new Set(values.map(typeOfValue));
  if (types2.has('integer') && types2.has('number')) types2.delete('integer');
  const [type] = types2;
  if (types2.size === 1 && type !== void 0) return type;
  const cure = 'use values of one type';
  throw refusal(`${path}.enum`, `values of different types: ${[...types2].join(' ')}`, cure);
}
function typeOfValue(value) {
  if (Array.isArray(value)) return 'array';
  if (isNumeric(value)) return Number.isInteger(Number(value)) ? 'integer' : 'number';
  return typeof value;
}

// packages/schema/src/conversion/discriminated-union.ts
function discriminatedUnion(choices, path) {
  if (
    !choices.every(
      ({ type: type2, properties: properties2 }) =>
        type2 === 'object' && isJsonObject8(properties2),
    )
  ) {
    return void 0;
  }
  const names = Object.keys(choices[0]?.['properties'] ?? {});
  const name = names.find((each) => discriminates(each, choices));
  if (name === void 0) return void 0;
  const branches = choices.map((choice) => branchOf(choice, name));
  const field = nameInRules(name, path);
  const type = typeOfValues(
    branches.flatMap(({ values }) => values),
    `${path}.properties.${name}`,
  );
  const properties = propertiesOf2(branches, { name, type, path });
  const shared = Object.keys(properties).filter((each) => isAlwaysRequired(branches, each));
  const rules = Object.keys(properties).flatMap((each) =>
    each === name ? [] : rulesOf(each, { branches, field, type, path }),
  );
  return {
    type: 'object',
    required: shared,
    properties,
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules }),
  };
}
function discriminates(name, choices) {
  const lists2 = choices.map((choice) => valuesOf2(choice, name));
  const values = lists2.flat();
  const areScalars = values.every(
    (value) => ['boolean', 'string'].includes(typeof value) || isNumeric2(value),
  );
  const areRequired = choices.every(({ required: required2 }) => listOf(required2).includes(name));
  return (
    lists2.every((list2) => list2.length > 0) &&
    areScalars &&
    areRequired &&
    new Set(values).size === values.length
  );
}
function valuesOf2({ properties }, name) {
  const property = isJsonObject8(properties) ? properties[name] : void 0;
  if (!isJsonObject8(property)) return [];
  return property['const'] === void 0 ? listOf(property['enum']) : [property['const']];
}
function listOf(value) {
  return Array.isArray(value) ? value : [];
}
function branchOf(choice, name) {
  const { properties, required: required2 } = choice;
  return {
    properties,
    required: listOf(required2),
    values: valuesOf2(choice, name),
  };
}
function propertiesOf2(branches, { name, type, path }) {
  const values = branches.flatMap((branch) => branch.values);
  const merged = { [name]: { type, enum: values } };
  for (const [each, schema] of branches.flatMap(({ properties }) => Object.entries(properties))) {
    if (each === name) continue;
    const at = `${path}.properties.${each}`;
    if (merged[each] !== void 0 && !jsonEquals4(merged[each], schema)) {
      const cure = 'give the property one schema in every object of the union, or different names';
      throw refusal(at, 'different schemas of one property in a union', cure);
    }
    const isShared = branches.every(({ properties }) => Object.hasOwn(properties, each));
    if (isJsonObject8(schema) && schema['default'] !== void 0 && !isShared) {
      const cure = 'remove the default, or give every object of the union the property';
      throw refusal(at, 'a default that the server would set in every object of the union', cure);
    }
    merged[each] = schema;
  }
  return merged;
}
function isAlwaysRequired(branches, name) {
  return branches.every(({ required: required2 }) => required2.includes(name));
}
function rulesOf(name, { branches, field, type, path }) {
  const having = branches.filter(({ properties }) => Object.hasOwn(properties, name));
  const requiring = branches.filter(({ required: required2 }) => required2.includes(name));
  const member = nameInRules(name, path);
  const fieldPath = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`;
  const rules = [];
  if (requiring.length > 0 && requiring.length < branches.length) {
    rules.push({
      rule: `!(self.${field} in ${listIn(requiring, type)}) || has(self.${member})`,
      message: `is required if ${field} is ${choiceOf(requiring)}`,
      reason: 'FieldValueRequired',
      fieldPath,
    });
  }
  if (having.length < branches.length) {
    rules.push({
      rule: `self.${field} in ${listIn(having, type)} || !has(self.${member})`,
      message: `is allowed only if ${field} is ${choiceOf(having)}`,
      reason: 'FieldValueForbidden',
      fieldPath,
    });
  }
  return rules;
}
function listIn(branches, type) {
  const literals = branches
    .flatMap(({ values }) => values)
    .map((value) => {
      const text3 = jsonText2(value);
      return type === 'number' && /^-?\d+$/.test(text3) ? `${text3}.0` : text3;
    });
  return `[${literals.join(',')}]`;
}
function choiceOf(branches) {
  return branches
    .flatMap(({ values }) => values)
    .map(String)
    .join(' or ');
}
function nameInRules(name, path) {
  const escaped = escapeFieldName(name);
  if (escaped !== void 0) return escaped;
  const cure = 'use letters, digits, dashes and underscores in the names of a union';
  throw refusal(`${path}.properties.${name}`, 'a name that CEL rules cannot read', cure);
}

// packages/schema/src/conversion/union.ts
var annotations2 = /* @__PURE__ */ new Set(['type', 'title', 'description', 'examples', 'id']);
function unionOf(choices, path) {
  const [first = {}] = choices;
  if (choices.every((choice) => jsonEquals5(choice, first))) return first;
  return (
    valuesOf3(choices) ??
    widestOf(choices) ??
    intOrString(choices) ??
    discriminatedUnion(choices, path) ??
    refuse(path)
  );
}
function refuse(path) {
  throw refusal(
    path,
    'a union that a structural schema cannot express',
    "use one type, an integer or a string, objects with a constant property that differs, or 'x-kubernetes-preserve-unknown-fields': true",
  );
}
function valuesOf3(choices) {
  const lists2 = choices.map(allowedValues);
  if (!lists2.every((list2) => list2 !== void 0)) return void 0;
  const areBare = choices.every((choice) =>
    Object.keys(choice).every(
      (name) => annotations2.has(name) || name === 'const' || name === 'enum',
    ),
  );
  return areBare ? { enum: lists2.flat() } : void 0;
}
function allowedValues({ const: constant, enum: values }) {
  if (constant !== void 0) return [constant];
  return Array.isArray(values) ? values : void 0;
}
function widestOf(choices) {
  return choices.find(
    (choice) =>
      isBare(choice) &&
      choices.every(
        ({ type }) =>
          type === choice['type'] || (type === 'integer' && choice['type'] === 'number'),
      ),
  );
}
function isBare(schema) {
  return (
    typeof schema['type'] === 'string' &&
    !['array', 'object'].includes(schema['type']) &&
    Object.keys(schema).every((name) => annotations2.has(name))
  );
}
function intOrString(choices) {
  const integers = choices.find(({ type }) => type === 'integer');
  const texts3 = choices.find(({ type }) => type === 'string');
  if (choices.length !== 2 || integers === void 0 || texts3 === void 0) return void 0;
  return isBare(withoutSafeBounds(integers)) && isBare(texts3)
    ? { 'x-kubernetes-int-or-string': true }
    : void 0;
}
function withoutSafeBounds(schema) {
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum !== void 0 && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== void 0 && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

// packages/schema/src/conversion/scalar-keywords.ts
function scalarKeywords(schema) {
  const { type } = schema;
  if (type === 'string' || schema['x-kubernetes-int-or-string'] === true)
    return textKeywords(schema);
  if (type === 'integer') return numberKeywords(withoutSafeBounds(schema));
  return type === 'number' ? numberKeywords(schema) : {};
}
function textKeywords(schema) {
  const { pattern, format, ...lengths } = pick(schema, [
    'format',
    'pattern',
    'minLength',
    'maxLength',
  ]);
  const isChecked = format !== void 0 && isServerFormat(format);
  const kept = isChecked ? { ...lengths, format } : lengths;
  const isDropped = pattern === void 0 || (isChecked && patternSyntaxProblem2(pattern) !== void 0);
  return isDropped ? kept : { ...kept, pattern };
}
function isServerFormat(format) {
  return format !== 'duration' && unknownFormats({ type: 'string', format }).length === 0;
}
function numberKeywords(schema) {
  const { minimum, exclusiveMinimum: above, maximum, exclusiveMaximum: below } = schema;
  return {
    ...pick(schema, ['format', 'multipleOf']),
    ...(isNumber2(minimum) && { minimum }),
    ...(isNumber2(maximum) && { maximum }),
    ...(isNumber2(above) &&
      (!isNumber2(minimum) || above >= minimum) && { minimum: above, exclusiveMinimum: true }),
    ...(isNumber2(below) &&
      (!isNumber2(maximum) || below <= maximum) && { maximum: below, exclusiveMaximum: true }),
  };
}
function isNumber2(value) {
  return typeof value === 'number';
}
function pick(schema, names) {
  const found = names.filter((name) => schema[name] !== void 0);
  return Object.fromEntries(found.map((name) => [name, schema[name]]));
}

// packages/schema/src/conversion/typed-schema.ts
import { jsonText as jsonText3 } from '@keelson/structural-schema';
function typedSchema(given, path) {
  const { const: _, enum: __, type, ...schema } = given;
  const values = allowedValues(given);
  const types2 = Array.isArray(type) ? type : type === void 0 ? [] : [type];
  const named = types2.filter((each) => each !== 'null');
  const isNullable = named.length < types2.length || values?.includes(null) === true;
  const choices = values?.filter((value) => value !== null);
  const common2 = {
    ...schema,
    ...(choices !== void 0 && { enum: choices }),
    ...((isNullable || schema['nullable'] === true) && { nullable: true }),
  };
  if (schema['x-kubernetes-int-or-string'] === true) return common2;
  if (named.length === 2 && named.includes('integer') && named.includes('string')) {
    return { ...common2, 'x-kubernetes-int-or-string': true };
  }
  if (named.length > 1 || (named.length === 0 && types2.length > 0)) {
    const cure =
      "use one type, with null if needed, or 'x-kubernetes-preserve-unknown-fields': true";
    throw refusal(
      `${path}.type`,
      `not one type: ${types2.map((each) => jsonText3(each)).join(' ')}`,
      cure,
    );
  }
  const found = named[0] ?? inferredType(schema, choices, path);
  return found === void 0 ? common2 : { ...common2, type: found };
}
function inferredType(schema, choices, path) {
  if (choices !== void 0) return typeOfValues(choices, path);
  if (schema['properties'] !== void 0) return 'object';
  return schema['items'] === void 0 ? void 0 : 'array';
}

// packages/schema/src/conversion/structural-converter.ts
var open = { 'x-kubernetes-preserve-unknown-fields': true };
function toStructuralSchema(schema, path) {
  return convert(isJsonObject9(schema) ? inlineReferences(schema, path) : schema, path);
}
function convert(given, path) {
  if (given === false) throw refusal(path, 'a schema that accepts no value', 'remove the field');
  if (!isJsonObject9(given)) return open;
  const plain = plainSchema(given, path);
  refuseUnsupported(plain, path);
  const schema = typedSchema(plain, path);
  return {
    ...(schema['type'] === void 0 && !isIntOrString(schema) && open),
    ...commonKeywords(schema),
    ...scalarKeywords(schema),
    ...objectKeywords(schema, path, convert),
    ...arrayKeywords(schema, path, convert),
  };
}
function plainSchema(given, path) {
  refuseNotedFlags(given, path);
  const { allOf, anyOf, oneOf: oneOf2, ...rest } = given;
  if (isIntOrString(rest)) return rest;
  let schema = rest;
  for (const part of partsOf(allOf)) {
    schema = mergeSchemas(schema, plainSchema(part, path), path);
  }
  for (const union of [anyOf, oneOf2]) {
    if (union === void 0) continue;
    const choices = partsOf(union).map((part) => plainSchema(part, path));
    schema = mergeSchemas(schema, joined(choices, path), path);
  }
  return schema;
}
function partsOf(list2) {
  return Array.isArray(list2) ? list2.map((part) => (isJsonObject9(part) ? part : {})) : [];
}
function joined(choices, path) {
  const nullable = choices.some(({ type, nullable: own }) => type === 'null' || own === true);
  const values = choices
    .filter(({ type }) => type !== 'null')
    .map((choice) => {
      const { nullable: _, ...rest } = choice;
      return rest;
    });
  const isOpen = values.some((choice) => Object.keys(choice).length === 0);
  const union = isOpen || values.length === 0 ? {} : unionOf(values, path);
  return { ...union, ...(nullable && { nullable }) };
}
function isIntOrString(schema) {
  return schema['x-kubernetes-int-or-string'] === true;
}
var cures2 = {
  not: "write a CEL rule in 'x-kubernetes-validations'",
  if: "write a CEL rule in 'x-kubernetes-validations'",
  contains: "write a CEL rule such as 'self.exists(item, \u2026)'",
  prefixItems: 'use an object with a property for each position',
  dependentRequired: "write a CEL rule such as '!has(self.a) || has(self.b)'",
  dependentSchemas: "write a CEL rule in 'x-kubernetes-validations'",
  dependencies: "write a CEL rule such as '!has(self.a) || has(self.b)'",
  $dynamicRef: 'use $ref',
};
function refuseUnsupported(schema, path) {
  for (const [name, cure] of Object.entries(cures2)) {
    if (schema[name] === void 0) continue;
    throw refusal(`${path}.${name}`, 'a keyword that a structural schema cannot express', cure);
  }
}
var common = ['title', 'description', 'default', 'nullable', 'enum'];
function commonKeywords(schema) {
  const kept = Object.entries(schema).filter(
    ([name]) => common.includes(name) || name.startsWith('x-kubernetes-'),
  );
  const { type, examples } = schema;
  const [example] = Array.isArray(examples) ? examples : [];
  return {
    ...(type !== void 0 && { type }),
    ...Object.fromEntries(kept),
    ...(example !== void 0 && { example }),
  };
}

// packages/schema/src/standard/typebox-schema.ts
import { isJsonObject as isJsonObject10, setOwn as setOwn2 } from '@keelson/structural-schema';
function isTypeBoxSchema(schema) {
  return typeof schema === 'object' && schema !== null && '~kind' in schema;
}
function typeboxJson(schema) {
  if (Array.isArray(schema)) return schema.map((part) => typeboxJson(part));
  if (!isJsonObject10(schema)) return schema;
  const copy = {};
  for (const [name, part] of Object.entries(schema)) {
    if (name === 'pattern' && part instanceof RegExp) {
      copy[name] = part.source;
      noteFlags(copy, [part]);
    } else setOwn2(copy, name, typeboxJson(part));
  }
  return copy;
}

// packages/schema/src/standard/schema-input.ts
function structuralSchemaOf(schema, path, keywords) {
  if (isStandardSchema(schema)) {
    return toStructuralSchema(jsonSchemaOf(schema, path, keywords), path);
  }
  if (!isTypeBoxSchema(schema)) return schema;
  return toStructuralSchema(typeboxJson(schema), path);
}

// packages/schema/src/kind/structural-options.ts
function structuralOptions(given) {
  const { keywords = {}, spec: givenSpec, status: givenStatus, ...options } = given;
  const spec = structuralSchemaOf(givenSpec, 'defineKind.spec', keywords);
  const status = givenStatus && structuralSchemaOf(givenStatus, 'defineKind.status', keywords);
  if (Object.keys(keywords).length === 0) return { ...options, spec, ...(status && { status }) };
  const root = { properties: { spec, ...(status && { status }) } };
  const { properties = {} } = Object.entries(keywords).reduce(extended, root);
  return {
    ...options,
    spec: properties['spec'] ?? spec,
    ...(properties['status'] && { status: properties['status'] }),
  };
}
function extended(root, [path, keywords]) {
  const names = `properties.${path}`.split('.');
  return withKeywords(root, names, keywords) ?? refuse2(path);
}
function refuse2(path) {
  const expected = 'must name a part of the schema, such as spec.properties.ports.items';
  throw invalidOption4('defineKind.keywords', expected, { value: path });
}
function withKeywords(part, [name, ...rest], keywords) {
  if (name === void 0) return { ...withoutExcluded(part, keywords), ...keywords };
  const inner = Object.hasOwn(part, name) ? part[name] : void 0;
  if (typeof inner !== 'object' || inner === null) return void 0;
  const changed = withKeywords(inner, rest, keywords);
  return changed && { ...part, [name]: changed };
}
function withoutExcluded(part, keywords) {
  if (keywords['x-kubernetes-int-or-string'] !== true || !('type' in part)) return part;
  const { type: _, ...rest } = part;
  return rest;
}

// packages/schema/src/kind/define-kind.ts
function defineKind(given) {
  checkForms(given);
  const options = structuralOptions(given);
  checkKind(options);
  const { group, version, kind, plural, scope = 'Namespaced' } = options;
  const names = { group, version, kind, plural, scope };
  const resource = defineResource(names);
  const parser = new ObjectParser(resource, rootSchemaOf(options), given);
  return {
    resource,
    parse: (object, parseOptions) => parser.parse(object, parseOptions),
    crd: structuredClone(definitionOf(options)),
  };
}
function definitionOf(options) {
  const { group, kind, plural, singular = kind.toLowerCase(), scope = 'Namespaced' } = options;
  const { shortNames, categories } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
      },
      scope,
      versions: [versionOf(options)],
    },
  };
}
function versionOf(options) {
  const { version: name, served = true, deprecated, status, printColumns, scale } = options;
  const subresources = { ...(status && { status: {} }), ...(scale && { scale }) };
  return {
    name,
    served,
    storage: true,
    ...(deprecated !== void 0 && deprecated !== false && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    schema: { openAPIV3Schema: rootSchemaOf(options) },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(printColumns && { additionalPrinterColumns: printColumns }),
  };
}

// packages/schema/src/versions/define-spoke.ts
import { checkFunction, checkOptions as checkOptions4 } from '@keelson/apimachinery';
function defineSpoke(hub, kind, conversions) {
  checkOptions4(conversions, ['toHub', 'fromHub'], 'defineSpoke');
  const { toHub, fromHub } = conversions;
  checkFunction(toHub, 'defineSpoke.toHub');
  checkFunction(fromHub, 'defineSpoke.fromHub');
  return {
    hub,
    kind,
    toHub: (object) => toHub(object),
    fromHub: (object) => fromHub(object),
  };
}

// packages/schema/src/versions/define-versions.ts
import {
  checkOptions as checkOptions5,
  invalidOption as invalidOption5,
} from '@keelson/apimachinery';
import { jsonEquals as jsonEquals6 } from '@keelson/structural-schema';

// packages/schema/src/versions/conversion-review.ts
import { isJsonObject as isJsonObject11 } from '@keelson/structural-schema';
var REVIEW_API_VERSION = 'apiextensions.k8s.io/v1';
function reviewConversion(body, converter) {
  const { uid, version, objects } = requestIn(body);
  try {
    const convertedObjects = objects.map((object) => converter.convert(object, version));
    return reviewOf({ uid, convertedObjects, result: { status: 'Success' } });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const result = { status: 'Failure', message: error.message };
    return reviewOf({ uid, convertedObjects: [], result });
  }
}
function reviewOf(response) {
  return { apiVersion: REVIEW_API_VERSION, kind: 'ConversionReview', response };
}
function requestIn(body) {
  const { apiVersion, kind, request } = isJsonObject11(body) ? body : {};
  if (kind !== 'ConversionReview' || apiVersion !== REVIEW_API_VERSION) {
    throw refusal2({ apiVersion, kind });
  }
  const { uid, desiredAPIVersion, objects } = isJsonObject11(request) ? request : {};
  if (typeof uid === 'string' && typeof desiredAPIVersion === 'string' && Array.isArray(objects)) {
    const [, version = ''] = desiredAPIVersion.split('/');
    return { uid, version, objects: objects.filter(isJsonObject11) };
  }
  throw refusal2({ apiVersion, kind });
}
function refusal2({ apiVersion, kind }) {
  const reason = `the body is not a ConversionReview of ${REVIEW_API_VERSION}`;
  return new SchemaError('CONVERSION_FAILED', { apiVersion, kind, reason });
}

// packages/schema/src/versions/version-converter.ts
import { apiVersionOf as apiVersionOf2, thrownReason } from '@keelson/apimachinery';
import {
  cloneJson as cloneJson2,
  isJsonObject as isJsonObject12,
} from '@keelson/structural-schema';
function same(object) {
  return object;
}
var VersionConverter = class {
  #hub;
  #steps;
  constructor(hub, spokes) {
    const ofSpokes = spokes.map((spoke) => [spoke.kind.resource.version, spoke]);
    this.#hub = hub;
    this.#steps = new Map([[hub.version, { toHub: same, fromHub: same }], ...ofSpokes]);
  }
  /** Returns a copy in the version. Throws `CONVERSION_FAILED`. */
  convert(given, version) {
    const original = given;
    const from = this.#versionOf(original);
    if (from === version) return cloneJson2(original);
    const inHub = this.#run(original, { from, to: this.#hub.version, version: from }, 'toHub');
    return this.#run(inHub, { from: this.#hub.version, to: version, version }, 'fromHub');
  }
  #run(object, { from, to, version }, direction) {
    const steps2 = this.#steps.get(version);
    const { name } = object.metadata ?? {};
    const facts = { kind: this.#hub.kind, name, from, to };
    if (steps2 === void 0) {
      const reason = `unknown version; known are ${[...this.#steps.keys()].join(' ')}`;
      throw new SchemaError('CONVERSION_FAILED', { ...facts, reason });
    }
    try {
      const converted = checkedResult(steps2[direction](cloneJson2(object)));
      return this.#completed(converted, object, to);
    } catch (cause) {
      throw new SchemaError(
        'CONVERSION_FAILED',
        { ...facts, reason: thrownReason(cause) },
        { cause },
      );
    }
  }
  /** The server refuses a conversion that changes more of metadata than labels and annotations. */
  #completed(converted, { metadata: before = {} }, version) {
    const { labels, annotations: annotations3 } = converted.metadata ?? {};
    const { labels: _, annotations: __, ...kept } = before;
    return {
      ...converted,
      apiVersion: apiVersionOf2({ group: this.#hub.group, version }),
      kind: this.#hub.kind,
      metadata: {
        ...cloneJson2(kept),
        ...(labels && { labels }),
        ...(annotations3 && { annotations: annotations3 }),
      },
    };
  }
  #versionOf({ apiVersion = '', metadata }) {
    const prefix = `${this.#hub.group}/`;
    const version = apiVersion.slice(prefix.length);
    if (apiVersion.startsWith(prefix) && this.#steps.has(version)) return version;
    const { kind, group } = this.#hub;
    const known = [...this.#steps.keys()].map((each) => `${group}/${each}`);
    throw new SchemaError('CONVERSION_FAILED', {
      kind,
      name: metadata?.name,
      from: apiVersion,
      reason: `unknown version; known are ${known.join(' ')}`,
    });
  }
};
function checkedResult(result) {
  const { value, causes } = jsonCopy(result);
  if (causes[0] === void 0 && isJsonObject12(value)) return value;
  const detail = causes[0]?.field ? `: ${causes[0].message}` : '';
  throw new Error(`the conversion must return a plain object, and no promise${detail}`);
}

// packages/schema/src/versions/define-versions.ts
function defineVersions(options) {
  checkOptions5(options, ['hub', 'spokes', 'storage', 'conversion'], 'defineVersions');
  checkVersions(options);
  const converter = new VersionConverter(options.hub.resource, options.spokes);
  return {
    crd: definitionOf2(options),
    convert: (object, to) => converter.convert(object, to.version),
    review: (body) => reviewConversion(body, converter),
  };
}
function checkVersions({ hub, spokes, storage, conversion }) {
  const seen = /* @__PURE__ */ new Set([hub.resource.version]);
  for (const [index, { kind, hub: other }] of spokes.entries()) {
    const option = `defineVersions.spokes[${index}]`;
    if (other !== hub) throw invalidOption5(option, 'must be a spoke of this hub');
    const { version } = kind.resource;
    if (seen.has(version))
      throw invalidOption5(option, 'must have a version of its own', { version });
    seen.add(version);
    const { versions: _, ...names } = kind.crd.spec;
    const { versions: __, ...expected } = hub.crd.spec;
    if (!jsonEquals6(names, expected)) {
      throw invalidOption5(option, 'must have the group, names and scope of the hub', { version });
    }
  }
  if (storage !== void 0 && !seen.has(storage)) {
    throw invalidOption5('defineVersions.storage', `must be one of ${[...seen].join(' ')}`);
  }
  checkConversion(conversion);
}
function checkConversion(conversion) {
  if (conversion === 'None') return;
  const expected = "must be 'None' or have either a service or a url";
  if (typeof conversion !== 'object' || conversion === null) {
    throw invalidOption5('defineVersions.conversion', expected);
  }
  checkOptions5(conversion, ['caBundle', 'service', 'url'], 'defineVersions.conversion');
  if ((conversion.service === void 0) === (conversion.url === void 0)) {
    throw invalidOption5('defineVersions.conversion', expected);
  }
}
function definitionOf2({ hub, spokes, storage = hub.resource.version, conversion }) {
  const crd = structuredClone(hub.crd);
  const versions = [hub.crd, ...spokes.map(({ kind }) => kind.crd)].flatMap(({ spec }) =>
    structuredClone(spec.versions),
  );
  const strategy =
    conversion === 'None'
      ? { strategy: 'None' }
      : {
          strategy: 'Webhook',
          webhook: { clientConfig: structuredClone(conversion), conversionReviewVersions: ['v1'] },
        };
  return {
    ...crd,
    spec: {
      ...crd.spec,
      versions: versions.map((version) => ({ ...version, storage: version.name === storage })),
      conversion: strategy,
    },
  };
}

// packages/schema/src/compare/compare-crds.ts
import { jsonEquals as jsonEquals9 } from '@keelson/structural-schema';

// packages/schema/src/compare/check-definitions.ts
import { invalidOption as invalidOption6 } from '@keelson/apimachinery';

// packages/schema/src/compare/check-comparable.ts
function checkComparable(schema, path) {
  visit3(schema, { path, level: 0, budget: new SchemaBudget() });
}
function visit3(value, { path, level, budget }) {
  budget.take(path, level);
  const schema = membersOf2(value, path);
  const within = (name) => ({ path: `${path}.${name}`, level: level + 1, budget });
  for (const name of ['enum', 'required', 'x-kubernetes-validations']) {
    if (schema[name] !== void 0 && !Array.isArray(schema[name])) {
      throw refusal(`${path}.${name}`, 'a value of a wrong type', 'use a list');
    }
  }
  const { properties, additionalProperties, items } = schema;
  const named = properties === void 0 ? {} : membersOf2(properties, `${path}.properties`);
  for (const [name, property] of Object.entries(named))
    visit3(property, within(`properties.${name}`));
  if (items !== void 0) visit3(items, within('items'));
  if (additionalProperties !== void 0 && typeof additionalProperties !== 'boolean') {
    visit3(additionalProperties, within('additionalProperties'));
  }
}
function membersOf2(value, path) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw refusal(path, 'a value of a wrong type', 'use an object');
}

// packages/schema/src/compare/compare-version.ts
import { jsonEquals as jsonEquals8 } from '@keelson/structural-schema';

// packages/schema/src/compare/compare-schemas.ts
import { ownValue as ownValue2 } from '@keelson/structural-schema';

// packages/schema/src/compare/compare-keywords.ts
import { jsonEquals as jsonEquals7 } from '@keelson/structural-schema';

// packages/schema/src/compare/crd-change.ts
var newVersion = 'make the change in a new version, with a conversion';
var narrows = {
  breaks: ['objects', 'clients'],
  cure: `${newVersion}, or change the stored objects first`,
};
var loses = {
  breaks: ['objects', 'clients'],
  cure: 'keep the field, marked as deprecated in its description, or convert it in a new version',
};
var surprises = {
  breaks: ['clients'],
  cure: `update the clients first, or ${newVersion}`,
};

// packages/schema/src/compare/compare-keywords.ts
function compareKeywords(before, after, path, report) {
  const at = { before, after, report: (reason, change) => report(path, reason, change) };
  compareLimits(at);
  compareConditions(at);
  compareEnums(at);
  compareNulls(at);
  compareDefaults(at);
  compareLists(at);
  compareRules(at);
}
var least = ['minLength', 'minItems', 'minProperties', 'minimum'];
var most = ['maxLength', 'maxItems', 'maxProperties', 'maximum'];
function compareLimits({ before, after, report }) {
  for (const name of least) {
    const [one = -Infinity, other = -Infinity] = [before[name], after[name]];
    if (other > one) report(`${name} rises to ${other}`, narrows);
  }
  for (const name of most) {
    const [one = Infinity, other = Infinity] = [before[name], after[name]];
    if (other < one) report(`${name} falls to ${other}`, narrows);
  }
  for (const [name, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ]) {
    const isStricter = after[name] === true && before[name] !== true;
    if (isStricter && before[limit] === after[limit]) report(`${name} is set`, narrows);
  }
}
var conditions = ['format', 'pattern', 'multipleOf', 'allOf', 'anyOf', 'oneOf', 'not'];
function compareConditions({ before, after, report }) {
  for (const name of conditions) {
    if (after[name] === void 0 || jsonEquals7(before[name], after[name])) continue;
    report(before[name] === void 0 ? `${name} is added` : `${name} changes`, narrows);
  }
  const embedded = 'x-kubernetes-embedded-resource';
  if (after[embedded] === true && before[embedded] !== true) report(`${embedded} is set`, narrows);
}
function compareEnums({ before: { enum: one }, after: { enum: other }, report }) {
  if (other !== void 0 && one === void 0) report('enum is added', narrows);
  if (one !== void 0 && other === void 0) report('enum is removed', surprises);
  const removed = missing(one, other);
  if (other !== void 0 && removed !== '') report(`enum loses ${removed}`, narrows);
  const added = missing(other, one);
  if (one !== void 0 && added !== '') report(`enum gains ${added}`, surprises);
}
function missing(values = [], from = []) {
  return values
    .filter((value) => !from.some((each) => jsonEquals7(each, value)))
    .map((value) => JSON.stringify(value))
    .join(', ');
}
function compareNulls({ before, after, report }) {
  if (before.nullable === true && after.nullable !== true)
    report('null is not accepted now', narrows);
  if (before.nullable !== true && after.nullable === true) report('may be null', surprises);
}
function compareDefaults({ before, after, report }) {
  if (before.default === void 0 || jsonEquals7(before.default, after.default)) return;
  const isRemoved = after.default === void 0;
  report(isRemoved ? 'the default is removed' : 'the default changes', surprises);
}
function compareLists({ before, after, report }) {
  const [one, other] = [listTypeOf(before), listTypeOf(after)];
  if (one !== other) {
    const reason = `the list type changes from ${one} to ${other}, and so does server-side apply`;
    report(reason, other === 'atomic' ? surprises : narrows);
  }
  const keys = 'x-kubernetes-list-map-keys';
  if (one === 'map' && other === 'map' && !jsonEquals7(before[keys], after[keys])) {
    report('the keys of the list change', narrows);
  }
  const [map = 'granular', newMap = 'granular'] = [
    before['x-kubernetes-map-type'],
    after['x-kubernetes-map-type'],
  ];
  if (map !== newMap) report(`the map type changes from ${map} to ${newMap}`, surprises);
}
function listTypeOf(schema) {
  return schema['x-kubernetes-list-type'] ?? 'atomic';
}
function compareRules({ before, after, report }) {
  const known = new Set(rulesOf2(before).map(({ rule }) => rule));
  for (const { rule = '' } of rulesOf2(after)) {
    if (known.has(rule)) continue;
    const isTransition = /\boldSelf\b/.test(rule);
    report(`a rule is added: ${rule}`, isTransition ? surprises : narrows);
  }
}
function rulesOf2(schema) {
  return schema['x-kubernetes-validations'] ?? [];
}

// packages/schema/src/compare/compare-schemas.ts
function compareSchemas(before, after) {
  const changes = [];
  const report = (path, reason, change) => {
    changes.push({ path, reason, ...change });
  };
  compare(before, after, '', report);
  return changes;
}
function compare(before, after, path, report) {
  if (!compareTypes(before, after, path, report)) return;
  compareKeywords(before, after, path, report);
  compareMembers(before, after, path, report);
  if (before.items !== void 0 && after.items !== void 0) {
    compare(before.items, after.items, `${path}[]`, report);
  }
}
function compareTypes(before, after, path, report) {
  const [one, other] = [typeOf(before), typeOf(after)];
  if (one === other) return true;
  const isWider =
    other === 'any' ||
    (one === 'integer' && other === 'number') ||
    (['integer', 'string'].includes(one) && other === 'int-or-string');
  report(path, `the type changes from ${one} to ${other}`, isWider ? surprises : narrows);
  return isWider && other !== 'any';
}
function typeOf(schema) {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return schema.type ?? 'any';
}
function compareMembers(before, after, path, report) {
  const names = /* @__PURE__ */ new Set([
    ...Object.keys(before.properties ?? {}),
    ...Object.keys(after.properties ?? {}),
  ]);
  for (const name of names) {
    const inner = path === '' ? name : `${path}.${name}`;
    compareMember(memberOf(before, name), memberOf(after, name), inner, report);
  }
  for (const name of after.required ?? []) {
    const isMissing = before.required?.includes(name) !== true && defaultOf(after, name) === void 0;
    const inner = path === '' ? name : `${path}.${name}`;
    if (isMissing) report(inner, 'becomes required and has no default', required);
  }
  for (const name of before.required ?? []) {
    const inner = path === '' ? name : `${path}.${name}`;
    const isOptional =
      after.required?.includes(name) !== true && ownValue2(after.properties ?? {}, name);
    if (isOptional && defaultOf(after, name) === void 0)
      report(inner, 'becomes optional', surprises);
  }
  compareOthers(before, after, path, report);
}
var required = {
  breaks: ['objects', 'clients'],
  cure: 'give it a default, or leave it optional in this version',
};
function defaultOf(schema, name) {
  return ownValue2(schema.properties ?? {}, name)?.default;
}
function memberOf(schema, name) {
  const declared = ownValue2(schema.properties ?? {}, name);
  if (declared !== void 0) return declared;
  return othersOf(schema);
}
function othersOf(schema) {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return additionalProperties;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return additionalProperties === true || isOpen ? 'any' : void 0;
}
function compareMember(before, after, path, report) {
  if (before === void 0 || after === 'any') return;
  if (after === void 0) report(path, 'the field is removed, and the server drops its value', loses);
  else if (before === 'any') compare(anything, after, path, report);
  else compare(before, after, path, report);
}
var anything = { 'x-kubernetes-preserve-unknown-fields': true };
function compareOthers(before, after, path, report) {
  if (before.type !== 'object' && before.type !== void 0) return;
  const inner = `${path}[*]`;
  const [one, other] = [othersOf(before), othersOf(after)];
  if (one === void 0 || other === 'any') return;
  if (other === void 0) report(inner, 'the server drops unknown members now', loses);
  else if (one === 'any') compare(anything, other, inner, report);
  else compare(one, other, inner, report);
}

// packages/schema/src/compare/compare-version.ts
function compareVersion(before, after) {
  const { name: version } = before;
  const changes = [
    ...(before.served && !after.served ? [['served', 'is not served any more']] : []),
    ...subresourceChanges(before, after),
    ...fieldChanges(before, after),
  ];
  return [
    ...changes.map(([path, reason]) => ({ version, path, reason, ...surprises })),
    ...compareSchemas(schemaOf(before), schemaOf(after)).map((change) => ({ version, ...change })),
  ];
}
function subresourceChanges({ subresources: before = {} }, { subresources: after = {} }) {
  const changes = [];
  if (before.status !== void 0 && after.status === void 0) {
    changes.push(['subresources.status', 'removed: requests to /status fail']);
  }
  if (before.status === void 0 && after.status !== void 0) {
    changes.push(['subresources.status', 'added: requests to the object do not change its status']);
  }
  if (before.scale !== void 0 && !jsonEquals8(before.scale, after.scale)) {
    const reason = after.scale === void 0 ? 'removed: requests to /scale fail' : 'changed';
    changes.push(['subresources.scale', reason]);
  }
  return changes;
}
function fieldChanges(before, after) {
  const paths = new Set(after.selectableFields?.map(({ jsonPath }) => jsonPath));
  return (before.selectableFields ?? [])
    .filter(({ jsonPath }) => !paths.has(jsonPath))
    .map(({ jsonPath }) => ['selectableFields', `removed: ${jsonPath}`]);
}
function schemaOf({ schema }) {
  return (
    schema?.openAPIV3Schema ?? {
      'x-kubernetes-preserve-unknown-fields': true,
    }
  );
}

// packages/schema/src/compare/check-definitions.ts
function checkDefinitions(before, after) {
  const [one, other] = [nameOf3(before, 'before'), nameOf3(after, 'after')];
  if (one !== other) {
    throw invalidOption6('compareCrds.after', `must be a state of ${one}, not ${other}`);
  }
  for (const [option, { spec }] of Object.entries({ before, after })) {
    for (const version of spec.versions) {
      checkComparable(schemaOf(version), `compareCrds.${option}.versions[${version.name}]`);
    }
  }
}
function nameOf3(crd, option) {
  if (!isDefinition(crd)) {
    const reason = 'must be a CustomResourceDefinition of apiextensions.k8s.io/v1';
    throw invalidOption6(`compareCrds.${option}`, reason);
  }
  const { metadata, spec } = crd;
  const name = `${spec.names.plural}.${spec.group}`;
  if (metadata?.name === void 0 || metadata.name === name) return name;
  throw invalidOption6(`compareCrds.${option}.metadata.name`, `must be ${name}`);
}
function isDefinition(crd) {
  if (!isObject(crd) || crd['apiVersion'] !== 'apiextensions.k8s.io/v1') return false;
  const { kind, spec } = crd;
  if (kind !== 'CustomResourceDefinition' || !isObject(spec)) return false;
  const { group, names, versions } = spec;
  return (
    areTexts2(group) &&
    isObject(names) &&
    areTexts2(names['kind'], names['plural']) &&
    Array.isArray(versions) &&
    versions.every((version) => isObject(version) && areTexts2(version['name']))
  );
}
function isObject(value) {
  return typeof value === 'object' && value !== null;
}
function areTexts2(...values) {
  return values.every((value) => typeof value === 'string');
}

// packages/schema/src/compare/compare-crds.ts
function compareCrds(before, after) {
  checkDefinitions(before, after);
  return [
    ...identityChanges(before.spec, after.spec),
    ...nameChanges(before.spec, after.spec),
    ...before.spec.versions.flatMap((version) => versionChanges(version, before, after)),
    ...storageChanges(before.spec, after.spec),
  ];
}
function identityChanges(before, after) {
  const members = [
    ['scope', before.scope, after.scope],
    ['names.kind', before.names.kind, after.names.kind],
  ];
  const cure = 'keep it; the server refuses the change, so that it needs a new CRD and a migration';
  return members
    .filter(([, one, other]) => one !== other)
    .map(([path, one, other]) => ({
      path,
      reason: `changed from ${one} to ${other}`,
      breaks: ['objects', 'clients'],
      cure,
    }));
}
function nameChanges({ names: before }, { names: after }) {
  const removed = ['shortNames', 'categories'].flatMap((list2) =>
    (before[list2] ?? [])
      .filter((name) => after[list2]?.includes(name) !== true)
      .map((name) => ({ path: `names.${list2}`, reason: `removed: ${name}`, ...surprises })),
  );
  const [old, current] = [withDefaults(before), withDefaults(after)];
  const changed = ['singular', 'listKind']
    .filter((name) => old[name] !== current[name])
    .map((name) => {
      const reason = `changed from ${old[name]} to ${current[name]}`;
      return { path: `names.${name}`, reason, ...surprises };
    });
  return [...removed, ...changed];
}
function withDefaults({ kind, singular, listKind }) {
  return { singular: singular ?? kind.toLowerCase(), listKind: listKind ?? `${kind}List` };
}
function versionChanges(version, { spec, status }, { spec: afterSpec }) {
  const { name } = version;
  const after = afterSpec.versions.find((each) => each.name === name);
  if (after !== void 0) return compareVersion(version, after);
  const stored = status?.storedVersions ?? (version.storage ? [name] : []);
  const removal = { version: name, path: `versions[${name}]` };
  const isOnly = spec.versions.length === 1;
  if (stored.includes(name)) {
    const cure = `${isOnly ? 'keep the version; ' : ''}write every object in another storage version and remove this one from status.storedVersions first`;
    return [
      {
        ...removal,
        reason: 'removed, but objects are stored in it',
        breaks: ['objects', 'clients'],
        cure,
      },
    ];
  }
  return version.served ? [{ ...removal, reason: 'removed', ...surprises }] : [];
}
function storageChanges(before, after) {
  const changes = [];
  const [old, current] = [storageOf(before), storageOf(after)];
  const strategy = after.conversion?.strategy ?? 'None';
  if (before.conversion?.strategy === 'Webhook' && strategy === 'None') {
    const schemas = after.versions.map(schemaOf);
    if (schemas.some((schema) => !jsonEquals9(schema, schemas[0]))) {
      const reason2 =
        'objects are no longer converted, although the schemas of the versions differ';
      changes.push({ path: 'conversion', reason: reason2, ...loses });
    }
  }
  const isMoved = old !== void 0 && current !== void 0 && old.name !== current.name;
  if (!isMoved || strategy !== 'None') return changes;
  const found = compareSchemas(schemaOf(old), schemaOf(current));
  const broken = found.filter(({ breaks }) => breaks.includes('objects'));
  const reason = (text3) => `${text3}, compared with the storage version ${old.name}`;
  return [
    ...changes,
    ...broken.map((change) => ({
      ...change,
      version: current.name,
      reason: reason(change.reason),
    })),
  ];
}
function storageOf({ versions }) {
  return versions.find(({ storage }) => storage);
}
export { InvalidObjectError, SchemaError, compareCrds, defineKind, defineSpoke, defineVersions };
//# sourceMappingURL=index.js.map
