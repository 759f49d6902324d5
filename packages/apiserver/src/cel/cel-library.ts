import { RE2JS } from 're2js';
import { lazy } from '../schema/lazy.ts';
import { functionLibrary } from './functions/function-library.ts';
import type { PatternCompiler } from './functions/pattern-functions.ts';
import type { FunctionTable } from './types/function-declaration.ts';

/** What the rules of custom resources are compiled with. */
export interface CelLibrary {
  readonly functions: FunctionTable;
  readonly patterns: PatternCompiler;
}

/** The functions of CEL that kube-apiserver has. Made when the first rule is compiled. */
export const celLibrary: () => CelLibrary = lazy(() => ({
  functions: functionLibrary(RE2JS),
  patterns: RE2JS,
}));
