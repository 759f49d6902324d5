import {
  checkOptions,
  type CodedError,
  invalidOption,
  isDnsSubdomain,
  labelRequirementsOf,
  type LabelSelector,
} from '@keelson/apimachinery';
import {
  compileAdmissionExpression,
  isIdentifier,
  mutationType,
  validateLabels,
  VariableTypes,
  type ExpressionScope,
  type PatchType,
} from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { objectTypeOf } from './object-type-of.ts';
import {
  type MutatingPolicyOptions,
  type PolicyMutation,
  type PolicyOptions,
  type PolicyParams,
  type PolicyResource,
  type PolicyRule,
  type PolicyTarget,
  tokenOf,
} from './policy-options.ts';

const targetNames = [
  'name',
  'resource',
  'subresource',
  'operations',
  'variables',
  'params',
  'matchConditions',
  'namespaceSelector',
  'objectSelector',
  'failurePolicy',
];

/** Throws `INVALID_OPTION` or `RULE_INVALID` for options that do not make a valid policy and binding. */
export function checkPolicy(options: PolicyOptions): void {
  const check = new PolicyCheck('definePolicy');
  checkOptions(options, [...targetNames, 'rules', 'actions'], check.at);
  check.target(options, ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
  const { actions = [], rules } = options;
  check.list(options.actions, 'actions', ['Deny', 'Warn', 'Audit']);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    throw invalidOption(`${check.at}.actions`, 'must not contain both Deny and Warn');
  }
  check.items(rules, 'rules', 'rule');
  const types = check.variables(options);
  for (const [index, rule] of rules.entries()) check.rule(rule, `rules[${index}]`, types);
}

/** As `checkPolicy`; returns the types of the patches of the mutations. */
export function checkMutatingPolicy(options: MutatingPolicyOptions): PatchType[] {
  const check = new PolicyCheck('defineMutatingPolicy');
  checkOptions(options, [...targetNames, 'mutations', 'reinvocationPolicy'], check.at);
  check.target(options, ['CREATE', 'UPDATE']);
  check.choice(options.reinvocationPolicy, 'reinvocationPolicy', ['Never', 'IfNeeded']);
  check.items(options.mutations, 'mutations', 'mutation');
  const types = check.variables(options);
  return options.mutations.map((mutation, index) =>
    check.mutation(mutation, `mutations[${index}]`, types),
  );
}

/** Checks the options of a function, whose name the errors have. */
class PolicyCheck {
  readonly at: string;

  constructor(at: string) {
    this.at = at;
  }

  target(
    options: PolicyTarget & { readonly operations?: readonly string[] },
    operations: readonly string[],
  ): void {
    const { name, resource, subresource, failurePolicy, params } = options;
    if (typeof name !== 'string' || !isDnsSubdomain(name)) {
      throw this.#invalid('name', 'must be a DNS subdomain such as limit.example.com');
    }
    this.#resource(resource);
    if (subresource !== undefined && (typeof subresource !== 'string' || subresource === '')) {
      throw this.#invalid('subresource', 'must be a name such as status');
    }
    this.list(options.operations, 'operations', operations);
    this.choice(failurePolicy, 'failurePolicy', ['Fail', 'Ignore']);
    for (const selector of ['namespaceSelector', 'objectSelector'] as const) {
      this.#selector(options[selector], selector);
    }
    if (params !== undefined) this.#params(params);
  }

  list(given: readonly string[] | undefined, option: string, known: readonly string[]): void {
    if (given === undefined) return;
    const isValid =
      Array.isArray(given) && given.length > 0 && new Set(given).size === given.length;
    if (isValid && given.every((each) => known.includes(each))) return;
    throw this.#invalid(option, `must be different words out of ${known.join(', ')}`);
  }

  items(given: unknown, option: string, what: string): void {
    if (Array.isArray(given) && given.length > 0) return;
    throw this.#invalid(option, `must be a list with at least one ${what}`);
  }

  choice(given: unknown, option: string, known: readonly string[]): void {
    if (given === undefined || known.some((each) => each === given)) return;
    throw this.#invalid(option, `must be ${known.join(' or ')}`);
  }

  /** Checks conditions and variables, and returns the types of the variables. */
  variables(options: PolicyTarget): VariableTypes {
    const { variables = {}, matchConditions = {}, params } = options;
    this.#record(variables, 'variables');
    this.#record(matchConditions, 'matchConditions');
    const object = objectTypeOf(options.resource, options.subresource);
    const types = new VariableTypes(params !== undefined, object);
    for (const [name, expression] of Object.entries(matchConditions)) {
      if (validateLabels({ [name]: '' }, '').length > 0) {
        throw this.#invalid('matchConditions', `must have names such as scaled, and not ${name}`);
      }
      const scope = { params: params !== undefined, authorizer: true, object };
      this.#compile(expression, `matchConditions.${name}`, scope, bool);
    }
    for (const [name, expression] of Object.entries(variables)) {
      const path = `variables.${name}`;
      if (!isIdentifier(name)) throw this.#invalid(path, 'must have the name of a CEL identifier');
      this.#compile(expression, path, types.scope(), []);
      types.declare(name, expression);
    }
    return types;
  }

  rule(rule: PolicyRule, path: string, types: VariableTypes): void {
    checkOptions(rule, ['cel', 'message', 'messageExpression', 'reason'], `${this.at}.${path}`);
    const { cel, message, messageExpression, reason } = rule;
    this.choice(reason, `${path}.reason`, ['Forbidden', 'Invalid', 'RequestEntityTooLarge']);
    this.#compile(cel, `${path}.cel`, types.scope(), bool);
    if (messageExpression !== undefined) {
      this.#compile(messageExpression, `${path}.messageExpression`, types.scope(false), string);
    }
    if (message !== undefined && !isLine(message)) {
      throw this.#invalid(`${path}.message`, 'must be one line of text');
    }
  }

  mutation(mutation: PolicyMutation, path: string, types: VariableTypes): PatchType {
    checkOptions(mutation, ['cel'], `${this.at}.${path}`);
    const patchTypes = ['ApplyConfiguration', 'JSONPatch'] as const;
    const wanted = patchTypes.map(mutationType);
    const type = this.#compile(mutation.cel, `${path}.cel`, types.patchScope(), wanted);
    return type.kind === 'list' ? 'JSONPatch' : 'ApplyConfiguration';
  }

  #resource(resource: PolicyResource): void {
    const token = typeof resource === 'object' && resource !== null ? tokenOf(resource) : undefined;
    const isToken = [token?.group, token?.version, token?.kind, token?.plural].every(
      (part) => typeof part === 'string',
    );
    if (!isToken) {
      throw this.#invalid('resource', 'must be a token of a resource or a defined kind');
    }
  }

  #selector(selector: LabelSelector | undefined, option: string): void {
    if (selector === undefined) return;
    checkOptions(selector, ['matchLabels', 'matchExpressions'], `${this.at}.${option}`);
    try {
      labelRequirementsOf(selector);
    } catch (cause) {
      throw this.#invalid(option, cause instanceof Error ? cause.message : 'must be a selector');
    }
  }

  #params(params: PolicyParams): void {
    const known = ['resource', 'name', 'selector', 'namespace', 'notFound'];
    checkOptions(params, known, `${this.at}.params`);
    const { name, selector, notFound } = params;
    if ((name === undefined) === (selector === undefined)) {
      throw this.#invalid('params', 'needs exactly one of name and selector');
    }
    const { group, version, kind } = (params.resource ?? {}) as Record<string, unknown>;
    if (![group, version, kind].every((part) => typeof part === 'string')) {
      throw this.#invalid('params.resource', 'must have group, version and kind');
    }
    this.#selector(selector, 'params.selector');
    this.choice(notFound, 'params.notFound', ['Deny', 'Allow']);
  }

  #record(given: unknown, option: string): void {
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return;
    throw this.#invalid(option, 'must be an object of expressions in CEL');
  }

  #compile(
    expression: unknown,
    path: string,
    scope: ExpressionScope,
    types: readonly ExpressionType[],
  ): ExpressionType {
    if (typeof expression !== 'string' || expression.trim() === '') {
      throw this.#invalid(path, 'must be an expression in CEL');
    }
    const compiled = compileAdmissionExpression(expression, scope, types);
    if (typeof compiled !== 'string') return compiled.type;
    const cure = 'correct the expression; dyn(object) is not checked by the schema of the kind';
    throw new SchemaError('RULE_INVALID', { path: `${this.at}.${path}`, reason: compiled, cure });
  }

  #invalid(option: string, why: string): CodedError {
    return invalidOption(`${this.at}.${option}`, why);
  }
}

type ExpressionType = NonNullable<ReturnType<typeof objectTypeOf>>;

const typeOf = (name: string): ExpressionType => ({ kind: 'primitive', name, parameters: [] });
const bool = [typeOf('bool')];
const string = [typeOf('string')];

function isLine(message: unknown): boolean {
  return typeof message === 'string' && /^(?=.*\S).*$/.test(message);
}
