import { RE2JS } from 're2js';
import { functionLibrary } from '../functions/function-library.ts';
import type { PatternCompiler } from '../functions/pattern-functions.ts';
import type { FunctionTable } from '../functions/function-table.ts';
import { patchFunctions, patchMessageTypes } from '../functions/kubernetes/patch-functions.ts';
import { type MessageTypes, noMessageTypes } from '../values/messages/message-type.ts';

/** The functions, the types of messages and the pattern compiler that expressions are compiled with. */
export interface CelLibrary {
  readonly functions: FunctionTable;
  readonly patterns: PatternCompiler;
  readonly messages: MessageTypes;
  /** True if expressions may name a value: `cel.bind(name, value, expression)`. */
  readonly bindings: boolean;
}

/** Returns the CEL functions of kube-apiserver. */
export function makeCelLibrary(): CelLibrary {
  return {
    functions: functionLibrary(RE2JS),
    patterns: RE2JS,
    messages: noMessageTypes,
    bindings: false,
  };
}

/** Returns the CEL functions of kube-apiserver for the selectors of devices. */
export function makeDeviceLibrary(): CelLibrary {
  return { ...makeCelLibrary(), bindings: true };
}

/** Returns the CEL functions and types of the mutations of a MutatingAdmissionPolicy. */
export function makePatchLibrary(): CelLibrary {
  const functions = functionLibrary(RE2JS, patchFunctions);
  return { functions, patterns: RE2JS, messages: patchMessageTypes, bindings: false };
}
