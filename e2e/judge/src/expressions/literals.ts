import { addressTexts } from './address-texts.ts';
import { plainTexts } from './plain-texts.ts';
import { quantityTexts } from './quantity-texts.ts';
import { timeTexts } from './time-texts.ts';
import type { RandomSource } from './random-source.ts';
import type { TextPools } from './text-pools.ts';

/** Literals of each type, with the values at which implementations differ. */
const scalars: Readonly<Record<string, readonly string[]>> = {
  bool: ['true', 'false'],
  int: [
    '0',
    '1',
    '2',
    '-1',
    '3',
    '10',
    '-7',
    '100',
    '255',
    '0x1F',
    '0xff',
    '-0x10',
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '4611686018427387904',
    '86400',
    '253402300800',
    '-62135596801',
  ],
  uint: [
    '0u',
    '1u',
    '2u',
    '10u',
    '0x1Fu',
    '0xffU',
    '18446744073709551615u',
    '9223372036854775808u',
    '9007199254740993u',
    '7U',
  ],
  double: [
    '0.0',
    '1.0',
    '-1.0',
    '0.5',
    '1.5',
    '2.5',
    '-0.0',
    '3.14',
    '1e3',
    '1e21',
    '1e-7',
    '0.1',
    '.5',
    '9223372036854775807.0',
    '9223372036854774784.0',
    '-9223372036854775808.0',
    '18446744073709551615.0',
    '9007199254740993.0',
    '1.7976931348623157e308',
    '5e-324',
    '1e6',
    '123456.789',
    '1234567.0',
    '100000.0',
    '-2.5e-3',
  ],
  null: ['null'],
  bytes: [
    "b''",
    "b'abc'",
    "b'\\xff\\x00'",
    "b'\\u00e9'",
    "b'é'",
    "br'\\n'",
    "b'\\377'",
    'b"""a\nb"""',
  ],
};

const texts: TextPools = { ...plainTexts, ...addressTexts, ...quantityTexts, ...timeTexts };

/** Returns the source of a random literal; `undefined` for types without literals. */
export function randomLiteral(
  random: RandomSource,
  type: string,
  kind?: string,
): string | undefined {
  if (type === 'string') return quoted(random, randomText(random, kind));
  if (type === 'int' && kind === 'small') return random.pick(texts['small'] ?? []);
  const pool = scalars[type];
  return pool && random.pick(pool);
}

function randomText(random: RandomSource, kind = 'any'): string {
  if (random.chance(0.1)) return random.pick(texts[random.pick(Object.keys(texts))] ?? []);
  return random.pick(texts[kind] ?? texts['any'] ?? []);
}

/** Writes a string as a literal, in one of the notations of CEL. */
function quoted(random: RandomSource, text: string): string {
  const plain = !/[\\\n"']/.test(text);
  const way = random.below(8);
  if (plain && way === 0) return `r'${text}'`;
  if (plain && way === 1) return `"""${text}"""`;
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll('"', '\\"')
    .replaceAll("'", "\\'");
  if (way === 2) return `"${escaped}"`;
  if (way === 3 && plain) {
    return `'${Array.from(text, (each) => `\\U${(each.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`).join('')}'`;
  }
  return `'${escaped}'`;
}

export function textKinds(): readonly string[] {
  return Object.keys(texts);
}
