/** Parses a double as Go's `strconv.ParseFloat` does; returns `undefined` for other strings and for an overflow. */
export function parseDouble(text: string): number | undefined {
  if (/^nan$/i.test(text)) return Number.NaN;
  const [, sign, word] = /^([+-]?)(inf|infinity)$/i.exec(text) ?? [];
  if (word !== undefined) return sign === '-' ? -Infinity : Infinity;
  const number = decimal.test(text) ? Number(text.replaceAll('_', '')) : parseHex(text);
  return number !== undefined && Number.isFinite(number) ? number : undefined;
}

/** Underscores may separate digits. */
const decimal =
  /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;

const hexadecimal =
  /^([+-]?)0x_?([\da-f]+(?:_[\da-f]+)*)?(?:\.([\da-f]+(?:_[\da-f]+)*)?)?p([+-]?\d+)$/i;

/** Parses `0x1.8p-2`: the digits are hexadecimal, the exponent is a power of two. */
function parseHex(text: string): number | undefined {
  const [whole, sign, before = '', after = '', exponent = '0'] = hexadecimal.exec(text) ?? [];
  const digits = `${before}${after}`.replaceAll('_', '');
  if (whole === undefined || digits === '') return undefined;
  const power = Number(exponent) - 4 * after.replaceAll('_', '').length;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** power;
  return sign === '-' ? -value : value;
}
