import { describe, expect, test } from '@jest/globals';
import { Coverage } from '../contract/coverage.ts';
import { normalQuery } from '../contract/normal-query.ts';
import type { WatchQuery } from '../contract/watch-query.ts';
import { Thing } from '../testing/scripted-source.test-support.ts';
import type { View } from './view.ts';
import { ViewsByPlace } from './views-by-place.ts';

function viewOf(query: Omit<WatchQuery, 'resource'>): View {
  const coverage = new Coverage(normalQuery({ resource: Thing, ...query }), undefined, undefined);
  return { coverage } as View;
}

describe('the views of a kind', () => {
  test('have a whole view if there is only one, which selects all objects', () => {
    const views = new ViewsByPlace();
    expect(views.whole).toBeUndefined();
    const [all, one] = [viewOf({}), viewOf({ namespace: 'default' })];
    views.add(one);
    expect(views.whole).toBeUndefined();
    views.add(all);
    expect(views.whole).toBeUndefined();
    views.delete(one);
    expect(views.whole).toBe(all);
  });
});
