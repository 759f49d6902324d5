/** Why kube-apiserver refuses the syntax of a field selector, in its words; `undefined` for one that it reads. */
export function fieldSelectorRefusal(text: string): string | undefined {
  for (const term of (text.match(/(?:[^\\,]|\\.?)+/gs) ?? []).toSorted()) {
    const operator = /!=|==?/.exec(term);
    if (operator === null) return `invalid selector: '${text}'; can't understand '${term}'`;
    const problem = valueProblem(term.slice(operator.index + operator[0].length));
    if (problem !== undefined) return `invalid field selector: ${problem}`;
  }
  return undefined;
}

/** In a value a backslash stands before a backslash, a comma and a sign of equality. */
function valueProblem(value: string): string | undefined {
  const wrong = /^(?:[^\\=]|\\[\\,=])*(=|\\(?![\\,=]).?)/su.exec(value)?.[1];
  if (wrong === undefined) return undefined;
  return wrong === '=' ? 'unescaped character in value: 61' : `invalid escape sequence: ${wrong}`;
}
