const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '?': '?',
  '`': '`',
};

const escapes =
  /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gs;

/** An invalid literal, with the message of cel-go. */
export class LiteralError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Returns the string of a string literal, given the text between its quotes. */
export function unescapeText(body: string): string | LiteralError {
  let failed: LiteralError | undefined;
  const text = body.replaceAll(escapes, (_, hex, four, eight, octal, single: string) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const code = hex ?? four ?? eight;
    if (code === undefined) return simple[single] ?? '';
    const character = codePoint(Number.parseInt(code, 16));
    if (character === undefined) failed ??= new LiteralError('invalid unicode code point');
    return character ?? '';
  });
  return failed ?? text;
}

/** Returns the bytes of a bytes literal. `\xFF` is a byte here, and `\u` is invalid. */
export function unescapeBytes(body: string): Uint8Array | LiteralError {
  const parts: Buffer[] = [];
  let rest = 0;
  for (const match of body.matchAll(escapes)) {
    const [whole, hex, four, eight, octal, single = ''] = match;
    if (four !== undefined || eight !== undefined) {
      return new LiteralError('unable to unescape string');
    }
    parts.push(Buffer.from(body.slice(rest, match.index)));
    rest = match.index + whole.length;
    const byte = hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16);
    parts.push(Number.isNaN(byte) ? Buffer.from(simple[single] ?? '') : Buffer.from([byte]));
  }
  return Buffer.concat([...parts, Buffer.from(body.slice(rest))]);
}

function codePoint(code: number): string | undefined {
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code > 0x10ffff || surrogate ? undefined : String.fromCodePoint(code);
}
