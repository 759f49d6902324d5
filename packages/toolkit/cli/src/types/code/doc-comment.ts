/**
 * Prints a doc comment with this indentation, or nothing without a text. The text comes from a definition, so
 * that it must neither end the comment nor be read by the compiler: `*` + `/` is split, control characters are removed,
 * and an `@` at the start of a line is escaped. `tags` are trusted lines such as `@deprecated`.
 */
export function docComment(
  text: unknown,
  indent: string,
  tags: readonly string[] = [],
): readonly string[] {
  const lines = [...(typeof text === 'string' ? linesOf(text) : []), ...tags];
  if (lines.length === 0) return [];
  const [first = ''] = lines;
  return lines.length === 1
    ? [`${indent}/** ${first} */`]
    : [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** Prints the text of a tag such as `@deprecated` on one line. */
export function docTag(name: string, text: string): string {
  return `@${name} ${safe(text.replaceAll(/\s+/g, ' '))}`.trimEnd();
}

function linesOf(text: string): readonly string[] {
  const lines = safe(text)
    .split('\n')
    .map((line) => line.trimEnd().replace(/^(\s*)@/, String.raw`$1\@`));
  const start = lines.findIndex((line) => line !== '');
  const end = lines.findLastIndex((line) => line !== '');
  return start === -1 ? [] : lines.slice(start, end + 1);
}

function safe(text: string): string {
  return (
    text
      .toWellFormed()
      .replaceAll(/\r\n?|\u2028|\u2029/g, '\n')
      .replaceAll('\t', '  ')
      // oxlint-disable-next-line no-control-regex -- the expression removes control characters
      .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
      .replaceAll('*/', String.raw`*\/`)
  );
}
