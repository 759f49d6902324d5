/** The bytes in pieces whose lengths a stream of numbers decides; empty pieces included. */
export function chunksOf(bytes: Buffer, numbers: Iterator<number>): Buffer[] {
  const longest = 1 + (next(numbers) % 64);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = next(numbers) % (longest + 1);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

/** The same JSON with white space between some of its tokens. */
export function withWhiteSpace(json: string, numbers: Iterator<number>): string {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"]+/gs) ?? [];
  return tokens.map((token) => token + SPACES[next(numbers) % SPACES.length]).join('');
}

const SPACES = ['', '', '', ' ', '\n', '\r\n\t  '];

function next(numbers: Iterator<number>): number {
  return numbers.next().value as number;
}
