import {
  EvaluationError,
  MapValue,
  type Outcome,
  showValue,
  type Value,
} from '@keelson/cel/internal';
import type { AdmissionExpression, LazyVariables } from './admission-expression.ts';
import type { ExpressionInput } from './expression-input.ts';

/** A compiled variable of a policy, or the reason why it does not compile. */
export interface PolicyVariable {
  readonly name: string;
  readonly expression: AdmissionExpression | string;
}

/**
 * The `variables` of a policy for one request. Each is computed once, when an expression reads it. Source:
 * `plugin/cel/composition.go` of kube-apiserver's admission.
 */
export class PolicyVariables extends MapValue implements LazyVariables {
  readonly isMade = false;
  readonly #variables: ReadonlyMap<string, PolicyVariable>;
  readonly #input: ExpressionInput;
  readonly #known = new Map<string, Outcome>();
  #cost = 0;

  constructor(variables: readonly PolicyVariable[], input: ExpressionInput) {
    super();
    this.#variables = new Map(variables.map((variable) => [variable.name, variable]));
    this.#input = input;
  }

  get size(): number {
    return this.#variables.size;
  }

  keys(): readonly Value[] {
    return [...this.#variables.keys()];
  }

  find(key: Value): Outcome | undefined {
    const name = showValue(key);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const variable = this.#variables.get(name);
    if (variable === undefined) return undefined;
    const value = this.#compute(variable);
    this.#known.set(name, value);
    return value;
  }

  takeCost(): number {
    const cost = this.#cost;
    this.#cost = 0;
    return cost;
  }

  #compute({ name, expression }: PolicyVariable): Outcome {
    const shown = JSON.stringify(name);
    if (typeof expression === 'string') {
      return new EvaluationError(`composited variable ${shown} fails to compile: ${expression}`);
    }
    const outcome = expression.outcome(this.#input, this);
    this.#cost += outcome.cost;
    if (!(outcome.value instanceof EvaluationError)) return outcome.value;
    const why = outcome.value.message;
    return new EvaluationError(`composited variable ${shown} fails to evaluate: ${why}`);
  }
}
