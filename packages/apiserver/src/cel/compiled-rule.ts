import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import type { ValidationExpression } from '../schema/structural-schema.ts';
import type { CelLibrary } from './cel-library.ts';
import type { CelType } from './cel-type.ts';
import { compileMessage, evaluationMessage } from './rule-error.ts';
import { missingFunction } from './missing-functions.ts';

/** What a rule is evaluated for: values of its type. */
export interface RuleInput {
  readonly self: unknown;
  /** Undefined where nothing was before. */
  readonly oldSelf: unknown;
}

/** What came of evaluating a rule. */
export type RuleOutcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };

const passed: RuleOutcome = { kind: 'passed' };

/** One rule, compiled for the type of what it is about. */
export class CompiledRule {
  readonly expression: ValidationExpression;
  readonly usesOldSelf: boolean;
  /** Why the rule does not compile. */
  readonly error: string | undefined;
  /** Why the expression of its message does not compile. */
  readonly messageError: string | undefined;
  /** A function of kube-apiserver that is not here: the rule is not evaluated. */
  readonly missing: string | undefined;
  readonly #library: CelLibrary;
  readonly #rule: Compiled;
  readonly #message: Compiled | undefined;

  constructor(
    library: CelLibrary,
    environment: Environment,
    type: CelType,
    expression: ValidationExpression,
  ) {
    this.#library = library;
    this.expression = expression;
    const { rule = '', messageExpression, optionalOldSelf = false } = expression;
    const alone = environment.clone().registerVariable('self', type.name);
    const old = optionalOldSelf ? `optional<${type.name}>` : type.name;
    const both = alone.clone().registerVariable('oldSelf', old);
    const first = compile(alone, rule, 'bool');
    this.usesOldSelf = first.error !== undefined && /\boldSelf\b/.test(rule);
    this.#rule = this.usesOldSelf ? compile(both, rule, 'bool') : first;
    this.#message = messageExpression ? compile(both, messageExpression, 'string') : undefined;
    this.missing = missingFunction(this.#rule.error) ?? missingFunction(this.#message?.error);
    this.error = this.missing ? undefined : this.#rule.error;
    const message = this.missing ? undefined : this.#message?.error;
    this.messageError = message && `messageExpression ${message}`;
  }

  evaluate({ self, oldSelf }: RuleInput): RuleOutcome {
    const { optionalOldSelf = false } = this.expression;
    if (this.missing !== undefined) return passed;
    if (this.error !== undefined) {
      return { kind: 'error', message: `rule compile error: ${this.error}` };
    }
    if (this.usesOldSelf && oldSelf === undefined && !optionalOldSelf) return passed;
    const { Optional } = this.#library;
    const old = optionalOldSelf ? Optional.of(oldSelf) : oldSelf;
    try {
      const holds: unknown = this.#rule.run({ self, oldSelf: old });
      return holds === true ? passed : { kind: 'failed', message: this.#told({ self, oldSelf }) };
    } catch (error) {
      const name = (this.expression.message ?? this.expression.rule ?? '').trim();
      return { kind: 'error', message: evaluationFailure(evaluationMessage(error), name) };
    }
  }

  /** The text of `messageExpression`, or of `message` where that one fails or says nothing usable. */
  #told(input: RuleInput): string {
    const { message, rule = '' } = this.expression;
    return this.#computed(input) ?? message?.trim() ?? `failed rule: ${rule.trim()}`;
  }

  #computed(input: RuleInput): string | undefined {
    if (this.#message === undefined || this.#message.error !== undefined) return undefined;
    try {
      const text = String(this.#message.run({ ...input })).trim();
      return text === '' || text.includes('\n') ? undefined : text;
    } catch {
      return undefined;
    }
  }
}

interface Compiled {
  readonly run: (input: object) => unknown;
  readonly error: string | undefined;
}

function compile(environment: Environment, source: string, result: 'bool' | 'string'): Compiled {
  try {
    const parsed: ParseResult = environment.parse(source);
    const { valid, type, error } = parsed.check();
    if (!valid) return refused(`compilation failed: ${compileMessage(source, error)}`);
    if (type !== result && type !== 'dyn') {
      const what = result === 'bool' ? 'cel expression must evaluate to a' : 'must evaluate to a';
      return refused(`${what} ${result}`);
    }
    return { run: (input) => parsed(input), error: undefined };
  } catch (error) {
    return refused(`compilation failed: ${compileMessage(source, error)}`);
  }
}

function refused(error: string): Compiled {
  return { run: () => undefined, error };
}

function evaluationFailure(error: string, rule: string): string {
  return error.startsWith('no such overload')
    ? `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
    : `${error} evaluating rule: ${rule}`;
}
