import {
  authorizerType,
  type CelType,
  checkTypes,
  dynType,
  listType,
  mapType,
  objectType,
  parameterOf,
} from '@keelson/cel/internal';
import { celLibrary } from '../rules/cel-library.ts';
import { SchemaTypes } from '../rules/schema-types.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { namespaceType, requestType } from './request-type.ts';
import type { ValidatingPolicyExpressions } from './validating-policy.ts';

/** A kind of objects that a policy applies to. */
export interface PolicyKind {
  /** As warnings show it: `apps/v1, Kind=Deployment`. */
  readonly name: string;
  /** The type of `object` and `oldObject`. */
  readonly type: CelType;
}

/** An expression of a policy with its type errors, as `status.typeChecking` has them. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/**
 * Returns the type of the objects of a kind by its OpenAPI schema without references. Messages name types by the kind and
 * the path.
 */
export function policyObjectType(kind: string, schema: JsonSchema): CelType {
  const { name, generateName } = schema.properties?.['metadata']?.properties ?? {};
  const isWhole = name?.type === 'string' && generateName?.type === 'string';
  return new SchemaTypes().of(schema, !isWhole, kind)?.type ?? dynType;
}

/**
 * Checks the types of the expressions of a policy for each kind that it applies to. `params`: the type of the parameters.
 * Source: `policy/validating/typechecking.go` of kube-apiserver's admission.
 */
export function expressionWarnings(
  spec: ValidatingPolicyExpressions,
  kinds: readonly PolicyKind[],
  params: CelType,
): ExpressionWarning[] {
  const scopes = kinds.map(({ name, type }) => ({
    name,
    variables: variablesFor(spec, type, params),
  }));
  const check = (fieldRef: string, expression: string): ExpressionWarning[] => {
    const problems = scopes.flatMap(({ name, variables }) => {
      const found = checkTypes(celLibrary(), expression, variables);
      return typeof found === 'string' ? [`${name}: ${found}\n`] : [];
    });
    return problems.length === 0 ? [] : [{ fieldRef, warning: problems.join('\n') }];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, index) => {
    const path = `spec.validations[${index}]`;
    return [
      ...check(`${path}.expression`, expression),
      ...(messageExpression === '' ? [] : check(`${path}.messageExpression`, messageExpression)),
    ];
  });
}

function variablesFor(
  { paramKind, variables = [] }: ValidatingPolicyExpressions,
  object: CelType,
  params: CelType,
): ReadonlyMap<string, CelType> {
  const composed = new Map<string, CelType>();
  const declared = new Map<string, CelType>([
    ['object', object],
    ['oldObject', object],
    ['namespaceObject', namespaceType],
    ['request', requestType],
    ...(paramKind === undefined ? [] : ([['params', params]] as const)),
    ['authorizer', authorizerType],
    ['variables', objectType('kubernetes.variables', composed)],
  ]);
  for (const { name, expression } of variables) {
    const found = checkTypes(celLibrary(), expression, declared);
    composed.set(name, typeof found === 'string' ? dynType : storedType(found));
  }
  return declared;
}

/** The type that a variable has in later expressions: kube-apiserver forgets the types of objects. */
function storedType(type: CelType): CelType {
  switch (type.kind) {
    case 'primitive':
    case 'null':
    case 'time':
      return type;
    case 'list':
      return listType(storedType(parameterOf(type)));
    case 'map':
      return mapType(storedType(parameterOf(type)), storedType(parameterOf(type, 1)));
    default:
      return dynType;
  }
}
