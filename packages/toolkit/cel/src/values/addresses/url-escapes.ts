/** Returns the first escape of a text that is not one of a byte. */
export function wrongEscape(text: string): string | undefined {
  return /%(?![\dA-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
}

/** Returns the bytes of a text whose escapes are valid. */
export function decodedBytes(text: string): Uint8Array {
  const parts = text.split(/((?:%[\dA-Fa-f]{2})+)/);
  return Buffer.concat(
    parts.map((each, index) =>
      index % 2 === 1 ? Buffer.from(each.replaceAll('%', ''), 'hex') : Buffer.from(each),
    ),
  );
}

/** Writes bytes with escapes for all but the plain characters. */
export function escapedBytes(bytes: Uint8Array, plain: RegExp): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCodePoint(byte);
    if (byte < 0x80 && plain.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
