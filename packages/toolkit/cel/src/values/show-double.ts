/** Formats a double as Go's `%g` does: `1e+06`, `+Inf`. */
export function showDouble(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 6) return Object.is(value, -0) ? '-0' : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
