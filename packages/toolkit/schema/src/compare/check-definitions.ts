import { invalidOption } from '@keelson/apimachinery';
import type { CustomResourceDefinition } from '../kind/single-kind.ts';
import { checkComparable } from './check-comparable.ts';
import { schemaOf } from './compare-version.ts';

/**
 * Throws `INVALID_OPTION` for an argument that is not a CRD, and for two CRDs that are not states of the same one, and
 * `SCHEMA_INVALID` for a schema that cannot be compared.
 */
export function checkDefinitions(
  before: CustomResourceDefinition,
  after: CustomResourceDefinition,
): void {
  const [one, other] = [nameOf(before, 'before'), nameOf(after, 'after')];
  if (one !== other) {
    throw invalidOption('compareCrds.after', `must be a state of ${one}, not ${other}`);
  }
  for (const [option, { spec }] of Object.entries({ before, after })) {
    for (const version of spec.versions) {
      checkComparable(schemaOf(version), `compareCrds.${option}.versions[${version.name}]`);
    }
  }
}

/** The name by which the API server knows the CRD. */
function nameOf(crd: unknown, option: string): string {
  if (!isDefinition(crd)) {
    const reason = 'must be a CustomResourceDefinition of apiextensions.k8s.io/v1';
    throw invalidOption(`compareCrds.${option}`, reason);
  }
  const { metadata, spec } = crd;
  const name = `${spec.names.plural}.${spec.group}`;
  if (metadata?.name === undefined || metadata.name === name) return name;
  throw invalidOption(`compareCrds.${option}.metadata.name`, `must be ${name}`);
}

function isDefinition(crd: unknown): crd is CustomResourceDefinition {
  if (!isObject(crd) || crd['apiVersion'] !== 'apiextensions.k8s.io/v1') return false;
  const { kind, spec } = crd;
  if (kind !== 'CustomResourceDefinition' || !isObject(spec)) return false;
  const { group, names, versions } = spec;
  return (
    areTexts(group) &&
    isObject(names) &&
    areTexts(names['kind'], names['plural']) &&
    Array.isArray(versions) &&
    versions.every((version) => isObject(version) && areTexts(version['name']))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}
