import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ExpressionResults,
  type JsonObject,
  type RuleResult,
} from '../../testing/expression-results.test-support.ts';

// Results recorded from kube-apiserver 1.36.3 for the same rules and objects.
describe('versions', () => {
  let results: ExpressionResults;

  beforeAll(() => {
    results = new ExpressionResults();
  });

  test.each<[string, [JsonObject, RuleResult][]]>([
    [
      "semver(self.text).isLessThan(semver('1.2.3-alpha.beta'))",
      [
        [{ text: '1.2.3-alpha.1' }, true],
        [{ text: '1.2.3-1' }, true],
      ],
    ],
    [
      "semver(self.text).compareTo(semver('1.2.3-alpha.2')) == 1",
      [
        [{ text: '1.2.3-alpha.10' }, true],
        [{ text: '1.2.3-alpha.beta' }, true],
        [{ text: '1.2.3-alpha' }, false],
        [{ text: '1.2.3-beta' }, true],
        [{ text: '1.2.3-1' }, false],
      ],
    ],
    [
      'isSemver(self.text)',
      [
        [{ text: '1.2.3' }, true],
        [{ text: '1.2' }, false],
        [{ text: 'v1.2.3' }, false],
        [{ text: '1.2.3-alpha.1' }, true],
        [{ text: '1.2.3-alpha.01' }, false],
        [{ text: '1.2.3+build.1' }, true],
        [{ text: '1.2.3-a+b' }, true],
        [{ text: '01.2.3' }, false],
        [{ text: '1.2.3-' }, false],
        [{ text: '1.2.3+' }, false],
        [{ text: 'a.b.c' }, false],
        [{ text: '1.2.3-α' }, false],
        [{ text: '' }, false],
        [{ text: '1' }, false],
        [{ text: '1.2.3.4' }, false],
        [{ text: '1.0.0-alpha' }, true],
        [{ text: 'v1' }, false],
        [{ text: 'v01.02' }, false],
        [{ text: '1.2-a' }, false],
        [{ text: '99999999999999999999.0.0' }, false],
        [{ text: '1.2.3-a.b..c' }, false],
        [{ text: '1.02.3' }, false],
        [{ text: '1.2.03' }, false],
        [{ text: '1..3' }, false],
      ],
    ],
    [
      'isSemver(self.text, true)',
      [
        [{ text: '1.2.3' }, true],
        [{ text: '1.2' }, true],
        [{ text: 'v1.2.3' }, true],
        [{ text: '1.2.3-alpha.1' }, true],
        [{ text: '1.2.3-alpha.01' }, false],
        [{ text: '1.2.3+build.1' }, true],
        [{ text: '1.2.3-a+b' }, true],
        [{ text: '01.2.3' }, true],
        [{ text: '1.2.3-' }, false],
        [{ text: '1.2.3+' }, false],
        [{ text: 'a.b.c' }, false],
        [{ text: '1.2.3-α' }, false],
        [{ text: '' }, false],
        [{ text: '1' }, true],
        [{ text: '1.2.3.4' }, false],
        [{ text: '1.0.0-alpha' }, true],
        [{ text: 'v1' }, true],
        [{ text: 'v01.02' }, true],
        [{ text: '1.2-a' }, false],
        [{ text: '99999999999999999999.0.0' }, false],
        [{ text: '1.2.3-a.b..c' }, false],
        [{ text: '1.02.3' }, true],
        [{ text: '1.2.03' }, true],
        [{ text: '1..3' }, false],
      ],
    ],
    [
      'semver(self.text).major() == 100',
      [
        [{ text: '1.2.3' }, false],
        [{ text: '1.2' }, 'error: No Major.Minor.Patch elements found'],
        [{ text: 'v1.2.3' }, 'error: Invalid character(s) found in major number "v1"'],
        [{ text: '1.2.3-alpha.1' }, false],
        [
          { text: '1.2.3-alpha.01' },
          'error: Numeric PreRelease version must not contain leading zeroes "01"',
        ],
        [{ text: '1.2.3+build.1' }, false],
        [{ text: '1.2.3-a+b' }, false],
        [{ text: '01.2.3' }, 'error: Major number must not contain leading zeroes "01"'],
        [{ text: '1.2.3-' }, 'error: Prerelease is empty'],
        [{ text: '1.2.3+' }, 'error: Build meta data is empty'],
        [{ text: 'a.b.c' }, 'error: Invalid character(s) found in major number "a"'],
        [{ text: '1.2.3-α' }, 'error: Invalid character(s) found in prerelease "α"'],
      ],
    ],
    [
      'semver(self.text, true).patch() == 100',
      [
        [{ text: '1.2.3' }, false],
        [{ text: '1.2' }, false],
        [{ text: 'v1.2.3' }, false],
        [{ text: '1.2.3-alpha.1' }, false],
        [
          { text: '1.2.3-alpha.01' },
          'error: Numeric PreRelease version must not contain leading zeroes "01"',
        ],
        [{ text: '1.2.3+build.1' }, false],
        [{ text: '1.2.3-a+b' }, false],
        [{ text: '01.2.3' }, false],
        [{ text: '1.2.3-' }, 'error: Prerelease is empty'],
        [{ text: '1.2.3+' }, 'error: Build meta data is empty'],
        [{ text: 'a.b.c' }, 'error: Invalid character(s) found in major number "a"'],
        [{ text: '1.2.3-α' }, 'error: Invalid character(s) found in prerelease "α"'],
      ],
    ],
    [
      "semver(self.text).isLessThan(semver('1.2.3'))",
      [
        [{ text: '1.2.3' }, false],
        [{ text: '1.2' }, 'error: No Major.Minor.Patch elements found'],
        [{ text: 'v1.2.3' }, 'error: Invalid character(s) found in major number "v1"'],
        [{ text: '1.2.3-alpha.1' }, true],
        [
          { text: '1.2.3-alpha.01' },
          'error: Numeric PreRelease version must not contain leading zeroes "01"',
        ],
        [{ text: '1.2.3+build.1' }, false],
        [{ text: '1.2.3-a+b' }, true],
        [{ text: '01.2.3' }, 'error: Major number must not contain leading zeroes "01"'],
        [{ text: '1.2.3-' }, 'error: Prerelease is empty'],
        [{ text: '1.2.3+' }, 'error: Build meta data is empty'],
        [{ text: 'a.b.c' }, 'error: Invalid character(s) found in major number "a"'],
        [{ text: '1.2.3-α' }, 'error: Invalid character(s) found in prerelease "α"'],
      ],
    ],
    [
      "semver(self.text).compareTo(semver('1.2.3-alpha.2')) == 1",
      [
        [{ text: '1.2.3' }, true],
        [{ text: '1.2' }, 'error: No Major.Minor.Patch elements found'],
        [{ text: 'v1.2.3' }, 'error: Invalid character(s) found in major number "v1"'],
        [{ text: '1.2.3-alpha.1' }, false],
        [
          { text: '1.2.3-alpha.01' },
          'error: Numeric PreRelease version must not contain leading zeroes "01"',
        ],
        [{ text: '1.2.3+build.1' }, true],
        [{ text: '1.2.3-a+b' }, false],
        [{ text: '01.2.3' }, 'error: Major number must not contain leading zeroes "01"'],
        [{ text: '1.2.3-' }, 'error: Prerelease is empty'],
        [{ text: '1.2.3+' }, 'error: Build meta data is empty'],
        [{ text: 'a.b.c' }, 'error: Invalid character(s) found in major number "a"'],
        [{ text: '1.2.3-α' }, 'error: Invalid character(s) found in prerelease "α"'],
      ],
    ],
    [
      "semver(self.text).isGreaterThan(semver('1.2.3-1')) && semver(self.text) == semver('1.2.3+x')",
      [
        [{ text: '1.2.3' }, true],
        [{ text: '1.2' }, 'error: No Major.Minor.Patch elements found'],
        [{ text: 'v1.2.3' }, 'error: Invalid character(s) found in major number "v1"'],
        [{ text: '1.2.3-alpha.1' }, false],
        [
          { text: '1.2.3-alpha.01' },
          'error: Numeric PreRelease version must not contain leading zeroes "01"',
        ],
        [{ text: '1.2.3+build.1' }, true],
        [{ text: '1.2.3-a+b' }, false],
        [{ text: '01.2.3' }, 'error: Major number must not contain leading zeroes "01"'],
        [{ text: '1.2.3-' }, 'error: Prerelease is empty'],
        [{ text: '1.2.3+' }, 'error: Build meta data is empty'],
        [{ text: 'a.b.c' }, 'error: Invalid character(s) found in major number "a"'],
        [{ text: '1.2.3-α' }, 'error: Invalid character(s) found in prerelease "α"'],
      ],
    ],
  ])('%s', (rule, expected) => {
    const found = expected.map(([spec]) => [spec, results.of(rule, spec)]);
    expect(found).toEqual(expected);
  });

  test.each<[string, [JsonObject, string][]]>([
    [
      "'%d %d %d'.format([semver(self.text).major(), semver(self.text).minor(), semver(self.text).patch()])",
      [
        [{ text: '1.2.3' }, '1 2 3'],
        [{ text: '1.2.3-alpha.1' }, '1 2 3'],
        [{ text: '1.2.3+build.1' }, '1 2 3'],
        [{ text: '1.2.3-a+b' }, '1 2 3'],
      ],
    ],
  ])('%s returns a string', (expression, expected) => {
    const made = expected.map(([spec]) => [spec, results.textOf(expression, spec)]);
    expect(made).toEqual(expected);
  });
});
