import { NumberText } from '@keelson/structural-schema';

/** A number beyond the range of a double, with the message of Go's decoder. */
export class NumberRangeError extends SyntaxError {
  override readonly name = 'NumberRangeError';

  constructor(text: string, target = 'Go value') {
    super(`json: cannot unmarshal number ${text} into ${target} of type float64`);
  }
}

/** Handles a number beyond the range of a double. */
type Overflow = (text: string) => unknown;

/**
 * Replaces every `NumberText` in a value, in place, by the number that Go decodes without a type. Throws
 * `NumberRangeError` unless `overflow` returns a replacement.
 */
export function decodeNumbers(value: unknown, overflow: Overflow = throwRangeError): unknown {
  if (value instanceof NumberText) return decoded(value, overflow);
  visitNumbers(value, (number, members, key) => {
    // The parser defines `__proto__` as an own member, so this assignment does not set the prototype.
    members[key] = decoded(number, overflow);
  });
  return value;
}

/** Throws `NumberRangeError` if a number is beyond the range of a double. `target` is the Go type in the message. */
export function checkRange(value: unknown, target?: string): void {
  const reject = (text: string): never => {
    throw new NumberRangeError(text, target);
  };
  visitNumbers(value, (number) => decoded(number, reject));
}

function decoded({ value, text }: NumberText, overflow: Overflow): unknown {
  return Number.isFinite(Number(value)) ? value : overflow(text);
}

function throwRangeError(text: string): never {
  throw new NumberRangeError(text);
}

type Visitor = (number: NumberText, members: Record<string, unknown>, key: string) => void;

/** Iterates without recursion, since the nesting of a body may exceed the stack. */
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
