import { EvaluationError } from './evaluation-error.ts';
import { LibraryValue, type Value } from './value.ts';

/** The types of Kubernetes whose values cannot be keys of a map in Go. */
const unhashable: ReadonlySet<string> = new Set(['cel.Format', 'cel.Semver']);

/**
 * Throws for a value that Go cannot search for in a map. kube-apiserver reports an internal error, which no operator
 * ignores.
 */
export function requireHashable(value: Value): void {
  const type = value instanceof Uint8Array ? 'types.Bytes' : libraryType(value);
  if (type === undefined) return;
  throw new EvaluationError(`internal error: runtime error: hash of unhashable type ${type}`);
}

function libraryType(value: Value): string | undefined {
  if (!(value instanceof LibraryValue) || !unhashable.has(value.goType)) return undefined;
  return value.goType;
}
