import type { StatusCause } from '@keelson/apimachinery';
import { indexPath, invalid, type JsonObject } from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';

const path = 'status.storedVersions';

/** Requires every version in which objects are stored to remain a version of the definition. */
export function validateStoredVersions(
  definition: JsonObject,
  old: JsonObject | undefined,
): StatusCause[] {
  const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
  const storage = versions.find((version) => version['storage'] === true);
  const before = old === undefined ? [] : textsAt(objectAt(definition, 'status'), 'storedVersions');
  // A write adds the first storage version of the spec.
  const stored = [
    ...new Set([...before, ...(storage === undefined ? [] : [textAt(storage, 'name')])]),
  ];
  if (stored.length === 0) return [invalid(path, null, 'must have at least one stored version')];
  const open = new Set(stored);
  const causes: StatusCause[] = [];
  for (const version of versions) {
    const name = textAt(version, 'name');
    // A name that occurs twice is found only once.
    if (open.delete(name) || version['storage'] !== true) continue;
    causes.push(invalid(path, stored, `must have the storage version ${name}`));
  }
  return [...causes, ...[...open].map((name) => missing(name, stored.indexOf(name)))];
}

function missing(name: string, index: number): StatusCause {
  const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
  return invalid(indexPath(path, index), name, detail);
}
