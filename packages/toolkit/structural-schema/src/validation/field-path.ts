/** The path of a value in an object, such as `spec.containers[0].image`. Built from the root down. */
export type FieldPath = string;

/** The path of a member of an object: `spec.name`. */
export function childPath(parent: FieldPath, field: string): FieldPath {
  return parent === '' ? field : `${parent}.${field}`;
}

/** The path of an item of a list: `spec.containers[0]`. */
export function indexPath(parent: FieldPath, index: number): FieldPath {
  return `${parent}[${index}]`;
}

/** The path of an entry of a map: `metadata.labels[app]`. */
export function keyPath(parent: FieldPath, key: string): FieldPath {
  return `${parent}[${key}]`;
}
