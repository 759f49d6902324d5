import type { StatusCause } from '@keelson/apimachinery';
import {
  celLibrary,
  cloneJson,
  compileRules,
  evaluateRules,
  isJsonObject,
  PatternMatcher,
  patternSyntaxProblem,
  unknownMembers,
  validateCompilation,
  validateExpressions,
  validateRootSchema,
  validateValue,
  type JsonSchema,
} from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { checkValues } from '../literal/check-values.ts';

/**
 * Throws `SCHEMA_INVALID` for a pattern or default, and `RULE_INVALID` for a CEL rule, that the API server would refuse.
 * The schema is that of the whole object; `option` names the call, such as `defineKind`.
 */
export function checkContent(root: JsonSchema, option: string): void {
  const { properties = {} } = root;
  refuseRule(validateExpressions(root, option)[0], (field) => pathOf(field, option));
  for (const [name, schema] of Object.entries(properties)) visit(schema, `${option}.${name}`);
  refuseRest(root, option);
}

function visit(schema: JsonSchema, path: string): void {
  checkPattern(schema, path);
  checkValues(schema, path);
  checkDefault(schema, path);
  refuseRule(validateExpressions(schema, path)[0]);
  const { properties = {}, additionalProperties, items } = schema;
  for (const [name, property] of Object.entries(properties)) {
    visit(property, `${path}.properties.${name}`);
  }
  if (typeof additionalProperties === 'object') {
    visit(additionalProperties, `${path}.additionalProperties`);
  }
  if (items !== undefined) visit(items, `${path}.items`);
}

function checkPattern({ pattern }: JsonSchema, path: string): void {
  const reason = pattern === undefined ? undefined : patternSyntaxProblem(pattern);
  if (reason === undefined) return;
  const cure = 'use the syntax of RE2, which has no look-around and no references to groups';
  throw new SchemaError('SCHEMA_INVALID', { path: `${path}.pattern`, reason, cure });
}

function checkDefault(schema: JsonSchema, path: string): void {
  if (schema.default === undefined) return;
  const [cause] = validateValue(schema, schema.default, 'default', new PatternMatcher());
  const value = cloneJson(schema.default);
  const [unknown] = isJsonObject(value) ? unknownMembers(schema, value, 'default') : [];
  const reason =
    cause?.message ?? (unknown && `unknown field ${unknown.path}`) ?? violatedRule(schema);
  if (reason === undefined) return;
  const cure = 'use a default that the schema accepts';
  throw new SchemaError('SCHEMA_INVALID', { path: `${path}.default`, reason, cure });
}

/** Returns the message of a rule that the default breaks, if it is created or stays as it is. */
function violatedRule(schema: JsonSchema): string | undefined {
  const member = { type: 'object', properties: { default: schema } };
  if (validateCompilation(member, '').length > 0) return undefined;
  const tree = compileRules(celLibrary(), member);
  if (tree === undefined) return undefined;
  const value = { default: schema.default ?? null };
  for (const old of [undefined, value]) {
    const { refused } = evaluateRules(tree, { value, old, unchanged: () => false });
    if (refused.length > 0) return refused[0]?.message;
  }
  return undefined;
}

function refuseRule(
  cause: StatusCause | undefined,
  placed: (field: string) => string = (field) => field,
): void {
  if (cause === undefined) return;
  const { field = '', message: reason = '' } = cause;
  throw new SchemaError('RULE_INVALID', { path: placed(field), reason, cure: cureOf(reason) });
}

/** Throws for the rest of what kube-apiserver refuses, such as a rule that does not compile. */
function refuseRest(root: JsonSchema, option: string): void {
  const hasStatus = root.properties?.['status'] !== undefined;
  const [cause] = validateRootSchema(root, option, { hasStatus });
  if (cause === undefined) return;
  const placed = (field: string): string => pathOf(field, option);
  const { field = '', message: reason = '' } = cause;
  if (field.includes('x-kubernetes-validations') || reason.includes('cost limit')) {
    refuseRule(cause, placed);
  }
  const cure = 'correct the part as the API server demands';
  throw new SchemaError('SCHEMA_INVALID', { path: placed(field), reason, cure });
}

/** Turns the path in a CRD into the path in the options: `spec` and `validations` are members of the options. */
function pathOf(field: string, option: string): string {
  const dotted = field.replaceAll(/\.properties\[([^\]]+)\]/g, '.properties.$1');
  const inner = dotted.slice(option.length);
  return inner.startsWith('.properties.')
    ? `${option}.${inner.slice('.properties.'.length)}`
    : `${option}${inner.replace(/^\.x-kubernetes-validations/, '.validations')}`;
}

function cureOf(reason: string): string {
  if (reason.includes('exceeds budget') || reason.includes('cost limit')) {
    return 'set maxItems, maxProperties and maxLength on the lists, maps and texts that the rule reads, or simplify it';
  }
  if (reason.includes('uncorrelatable')) {
    return "set 'x-kubernetes-list-type': 'map' with keys on the list, or move the rule above it";
  }
  return 'correct the entry; `self` is the value at the schema, and its members have the types of the schema';
}
