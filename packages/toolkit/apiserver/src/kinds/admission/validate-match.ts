import type { StatusCause } from '@keelson/apimachinery';
import { boolType, goTrim } from '@keelson/cel/internal';
import { checkPathSegment, checkQualifiedName } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
  tooMany,
} from '@keelson/structural-schema';
import { compileAdmissionExpression } from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';

// Source: `pkg/apis/admissionregistration/validation/validation.go` of Kubernetes 1.36.

/** Most match conditions of a webhook or policy. */
const MAX_CONDITIONS = 64;

/** Requires a member to be one of some texts. */
export function oneOf(
  object: JsonObject,
  path: FieldPath,
  member: string,
  supported: readonly string[],
): StatusCause[] {
  const value = object[member];
  if (value === undefined || supported.some((each) => each === value)) return [];
  return [notSupported(childPath(path, member), value, supported)];
}

/** As `oneOf`, for a member that must be present. */
export function requiredOneOf(
  object: JsonObject,
  path: FieldPath,
  member: string,
  supported: readonly string[],
): StatusCause[] {
  if (object[member] === undefined) return [required(childPath(path, member))];
  return oneOf(object, path, member, supported);
}

/** Validates a selector under a member, if it is present. */
export function validateSelector(
  object: JsonObject,
  path: FieldPath,
  member: string,
): StatusCause[] {
  if (object[member] === undefined) return [];
  return validateLabelSelector(objectAt(object, member), childPath(path, member));
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];

/** Validates a `RuleWithOperations`. */
export function validateRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const given = textsAt(rule, 'operations');
  return [
    ...validateList(rule, path, 'operations', 'operations'),
    ...given.flatMap((operation, index) =>
      operations.includes(operation)
        ? []
        : [notSupported(indexPath(childPath(path, 'operations'), index), operation, operations)],
    ),
    ...validateList(rule, path, 'apiGroups', 'API groups'),
    ...validateList(rule, path, 'apiVersions', 'API versions'),
    ...textsAt(rule, 'apiVersions').flatMap((version, index) =>
      version === '' ? [required(indexPath(childPath(path, 'apiVersions'), index))] : [],
    ),
    ...validateResources(textsAt(rule, 'resources'), childPath(path, 'resources')),
    ...oneOf(rule, path, 'scope', scopes),
  ];
}

/** Requires a list to have items, and `*` to be the only one. */
function validateList(
  rule: JsonObject,
  path: FieldPath,
  member: string,
  what: string,
): StatusCause[] {
  const items = textsAt(rule, member);
  const field = childPath(path, member);
  if (items.length === 0) return [required(field)];
  if (items.length === 1 || !items.includes('*')) return [];
  return [invalid(field, items, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], path: FieldPath): StatusCause[] {
  if (resources.length === 0) return [required(path)];
  const causes: StatusCause[] = [];
  const wildSubresources = new Set<string>();
  const wildResources = new Set<string>();
  let hasPlain = false;
  for (const [index, written] of resources.entries()) {
    const field = indexPath(path, index);
    const slash = written.indexOf('/');
    if (written === '') causes.push(required(field));
    else if (slash < 0) hasPlain = written !== '*';
    else {
      const [resource, sub] = [written.slice(0, slash), written.slice(slash + 1)];
      const clash = (pattern: string): StatusCause =>
        invalid(field, written, `if '${pattern}' is present, must not specify ${written}`);
      if (wildSubresources.has(resource)) causes.push(clash(`${resource}/*`));
      if (wildResources.has(sub)) causes.push(clash(`*/${sub}`));
      if (sub === '*') wildSubresources.add(resource);
      if (resource === '*') wildResources.add(sub);
    }
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    causes.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && hasPlain) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    causes.push(invalid(path, resources, detail));
  }
  return causes;
}

/** Validates match conditions, whose expressions may use `params` for a policy with parameters. */
export function validateConditions(
  owner: JsonObject,
  path: FieldPath,
  params: boolean,
): StatusCause[] {
  const conditions = objectsAt(owner, 'matchConditions');
  const field = childPath(path, 'matchConditions');
  const seen = new Set<string>();
  return [
    ...(conditions.length > MAX_CONDITIONS
      ? [tooMany(field, conditions.length, MAX_CONDITIONS)]
      : []),
    ...conditions.flatMap((condition, index) => {
      const at = indexPath(field, index);
      const name = textAt(condition, 'name');
      const isDuplicate = name !== '' && seen.has(name);
      seen.add(name);
      return [
        ...validateCondition(condition, at, params),
        ...(isDuplicate ? [duplicate(childPath(at, 'name'), name)] : []),
      ];
    }),
  ];
}

function validateCondition(condition: JsonObject, path: FieldPath, params: boolean): StatusCause[] {
  const name = textAt(condition, 'name');
  const expression = goTrim(textAt(condition, 'expression'));
  const at = childPath(path, 'expression');
  const compiled =
    expression === '' ||
    compileAdmissionExpression(expression, { params, authorizer: true }, [boolType]);
  return [
    ...(expression === '' ? [required(at)] : []),
    ...(typeof compiled === 'string' ? [invalidExpression(at, expression, compiled)] : []),
    ...(name === ''
      ? [required(childPath(path, 'name'))]
      : checkQualifiedName(name).map((why) => invalid(childPath(path, 'name'), name, why))),
  ];
}

/** Returns the cause for an expression that does not compile. One that has no program is an internal error in Go. */
export function invalidExpression(path: FieldPath, expression: string, why: string): StatusCause {
  if (!why.startsWith('program instantiation failed')) return invalid(path, expression, why);
  return { reason: 'InternalError', message: `Internal error: ${why}`, field: path };
}

/** Validates the `MatchResources` of a policy or binding. */
export function validateMatchResources(match: JsonObject, path: FieldPath): StatusCause[] {
  const rules = (member: string): StatusCause[] =>
    objectsAt(match, member).flatMap((rule, index) =>
      validateNamedRule(rule, indexPath(childPath(path, member), index)),
    );
  return [
    ...requiredOneOf(match, path, 'matchPolicy', ['Equivalent', 'Exact']),
    ...validateSelector(match, path, 'namespaceSelector'),
    ...validateSelector(match, path, 'objectSelector'),
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  ];
}

function validateNamedRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const names = textsAt(rule, 'resourceNames');
  return [
    ...names.flatMap((name, index) => {
      const field = indexPath(childPath(path, 'resourceNames'), index);
      return [
        ...checkPathSegment(name).map((why) => invalid(field, name, why)),
        ...(names.indexOf(name) < index ? [duplicate(field, name)] : []),
      ];
    }),
    ...validateRule(rule, path),
  ];
}
