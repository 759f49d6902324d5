import { ExpressionSyntaxError } from './expression-issue.ts';

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

/** Returns the string of a string literal, given the text between its quotes. */
export function unescapeText(body: string, offset: number): string {
  return body.replaceAll(escapes, (whole, hex, four, eight, octal, single: string) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const code = hex ?? four ?? eight;
    if (code !== undefined) return codePoint(Number.parseInt(code, 16), whole, offset);
    return simple[single] ?? refuse(whole, offset);
  });
}

/** Returns the bytes of a bytes literal. `\xFF` is a byte here, not a character. */
export function unescapeBytes(body: string, offset: number): Uint8Array {
  const parts: Buffer[] = [];
  let rest = 0;
  for (const match of body.matchAll(escapes)) {
    const [whole, hex, four, eight, octal, single = ''] = match;
    parts.push(Buffer.from(body.slice(rest, match.index)));
    rest = match.index + whole.length;
    if (hex !== undefined || octal !== undefined) {
      parts.push(Buffer.from([hex ? Number.parseInt(hex, 16) : Number.parseInt(octal ?? '', 8)]));
    } else {
      const code = four ?? eight;
      const text = code ? codePoint(Number.parseInt(code, 16), whole, offset) : simple[single];
      parts.push(Buffer.from(text ?? refuse(whole, offset)));
    }
  }
  return Buffer.concat([...parts, Buffer.from(body.slice(rest))]);
}

function codePoint(code: number, written: string, offset: number): string {
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code > 0x10ffff || surrogate) return refuse(written, offset);
  return String.fromCodePoint(code);
}

function refuse(escape: string, offset: number): never {
  throw new ExpressionSyntaxError(offset, `Syntax error: token recognition error at: '${escape}'`);
}
