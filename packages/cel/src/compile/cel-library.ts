import { RE2JS } from 're2js';
import { functionLibrary } from '../functions/function-library.ts';
import type { PatternCompiler } from '../functions/pattern-functions.ts';
import type { FunctionTable } from '../types/function-declaration.ts';

/** What expressions are compiled with. */
export interface CelLibrary {
  readonly functions: FunctionTable;
  readonly patterns: PatternCompiler;
}

/** The functions of CEL that kube-apiserver has. */
export function makeCelLibrary(): CelLibrary {
  return { functions: functionLibrary(RE2JS), patterns: RE2JS };
}
