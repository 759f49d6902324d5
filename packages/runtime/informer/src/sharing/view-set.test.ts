import { describe, expect, test } from '@jest/globals';
import { array, assert, constantFrom, property, record } from 'fast-check';
import { Coverage } from '../contract/coverage.ts';
import { normalQuery } from '../contract/normal-query.ts';
import { Thing } from '../testing/scripted-source.test-support.ts';
import { ViewSet } from './view-set.ts';
import type { View } from './view.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const query = record({
  namespace: constantFrom(undefined, 'n1', 'n2'),
  labelSelector: constantFrom(
    '',
    'a=1',
    'a=2',
    'a',
    '!a',
    'a in (1,2)',
    'a in (1,2,3),b=1',
    'a in (1,2),a notin (2)',
    'a in (1),a notin (1)',
    'a notin (1)',
    'b=1',
    'a=1,b=1',
    'b=1,b!=1',
  ),
  fieldSelector: constantFrom('', 'metadata.name=x', 'metadata.name!=x', 'spec.node=1'),
  transform: constantFrom(undefined, 'slim'),
});

function viewOf(n: number, coverage: Coverage, transform: string | undefined): View {
  const known = transform === undefined ? undefined : { name: transform, apply: Math.abs };
  const relations = { wider: new Set(), narrower: new Set() };
  return { key: String(n), order: n, coverage, transform: known, ...relations } as unknown as View;
}

describe('ViewSet', () => {
  test('relates exactly the views of which one covers the other, also after removals', () => {
    assert(
      property(
        array(query, { maxLength: 12 }),
        array(constantFrom(0, 1, 2, 3, 4)),
        (queries, gone) => {
          const set = new ViewSet();
          const views = queries.map(({ transform, namespace, ...selectors }, n) => {
            const of = namespace === undefined ? {} : { namespace };
            const coverage = new Coverage(
              normalQuery({ resource: Thing, ...of, ...selectors }),
              transform,
            );
            const view = viewOf(n, coverage, transform);
            set.add(view, set.covering(coverage));
            return view;
          });
          const removed = new Set(gone.map((n) => views[n]));
          for (const view of removed) if (view !== undefined) set.remove(view);
          const left = views.filter((view) => !removed.has(view));
          for (const view of left) {
            const others = left.filter((other) => other !== view);
            const wider = others.filter(
              (other) => other.coverage.gapTo(view.coverage) === undefined,
            );
            expect([...view.wider]).toEqual(wider);
            const narrower = others.filter(
              ({ coverage }) => view.coverage.gapTo(coverage) === undefined,
            );
            expect(new Set(view.narrower)).toEqual(new Set(narrower));
          }
        },
      ),
      { numRuns: Math.ceil(500 * multiple) },
    );
  });
});
