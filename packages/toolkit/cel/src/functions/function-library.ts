import { FunctionTable } from './function-table.ts';
import { addressFunctions } from './kubernetes/address-functions.ts';
import { authorizationFunctions } from './kubernetes/authorization-functions.ts';
import { dispatches } from './dispatch.ts';
import { conversions } from './conversions.ts';
import { formatFunctions } from './kubernetes/format-functions.ts';
import { listFunctions } from './list-functions.ts';
import { operators } from './operators.ts';
import { optionalFunctions } from './optional-functions.ts';
import { type PatternCompiler, patternFunctions } from './pattern-functions.ts';
import { quantityFunctions } from './kubernetes/quantity-functions.ts';
import { setFunctions } from './set-functions.ts';
import { formatFunction } from './strings/format-function.ts';
import { stringFunctions } from './strings/string-functions.ts';
import { timeFunctions } from './time-functions.ts';
import { urlFunctions } from './kubernetes/url-functions.ts';
import type { Overload } from '../types/function-declaration.ts';
import { versionFunctions } from './kubernetes/version-functions.ts';

/** Returns the functions that rules of custom resources can use on kube-apiserver 1.36, and `others`. */
export function functionLibrary(
  compiler: PatternCompiler,
  others: readonly Overload[] = [],
): FunctionTable {
  return new FunctionTable(
    [
      ...operators,
      ...conversions,
      // Before the functions of strings, as in kube-apiserver: the first overload that matches binds the type parameters.
      ...listFunctions,
      ...stringFunctions,
      formatFunction,
      ...patternFunctions(compiler),
      ...timeFunctions,
      ...setFunctions,
      ...optionalFunctions,
      ...addressFunctions,
      ...quantityFunctions,
      ...versionFunctions,
      ...urlFunctions,
      ...formatFunctions,
      ...authorizationFunctions,
      ...others,
    ],
    dispatches,
  );
}
