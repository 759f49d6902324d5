/**
 * The opcodes of instructions without operands, by their names in the WebAssembly specification. An opcode above 255
 * has two bytes.
 */
const OPCODES = {
  return: 0x0f,
  'i32.eqz': 0x45,
  'i32.lt_s': 0x48,
  'i32.gt_s': 0x4a,
  'i32.le_s': 0x4c,
  'i32.ge_s': 0x4e,
  'i32.add': 0x6a,
  'i32.sub': 0x6b,
  'i32.and': 0x71,
  'i32.wrap_i64': 0xa7,
  'i64.eqz': 0x50,
  'i64.eq': 0x51,
  'i64.ctz': 0x7a,
  'i64.popcnt': 0x7b,
  'i64.sub': 0x7d,
  'i64.and': 0x83,
  'i64.or': 0x84,
  'i64.xor': 0x85,
  'i64.shl': 0x86,
  'i64.shr_s': 0x87,
  'i64.shr_u': 0x88,
  'i64.extend_i32_u': 0xad,
  'i8x16.splat': 0xfd_0f,
  'i8x16.eq': 0xfd_23,
  'v128.or': 0xfd_50,
  'i8x16.bitmask': 0xfd_64,
} as const;

/** Bytes of WebAssembly. */
export type Code = readonly number[];
export type Instruction = keyof typeof OPCODES;

export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;

const EMPTY_BLOCK = 0x40;
const END = 0x0b;

/** Joins instructions to code that runs them one after the other. */
export function code(...parts: readonly (Code | Instruction)[]): Code {
  return parts.flatMap((part) => {
    if (typeof part !== 'string') return part;
    const opcode = OPCODES[part];
    return opcode > 0xff ? [opcode >> 8, opcode & 0xff] : [opcode];
  });
}

export function get(local: number): Code {
  return [0x20, ...unsigned(local)];
}

export function set(local: number): Code {
  return [0x21, ...unsigned(local)];
}

/** Sets a local variable and leaves its value on the stack. */
export function tee(local: number): Code {
  return [0x22, ...unsigned(local)];
}

export function setGlobal(global: number): Code {
  return [0x24, ...unsigned(global)];
}

export function i32(value: number): Code {
  return [0x41, ...signed(value)];
}

export function i64(value: number): Code {
  return [0x42, ...signed(value)];
}

/** Loads 16 bytes at the address on the stack plus `offset`. */
export function load(offset: number): Code {
  return [0xfd, 0, 0, ...unsigned(offset)];
}

/** Repeats the steps until `isDone` leaves a value other than 0 on the stack. */
export function until(isDone: Code, steps: Code): Code {
  const leave = [0x0d, 1];
  const again = [0x0c, 0];
  const loop = [0x03, EMPTY_BLOCK, ...isDone, ...leave, ...steps, ...again, END];
  return [0x02, EMPTY_BLOCK, ...loop, END];
}

/** Runs the steps if the value on the stack is not 0, and the others if it is. */
export function when(steps: Code, others: Code = []): Code {
  return [0x04, EMPTY_BLOCK, ...steps, 0x05, ...others, END];
}

/** A module with one page of memory (`memory`), one function (`run`) and its results (`result0`, …). */
export interface Program {
  /** The types of the parameters of the function, which returns an i32. */
  readonly parameters: Code;
  /** The types of the locals that follow the parameters. */
  readonly locals: Code;
  /** The number of results besides the returned one: global variables of type i32. */
  readonly results: number;
  readonly steps: Code;
}

/** The first bytes of every module: a mark and the version. */
const HEADER: Code = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** Returns the bytes of the module. */
export function moduleOf({ parameters, locals, results, steps }: Program): Uint8Array<ArrayBuffer> {
  const variables = list(locals.map((type) => [1, type]));
  const body = [...variables, ...steps, END];
  const indices = Array.from({ length: results }, (_, index) => index);
  const globals = indices.map(() => [I32, 1, ...i32(0), END]);
  const type = [0x60, ...list(parameters.map((each) => [each])), ...list([[I32]])];
  const exported = [
    [...text('run'), 0, 0],
    [...text('memory'), 2, 0],
    ...indices.map((index) => [...text(`result${String(index)}`), 3, index]),
  ];
  const sections = [
    section(1, [type]),
    section(3, [[0]]),
    section(5, [[0, 1]]),
    section(6, globals),
    section(7, exported),
    section(10, [[...unsigned(body.length), ...body]]),
  ];
  return Uint8Array.from([...HEADER, ...sections.flat()]);
}

function section(id: number, items: readonly Code[]): Code {
  const bytes = list(items);
  return [id, ...unsigned(bytes.length), ...bytes];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): Code {
  return [...unsigned(name.length), ...Buffer.from(name)];
}

function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const rest = value >> 7;
  const isLast = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0);
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)];
}
