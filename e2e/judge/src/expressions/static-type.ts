/** A type of the generator: `list<int>`, `map<string, dyn>`, or a type parameter `T` of a signature. */
export interface StaticType {
  readonly name: string;
  readonly parameters: readonly StaticType[];
}

/** Parses the notation of signatures. */
export function staticType(written: string): StaticType {
  const [, name = '', inner] = /^(\w+)(?:<(.*)>)?$/.exec(written.trim()) ?? [];
  if (name === '') throw new Error(`invalid type ${written}`);
  return { name, parameters: inner === undefined ? [] : splitTypes(inner).map(staticType) };
}

/** Splits `map<string, int>, int` at its outer commas. */
export function splitTypes(written: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of written) {
    if (character === '<') depth += 1;
    if (character === '>') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return part.trim() === '' ? parts : [...parts, part];
}

/** True for a type parameter such as `T`. */
export function isParameter({ name }: StaticType): boolean {
  return /^[A-Z]$/.test(name);
}

/** Binds the parameters of a declared type so that it equals an actual one; returns false if it cannot. */
export function unify(
  declared: StaticType,
  actual: StaticType,
  bound: Map<string, StaticType>,
): boolean {
  if (isParameter(declared)) {
    const known = bound.get(declared.name);
    if (known !== undefined) return sameStaticType(known, actual);
    bound.set(declared.name, actual);
    return true;
  }
  return (
    declared.name === actual.name &&
    declared.parameters.length === actual.parameters.length &&
    declared.parameters.every((each, index) => unify(each, actual.parameters[index] ?? each, bound))
  );
}

export function sameStaticType(one: StaticType, other: StaticType): boolean {
  return (
    one.name === other.name &&
    one.parameters.length === other.parameters.length &&
    one.parameters.every((each, index) => sameStaticType(each, other.parameters[index] ?? each))
  );
}

/** Replaces type parameters by their types; those without one get a new type of `other`. */
export function applied(
  type: StaticType,
  bound: Map<string, StaticType>,
  other: () => StaticType,
): StaticType {
  if (isParameter(type)) {
    const known = bound.get(type.name) ?? other();
    bound.set(type.name, known);
    return known;
  }
  return { ...type, parameters: type.parameters.map((each) => applied(each, bound, other)) };
}
