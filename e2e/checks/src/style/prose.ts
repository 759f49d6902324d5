import type { SourceFile } from '../sources/source-file.ts';

/** A line of prose: a comment, the name of a test, or a line of a page. */
export interface Sentence {
  readonly path: string;
  /** Line of the file, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Words that hide the actor or the action, with better words. */
const unclear: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:nobody|somebody|whoever|anybody)\b/i, 'name the actor'],
  [/\b(?:tells?|told|telling)\b(?! apart)/i, 'report, notify, emit, send'],
  [/\b(?:hears?|heard)\b/i, 'receive, notice'],
  [/\b(?:an|the|its|this|that|every|each|no|one|other|whole|last|first) answers?\b/i, 'response'],
  [/\banswers (?:of|to|that|are|were|come)\b/i, 'responses'],
  [/\b(?:is|are|was|were) none\b/i, 'invalid, missing, not …'],
  [/\bis no (?!longer\b|more\b|older\b|newer\b|larger\b)[a-z]+/i, 'is not a …, invalid, missing'],
  [/\b(?:comes?|came) about\b/i, 'is established, happens'],
  [/\b(?:[Gg]oes|[Ww]ent|go) on\b/, 'continue'],
  [/\b(?:stands?|stood) (?:in|for|there|beside|at|with|as|before|behind|below|above)\b/i, 'is'],
  [/\blets? in\b|\blet(?:s|ting)? (?:it|them|one|him) in\b/i, 'accept, authorize'],
  [/\bmade of\b/i, 'consists of, contains'],
  [/\bwhat(?:ever)? (?:is|are|was|were) (?!the\b)[a-z]+ed\b/i, 'name the thing'],
  [/(?<=^[\s*-]*)What (?:an?|the|is|are|it|this|that)\b/, 'begin with the noun or the verb'],
  [/\b(?:he|she|him|his|hers)\b/i, 'name the role'],
  [/\bsa(?:ys?|id) (?:so|nothing|aloud)\b/i, 'print, report, has no effect on'],
  [/\bknows? nothing\b/i, 'is independent of, does not depend on'],
  [/\basked for\b/i, 'requested, required'],
  [/\bleft alone\b|\blets? alone\b/i, 'is not changed'],
  [/\b(?:gone|goes|went) back in time\b/i, 'was restored or replaced'],
  [/\b(?:someone|anyone)\b/i, 'name the actor'],
  [/\b(?:patience|riddle)\b/i, 'timeout'],
  [/\bmade from\b/i, 'derived from, created from'],
  [/\bfor ever\b/i, 'without a limit, endlessly'],
];

const testName = /\b(?:test|describe|it)(?:\.\w+)*(?:\([^'"`]*\))?\(\s*(['"`])(.+?)\1/;

/** Returns the prose of a source file: its comments and the names of its tests. */
export function sentencesOf({ path, text }: SourceFile): Sentence[] {
  return text.split('\n').flatMap((content, index) => {
    const found = proseIn(content);
    return found === undefined ? [] : [{ path, line: index + 1, text: found }];
  });
}

function proseIn(line: string): string | undefined {
  const comment = /^\s*(?:\/\/|\/\*\*?|\*)(.*)$|\s\/\/ (.*)$/.exec(line);
  if (comment) return comment[1] ?? comment[2];
  return testName.exec(line)?.[2];
}

/** Returns the prose of a Go file (its comments), a YAML file (its comments and texts) or a list of sentences. */
export function dataSentences({ path, text }: SourceFile): Sentence[] {
  const lines = text
    .split('\n')
    .map((content, index) => ({ path, line: index + 1, text: content }));
  return path.endsWith('.go') ? lines.filter((line) => /^\s*\/\//.test(line.text)) : lines;
}

/** Returns the prose of a page: all lines outside of code blocks. */
export function pageSentences({ path, text }: SourceFile): Sentence[] {
  let inCode = false;
  return text.split('\n').flatMap((content, index) => {
    if (/^\s*```/.test(content)) inCode = !inCode;
    return inCode ? [] : [{ path, line: index + 1, text: content.replaceAll(/`[^`]*`/g, '`…`') }];
  });
}

/** Finds unclear words; returns each with its place and better words. */
export function findUnclearProse(sentences: readonly Sentence[]): string[] {
  return sentences.flatMap(({ path, line, text }) =>
    unclear.flatMap(([pattern, instead]) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [`${path}:${line} “${found}”: ${instead}`];
    }),
  );
}
