import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { jsonText, patternSyntaxProblem } from '@keelson/structural-schema';
import { astralUse } from './astral-characters.ts';
import { PatternProblem, Re2Text, unicodeCure } from './re2-text.ts';

/** A JavaScript expression in the words of a CRD. */
export interface TranslatedPattern {
  /** The pattern; undefined if the rules say all. */
  readonly pattern: string | undefined;
  /** CEL expressions for what RE2 cannot express in one pattern. */
  readonly rules: readonly string[];
  /** True if no text with a character beyond U+FFFF matches. */
  readonly excludesAstral: boolean;
}

/**
 * Translates a JavaScript expression into RE2, so that both accept the same texts. Look-ahead at the start becomes CEL
 * rules. Throws `PatternProblem` for an expression that cannot be translated.
 */
export function translatePattern(source: string, unicode: boolean): TranslatedPattern {
  const { alternatives } = parse(source, unicode);
  const { ahead, rest } = splitStart(alternatives);
  const text = new Re2Text(unicode);
  const use = astralUse({ alternatives: rest } as AST.Pattern, unicode);
  const rules = ahead.map(({ negate, alternatives: inner }) => {
    checkUnits(inner, unicode || use.excludes);
    return `${negate ? '!' : ''}self.matches(${jsonText(checked(`^(?:${text.of(inner)})`))})`;
  });
  const pattern = checked(text.of(rest));
  if (use.countsUnits) throw unitsProblem();
  const isEmpty = ahead.length > 0 && pattern === '^';
  return { pattern: isEmpty ? undefined : pattern, rules, excludesAstral: use.excludes };
}

function parse(source: string, unicode: boolean): AST.Pattern {
  try {
    const parser = new RegExpParser({ ecmaVersion: 2025 });
    return parser.parsePattern(source, undefined, undefined, { unicode });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PatternProblem(`not a regular expression of JavaScript: ${reason}`, 'correct it');
  }
}

interface Split {
  readonly ahead: readonly AST.LookaheadAssertion[];
  readonly rest: readonly AST.Alternative[];
}

/** Separates the look-ahead after `^` from an expression: `^(?=A)(?!B)C` is `^C` for texts that also match A and not B. */
function splitStart(alternatives: readonly AST.Alternative[]): Split {
  const [alternative, ...others] = alternatives;
  const [start, ...elements] = alternative?.elements ?? [];
  const isStart = start?.type === 'Assertion' && start.kind === 'start';
  if (alternative === undefined || others.length > 0 || !isStart) {
    return { ahead: [], rest: alternatives };
  }
  const end = elements.findIndex((element) => !isLookahead(element));
  const count = end < 0 ? elements.length : end;
  const rest = { ...alternative, elements: [start, ...elements.slice(count)] };
  return { ahead: elements.slice(0, count).filter(isLookahead), rest: [rest] };
}

function isLookahead(element: AST.Element): element is AST.LookaheadAssertion {
  return element.type === 'Assertion' && element.kind === 'lookahead';
}

function checkUnits(alternatives: readonly AST.Alternative[], isSafe: boolean): void {
  if (!isSafe && astralUse({ alternatives: [...alternatives] } as AST.Pattern, false).countsUnits) {
    throw unitsProblem();
  }
}

function unitsProblem(): PatternProblem {
  return new PatternProblem(
    'an expression that counts characters beyond U+FFFF twice',
    unicodeCure,
  );
}

/** Returns the pattern. Throws `PatternProblem` for one that Go refuses, such as more than 1,000 repetitions. */
function checked(pattern: string): string {
  const reason = patternSyntaxProblem(pattern);
  if (reason === undefined) return pattern;
  throw new PatternProblem(reason, 'use the syntax of RE2, with at most 1000 repetitions');
}
