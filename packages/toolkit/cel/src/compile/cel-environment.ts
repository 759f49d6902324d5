import { checkOptions, invalidOption } from '@keelson/apimachinery';
import { type CelType, sameType, showType } from '../types/cel-type.ts';
import { CelError } from '../errors.ts';
import { CelExpression } from './cel-expression.ts';
import { type CelLibrary, makeCelLibrary } from './cel-library.ts';
import { programOf } from './compile-expression.ts';
import { checkSource } from './check-source.ts';
import { declaredType } from './declared-type.ts';

/** Declares the variables that expressions of an environment may use. */
export interface CelEnvironmentOptions {
  /**
   * The variables with their types: `bool`, `bytes`, `double`, `duration`, `dyn`, `int`, `null`, `string`,
   * `timestamp`, `uint`, `list(T)` or `map(K, V)`. Default none.
   */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Restricts the type of a compiled expression. */
export interface CompileOptions {
  /** The type that the expression must have, such as `bool`. Default any type. */
  readonly type?: string;
}

/** Compiles CEL expressions with declared variables and the functions and types of kube-apiserver 1.36. */
export class CelEnvironment {
  readonly #library: CelLibrary = makeCelLibrary();
  readonly #variables: ReadonlyMap<string, CelType>;

  constructor(options: CelEnvironmentOptions = {}) {
    checkOptions(options, ['variables'], 'CelEnvironment');
    this.#variables = new Map(
      Object.entries(options.variables ?? {}).map(([name, type]) => [
        checkName(name),
        declaredType(type, `CelEnvironment.variables.${name}`),
      ]),
    );
  }

  /**
   * Compiles an expression. Throws `CelError` with code `EXPRESSION_INVALID` and every error with its line and
   * column.
   */
  compile(source: string, options: CompileOptions = {}): CelExpression {
    checkOptions(options, ['type'], 'compile');
    if (typeof source !== 'string') throw invalidOption('compile.source', 'must be a string');
    const wanted =
      options.type === undefined ? undefined : declaredType(options.type, 'compile.type');
    const checked = checkSource(this.#library, source, this.#variables);
    if (typeof checked === 'string') throw refused(source, checked);
    const type = checked.typeOf(checked.expression);
    if (wanted !== undefined && !sameType(type, wanted)) {
      throw refused(source, `expected type '${showType(wanted)}' but found '${showType(type)}'`);
    }
    const program = programOf(this.#library, checked, [...this.#variables.keys()]);
    if (typeof program === 'string') throw refused(source, program);
    return new CelExpression({ source, checked, program }, this.#variables);
  }
}

function checkName(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  throw invalidOption(
    `CelEnvironment.variables.${name}`,
    'must have a name of letters, digits and _',
  );
}

function refused(expression: string, reason: string): CelError {
  return new CelError('EXPRESSION_INVALID', { reason, expression });
}
