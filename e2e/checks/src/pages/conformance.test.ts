import { describe, expect, test } from '@jest/globals';

import {
  coverageOf,
  findConformanceProblems,
  idsOf,
  parseBehaviours,
  withSame,
} from './conformance.ts';
import { printConformancePage } from './conformance-page.ts';
import { parseModule, type SourceModule } from '../sources/source-module.ts';

const groups = parseBehaviours(`# AB — first
AB01 one thing.
AB02 another.

# CD — second
CD01 a < b | c.
`);

function suite(text: string, path = 'packages/a/src/a.test.ts'): SourceModule {
  return parseModule({ path, text });
}

function problems(
  text: string,
  later: { ids: string[]; owner: string; why: string }[] = [],
): string[] {
  return findConformanceProblems(groups, coverageOf([suite(text)]), later);
}

const complete = `test('AB01 AB02 both', f); test('CD01 less', f);`;

describe('parseBehaviours', () => {
  test('reads groups, ids and sentences', () => {
    expect(groups).toEqual([
      {
        title: 'AB — first',
        behaviours: [
          { id: 'AB01', text: 'one thing.' },
          { id: 'AB02', text: 'another.' },
        ],
      },
      { title: 'CD — second', behaviours: [{ id: 'CD01', text: 'a < b | c.' }] },
    ]);
  });
});

describe('idsOf', () => {
  test.each([
    ['AB01 one', ['AB01']],
    ['AB01 AB02 two', ['AB01', 'AB02']],
    ['AB01, AB02/CD01: three', ['AB01', 'AB02', 'CD01']],
    ['AB01', ['AB01']],
    ['R1-06, R0-19b AB01 four', ['R1-06', 'R0-19b', 'AB01']],
    ['R1-061 none', []],
    ['AB011 none', []],
    ['AB01x none', []],
    ['names AB01 later', []],
    ['AB01 only the first, not AB02', ['AB01']],
  ])('of %p are %j', (name, ids) => {
    expect(idsOf(name)).toEqual(ids);
  });
});

describe('coverageOf', () => {
  test('collects tests from test files and from the suites that they import', () => {
    const text = `export const suite = () => test('AB01 shared', f);`;
    const modules = [
      suite(`import { suite } from './shared.ts'; suite();`),
      suite(text, 'packages/a/src/shared.ts'),
      suite(text, 'packages/a/src/forgotten.ts'),
    ];
    expect(coverageOf(modules).get('AB01')).toEqual([
      { path: 'packages/a/src/shared.ts', name: 'AB01 shared' },
    ]);
  });
});

describe('withSame', () => {
  test('adds the tests of a behaviour to a requirement that demands the same', () => {
    const coverage = coverageOf([suite(`test('AB01 a', f); test('R0-01 b', f);`)]);
    const path = 'packages/a/src/a.test.ts';
    const all = withSame(coverage, { 'R0-01': ['AB01'], 'R0-02': ['AB01', 'AB09'] });
    expect(all.get('R0-01')).toEqual([
      { path, name: 'R0-01 b' },
      { path, name: 'AB01 a' },
    ]);
    expect(all.get('R0-02')).toEqual([{ path, name: 'AB01 a' }]);
    expect(all.get('AB01')).toEqual([{ path, name: 'AB01 a' }]);
  });
});

describe('findConformanceProblems', () => {
  test('accepts a list in which every behaviour has a test or an owner', () => {
    expect(problems(complete)).toEqual([]);
    const later = [{ ids: ['CD01'], owner: 'x', why: 'y' }];
    expect(problems(`test('AB01 AB02 both', f);`, later)).toEqual([]);
  });

  test('finds a behaviour with neither a test nor an owner', () => {
    expect(problems(`test('AB01 AB02 both', f);`)).toEqual([
      'CD01 has neither a test nor an owner',
    ]);
  });

  test('does not count a skipped test', () => {
    expect(problems(complete.replace(`test('CD01`, `test.skip('CD01`))).toHaveLength(1);
  });

  test('finds a behaviour of later work that has a test', () => {
    expect(problems(complete, [{ ids: ['CD01'], owner: 'x', why: 'y' }])).toEqual([
      'CD01 has a test meanwhile: take it out of the later work',
    ]);
  });

  test('finds unknown ids', () => {
    const later = [{ ids: ['CD08', 'CD08'], owner: 'x', why: 'y' }];
    expect(problems(`${complete} test('CD09 typo', f);`, later)).toEqual([
      'CD09 in "CD09 typo" is no behaviour',
      'CD08 of later work is no behaviour',
      'CD08 of later work is no behaviour',
      'CD08 has two entries of later work',
    ]);
  });
});

describe('printConformancePage', () => {
  const later = [{ ids: ['CD01'], owner: 'depth', why: 'not built' }];
  const page = (text: string): string =>
    printConformancePage(groups, coverageOf([suite(text)]), later);

  test('has a row for each behaviour', () => {
    const text = `test('AB01 one | two', f); test('AB02 a', f); test('AB02 b', f);`;
    expect(page(text)).toContain(`## AB — first

| case | behaviour | tests |
|---|---|---|
| AB01 | one thing. | [a](../packages/a/src/a.test.ts) |
| AB02 | another. | [a](../packages/a/src/a.test.ts) (2) |

## CD — second

| case | behaviour | tests |
|---|---|---|
| CD01 | a &lt; b \\| c. | *later, depth*: not built |
`);
  });

  test('says why a behaviour does not apply', () => {
    const reasons = [{ ids: ['CD01'], owner: undefined, why: 'another runtime' }];
    const text = printConformancePage(groups, coverageOf([]), reasons);
    expect(text).toContain('| CD01 | a &lt; b \\| c. | *does not apply*: another runtime |');
  });

  test('begins with the number of cases and of covered ones for each source', () => {
    expect(page(`test('AB01 a', f);`)).toContain(`
| source | cases | with tests |
|---|---|---|
| [AB — first](#ab--first) | 2 | 1 |
| [CD — second](#cd--second) | 1 | 0 |

## AB — first
`);
  });

  test('lists each test file once, by its noun', () => {
    const tests = [
      suite(`test('AB01 a', f);`, 'packages/a/src/queue.process.test.ts'),
      suite(`test('AB01 b', f);`, 'e2e/suite/src/queue.e2e.ts'),
    ];
    const text = printConformancePage(
      groups,
      new Map([['AB01', tests.map(({ path }) => ({ path, name: 'AB01' }))]]),
      later,
    );
    expect(text).toContain(
      '| [queue](../packages/a/src/queue.process.test.ts), [queue](../e2e/suite/src/queue.e2e.ts) |',
    );
  });

  test('changes if a test is added or removed', () => {
    const two = `test('AB01 a', f); test('AB01 b', f);`;
    const pages = [`test('AB01 a', f);`, two, `test('AB02 a', f);`, ''].map(page);
    expect(new Set(pages).size).toBe(4);
  });
});
