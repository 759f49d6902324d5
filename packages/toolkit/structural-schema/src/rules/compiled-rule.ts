import {
  boolType,
  type CelLibrary,
  type CompiledExpression,
  compileExpression,
  CostLimitError,
  EvaluationError,
  Optional,
  optionalType,
  quoteText,
  showValue,
  stringType,
  type Value,
  goTrim,
} from '@keelson/cel/internal';
import type { FieldPath } from '../validation/field-path.ts';
import { normalFieldPath } from './rule-field-path.ts';
import type { JsonSchema, ValidationExpression } from '../validation/json-schema.ts';
import type { ObjectCostBudget } from './cost-budget.ts';
import type { SchemaType } from './schema-types.ts';

/** Values on which a rule is evaluated. */
export interface RuleInput {
  readonly self: Value | EvaluationError;
  /** Undefined if the old value is missing, or if no rule reads it. */
  readonly oldSelf: Value | EvaluationError | undefined;
}

/** Result of one evaluation. After `exhausted` no further rule of the object is evaluated. */
export type RuleOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string; readonly exhausted?: boolean };

const passed: RuleOutcome = { kind: 'passed' };

/** Longest result of a `messageExpression`; kube-apiserver ignores a longer one. */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** The schema node of a rule. */
export interface Ruled {
  readonly schema: JsonSchema;
  readonly type: SchemaType;
}

/** One rule, compiled for the type of its schema node. */
export class CompiledRule {
  readonly expression: ValidationExpression;
  /** Path of the reported field below the validated value. */
  readonly fieldPath: FieldPath;
  /** Compile errors of the rule; undefined if it compiles. */
  readonly error: string | undefined;
  /** Compile errors of the message expression; undefined if it compiles. */
  readonly messageError: string | undefined;
  readonly #rule: CompiledExpression | undefined;
  readonly #message: CompiledExpression | undefined;

  constructor(
    library: CelLibrary,
    { schema, type: self }: Ruled,
    expression: ValidationExpression,
  ) {
    this.expression = expression;
    this.fieldPath = normalFieldPath(schema, expression.fieldPath ?? '') ?? '';
    const { rule = '', messageExpression, optionalOldSelf = false } = expression;
    const oldSelf = optionalOldSelf ? optionalType(self.type) : self.type;
    const variables = new Map([
      ['self', self.type],
      ['oldSelf', oldSelf],
    ]);
    const compiled = compileExpression(library, rule, {
      variables,
      self,
      refusal: (type) => (type === boolType ? undefined : 'cel expression must evaluate to a bool'),
    });
    if (typeof compiled === 'string') this.error = compiled;
    else this.#rule = compiled;
    if (!messageExpression || this.error !== undefined) return;
    const message = compileExpression(library, messageExpression, {
      variables,
      self,
      refusal: (type) => (type === stringType ? undefined : 'must evaluate to a string'),
    });
    if (typeof message === 'string') this.messageError = `messageExpression ${message}`;
    else this.#message = message;
  }

  get usesOldSelf(): boolean {
    return this.#rule?.variables.has('oldSelf') ?? false;
  }

  /** Estimated maximum cost of one evaluation. */
  get cost(): number {
    return this.#rule?.cost ?? 0;
  }

  get messageCost(): number {
    return this.#message?.cost ?? 0;
  }

  evaluate({ self, oldSelf }: RuleInput, budget: ObjectCostBudget): RuleOutcome {
    const { optionalOldSelf = false } = this.expression;
    if (this.#rule === undefined) {
      return { kind: 'error', message: `rule compile error: ${this.error}` };
    }
    if (this.usesOldSelf && oldSelf === undefined && !optionalOldSelf) return passed;
    const old = optionalOldSelf ? Optional.of(oldSelf) : (oldSelf ?? null);
    try {
      const { value, cost } = this.#rule.program.evaluate([self, old]);
      if (!budget.spend(cost)) return exhausted;
      if (value instanceof EvaluationError) return evaluationFailure(value, this.#shown);
      // As in kube-apiserver, a message expression gets the old value itself, also with `optionalOldSelf`.
      return value === true ? passed : this.#failed([self, oldSelf ?? withoutOldSelf()], budget);
    } catch (error) {
      if (!(error instanceof CostLimitError)) throw error;
      if (!budget.spend(error.cost)) return exhausted;
      const message = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${this.#shown}`;
      return { kind: 'error', message, exhausted: true };
    }
  }

  /** The name of the rule in errors: its message or its source. */
  get #shown(): string {
    return goTrim(this.expression.message || this.expression.rule || '');
  }

  /** Returns a violation with the text of `messageExpression`, or of `message` if that text is unusable. */
  #failed(values: readonly (Value | EvaluationError)[], budget: ObjectCostBudget): RuleOutcome {
    const given = this.expression;
    const fallback = goTrim(given.message ?? '') || `failed rule: ${goTrim(given.rule ?? '')}`;
    if (this.#message === undefined) return { kind: 'failed', message: fallback };
    try {
      const { value, cost } = this.#message.program.evaluate(values);
      if (!budget.spend(cost)) return messageExhausted;
      if (value instanceof EvaluationError) return { kind: 'failed', message: fallback };
      const text = goTrim(showValue(value));
      const usable =
        text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
      return { kind: 'failed', message: usable ? text : fallback };
    } catch (error) {
      if (!(error instanceof CostLimitError)) throw error;
      if (!budget.spend(error.cost)) return messageExhausted;
      const expression = quoteText(this.expression.messageExpression ?? '');
      const reason = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${expression}`;
      return { kind: 'error', message: reason, exhausted: true };
    }
  }
}

function withoutOldSelf(): EvaluationError {
  return new EvaluationError('no such attribute(s): oldSelf');
}

const exhausted: RuleOutcome = {
  kind: 'error',
  message:
    'validation failed due to running out of cost budget, no further validation rules will be run',
  exhausted: true,
};

const messageExhausted: RuleOutcome = {
  kind: 'error',
  message:
    'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
  exhausted: true,
};

function evaluationFailure({ message }: EvaluationError, rule: string): RuleOutcome {
  const words = message.startsWith('no such overload')
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${message} evaluating rule: ${rule}`;
  return { kind: 'error', message: words };
}
