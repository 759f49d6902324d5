/**
 * Returns the reason, in kube-apiserver's words, for which a field selector is malformed; `undefined` if it is well
 * formed.
 */
export function fieldSelectorRefusal(text: string): string | undefined {
  for (const term of (text.match(/(?:[^\\,]|\\.?)+/gs) ?? []).toSorted()) {
    const operator = /!=|==?/.exec(term);
    if (operator === null) return `invalid selector: '${text}'; can't understand '${term}'`;
    const problem = valueProblem(term.slice(operator.index + operator[0].length));
    if (problem !== undefined) return `invalid field selector: ${problem}`;
  }
  return undefined;
}

/** A backslash in a value must precede a backslash, a comma or an equals sign. */
function valueProblem(value: string): string | undefined {
  const wrong = /^(?:[^\\=]|\\[\\,=])*(=|\\(?![\\,=]).?)/su.exec(value)?.[1];
  if (wrong === undefined) return undefined;
  return wrong === '=' ? 'unescaped character in value: 61' : `invalid escape sequence: ${wrong}`;
}
