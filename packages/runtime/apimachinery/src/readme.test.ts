import { expect, test } from '@jest/globals';

// #region use
import {
  defineResource,
  matchesLabels,
  parseLabelSelector,
  setCondition,
  type Condition,
  type KubernetesObject,
} from '@keelson/apimachinery';

interface WebApp extends KubernetesObject {
  spec: { image: string };
  status?: { conditions?: Condition[] };
}

const WebApp = defineResource<WebApp>({
  group: 'apps.example.com',
  version: 'v1',
  kind: 'WebApp',
  plural: 'webapps',
});

const selector = parseLabelSelector('app=web,tier in (front, back),!legacy');
const selected = matchesLabels(selector, { app: 'web', tier: 'front' }); // true

const conditions = setCondition(undefined, {
  type: 'Ready',
  status: 'True',
  reason: 'Deployed',
  message: 'all replicas are available',
});
// #endregion

test('the code of the README selects labels and sets a condition', () => {
  expect(selected).toBe(true);
  expect(WebApp.namespaced).toBe(true);
  expect(conditions).toEqual([expect.objectContaining({ type: 'Ready', status: 'True' })]);
});
