/** The form of a value of JSON: the name of a type, the form of each element, or those of its members. */
export type Shape = 'string' | 'number' | 'boolean' | readonly [Shape] | ObjectShape | Optional;

interface ObjectShape {
  readonly [member: string]: Shape;
}

class Optional {
  readonly shape: Shape;

  constructor(shape: Shape) {
    this.shape = shape;
  }
}

/** The form of a member that may be missing. */
export function optional(shape: Shape): Shape {
  return new Optional(shape);
}

/** True if a value has the form. It may have further members. */
export function hasShape(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return typeof value === shape;
  if (shape instanceof Optional) return value === undefined || hasShape(value, shape.shape);
  if (isList(shape)) return Array.isArray(value) && value.every((one) => hasShape(one, shape[0]));
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.entries(shape).every(([name, member]) => hasShape(members[name], member));
}

function isList(shape: readonly [Shape] | ObjectShape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
