import { type CelType, dynType, sameType, typeParameter } from '../types/cel-type.ts';

/** The types that type parameters are bound to. */
export class Substitution {
  readonly #bound = new Map<string, CelType>();
  /** The bindings that the current `assignable` call replaced, to undo them if it fails. */
  #replaced: (readonly [name: string, before: CelType | undefined])[] = [];
  #count = 0;

  /** Returns a new type parameter without a binding. */
  fresh(): CelType {
    const type = typeParameter(`_var${this.#count}`);
    this.#count += 1;
    return type;
  }

  /** True if each type can be assigned to the expected one. Bindings are kept only then. */
  assignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#replaced = [];
    if (this.#areAssignable(from, to)) return true;
    for (const [name, before] of this.#replaced.toReversed()) {
      if (before === undefined) this.#bound.delete(name);
      else this.#bound.set(name, before);
    }
    return false;
  }

  /** Returns the type with all bindings applied. `open`: keep unbound parameters; otherwise they become dyn. */
  apply(type: CelType, open = true): CelType {
    const bound = type.kind === 'parameter' ? this.#bound.get(type.name) : undefined;
    if (bound !== undefined) return this.apply(bound, open);
    if (type.kind === 'parameter') return open ? type : dynType;
    if (type.parameters.length === 0) return type;
    return { ...type, parameters: type.parameters.map((each) => this.apply(each, open)) };
  }

  #areAssignable(from: readonly CelType[], to: readonly CelType[]): boolean {
    return (
      from.length === to.length &&
      from.every((each, index) => this.#isAssignable(each, to[index] ?? dynType))
    );
  }

  /** The rules of cel-go's `internalIsAssignable`, in the same order. */
  #isAssignable(from: CelType, to: CelType): boolean {
    if (to.kind === 'parameter') {
      const known = this.#bound.has(to.name);
      if (this.#bindParameter(from, to)) return true;
      if (known) return false;
    }
    if (from.kind === 'parameter') return this.#bindParameter(to, from);
    if (isAnything(from) || isAnything(to)) return true;
    if (from.kind === 'null') return isNullable(to);
    if (to.kind === 'null') return isNullable(from);
    switch (from.kind) {
      case 'type':
        return to.kind === 'type';
      case 'list':
      case 'map':
      case 'opaque':
        return (
          from.kind === to.kind &&
          from.name === to.name &&
          this.#areAssignable(from.parameters, to.parameters)
        );
      default:
        return sameType(from, to);
    }
  }

  /** Binds a parameter to the type, or to the more general one of the type and the one that it is bound to. */
  #bindParameter(type: CelType, parameter: CelType): boolean {
    if (sameType(type, parameter)) return true;
    const known = this.#bound.get(parameter.name);
    if (known === undefined) return this.#bindOnce(parameter, type);
    if (sameType(type, known)) return true;
    if (!this.#isAssignable(type, known)) return false;
    this.#bindOnce(parameter, mostGeneral(type, known));
    return true;
  }

  /** Binds a parameter, except to a type that contains the parameter. */
  #bindOnce(parameter: CelType, type: CelType): boolean {
    if (this.#refersTo(parameter, type)) return false;
    this.#replaced.push([parameter.name, this.#bound.get(parameter.name)]);
    this.#bound.set(parameter.name, type);
    return true;
  }

  #refersTo(parameter: CelType, within: CelType): boolean {
    if (sameType(parameter, within)) return true;
    const bound = within.kind === 'parameter' ? this.#bound.get(within.name) : undefined;
    if (bound !== undefined) return this.#refersTo(parameter, bound);
    return within.parameters.some((each) => this.#refersTo(parameter, each));
  }
}

/** Returns the more general of two types, whose values include those of the other one. */
export function mostGeneral(one: CelType, other: CelType): CelType {
  return isNoMoreSpecific(one, other) ? one : other;
}

function isNoMoreSpecific(one: CelType, other: CelType): boolean {
  if (one.kind === 'dyn' || one.kind === 'parameter') return true;
  if (other.kind === 'dyn' || other.kind === 'parameter' || one.kind !== other.kind) return false;
  if (one.kind === 'type') return true;
  return (
    one.name === other.name &&
    one.parameters.length === other.parameters.length &&
    one.parameters.every((each, index) =>
      isNoMoreSpecific(each, other.parameters[index] ?? dynType),
    )
  );
}

function isAnything({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'error';
}

/** True if null can be assigned to the type: messages, wrappers and opaque types. */
function isNullable({ kind }: CelType): boolean {
  return kind === 'null' || kind === 'object' || kind === 'opaque' || kind === 'time';
}
