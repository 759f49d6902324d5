// A test file runs in a context of its own, whose globals V8 looks up anew at each use: a loop of `Math.imul` takes ten times
// as long as outside of Jest. So each module of a test has constants for the globals of the language, which no test
// replaces.
const names = [
  'Array, ArrayBuffer, BigInt, Boolean, DataView, Error, Float64Array, Infinity, Int32Array, JSON, Map, Math, NaN, Number',
  'Object, Promise, RangeError, Reflect, RegExp, Set, String, Symbol, SyntaxError, TypeError, Uint16Array, Uint32Array',
  'Uint8Array, WeakMap, WeakSet',
];

/** The first statement of a module. It is on the line of the next one, so that the numbers of the lines stay the same. */
export const builtIns = `const { ${names.join(', ')} } = globalThis;`;
