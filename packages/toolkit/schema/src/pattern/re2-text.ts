import type { AST } from '@eslint-community/regexpp';
import { isSurrogate } from './astral-characters.ts';

/** A part of a regular expression that Go cannot express, or reads otherwise. */
export class PatternProblem extends Error {
  override readonly name: string = 'PatternProblem';
  readonly cure: string;

  constructor(reason: string, cure: string) {
    super(reason);
    this.cure = cure;
  }
}

export const unicodeCure = 'add the flag u, with which JavaScript reads characters as Go does';

/** The white space of JavaScript; `\s` of RE2 has only that of ASCII, without `\v`. */
const space = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const notSpace = String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;
/** The dot of JavaScript; that of RE2 only excludes `\n`. */
const dot = String.raw`[^\n\r\x{2028}\x{2029}]`;
const anything = String.raw`\x{0}-\x{10ffff}`;

/** Writes parts of a JavaScript expression in the syntax of RE2, with the same meaning. */
export class Re2Text {
  readonly #unicode: boolean;

  /** `unicode` is true for an expression with the flag `u`. */
  constructor(unicode: boolean) {
    this.#unicode = unicode;
  }

  /** Returns the text of alternatives. Throws `PatternProblem`. */
  of(alternatives: readonly AST.Alternative[]): string {
    return alternatives.map(({ elements }) => this.sequence(elements)).join('|');
  }

  sequence(elements: readonly AST.Element[]): string {
    let text = '';
    for (let index = 0; index < elements.length; index += 1) {
      const [element, next] = elements.slice(index, index + 2);
      const pair = this.#pairOf(element, next);
      if (pair !== undefined) index += 1;
      text += pair ?? (element === undefined ? '' : this.#element(element));
    }
    return text;
  }

  /** Two halves that are written beside each other are one character. */
  #pairOf(one: AST.Element | undefined, other: AST.Element | undefined): string | undefined {
    if (one?.type !== 'Character' || other?.type !== 'Character') return undefined;
    if (!isSurrogate(one.value) || !isSurrogate(other.value)) return undefined;
    return codePointText(String.fromCharCode(one.value, other.value).codePointAt(0) ?? 0);
  }

  #element(element: AST.Element): string {
    switch (element.type) {
      case 'Assertion':
        return assertionText(element);
      case 'Quantifier':
        return this.#element(element.element) + element.raw.slice(element.element.raw.length);
      case 'Group':
        if (element.modifiers !== null) {
          throw new PatternProblem('modifiers of a group', 'write both cases, such as [Aa]');
        }
        return `(?:${this.of(element.alternatives)})`;
      case 'CapturingGroup':
        return `(${this.of(element.alternatives)})`;
      case 'Character':
        return this.#character(element, /[\\.+*?()|[\]{}^$]/);
      case 'CharacterSet':
        return this.#set(element, false);
      case 'CharacterClass':
        return this.#class(element);
      default:
        throw noRe2(element.raw);
    }
  }

  #class({ negate, elements }: AST.CharacterClass): string {
    if (elements.length === 0) return negate ? `[${anything}]` : `[^${anything}]`;
    if (!negate && hasBoth(elements)) return String.raw`[\s\S]`;
    const parts = elements.map((element, index) =>
      this.#classElement(element, index > 0 && index < elements.length - 1),
    );
    return `[${negate ? '^' : ''}${parts.join('')}]`;
  }

  #classElement(element: AST.CharacterClass['elements'][number], isInner: boolean): string {
    switch (element.type) {
      case 'Character':
        return this.#classCharacter(element, isInner);
      case 'CharacterClassRange':
        return this.#range(element);
      case 'CharacterSet':
        return this.#set(element, true);
      default:
        throw noRe2(element.raw);
    }
  }

  #classCharacter(element: AST.Character, isInner: boolean): string {
    const special = isInner ? /[\\[\]^-]/ : /[\\[\]^]/;
    return this.#character(element, special);
  }

  #range({ min, max }: AST.CharacterClassRange): string {
    const range = `${this.#bound(min)}-${this.#bound(max)}`;
    const hasSurrogates = max.value >= 0xd800 && min.value <= 0xdfff;
    if (this.#unicode || !hasSurrogates) return range;
    const hasAll = min.value <= 0xd800 && max.value >= 0xdfff;
    if (!hasAll) throw new PatternProblem('a half of a character beyond U+FFFF', unicodeCure);
    return String.raw`${range}\x{10000}-\x{10ffff}`;
  }

  #bound(element: AST.Character): string {
    return isSurrogate(element.value)
      ? codePointText(element.value)
      : this.#character(element, /[\\[\]^-]/);
  }

  /** Keeps the notation if RE2 reads it alike. */
  #character({ raw, value }: AST.Character, special: RegExp): string {
    if (isSurrogate(value)) {
      throw new PatternProblem('a half of a character beyond U+FFFF', unicodeCure);
    }
    if (raw.length === 1 || raw === String.fromCodePoint(value)) {
      return special.test(raw) ? `\\${raw}` : raw;
    }
    const isPunctuation = /^\\[!-/:-@[-`{-~]$/.test(raw);
    if (isPunctuation || /^\\(?:[fnrtv]|x[0-9a-fA-F]{2})$/.test(raw)) return raw;
    const isLetter = /^[0-9A-Za-z]$/.test(String.fromCodePoint(value));
    return isLetter ? String.fromCodePoint(value) : codePointText(value);
  }

  #set(element: AST.CharacterSet, isInClass: boolean): string {
    switch (element.kind) {
      case 'any':
        return dot;
      case 'digit':
      case 'word':
        return element.raw;
      case 'space':
        if (isInClass) return element.negate ? notSpace : space;
        return `[${element.negate ? '^' : ''}${space}]`;
      case 'property':
        return propertyText(element);
    }
  }
}

/** True for `[\s\S]`, which is every character for both. */
function hasBoth(elements: AST.CharacterClass['elements']): boolean {
  const spaces = elements.filter(
    (element) => element.type === 'CharacterSet' && element.kind === 'space',
  );
  return new Set(spaces.map(({ raw }) => raw)).size === 2;
}

function assertionText(element: AST.Assertion): string {
  if (element.kind === 'lookahead' || element.kind === 'lookbehind') throw noRe2(element.raw);
  if (element.kind === 'word' && element.negate) {
    const reason = String.raw`\B, which JavaScript also finds within a character beyond U+FFFF`;
    throw new PatternProblem(reason, 'write the characters on both sides');
  }
  return element.raw;
}

function codePointText(value: number): string {
  return `\\x{${value.toString(16)}}`;
}

function noRe2(raw: string): PatternProblem {
  const reason = `a part that RE2 of Go does not have: ${raw}`;
  const cure =
    'write it without look-around, except after ^ at the start, and without references to groups';
  return new PatternProblem(reason, cure);
}

/** The general categories of Unicode, by their long names, as Go names them. */
const categories: ReadonlyMap<string, string> = new Map(
  [
    'Letter L,Cased_Letter LC,Uppercase_Letter Lu,Lowercase_Letter Ll,Titlecase_Letter Lt,Modifier_Letter Lm',
    'Other_Letter Lo,Mark M,Nonspacing_Mark Mn,Spacing_Mark Mc,Enclosing_Mark Me,Number N,Decimal_Number Nd',
    'Letter_Number Nl,Other_Number No,Punctuation P,Connector_Punctuation Pc,Dash_Punctuation Pd',
    'Open_Punctuation Ps,Close_Punctuation Pe,Initial_Punctuation Pi,Final_Punctuation Pf,Other_Punctuation Po',
    'Symbol S,Math_Symbol Sm,Currency_Symbol Sc,Modifier_Symbol Sk,Other_Symbol So,Separator Z',
    'Space_Separator Zs,Line_Separator Zl,Paragraph_Separator Zp,Control Cc,Format Cf',
  ].flatMap((line) => line.split(',').map((each) => each.split(' ') as [string, string])),
);

function propertyText({ key, value, negate, raw }: AST.UnicodePropertyCharacterSet): string {
  const isScript = key === 'Script' || key === 'sc';
  const name = isScript ? value : key === null || value === null ? key : value;
  const short = categoryOf(name ?? '');
  const isCategory = key === null || key === 'General_Category' || key === 'gc' || value === null;
  const found = isScript ? value : isCategory ? short : undefined;
  // Go has no category of cased letters.
  if (found === undefined || found === null || found === 'LC') {
    const cure = 'write the characters as ranges, or use a general category or a script';
    throw new PatternProblem(`a property of Unicode that Go does not have: ${raw}`, cure);
  }
  return `\\${negate ? 'P' : 'p'}{${found}}`;
}

function categoryOf(name: string): string | undefined {
  return categories.get(name) ?? ([...categories.values()].includes(name) ? name : undefined);
}
