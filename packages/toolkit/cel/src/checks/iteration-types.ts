import { type CelType, dynType, intType, parameterOf } from '../types/cel-type.ts';
import type { Substitution } from './substitution.ts';

/**
 * Returns the types of the two variables of a comprehension over a type; `undefined` if the type cannot be
 * iterated.
 */
export function iterationTypes(
  substitution: Substitution,
  type: CelType,
  two: boolean,
): readonly [CelType, CelType] | undefined {
  switch (type.kind) {
    case 'list':
      return two ? [intType, parameterOf(type)] : [parameterOf(type), dynType];
    case 'map':
      return [parameterOf(type), parameterOf(type, 1)];
    case 'parameter':
      substitution.assignable([dynType], [type]);
      return [dynType, dynType];
    case 'dyn':
    case 'error':
      return [dynType, dynType];
    default:
      return undefined;
  }
}
