/** Writes protobuf by hand: the bytes that no encoder of Kubernetes writes are tested too. */
export function varint(value: bigint | number): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

/** A field of text, bytes or a message, whose parts may be other fields. */
export function field(number: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

export function integer(number: number, value: bigint | number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

/** The envelope of the server, without a type if none is given. */
export function enveloped(body: Buffer, apiVersion = '', kind = ''): Buffer {
  const type = field(1, field(1, apiVersion), field(2, kind));
  return Buffer.concat([Buffer.from('k8s\0'), type, field(2, body), field(3), field(4)]);
}

/** An event with the length before it. */
export function eventOf(type: string, object: Buffer): Buffer {
  return framed(Buffer.concat([field(1, type), field(2, field(1, object))]));
}

export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  return Buffer.concat([length, message]);
}
