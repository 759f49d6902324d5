import { type Expression, withoutDot } from '../syntax/expression.ts';
import { accumulator } from '../syntax/macros.ts';
import { type CelType, isOptional, parameterOf } from '../types/cel-type.ts';
import type { CheckedExpression } from '../checks/checked-expression.ts';
import { lengthOf } from '../values/text.ts';
import { type CostRange, exactCost, unknownCost } from './cost-range.ts';
import type { SizedType } from './sized-type.ts';

/** The size of the items of a list or of the entries of a map. */
export interface EntrySize {
  readonly kind: 'list' | 'map';
  readonly key: CostRange;
  readonly value: CostRange;
}

/** A variable of a comprehension. */
export interface Local {
  readonly name: string;
  readonly path: Path;
  readonly size: CostRange | undefined;
  readonly entrySize: EntrySize | undefined;
}

/** The path of a value in the resource; empty for values that are not part of the resource. */
export type Path = readonly string[];

/** The sizes of the parts of an expression, from their own parts and from the schema of the resource. */
export class ExpressionSizes {
  readonly #checked: CheckedExpression;
  readonly #self: SizedType;
  readonly #paths = new Map<Expression, Path>();
  readonly #sizes = new Map<Expression, CostRange>();
  readonly #entrySizes = new Map<Expression, EntrySize>();
  #locals: readonly Local[] = [];

  constructor(checked: CheckedExpression, self: SizedType) {
    this.#checked = checked;
    this.#self = self;
  }

  /** Records the path in the resource that an expression selects. */
  place(expression: Expression, path: Path): void {
    this.#paths.set(expression, path);
  }

  set(expression: Expression, size: CostRange): void {
    this.#sizes.set(expression, size);
  }

  setEntries(expression: Expression, size: EntrySize): void {
    this.#entrySizes.set(expression, size);
  }

  /** Runs `estimate` with some variables in scope. */
  within<T>(locals: readonly Local[], estimate: () => T): T {
    const outer = this.#locals;
    this.#locals = [...outer, ...locals];
    const estimated = estimate();
    this.#locals = outer;
    return estimated;
  }

  localOf(name: string, expression: Expression): Local {
    const path = this.pathOf(expression);
    const size = this.sizeOf(expression);
    return { name, path, size, entrySize: this.entriesOf(expression) };
  }

  local(expression: Expression): Local | undefined {
    if (expression.kind !== 'identifier') return undefined;
    const own = withoutDot(expression.name);
    return this.#locals.findLast(({ name }) => name === own);
  }

  pathOf(expression: Expression): Path {
    const path = this.local(expression)?.path ?? this.#paths.get(expression) ?? [];
    return path[0] === accumulator ? [] : path;
  }

  copy(to: Expression, from: Expression): void {
    const size = this.sizeOf(from);
    const entrySize = this.entriesOf(from);
    if (size !== undefined) this.#sizes.set(to, size);
    if (entrySize !== undefined) this.#entrySizes.set(to, entrySize);
  }

  entriesOf(expression: Expression): EntrySize | undefined {
    return this.#entrySizes.get(expression) ?? this.local(expression)?.entrySize;
  }

  sizeOrUnknown(expression: Expression): CostRange {
    return this.sizeOf(expression) ?? unknownCost;
  }

  /** Returns the size of the items of a list of the resource. */
  sizeOfItems(expression: Expression): CostRange {
    const path = this.pathOf(expression);
    return this.#declared(path.length === 0 ? [] : [...path, '@items']) ?? unknownCost;
  }

  sizeOf(expression: Expression): CostRange | undefined {
    return (
      this.#sizes.get(expression) ??
      literalSize(expression) ??
      this.#declared(this.pathOf(expression)) ??
      scalarSize(this.#checked.typeOf(expression)) ??
      this.local(expression)?.size
    );
  }

  /** Returns the size that the schema declares for the values at a path. */
  #declared(path: Path): CostRange | undefined {
    if (path.length === 0) return undefined;
    let at: SizedType | undefined = this.#self;
    for (const step of path.slice(1)) {
      if (step === '@keys') at = at?.key;
      else at = step === '@items' || step === '@values' ? at?.element : at?.fields?.get(step);
    }
    return at === undefined ? undefined : { least: 0, most: at.most };
  }
}

function literalSize(expression: Expression): CostRange | undefined {
  switch (expression.kind) {
    case 'list':
      return exactCost(expression.elements.length);
    case 'map':
      return exactCost(expression.entries.length);
    case 'literal': {
      const { value } = expression;
      if (typeof value === 'string') return exactCost(lengthOf(value));
      return exactCost(value instanceof Uint8Array ? value.length : 1);
    }
    default:
      return undefined;
  }
}

const scalars: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'int',
  'uint',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
]);

function scalarSize(type: CelType): CostRange | undefined {
  if (isOptional(type)) return scalarSize(parameterOf(type));
  return scalars.has(type.name) ? exactCost(1) : undefined;
}
