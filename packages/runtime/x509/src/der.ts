/** The tags of ASN.1 that an X.509 certificate needs (X.680). */
const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Encodes a value in DER (X.690): its tag, its length and its content, which may consist of encoded values. */
export function der(
  tag: keyof typeof TAGS | number,
  ...content: readonly (string | Uint8Array | readonly number[])[]
): Buffer {
  const bytes = Buffer.concat(
    content.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))),
  );
  const first = typeof tag === 'number' ? tag : TAGS[tag];
  return Buffer.concat([Buffer.from([first, ...lengthOf(bytes.length)]), bytes]);
}

/** Returns the tag of a member that its position identifies, such as `[3]`. */
export function contextTag(position: number, form: 'primitive' | 'constructed'): number {
  return (form === 'primitive' ? 0x80 : 0xa0) + position;
}

/** Encodes an object identifier such as `2.5.4.3`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const arcs = [first * 40 + second, ...rest];
  return der('objectIdentifier', Buffer.from(arcs.flatMap(base128)));
}

/** Encodes a time in seconds. RFC 5280 requires two digits of the year before 2050, and four from then on. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  if (digits < '2050') return der('utcTime', `${digits.slice(2)}Z`);
  return der('generalizedTime', `${digits}Z`);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return [0x80 + bytes.length, ...bytes];
}

function base128(arc: number): number[] {
  const last = arc & 0x7f;
  const bytes = [last];
  for (let rest = arc >> 7; rest > 0; rest >>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
}
