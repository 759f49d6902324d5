import {
  code,
  get,
  i32,
  I32,
  i64,
  I64,
  load,
  moduleOf,
  set,
  setGlobal,
  tee,
  until,
  V128,
  when,
  type Code,
  type Instruction,
} from './wasm-code.ts';

/** The result if the bytes end before the container does. */
export const OPEN = -1;
/**
 * The result if the search cannot decide: a backslash is outside of strings, or the nesting is too deep. A reader of
 * every byte must search again.
 */
export const UNDECIDED = -2;

/** The bytes that one step examines. Each has a bit in the masks. */
export const BLOCK_BYTES = 64;

/** The parameters: the number of bytes in memory, and the state before the first of them. */
const [TO, DEPTH, IN_STRING_BEFORE, ESCAPED_BEFORE] = [0, 1, 2, 3] as const;
/** The position of the block, and the number of bytes from there to the end. */
const [AT, LEFT] = [4, 5] as const;
/** Masks of a block: a bit is set for each byte that is a quote, a backslash, an opening or a closing bracket. */
const [QUOTES, BACKSLASHES, OPENING, CLOSING] = [6, 7, 8, 9] as const;
/** Masks: the bytes that remain to be examined, the escaped bytes, the bytes of strings, and one byte. */
const [REST, ESCAPED, STRINGS, BIT] = [10, 11, 12, 13] as const;
/** All bits are set if the block before ended within a string; 1 if its last byte escapes the next one. */
const [IN_STRING, CARRY] = [14, 15] as const;
const POSITION = 16;
const BYTES = 17;

const not = code(i64(-1), 'i64.xor');

function assign(target: number, ...value: readonly (Code | Instruction)[]): Code {
  return code(...value, set(target));
}

/** Sets the bits of 16 bytes of the block in a mask. With `folded`, `[` counts as `{` and `]` as `}`. */
function mark(mask: number, byte: string, folded: boolean, index: number): Code {
  const fold = folded ? code(i32(0x20), 'i8x16.splat', 'v128.or') : [];
  const matches = code(i32(byte.charCodeAt(0)), 'i8x16.splat', 'i8x16.eq', 'i8x16.bitmask');
  const bits = code(get(BYTES), fold, matches, 'i64.extend_i32_u');
  if (index === 0) return assign(mask, bits);
  return assign(mask, bits, i64(16 * index), 'i64.shl', get(mask), 'i64.or');
}

const markAll = code(
  ...[0, 1, 2, 3].flatMap((index) => [
    assign(BYTES, get(AT), load(16 * index)),
    mark(QUOTES, '"', false, index),
    mark(BACKSLASHES, '\\', false, index),
    mark(OPENING, '{', true, index),
    mark(CLOSING, '}', true, index),
  ]),
);

const isLastBlock = code(get(LEFT), i32(BLOCK_BYTES), 'i32.lt_s');

/** Clears the bits of the bytes after the last one. */
const clearBeyondEnd = code(
  assign(LEFT, get(TO), get(AT), 'i32.sub'),
  isLastBlock,
  when(
    code(
      assign(REST, i64(1), get(LEFT), 'i64.extend_i32_u', 'i64.shl', i64(1), 'i64.sub'),
      ...[QUOTES, BACKSLASHES, OPENING, CLOSING].map((mask) =>
        assign(mask, get(mask), get(REST), 'i64.and'),
      ),
    ),
  ),
);

/** Finds the bytes that a backslash escapes. A backslash that is itself escaped does not count. */
const findEscaped = code(
  assign(ESCAPED, get(CARRY)),
  assign(CARRY, i64(0)),
  assign(REST, get(BACKSLASHES), get(ESCAPED), not, 'i64.and'),
  assign(BACKSLASHES, i64(0)),
  until(
    code(get(REST), 'i64.eqz'),
    code(
      assign(POSITION, get(REST), 'i64.ctz'),
      assign(BACKSLASHES, i64(1), get(POSITION), 'i64.shl', get(BACKSLASHES), 'i64.or'),
      assign(ESCAPED, i64(2), get(POSITION), 'i64.shl', get(ESCAPED), 'i64.or'),
      code(get(POSITION), i64(BLOCK_BYTES - 1), 'i64.eq', when(assign(CARRY, i64(1)))),
      assign(REST, get(REST), get(REST), i64(1), 'i64.sub', 'i64.and'),
      assign(REST, get(REST), get(ESCAPED), not, 'i64.and'),
    ),
  ),
  isLastBlock,
  when(
    assign(
      CARRY,
      code(get(ESCAPED), get(LEFT), 'i64.extend_i32_u', 'i64.shr_u'),
      code(i64(1), 'i64.and'),
    ),
  ),
);

/**
 * Finds the bytes in strings: those up to which the number of quotes is odd. The closing quote is therefore outside of
 * its string.
 */
const findStrings = code(
  assign(STRINGS, get(QUOTES), get(ESCAPED), not, 'i64.and'),
  ...[1, 2, 4, 8, 16, 32].map((distance) =>
    assign(STRINGS, get(STRINGS), get(STRINGS), i64(distance), 'i64.shl', 'i64.xor'),
  ),
  code(get(STRINGS), get(IN_STRING), 'i64.xor', tee(STRINGS)),
  assign(IN_STRING, i64(BLOCK_BYTES - 1), 'i64.shr_s'),
);

const refuseBackslashOutside = code(
  code(get(BACKSLASHES), get(STRINGS), not, 'i64.and', 'i64.eqz', 'i32.eqz'),
  when(code(i32(UNDECIDED), 'return')),
);

const ignoreBracketsInStrings = code(
  ...[OPENING, CLOSING].map((mask) => assign(mask, get(mask), get(STRINGS), not, 'i64.and')),
);

function countOf(mask: number): Code {
  return code(get(mask), 'i64.popcnt', 'i32.wrap_i64');
}

const returnAfterRest = code(
  code(get(REST), 'i64.ctz', 'i32.wrap_i64', get(AT), 'i32.add'),
  code(i32(1), 'i32.add', 'return'),
);

/** Counts the brackets of a block one by one, and returns at the bracket that closes the container. */
const countEach = code(
  assign(REST, get(OPENING), get(CLOSING), 'i64.or'),
  until(
    code(get(REST), 'i64.eqz'),
    code(
      assign(BIT, get(REST), get(REST), i64(1), 'i64.sub', not, 'i64.and'),
      code(get(OPENING), get(BIT), 'i64.and', 'i64.eqz'),
      when(
        code(get(DEPTH), i32(1), 'i32.sub', tee(DEPTH), 'i32.eqz', when(returnAfterRest)),
        assign(DEPTH, get(DEPTH), i32(1), 'i32.add'),
      ),
      assign(REST, get(REST), get(BIT), 'i64.xor'),
    ),
  ),
);

const countAll = assign(
  DEPTH,
  get(DEPTH),
  countOf(OPENING),
  'i32.add',
  countOf(CLOSING),
  'i32.sub',
);

/**
 * Counts the brackets of a block. The container can end only in a block with at least as many closing brackets as
 * brackets are open.
 */
const count = code(get(DEPTH), countOf(CLOSING), 'i32.le_s', when(countEach, countAll));

/**
 * Searches for the end of a container whose bytes are in memory. Parameters: the number of bytes, and the state before
 * them (depth, in a string, next byte escaped). Returns the position after the container, `OPEN` or `UNDECIDED`. After
 * `OPEN` the results are the state after the bytes.
 *
 * It examines 64 bytes in one step. No step depends on single bytes, except for backslashes and in the last block.
 */
export function containerProgram(maxDepth: number): Uint8Array<ArrayBuffer> {
  const refuseDepth = code(
    code(get(DEPTH), i32(maxDepth - BLOCK_BYTES), 'i32.gt_s'),
    when(code(i32(UNDECIDED), 'return')),
  );
  const step = code(
    code(markAll, clearBeyondEnd, findEscaped, findStrings, refuseBackslashOutside),
    code(ignoreBracketsInStrings, count, refuseDepth),
    assign(AT, get(AT), i32(BLOCK_BYTES), 'i32.add'),
  );
  return moduleOf({
    parameters: [I32, I32, I32, I32],
    locals: [I32, I32, ...Array.from({ length: 11 }, () => I64), V128],
    results: 3,
    steps: code(
      assign(IN_STRING, i64(0), get(IN_STRING_BEFORE), 'i64.extend_i32_u', 'i64.sub'),
      assign(CARRY, get(ESCAPED_BEFORE), 'i64.extend_i32_u'),
      until(code(get(AT), get(TO), 'i32.ge_s'), step),
      code(get(DEPTH), setGlobal(0)),
      code(get(IN_STRING), 'i32.wrap_i64', i32(1), 'i32.and', setGlobal(1)),
      code(get(CARRY), 'i32.wrap_i64', setGlobal(2)),
      i32(OPEN),
    ),
  });
}
