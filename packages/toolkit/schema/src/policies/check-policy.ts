import {
  checkOptions,
  invalidOption,
  isDnsSubdomain,
  labelRequirementsOf,
  type LabelSelector,
} from '@keelson/apimachinery';
import {
  compileAdmissionExpression,
  isIdentifier,
  VariableTypes,
  type ExpressionScope,
} from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { objectTypeOf } from './object-type-of.ts';
import {
  type PolicyOptions,
  type PolicyParams,
  type PolicyResource,
  tokenOf,
} from './policy-options.ts';

const at = 'definePolicy';
const names = [
  'name',
  'resource',
  'subresource',
  'operations',
  'rules',
  'variables',
  'params',
  'matchConditions',
  'namespaceSelector',
  'objectSelector',
  'failurePolicy',
  'actions',
];

/** Throws `INVALID_OPTION` or `RULE_INVALID` for options that do not make a valid policy and binding. */
export function checkPolicy(options: PolicyOptions): void {
  checkOptions(options, names, at);
  const { name, resource, rules, operations, actions = [], failurePolicy, params } = options;
  if (typeof name !== 'string' || !isDnsSubdomain(name)) {
    throw invalidOption(`${at}.name`, 'must be a DNS subdomain such as limit.example.com');
  }
  checkResource(resource);
  checkSubresource(options.subresource);
  checkList(operations, 'operations', ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
  checkList(options.actions, 'actions', ['Deny', 'Warn', 'Audit']);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    throw invalidOption(`${at}.actions`, 'must not contain both Deny and Warn');
  }
  checkChoice(failurePolicy, 'failurePolicy', ['Fail', 'Ignore']);
  for (const selector of ['namespaceSelector', 'objectSelector'] as const) {
    checkSelector(options[selector], selector);
  }
  if (!Array.isArray(rules) || rules.length === 0) {
    throw invalidOption(`${at}.rules`, 'must be a list with at least one rule');
  }
  if (params !== undefined) checkParams(params);
  checkExpressions(options);
}

function checkSubresource(subresource: unknown): void {
  if (subresource === undefined || (typeof subresource === 'string' && subresource !== '')) return;
  throw invalidOption(`${at}.subresource`, 'must be a name such as status');
}

function checkSelector(selector: LabelSelector | undefined, option: string): void {
  if (selector === undefined) return;
  checkOptions(selector, ['matchLabels', 'matchExpressions'], `${at}.${option}`);
  try {
    labelRequirementsOf(selector);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'must be a selector';
    throw invalidOption(`${at}.${option}`, reason);
  }
}

function checkResource(resource: PolicyResource): void {
  const token = typeof resource === 'object' && resource !== null ? tokenOf(resource) : undefined;
  const isToken = [token?.group, token?.version, token?.kind, token?.plural].every(
    (part) => typeof part === 'string',
  );
  if (!isToken)
    throw invalidOption(`${at}.resource`, 'must be a token of a resource or a defined kind');
}

function checkList(
  given: readonly string[] | undefined,
  option: string,
  known: readonly string[],
): void {
  if (given === undefined) return;
  const isValid = Array.isArray(given) && given.length > 0 && new Set(given).size === given.length;
  if (isValid && given.every((each) => known.includes(each))) return;
  throw invalidOption(`${at}.${option}`, `must be different words out of ${known.join(', ')}`);
}

function checkChoice(given: unknown, option: string, known: readonly string[]): void {
  if (given === undefined || known.some((each) => each === given)) return;
  throw invalidOption(`${at}.${option}`, `must be ${known.join(' or ')}`);
}

function checkParams(params: PolicyParams): void {
  checkOptions(params, ['resource', 'name', 'selector', 'namespace', 'notFound'], `${at}.params`);
  const { name, selector, notFound } = params;
  if ((name === undefined) === (selector === undefined)) {
    throw invalidOption(`${at}.params`, 'needs exactly one of name and selector');
  }
  checkParamKind(params.resource);
  checkSelector(selector, 'params.selector');
  checkChoice(notFound, 'params.notFound', ['Deny', 'Allow']);
}

function checkParamKind(resource: unknown): void {
  const { group, version, kind } = (resource ?? {}) as Record<string, unknown>;
  if ([group, version, kind].every((part) => typeof part === 'string')) return;
  throw invalidOption(`${at}.params.resource`, 'must have group, version and kind');
}

type ExpressionType = NonNullable<ReturnType<typeof objectTypeOf>>;

const typeOf = (name: string): ExpressionType => ({ kind: 'primitive', name, parameters: [] });
const bool = [typeOf('bool')];
const string = [typeOf('string')];

function checkExpressions(options: PolicyOptions): void {
  const { rules, variables = {}, matchConditions = {}, params } = options;
  checkRecord(variables, 'variables');
  checkRecord(matchConditions, 'matchConditions');
  const object = objectTypeOf(options.resource, options.subresource);
  const types = new VariableTypes(params !== undefined, object);
  for (const [name, expression] of Object.entries(matchConditions)) {
    const scope = { params: params !== undefined, authorizer: true, object };
    compile(expression, `matchConditions.${name}`, scope, bool);
  }
  for (const [name, expression] of Object.entries(variables)) {
    const path = `variables.${name}`;
    if (!isIdentifier(name))
      throw invalidOption(`${at}.${path}`, 'must have the name of a CEL identifier');
    compile(expression, path, types.scope(), []);
    types.declare(name, expression);
  }
  for (const [index, rule] of rules.entries()) {
    const path = `rules[${index}]`;
    checkOptions(rule, ['cel', 'message', 'messageExpression', 'reason'], `${at}.${path}`);
    const { cel, message, messageExpression, reason } = rule;
    checkChoice(reason, `${path}.reason`, ['Forbidden', 'Invalid', 'RequestEntityTooLarge']);
    compile(cel, `${path}.cel`, types.scope(), bool);
    if (messageExpression !== undefined) {
      compile(messageExpression, `${path}.messageExpression`, types.scope(false), string);
    }
    if (message !== undefined && !isLine(message)) {
      throw invalidOption(`${at}.${path}.message`, 'must be one line of text');
    }
  }
}

function isLine(message: unknown): boolean {
  return typeof message === 'string' && /^(?=.*\S).*$/.test(message);
}

function checkRecord(given: unknown, option: string): void {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
  throw invalidOption(`${at}.${option}`, 'must be an object of expressions in CEL');
}

function compile(
  expression: unknown,
  path: string,
  scope: ExpressionScope,
  types: readonly ExpressionType[],
): void {
  if (typeof expression !== 'string' || expression.trim() === '') {
    throw invalidOption(`${at}.${path}`, 'must be an expression in CEL');
  }
  const reason = compileAdmissionExpression(expression, scope, types);
  if (typeof reason !== 'string') return;
  const cure = 'correct the expression; dyn(object) is not checked by the schema of the kind';
  throw new SchemaError('RULE_INVALID', { path: `${at}.${path}`, reason, cure });
}
