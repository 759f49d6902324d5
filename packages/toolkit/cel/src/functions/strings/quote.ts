const escapes: ReadonlyMap<string, string> = new Map([
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** Writes a string as a CEL literal. */
export function quote(text: string): string {
  const body = Array.from(text.toWellFormed(), (character) => escapes.get(character) ?? character);
  return `"${body.join('')}"`;
}
