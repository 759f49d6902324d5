import type { CelType } from '../types/cel-type.ts';
import type { Overload } from '../types/function-declaration.ts';
import type { Substitution } from './substitution.ts';

/**
 * Returns the result type of an overload for some argument types; `undefined` if the overload does not match. Every
 * call has its own type parameters.
 */
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
