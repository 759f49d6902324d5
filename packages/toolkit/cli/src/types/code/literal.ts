/** Prints a string as a literal in single quotes. */
export function stringLiteral(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"');
  return `'${inner.replaceAll("'", String.raw`\'`)}'`;
}

/** Prints the name of a property, in quotes unless it is an identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name);
}

/** Prints the literal type of a JSON value; undefined if the value has none, such as an object or infinity. */
export function literalType(value: unknown): string | undefined {
  if (typeof value === 'string') return stringLiteral(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}
