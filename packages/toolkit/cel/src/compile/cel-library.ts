import { RE2JS } from 're2js';
import { functionLibrary } from '../functions/function-library.ts';
import type { PatternCompiler } from '../functions/pattern-functions.ts';
import type { FunctionTable } from '../functions/function-table.ts';

/** The functions and the pattern compiler that expressions are compiled with. */
export interface CelLibrary {
  readonly functions: FunctionTable;
  readonly patterns: PatternCompiler;
}

/** Returns the CEL functions of kube-apiserver. */
export function makeCelLibrary(): CelLibrary {
  return { functions: functionLibrary(RE2JS), patterns: RE2JS };
}
