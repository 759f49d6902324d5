import type { CelType } from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';
import type { Substitution } from './substitution.ts';

/** The type of what an overload makes of arguments; undefined where it takes others. Every call has type parameters of its own. */
export function matchOverload(
  substitution: Substitution,
  { parameters, result }: Overload,
  args: readonly CelType[],
): CelType | undefined {
  const own = new Map<string, CelType>();
  const fresh = (type: CelType): CelType => {
    if (type.kind !== 'parameter') {
      return type.parameters.length === 0
        ? type
        : { ...type, parameters: type.parameters.map(fresh) };
    }
    const known = own.get(type.name) ?? substitution.fresh();
    own.set(type.name, known);
    return known;
  };
  if (!substitution.assignable(args, parameters.map(fresh))) return undefined;
  return substitution.apply(fresh(result));
}
