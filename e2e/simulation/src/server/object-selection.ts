import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '@keelson/apimachinery';
import type { NormalQuery } from '@keelson/informer';
import type { ObjectState } from './object-state.ts';

/** The part of a query that selects objects. */
export type Selection = Pick<NormalQuery, 'namespace' | 'labelSelector' | 'fieldSelector'>;

type Test = (state: ObjectState) => boolean;

/** The tests of the selections of one run, which are few and used often. */
const tests = new WeakMap<Selection, Test>();

/** True if a server sends the object to a watch of the query. */
export function selects(selection: Selection, state: ObjectState): boolean {
  let test = tests.get(selection);
  if (test === undefined) {
    test = testOf(selection);
    tests.set(selection, test);
  }
  return test(state);
}

function testOf({ namespace, labelSelector = '', fieldSelector = '' }: Selection): Test {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  return ({ identity, content, object }) =>
    (namespace === undefined || identity.namespace === namespace) &&
    matchesLabels(labels, content.labels) &&
    (fields.length === 0 || matchesFields(fields, object));
}
