import { NumberText } from './number-text.ts';

/** A number is beyond what a double holds. The message is that of Go's decoder. */
export class NumberRangeError extends SyntaxError {
  override readonly name = 'NumberRangeError';

  constructor(text: string, target = 'Go value') {
    super(`json: cannot unmarshal number ${text} into ${target} of type float64`);
  }
}

/** What becomes of a number that no double holds. */
type Overflow = (text: string) => unknown;

/**
 * Replaces every `NumberText` in a value, in place, by the number that Go reads where no type tells more. Throws
 * `NumberRangeError` unless `overflow` gives another value.
 */
export function settleNumbers(value: unknown, overflow: Overflow = refuse): unknown {
  if (value instanceof NumberText) return settled(value, overflow);
  visitNumbers(value, (number, members, key) => {
    // The parser defines `__proto__` as an own member, which an assignment then changes as any other.
    members[key] = settled(number, overflow);
  });
  return value;
}

/** Throws `NumberRangeError` if a number in a value is more than a double holds. `target`: what Go reads it into. */
export function checkRange(value: unknown, target?: string): void {
  const refuseInto = (text: string): never => {
    throw new NumberRangeError(text, target);
  };
  visitNumbers(value, (number) => settled(number, refuseInto));
}

function settled({ value, text }: NumberText, overflow: Overflow): unknown {
  return Number.isFinite(Number(value)) ? value : overflow(text);
}

function refuse(text: string): never {
  throw new NumberRangeError(text);
}

type Visitor = (number: NumberText, members: Record<string, unknown>, key: string) => void;

/** Without recursion: a body may be nested more deeply than the stack holds. */
function visitNumbers(root: unknown, visit: Visitor): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const members = open.pop();
    if (typeof members !== 'object' || members === null) continue;
    for (const [key, member] of Object.entries(members)) {
      if (member instanceof NumberText) visit(member, members as Record<string, unknown>, key);
      else if (typeof member === 'object') open.push(member);
    }
  }
}
