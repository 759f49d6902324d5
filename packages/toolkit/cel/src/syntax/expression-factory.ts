import type { Value } from '../values/value.ts';
import type {
  Call,
  Comprehension,
  Expression,
  Identifier,
  ListLiteral,
  Literal,
} from './expression.ts';

/** Creates the expressions that a macro expands to; all of them have the position of the macro call. */
export class ExpressionFactory {
  readonly offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  literal(value: Value): Literal {
    return { kind: 'literal', value, offset: this.offset };
  }

  name(name: string): Identifier {
    return { kind: 'identifier', name, offset: this.offset };
  }

  list(...elements: readonly Expression[]): ListLiteral {
    const { offset } = this;
    return {
      kind: 'list',
      elements: elements.map((value) => ({ value, optional: false })),
      offset,
    };
  }

  call(name: string, ...args: readonly Expression[]): Call {
    return { kind: 'call', name, target: undefined, args, offset: this.offset };
  }

  method(name: string, target: Expression, ...args: readonly Expression[]): Call {
    return { kind: 'call', name, target, args, offset: this.offset };
  }

  fold(parts: Omit<Comprehension, 'kind' | 'offset'>): Comprehension {
    return { kind: 'comprehension', ...parts, offset: this.offset };
  }

  /** Gives a value a name in an expression: `name` has the value `value` in `body`. */
  bind(name: string, value: Expression, body: Expression): Comprehension {
    return this.fold({
      variable: '#unused',
      secondVariable: undefined,
      range: this.list(),
      accumulator: name,
      initial: value,
      condition: this.literal(false),
      step: this.name(name),
      result: body,
    });
  }
}
