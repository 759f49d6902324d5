import { request, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  nat,
  oneof,
  property,
  record,
  stringMatching,
  tuple,
} from 'fast-check';
import { ResponseParser } from './response-parser.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

interface Parsed {
  readonly statusCode: number;
  readonly body: string;
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Parses the parts with the parser of the client. Throws if it refuses them. */
function parse(parts: readonly string[]): Parsed {
  const parser = new ResponseParser();
  let body = '';
  for (const part of parts) {
    // The bytes around the part show if the parser writes outside it.
    const memory = latin1(`<${part}>`);
    body += parser.push(memory.subarray(1, -1)).toString('latin1');
    if (memory.at(0) !== 0x3c || memory.at(-1) !== 0x3e) throw new Error('wrote outside');
  }
  parser.end();
  return { statusCode: parser.head?.statusCode ?? 0, body };
}

function parsed(parts: readonly string[]): Parsed | undefined {
  try {
    return parse(parts);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === undefined) throw error;
    return undefined;
  }
}

/** Parses the parts with Node's client; `undefined` if it refuses them. */
async function parsedByNode(parts: readonly string[]): Promise<Parsed | undefined> {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const sent = request({ createConnection: () => socket, host: 'server', path: '/' });
  const { promise, resolve } = Promise.withResolvers<Parsed | undefined>();
  sent.on('error', () => resolve(undefined));
  sent.on('upgrade', (_response, upgraded) => {
    upgraded.destroy();
    resolve(undefined);
  });
  sent.on('response', (response: IncomingMessage) => {
    const { statusCode = 0 } = response;
    let body = '';
    response.setEncoding('latin1').on('data', (text: string) => (body += text));
    response.on('error', () => resolve(undefined)).on('close', () => resolve(undefined));
    response.on('end', () => resolve(response.complete ? { statusCode, body } : undefined));
  });
  sent.on('socket', () => {
    for (const part of parts) socket.push(latin1(part));
    socket.push(null);
  });
  sent.end();
  try {
    return await promise;
  } finally {
    sent.destroy();
    socket.destroy();
  }
}

/** Cuts a text at these positions. */
function cutAt(text: string, positions: readonly number[]): string[] {
  const at = [0, ...positions.map((position) => position % (text.length + 1)), text.length];
  const sorted = at.toSorted((a, b) => a - b);
  return sorted.slice(1).flatMap((to, index) => {
    const part = text.slice(sorted[index], to);
    return part === '' ? [] : [part];
  });
}

const word = stringMatching(/^[a-zA-Z0-9 =.]{0,12}$/);
const cuts = array(nat(), { maxLength: 12 });
const data = stringMatching(/^[\x20-\x7e\r\n]{1,40}$/);

/** The header of a body with this text, and the body. */
const body = oneof(
  record({ chunks: array(data, { maxLength: 5 }), extension: word, trailer: word }).map(
    ({ chunks, extension, trailer }) => {
      const suffix = extension.trim() === '' ? '' : `;${extension.replace(/[ =.]/g, 'x')}`;
      const lines = chunks.map((text) => `${text.length.toString(16)}${suffix}\r\n${text}\r\n`);
      const trailers = trailer === '' ? '' : `x-trailer: ${trailer}\r\n`;
      return ['transfer-encoding: chunked', `${lines.join('')}0\r\n${trailers}\r\n`] as const;
    },
  ),
  data.map((text) => [`Content-Length: ${text.length}`, text] as const),
  data.map((text) => ['connection: close', text] as const),
  constant(['content-length: 0', ''] as const),
);

/** A response that follows the standard. */
const response = record({
  code: constantFrom(200, 201, 299, 400, 410, 500),
  reason: word,
  headers: array(tuple(constantFrom('a', 'X-Long-Name', 'warning'), word), {
    maxLength: 4,
  }),
  body,
  informational: constantFrom('', 'HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'),
}).map(({ code, reason, headers, body: [form, text], informational }) => {
  const lines = [...headers.map(([name, value]) => `${name}: ${value}`), form];
  return `${informational}HTTP/1.1 ${code} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
});

/** Texts at which parsers have disagreed. */
const attacks = [
  ['\n', '\r', '\r\n', '\0', ' ', '\t', ':', ';', ',', '+', '-', '0', 'g', 'ffffffff', '0x'],
  ['\r\n\r\n', '\r\n ', 'content-length: 5\r\n', 'transfer-encoding: chunked\r\n', '\x0b', '"'],
  ['Transfer-Encoding : chunked\r\n', 'transfer-encoding: identity\r\n', '\u00a0', 'HTTP/1.0'],
];
const attack = constantFrom(...attacks.flat());

/** A response with a few changes, most of which another parser may read in another way. */
const changedResponse = tuple(
  response,
  array(tuple(nat(), nat({ max: 3 }), attack), { minLength: 1, maxLength: 3 }),
).map(([text, changes]) =>
  changes.reduce((changed, [position, removed, inserted]) => {
    const at = position % (changed.length + 1);
    return changed.slice(0, at) + inserted + changed.slice(at + removed);
  }, text),
);

describe("a response's parser", () => {
  test("reads what Node's parser reads, wherever the bytes are cut", async () => {
    await assert(
      asyncProperty(response, cuts, async (text, positions) => {
        const parts = cutAt(text, positions);
        expect(parsed(parts)).toEqual(await parsedByNode(parts));
        expect(parsed(parts)).toBeDefined();
      }),
      { numRuns: Math.ceil(300 * multiple) },
    );
  });

  test("reads a changed response as Node's parser does, or refuses it", async () => {
    await assert(
      asyncProperty(changedResponse, cuts, async (text, positions) => {
        const result = parsed(cutAt(text, positions));
        if (result !== undefined) expect(result).toEqual(await parsedByNode([text]));
      }),
      { numRuns: Math.ceil(1000 * multiple) },
    );
  });

  test.each([
    ['HTTP/1.0', 'HTTP/1.0 103 Early Hints\r\n\r\n'],
    ['a list with `close`', 'HTTP/1.1 103 Early Hints\r\nconnection: x, Close\r\n\r\n'],
  ])(
    "as Node's parser it refuses a response after an informational one with %s",
    async (_how, first) => {
      const text = `${first}HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na`;
      expect([parsed([text]), await parsedByNode([text])]).toEqual([undefined, undefined]);
      expect(parsed(Array.from(text))).toBeUndefined();
    },
  );

  test('gives the same result for the whole response and for each of its bytes', () => {
    assert(
      property(oneof(response, changedResponse), (text) => {
        expect(parsed(Array.from(text))).toEqual(parsed([text]));
      }),
      { numRuns: Math.ceil(300 * multiple) },
    );
  });

  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

  test.each([
    [
      'a length beside chunks',
      `HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na'],
    ['a list of lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\na'],
    ['a signed length', 'HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\na'],
    ['a length beyond 2^53', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(17)}\r\n\r\na`],
    ['two codings', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    [
      'a repeated coding',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a tab after a coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\t\r\n\r\n0\r\n\r\n'],
    ['a tab after a length', 'HTTP/1.1 200 OK\r\ncontent-length: 1\t\r\n\r\na'],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a space before a colon', 'HTTP/1.1 200 OK\r\ncontent-length : 1\r\n\r\na'],
    ['a value on two lines', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\ncontent-length: 1\r\n\r\na'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nabc\r\n\r\n'],
    ['a line feed alone', 'HTTP/1.1 200 OK\na: b\n\n'],
    ['another protocol', 'SSH-2.0\r\n\r\n'],
    ['HTTP/2', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n'],
    ['a chunk without a size', `${chunked}\r\na\r\n0\r\n\r\n`],
    ['a size of nine digits', `${chunked}000000001\r\na\r\n0\r\n\r\n`],
    ['a size that is not hexadecimal', `${chunked}0x1\r\na\r\n0\r\n\r\n`],
    ['a space after a size', `${chunked}1 \r\na\r\n0\r\n\r\n`],
    ['a line feed in an extension', `${chunked}1;a\nb\r\na\r\n0\r\n\r\n`],
    ['a chunk that is longer than its size', `${chunked}1\r\nab\r\n0\r\n\r\n`],
    ['a chunk without its end', `${chunked}1\r\na0\r\n\r\n`],
    ['a trailer without a colon', `${chunked}0\r\nabc\r\n\r\n`],
    ['a length in a trailer', `${chunked}0\r\ncontent-length: 5\r\n\r\n`],
    ['a coding in a trailer', `${chunked}0\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['headers of more than 16 KiB', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(17_000)}\r\n\r\n`],
    ['endless headers', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(40_000)}`],
    ['extensions of more than 16 KiB', `${chunked}1;${'a'.repeat(17_000)}\r\na\r\n0\r\n\r\n`],
    ['trailers of more than 16 KiB', `${chunked}0\r\na: ${'b'.repeat(17_000)}\r\n\r\n`],
    ['chunks that break off', `${chunked}5\r\nab`],
    ['chunks without the last one', `${chunked}1\r\na\r\n`],
    ['a body that is shorter than its length', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab'],
    ['headers that break off', 'HTTP/1.1 200 OK\r\na: b\r\n'],
    ['no response', ''],
  ])('refuses %s', (_what, text) => {
    expect(parsed([text])).toBeUndefined();
    expect(parsed(Array.from(text))).toBeUndefined();
  });

  test.each([
    [204, 'content-length: 5'],
    [304, 'transfer-encoding: chunked'],
  ])('ignores the length of a %i, which has no body', (code, header) => {
    const parser = new ResponseParser();
    expect(parser.push(latin1(`HTTP/1.1 ${code} X\r\n${header}\r\n\r\n`))).toHaveLength(0);
    expect(parser.isComplete).toBe(true);
  });

  test('refuses bytes after the response, so that no other response is read from them', () => {
    const other = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nb';
    for (const first of [
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na',
      'HTTP/1.1 204 No Content\r\n\r\n',
      `${chunked}1\r\na\r\n0\r\n\r\n`,
    ]) {
      expect(parsed([first])).toBeDefined();
      expect(parsed([first + other])).toBeUndefined();
      expect(parsed([first, other])).toBeUndefined();
    }
  });

  test('joins the chunks of one read in its buffer', () => {
    const parser = new ResponseParser();
    const memory = latin1(`${chunked}3\r\nabc\r\n4\r\ndefg\r\n`);
    const read = parser.push(memory);
    expect(read.toString()).toBe('abcdefg');
    expect(read.buffer).toBe(memory.buffer);
  });

  test('keeps repeated headers as a list, with names in lower case', () => {
    const parser = new ResponseParser();
    parser.push(latin1('HTTP/1.1 200 OK\r\nWarning: a \r\nwarning:\tb\r\n__proto__: c\r\n\r\n'));
    expect({ ...parser.head?.headers }).toEqual(
      Object.fromEntries([
        ['warning', ['a', 'b']],
        ['__proto__', 'c'],
      ]),
    );
  });
});
