import type { AST } from '@eslint-community/regexpp';

/** The first and the last code unit of the pairs that JavaScript writes for a character beyond U+FFFF. */
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
/** The first character beyond U+FFFF. */
const FIRST_ASTRAL = 0x10000;

/** How an expression treats characters beyond U+FFFF. */
export interface AstralUse {
  /** True if no text with such a character matches. */
  readonly excludes: boolean;
  /** True if the expression lacks the flag `u` and may count the two code units of such a character. */
  readonly countsUnits: boolean;
}

/** Finds how an expression treats characters beyond U+FFFF. Without the flag `u` it reads each of them as two code units. */
export function astralUse({ alternatives }: AST.Pattern, unicode: boolean): AstralUse {
  const reads = (element: AST.Node): boolean => readsAstral(element, unicode);
  // Two halves beside each other are one character for both.
  const counts = (element: AST.Node): boolean => element.type !== 'Character' && reads(element);
  const excludes = alternatives.every((each) => isWhole(each)) && !contains(alternatives, reads);
  const countsUnits = !unicode && !excludes && mayCount(alternatives, counts).isUnsafe;
  return { excludes, countsUnits };
}

/** True for an expression of the whole text: `^…$`. */
function isWhole({ elements }: AST.Alternative): boolean {
  return isEdge(elements[0], 'start') && isEdge(elements.at(-1), 'end');
}

function isEdge(element: AST.Element | undefined, kind: 'start' | 'end'): boolean {
  return element?.type === 'Assertion' && element.kind === kind;
}

/** True for a set of characters that has one beyond U+FFFF, or without the flag `u` a half of one. */
function readsAstral(element: AST.Node, unicode: boolean): boolean {
  switch (element.type) {
    case 'Character':
      return unicode ? element.value >= FIRST_ASTRAL : isSurrogate(element.value);
    case 'CharacterSet':
      return element.kind === 'any' || element.kind === 'property' || element.negate;
    case 'CharacterClassRange':
      return unicode
        ? element.max.value >= FIRST_ASTRAL
        : element.max.value >= FIRST_SURROGATE && element.min.value <= LAST_SURROGATE;
    case 'CharacterClass':
      return element.negate || element.elements.some((each) => readsAstral(each, unicode));
    default:
      return false;
  }
}

export function isSurrogate(value: number): boolean {
  return value >= FIRST_SURROGATE && value <= LAST_SURROGATE;
}

type Test = (element: AST.Node) => boolean;

function contains(alternatives: readonly AST.Alternative[], test: Test): boolean {
  return alternatives.some(({ elements }) => elements.some((element) => containsIn(element, test)));
}

function containsIn(element: AST.Element, test: Test): boolean {
  if (element.type === 'Quantifier') return containsIn(element.element, test);
  return 'alternatives' in element ? contains(element.alternatives, test) : test(element);
}

/** Whether a part counts code units, and whether it ends with a set that needs at least one. */
interface Count {
  readonly isUnsafe: boolean;
  readonly needsOne: boolean;
}

/**
 * `X*` and `X+` accept the same texts, whether a character is one or two units. Two `X+` beside each other do not: a
 * character that is one for Go is two for JavaScript.
 */
function mayCount(alternatives: readonly AST.Alternative[], reads: Test): Count {
  const counts = alternatives.map(({ elements }) => countOf(elements, reads));
  return {
    isUnsafe: counts.some(({ isUnsafe }) => isUnsafe),
    needsOne: counts.some(({ needsOne }) => needsOne),
  };
}

function countOf(elements: readonly AST.Element[], reads: Test): Count {
  let needsOne = false;
  for (const element of elements) {
    const next = countIn(element, reads);
    if (next.isUnsafe || (needsOne && next.needsOne)) return { isUnsafe: true, needsOne: true };
    if (next.needsOne) needsOne = true;
    else if (isSeparator(element) && !containsIn(element, reads)) needsOne = false;
  }
  return { isUnsafe: false, needsOne };
}

const safe: Count = { isUnsafe: false, needsOne: false };
const unsafe: Count = { isUnsafe: true, needsOne: true };

function countIn(element: AST.Element, reads: Test): Count {
  if (!containsIn(element, reads)) return safe;
  if (element.type !== 'Quantifier') {
    return 'alternatives' in element ? mayCount(element.alternatives, reads) : unsafe;
  }
  const { element: inner, min, max } = element;
  if ('alternatives' in inner) {
    const count = mayCount(inner.alternatives, reads);
    const isRepeated = min > 1 || (max !== Infinity && max > 1);
    return isRepeated && count.needsOne ? unsafe : count;
  }
  return max === Infinity && min <= 1 ? { isUnsafe: false, needsOne: min === 1 } : unsafe;
}

/** True for an element that needs at least one character. */
function isSeparator(element: AST.Element): boolean {
  if (element.type === 'Quantifier') return element.min > 0 && isSeparator(element.element);
  return ['Character', 'CharacterClass', 'CharacterSet'].includes(element.type);
}
