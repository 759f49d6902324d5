/**
 * Returns the position of the first byte that Go's decoder of base64 refuses; undefined if it decodes the text. For
 * CEL kube-apiserver decodes the URL-safe alphabet, although the format `byte` uses the standard one.
 */
export function corruptByte(text: string): number | undefined {
  const bytes = Buffer.from(text);
  let digits = 0;
  let at = 0;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isLineBreak(byte)) continue;
    if (byte === padding) return corruptPadding(bytes, at, digits);
    if (!isDigit(byte)) return at;
    digits = (digits + 1) % 4;
  }
  return digits === 0 ? undefined : at - digits;
}

const padding = 0x3d;

/** A group of two digits ends with two signs, one of three digits with one. Only line breaks may follow. */
function corruptPadding(bytes: Uint8Array, at: number, digits: number): number | undefined {
  if (digits < 2) return at;
  let next = afterLineBreaks(bytes, at + 1);
  if (digits === 2) {
    if (next === bytes.length) return next;
    if (bytes[next] !== padding) return next - 1;
    next = afterLineBreaks(bytes, next + 1);
  }
  return next < bytes.length ? next : undefined;
}

function afterLineBreaks(bytes: Uint8Array, at: number): number {
  let next = at;
  while (next < bytes.length && isLineBreak(bytes[next] ?? 0)) next += 1;
  return next;
}

function isLineBreak(byte: number): boolean {
  return byte === 0x0a || byte === 0x0d;
}

function isDigit(byte: number): boolean {
  return /[\w-]/.test(String.fromCodePoint(byte));
}
