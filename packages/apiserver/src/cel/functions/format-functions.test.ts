import { beforeAll, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../patch/json-value.ts';
import { type Answer, RuleAnswers } from '../rule-answers.test-support.ts';

// What kube-apiserver 1.36.3 answered to the same rules about the same objects.
describe('named formats', () => {
  let answers: RuleAnswers;

  beforeAll(async () => {
    answers = await RuleAnswers.load();
  });

  test.each<[string, [JsonObject, Answer][]]>([
    [
      "format.named('dns1123Label').value().validate(self.text).hasValue()",
      [
        [{ text: 'a' }, false],
        [{ text: 'A' }, true],
      ],
    ],
    ["format.named('nothing').hasValue()", [[{}, false]]],
    [
      'format.named(self.text).hasValue()',
      [
        [{ text: 'uri' }, true],
        [{ text: 'x' }, false],
      ],
    ],
    ['format.dns1123Label() == format.dns1123Label()', [[{}, true]]],
  ])('%s', (rule, expected) => {
    const told = expected.map(([spec]) => [spec, answers.to(rule, spec)]);
    expect(told).toEqual(expected);
  });
});
