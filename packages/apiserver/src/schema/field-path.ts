/** Where a value stands in an object, built from the root downwards: `spec.containers[0].image`. */
export type FieldPath = string;

export function childPath(parent: FieldPath, field: string): FieldPath {
  return parent === '' ? field : `${parent}.${field}`;
}

export function indexPath(parent: FieldPath, index: number): FieldPath {
  return `${parent}[${index}]`;
}

/** A key of a free map: `metadata.labels[app]`. */
export function keyPath(parent: FieldPath, key: string): FieldPath {
  return `${parent}[${key}]`;
}
