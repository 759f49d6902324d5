import type { StatusCause } from '@keelson/apimachinery';
import {
  boolType,
  type CelType,
  checkDns1035Label,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
  stringType,
  goLower,
  goTrim,
} from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { compileAdmissionExpression, type ExpressionScope } from '@keelson/structural-schema';
import { isIdentifier, VariableTypes } from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import {
  invalidExpression,
  requiredOneOf,
  validateConditions,
  validateMatchResources,
  validateSelector,
} from './validate-match.ts';

// Source: `pkg/apis/admissionregistration/validation/validation.go` of Kubernetes 1.36.

const MAX_ANNOTATIONS = 20;
/** Longest expression of an audit annotation in bytes. */
const MAX_ANNOTATION_BYTES = 5 * 1024;
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

/** Validates the part that both kinds of policies have, and declares the variables. `constraints`: further causes. */
export function validatePolicySpec(
  spec: JsonObject,
  old: JsonObject | undefined,
  variables: VariableTypes,
  constraints: readonly StatusCause[] = [],
): StatusCause[] {
  const before = old && objectAt(old, 'spec');
  const isSame =
    before !== undefined &&
    jsonEquals(spec.paramKind, before.paramKind) &&
    jsonEquals(spec.matchConditions, before.matchConditions);
  return [
    ...requiredOneOf(spec, 'spec', 'failurePolicy', ['Fail', 'Ignore']),
    ...(spec.paramKind === undefined ? [] : validateParamKind(objectAt(spec, 'paramKind'))),
    ...validateConstraints(spec),
    ...constraints,
    ...(isSame ? [] : validateConditions(spec, 'spec', spec.paramKind !== undefined)),
    ...objectsAt(spec, 'variables').flatMap((variable, index) =>
      validateVariable(variable, indexPath('spec.variables', index), variables),
    ),
  ];
}

/** Validates a `ValidatingAdmissionPolicy`. */
export function validateValidatingPolicy(object: JsonObject, old?: JsonObject): StatusCause[] {
  const spec = objectAt(object, 'spec');
  const variables = new VariableTypes(spec.paramKind !== undefined);
  return [
    ...validatePolicySpec(spec, old, variables),
    ...validateRules(spec, variables),
    ...validateAnnotations(object, spec, variables),
  ];
}

function validateRules(spec: JsonObject, variables: VariableTypes): StatusCause[] {
  const validations = objectsAt(spec, 'validations');
  if (validations.length === 0 && objectsAt(spec, 'auditAnnotations').length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return ['spec.validations', 'spec.auditAnnotations'].map((path) => required(path, detail));
  }
  return validations.flatMap((validation, index) =>
    validateValidation(validation, indexPath('spec.validations', index), variables),
  );
}

function validateParamKind(kind: JsonObject): StatusCause[] {
  const path = 'spec.paramKind';
  const name = textAt(kind, 'kind');
  const lower = checkDns1035Label(goLower(name));
  const detail = `may have mixed case, but should otherwise match: ${lower.join(',')}`;
  return [
    ...validateApiVersion(textAt(kind, 'apiVersion'), childPath(path, 'apiVersion')),
    ...(name === '' ? [required(childPath(path, 'kind'))] : []),
    ...(name !== '' && lower.length > 0 ? [invalid(childPath(path, 'kind'), name, detail)] : []),
  ];
}

function validateApiVersion(text: string, path: FieldPath): StatusCause[] {
  if (text === '') return [required(path)];
  const parts = text.split('/');
  if (parts.length > 2) return [invalid(path, text, `unexpected GroupVersion string: ${text}`)];
  const [version = '', group = ''] = parts.toReversed();
  const ofGroup = group === '' ? [] : checkSubdomain(group);
  const ofVersion = version === '' ? [] : checkDns1035Label(version);
  return [
    ...(ofGroup.length > 0 ? [invalid(path, group, ofGroup.join(','))] : []),
    ...(version === '' ? [invalid(path, text, 'version must be specified')] : []),
    ...(ofVersion.length > 0 ? [invalid(path, version, ofVersion.join(','))] : []),
  ];
}

function validateConstraints(spec: JsonObject): StatusCause[] {
  const path = 'spec.matchConstraints';
  if (spec.matchConstraints === undefined) return [required(path)];
  const constraints = objectAt(spec, 'matchConstraints');
  return [
    ...validateMatchResources(constraints, path),
    ...(objectsAt(constraints, 'resourceRules').length === 0
      ? [required(childPath(path, 'resourceRules'))]
      : []),
  ];
}

function validateVariable(
  variable: JsonObject,
  path: FieldPath,
  variables: VariableTypes,
): StatusCause[] {
  const name = textAt(variable, 'name');
  const expression = textAt(variable, 'expression');
  const at = childPath(path, 'expression');
  const ofName = isIdentifier(name)
    ? []
    : [invalid(childPath(path, 'name'), name, 'must be a valid CEL identifier')];
  const causes =
    goTrim(name) === '' ? [required(childPath(path, 'name'), 'name is not specified')] : ofName;
  if (goTrim(expression) === '') return [...causes, required(at, 'expression is not specified')];
  const problem = variables.declare(name, expression);
  return problem === undefined ? causes : [...causes, invalidExpression(at, expression, problem)];
}

/** Compiles an expression of a policy and returns the cause if it is invalid. */
export function validateExpression(
  expression: string,
  path: FieldPath,
  { scope, types }: { readonly scope: ExpressionScope; readonly types: readonly CelType[] },
): StatusCause[] {
  const compiled = compileAdmissionExpression(expression, scope, types);
  return typeof compiled === 'string' ? [invalidExpression(path, expression, compiled)] : [];
}

function validateValidation(
  validation: JsonObject,
  path: FieldPath,
  variables: VariableTypes,
): StatusCause[] {
  const expression = textAt(validation, 'expression');
  const message = textAt(validation, 'message');
  const messageExpression = textAt(validation, 'messageExpression');
  const at = childPath(path, 'expression');
  const { reason } = validation;
  return [
    ...(goTrim(expression) === ''
      ? [required(at, 'expression is not specified')]
      : validateExpression(expression, at, { scope: variables.scope(), types: [boolType] })),
    ...validateMessageExpression(
      messageExpression,
      childPath(path, 'messageExpression'),
      variables,
    ),
    ...validateMessage(message, childPath(path, 'message')),
    ...(reason === undefined || reasons.some((each) => each === reason)
      ? []
      : [notSupported(childPath(path, 'reason'), reason, reasons)]),
  ];
}

function validateMessageExpression(
  expression: string,
  path: FieldPath,
  variables: VariableTypes,
): StatusCause[] {
  if (expression === '') return [];
  if (goTrim(expression) === '') {
    return [invalid(path, expression, 'must be non-empty if specified')];
  }
  return validateExpression(expression, path, {
    scope: variables.scope(false),
    types: [stringType],
  });
}

function validateMessage(message: string, path: FieldPath): StatusCause[] {
  if (message === '') return [];
  if (goTrim(message) === '') return [invalid(path, message, 'must be non-empty if specified')];
  return /[\n\r]/.test(goTrim(message))
    ? [invalid(path, message, 'must not contain line breaks')]
    : [];
}

function validateAnnotations(
  object: JsonObject,
  spec: JsonObject,
  variables: VariableTypes,
): StatusCause[] {
  const annotations = objectsAt(spec, 'auditAnnotations');
  const path = 'spec.auditAnnotations';
  const detail = `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`;
  const policy = textAt(objectAt(object, 'metadata'), 'name');
  const keys = annotations.map((annotation) => textAt(annotation, 'key'));
  return [
    ...(annotations.length > MAX_ANNOTATIONS ? [invalid(path, annotations, detail)] : []),
    ...annotations.flatMap((annotation, index) => {
      const at = indexPath(path, index);
      const key = keys[index] ?? '';
      return [
        ...validateAnnotation(annotation, at, { policy, variables }),
        ...(keys.indexOf(key) < index ? [duplicate(childPath(at, 'key'), key)] : []),
      ];
    }),
  ];
}

function validateAnnotation(
  annotation: JsonObject,
  path: FieldPath,
  { policy, variables }: { readonly policy: string; readonly variables: VariableTypes },
): StatusCause[] {
  const name = `${policy}/${textAt(annotation, 'key')}`;
  const expression = goTrim(textAt(annotation, 'valueExpression'));
  const at = childPath(path, 'valueExpression');
  const ofKey = checkQualifiedName(name).map((why) => invalid(childPath(path, 'key'), name, why));
  if (expression === '') return [...ofKey, required(at, 'valueExpression is not specified')];
  if (Buffer.byteLength(expression) > MAX_ANNOTATION_BYTES) {
    return [...ofKey, required(at, `must not exceed ${MAX_ANNOTATION_BYTES} bytes in length`)];
  }
  const types = [stringType, nullType];
  return [...ofKey, ...validateExpression(expression, at, { scope: variables.scope(), types })];
}

const nullType: CelType = { kind: 'null', name: 'null', parameters: [] };

const actions = ['Audit', 'Deny', 'Warn'];

/** Validates a `ValidatingAdmissionPolicyBinding`. */
export function validateValidatingBinding(object: JsonObject): StatusCause[] {
  const spec = objectAt(object, 'spec');
  return [
    ...validateBindingSpec(spec),
    ...validateActions(textsAt(spec, 'validationActions'), 'spec.validationActions'),
  ];
}

/** Validates the part that the bindings of both kinds of policies have. */
export function validateBindingSpec(spec: JsonObject): StatusCause[] {
  const policyName = textAt(spec, 'policyName');
  const path = 'spec.policyName';
  return [
    ...(policyName === ''
      ? [required(path)]
      : checkSubdomain(policyName).map((why) => invalid(path, policyName, why))),
    ...(spec.paramRef === undefined ? [] : validateParamRef(objectAt(spec, 'paramRef'))),
    ...(spec.matchResources === undefined
      ? []
      : validateMatchResources(objectAt(spec, 'matchResources'), 'spec.matchResources')),
  ];
}

function validateActions(given: readonly string[], path: FieldPath): StatusCause[] {
  const both =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [
    ...given.flatMap((action, index) => {
      const at = indexPath(path, index);
      return [
        ...(actions.includes(action) ? [] : [notSupported(at, action, actions)]),
        ...(given.indexOf(action) < index ? [duplicate(at, action)] : []),
      ];
    }),
    ...(given.includes('Deny') && given.includes('Warn') ? [invalid(path, given, both)] : []),
    ...(given.length === 0 ? [required(path, 'at least one validation action is required')] : []),
  ];
}

function validateParamRef(reference: JsonObject): StatusCause[] {
  const path = 'spec.paramRef';
  const name = textAt(reference, 'name');
  const hasSelector = reference.selector !== undefined;
  const exclusive = 'name and selector are mutually exclusive';
  const isBoth = name !== '' && hasSelector;
  return [
    ...(name === ''
      ? []
      : checkPathSegment(name).map((why) => invalid(childPath(path, 'name'), name, why))),
    ...(isBoth ? [forbidden(childPath(path, 'name'), exclusive)] : []),
    ...validateSelector(reference, path, 'selector'),
    ...(isBoth ? [forbidden(childPath(path, 'selector'), exclusive)] : []),
    ...(name === '' && !hasSelector
      ? [required(path, 'one of name or selector must be specified')]
      : []),
    ...requiredOneOf(reference, path, 'parameterNotFoundAction', ['Deny', 'Allow']),
  ];
}
