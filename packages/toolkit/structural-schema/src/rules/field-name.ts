/** Reserved words of CEL. */
const reserved = new Set(
  `true false null in as break const continue else for function if import let loop package namespace return
   var void while`.split(/\s+/),
);

const symbols: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/**
 * Returns the name of a field in rules: `a-b` is `a__dash__b`, as in kube-apiserver. Returns undefined for names that
 * rules cannot express, such as `$ref`.
 */
export function escapeFieldName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (symbol) => symbols[symbol] ?? symbol);
}
