import { isJsonObject, type JsonValue } from '@keelson/structural-schema';
import { refusal } from '../literal/refusal.ts';
import { listOf } from './list-of.ts';
import { choiceOf, listIn, nameInRules, type Branch, type Place } from './union-branch.ts';

/** The rules for a property that only some objects of a union have or require. */
export function rulesOf(name: string, { branches, field, type, path }: Place): JsonValue[] {
  const having = branches.filter(({ properties }) => Object.hasOwn(properties, name));
  const requiring = branches.filter(({ required }) => required.includes(name));
  const member = nameInRules(name, path);
  const fieldPath = /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`;
  const rules: JsonValue[] = [];
  if (requiring.length > 0 && requiring.length < branches.length) {
    rules.push({
      rule: `!(self.${field} in ${listIn(requiring, type)}) || has(self.${member})`,
      message: `is required if ${field} is ${choiceOf(requiring)}`,
      reason: 'FieldValueRequired',
      fieldPath,
    });
  }
  if (having.length < branches.length) {
    rules.push({
      rule: `self.${field} in ${listIn(having, type)} || !has(self.${member})`,
      message: `is allowed only if ${field} is ${choiceOf(having)}`,
      reason: 'FieldValueForbidden',
      fieldPath,
    });
  }
  return rules;
}

/** The rules of one object, which hold only for the values of its discriminator. */
export function branchRules({ schema, values }: Branch, { field, type, path }: Place): JsonValue[] {
  return listOf(schema['x-kubernetes-validations']).map((given) => {
    const { rule, ...others } = isJsonObject(given) ? given : {};
    if (typeof rule !== 'string') {
      throw refusal(`${path}.x-kubernetes-validations`, 'a rule without an expression', 'write it');
    }
    const list = listIn([{ values }], type);
    const isOther = [`!(self.${field} in ${list})`];
    // A change of the discriminator replaces one object of the union by another one.
    if (readsOldSelf(rule) && others['optionalOldSelf'] !== true) {
      isOther.push(`!(oldSelf.${field} in ${list})`);
    }
    return { ...others, rule: `${isOther.join(' || ')} || (${checkedRule(rule, path)})` };
  });
}

/** A comment would hide the closing parenthesis. */
function checkedRule(rule: string, path: string): string {
  if (!withoutTexts(rule).includes('//')) return rule;
  const cure = 'remove the comment';
  throw refusal(`${path}.x-kubernetes-validations`, 'a comment in a rule of a union', cure);
}

function readsOldSelf(rule: string): boolean {
  return /\boldSelf\b/.test(withoutTexts(rule));
}

/** The expression without its string literals. */
function withoutTexts(rule: string): string {
  return rule.replaceAll(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gs, "''");
}
