import { memberOf, missingMember } from './member.ts';
import { MessageValue } from '../values/message-value.ts';
import { nativeValue } from '../values/go/native-value.ts';
import { Optional } from '../values/optional.ts';
import { isFailed, noOverload, type Outcome } from '../values/outcome.ts';
import type { Value } from '../values/value.ts';
import { charge, type Run, type Step } from './run.ts';

/** Reads a field, a key or an index of a value. Returns `undefined` if it is missing and `mayMiss` is true. */
export interface Qualifier {
  /** True for `a.?b` and `a[?b]`: this and all later qualifiers may miss. */
  readonly optional: boolean;
  read(run: Run, container: Outcome, mayMiss: boolean): Outcome | undefined;
}

/**
 * A variable or value with its qualifiers, as in the planner of cel-go: `a.b[c]` is one attribute. The attribute itself
 * costs 1, and so does every qualifier. A conditional has no cost, and its branches have none of their own.
 */
export type Attribute =
  | { readonly kind: 'value'; readonly base: Step; readonly qualifiers: readonly Qualifier[] }
  | {
      readonly kind: 'conditional';
      readonly condition: Step;
      readonly yes: Attribute;
      readonly no: Attribute;
    };

export function attributeOf(base: Step): Attribute {
  return { kind: 'value', base, qualifiers: [] };
}

export function qualified(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.kind === 'value') {
    return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  }
  const [yes, no] = [qualified(attribute.yes, qualifier), qualified(attribute.no, qualifier)];
  return { ...attribute, yes, no };
}

/** Returns a step that reads an attribute and charges its cost. */
export function attributeStep(attribute: Attribute): Step {
  const resolve = resolver(attribute);
  if (attribute.kind === 'conditional') return resolve;
  return (run) => {
    const value = resolve(run);
    charge(run, 1);
    return value;
  };
}

/** Returns a step that reads an attribute without the cost of the attribute itself. */
export function resolver(attribute: Attribute): Step {
  if (attribute.kind === 'value') return qualifiedStep(attribute.base, attribute.qualifiers);
  const { condition } = attribute;
  const [yes, no] = [resolver(attribute.yes), resolver(attribute.no)];
  return (run) => {
    const holds = condition(run);
    if (typeof holds !== 'boolean') return noOverload(holds);
    return holds ? yes(run) : no(run);
  };
}

function qualifiedStep(base: Step, qualifiers: readonly Qualifier[]): Step {
  return (run) => {
    const whole = base(run);
    if (isFailed(whole)) return whole;
    if (!(whole instanceof Optional)) return applied(run, whole, qualifiers);
    if (!whole.hasValue) return whole;
    // As in cel-go, the value of an optional loses its CEL type here: a type becomes a string.
    return applied(run, nativeValue(whole.outcome), qualifiers, true);
  };
}

function applied(
  run: Run,
  whole: Outcome,
  qualifiers: readonly Qualifier[],
  isOptional = false,
): Outcome {
  let value = whole;
  let mayMiss = isOptional;
  for (const qualifier of qualifiers) {
    mayMiss ||= qualifier.optional;
    const found = qualifier.read(run, value, mayMiss);
    if (found === undefined) return Optional.none;
    if (isFailed(found)) return found;
    value = found;
  }
  if (!mayMiss) return value;
  // Without qualifiers the optional keeps the error of a value that has no native form.
  return isFailed(value) && qualifiers.length > 0 ? value : Optional.of(value);
}

/** A field name or a constant key. */
export function constantQualifier(key: Value, optional: boolean): Qualifier {
  return {
    optional,
    read: (run, container, mayMiss) => {
      const found = isFailed(container) ? container : lookUp(container, key, mayMiss);
      if (found !== undefined && !(mayMiss && isFailed(found))) charge(run, 1);
      return found;
    },
  };
}

/** A field of a message that the checker knows. A field that is not set is null, except after `.?`. */
export function messageQualifier(field: string, optional: boolean): Qualifier {
  return {
    optional,
    read: (run, container, mayMiss) => {
      if (!(container instanceof MessageValue)) {
        return isFailed(container) ? container : lookUp(container, field, mayMiss);
      }
      const found = container.field(field) ?? (mayMiss ? undefined : null);
      if (found !== undefined) charge(run, 1);
      return found;
    },
  };
}

/** A key that is computed. `key` charges the cost of the key, without that of an attribute. */
export function computedQualifier(key: Step, optional: boolean): Qualifier {
  return {
    optional,
    read: (run, container, mayMiss) => {
      const at = key(run);
      const failed = [at, container].find(isFailed);
      const found = failed ?? lookUp(container as Value, at as Value, mayMiss);
      if (found !== undefined && !(mayMiss && isFailed(found))) charge(run, 1);
      return found;
    },
  };
}

/** The last field of `has(a.b)`: true if the field exists. */
export function presenceQualifier(field: string): Qualifier {
  return {
    optional: false,
    read: (run, container, mayMiss) => {
      const found = isFailed(container) ? container : memberOf(container, field);
      const failed = found !== undefined && isFailed(found);
      if (!mayMiss || (found !== undefined && !failed)) charge(run, 1);
      return mayMiss || failed ? found : found !== undefined;
    },
  };
}

function lookUp(container: Value, key: Value, mayMiss: boolean): Outcome | undefined {
  const found = memberOf(container, key);
  return found === undefined && !mayMiss ? missingMember(container, key) : found;
}
