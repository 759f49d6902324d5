/** Splits the bytes into chunks whose lengths depend on a stream of numbers. Some chunks are empty. */
export function chunksOf(bytes: Buffer, numbers: Iterator<number>): Buffer[] {
  const longest = LONGEST[next(numbers) % LONGEST.length] as number;
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = next(numbers) % (longest + 1);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

/** Returns the same JSON with white space between some of its tokens. */
export function withWhiteSpace(json: string, numbers: Iterator<number>): string {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"]+/gs) ?? [];
  return tokens.map((token) => token + SPACES[next(numbers) % SPACES.length]).join('');
}

/** Returns the same JSON with the first letter of every name and string as an escape. */
export function withEscapes(json: string): string {
  return json.replaceAll(/"([a-z])/gu, (_, letter: string) => {
    return `"\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

const LONGEST = [1, 8, 64, 64, 1_000, 100_000];

const SPACES = ['', '', '', ' ', '\n', '\r\n\t  '];

function next(numbers: Iterator<number>): number {
  return numbers.next().value as number;
}
