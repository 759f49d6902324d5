import { type CelType, objectType } from '@keelson/cel/internal';
import { compileAdmissionExpression, type ExpressionScope } from './admission-expression.ts';

const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** True for a name that an expression can use. */
export function isIdentifier(name: string): boolean {
  return /^[_a-zA-Z]\w*$/.test(name) && !reserved.has(name);
}

/** The types of the `variables` of a policy. Each variable may use those before it. */
export class VariableTypes {
  readonly #params: boolean;
  readonly #object: CelType | undefined;
  readonly #types = new Map<string, CelType>();

  /** `params`: true if the policy has parameters. `object`: the type of the objects, default `dyn`. */
  constructor(params: boolean, object?: CelType) {
    this.#params = params;
    this.#object = object;
  }

  /** Declares a variable with the type of its expression. Returns the reason if the expression is invalid. */
  declare(name: string, expression: string): string | undefined {
    const compiled = compileAdmissionExpression(expression, this.scope(), []);
    if (typeof compiled === 'string') return compiled;
    this.#types.set(name, compiled.type);
    return undefined;
  }

  /** The variables that an expression after the declared ones may use. */
  scope(authorizer = true): ExpressionScope {
    const variables = objectType('kubernetes.variables', new Map(this.#types));
    return { params: this.#params, authorizer, variables, object: this.#object };
  }

  /** As `scope`, for the expression of a mutation. */
  patchScope(): ExpressionScope {
    return { ...this.scope(), patches: true };
  }
}
