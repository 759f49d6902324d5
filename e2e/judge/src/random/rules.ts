import * as fc from 'fast-check';
import { members, mostly } from './member.ts';

/** Rules that compile for every type. */
const general: readonly string[] = [
  'true',
  'false',
  'self == self',
  'self == oldSelf',
  'self in [self]',
  '[self].size() == 1',
  'type(self) == type(self)',
  'dyn(self) == 1',
  'dyn(self) == dyn([1])',
];

/** Rules that compile for values of a type. */
const particular: Readonly<Record<string, readonly string[]>> = {
  string: ['self.size() < 3', "self + self != 'aa'", "self.matches('^a')"],
  integer: ['self > 1', 'self % 2 == 0', 'self >= oldSelf'],
  number: ['self < 1.5', 'self + self == self * 2.0'],
  boolean: ['self', '!self', 'self || oldSelf'],
  array: ['self.size() < 3', 'self + self == self', 'self.size() > 0 && self[0] == self[0]'],
  object: ['self.size() < 3', "has(self.a) || 'a' in dyn(self)", 'self.metadata.name == self.kind'],
};

const optional = [
  'oldSelf.hasValue()',
  'oldSelf.orValue(self) == self',
  '!oldSelf.hasValue() || true',
];

/** Rules of a schema, most of which compile for its type. */
export function rulesOf(type: string): fc.Arbitrary<object[]> {
  const rules = [...general, ...(particular[type] ?? [])];
  const plain = members({
    rule: [100, mostly(fc.constantFrom(...rules), 4, fc.constantFrom('', ' ', 'nothing', 'self'))],
    message: [30, fc.constantFrom('m', ' m ', '', ' ', 'a\nb')],
    messageExpression: [8, fc.constantFrom("'x'", "''", 'string(dyn(self))', '1')],
    reason: [8, fc.constantFrom('FieldValueInvalid', 'FieldValueRequired', 'x')],
    optionalOldSelf: [3, fc.boolean()],
  });
  const withOld = fc.constantFrom(...optional).map((rule) => ({ rule, optionalOldSelf: true }));
  const rule = fc.oneof<fc.MaybeWeightedArbitrary<object>[]>(
    { arbitrary: plain, weight: 5 },
    { arbitrary: withOld, weight: 1 },
  );
  return fc.array(rule, { minLength: 1, maxLength: 2 });
}
